"""Values of a plan that the command line changes: ``--set class=W``, ``--set run.ranks=8``."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.config_mistakes import Location
from fairlead.errors import ConfigError

FACTORS = "factors"


@dataclass(frozen=True)
class ConfigChange:
    """One ``--set KEY=VALUE``.

    Attributes:
        key: a factor's name, or a table's key with dots; an entry of a list of tables goes by its name.
        value: as TOML has it; what is no TOML is a text.
        text: as it was given, to give it again.
    """

    key: str
    value: Any
    text: str

    @classmethod
    def parse(cls, text: str) -> "ConfigChange":
        """From "run.ranks=8".

        Raises:
            ConfigError: there is no = in it, or nothing before it.
        """
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--set {text}: must be KEY=VALUE", hint="for example --set class=W")
        return cls(key.strip(), _value(value.strip()), text)

    def __str__(self) -> str:
        return f"--set {self.key}"


def apply(changes: Sequence[ConfigChange], data: dict[str, Any]) -> dict[Location, ConfigChange]:
    """Change the tables of a file in place; returns where each change went.

    Raises:
        ConfigError: there is no such factor or table.
    """
    places: dict[Location, ConfigChange] = {}
    for change in changes:
        parts = change.key.split(".")
        if len(parts) == 1:
            _require_factor(change, data)
            parts = [FACTORS, *parts]
        before = _levels(data, parts)
        place = _put(change, data, parts)
        places[place] = change
        after = _levels(data, parts)
        _leave_out(data, parts[-1], [level for level in before if level not in after])
    return places


def _levels(data: dict[str, Any], parts: list[str]) -> list[Any]:
    """The levels of a factor; none if ``parts`` do not lead to one."""
    factors = data.get(FACTORS)
    levels = factors.get(parts[-1]) if parts[:-1] == [FACTORS] and isinstance(factors, dict) else None
    return levels if isinstance(levels, list) else []


def _leave_out(data: dict[str, Any], factor: str, gone: list[Any]) -> None:
    """Levels that the plan had and a change left out are not mistakes where the plan excludes or groups them."""
    report = data.get("report")
    groups = report.get("groups") if isinstance(report, dict) else None
    selections = [*_tables(data.get("exclude")), *(group.get("where") for group in _tables(groups))]
    for selection in selections:
        if gone and isinstance(selection, dict) and factor in selection:
            levels = selection[factor]
            wanted = levels if isinstance(levels, list) else [levels]
            selection[factor] = [level for level in wanted if level not in gone]


def _tables(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _require_factor(change: ConfigChange, data: dict[str, Any]) -> None:
    known = data.get(FACTORS)
    if isinstance(known, dict) and change.key in known:
        return
    tables = [key for key, value in data.items() if isinstance(value, dict | list) and key != FACTORS]
    factors = f"the factors {', '.join(known)}, and " if isinstance(known, dict) and known else ""
    there = f"it has {factors}keys of the tables {', '.join(tables)} (TABLE.KEY)"
    raise ConfigError(f"{change}: the plan has no such factor", hint=there)


def _put(change: ConfigChange, data: dict[str, Any], parts: list[str]) -> Location:
    """Set the value at the end of a path of keys; tables that the file does not have are made."""
    place: list[str | int] = []
    table: Any = data
    for part in parts[:-1]:
        key = _key(change, table, part)
        table = table.setdefault(key, {}) if isinstance(table, dict) else table[key]
        place.append(key)
        if not isinstance(table, dict | list):
            raise ConfigError(f"{change}: {'.'.join(map(str, place))} is not a table")
    last = _key(change, table, parts[-1])
    levels = parts[0] == FACTORS and len(parts) == 2
    table[last] = change.value if not levels or isinstance(change.value, list) else [change.value]
    return (*place, last)


def _key(change: ConfigChange, table: Any, part: str) -> str | int:
    """The key of a table, or the number of the entry of a list of tables that has this name."""
    if not isinstance(table, list):
        return part
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in table]
    if part in names:
        return names.index(part)
    if part.isdecimal() and int(part) < len(table):
        return int(part)
    known = [str(name) if name is not None else str(number) for number, name in enumerate(names)]
    raise ConfigError(f"{change}: there is no entry {part}", hint=f"there are {', '.join(known)}")
