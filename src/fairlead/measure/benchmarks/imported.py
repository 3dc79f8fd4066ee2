"""What other programs measured: files read into the store, beside what was measured here."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fairlead.errors import ConfigError, MeasurementError
from fairlead.measure.benchmarks import records
from fairlead.readers.formats import READERS
from fairlead.readers.reading import Reading
from fairlead.store import Label, Run, Series, Store
from fairlead.store.ending import ended

Floats = npt.NDArray[np.float64]

SOURCE = "source"  # label of a run that was read, not made: the format
VALUES = ("time_s", "rate_bps", "overlap_share")


@dataclass(frozen=True)
class Curve:
    """A column of a table: what every file says at each size.

    Attributes:
        name: of the series; its unit follows from it.
        statistic: what the program says it is of its repetitions.
        values: (repetitions,) by size in B; the size is None where the test has none.
    """

    name: str
    statistic: str
    values: dict[int | None, Floats]


def read(file_format: str, paths: Sequence[Path]) -> list[tuple[Path, Reading]]:
    """All tests of the files.

    Raises:
        ConfigError: a file cannot be read.
        MeasurementError: one is not of this format, with file and line; then none is taken.
    """
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: is no text: {error}") from error
        found += [(path, reading) for reading in READERS[file_format](text, str(path))]
    _repeat_each_other(found)
    return found


def _repeat_each_other(found: Sequence[tuple[Path, Reading]]) -> None:
    """Files of one test are repetitions of it; bytes of a sender and of a receiver are not, nor other messages."""
    first: dict[str, tuple[Path, Reading]] = {}
    for path, reading in found:
        other_path, other = first.setdefault(reading.benchmark, (path, reading))
        mine, others = (each.plan.get("counted_by") for each in (reading, other))
        if mine != others:
            raise MeasurementError(
                f"{path}: counts what {mine} moved, {other_path} what {others} did: they do not repeat each other",
                hint="import them as two systems (--system)",
            )
        for what in ("datatype", "window"):
            mine, others = (each.plan.get(what) for each in (reading, other))
            if None not in (mine, others) and mine != others:
                raise MeasurementError(
                    f"{path}: {reading.benchmark} has the {what} {mine}, in {other_path} it has {others}: they do not "
                    "repeat each other",
                    hint="import them as two systems (--system)",
                )


def keep(store: Store, system: str, file_format: str, found: Sequence[tuple[Path, Reading]]) -> list[int]:
    """Store readings: one run for each benchmark, with the files as they were; returns the runs.

    Args:
        system: whose measurements these are: the name under which reports show them.
    """
    runs = []
    for benchmark in dict.fromkeys(reading.benchmark for _, reading in found):
        repetitions = [(path, reading) for path, reading in found if reading.benchmark == benchmark]
        labels = {"benchmark": benchmark, "cluster": system, SOURCE: file_format}
        files = list(dict.fromkeys(path for path, _ in repetitions))
        plan = {**repetitions[0][1].plan, "files": [str(path) for path in files]}
        run = store.begin_run(records.KIND, labels, plan=plan)
        with ended(store, run):
            for number, (_, reading) in enumerate(repetitions):
                for series in reading.series:
                    missing = bool(np.isnan(series.values).any()) if series.values.dtype.kind == "f" else False
                    of = _numbered(series, number)
                    store.add_series(run, series.name, series.values, series.unit, of, missing=missing)
            for number, path in enumerate(files):
                store.attach(run, f"file-{number}.txt", path.read_bytes())
        runs.append(run)
    return runs


def _numbered(series: Series, number: int) -> dict[str, Label]:
    labels = {**series.labels, "round": number}
    # netgauge does not say which processor it measured: it writes a file for each.
    return {**labels, "cpu": number} if "cpu" in labels else labels


def is_read(run: Run) -> bool:
    """Whether a run was read from files."""
    return SOURCE in run.labels


def is_whole(run: Run) -> bool:
    """Whether all of it counts: files that were not stored to their end are to be read again."""
    return not is_read(run) or run.status == "ok"


def curves(store: Store, run: int) -> list[Curve]:
    """The columns of a run's tables; empty where it has none (raw samples, a profile)."""
    sizes: dict[Label, list[int | None]] = {}
    found: dict[tuple[str, str], dict[int | None, list[float]]] = {}
    series = store.series(run)
    for each in series:
        if each.name == "size_B":
            sizes[each.labels["round"]] = [int(size_B) for size_B in each.values]
    for each in series:
        if each.name in VALUES and "statistic" in each.labels:
            column = found.setdefault((each.name, str(each.labels["statistic"])), {})
            for size_B, value in zip(sizes.get(each.labels["round"], [None]), each.values, strict=True):
                column.setdefault(size_B, []).append(float(value))
    return [
        Curve(name, statistic, {size_B: np.array(values) for size_B, values in column.items()})
        for (name, statistic), column in found.items()
    ]
