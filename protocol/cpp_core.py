"""Sources of native/core: the settings of the decisions, and enumerations of both core and agent."""

from protocol import cpp
from protocol.table import Enum, Group, Setting, Table

INCLUDE = "native/core/include/fairlead/core/generated"


def files(table: Table) -> dict[str, str]:
    """By path in the tree."""
    return {
        f"{INCLUDE}/enums.hpp": _enums(table, "core"),
        f"{INCLUDE}/setting_groups.hpp": _groups(table),
        "native/core/src/generated/setting_rows.inc": _rows(table),
        "native/agent/generated/enums.hpp": _enums(table, "agent"),
    }


def _enums(table: Table, namespace: str) -> str:
    lines: list[str] = []
    for each in table.enums:
        if each.cpp.startswith(f"{namespace}::"):
            lines += [*_enum(each, each.cpp.removeprefix(f"{namespace}::")), ""]
    return cpp.header(["#include <cstdint>", "#include <string_view>"], f"fairlead::{namespace}", lines)


def _enum(enum: Enum, name: str) -> list[str]:
    lines = [*cpp.comment(enum.meaning), f"enum class {name} : std::uint8_t {{"]
    for value in enum.values:
        lines += [*cpp.comment(value.meaning, "    "), f"    {value.cpp},"]
    lines += ["};", "", f"constexpr std::string_view name({name} value) {{", "    switch (value) {"]
    for value in enum.values:
        lines += [f"        case {name}::{value.cpp}:", f"            return {cpp.quoted(value.text)};"]
    return [*lines, "    }", '    return "unknown";', "}"]


def _type(group: Group) -> str:
    return cpp.camel(group.name.removesuffix("s")) + "Settings"


def _groups(table: Table) -> str:
    lines: list[str] = []
    for group in table.groups:
        lines += [*cpp.comment(group.meaning), f"struct {_type(group)} {{"]
        for each in group.settings:
            kind = "int" if each.whole else "double"
            lines += cpp.comment(each.meaning, "    ")
            lines.append(f"    {kind} {each.name} = {cpp.number(each.default)};")
        lines += ["};", ""]
    lines += ["struct Settings {"]
    lines += [f"    {_type(group)} {group.name};" for group in table.groups]
    return cpp.header([], "fairlead::core", [*lines, "};", ""])


def _rows(table: Table) -> str:
    return cpp.source(_row(group, each) for group in table.groups for each in group.settings)


def _row(group: Group, setting: Setting) -> str:
    name = cpp.quoted(f"{group.name}.{setting.name}")
    low, high = (cpp.number(float(each)) for each in setting.limits)
    member = f"<&Settings::{group.name}, &{_type(group)}::{setting.name}>"
    access = f"nullptr, &whole{member}" if setting.whole else f"&real{member}, nullptr"
    return f"{{{name}, {cpp.quoted(setting.unit)}, {low}, {high},\n {access}, {cpp.quoted(setting.at_most)}}},"
