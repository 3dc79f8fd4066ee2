"""The tables of docs/reference/benchmarks.md, from what benchmarks register."""

import inspect
from collections.abc import Iterator

from fairlead.benchmarks.registration import BENCHMARKS
from scripts.reference import markdown

PAGE = "reference/benchmarks.md"


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
    """The page with its tables."""
    return markdown.filled(text, lambda name: TABLES[name]())
