"""TOML files that people write: read, checked against a model, and complained about by file, line and key."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from fairlead import config_changes, config_mistakes, files, located_json
from fairlead.config_changes import ConfigChange
from fairlead.config_mistakes import Location
from fairlead.errors import ConfigError


class Model(BaseModel):
    """Base of every model of a file: unknown keys are errors, values are frozen.

    A check of a whole table raises ValueError("key: reason"), with dots and numbers for keys further inside, so that
    the mistake is told with that key's line (`config_mistakes.named`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


ModelT = TypeVar("ModelT", bound=BaseModel)


def text_of(pattern: str, meaning: str) -> AfterValidator:
    """For the annotation of a text that ``pattern`` describes: all of it must match. ``meaning`` says so in words."""

    def check(value: str) -> str:
        if re.fullmatch(pattern, value) is None:
            raise ValueError(f"{value!r} is refused: {meaning}")
        return value

    check.__doc__ = meaning
    return AfterValidator(check)


def load(path: Path, model: type[ModelT], changes: Sequence[ConfigChange] = ()) -> ModelT:
    """Read a TOML file into ``model``.

    Args:
        changes: of the file's values, made before the model sees them.

    Raises:
        ConfigError: unreadable, not TOML, or not as the model says; the message holds ``file:line: key: reason``.
    """
    return parse(_text(path), model, source=str(path), changes=changes)


def parse(text: str, model: type[ModelT], *, source: str, changes: Sequence[ConfigChange] = ()) -> ModelT:
    """As `load`, from a string; ``source`` stands for the file name in messages."""
    data = _tables(text, source)
    changed = config_changes.apply(changes, data)

    def refuse(found: Iterable[tuple[Location, str]]) -> None:
        if complaints := [_complaint(text, source, at, reason, changed) for at, reason in found]:
            raise ConfigError("\n".join(complaints))

    refuse(config_mistakes.unusable(data))
    try:
        made = model.model_validate(data)
    except ValidationError as error:
        told: dict[Location, list[str]] = {}
        for item in config_mistakes.without_consequences(error.errors(), data):
            at, reason = _written(item["loc"], data), config_mistakes.describe(item, model)
            at, reason = config_mistakes.named(at, reason, data) if item["type"] == "value_error" else (at, reason)
            told.setdefault(at, []).append(reason)
        in_order = sorted(told, key=lambda at: line_of(text, at))
        complaints = [_complaint(text, source, at, " or ".join(dict.fromkeys(told[at])), changed) for at in in_order]
        raise ConfigError("\n".join(complaints)) from error
    refuse(config_mistakes.truths_for_numbers(data, made))
    return made


def content(paths: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """What TOML files say, by path: to be kept, and to know whether they still say the same. Comments do not count.

    Raises:
        ConfigError: one is unreadable, or not TOML.
    """
    return {str(path): _tables(_text(path), str(path)) for path in paths}


def told(text: str, source: str, location: Location, message: str) -> str:
    """What is wrong with a key of a file, for people: file, line and key stand before it."""
    key = located_json.key_words(location) or "file"
    return f"{source}:{line_of(text, location)}: {key}: {message}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # editors may write a byte order mark
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file", hint=files.did_you_mean(path)) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: {error}") from error


def _tables(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}:{_line_of_syntax(text, error)}: not valid TOML: {error}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or lists in lists
        raise ConfigError(f"{source}: not valid TOML: {error}") from error


def _line_of_syntax(text: str, error: tomllib.TOMLDecodeError) -> int:
    """Line (from 1) of a mistake in the syntax; the parser names none for one at the end, which is the last line."""
    named = re.search(r"at line (\d+)", str(error))
    return int(named.group(1)) if named else max(len(text.splitlines()), 1)


def _written(location: Location, data: Any) -> Location:
    """A location without the tags by which pydantic names members of a union: they stand in no file as keys."""
    kept: list[str | int] = []
    for part, after in zip_longest(location, location[1:]):
        if not isinstance(data, dict | list):  # a value: what follows are tags
            break
        if isinstance(data, dict) and after is not None and (part not in data or _is_tag(part, after, data)):
            continue
        kept.append(part)
        data = (data if isinstance(data, dict) else dict(enumerate(data))).get(part)
    return tuple(kept)


def _is_tag(part: str | int, after: str | int, table: dict[str, Any]) -> bool:
    """Whether the first of two parts of a location is the tag of a table that also has a key of that name."""
    return isinstance(after, str) and not isinstance(table[str(part)], dict) and part in table.values()


def _complaint(
    text: str, source: str, location: Location, message: str, changed: Mapping[Location, ConfigChange]
) -> str:
    for place, change in changed.items():
        shared = min(len(location), len(place))
        if shared and location[:shared] == place[:shared]:  # of the value, or of the table that it made wrong
            return f"{change}: {message}"
    return told(text, source, location, message)


_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_\-.\"']+)\s*=")


def line_of(text: str, location: Location) -> int:
    """Line (from 1) on which the key at ``location`` stands, or its nearest parent that is written in the file.

    ``location`` is pydantic's: names for tables and keys, numbers for the k-th entry of an array of tables.
    """
    best, best_depth = 1, 0
    counts: dict[tuple[str, ...], int] = {}
    table: Location = ()
    for number, line in _beginnings(text):
        header = _HEADER.match(line)
        if header:
            names = tuple(part.strip().strip("\"'") for part in header.group(2).split("."))
            if header.group(1) == "[[":
                counts[names] = counts.get(names, -1) + 1
            table = _with_indices(names, counts)
            candidates: tuple[Location, ...] = (table, names)  # the second: of an array as a whole
        else:
            key = _KEY.match(line)
            if not key:
                continue
            candidates = (table + tuple(part.strip("\"'") for part in key.group(1).split(".")),)
        for candidate in candidates:
            depth = len(candidate)
            if depth > best_depth and candidate == location[:depth]:
                best, best_depth = number, depth
    return best


# What brackets do not count in, and brackets. A string of several lines ends with what it began with, or is open.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?P<open_basic>"""|$)|'
    r"'''(?:[^']|'(?!''))*(?P<open_literal>'''|$)|"
    r'"(?:[^"\\]|\\.)*"|'
    r"'[^']*'|#.*|(?P<bracket>[\[\]{}])"
)


def _beginnings(text: str) -> Iterator[tuple[int, str]]:
    """Lines, with their numbers, on which a header or a key stands: none inside an array or a string of several."""
    depth, quotes = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not depth and not quotes:
            yield number, line
        rest = line
        if quotes:
            _, end, rest = line.partition(quotes)
            quotes = "" if end else quotes
        for token in _TOKEN.finditer(rest):
            if token["bracket"]:
                depth = max(depth + (1 if token["bracket"] in "[{" else -1), 0)
            elif token["open_basic"] == "":
                quotes = '"""'
            elif token["open_literal"] == "":
                quotes = "'''"


def _with_indices(names: tuple[str, ...], counts: dict[tuple[str, ...], int]) -> Location:
    location: list[str | int] = []
    for depth in range(1, len(names) + 1):
        location.append(names[depth - 1])
        if names[:depth] in counts:
            location.append(counts[names[:depth]])
    return tuple(location)
