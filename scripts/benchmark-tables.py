#!/usr/bin/env python3
"""Writes the tables of docs/reference/benchmarks.md from what benchmarks register.

    .venv/bin/python scripts/benchmark-tables.py

Each table stands between ``<!-- table NAME -->`` and ``<!-- end -->``.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from fairlead.benchmarks.registration import BENCHMARKS

DOCUMENT = Path(__file__).parent.parent / "docs" / "reference" / "benchmarks.md"


def benchmarks() -> Iterator[tuple[str, ...]]:
    """What each subcommand measures, and whether it is a part of `all`."""
    yield "benchmark", "measures", "in `all`"
    for each in BENCHMARKS:
        if each.command is not None:
            first = inspect.getdoc(each.command) or ""
            yield f"`{each.name}`", first.split("\n")[0].rstrip("."), "yes" if each.share else ""


def compared() -> Iterator[tuple[str, ...]]:
    """By which figure systems are compared."""
    yield "benchmark", "figure", "interval over"
    for each in BENCHMARKS:
        if each.compared:
            name = f"`{each.name}`" if each.command is not None else f"{each.name} files"
            yield name, each.compared, each.interval_over


TABLES = {"benchmarks": benchmarks, "compared": compared}


def written(text: str) -> str:
    """The document with its tables."""

    def table(found: re.Match[str]) -> str:
        head, *rows = [f"| {' | '.join(row)} |" for row in TABLES[found[1]]()]
        rule = "|" + "---|" * (head.count("|") - 1)
        return "\n".join([f"<!-- table {found[1]} -->", head, rule, *rows, "<!-- end -->"])

    return re.sub(r"<!-- table (\w+) -->.*?<!-- end -->", table, text, flags=re.DOTALL)


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
