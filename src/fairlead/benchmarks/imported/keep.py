"""What other programs measured: files read into the store, beside what was measured here."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.measuring.records import SOURCE
from fairlead.errors import ConfigError, MeasurementError
from fairlead.readers import formats
from fairlead.readers.reading import ImportOptions, Reading
from fairlead.store import Label, Series, Store
from fairlead.store.ending import ended


def read(file_format: str, paths: Sequence[Path], options: ImportOptions | None = None) -> list[tuple[Path, Reading]]:
    """All tests of the files.

    Args:
        options: what the user says of them.

    Raises:
        ConfigError: a file cannot be read, or is no text (with the line).
        MeasurementError: one is not of this format, with file and line; then none is taken.
    """
    found = []
    for path in paths:
        found += [(path, reading) for reading in formats.read(file_format, _text(path), str(path), options)]
    _repeat_each_other(found)
    return found


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        hint = "these programs write ASCII or UTF-8; `iconv` converts other texts"
        raise ConfigError(f"{path}:{line}: byte {error.start} is not valid UTF-8", hint=hint) from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ConfigError(f"{path}:{line}: a byte of 0: this is not valid UTF-8", hint="is it UTF-16, or binary?")
    return text.replace("\ufeff", "").replace("\r\n", "\n")  # a byte order mark would hide the line it stands in


def _repeat_each_other(found: Sequence[tuple[Path, Reading]]) -> None:
    """Files of one test are repetitions of it; bytes of a sender and of a receiver are not, nor other messages."""
    first: dict[str, tuple[Path, Reading]] = {}
    for path, reading in found:
        other_path, other = first.setdefault(reading.benchmark, (path, reading))
        mine, others = (each.plan.get("counted_by") for each in (reading, other))
        if mine != others:
            raise MeasurementError(
                f"{path}: counts what {mine} moved, {other_path} what {others} did: they are not repetitions",
                hint="import them as two systems (--system)",
            )
        for what in ("datatype", "window"):
            mine, others = (each.plan.get(what) for each in (reading, other))
            if None not in (mine, others) and mine != others:
                raise MeasurementError(
                    f"{path}: {reading.benchmark} has the {what} {mine}, in {other_path} it has {others}: they "
                    "are not repetitions",
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
                one_core = reading.plan.get("program") == "netgauge noise"
                for series in reading.series:
                    missing = bool(np.isnan(series.values).any()) if series.values.dtype.kind == "f" else False
                    of = _numbered(series, number, one_core=one_core)
                    store.add_series(run, series.name, series.values, series.unit, of, missing=missing)
            for number, path in enumerate(files):
                store.attach(run, f"file-{number}.txt", path.read_bytes())
        runs.append(run)
    return runs


def _numbered(series: Series, number: int, *, one_core: bool) -> dict[str, Label]:
    """Labels of a repetition's series.

    Args:
        one_core: netgauge does not say which processor it measured: it writes a file for each.
    """
    labels = {**series.labels, "round": number}
    return {**labels, "cpu": number} if one_core and "cpu" in labels else labels
