"""Sources of native/agent: structs of what an agent says and is told, their JSON, and limits."""

import textwrap
from collections.abc import Iterable, Iterator

from protocol import cpp
from protocol.table import Field, Message, Table, Type, plain

FOLDER = "native/agent/generated"
SAID = {
    "real": ("double", " = 0.0"), "whole": ("std::uint64_t", " = 0"), "flag": ("bool", " = false"),
    "text": ("std::string", ""), "json": ("nlohmann::json", ""), "sharing": ("core::SharingRelation", "{0}"),
    "host": ("core::HostId", " = core::kNoHost"), "index": ("core::HostId", " = core::kNoHost"),
    "peer": ("core::HostId", " = core::kNoHost"),
}  # fmt: skip
BIGGEST_32 = 2**32 - 1


def files(table: Table) -> dict[str, str]:
    """By path in the tree."""
    events = [each for each in table.events if each.by == "agent"]
    return {
        f"{FOLDER}/events.hpp": _said_header(table, events, "Event"),
        f"{FOLDER}/events.cpp": _said_source(table, events, "Event"),
        f"{FOLDER}/answers.hpp": _said_header(table, table.answers, "Answer"),
        f"{FOLDER}/answers.cpp": _said_source(table, table.answers, "Answer"),
        f"{FOLDER}/commands.hpp": _commands_header(table),
        f"{FOLDER}/commands.cpp": _commands_source(table),
        f"{FOLDER}/numbers.hpp": _numbers(table),
    }


# ------------------------------------------------------------------------------------------------------------- structs


def _objects(table: Table, messages: Iterable[Message]) -> list[Message]:
    """What the messages consist of, parts before wholes."""
    found: list[Message] = []
    for message in messages:
        for field in message.fields:
            part = next((each for each in table.objects if each.name == field.type.name), None)
            if part is not None and part not in found:
                found += [each for each in (*_objects(table, [part]), part) if each not in found]
    return found


def _type(table: Table, field: Field) -> tuple[str, str]:
    """Type of a member, and how it begins."""
    if field.raw:
        return SAID["json"]
    enum = table.enum(field.values or field.type.name)
    if enum is not None and enum.cpp and not field.type.by_text:
        name = enum.cpp.removeprefix("agent::")
        one, start = name, f" = {name}::{enum.values[0].cpp}"
    elif field.type.name in SAID:
        one, start = SAID[field.type.name]
        if field.type == Type("whole", False, False) and field.limits is not None and field.limits[1] <= BIGGEST_32:
            one = "std::uint32_t"
    else:
        one, start = cpp.camel(field.type.name), ""
    if field.type.many:
        one, start = f"std::vector<{one}>", ""
    elif field.type.by_text:
        one, start = f"std::map<std::string, {one}>", ""
    if field.is_nothing and field.type.name not in ("host", "json"):
        return f"std::optional<{one}>", ""
    return one, start if field.default is None else f" = {cpp.number(field.default)}"


def _struct(table: Table, message: Message, name: str, *, identified: bool = False) -> Iterator[str]:
    yield from cpp.comment(message.meaning)
    yield f"struct {name} {{"
    limited = [field for field in message.fields if field.limits is not None]
    for field in limited:
        yield f"    static constexpr {_limits(field)} {field.name}_limits{{{_range(field)}}};"
    yield from [""] if limited else []
    if identified:
        yield "    std::int64_t id = 0;"
    for field in message.fields:
        if field.type.name == "secret":
            continue
        yield from cpp.comment(plain(field.meaning) + (f" [{field.unit}]" if field.unit else ""), "    ")
        type_, start = _type(table, field)
        yield f"    {type_} {field.name}{start or '{}'};"
    yield "};"
    yield ""


def _limits(field: Field) -> str:
    return "WholeLimits" if field.type.name == "whole" else "RealLimits"


def _range(field: Field) -> str:
    assert field.limits is not None
    return ", ".join(cpp.number(each if field.type.name == "whole" else float(each)) for each in field.limits)


# ---------------------------------------------------------------------------------------------- what an agent says


def _said_header(table: Table, messages: Iterable[Message], kind: str) -> str:
    kept = list(messages)
    json = "json.hpp" if kind == "Answer" else "json_fwd.hpp"
    includes = ["#include <cstdint>", "#include <map>", f"#include <nlohmann/{json}>", "#include <optional>",
                "#include <string>", "#include <variant>", "#include <vector>", "",
                '#include "fairlead/core/types.hpp"', '#include "generated/enums.hpp"']  # fmt: skip
    lines: list[str] = []
    for part in _objects(table, kept):
        lines += _struct(table, part, cpp.camel(part.name))
    names = [cpp.camel(message.name) + kind for message in kept]
    for message, name in zip(kept, names, strict=True):
        lines += _struct(table, message, name, identified=message.identified)
    lines += [
        *_variant(kind, names),
        "",
        "/// As the supervisor gets it.",
        f"nlohmann::json line_of(const {kind}& said);",
        "",
    ]
    return cpp.header(includes, "fairlead::agent", lines)


def _said_source(table: Table, messages: Iterable[Message], kind: str) -> str:
    kept = list(messages)
    lines = [f'#include "generated/{kind.lower()}s.hpp"', "", "#include <nlohmann/json.hpp>", ""]
    lines += ["namespace fairlead::agent {", "namespace {", "", "using nlohmann::json;", ""]
    fields = [field for each in (*_objects(table, kept), *kept) for field in each.fields]
    if any(field.type.name == "host" and field.null for field in fields):
        lines += ["json host_or_null(core::HostId host) {",
                  "    return host == core::kNoHost ? json(nullptr) : json(host);", "}", ""]  # fmt: skip
    lines += ["}  // namespace", ""]
    for part in _objects(table, kept):
        lines += _to_json(table, part, cpp.camel(part.name), [])
    for message in kept:
        first = [f'    line["type"] = "{message.name}";']
        first += ['    line["id"] = said.id;'] if message.identified else []
        lines += _to_json(table, message, cpp.camel(message.name) + kind, first)
    lines += [f"json line_of(const {kind}& said) {{"]
    lines += ["    return std::visit([](const auto& each) { return json(each); }, said);", "}", ""]
    return cpp.source([*lines, "}  // namespace fairlead::agent"])


def _to_json(table: Table, message: Message, name: str, first: Iterable[str]) -> Iterator[str]:
    said = " said" if message.fields or message.identified else ""
    yield f"void to_json(json& line, const {name}&{said}) {{"
    yield from first
    for field in message.fields:
        value = f"said.{field.name}"
        enum = table.enum(field.values or field.type.name)
        if enum is not None and enum.cpp and not field.type.by_text:
            yield f'    line["{field.name}"] = name({value});'
        elif field.optional:
            yield f'    if ({value}) line["{field.name}"] = *{value};'
        elif field.null and field.type.name == "host":
            yield f'    line["{field.name}"] = host_or_null({value});'
        elif field.null and field.type.name != "json":
            yield f'    line["{field.name}"] = {value} ? json(*{value}) : json(nullptr);'
        else:
            yield f'    line["{field.name}"] = {value};'
    yield "}"
    yield ""


# -------------------------------------------------------------------------------------------- what an agent is told


def _variant(name: str, kinds: Iterable[str]) -> list[str]:
    lead = f"using {name} = std::variant<"
    return textwrap.wrap(f"{lead}{', '.join(kinds)}>;", cpp.WIDTH, subsequent_indent=" " * len(lead))


def _commands_header(table: Table) -> str:
    includes = ["#include <cstdint>", "#include <nlohmann/json.hpp>", "#include <optional>", "#include <string>",
                "#include <variant>", "#include <vector>", "", '#include "fairlead/core/sharing.hpp"',
                '#include "fairlead/core/types.hpp"', '#include "json/json_fields.hpp"']  # fmt: skip
    lines: list[str] = []
    parts = [*_objects(table, table.commands)]
    for part in parts:
        lines += _struct(table, part, cpp.camel(part.name))
    for message in table.commands:
        lines += _struct(table, message, cpp.camel(message.name) + "Command", identified=bool(message.answer))
    names = [cpp.camel(each.name) + "Command" for each in table.commands if each.name != "config"]
    lines += ["/// What comes after the configuration.", *_variant("Command", names), ""]
    lines += ["/// The agent that a message comes to: hosts are checked against this.", "struct Receiver {"]
    lines += ["    core::HostId self = 0;", "    core::HostId host_count = 0;", "};", ""]
    lines += ["/// Each throws ProtocolError where the object is not as it must be."]
    lines += ["ConfigCommand read_config(const nlohmann::json& object);"]
    lines += ["Manage read_manage(const nlohmann::json& object, const std::string& what, Receiver receiver);"]
    lines += ["/// `type`: the object's."]
    lines += ["Command read_command(const std::string& type, const nlohmann::json& object, Receiver receiver);", ""]
    return cpp.header(includes, "fairlead::agent", lines)


_PEER = """/// Any host but the agent's own.
core::HostId peer_in(const json& value, const std::string& what, Receiver receiver) {
    const auto peer = static_cast<core::HostId>(whole_in(value, what, 0, receiver.host_count - 1));
    if (peer == receiver.self) throw ProtocolError(what + " must be another host than the agent's own");
    return peer;
}
"""


def _commands_source(table: Table) -> str:
    lines = ['#include "generated/commands.hpp"', "", "#include <limits>", "", '#include "json/shares.hpp"', ""]
    lines += ["namespace fairlead::agent {", "namespace {", "", "using nlohmann::json;", ""]
    lines += ["constexpr std::int64_t kMaxId = std::numeric_limits<std::int64_t>::max();", "", *_PEER.split("\n")]
    public: list[str] = []
    for part in _objects(table, table.commands):
        name = cpp.camel(part.name)
        receiver = ", Receiver receiver" if any(_asks_receiver(field) for field in part.fields) else ""
        head = f"{name} read_{part.name}(const json& object, const std::string& what{receiver}) {{"
        (public if part.name == "manage" else lines).extend([head, *_read(table, part, name, "what", [])])
    for message in table.commands:
        if not (message.fields or message.answer):
            continue
        name = cpp.camel(message.name) + "Command"
        receiver = ", Receiver receiver" if any(_asks_receiver(field) for field in message.fields) else ""
        head = f"{name} read_{message.name}(const json& object{receiver}) {{"
        known = ["type", "id"] if message.answer else ["type"]
        (public if message.name == "config" else lines).extend(
            [head, *_read(table, message, name, cpp.quoted(message.name), known)]
        )
    lines += ["}  // namespace", "", *public, *_dispatch(table)]
    return cpp.source([*lines, "}  // namespace fairlead::agent"])


def _asks_receiver(field: Field) -> bool:
    return field.type.name in ("peer", "sharing")


def _dispatch(table: Table) -> Iterator[str]:
    yield "Command read_command(const std::string& type, const json& object, Receiver receiver) {"
    for message in table.commands:
        if message.name == "config":
            continue
        receiver = ", receiver" if any(_asks_receiver(field) for field in message.fields) else ""
        empty = f"{cpp.camel(message.name)}Command{{}}"
        read = f"read_{message.name}(object{receiver})" if message.fields or message.answer else empty
        yield f'    if (type == "{message.name}") return {read};'
    yield '    throw ProtocolError("the command \'" + type + "\' is unknown");'
    yield "}"
    yield ""


def _read(table: Table, message: Message, name: str, what: str, first: list[str]) -> Iterator[str]:
    known = ", ".join(cpp.quoted(each) for each in (*first, *(field.name for field in message.fields)))
    lead = f"    const JsonFields fields(object, {what}, {{"
    yield from textwrap.wrap(f"{lead}{known}}});", cpp.WIDTH, subsequent_indent=" " * len(lead))
    yield f"    {name} read;"
    if "id" in first:
        yield '    read.id = fields.whole("id", 0, kMaxId);'
    for field in message.fields:
        if field.type.name != "secret":
            yield from (f"    {line}" for line in _read_field(table, field, name))
        if field.differs:
            other = cpp.quoted(f"another host than '{field.differs}'")
            yield f'    if (read.{field.name} == read.{field.differs}) fields.fail("{field.name}", {other});'
    yield "    return read;"
    yield "}"
    yield ""


def _read_field(table: Table, field: Field, owner: str) -> Iterator[str]:
    """Statements that read one field into `read`."""
    key, target = cpp.quoted(field.name), f"read.{field.name}"
    if field.raw:
        yield f"{target} = fields.any({key});"
        yield f'if (!{target}.is_null() && !{target}.is_object()) fields.fail({key}, "null or an object");'
        return
    test = ""
    if field.optional:
        test = f"fields.given({key})" if field.null else f"fields.has({key})"
    elif field.null and field.type.name != "json":
        test = f"!fields.any({key}).is_null()"
    if field.type.many:
        low, high = field.length or (0, 0)
        one = _one(field, owner, "each", f"fields.entry({key})")
        loop = f"for (const json& each : fields.list({key}, {low}, {high}))"
        if not test:
            yield from [f"{loop} {{", f"    {target}.push_back({one});", "}"]
            return
        yield from [f"if ({test}) {{", f"    {target}.emplace();", f"    {loop} {{"]
        yield from [f"        {target}->push_back({one});", "    }", "}"]
        return
    yield from _when(test, f"{target} = {_value(table, field, owner, key)};")


def _when(test: str, statement: str) -> list[str]:
    if not test:
        return [statement]
    line = f"if ({test}) {statement}"
    return [line] if len(line) + 4 <= cpp.WIDTH else [f"if ({test}) {{", f"    {statement}", "}"]


def _value(table: Table, field: Field, owner: str, key: str) -> str:
    limits = f"{owner}::{field.name}_limits"
    match field.type.name:
        case "real":
            return f"fields.number({key}, {limits})"
        case "whole":
            type_ = _type(table, field)[0].removeprefix("std::optional<").rstrip(">")
            return f"fields.whole<{type_}>({key}, {limits})"
        case "text":
            assert field.length is not None
            return f"fields.text({key}, {field.length[0]}, {field.length[1]})"
        case "flag":
            return f"fields.flag({key})"
        case "json":
            return f"fields.any({key})"
        case "peer":
            return f"peer_in(fields.any({key}), fields.name({key}), receiver)"
        case "sharing":
            return f"parse_shares(fields.any({key}), receiver.host_count, fields.name({key}))"
    receiver = ", receiver" if any(_asks_receiver(each) for each in table.object(field.type.name).fields) else ""
    return f"read_{field.type.name}(fields.any({key}), fields.within({key}){receiver})"


def _one(field: Field, owner: str, entry: str, what: str) -> str:
    """An entry of a list."""
    match field.type.name:
        case "whole":
            return f"whole_in<std::uint64_t>({entry}, {what}, {owner}::{field.name}_limits)"
        case "peer":
            return f"peer_in({entry}, {what}, receiver)"
        case "text":
            return f"text_in({entry}, {what})"
    return f'read_{field.type.name}({entry}, fields.at("{field.name}", read.{field.name}.size()))'


def _numbers(table: Table) -> str:
    lines: list[str] = []
    for limit in (each for each in table.limits if each.by != "supervisor"):
        type_ = "std::size_t" if isinstance(limit.value, int) else "double"
        stem, _, unit = limit.name.rpartition("_")
        lines += [*cpp.comment(limit.meaning)]
        lines += [f"inline constexpr {type_} k{cpp.camel(stem)}_{unit} = {limit.value!r};", ""]
    return cpp.header(["#include <cstddef>"], "fairlead::agent", lines)
