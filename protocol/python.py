"""Sources of src/fairlead/protocol: dataclasses of what agents are told and say."""

import keyword
import textwrap
from collections.abc import Iterable, Iterator

from protocol import cpp
from protocol.table import Enum, Field, Message, Table, Type, plain

FOLDER = "src/fairlead/protocol"
WIDTH = 120
DATACLASS = "@dataclass(frozen=True, slots=True, kw_only=True)"
ANNOTATIONS = {
    "real": "float", "whole": "int", "flag": "bool", "text": "str", "secret": "str", "host": "HostT", "index": "int",
    "peer": "int", "sharing": "Any", "json": "Any",
}  # fmt: skip
READERS = {
    "real": "real", "whole": "whole", "flag": "flag", "text": "text", "host": "fields.host", "index": "whole",
    "json": "anything",
}  # fmt: skip
_READERS = ("Fields", "HostT", "anything", "by_text", "choice", "flag", "many", "real", "text", "whole")
EARLIER = {"real": "math.nan", "whole": "0", "flag": "False", "text": '""'}


def files(table: Table) -> dict[str, str]:
    """By path in the tree."""
    return {
        f"{FOLDER}/enums.py": _enums(table),
        f"{FOLDER}/objects.py": _objects(table),
        f"{FOLDER}/events.py": _events(table),
        f"{FOLDER}/answers.py": _answers(table),
        f"{FOLDER}/commands.py": _commands(table),
        f"{FOLDER}/numbers.py": _numbers(table),
        f"{FOLDER}/setting_table.py": _settings(table),
    }


def attribute(name: str) -> str:
    """A field's name in Python, where `from` and `self` are taken."""
    return f"{name}_" if keyword.iskeyword(name) or name == "self" else name


def _module(doc: str, imports: Iterable[str], lines: Iterable[str]) -> str:
    head = "# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.\n# fmt: off\n"
    return "\n".join([f'{head}"""{doc}"""', "", *imports, "", *lines]).rstrip("\n") + "\n"


def _wrapped(text: str, indent: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent + hanging,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _doc(message: Message) -> list[str]:
    lines = [*_wrapped(f'"""{message.meaning}', "    ")]
    if not message.fields:
        return [*lines[:-1], f'{lines[-1]}"""', ""]
    lines += ["", "    Attributes:"]
    for field in message.fields:
        unit = f", in {field.unit}" if field.unit else ""
        meaning = plain(field.meaning).replace("null:", "None:")
        lines += _wrapped(f"{attribute(field.name)}: {meaning}{unit}.", "        ", "    ")
    return [*lines, '    """', ""]


# ------------------------------------------------------------------------------------------------------------- fields


class _Forms:
    """How fields are declared, read and written."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def generic(self, message: Message) -> bool:
        """Whether it names hosts: by index or, in stores, by name."""
        return any(self._has_host(field.type) for field in message.fields)

    def _has_host(self, type_: Type) -> bool:
        return type_.name == "host" or (self._is_object(type_) and self.generic(self._table.object(type_.name)))

    def _is_object(self, type_: Type) -> bool:
        return any(each.name == type_.name for each in self._table.objects)

    def declared(self, field: Field, *, defaults: bool = False) -> str:
        """Its line in the class."""
        name = field.type.name
        if self._table.enum(name) is not None:
            one = f"enums.{cpp.camel(name)}"
        elif self._is_object(field.type):
            one = f"{cpp.camel(name)}[HostT]" if self._has_host(field.type) else cpp.camel(name)
        else:
            one = ANNOTATIONS[name]
        kind = f"tuple[{one}, ...]" if field.type.many else f"Mapping[str, {one}]" if field.type.by_text else one
        if field.is_nothing and kind != "Any":
            kind += " | None"
        default = ""
        if name == "secret":
            default = " = field(repr=False)"
        elif defaults and field.optional:
            default = f" = {field.default!r}"
        return f"    {attribute(field.name)}: {kind}{default}"

    def stored(self, message: Message) -> bool:
        """Whether stores hold it: an event that they keep, or an object in one."""
        users = (each for each in self._table.events if each.stored)
        return message.stored or self._part_of(message, users)

    def said(self, message: Message) -> bool:
        """Whether an object is part of what agents say."""
        return self._part_of(message, (*self._table.events, *self._table.answers))

    def written_down(self, message: Message) -> bool:
        """Whether an object is part of what is told to agents or stored."""
        return self.stored(message) or self._part_of(message, self._table.commands)

    def _part_of(self, message: Message, users: Iterable[Message]) -> bool:
        return any(
            field.type.name == message.name or self._part_of(message, self._objects(field))
            for user in users
            for field in user.fields
        )

    def _objects(self, field: Field) -> tuple[Message, ...]:
        return (self._table.object(field.type.name),) if self._is_object(field.type) else ()

    def read(self, field: Field, *, stored: bool) -> str:
        """Its line in the call that makes an object of `fields`."""
        name = field.type.name
        if (enum := self._table.enum(name)) is not None:
            reader, earlier = f"choice(enums.{cpp.camel(name)})", f"enums.{cpp.camel(name)}.{_constant(enum, 0)}"
        elif self._is_object(field.type):
            reader, earlier = f"fields.within({cpp.camel(name)}.read)", ""
        else:
            reader, earlier = READERS[name], EARLIER.get(name, "")
        if field.type.many:
            reader, earlier = f"many({reader})", "()"
        elif field.type.by_text:
            reader, earlier = f"by_text({reader})", "{}"
        how = "one"
        if field.optional:
            how, earlier = "optional", ""
        elif field.null:
            how, earlier = "nullable", "None"
        last = f", {earlier}" if earlier and stored and not field.needed else ""
        return f'            {attribute(field.name)}=fields.{how}("{field.name}", {reader}{last}),'

    def written(self, field: Field, hosts: bool) -> str:
        """What stands for its value in JSON."""
        value = f"self.{attribute(field.name)}"
        if field.type.name == "host":
            one = f"host({value})"
        elif self._is_object(field.type):
            argument = "host" if self._has_host(field.type) and hosts else ""
            one = f"{value}.to_json({argument})"
            if field.type.many:
                return f"[each.to_json({argument}) for each in {value}]"
        elif field.type.many:
            one = f"list({value})"
        elif field.type.by_text:
            one = f"dict({value})"
        else:
            return value
        return f"None if {value} is None else {one}" if field.null else one


def _constant(enum: Enum, place: int) -> str:
    return enum.values[place].text.replace(" ", "_").upper()


def _to_json(forms: _Forms, message: Message, *, hosts: bool, first: str = "") -> Iterator[str]:
    """The method that writes an object."""
    yield ""
    argument = ", host: Callable[[HostT], int | str]" if hosts else ""
    yield f"    def to_json(self{argument}) -> dict[str, Any]:"
    optional = [field for field in message.fields if field.optional and not field.null]
    lines = [first] if first else []
    lines += [f'"{field.name}": {forms.written(field, hosts)},' for field in message.fields if field not in optional]
    body = ["{}"] if not lines else ["{", *(f"    {line}" for line in lines), "}"]
    start = "written: dict[str, Any] = " if optional else "return "
    yield f"        {start}{body[0]}"
    yield from (f"        {line}" for line in body[1:])
    for field in optional:
        differs = "is not" if field.default is None or isinstance(field.default, bool) else "!="
        yield f"        if self.{attribute(field.name)} {differs} {field.default!r}:"
        yield f'            written["{field.name}"] = {forms.written(field, hosts)}'
    if optional:
        yield "        return written"


def _read(forms: _Forms, message: Message, name: str, *, fields: str, first: str = "") -> Iterator[str]:
    yield ""
    yield "    @classmethod"
    yield f'    def read(cls, fields: Fields[{fields}]) -> "{name}":'
    stored = forms.stored(message)
    lines = [*([first] if first else []), *(forms.read(field, stored=stored) for field in message.fields)]
    if not lines:
        yield "        return cls()"
        return
    yield "        return cls("
    yield from lines
    yield "        )"


# ------------------------------------------------------------------------------------------------------------ modules


def _enums(table: Table) -> str:
    lines: list[str] = []
    for enum in table.enums:
        lines += ["", f"class {cpp.camel(enum.name)}(StrEnum):", *_wrapped(f'"""{enum.meaning}"""', "    "), ""]
        for k, value in enumerate(enum.values):
            lines += [*_wrapped(value.meaning, "    # "), f'    {_constant(enum, k)} = "{value.text}"']
        if any(value.words for value in enum.values):
            lines += ["", "", f"{enum.name.upper()}_WORDS = {{"]
            lines += [f'    "{value.text}": "{value.words}",' for value in enum.values]
            lines += ["}", '"""As people read them."""']
        lines.append("")
    return _module("What texts of the agents' protocol may be.", ["from enum import StrEnum"], lines)


def _objects(table: Table) -> str:
    forms, lines = _Forms(table), list[str]()
    # What others consist of comes first in the table.
    for message in table.objects:
        name, generic = cpp.camel(message.name), forms.generic(message)
        lines += ["", DATACLASS, f"class {name}{'(Generic[HostT])' if generic else ''}:", *_doc(message)]
        lines += [forms.declared(field, defaults=True) for field in message.fields]
        if forms.said(message):
            full = f"{name}[HostT]" if generic else name
            lines += _read(forms, message, full, fields="HostT" if generic else "Any")
        if forms.written_down(message):
            lines += _to_json(forms, message, hosts=generic)
        lines.append("")
    imports = [
        "import math",
        "from collections.abc import Callable",
        "from dataclasses import dataclass",
        "from typing import Any, Generic",
        "",
        "from fairlead.protocol.fields import Fields, HostT, flag, many, real, text, whole",
    ]
    return _module("What messages between supervisor and agents consist of.", imports, lines)


def _events(table: Table) -> str:
    forms, lines = _Forms(table), list[str]()
    for message in table.events:
        name = cpp.camel(message.name)
        lines += ["", DATACLASS, f"class {name}(Event[HostT]):", *_doc(message)]
        lines += [f'    TYPE: ClassVar[str] = "{message.name}"', f"    STORED: ClassVar[bool] = {message.stored}"]
        lines += ["", *(forms.declared(field, defaults=True) for field in message.fields)] if message.fields else []
        when = '            t_s=fields.optional("t_s", real),'
        lines += _read(forms, message, f"{name}[HostT]", fields="HostT", first=when)
        lines += [*_to_json(forms, message, hosts=True), ""]
    lines += ["", "EVENTS: tuple[type[Event[Any]], ...] = ("]
    lines += [*(f"    {cpp.camel(each.name)}," for each in table.events), ")", '"""All of them."""']
    imports = [
        "import math",
        "from collections.abc import Callable, Mapping",
        "from dataclasses import dataclass",
        "from typing import Any, ClassVar",
        "",
        "from fairlead.protocol import enums",
        "from fairlead.protocol.fields import (",
        *(f"    {name}," for name in _READERS),
        ")",
        "from fairlead.protocol.messages import Event",
        f"from fairlead.protocol.objects import {_used(table, table.events)}",
    ]
    return _module("Events of agents, and those that the supervisor adds.", imports, lines)


def _used(table: Table, messages: Iterable[Message]) -> str:
    names = {field.type.name for message in messages for field in message.fields}
    return ", ".join(sorted(cpp.camel(each.name) for each in table.objects if each.name in names))


def _answers(table: Table) -> str:
    forms, lines = _Forms(table), list[str]()
    for message in table.answers:
        name = cpp.camel(message.name)
        lines += ["", DATACLASS, f"class {name}(Answer):", *_doc(message)]
        lines += [f'    TYPE: ClassVar[str] = "{message.name}"']
        lines += ["", *(forms.declared(field) for field in message.fields)] if message.fields else []
        lines += [*_read(forms, message, name, fields="Any"), ""]
    imports = [
        "from dataclasses import dataclass",
        "from typing import Any, ClassVar",
        "",
        "from fairlead.protocol import enums",
        "from fairlead.protocol.fields import Fields, anything, choice, many, real, text, whole",
        "from fairlead.protocol.messages import Answer",
        f"from fairlead.protocol.objects import {_used(table, table.answers)}",
    ]
    return _module("Answers of agents.", imports, lines)


def _commands(table: Table) -> str:
    forms, lines = _Forms(table), list[str]()
    for message in table.commands:
        name = cpp.camel(message.name)
        base = f"Command[answers.{cpp.camel(message.answer)}]" if message.answer else "Order"
        lines += ["", DATACLASS, f"class {name}({base}):", *_doc(message)]
        lines += [f'    TYPE: ClassVar[str] = "{message.name}"']
        if message.answer:
            lines.append(f"    ANSWER: ClassVar[type[Answer]] = answers.{cpp.camel(message.answer)}")
        lines += ["", *(forms.declared(field, defaults=True) for field in message.fields)] if message.fields else []
        lines += [*_to_json(forms, message, hosts=False, first='"type": self.TYPE,'), ""]
    imports = [
        "from dataclasses import dataclass, field",
        "from typing import Any, ClassVar",
        "",
        "from fairlead.protocol import answers",
        "from fairlead.protocol.messages import Answer, Command, Order",
        f"from fairlead.protocol.objects import {_used(table, table.commands)}",
    ]
    return _module("What agents are told.", imports, lines)


def _numbers(table: Table) -> str:
    lines: list[str] = []
    for limit in (each for each in table.limits if each.by != "agent"):
        lines += [f"{limit.name.upper()} = {limit.value!r}", f'"""{limit.meaning}"""']
    for message in table.commands:
        for field in message.fields:
            if field.limits is not None and field.type.many:
                lines.append(f"{message.name.upper()}_{field.name.upper()} = {field.limits!r}")
                lines.append(f'"""Least and greatest entry of `{field.name}` of the command `{message.name}`."""')
    for group in table.groups:
        for setting in group.settings:
            if setting.both:
                lines.append(f"{group.name.upper()}_{setting.name.upper()} = {setting.default!r}")
                lines += _wrapped(f'"""Setting `{group.name}.{setting.name}`: {setting.meaning}."""', "")
    return _module("Numbers that supervisor and agents agree upon.", [], lines)


# ----------------------------------------------------------------------------------------------------------- settings


def _settings(table: Table) -> str:
    lines = ["SETTINGS = {"]
    for group in table.groups:
        for each in group.settings:
            at_most = f", {each.at_most!r}" if each.at_most else ""
            lines.append(f'    "{group.name}.{each.name}": Setting({each.default!r}, {each.limits!r}{at_most}),')
    lines += ["}", '"""Every setting of the agents, by name (docs/reference/agent-settings.md)."""']
    imports = ["from fairlead.protocol.setting import Setting"]
    return _module("Defaults and limits of the agents' settings.", imports, lines)
