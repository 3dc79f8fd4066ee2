"""``fairlead report --json`` of benchmarks: findings and tables for machines, a contract (`fairlead.contract`)."""

import math
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from fairlead.contract import Document, Finite, Part
from fairlead.display.tables import Table
from fairlead.report.figures import Drawing

SCHEMA_VERSION = "1.0"
SCHEMA_FILE = Path(__file__).with_name("benchmarks.schema.json")


class TableValues(Part):
    """A table: ``rows`` have a value for each of ``columns``, whose names carry units; null where there is none."""

    name: str
    title: str
    columns: list[str]
    rows: list[list[str | int | Finite | None]]


class Benchmarks(Document):
    """The whole text. ``tables``: of each figure of the page, by its name. ``comparison``: ratios to the system that
    is the ``baseline``; null of a single system."""

    schema_name: str = Field(alias="schema", default="fairlead.benchmarks")
    schema_version: str = SCHEMA_VERSION
    systems: list[str]
    baseline: str | None
    findings: list[str]
    tables: list[TableValues]
    comparison: TableValues | None


def of(
    systems: Sequence[str],
    findings: Sequence[str],
    drawn: Sequence[Drawing],
    baseline: str | None,
    compared: Table,
) -> Benchmarks:
    """What the page says of these systems, of which ``compared`` holds the others against the baseline."""
    return Benchmarks(
        systems=list(systems),
        baseline=baseline,
        findings=list(findings),
        tables=[_values(each.name, each.title, each.table) for each in drawn if each.table.rows],
        comparison=None if baseline is None else _values("comparison", f"Over {baseline}", compared),
    )


def _values(name: str, title: str, table: Table) -> TableValues:
    rows = [[_value(value) for value in row] for row in table.values()]
    return TableValues(name=name, title=title, columns=table.names(), rows=rows)


def _value(value: str | float | int) -> str | float | int | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if value == "" else value
