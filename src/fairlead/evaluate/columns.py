"""Published or foreign results: a CSV file and a map of its columns become an evaluation of the store."""

import csv
import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from fairlead.config import Model
from fairlead.errors import ConfigError
from fairlead.evaluate.dataset import KIND, ROW
from fairlead.evaluate.settings import Report
from fairlead.store import Attachment, Label, Series, Store


class DatasetTable(Model):
    """The data set as a whole."""

    name: str = Field(min_length=1)
    """Name in the store."""
    source: str = ""
    """Where the numbers come from."""
    missing: tuple[str, ...] = ()
    """Texts that stand for a missing sample. Any other text that is not a number is an error."""


class ValueColumn(Model):
    """A column of samples. The first table is the main value."""

    column: str
    """Name of the column."""
    unit: str
    """Unit in the store: s, B, bit/s, B/s, 1 or count."""
    scale: float = Field(default=1.0, gt=0)
    """The file's numbers times this are in ``unit``."""


class ColumnMap(Model):
    """A whole map: which column of a CSV file is which factor and value."""

    dataset: DatasetTable
    """The data set as a whole."""
    factors: dict[str, str] = Field(min_length=1)
    """Column of each factor, by the factor's name."""
    values: dict[str, ValueColumn] = Field(min_length=1)
    """Columns of samples, by the value's name."""
    where: dict[str, str] = Field(default_factory=dict)
    """Text by column: only rows with these texts are read."""
    empty: str = "none"
    """Name of the level of a factor whose column is empty."""
    report: Report = Report()
    """What the report compares."""


@dataclass(frozen=True)
class Imported:
    """What came in: rows read, of which ``missing`` samples were marked as not there, and combinations of levels."""

    run: int
    rows: int
    cells: int
    missing: int


@dataclass(frozen=True)
class _Content:
    rows: Sequence[Mapping[str, str]]
    lines: Sequence[int]


def import_csv(store: Store, file: Path, columns: ColumnMap) -> Imported:
    """Put a file's samples into the store; the file itself is attached, so that every number can be traced.

    Raises:
        ConfigError: it cannot be read, lacks a column, or a sample is no number; the message names the line.
    """
    text = _read(file)
    content = _rows(file, text, columns)
    levels = {name: _levels([row[column] for row in content.rows], columns) for name, column in columns.factors.items()}
    complaint = columns.report.complaint({name: tuple(dict.fromkeys(found)) for name, found in levels.items()})
    if complaint:
        raise ConfigError(f"{file}: {complaint}", hint="correct the [report] table of the map of columns")
    parsed = {name: _numbers(file, content, column, columns) for name, column in columns.values.items()}
    cells: dict[tuple[Label, ...], list[int]] = {}
    for index, key in enumerate(zip(*levels.values(), strict=True)):
        cells.setdefault(key, []).append(index)
    labels = {"name": columns.dataset.name, "origin": "imported"}
    run = store.begin_run(KIND, labels, plan=columns.model_dump(mode="json"), facts=_facts(file, text, columns))
    store.attach(run, "samples.csv", text.encode())
    for position, (key, indices) in enumerate(cells.items()):
        series = [_series(name, columns.values[name].unit, numbers[indices]) for name, numbers in parsed.items()]
        named = dict(zip(columns.factors, key, strict=True))
        store.record(
            ROW,
            named,
            parent=run,
            plan=named,
            started_s=time.time(),
            position=position,
            series=[each for each in series if each.values.size],
            attachments=[Attachment("lines", "\n".join(str(content.lines[k]) for k in indices).encode())],
        )
    store.finish_run(run)
    missing = sum(int(np.isnan(numbers).sum()) for numbers in parsed.values())
    return Imported(run, len(content.rows), len(cells), missing)


def _facts(file: Path, text: str, columns: ColumnMap) -> dict[str, Any]:
    return {
        "factors": list(columns.factors),
        "series": {name: value.unit for name, value in columns.values.items()},
        "value": next(iter(columns.values)),
        "file": file.name,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "source": columns.dataset.source,
    }


def _series(name: str, unit: str, numbers: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Series:
    return Series(name, unit, {}, numbers[~np.isnan(numbers)])


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: is no UTF-8 text: {error}") from error


def _rows(file: Path, text: str, columns: ColumnMap) -> _Content:
    reader = csv.DictReader(text.splitlines())
    known = list(reader.fieldnames or ())
    needed = [*columns.factors.values(), *(value.column for value in columns.values.values()), *columns.where]
    for column in needed:
        if column not in known:
            raise ConfigError(
                f"{file}:1: there is no column {column!r}", hint=f"its columns: {', '.join(known) or 'none'}"
            )
    rows, lines = [], []
    for row in reader:
        if None in row or None in row.values():
            raise ConfigError(f"{file}:{reader.line_num}: has not {len(known)} columns as the first line")
        if all(row[column] == value for column, value in columns.where.items()):
            rows.append(row)
            lines.append(reader.line_num)
    if not rows:
        raise ConfigError(f"{file}: holds no row" + (" that the map's [where] keeps" if columns.where else ""))
    return _Content(rows, lines)


def _levels(texts: Sequence[str], columns: ColumnMap) -> list[Label]:
    """Levels of one column: whole numbers if all are, else texts; an empty one has the name the map gives it."""
    try:
        return [int(text) for text in texts]
    except ValueError:
        return [text.strip() or columns.empty for text in texts]


def _numbers(
    file: Path, content: _Content, value: ValueColumn, columns: ColumnMap
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Samples of one column, NaN where the map says that there is none."""
    numbers = np.empty(len(content.rows))
    for index, row in enumerate(content.rows):
        text = row[value.column].strip()
        if text in columns.dataset.missing:
            numbers[index] = math.nan
            continue
        try:
            numbers[index] = float(text) * value.scale
        except ValueError:
            numbers[index] = math.nan
        if not math.isfinite(numbers[index]):
            raise ConfigError(
                f"{file}:{content.lines[index]}: {value.column}: {text!r} is no number",
                hint="texts that stand for a sample that is not there are listed in the map: dataset.missing",
            )
    return numbers
