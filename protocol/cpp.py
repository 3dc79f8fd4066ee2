"""Pieces of C++ that all generated sources are made of."""

import textwrap
from collections.abc import Iterable, Sequence

from protocol.table import Number

WIDTH = 120
HEAD = (
    "// SPDX-License-Identifier: Apache-2.0\n"
    "// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.\n"
    "// clang-format off\n"
)


def comment(text: str, indent: str = "", mark: str = "///") -> list[str]:
    """Comment lines above what they are about; none for an empty text."""
    lead = f"{indent}{mark} "
    return textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=lead,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    )


def number(value: bool | Number) -> str:
    """A literal; reals have a point or an exponent."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def camel(name: str) -> str:
    """`relay_counts` as `RelayCounts`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def source(lines: Iterable[str]) -> str:
    """A whole file."""
    return HEAD + "\n".join(lines) + "\n"


def header(includes: Sequence[str], namespace: str, lines: Iterable[str]) -> str:
    """A whole header."""
    before = ["#pragma once", "", *includes, *([""] if includes else []), f"namespace {namespace} {{", ""]
    return source([*before, *lines, f"}}  // namespace {namespace}"])
