"""Statements in words: X is faster than Y, there is no difference, and in which order the levels of a factor are."""

from collections.abc import Sequence

from fairlead.analysis.evaluations import half_widths, quantities
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell
from fairlead.analysis.evaluations.pairwise import comparison_method
from fairlead.display import words
from fairlead.errors import StatisticsError
from fairlead.published.chosen import Entry, NoDataError, case_of, entries, hint
from fairlead.published.claims import Claim
from fairlead.published.computation import By, Computation, MistakeError
from fairlead.published.verdicts import Checked, decided, is_denied
from fairlead.statistics import estimates

FASTER, SLOWER, ALIKE = "faster", "slower", "no difference"
LEVEL = estimates.DEFAULT_LEVEL
_HOW: dict[By, str] = {
    "test": "p of the difference of means below 0.05 after Holm",
    "means": "means alone",
    "bars": "bars of three standard errors that do not overlap",
}
_NOTHING = 1e-12  # what only the rounding of sums gains
MOST_NAMED = 5
"""Cases that a remark names one by one."""


def verdicts(data: Dataset, found: Sequence[Entry], by: By) -> list[str]:
    """Of every pair, whether its cell is faster or slower than what it is held against; all pairs are one family.

    Raises:
        StatisticsError: a cell has too few samples.
    """
    pairs = [(of, against) for entry in found for of, against in entry.pairs if against is not None]
    by_means = [_of_speed(quantities.speed(data, of, against)) for of, against in pairs]
    if by == "means":
        return by_means
    if by == "bars":
        return [ALIKE if bars_overlap(*pair) else verdict for pair, verdict in zip(pairs, by_means, strict=True)]
    p_values = estimates.holm([_p_value(data, *pair) for pair in pairs])
    return [verdict if p < 1 - LEVEL else ALIKE for verdict, p in zip(by_means, p_values, strict=True)]


def bars_overlap(first: DesignCell, second: DesignCell) -> bool:
    """The papers' rule for two cells.

    Raises:
        StatisticsError: one of them has a single sample.
    """
    for cell in (first, second):
        estimates.checked(cell.values, 2, "an error bar")
    return half_widths.bars_overlap(first.values, second.values)


def judge(claim: Claim, computation: Computation, data: Dataset) -> Checked:
    """Whether the verdict on one pair, or on every pair, is the stated one: faster, slower, no difference."""
    found = entries(data, computation)
    said = computation.figure
    denied = is_denied(claim, said)
    each = verdicts(data, found, computation.by)
    right = sum(verdict == said for verdict in each)
    holds = (right == len(found)) != denied
    against = [
        f"{entry.words} ({verdict}, {_gain(data, entry)})"
        for entry, verdict in zip(found, each, strict=True)
        if verdict != said
    ]
    checked = decided(
        claim,
        holds,
        each[0] if len(each) == 1 else f"{said}: {right} of {len(found)}",
        f"of {words.count(len(found), 'pair')}, by {_HOW[computation.by]}",
        [cell for entry in found for cell in entry.cells],
        f"not for {some(against)}" if against and len(found) > 1 else f"gain {_gain(data, found[0])}",
    )
    return checked if holds else checked.remarked(*_by_other_rules(data, computation, found, denied))


def _by_other_rules(data: Dataset, computation: Computation, found: Sequence[Entry], denied: bool) -> list[str]:
    told = []
    for by, rule in _HOW.items():
        if by == computation.by:
            continue
        try:
            all_so = all(verdict == computation.figure for verdict in verdicts(data, found, by))
        except StatisticsError:
            continue
        if all_so != denied:
            told.append(f"it holds by {rule}")
    return told


def order(claim: Claim, computation: Computation, data: Dataset) -> Checked:
    """Levels of a factor from the best mean to the worst: the same in all cases as published."""
    found = entries(data, computation)
    sign = -1 if data.lower_is_better else 1
    values = [sign * sum(of.mean for of, _ in entry.pairs) / len(entry.pairs) for entry in found]
    wrong, cases, without = out_of_order(claim, str(computation.along), data, found, values)
    return decided(
        claim,
        not wrong,
        f"in this order: {cases - len(wrong)} of {cases}",
        f"{computation.along} by the mean, the best first",
        [cell for entry in found for cell in entry.cells],
        "; ".join(filter(None, (some(wrong), without))),
    )


def out_of_order(
    claim: Claim, along: str, data: Dataset, found: Sequence[Entry], values: Sequence[float]
) -> tuple[list[str], int, str]:
    """Cases in which the levels of a factor, the greatest value first, are not as published; and of how many.

    Returns:
        These, and in words the cases that are left out, for want of one of the levels.

    Raises:
        NoDataError: no case has all of them.
    """
    wanted = _published_order(claim, along, data)
    cases: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    for entry, value in zip(found, values, strict=True):
        level = entry.levels.get(along)
        if level in wanted:
            case = case_of(data, entry, along)
            cases.setdefault(case, []).append((value, str(level)))
    if not cases:
        raise MistakeError(("computation", "along"), f"nothing is left of {along}: it is averaged over")
    wrong, without = [], []
    for case, own in cases.items():
        levels, name = [level for _, level in sorted(own, key=lambda each: -each[0])], ", ".join(case) or "all"
        if missing := [level for level in wanted if level not in levels]:
            without.append(f"{name} (no {along} {', '.join(missing)})")
        elif levels != wanted:
            wrong.append(f"{name}: {', '.join(levels)}")
    left_out = f"left out: {some(without)}" if without else ""
    if len(without) == len(cases):
        raise NoDataError(f"{data.name} has no case with all these levels of {along}; {left_out}")
    return wrong, len(cases) - len(without), left_out


def _published_order(claim: Claim, along: str, data: Dataset) -> list[str]:
    published = claim.published
    if not isinstance(published, list) or len(published) < 2:
        raise MistakeError(("published",), f"must be a list of levels of {along} in order")
    wanted, known = [str(each) for each in published], [str(level) for level in data.levels_of(along)]
    for place, level in enumerate(wanted):
        if level not in known:
            raise MistakeError(("published", place), f"{level!r} is not a level of {along}{hint(level, known)}")
    return wanted


def some(texts: Sequence[str]) -> str:
    """The first few of many, and how many more there are."""
    more = f"; and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    return "; ".join(texts[:MOST_NAMED]) + more


def _of_speed(speed: float) -> str:
    if abs(speed - 1) < _NOTHING:
        return ALIKE
    return FASTER if speed > 1 else SLOWER


def _p_value(data: Dataset, of: DesignCell, against: DesignCell) -> float:
    varied = [name for name, a, b in zip(data.factors, of.levels, against.levels, strict=True) if a != b]
    plot = tuple((data.record.plan.get("whole_plot") or {}).get("factors", ()))
    compared = comparison_method(varied, plot)(against, of, LEVEL)
    if compared is None:
        raise StatisticsError(f"{', '.join(map(str, of.levels))}: too few samples to judge a difference")
    return compared[2].p


def _gain(data: Dataset, entry: Entry) -> str:
    of, against = entry.pairs[0]
    assert against is not None  # the figure is of pairs
    return words.percent(quantities.speed(data, of, against) - 1, signed=True)
