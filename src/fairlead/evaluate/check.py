"""Recomputes stated figures from the data: which hold, which do not follow, and which no data can decide.

A number holds if the data's unrounded number, rounded or cut to as many digits as were printed, is the published one.
Figures (`Computation.figure`), in a document's own units (gains in percent):

- ``gain``: in speed, ratio of means less one; of a rate (bandwidth) the same with its means exchanged.
- ``mean``; ``summary``: mean, sample standard deviation, three standard errors, n.
- ``half width``: of an error bar, by one of `half_widths`: that which fits most claims of the table.
- ``bars``: whether the bars (mean and three standard errors) overlap.
- ``greatest gain``: of all combinations; the remark says where it is.
- ``all means below``: the greatest mean is below the published bound.
- ``better in all``: in how many combinations the mean of one beats the other; published: in how many it should.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Literal

from fairlead.errors import StatisticsError, StoreError
from fairlead.evaluate import claims as claim_files
from fairlead.evaluate import dataset, half_widths
from fairlead.evaluate.claims import Claim, Computation, ReadClaim, fill
from fairlead.evaluate.dataset import Cell, Dataset
from fairlead.statistics import estimates
from fairlead.store import Store

Verdict = Literal["holds", "does not follow", "undecidable"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "does not follow"
UNDECIDABLE: Verdict = "undecidable"
Figure = float | str | list[float]

OVERLAP, SEPARATE = "overlap", "separate"


@dataclass(frozen=True)
class Checked:
    """One claim and what the data say.

    Attributes:
        recomputed: unrounded; None where it cannot be decided.
        definition: of what was computed.
        remark: why there is no verdict, or how the figure was printed, or what it really is.
        runs: of the store, that hold the samples it was computed from.
    """

    claim: Claim
    verdict: Verdict
    recomputed: Figure | None = None
    definition: str = ""
    remark: str = ""
    runs: tuple[int, ...] = ()

    @property
    def differs_from_file(self) -> bool:
        """Whether the file of claims says something else; an undecidable claim says nothing."""
        says = self.claim.reproduces
        return says is not None and self.verdict != UNDECIDABLE and says != (self.verdict == HOLDS)


@dataclass(frozen=True)
class Result:
    """All claims in the file's order, and what was found about tables of them."""

    checked: tuple[Checked, ...]
    findings: tuple[str, ...]

    def count(self, verdict: Verdict) -> int:
        """Claims with this verdict."""
        return sum(each.verdict == verdict for each in self.checked)


class Data:
    """The evaluations of a store by name, each read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names = set(dataset.names(store))
        self._read: dict[tuple[str, str | None], Dataset] = {}

    def of(self, claim: Claim, computation: Computation) -> Dataset | None:
        """The data that decide a claim; None if they are not there."""
        name, series = computation.data or claim.dataset, computation.value
        if name not in self._names:
            return None
        if (name, series) not in self._read:
            record = dataset.find(self._store, name)
            if series is not None and series not in record.facts["series"]:
                return None
            self._read[name, series] = dataset.load(self._store, record, series)
        return self._read[name, series]


def check(store: Store, claims: Sequence[ReadClaim]) -> Result:
    """Check every claim against the newest evaluation of its data set's name.

    Raises:
        StoreError: a reading names a factor that the data do not have.
    """
    data = Data(store)
    bars = _bars_of_tables(data, claims)
    checked = tuple(_checked(data, each, bars) for each in claims)
    return Result(checked, tuple(_findings(claims, checked)))


def _checked(data: Data, read: ReadClaim, bars: Mapping[str, str]) -> Checked:
    claim, computation = read.claim, read.computation
    if computation is None:
        return Checked(claim, UNDECIDABLE, remark="no reading says what this statement is a figure of")
    found = data.of(claim, computation)
    if found is None:
        missing = computation.data or claim.dataset
        what = f" with {computation.value}" if computation.value else ""
        return Checked(claim, UNDECIDABLE, remark=f"there are no data {missing}{what}")
    try:
        return _FIGURES[computation.figure](claim, computation, found, bars)
    except _NoDataError as error:
        return Checked(claim, UNDECIDABLE, remark=str(error))
    except StatisticsError as error:
        return Checked(claim, UNDECIDABLE, remark=error.args[0])


class _NoDataError(Exception):
    """No cell has the levels that a claim speaks of."""


def _cell(data: Dataset, levels: Mapping[str, str]) -> Cell:
    found = data.select(**levels)
    if not found:
        raise _NoDataError(f"{data.name} has no samples of {dataset.in_words(levels)}")
    if len(found) > 1:
        raise StoreError(f"{data.name}: {len(found)} cells are {dataset.in_words(levels)}: the reading must name one")
    return found[0]


def gain_percent(data: Dataset, of: Cell, against: Cell) -> float:
    """Gain in speed of one cell over another, in percent: ratio of means less one, positive where ``of`` is better."""
    base, other = (against.mean, of.mean) if data.lower_is_better else (of.mean, against.mean)
    return 100 * estimates.speed_gained(base, other)


def _gain(claim: Claim, computation: Computation, data: Dataset, _bars: Mapping[str, str]) -> Checked:
    of, against = _cell(data, computation.of), _cell(data, computation.against)
    value = gain_percent(data, of, against)
    what = "base / t - 1" if data.lower_is_better else "rate / base - 1"
    return _number(claim, computation, value, f"gain in speed, ratio of means ({what}), in %", [of, against])


def _mean(claim: Claim, computation: Computation, data: Dataset, _bars: Mapping[str, str]) -> Checked:
    cell = _cell(data, computation.of)
    return _number(claim, computation, cell.mean, f"mean of {cell.n}", [cell])


def _half_width(claim: Claim, computation: Computation, data: Dataset, bars: Mapping[str, str]) -> Checked:
    cell = _cell(data, computation.of)
    _at_least_two([cell])
    definition = bars.get(computation.table or "", computation.stated or half_widths.THREE_SEM)
    checked = _number(claim, computation, half_widths.DEFINITIONS[definition](cell.values), definition, [cell])
    if computation.stated in (None, definition):
        return checked
    return _with_remark(checked, f"mislabelled: stated as {computation.stated}")


def _summary(claim: Claim, computation: Computation, data: Dataset, _bars: Mapping[str, str]) -> Checked:
    cell = _cell(data, computation.of)
    _at_least_two([cell])
    half = half_widths.DEFINITIONS[half_widths.THREE_SEM](cell.values)
    published = claim.published if isinstance(claim.published, list) else [_bound(claim)]
    values = [cell.mean, float(cell.values.std(ddof=1)), half, float(cell.n)][: len(published)]
    how = [_printed(shown, value, computation) for shown, value in zip(published, values, strict=False)]
    holds = len(published) <= 4 and all(how)
    definition = "mean, sd (n - 1), three standard errors, n"
    return Checked(claim, HOLDS if holds else FAILS, values, definition, "", _runs([cell]))


def _bars(claim: Claim, computation: Computation, data: Dataset, _tables: Mapping[str, str]) -> Checked:
    cells = [_cell(data, computation.of), _cell(data, computation.against)]
    _at_least_two(cells)
    value = OVERLAP if half_widths.bars_overlap(*(cell.values for cell in cells)) else SEPARATE
    verdict = HOLDS if claim.published == value else FAILS
    return Checked(claim, verdict, value, "mean and three standard errors", "", _runs(cells))


def _greatest_gain(claim: Claim, computation: Computation, data: Dataset, _bars: Mapping[str, str]) -> Checked:
    gains = []
    for combination in computation.combinations():
        of, against = (_cell(data, fill(levels, combination)) for levels in (computation.of, computation.against))
        gains.append((gain_percent(data, of, against), of, against))
    value, of, against = max(gains, key=lambda gain: gain[0])
    checked = _number(claim, computation, value, f"greatest of {len(gains)} gains, in %", [of, against])
    return _with_remark(checked, f"found at {dataset.in_words(data.named(of))}")


def _all_means_below(claim: Claim, computation: Computation, data: Dataset, _bars: Mapping[str, str]) -> Checked:
    cells = data.select(**computation.of)
    if not cells:
        raise _NoDataError(f"{data.name} has no samples of {dataset.in_words(computation.of)}")
    worst = max(cell.mean for cell in cells)
    longest = max(float(cell.values.max()) for cell in cells)
    verdict = HOLDS if worst < _bound(claim) else FAILS
    definition = f"greatest of {len(cells)} means"
    return Checked(claim, verdict, worst, definition, f"the longest single run: {longest:g}", _runs(cells))


def _better_in_all(claim: Claim, computation: Computation, data: Dataset, _bars: Mapping[str, str]) -> Checked:
    better, not_so, used = 0, [], []
    for combination in computation.combinations():
        of, against = (_cell(data, fill(levels, combination)) for levels in (computation.of, computation.against))
        used += [of, against]
        if gain_percent(data, of, against) > 0:
            better += 1
        else:
            not_so.append(dataset.in_words(data.named(of)))
    verdict = HOLDS if better == _bound(claim) else FAILS
    remark = f"not for {'; '.join(not_so)}" if not_so else ""
    total = len(computation.combinations())
    return Checked(claim, verdict, float(better), f"better by its mean, of {total}", remark, _runs(used))


_FIGURES: dict[str, Callable[[Claim, Computation, Dataset, Mapping[str, str]], Checked]] = {
    "gain": _gain,
    "mean": _mean,
    "half width": _half_width,
    "summary": _summary,
    "bars": _bars,
    "greatest gain": _greatest_gain,
    "all means below": _all_means_below,
    "better in all": _better_in_all,
}


def _number(claim: Claim, computation: Computation, value: float, definition: str, cells: Sequence[Cell]) -> Checked:
    how = _printed(_bound(claim), value, computation)
    return Checked(claim, HOLDS if how else FAILS, value, definition, how if how == "cut" else "", _runs(cells))


def _with_remark(checked: Checked, remark: str) -> Checked:
    text = "; ".join(each for each in (checked.remark, remark) if each)
    return Checked(checked.claim, checked.verdict, checked.recomputed, checked.definition, text, checked.runs)


def _bound(claim: Claim) -> float:
    if not isinstance(claim.published, float):
        raise _NoDataError(f"the published figure {claim.published!r} is no number")
    return claim.published


def _printed(published: float, value: float, computation: Computation) -> str:
    """How ``value`` was made the published number: "rounded", "cut", or "" if it was not."""
    if computation.digits is not None:
        shown = Decimal(repr(value))
        step = Decimal(1).scaleb(shown.adjusted() - computation.digits + 1) if shown else Decimal(1)
    else:
        decimals = computation.decimals if computation.decimals is not None else _decimals(published)
        step = Decimal(1).scaleb(-decimals)
    wanted = Decimal(repr(published)).quantize(step, ROUND_HALF_UP)
    exact = Decimal(repr(value))
    if wanted in (exact.quantize(step, ROUND_HALF_UP), exact.quantize(step, ROUND_HALF_EVEN)):
        return "rounded"
    return "cut" if wanted == exact.quantize(step, ROUND_DOWN) else ""


def _decimals(published: float) -> int:
    """Decimals that a number shows: 491 has none, 74.3 has one."""
    exponent = Decimal(repr(published)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _at_least_two(cells: Iterable[Cell]) -> None:
    for cell in cells:
        estimates.checked(cell.values, 2, "an error bar")


def _runs(cells: Iterable[Cell]) -> tuple[int, ...]:
    return tuple(sorted({int(run) for cell in cells for run in cell.runs}))


def _bars_of_tables(data: Data, claims: Sequence[ReadClaim]) -> dict[str, str]:
    """For each table of half widths, the definition that fits most of them; where none fits any, what is stated."""
    fits: dict[str, Counter[str]] = {}
    for claim, computation in _half_width_claims(claims):
        found = data.of(claim, computation)
        cells = found.select(**computation.of) if found else []
        counter = fits.setdefault(computation.table or "", Counter())
        if len(cells) != 1 or cells[0].n < 2 or not isinstance(claim.published, float):
            continue
        for name, definition in half_widths.DEFINITIONS.items():
            counter[name] += bool(_printed(claim.published, definition(cells[0].values), computation))
    best = {table: max(counter, key=lambda name: counter[name]) for table, counter in fits.items() if counter}
    return {table: name for table, name in best.items() if fits[table][name]}


def _half_width_claims(claims: Sequence[ReadClaim]) -> list[tuple[Claim, Computation]]:
    return [
        (each.claim, each.computation)
        for each in claims
        if each.computation and each.computation.figure == "half width"
    ]


def _findings(claims: Sequence[ReadClaim], checked: Sequence[Checked]) -> Iterable[str]:
    """Tables whose half widths are something else than they say."""
    tables: dict[tuple[str, str], list[Checked]] = {}
    for read, each in zip(claims, checked, strict=True):
        computation = read.computation
        if computation and computation.figure == "half width" and computation.stated and each.verdict != UNDECIDABLE:
            tables.setdefault((computation.table or "a table", computation.stated), []).append(each)
    for (table, stated), entries in tables.items():
        found = Counter(entry.definition for entry in entries if entry.verdict == HOLDS)
        for definition, number in found.items():
            if definition != stated:
                yield (
                    f"{table}: its half widths are stated as {stated}; {number} of {len(entries)} are {definition}: "
                    "the interval is mislabelled"
                )


def read_and_check(store: Store, claims: Sequence[Claim], readings: Sequence[claim_files.Reading]) -> Result:
    """`check` of claims as they stand in a file."""
    return check(store, claim_files.read(claims, readings))
