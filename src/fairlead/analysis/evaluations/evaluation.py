"""What the samples of an evaluation say, computed. No I/O."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import hypot, isfinite

import numpy as np

from fairlead.analysis.evaluations import cautions, half_widths
from fairlead.analysis.evaluations import joined as joined_factors
from fairlead.analysis.evaluations.analysis import Analysis, BetterShares, CellSummary, GroupGain
from fairlead.analysis.evaluations.configuration_pair import ALIKE, FASTER, SLOWER, UNKNOWN, ConfigurationPair
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell, Levels
from fairlead.analysis.evaluations.notes import of_cells
from fairlead.analysis.evaluations.pairwise import Compare, comparison_method, of_blocks, within_blocks
from fairlead.analysis.evaluations.settings import CellGroup, ReportSettings
from fairlead.errors import StatisticsError
from fairlead.statistics import blocks, estimates, ratios, variance
from fairlead.statistics.bootstrap import check_level
from fairlead.statistics.estimates import Difference, Estimate

IntervalOfMean = Callable[[Sequence[ConfigurationPair], float, float], Estimate | None]
"""Interval of the mean gain of pairs, from these, that mean, and the level."""


def analyse(
    data: Dataset, report: ReportSettings, level: float = estimates.DEFAULT_LEVEL, whole_plot: Sequence[str] = ()
) -> Analysis:
    """Compute everything.

    Args:
        report: what is held against each other; without configurations, the whole-plot factors are, or the last factor.
        whole_plot: factors that were set up once a block.

    Raises:
        StatisticsError: ``level`` is no confidence level.
    """
    check_level(level)
    configurations = report.configurations or tuple(whole_plot) or data.factors[-1:]
    baseline = tuple(report.baseline.get(name, data.levels_of(name)[0]) for name in configurations)
    cases = tuple(name for name in data.factors if name not in configurations)
    compare = comparison_method(configurations, whole_plot)
    found = list(_pairs(data, configurations, baseline, cases, level, compare))
    against = _judged(data, [pair for pair, is_base in found if is_base])
    others = _judged(data, [pair for pair, is_base in found if not is_base])
    effects, no_effects = _effects(data, whole_plot)
    members = {group.name: [pair for pair in against if _belongs(data, pair, group)] for group in report.groups}
    made = Analysis(
        data=data,
        report=report,
        level=level,
        configurations=configurations,
        baseline=baseline,
        cases=cases,
        summaries=tuple(_summaries(data, level, by_blocks=bool(whole_plot))),
        pairs=tuple(against),
        other_pairs=tuple(others),
        groups=tuple(_group_gains(data, configurations, members, level, _interval_of_means(data, compare))),
        shares=tuple(_shares(name, pairs) for name, pairs in {**members, "all": against}.items() if pairs),
        effects=tuple(effects),
        no_effects=no_effects,
        warnings=(),
    )
    return replace(made, warnings=tuple(cautions.of(made, whole_plot)))


def _summaries(data: Dataset, level: float, *, by_blocks: bool) -> Iterator[CellSummary]:
    for cell, notes in zip(data.cells, of_cells(data.cells), strict=True):
        yield replace(_summary(cell, data.failed.get(cell.levels, 0), level, by_blocks), notes=notes)


def _summary(cell: DesignCell, failed: int, level: float, by_blocks: bool) -> CellSummary:
    if cell.n < 2:
        return CellSummary(cell, failed, None, None, None)
    sd = float(cell.values.std(ddof=1))
    if not by_blocks:
        mean, median = estimates.mean_interval(cell.values, level), ratios.median_by_order(cell.values, level)
        return CellSummary(cell, failed, mean, median, sd)
    if len(np.unique(cell.blocks)) < 2:
        return CellSummary(cell, failed, None, None, sd)
    return CellSummary(
        cell,
        failed,
        blocks.mean_of_blocks(cell.values, cell.blocks, level),
        blocks.median_of_blocks(cell.values, cell.blocks, level),
        sd,
    )


def _pairs(
    data: Dataset,
    configurations: Sequence[str],
    baseline: Levels,
    cases: Sequence[str],
    level: float,
    compare: Compare,
) -> Iterator[tuple[ConfigurationPair, bool]]:
    """Every two configurations of every case, and whether one of them is the baseline; that one then is the first."""
    at = [data.place(name) for name in configurations]
    of_case = [data.place(name) for name in cases]
    grouped: dict[Levels, list[DesignCell]] = {}
    for cell in data.cells:
        grouped.setdefault(tuple(cell.levels[k] for k in of_case), []).append(cell)
    wanted = tuple(map(str, baseline))
    for case, every in grouped.items():
        cells = [cell for cell in every if cell.mean > 0]  # there is no ratio to what took no time
        cells.sort(key=lambda cell: tuple(str(cell.levels[k]) for k in at) != wanted)
        for first, second in combinations(cells, 2):
            is_base = tuple(str(first.levels[k]) for k in at) == wanted
            yield _pair(data, case, first, second, level, compare), is_base


def _pair(
    data: Dataset, case: Levels, first: DesignCell, second: DesignCell, level: float, compare: Compare
) -> ConfigurationPair:
    base, other = (first, second) if data.lower_is_better else (second, first)
    few = min(first.n, second.n) < 2
    compared = compare(first, second, level)
    speed = saved = difference = None
    if compared is not None:
        down, up, difference = compared
        speed = _less_one(down if data.lower_is_better else up)
        saved = _one_less(up if data.lower_is_better else down)
    beats = second.values < first.mean if data.lower_is_better else second.values > first.mean
    return ConfigurationPair(
        case=case,
        first=first,
        second=second,
        speed=speed,
        saved=saved,
        difference=difference,
        by_blocks=compare is of_blocks and compared is not None,
        verdict=UNKNOWN,
        p_holm=None,
        p_fdr=None,
        delta=estimates.cliffs_delta(first.values, second.values),
        g=_hedges(first, second) if not few else None,
        bars_overlap=None if few else half_widths.bars_overlap(first.values, second.values),
        better_runs=int(beats.sum()),
        speed_value=speed.value if speed else estimates.speed_gained(base.mean, other.mean),
        median_value=_gain_of_medians(base, other),
    )


def _gain_of_medians(base: DesignCell, other: DesignCell) -> float | None:
    medians = float(np.median(base.values)), float(np.median(other.values))
    return estimates.speed_gained(*medians) if min(medians) > 0 else None


def _hedges(first: DesignCell, second: DesignCell) -> float | None:
    try:
        return ratios.hedges_g(first.values, second.values)
    except StatisticsError:  # no scatter at all
        return None


def _verdict(data: Dataset, difference: Difference, p_holm: float) -> str:
    if p_holm >= 1 - difference.estimate.level:
        return ALIKE
    return FASTER if (difference.estimate.value < 0) == data.lower_is_better else SLOWER


def _less_one(ratio: Estimate) -> Estimate:
    return Estimate(ratio.value - 1, ratio.low - 1, ratio.high - 1, ratio.level, ratio.n, ratio.method)


def _one_less(ratio: Estimate) -> Estimate:
    return Estimate(1 - ratio.value, 1 - ratio.high, 1 - ratio.low, ratio.level, ratio.n, ratio.method)


def _judged(data: Dataset, pairs: Sequence[ConfigurationPair]) -> list[ConfigurationPair]:
    """The same with p-values adjusted for how many they are, and the verdicts that follow."""
    tested = [(pair, pair.difference) for pair in pairs if pair.difference]
    p_values = [difference.p for _, difference in tested]
    by_holm, by_fdr = estimates.holm(p_values), ratios.false_discovery_rate(p_values)
    judged = {
        id(pair): replace(pair, verdict=_verdict(data, difference, p_holm), p_holm=p_holm, p_fdr=p_fdr)
        for (pair, difference), p_holm, p_fdr in zip(tested, by_holm, by_fdr, strict=True)
    }
    return [judged.get(id(pair), pair) for pair in pairs]


def _belongs(data: Dataset, pair: ConfigurationPair, group: CellGroup) -> bool:
    """By the levels of the cell that is held against the baseline, joined factors included."""
    return joined_factors.members(group, data.all_named(pair.second))


def _group_gains(
    data: Dataset,
    configurations: Sequence[str],
    members: Mapping[str, Sequence[ConfigurationPair]],
    level: float,
    interval_of: IntervalOfMean,
) -> Iterator[GroupGain]:
    at = [data.place(name) for name in configurations]
    for group, pairs in members.items():
        by_configuration: dict[Levels, list[ConfigurationPair]] = {}
        for pair in pairs:
            by_configuration.setdefault(tuple(pair.second.levels[k] for k in at), []).append(pair)
        for configuration, own in by_configuration.items():
            value = float(np.mean([pair.speed_value for pair in own]))
            yield GroupGain(group, configuration, len(own), value, interval_of(own, value, level))


def _interval_of_means(data: Dataset, compare: Compare) -> IntervalOfMean:
    """As pairs are compared."""
    if compare is of_blocks:
        return partial(_mean_gain_of_blocks, data)
    return _mean_gain_within_blocks if compare is within_blocks else _mean_gain


def _mean_gain(pairs: Sequence[ConfigurationPair], value: float, level: float) -> Estimate | None:
    """Interval of the mean of independent gains, by the delta method; None if a cell has one sample only."""
    if any(min(pair.first.n, pair.second.n) < 2 for pair in pairs):
        return None
    errors = []
    for pair in pairs:
        parts = [estimates.standard_error(cell.values) / cell.mean for cell in (pair.first, pair.second)]
        error, weight = (1 + pair.speed_value) * hypot(*parts), 1 / pair.first.n + 1 / pair.second.n
        errors.append(estimates.at_least_resolution(error, pair.speed_value, weight))
    least = min(min(pair.first.n, pair.second.n) for pair in pairs)
    half = estimates.t_quantile(level, least - 1) * hypot(*errors) / len(pairs)
    return Estimate(value, value - half, value + half, level, least, "delta method")


def _mean_gain_within_blocks(pairs: Sequence[ConfigurationPair], value: float, level: float) -> Estimate | None:
    """The same where pairs stand side by side in blocks: what blocks add cancels out in each gain, and is no error."""
    # Each limit's distance from the mean is that of the pairs' own limits from theirs (MOVER: Zou and Donner 2008), so
    # that of one pair both are the same.
    below, above, counts = [], [], []
    for pair in pairs:
        if pair.speed is None or not isfinite(pair.speed.low) or not isfinite(pair.speed.high):
            return None
        below.append(pair.speed_value - pair.speed.low)
        above.append(pair.speed.high - pair.speed_value)
        counts.append(pair.speed.n)
    low, high = value - hypot(*below) / len(pairs), value + hypot(*above) / len(pairs)
    return Estimate(value, low, high, level, min(counts), "Student t within blocks")


def _mean_gain_of_blocks(
    data: Dataset, pairs: Sequence[ConfigurationPair], value: float, level: float
) -> Estimate | None:
    """The same where gains of one block depend on each other: Student's t of the logarithm of the blocks' own means.

    As for a pair, so that of one pair both are the same; no loss is then said to be greater than all.
    """
    cells = [cell for pair in pairs for cell in (pair.first, pair.second)]
    common = set.intersection(*(set(cell.blocks.tolist()) for cell in cells))
    if len(common) < 2:
        return None
    of_blocks = []
    for pair in pairs:
        first, second = (
            [float(c.values[c.blocks == block].mean()) for block in sorted(common)] for c in (pair.first, pair.second)
        )
        if min(*first, *second) <= 0:
            return None
        of_blocks.append((first, second) if data.lower_is_better else (second, first))
    found = ratios.mean_ratio_by_blocks(of_blocks, level)
    return Estimate(value, min(found.low - 1, value), max(found.high - 1, value), level, found.n, found.method)


def _shares(group: str, pairs: Sequence[ConfigurationPair]) -> BetterShares:
    return BetterShares(
        group,
        sum(pair.better for pair in pairs),
        len(pairs),
        sum(pair.better_runs for pair in pairs),
        sum(pair.second.n for pair in pairs),
    )


def _effects(data: Dataset, whole_plot: Sequence[str]) -> tuple[list[variance.AnovaLine], str]:
    """Analysis of variance of the logarithm, or why there is none."""
    if any((cell.values <= 0).any() for cell in data.cells):
        return [], "an analysis of variance of the logarithm needs positive samples"
    try:
        return variance.analyse(_as_sums(data, whole_plot)), ""
    except StatisticsError as error:
        return [], error.args[0]


def _as_sums(data: Dataset, whole_plot: Sequence[str]) -> variance.CellSums:
    numbers = [{level: k for k, level in enumerate(data.levels_of(factor))} for factor in data.factors]
    rows: list[tuple[list[int], float, float, float, int]] = []
    for cell in data.cells:
        levels = [numbers[k][level] for k, level in enumerate(cell.levels)]
        numbers_of = cell.blocks if whole_plot else np.zeros_like(cell.blocks)
        for block in np.unique(numbers_of):
            logs = np.log(cell.values[numbers_of == block])
            rows.append(
                (levels, float(len(logs)), float(logs.mean()), float(((logs - logs.mean()) ** 2).sum()), int(block))
            )
    return variance.CellSums(
        data.factors,
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows]),
        np.array([row[2] for row in rows]),
        np.array([row[3] for row in rows]),
        np.array([row[4] for row in rows], dtype=np.int64),
        tuple(data.place(name) for name in whole_plot),
    )
