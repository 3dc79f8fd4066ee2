"""Published or foreign results: a CSV file and a map of its columns become an evaluation of the store.

Everything is checked before the first row is written: a file that is refused leaves the store as it was.
"""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.analysis.evaluations import joined
from fairlead.analysis.evaluations.dataset import EXCLUDED, IMPUTED, KIND, ROW, ROWS
from fairlead.analysis.evaluations.settings import ReportSettings
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.published import foreign_rows
from fairlead.published.column_map import ColumnMap, MapSource, ValueColumn, columns_of, matches
from fairlead.published.foreign_rows import Content, ForeignRow
from fairlead.store import Attachment, Label, Series, Store

__all__ = ["ColumnMap", "ImportedRows", "MapSource", "import_csv", "prepare", "put"]

_COUNTED = ""
"""Kind of the rows that are not set aside."""
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class ImportedRows:
    """What came in.

    Attributes:
        rows: read, with those that are set aside.
        cells: combinations of levels.
        missing: samples that were marked as not there, without those of excluded rows.
        aside: rows set aside, by kind.
        joined: factors that are a function of another, with that.
    """

    run: int
    rows: int
    cells: int
    missing: int
    aside: Mapping[str, int] = field(default_factory=dict)
    joined: Mapping[str, str] = field(default_factory=dict)

    def describe(self, name: str, results: Path) -> list[str]:
        """Lines for people."""
        counted = [words.count(self.rows, "row") + f" in {words.count(self.cells, 'cell')}"]
        if self.missing:
            counted.append(f"{words.count(self.missing, 'sample')} marked as missing")
        counted += [f"{count} {kind}, set aside" for kind, count in self.aside.items()]
        return [
            f"{name}: {', '.join(counted)}; run {self.run} in {results}",
            *(f"{each} is a function of {other}: joined with it" for each, other in self.joined.items()),
        ]


@dataclass(frozen=True)
class Prepared:
    """A file, checked: of every row its kind, levels by factor, numbers by value (NaN: missing)."""

    file: Path
    columns: ColumnMap
    content: Content
    rows: Sequence[ForeignRow]
    kinds: Sequence[str]
    levels: Mapping[str, Sequence[Label]]
    numbers: Mapping[str, "np.ndarray[tuple[int], np.dtype[np.float64]]"]
    joined: Mapping[str, str]
    report: ReportSettings


def import_csv(store: Store, file: Path, columns: ColumnMap) -> ImportedRows:
    """`prepare` and `put` at once."""
    return put(store, prepare(file, columns))


def put(store: Store, prepared: Prepared) -> ImportedRows:
    """Put a file's samples into the store; the file itself is attached, so that every number can be traced."""
    columns = prepared.columns
    cells: dict[tuple[Label, ...], list[int]] = {}
    for index, key in enumerate(zip(*prepared.levels.values(), strict=True)):
        cells.setdefault(key, []).append(index)
    labels = {"name": columns.dataset.name, "origin": "imported"}
    plan = {**columns.model_dump(mode="json"), "report": prepared.report.model_dump(mode="json")}
    run = store.begin_run(KIND, labels, plan=plan, facts=_facts(prepared))
    store.attach(run, "samples.csv", prepared.content.data)
    for position, (key, indices) in enumerate(cells.items()):
        named = dict(zip(prepared.levels, key, strict=True))
        store.record(
            ROW,
            named,
            parent=run,
            plan=named,
            started_s=time.time(),
            position=position,
            series=_series(prepared, indices),
            attachments=_lines(prepared, indices),
        )
    store.finish_run(run)
    used = np.array([kind != EXCLUDED for kind in prepared.kinds])
    missing = sum(int(np.isnan(numbers[used]).sum()) for numbers in prepared.numbers.values())
    aside = {kind: prepared.kinds.count(kind) for kind in (IMPUTED, EXCLUDED) if kind in prepared.kinds}
    return ImportedRows(run, len(prepared.rows), len(cells), missing, aside, prepared.joined)


def prepare(file: Path, columns: ColumnMap, source: MapSource | None = None) -> Prepared:
    """Read and check a file.

    Args:
        source: where the map comes from, for complaints about it.

    Raises:
        ConfigError: the file cannot be read, lacks a column, has a column or a row twice, or a sample is no number or
            a time of 0 or less; the message names the line.
    """
    source = source or MapSource()
    for location, reason in columns.units_that_names_deny().items():
        raise source.complaint(location, reason, hint="`scale` converts; or give the value another name")
    for location, reason in columns.values_without_direction().items():
        raise source.complaint(location, reason, hint='add better = "lower" or better = "higher"')
    content = foreign_rows.read(file)
    _check_columns(file, content, columns, source)
    rows = [row for row in content.rows if not columns.where or matches(row.texts, columns.where)]
    if not rows:
        raise source.complaint(("where",), f"{file}: no row has these values", hint=_seen(content, columns.where))
    kinds = [_kind(row, columns) for row in rows]
    _refuse_doubled(file, [row for row, kind in zip(rows, kinds, strict=True) if kind != EXCLUDED], columns)
    for kind, where in ((IMPUTED, columns.imputed_where), (EXCLUDED, columns.exclude_where)):
        if where and kind not in kinds:
            key = "imputed_where" if kind == IMPUTED else "exclude_where"
            raise source.complaint((key,), f"{file}: no row has these values", hint=_seen(content, where))
    if _COUNTED not in kinds:
        raise source.complaint(("dataset",), f"{file}: all rows are set aside", hint="see imputed_where, exclude_where")
    levels = {name: _levels(rows, columns_of(each), columns.empty) for name, each in columns.factors.items()}
    numbers = {name: _numbers(file, rows, kinds, value, columns) for name, value in columns.values.items()}
    _refuse_empty(file, rows, kinds, numbers, source)
    together = joined.find(levels)
    report = joined.report_of(columns.report, together, levels)
    complaint = report.complaint({name: tuple(dict.fromkeys(found)) for name, found in levels.items()})
    if complaint:
        key, _, reason = complaint.partition(": ")
        raise source.complaint(tuple(key.split(".")), reason, hint="correct the map of columns")
    return Prepared(file, columns, content, rows, kinds, levels, numbers, together, report)


def _check_columns(file: Path, content: Content, columns: ColumnMap, source: MapSource) -> None:
    for location, column in columns.named_columns().items():
        if column not in content.columns:
            known = ", ".join(content.columns)
            hint = f"its columns: {known}"
            if len(content.columns) == 1 and any(mark in known for mark in ";\t"):
                hint += "; columns must be separated by commas"
            raise source.complaint(location, f"{file}:1: there is no column {column!r}", hint=hint)


def _kind(row: ForeignRow, columns: ColumnMap) -> str:
    if matches(row.texts, columns.exclude_where):
        return EXCLUDED
    return IMPUTED if matches(row.texts, columns.imputed_where) else _COUNTED


def _refuse_doubled(file: Path, rows: Sequence[ForeignRow], columns: ColumnMap) -> None:
    """A row that is there twice was pasted twice; where runs are numbered, a number stands once in a cell."""
    replicate, table = columns.dataset.replicate, columns.dataset
    factors = [column for each in columns.factors.values() for column in columns_of(each)]
    seen: dict[tuple[str, ...], int] = {}
    twice: list[tuple[int, int]] = []
    for row in rows:
        key = tuple(row.texts.values()) if replicate is None else tuple(row.texts[c] for c in (*factors, replicate))
        first = seen.setdefault(key, row.line)
        if first != row.line:
            twice.append((row.line, first))
    if not twice or (replicate is None and table.equal_rows == "keep"):
        return
    line, first = twice[0]
    what = "is the same row as" if replicate is None else f"has the {replicate} and the levels of"
    others = foreign_rows.describe([each for each, _ in twice])
    many = f"; {len(twice)} rows are there twice: {others}" if len(twice) > 1 else ""
    way_out = (
        "remove them, name the column that numbers the runs (dataset.replicate), or say that equal rows are samples "
        'of their own (dataset.equal_rows = "keep")'
        if replicate is None
        else "remove them, or correct dataset.replicate in the map of columns"
    )
    raise ConfigError(f"{file}:{line}: {what} line {first}{many}", hint=way_out)


def _levels(rows: Sequence[ForeignRow], columns: Sequence[str], empty: str) -> list[Label]:
    """Levels of one factor: whole numbers if all are, else texts; of several columns their texts together.

    An empty cell is a level, with the name that the map gives it.
    """
    texts = [", ".join(row.texts[column] or empty for column in columns) for row in rows]
    return [int(text) for text in texts] if all(map(_WHOLE.fullmatch, texts)) else list(texts)


def _numbers(
    file: Path, rows: Sequence[ForeignRow], kinds: Sequence[str], value: ValueColumn, columns: ColumnMap
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Samples of one column, NaN where the map says that there is none. Of an excluded row anything may stand there."""
    numbers = np.full(len(rows), np.nan)
    not_so: list[tuple[int, str]] = []
    for index, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        text = row.texts[value.column]
        if text in columns.dataset.missing:
            continue
        number = float(text) * value.scale if _NUMBER.fullmatch(text) else np.inf
        if np.isfinite(number) and (value.unit != "s" or number > 0):
            numbers[index] = number
        elif kind != EXCLUDED:
            reason = (
                f"{text} is not a time: it must be more than 0" if np.isfinite(number) else f"{text!r} is not a number"
            )
            not_so.append((row.line, reason))
    if not_so:
        line, reason = not_so[0]
        lines = foreign_rows.describe([each for each, _ in not_so])
        many = f"; {len(not_so)} rows have such: {lines}" if len(not_so) > 1 else ""
        raise ConfigError(
            f"{file}:{line}: {value.column}: {reason}{many}",
            hint="list texts that mark a missing sample in the map: dataset.missing",
        )
    return numbers


def _refuse_empty(
    file: Path, rows: Sequence[ForeignRow], kinds: Sequence[str], numbers: Mapping[str, Any], source: MapSource
) -> None:
    for name, found in numbers.items():
        if all(np.isnan(number) for number, kind in zip(found, kinds, strict=True) if kind == _COUNTED):
            raise source.complaint(("values", name), f"{file}: no row has a sample of it", hint="see dataset.missing")


def _seen(content: Content, where: Mapping[str, Any]) -> str:
    """What stands in these columns."""
    parts = []
    for column in where:
        found = list(dict.fromkeys(row.texts[column] for row in content.rows))
        more = f" and {len(found) - 10} more" if len(found) > 10 else ""
        parts.append(f"{column}: {', '.join(map(repr, found[:10]))}{more}")
    return f"there stand {'; '.join(parts)}"


def _facts(parsed: Prepared) -> dict[str, Any]:
    columns = parsed.columns
    aside = {kind: parsed.kinds.count(kind) for kind in (IMPUTED, EXCLUDED)}
    return {
        "factors": [name for name in columns.factors if name not in parsed.joined],
        "joined": dict(parsed.joined),
        "series": {name: value.unit for name, value in columns.values.items()},
        "value": next(iter(columns.values)),
        "file": parsed.file.name,
        "sha256": hashlib.sha256(parsed.content.data).hexdigest(),
        "source": columns.dataset.source,
        "rows": len(parsed.rows),
        "aside": {kind: count for kind, count in aside.items() if count},
    }


def _series(parsed: Prepared, indices: Sequence[int]) -> list[Series]:
    found = []
    for name, numbers in parsed.numbers.items():
        for kind in (_COUNTED, IMPUTED, EXCLUDED):
            own = np.array([numbers[k] for k in indices if parsed.kinds[k] == kind and not np.isnan(numbers[k])])
            if own.size:
                found.append(Series(name, parsed.columns.values[name].unit, {ROWS: kind} if kind else {}, own))
    return found


def _lines(parsed: Prepared, indices: Sequence[int]) -> list[Attachment]:
    """Lines of the file that a cell came from, those that are set aside apart."""
    found = []
    for kind in (_COUNTED, IMPUTED, EXCLUDED):
        lines = [str(parsed.rows[k].line) for k in indices if parsed.kinds[k] == kind]
        if lines:
            found.append(Attachment(f"lines_{kind}" if kind else "lines", "\n".join(lines).encode()))
    return found
