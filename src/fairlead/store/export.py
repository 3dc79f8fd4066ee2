"""The store's content as tables for other tools: CSV or Parquet, one file a table, every sample a row."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from fairlead import files
from fairlead.errors import ConfigError, StoreError, of_system
from fairlead.store.connection import to_json
from fairlead.store.records import Label, Run
from fairlead.store.store import Store

Format = Literal["csv", "parquet"]
ATTACHMENTS = "attachments"
"""Folder of what was attached to runs."""

_WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "csv": lambda table, path: pyarrow.csv.write_csv(table, str(path)),
    "parquet": lambda table, path: pyarrow.parquet.write_table(table, str(path)),
}


def export(store: Store, directory: Path, file_format: Format) -> list[Path]:
    """Write ``runs``, ``events``, ``series.<name>`` and the attachments (``attachments/<run>/<name>``).

    In ``series.<name>`` each sample is a row: run, unit, labels, its indices ``i0, i1, ..``, and the value unrounded;
    a missing one (NaN) is an empty cell.

    Returns:
        The files written.

    Raises:
        StoreError: ``directory`` exists and is not empty, or cannot be written.
    """
    runs = store.runs()
    tables = {"runs": _runs_table(runs), "events": _events_table(store, runs), **_series_tables(store, runs)}
    with _whole_or_nothing(directory) as written:
        _write_tables(tables, directory, file_format, written)
        for run in runs:
            for attachment in store.attachments(run.id):
                written.append(directory / ATTACHMENTS / str(run.id) / attachment.name)
                files.write(written[-1], attachment.content)
    return written


def write_tables(tables: Mapping[str, Any], directory: Path, file_format: Format) -> list[Path]:
    """Write Arrow tables, each to a file of its name; returns the files.

    Raises:
        StoreError: ``directory`` exists and is not empty, or cannot be written.
    """
    with _whole_or_nothing(directory) as written:
        _write_tables(tables, directory, file_format, written)
    return written


def _write_tables(tables: Mapping[str, Any], directory: Path, file_format: Format, written: list[Path]) -> None:
    for name, table in tables.items():
        written.append(directory / f"{name}.{file_format}")
        _WRITERS[file_format](table, written[-1])


@contextmanager
def _whole_or_nothing(directory: Path) -> Iterator[list[Path]]:
    """Within it files are written to a directory, each put into the list before. After an error or Ctrl-C none is left:
    part of an export looks like all of it.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ConfigError(f"{directory}: exists and is not an empty directory", hint="name another with --output")
    written: list[Path] = []
    was_there = directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        yield written
    except BaseException as error:
        for path in written:
            with suppress(OSError):  # it was not begun yet
                path.unlink()
        folders = {path.parent for path in written} | {directory / ATTACHMENTS, directory}
        for folder in sorted(folders - ({directory} if was_there else set()), reverse=True):
            with suppress(OSError):  # it is not there, or others have put something there
                folder.rmdir()
        if isinstance(error, OSError):
            raise of_system(error, directory, doing="cannot be written", kind=StoreError) from error
        raise


def _runs_table(runs: Sequence[Run]) -> Any:
    fixed: dict[str, Any] = {
        "run": pa.array([run.id for run in runs], pa.int64()),
        "parent": pa.array([run.parent for run in runs], pa.int64()),
        "kind": pa.array([run.kind for run in runs], pa.string()),
        "status": pa.array([run.status for run in runs], pa.string()),
        "exit_code": pa.array([run.exit_code for run in runs], pa.int64()),
        "error": pa.array([run.error for run in runs], pa.string()),
        "seed": pa.array([run.seed for run in runs], pa.int64()),
        "position": pa.array([run.position for run in runs], pa.int64()),
        "started_s": pa.array([run.started_s for run in runs], pa.float64()),
        "ended_s": pa.array([run.ended_s for run in runs], pa.float64()),
        "plan": pa.array([to_json("plan", run.plan) for run in runs], pa.string()),
        "facts": pa.array([to_json("facts", run.facts) for run in runs], pa.string()),
    }
    return pa.table(fixed | _label_columns([run.labels for run in runs]))


def _events_table(store: Store, runs: Sequence[Run]) -> Any:
    rows = [(run.id, event) for run in runs for event in store.events(run.id)]
    return pa.table(
        {
            "run": pa.array([run for run, _ in rows], pa.int64()),
            "t_s": pa.array([event.t_s for _, event in rows], pa.float64()),
            "kind": pa.array([event.kind for _, event in rows], pa.string()),
            "data": pa.array([to_json("event", event.data) for _, event in rows], pa.string()),
        }
    )


def _series_tables(store: Store, runs: Sequence[Run]) -> dict[str, Any]:
    found: dict[str, list[tuple[int, Any]]] = {}
    for run in runs:
        for series in store.series(run.id):
            found.setdefault(series.name, []).append((run.id, series))
    return {f"series.{name}": _series_table(entries) for name, entries in sorted(found.items())}


def _series_table(entries: Sequence[tuple[int, Any]]) -> Any:
    sizes = [series.values.size for _, series in entries]
    depth = max(series.values.ndim for _, series in entries)
    values = np.concatenate([series.values.reshape(-1) for _, series in entries])
    columns: dict[str, Any] = {
        "run": pa.array(np.repeat([run for run, _ in entries], sizes), pa.int64()),
        "unit": pa.array([series.unit for (_, series), size in zip(entries, sizes, strict=True) for _ in range(size)]),
    }
    columns |= _label_columns([series.labels for (_, series), n in zip(entries, sizes, strict=True) for _ in range(n)])
    for axis in range(depth):
        parts = [_indices(series.values.shape, axis) for _, series in entries]
        columns[f"i{axis}"] = pa.array([index for part in parts for index in part], pa.int64())
    columns["value"] = pa.array(values, from_pandas=True)  # from_pandas: NaN becomes null
    return pa.table(columns)


def _indices(shape: tuple[int, ...], axis: int) -> list[int | None]:
    """Index along ``axis`` of each sample in C order; None for a series with fewer axes."""
    if axis >= len(shape):
        return [None] * int(np.prod(shape, dtype=int))
    indices: list[int | None] = np.indices(shape)[axis].reshape(-1).tolist()
    return indices


def _label_columns(labels: Sequence[Mapping[str, Label]]) -> dict[str, Any]:
    """One column a label; numbers stay numbers unless another row has text there."""
    columns = {}
    for name in sorted({name for row in labels for name in row}):
        values = [row.get(name) for row in labels]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int}:
            columns[f"label.{name}"] = pa.array(values, pa.int64())
        elif kinds <= {int, float}:
            columns[f"label.{name}"] = pa.array([None if v is None else float(v) for v in values], pa.float64())
        else:
            columns[f"label.{name}"] = pa.array([None if v is None else str(v) for v in values], pa.string())
    return columns
