"""The tables of docs/reference/agent-protocol.md, and the page of settings, from protocol/agent.toml."""

from collections.abc import Iterable, Iterator

from protocol.table import Enum, Field, Group, Message, Table, Type, load_table

from scripts.reference import markdown

PAGE = "reference/agent-protocol.md"
SETTINGS = "reference/agent-settings.md"
SOURCE = "protocol/agent.toml"
NAMES = {
    "real": "number", "whole": "integer", "flag": "boolean", "text": "string", "secret": "64 hexadecimal digits",
    "index": "host", "peer": "host", "sharing": "list", "json": "any",
}  # fmt: skip
SIZES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))

Rows = Iterator[tuple[str, ...]]


def pages(page: str) -> dict[str, str]:
    """Both pages; ``page`` is the text of the one that is not all generated."""
    table = load_table()
    return {PAGE: markdown.filled(page, lambda name: _table(table, name)), SETTINGS: _settings(table)}


def _table(table: Table, name: str) -> Rows:
    kind, _, rest = name.partition(".")
    by_name = {
        "config": lambda: _fields(table, [_of(table.commands, "config")]),
        "manage": lambda: _fields(table, [table.object("manage")]),
        "commands": lambda: _commands(table),
        "events": lambda: _events(table),
        "added": lambda: _added(table),
        "limits": lambda: _limits(table),
    }
    if name in by_name:
        return by_name[name]()
    if kind == "enum":
        return _values(next(each for each in table.enums if each.name == rest))
    return _fields(table, [_of(table.answers if kind == "answer" else table.events, rest)])


def _of(messages: Iterable[Message], name: str) -> Message:
    return next(each for each in messages if each.name == name)


def _fields(table: Table, messages: Iterable[Message]) -> Rows:
    yield "field", "type", "meaning"
    for message in messages:
        yield from _rows(table, message, "")


def _rows(table: Table, message: Message, prefix: str) -> Rows:
    for field in message.fields:
        yield f"`{prefix}{field.name}`", _type(table, field), field.meaning
        part = next((each for each in table.objects if each.name == field.type.name), None)
        if part is not None and part.name != "manage":
            yield from _rows(table, part, f"{prefix}{field.name}{'[]' if field.type.many else ''}.")


def _type(table: Table, field: Field) -> str:
    """In words, with limits and default."""
    parts = [_name(table, field)]
    if field.limits is not None and field.type.name != "json":
        each = "each " if field.type.many else ""
        parts.append(f"{each}{_number(field, field.limits[0])} to {_number(field, field.limits[1])}")
    if field.unit:
        parts.append(f"in {field.unit}")
    if field.null:
        parts[0] += " or null"
    if field.optional:
        default = "" if field.default is None else f", default {_number(field, field.default)}"
        parts.append(f"optional{default}")
    return ", ".join(parts)


def _name(table: Table, field: Field) -> str:
    if (enum := table.enum(field.values or field.type.name)) and not field.type.by_text:
        return "enumeration" if len(enum.values) > 3 else " or ".join(f"`{each.text}`" for each in enum.values)
    one = NAMES.get(field.type.name, "host" if field.type.name == "host" else "object")
    if field.type.many:
        length = f"{field.length[0]} to {field.length[1]} " if field.length is not None else ""
        return f"list of {length}{one}s"
    if field.type.by_text:
        return f"object: {one} by name"
    if field.length is not None:
        return f"{one} of {field.length[0]} to {field.length[1]} characters"
    return one


def _number(field: Field, value: float | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if field.name.endswith("_B"):
        for size, unit in SIZES:
            if value >= size and value % size == 0:
                return f"{value // size} {unit}"
    for power in (32, 53, 63):
        if 0 <= 2**power - value <= 1:
            return f"2^{power}" if value == 2**power else f"2^{power} − 1"
    return f"{value:g}".replace("e+0", "e") if isinstance(value, float) else str(value)


def _commands(table: Table) -> Rows:
    yield "command", "field", "type", "meaning", "answer"
    for command in table.commands:
        if command.name == "config":
            continue
        rows = [("", "", command.meaning), *_rows(table, command, "")]
        for k, (name, type_, meaning) in enumerate(rows):
            yield f"`{command.name}`" if k == 0 else "", name, type_, meaning, _answer(table, command) if k == 0 else ""


def _answer(table: Table, command: Message) -> str:
    if command.name == "stop":
        return "`stopped`"
    if not command.answer:
        return "none"
    answer = _of(table.answers, command.answer)
    return f"[`{answer.name}`](#{answer.name})" if answer.fields else f"`{answer.name}`"


def _events(table: Table) -> Rows:
    yield "event", "when"
    for event in table.events:
        if event.by == "agent":
            yield f"[`{event.name}`](#{event.name})", event.when


def _added(table: Table) -> Rows:
    yield "event", "fields", "when"
    for event in table.events:
        if event.by != "agent":
            fields = "; ".join(
                f"`{field.name}`{' (optional)' if field.optional else ''}: {field.meaning}" for field in event.fields
            )
            yield f"`{event.name}`", fields, event.when


def _values(enum: Enum) -> Rows:
    yield enum.name.rpartition("_")[2], "meaning"
    for value in enum.values:
        yield f"`{value.text}`", value.meaning


def _limits(table: Table) -> Rows:
    yield "limit", "value"
    for limit in table.limits:
        size = _number(Field(limit.name, Type("whole", False, False), ""), limit.value)
        yield limit.meaning.rstrip("."), size if limit.unit == "B" else f"{limit.value:g} {limit.unit}"


def _settings(table: Table) -> str:
    parts = [
        "# Settings of the agent",
        markdown.paragraph(
            "The numbers that an agent decides by. What they do: [detection](../explanation/detection.md). Change "
            "them for a cluster in its [cluster file](files/cluster.md), for one run with `fairlead run --set`, which "
            "overrides the file, for the rows of a plan in a level of its [management](files/evaluation.md), for a "
            "comparison in its `settings`, and for a simulation in its scenario's `agents.settings`:"
        ),
        """```toml
[settings]                      # in the cluster file
detour.dwell_s = 1
congestion_level.medium_factor = 2
```""",
        """```
fairlead run mesh8.cluster.toml -n 8 --set detour.dwell_s=0.5 -- ./program
```""",
        markdown.paragraph(
            "Names and values are checked before anything starts. The run's record has those that differ from their "
            "defaults. Agents get them in `manage.settings` of the [protocol](agent-protocol.md)."
        ),
    ]
    for group in table.groups:
        parts += [f"## {group.name}", markdown.paragraph(group.meaning) if group.meaning else "", _group(group)]
    return markdown.page(SOURCE, *parts)


def _group(group: Group) -> str:
    rows = []
    for each in group.settings:
        limits = f"{each.limits[0]:g} to {each.limits[1]:g}"
        most = f"; at most `{each.at_most}`" if each.at_most else ""
        unit = "" if each.unit == "1" else each.unit
        rows.append((f"`{group.name}.{each.name}`", f"{each.default:g}", unit, limits, f"{each.meaning}{most}"))
    return markdown.table(("setting", "default", "unit", "limits", "meaning"), rows)
