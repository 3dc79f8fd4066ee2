"""Numbers of one cell or pair, and what becomes of many: averages, extremes, ranges, counts, shares, trends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from statistics import fmean, median

from fairlead.analysis.evaluations import quantities
from fairlead.analysis.evaluations.dataset import Dataset, describe_levels
from fairlead.display import words
from fairlead.errors import StatisticsError
from fairlead.published import compared
from fairlead.published.chosen import Entry, case_of, entries, single
from fairlead.published.claims import Claim
from fairlead.published.compared import some
from fairlead.published.computation import WORDS, Computation, MistakeError
from fairlead.published.printed import all_of, exact_number, holds, how_printed, number, unit_size
from fairlead.published.verdicts import Checked, Figure, decided, is_denied

_NOTHING = 1e-10
"""Percent: what only the rounding of sums gains."""
_POOLED = "ratio of the averaged means"


@dataclass(frozen=True)
class _Numbers:
    """Entries with the number of each, in the published unit, and what these numbers are."""

    found: Sequence[Entry]
    values: Sequence[float]
    what: str


@dataclass(frozen=True)
class _Outcome:
    holds: bool
    recomputed: Figure
    definition: str
    remark: str = ""


def judge(claim: Claim, computation: Computation, data: Dataset) -> Checked:
    """A number, or what many come to; where it fails, by which other definition the statement would hold."""
    found = [single(data, computation)] if computation.over is None else entries(data, computation)
    outcome = _REDUCE[computation.over or "one"](claim, computation, data, _numbers(data, computation, found))
    cells = [cell for entry in found for cell in entry.cells]
    checked = decided(claim, outcome.holds, outcome.recomputed, outcome.definition, cells, outcome.remark)
    return checked if outcome.holds else checked.remarked(*_otherwise(claim, computation, data, found))


def _otherwise(claim: Claim, computation: Computation, data: Dataset, found: Sequence[Entry]) -> list[str]:
    """Other definitions by which a statement holds that fails by its own."""
    if computation.over in ("count", "share") and computation.counted not in ("above", "below"):
        return []  # what gained or lost is the same by all definitions
    told = []
    for figure in quantities.OTHER_DEFINITIONS.get(computation.figure, ()):
        other = computation.model_copy(update={"figure": figure})
        told += _if_it_holds(claim, other, data, _numbers(data, other, found))
    pooled = _pooled(data, computation, found)
    return told + (_if_it_holds(claim, computation, data, pooled) if pooled else [])


def _if_it_holds(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> list[str]:
    outcome = _REDUCE[computation.over or "one"](claim, computation, data, numbers)
    if not outcome.holds:
        return []
    value = outcome.recomputed
    shown = f": {words.significant(value, 4)}" if isinstance(value, float) else ""
    return [f"it holds as {numbers.what}{shown}"]


def _numbers(data: Dataset, computation: Computation, found: Sequence[Entry]) -> _Numbers:
    name = computation.figure
    if name in quantities.PAIR_QUANTITIES:
        pair = quantities.PAIR_QUANTITIES[name]
        size, printed = unit_size(computation, pair.unit or data.unit)

        def value(entry: Entry) -> float:
            return fmean(quantities.of_pair(name, data, of, against) for of, against in entry.pairs if against)

        what = pair.words(data)
    else:
        cell_quantity = quantities.CELL_QUANTITIES[name]
        size, printed = unit_size(computation, cell_quantity.unit or data.unit)

        def value(entry: Entry) -> float:
            return fmean(cell_quantity.compute(data, of) for of, _ in entry.pairs)

        what = cell_quantity.what
        if name == "mean" and len(found) == 1 and len(found[0].pairs) == 1:
            what = f"mean of {found[0].pairs[0][0].n}"
    averaged = max(len(entry.pairs) for entry in found)
    of_many = f", averages of {averaged}" if averaged > 1 else ""
    return _Numbers(found, [value(entry) / size for entry in found], what + of_many + printed)


def _pooled(data: Dataset, computation: Computation, found: Sequence[Entry]) -> _Numbers | None:
    """Averages made the other way: of the means first, then one ratio; None where nothing is averaged."""
    if computation.figure not in quantities.PAIR_QUANTITIES or computation.figure == "difference":
        return None
    pair = quantities.PAIR_QUANTITIES[computation.figure]
    together = [found] if computation.over == "mean" else [[entry] for entry in found]
    if all(sum(len(entry.pairs) for entry in own) < 2 for own in together):
        return None
    size, printed = unit_size(computation, pair.unit or data.unit)
    values = []
    for own in together:
        pairs = [(of, against) for entry in own for of, against in entry.pairs if against]
        of_mean, base_mean = fmean(of.mean for of, _ in pairs), fmean(base.mean for _, base in pairs)
        speed = base_mean / of_mean if data.lower_is_better else of_mean / base_mean
        values.append(pair.compute(speed) / size)
    kept = [Entry(own[0].levels, tuple(each for entry in own for each in entry.pairs)) for own in together]
    return _Numbers(kept, values, f"{_POOLED}, {pair.words(data)}{printed}")


def _published(claim: Claim, computation: Computation) -> tuple[list[Decimal], bool]:
    """Numbers that a value is held against, and whether the statement denies what follows."""
    if computation.relation == "between":
        low, high = all_of(claim.published, 2, "from, to")
        if low > high:
            raise MistakeError(("published",), f"the first number must be the smaller one, not {low} before {high}")
        return [low, high], False
    bound = computation.bound_of_words
    if bound is not None and (claim.published is None or isinstance(claim.published, bool)):
        return [Decimal(0)], is_denied(claim)
    return [number(claim.published)], False


def _one(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    return _related(claim, computation, numbers.values[0], numbers.what)


def _related(claim: Claim, computation: Computation, value: float, what: str, *remarks: str) -> _Outcome:
    published, _ = _published(claim, computation)
    how = holds(published, value, computation)
    usual = "rounded" if computation.relation == "is" else "unrounded"
    told = how if how not in (usual, "within") else ""
    return _Outcome(bool(how), value, what, "; ".join(each for each in (told, *remarks) if each))


def _mean(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    many = f"mean of {len(numbers.values)}: {numbers.what}"
    return _related(claim, computation, fmean(numbers.values), many if len(numbers.values) > 1 else numbers.what)


def _median(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    return _related(claim, computation, median(numbers.values), f"median of {len(numbers.values)}: {numbers.what}")


def _extreme(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    choose: Callable[..., int] = max if computation.over == "greatest" else min
    place = choose(range(len(numbers.values)), key=numbers.values.__getitem__)
    entry, value = numbers.found[place], numbers.values[place]
    what = f"{computation.over} of {len(numbers.values)}: {numbers.what}"
    outcome = _related(claim, computation, value, what, f"found at {entry.words}")
    elsewhere = {factor: level for factor, level in computation.at.items() if entry.levels.get(factor) != level}
    if not elsewhere:
        return outcome
    return _Outcome(False, value, what, f"{outcome.remark}, not at {describe_levels(computation.at)}")


def _range(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    published = all_of(claim.published, 2, "the least and the greatest")
    ends = [min(numbers.values), max(numbers.values)]
    right = all(how_printed(said, value, computation) for said, value in zip(published, ends, strict=True))
    at = [numbers.found[numbers.values.index(end)].words for end in ends]
    what = f"least and greatest of {len(numbers.values)}: {numbers.what}"
    return _Outcome(right, ends, what, f"found at {at[0]} and at {at[1]}")


def _every(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    published, denied = _published(claim, computation)
    wrong = [
        f"{entry.words} ({words.significant(value, 4)})"
        for entry, value in zip(numbers.found, numbers.values, strict=True)
        if not holds(published, value, computation)
    ]
    bound = " and ".join(str(each) for each in published)
    what = f"each of {len(numbers.values)} {computation.relation} {bound}: {numbers.what}"
    ends = [min(numbers.values), max(numbers.values)]
    return _Outcome((not wrong) != denied, ends, what, f"not for {some(wrong)}" if wrong else "")


def _count(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    """Published are the number, or the number and of how many; of a share percent, or the same two."""
    counted = computation.counted or "gained"
    right, total = _is_counted(data, computation, numbers)
    count = sum(right)
    unit = "runs" if counted == "better runs" else ""
    bound = f" {computation.bound:g}" if computation.bound is not None else ""
    what = f"{counted}{bound}, of {total}{' single runs' if unit else ''}: {numbers.what}"
    missed = [entry.words for entry, so in zip(numbers.found, right, strict=True) if not so] if not unit else []
    remark = f"not for {some(missed)}" if missed else ""
    if isinstance(claim.published, list):
        said = all_of(claim.published, 2, "how many, and of how many")
        return _Outcome(said == [Decimal(count), Decimal(total)], [float(count), float(total)], what, remark)
    if computation.over == "count":
        return _related(claim, computation, float(count), what, remark)
    outcome = _related(claim, computation, 100 * count / total, what, remark)
    text = "; ".join(each for each in (f"{count} of {total}", outcome.remark) if each)
    return _Outcome(outcome.holds, outcome.recomputed, f"share in %: {what}", text)


def _is_counted(data: Dataset, computation: Computation, numbers: _Numbers) -> tuple[list[int], int]:
    """How often each entry counts, and of how many all are."""
    counted, values = computation.counted or "gained", numbers.values
    if counted in ("above", "below"):
        assert computation.bound is not None  # the model demands it
        bound, exact = Decimal(repr(computation.bound)), [exact_number(value) for value in values]
        return [int(value > bound if counted == "above" else value < bound) for value in exact], len(values)
    if counted in WORDS:
        verdicts = compared.verdicts(data, numbers.found, computation.by)
        return [int(verdict == counted) for verdict in verdicts], len(values)
    if counted == "better runs":
        pairs = [(of, base) for entry in numbers.found for of, base in entry.pairs if base]
        better = [of.values < base.mean if data.lower_is_better else of.values > base.mean for of, base in pairs]
        return [int(each.sum()) for each in better], sum(of.n for of, _ in pairs)
    gains = _numbers(data, computation.model_copy(update={"figure": "gain", "unit": None}), numbers.found).values
    signs = [0 if abs(gain) < _NOTHING else gain for gain in gains]
    return [int(sign > 0 if counted == "gained" else sign < 0) for sign in signs], len(values)


def _trend(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    """Whether the number grows (falls) from every level of a factor to the next, in every case."""
    along, denied = str(computation.along), is_denied(claim, str(computation.over))
    cases: dict[tuple[str, ...], dict[str, float]] = {}
    for entry, value in zip(numbers.found, numbers.values, strict=True):
        if along not in entry.levels:
            raise MistakeError(("computation", "average_over"), f"averages over {along}, and the trend is along it")
        own = cases.setdefault(case_of(data, entry, along), {})
        if own.setdefault(entry.levels[along], value) != value:
            reason = f"{entry.words}: there is more than one number; name levels, or average them (average_over)"
            raise MistakeError(("computation", "of"), reason)
    in_order = _in_order(computation, along, list(dict.fromkeys(entry.levels[along] for entry in numbers.found)))
    wrong = []
    for case, own in cases.items():
        series = [own[level] for level in in_order if level in own]
        if len(series) < 2:
            raise StatisticsError(f"{', '.join(case) or 'all'}: a trend needs two levels of {along}")
        steps = [b - a if computation.over == "grows" else a - b for a, b in pairwise(series)]
        if min(steps) <= 0:
            shown = ", ".join(words.significant(value, 4) for value in series)
            wrong.append(f"{', '.join(case) or 'all'} ({shown})")
    right = len(cases) - len(wrong)
    what = f"{computation.over} with {along} ({', '.join(in_order)}): {numbers.what}"
    remark = f"not for {some(wrong)}" if wrong else ""
    return _Outcome((not wrong) != denied, f"{computation.over} in {right} of {len(cases)}", what, remark)


def _order(claim: Claim, computation: Computation, data: Dataset, numbers: _Numbers) -> _Outcome:
    """Levels of a factor from the greatest number to the least, in every case as published."""
    along = str(computation.along)
    wrong, cases, without = compared.out_of_order(claim, along, data, numbers.found, numbers.values)
    what = f"{along}, the greatest first: {numbers.what}"
    remark = "; ".join(filter(None, (some(wrong), without)))
    return _Outcome(not wrong, f"in this order: {cases - len(wrong)} of {cases}", what, remark)


def _in_order(computation: Computation, along: str, levels: list[str]) -> list[str]:
    """Levels as ``of`` lists them; else by their numbers."""
    listed = computation.of.get(along)
    if isinstance(listed, tuple):
        return [level for level in listed if level in levels]
    try:
        return sorted(levels, key=float)
    except ValueError:
        raise MistakeError(
            ("computation", "along"),
            f"the levels of {along} are not numbers ({', '.join(levels)}): list them in `of`, in the order meant",
        ) from None


_REDUCE: dict[str, Callable[[Claim, Computation, Dataset, _Numbers], _Outcome]] = {
    "one": _one,
    "mean": _mean,
    "median": _median,
    "greatest": _extreme,
    "least": _extreme,
    "range": _range,
    "every": _every,
    "count": _count,
    "share": _count,
    "grows": _trend,
    "falls": _trend,
    "order": _order,
}
