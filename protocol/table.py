"""agent.toml as objects: what the generators of sources and pages read. Mistakes in the table are named."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "agent.toml"
SIMPLE = frozenset({"real", "whole", "flag", "text", "secret", "host", "index", "peer", "sharing", "json"})
BY_TEXT = " by text"
LIST_OF = "list of "

Number = int | float


_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def plain(text: str) -> str:
    """A meaning without the links of the page."""
    return _LINK.sub(r"\1", text)


@dataclass(frozen=True)
class Type:
    """Of a field.

    Attributes:
        name: a simple one, or the name of an enumeration or object.
        many: a list of them.
        by_text: several, each with a name.
    """

    name: str
    many: bool
    by_text: bool

    @classmethod
    def of(cls, text: str) -> "Type":
        name = text.removeprefix(LIST_OF).removesuffix(BY_TEXT)
        return cls(name, text.startswith(LIST_OF), text.endswith(BY_TEXT))


@dataclass(frozen=True)
class Field:
    """One row of a message: see the head of agent.toml."""

    name: str
    type: Type
    meaning: str
    unit: str = ""
    null: bool = False
    raw: bool = False
    optional: bool = False
    needed: bool = False
    limits: tuple[Number, Number] | None = None
    length: tuple[int, int] | None = None
    default: bool | Number | None = None
    differs: str = ""
    values: str = ""

    @property
    def is_nothing(self) -> bool:
        """Whether its value may be none, where it is read."""
        return self.null or (self.optional and self.default is None)


@dataclass(frozen=True)
class Message:
    """An object, command, answer or event.

    Attributes:
        identified: an answer has the `id` of its command.
        answer: of a command; empty: it has none, nor an `id`.
        by: who says an event.
        stored: whether the store keeps an event.
    """

    name: str
    meaning: str
    fields: tuple[Field, ...]
    identified: bool = False
    answer: str = ""
    when: str = ""
    by: str = "agent"
    stored: bool = False


@dataclass(frozen=True)
class Value:
    """One text of an enumeration; ``words``: as people read it."""

    text: str
    meaning: str
    words: str
    cpp: str


@dataclass(frozen=True)
class Enum:
    """An enumeration; ``cpp``: namespace and name in C++, empty where it has none."""

    name: str
    meaning: str
    cpp: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Setting:
    """One number of the agent's decisions."""

    name: str
    default: Number
    limits: tuple[Number, Number]
    unit: str
    meaning: str
    at_most: str
    both: bool

    @property
    def whole(self) -> bool:
        return isinstance(self.default, int)


@dataclass(frozen=True)
class Group:
    """Settings of one subject."""

    name: str
    meaning: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Limit:
    """A number that is agreed upon; ``by``: the side that keeps to it, both where empty."""

    name: str
    value: Number
    unit: str
    meaning: str
    by: str = ""


@dataclass(frozen=True)
class Table:
    """All of agent.toml, in its order."""

    enums: tuple[Enum, ...]
    objects: tuple[Message, ...]
    commands: tuple[Message, ...]
    answers: tuple[Message, ...]
    events: tuple[Message, ...]
    limits: tuple[Limit, ...]
    groups: tuple[Group, ...]

    def enum(self, name: str) -> Enum | None:
        """The enumeration of this name; None if a type of this name is something else."""
        return next((each for each in self.enums if each.name == name), None)

    def object(self, name: str) -> Message:
        return next(each for each in self.objects if each.name == name)

    def messages(self) -> Iterator[Message]:
        yield from (*self.objects, *self.commands, *self.answers, *self.events)


def load_table(path: Path = TABLE) -> Table:
    """The table.

    Raises:
        ValueError: a row has a column that nobody knows, or lacks one, or names what there is not.
    """
    rows = tomllib.loads(path.read_text(encoding="utf-8"))

    def messages(kind: str) -> tuple[Message, ...]:
        return tuple(_message(f"{kind}.{name}", row) for name, row in rows[kind].items())

    table = Table(
        tuple(_enum(name, row) for name, row in rows["enums"].items()),
        messages("objects"),
        messages("commands"),
        messages("answers"),
        messages("events"),
        tuple(Limit(name, **row) for name, row in rows["limits"].items()),
        tuple(_group(name, row) for name, row in rows["settings"].items()),
    )
    _check(table)
    return table


def _enum(name: str, row: Mapping[str, Any]) -> Enum:
    values = (
        Value(text, each["meaning"], each.get("words", ""), each.get("cpp", text.replace(" ", "_")))
        for text, each in row["values"].items()
    )
    return Enum(name, row["meaning"], row.get("cpp", ""), tuple(values))


def _message(place: str, row: Mapping[str, Any]) -> Message:
    name = place.partition(".")[2]
    columns = {key: value for key, value in row.items() if key not in ("fields", "id")}
    columns.setdefault("meaning", _sentence(row.get("when", "")))
    fields = tuple(_field(f"{place}.{key}", each) for key, each in row.get("fields", {}).items())
    try:
        return Message(name, fields=fields, identified=row.get("id", False), **columns)
    except TypeError as error:
        raise ValueError(f"{place}: {error}") from error


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." if text else ""


def _field(place: str, row: Mapping[str, Any]) -> Field:
    columns: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in row.items()}
    type_ = Type.of(columns.pop("type", ""))
    try:
        return Field(place.split(".")[2], type_, **columns)
    except TypeError as error:
        raise ValueError(f"{place}: {error}") from error


def _group(name: str, row: Mapping[str, Any]) -> Group:
    settings = tuple(
        Setting(
            key,
            each["default"],
            (each["limits"][0], each["limits"][1]),
            each["unit"],
            each["meaning"],
            each.get("at_most", ""),
            each.get("both", False),
        )
        for key, each in row.items()
        if isinstance(each, dict)
    )
    return Group(name, row.get("meaning", ""), settings)


def _check(table: Table) -> None:
    enums, objects = {each.name for each in table.enums}, {each.name for each in table.objects}
    for message in table.messages():
        for field in message.fields:
            if field.type.name not in SIMPLE | enums | objects:
                raise ValueError(f"{message.name}.{field.name}: there is no type {field.type.name!r}")
            if field.values and field.values not in enums:
                raise ValueError(f"{message.name}.{field.name}: there is no enumeration {field.values!r}")
    answers = {each.name for each in table.answers}
    for command in table.commands:
        if command.answer and command.answer not in answers:
            raise ValueError(f"{command.name}: there is no answer {command.answer!r}")
    names = {f"{group.name}.{each.name}" for group in table.groups for each in group.settings}
    for group in table.groups:
        for each in group.settings:
            if each.at_most and each.at_most not in names:
                raise ValueError(f"settings.{group.name}.{each.name}: there is no setting {each.at_most!r}")
            if not each.limits[0] <= each.default <= each.limits[1]:
                raise ValueError(f"settings.{group.name}.{each.name}: the default is outside the limits")
