"""Samples by factor, as the store holds them: what every evaluation is computed from.

An evaluation is a run of kind `KIND`; its children of kind `ROW` carry the levels of its factors as labels and one
series a measured value. An own row holds one sample, an imported one all replications of its cell.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fairlead.analysis.program_results import Deviation, deviations
from fairlead.errors import NoSuchResultsError, StoreError
from fairlead.store import Label, Run, Store

KIND = "evaluation"
ROW = "evaluation_row"
BLOCK, REPLICATION = "block", "replication"
TIME = "time_s"
ROWS, IMPUTED, EXCLUDED = "rows", "imputed", "excluded"
"""Label of a series of rows that are set aside, and its values."""
Better = Literal["lower", "higher"]
BETTER: dict[str, Better] = {"s": "lower", "bit/s": "higher", "B/s": "higher"}
"""Which values are better, of units that say so by themselves."""

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Levels = tuple[Label, ...]


@dataclass(frozen=True)
class DesignCell:
    """All samples of one combination of levels.

    Attributes:
        levels: one of each factor, in the data set's order.
        values, blocks, runs: shape (n,): the samples, the block that each was taken in, and the run that holds it.
    """

    levels: Levels
    values: FloatArray
    blocks: IntArray
    runs: IntArray

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.values)

    @cached_property
    def mean(self) -> float:
        """Mean of the samples."""
        return float(self.values.mean())


@dataclass(frozen=True)
class Dataset:
    """One measured value of one evaluation.

    Attributes:
        record: the evaluation's run, which keeps the plan or the map of columns.
        series, unit: which value.
        factors: names; a cell's levels are in this order.
        cells: in the plan's order; of a file, in the order in which they were first met.
        failed: runs of each combination of levels that did not end well; they are no samples.
        rows: all runs that were read.
        joined: of each combination of levels those of factors that were joined to another
            (`fairlead.analysis.evaluations.joined`).
        deviations: rows whose programs computed something else than undisturbed.
        whole_s: of each combination of levels the mean time of whole runs, where the value is of a part of them.
    """

    record: Run
    series: str
    unit: str
    factors: tuple[str, ...]
    cells: tuple[DesignCell, ...]
    failed: Mapping[Levels, int]
    rows: tuple[Run, ...] = ()
    joined: Mapping[Levels, Mapping[str, Label]] = field(default_factory=dict)
    deviations: tuple[Deviation, ...] = ()
    whole_s: Mapping[Levels, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The evaluation's name."""
        return str(self.record.labels["name"])

    @property
    def n(self) -> int:
        """Number of samples."""
        return sum(cell.n for cell in self.cells)

    @property
    def lower_is_better(self) -> bool:
        """As the map of columns says; else times, yes, and rates, no."""
        value = (self.record.plan.get("values") or {}).get(self.series) or {}
        return (value.get("better") or BETTER.get(self.unit, "higher")) == "lower"

    @property
    def is_speed(self) -> bool:
        """Whether what gains is a speed: a time that is better lower, or a rate that is better higher."""
        return self.unit in BETTER and self.lower_is_better == (BETTER[self.unit] == "lower")

    @property
    def direction(self) -> str:
        """For people: "lower is better"."""
        return f"{'lower' if self.lower_is_better else 'higher'} is better"

    @property
    def gain_words(self) -> str:
        """What a gain of it is called."""
        return "gain in speed" if self.is_speed else "gain"

    def paid_s(self, cell: DesignCell) -> float:
        """The mean time that a cell's runs are paid for: from start to end, whatever the program's own clock says."""
        return self.whole_s.get(cell.levels, cell.mean)

    def levels_of(self, factor: str) -> list[Label]:
        """Levels of a factor that have samples, in the plan's order; of a file, in the order first met."""
        if factor in self.factors or factor not in self.all_factors:
            self.place(factor)
        planned = self.planned(factor)
        found = dict.fromkeys(self.all_named(cell)[factor] for cell in self.cells)
        return sorted(found, key=lambda level: planned.index(str(level)) if str(level) in planned else len(planned))

    def planned(self, factor: str) -> list[str]:
        """Levels of a factor in the plan's order, with samples or not; none of a file."""
        levels = (self.record.plan or {}).get("factors", {}).get(factor, ())
        # The map of columns of a file has names of columns there.
        return [] if is_imported(self.record) or isinstance(levels, str) else [str(level) for level in levels]

    def tied(self, factor: str) -> set[str]:
        """A factor, the one that it is joined to, and those that are joined to it: none varies without it."""
        joined = self.record.facts.get("joined") or {}
        return {factor, joined.get(factor, factor), *(name for name, other in joined.items() if other == factor)}

    def place(self, factor: str) -> int:
        """Position of a factor among a cell's levels.

        Raises:
            StoreError: there is no such factor.
        """
        if factor not in self.factors:
            raise StoreError(
                f"{self.name}: there is no factor {factor!r}", hint=f"its factors are {', '.join(self.factors)}"
            )
        return self.factors.index(factor)

    def select(self, **levels: Label) -> list[DesignCell]:
        """Cells with all the given levels; numbers and their texts are the same here."""
        for factor in levels:
            self.levels_of(factor)
        return [
            cell
            for cell in self.cells
            if all(str(self.all_named(cell)[factor]) == str(level) for factor, level in levels.items())
        ]

    def named(self, cell: DesignCell) -> dict[str, Label]:
        """A cell's levels by factor."""
        return dict(zip(self.factors, cell.levels, strict=True))

    def all_named(self, cell: DesignCell) -> dict[str, Label]:
        """As `named`, with the levels of joined factors."""
        return {**self.named(cell), **self.joined.get(cell.levels, {})}

    @property
    def all_factors(self) -> tuple[str, ...]:
        """Factors, and those that were joined to another."""
        return (*self.factors, *(self.record.facts.get("joined") or {}))


def names(store: Store) -> list[str]:
    """Names of the evaluations of a store, each once, in the order first made, but for imports that were cut short."""
    return list(dict.fromkeys(str(run.labels["name"]) for run in store.runs(KIND) if _is_whole(run)))


def find(store: Store, name: str | None = None) -> Run:
    """The newest evaluation, of that name where one is given; an import that was cut short does not count.

    Raises:
        StoreError: there is none.
    """
    runs = store.runs(KIND) if name is None else store.runs(KIND, name=name)
    whole = [run for run in runs if _is_whole(run)]
    if not whole:
        known = names(store)
        what = "holds no evaluation or import" if name is None else f"there is no evaluation {name!r} here"
        hint = (
            f"there are {', '.join(known)}"
            if known
            else "make one: `fairlead evaluate PLAN`, `fairlead evaluate import`"
        )
        raise NoSuchResultsError(f"{store.directory}: {what}", hint=hint)
    return whole[-1]


def _is_whole(run: Run) -> bool:
    return run.ended_s is not None or not is_imported(run)


def is_imported(run: Run) -> bool:
    """Whether an evaluation's samples come from a file."""
    return run.labels.get("origin") == "imported"


def load(store: Store, record: Run, series: str | None = None, aside: Collection[str] = ()) -> Dataset:
    """Read one value of an evaluation.

    Args:
        series: which value, where it is not the main one.
        aside: kinds of rows that count though they were set aside: `IMPUTED`, `EXCLUDED`.

    Raises:
        StoreError: the run is no evaluation, or has no sample of that value.
    """
    wanted = _series_of(store, record, series)
    factors = tuple(str(name) for name in record.facts["factors"])
    rows = store.runs(ROW, parent=record.id)
    samples = store.series_of_children(record.id, wanted)
    gathered: dict[Levels, list[tuple[Any, ...]]] = {}
    failed: dict[Levels, int] = {}
    others: dict[Levels, dict[str, Label]] = {}
    unit = ""
    for run in rows:
        levels = tuple(run.labels[factor] for factor in factors)
        others[levels] = {name: run.labels[name] for name in record.facts.get("joined") or {}}
        if run.status == "failed":
            failed[levels] = failed.get(levels, 0) + 1
        for each in samples.get(run.id, ()):
            if each.labels.get(ROWS, "") not in ("", *aside):
                continue
            unit = each.unit
            block = int(run.labels.get(BLOCK, 0))
            gathered.setdefault(levels, []).append((each.values.reshape(-1), block, run.id))
    if not gathered:
        known = ", ".join(record.facts["series"])
        raise StoreError(
            f"{store.directory}: {record.labels['name']} has no sample of {wanted} yet", hint=f"its values: {known}"
        )
    cells = tuple(_cell(levels, parts) for levels, parts in gathered.items())
    data = Dataset(record, wanted, unit, factors, cells, failed, tuple(rows), others)
    if is_imported(record):
        return data
    whole_s = {} if wanted == TIME else _whole_s(store, data)
    return replace(data, cells=_as_planned(data), deviations=tuple(deviations(store, record.id)), whole_s=whole_s)


def _whole_s(store: Store, data: Dataset) -> dict[Levels, float]:
    """Of every cell the mean time of the runs that its samples are of."""
    times_s = store.series_of_children(data.record.id, TIME)
    return {
        cell.levels: float(np.mean([times_s[run][0].scalar() for run in cell.runs.tolist()])) for cell in data.cells
    }


def _series_of(store: Store, record: Run, series: str | None) -> str:
    """The name of the value that is asked for; None: the main one."""
    if record.kind != KIND:
        raise NoSuchResultsError(f"{store.directory}: run {record.id} is a {record.kind}, not an {KIND}")
    wanted, known = series or str(record.facts["value"]), record.facts["series"]
    if wanted not in known:
        what = f"{store.directory}: {record.labels['name']} has no value {wanted!r}"
        raise NoSuchResultsError(what, hint=f"its values: {', '.join(known)}")
    return wanted


def _as_planned(data: Dataset) -> tuple[DesignCell, ...]:
    """Cells as the plan's factors have their levels: rows ran in a random order, which tells a reader nothing."""
    places = [{level: place for place, level in enumerate(data.levels_of(factor))} for factor in data.factors]
    return tuple(
        sorted(data.cells, key=lambda cell: [of[level] for of, level in zip(places, cell.levels, strict=True)])
    )


def _cell(levels: Levels, parts: Sequence[tuple[Any, ...]]) -> DesignCell:
    sizes = [len(values) for values, _, _ in parts]
    values = np.concatenate([values for values, _, _ in parts]).astype(np.float64)
    blocks = np.repeat(np.asarray([block for _, block, _ in parts], dtype=np.int64), sizes)
    runs = np.repeat(np.asarray([run for _, _, run in parts], dtype=np.int64), sizes)
    return DesignCell(levels, values, blocks, runs)


def describe_levels(levels: Mapping[str, Label]) -> str:
    """For people: "program IS, network 802.3ad-4NICs-layer2"."""
    return ", ".join(f"{factor} {level}" for factor, level in levels.items())
