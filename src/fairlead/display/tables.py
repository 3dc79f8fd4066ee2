"""A table for people and for machines: cells keep their numbers, and know how they are shown."""

import base64
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fairlead.display import words


@dataclass(frozen=True)
class TableCell:
    """One cell: what is shown, and the unrounded value behind it (empty where there is none).

    What is shown as one and has several values, as an interval, has a column of the CSV for each: see `Table`.
    """

    shown: str
    value: str | float | int | tuple[str | float, ...] | None

    @property
    def numeric(self) -> bool:
        """Whether it is set like a number: to the right."""
        return isinstance(self.value, int | float)


def _values(key: str, each: TableCell) -> Sequence[str | float | int]:
    if isinstance(each.value, tuple):
        return each.value
    return [""] * (key.count("|") + 1) if each.value is None else [each.value]


def cell(value: str | float | int | tuple[str | float, ...] | None, shown: str | None = None) -> TableCell:
    """A cell; without ``shown`` it shows the value as it is, and a dash for None."""
    return TableCell(shown if shown is not None else "–" if value is None else str(value), value)


def duration_cell(seconds: float | None, digits: int = 3, *, like_s: float | None = None) -> TableCell:
    """A cell of a time, with its unit as in `words.duration`."""
    return cell(seconds, None if seconds is None else words.duration(seconds, digits, like_s=like_s))


@dataclass(frozen=True)
class Table:
    """Rows under a header. Column names of the CSV carry units; those for people need not.

    A name with bars, ``low|high``, stands for as many columns of the CSV.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]

    def csv(self) -> str:
        """The unrounded values."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.names())
        writer.writerows(self.values())
        return buffer.getvalue()

    def names(self) -> list[str]:
        """Of the columns of the CSV."""
        return [name for key in self.keys for name in key.split("|")]

    def values(self) -> list[list[str | float | int]]:
        """Rows of the CSV; empty texts where there is no value."""
        return [
            [value for key, each in zip(self.keys, row, strict=True) for value in _values(key, each)]
            for row in self.rows
        ]

    def csv_link(self) -> str:
        """The CSV as a data: address, so that the page needs no second file."""
        return "data:text/csv;base64," + base64.b64encode(self.csv().encode()).decode()

    def split(self, rows: int) -> tuple["Table", "Table"]:
        """The first rows, and the others."""
        return replace(self, rows=self.rows[:rows]), replace(self, rows=self.rows[rows:])

    def numeric(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return self._numeric_columns[column]

    @cached_property
    def _numeric_columns(self) -> tuple[bool, ...]:
        return tuple(any(row[k].numeric for row in self.rows) for k in range(len(self.columns)))


def table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[TableCell]]) -> Table:
    """A table from (shown name, CSV name) pairs and rows of the same length."""
    wrong = [row for row in rows if len(row) != len(columns)]
    if wrong:
        raise ValueError(f"{len(wrong)} rows do not have {len(columns)} cells")
    return Table(tuple(c[0] for c in columns), tuple(c[1] for c in columns), tuple(tuple(row) for row in rows))
