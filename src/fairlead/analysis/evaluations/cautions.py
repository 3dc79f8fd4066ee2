"""Warnings of a report: what is wrong with the samples, or with how they are compared."""

from collections.abc import Iterator, Sequence

import numpy as np

from fairlead.analysis import program_results
from fairlead.analysis.evaluations.analysis import Analysis, CellSummary
from fairlead.analysis.evaluations.configuration_pair import ConfigurationPair
from fairlead.analysis.evaluations.dataset import Dataset, describe_levels
from fairlead.display import words
from fairlead.statistics import estimates, modes

MOST_NAMED = 6
"""Cells that a warning names itself; of more it says where all of them are named."""
WHERE_NAMED = "listed in the table of cells and its CSV"


def of(analysis: Analysis, whole_plot: Sequence[str]) -> Iterator[str]:
    """All warnings, in sentences."""
    data, summaries = analysis.data, analysis.summaries
    if data.deviations:
        yield program_results.describe(data.deviations)
    yield from _joined(data)
    yield from _other_baseline(analysis)
    yield from _without_samples(data, summaries)
    yield from _empty_groups(analysis)
    yield from _few(analysis, whole_plot)
    yield from _unequal(data, summaries)
    yield from _of_samples(data, summaries)
    yield from _against_medians(analysis)
    plots = {int(block) for each in summaries for block in np.unique(each.cell.blocks)} if whole_plot else {0, 1, 2}
    if len(plots) < 3:
        yield (f"{', '.join(whole_plot)} was set up in {len(plots)} block(s): its effect may be an effect of time.")


def disagrees(pair: ConfigurationPair) -> bool:
    """Whether means say gain and medians say loss, or the other way round."""
    return pair.median_value is not None and pair.speed_value * pair.median_value < 0


def _joined(data: Dataset) -> Iterator[str]:
    for name, other in (data.record.facts.get("joined") or {}).items():
        yield f"{name} is a function of {other}: they count as one factor here, {other}."


def _other_baseline(analysis: Analysis) -> Iterator[str]:
    """Where the level that gains refer to is not the one that the plan leads to expect."""
    data = analysis.data
    for name in analysis.configurations:
        expected, found = data.planned(name)[:1], str(data.levels_of(name)[0])
        if name not in analysis.report.baseline and expected and expected != [found]:
            yield (
                f"{name}: {expected[0]}, the plan's first level, has no sample: gains refer to {found}, the first that "
                "has one."
            )


def _without_samples(data: Dataset, summaries: Sequence[CellSummary]) -> Iterator[str]:
    failed = sum(data.failed.values())
    if failed:
        where = "; ".join(
            f"{describe_levels(dict(zip(data.factors, levels, strict=True)))}: {n}" for levels, n in data.failed.items()
        )
        yield f"{failed} runs failed and are not samples ({where})."
    planned = int(data.record.facts.get("cells", 0))
    if planned > len(data.cells):
        yield f"{planned - len(data.cells)} of {planned} planned cells have no sample."
    without = [each for each in summaries if each.cell.mean <= 0]
    if without:
        yield f"{_cells(data, without)} a mean of 0 or less: nothing is compared with that."


def _empty_groups(analysis: Analysis) -> Iterator[str]:
    told = {each.group for each in analysis.groups}
    for group in analysis.report.groups if analysis.pairs else ():
        if group.name not in told:
            where = ", ".join(f"{name} {' or '.join(map(str, levels))}" for name, levels in group.where.items())
            yield f"Group {group.name} ({where}) has no cell that is compared with the baseline."


def _few(analysis: Analysis, whole_plot: Sequence[str]) -> Iterator[str]:
    enough = estimates.least_for_bootstrap(analysis.level)
    few = [each for each in analysis.summaries if (each.mean.n if each.mean else each.cell.n) < enough]
    if few:
        what = "blocks" if whole_plot else "samples"
        yield f"{_cells(analysis.data, few)} fewer than {enough} {what}: their intervals assume normal scatter."


def _unequal(data: Dataset, summaries: Sequence[CellSummary]) -> Iterator[str]:
    other = [each for each in summaries if each.notes.usual_n is not None]
    if other:
        yield (
            f"{_cells(data, other, lambda each: f'{each.cell.n}')} a different number of samples from most, which have "
            f"{other[0].notes.usual_n}."
        )


def _of_samples(data: Dataset, summaries: Sequence[CellSummary]) -> Iterator[str]:
    far = [each for each in summaries if each.notes.outliers]
    if far:
        total = sum(len(each.notes.outliers) for each in far)
        yield (
            f"{words.count(total, 'sample')} more than three interquartile ranges beyond the quartiles: "
            f"{_cells(data, far, lambda each: f'{len(each.notes.outliers)}')} such. They are kept."
        )
    several = [each for each in summaries if each.notes.modes is not None]
    if several:
        yield (
            f"{_cells(data, several)} several modes, so the mean describes none of them (of cells with one mode "
            "at most "
            f"{words.percent(modes.FALSE_ALARMS, decimals=0)} are flagged by mistake)."
        )
    filled = [each for each in summaries if each.notes.repeated is not None]
    if filled:
        yield (
            f"{_cells(data, filled)} a value that occurs more often than scatter explains: samples may have "
            "been imputed."
        )


def _against_medians(analysis: Analysis) -> Iterator[str]:
    """Pairs in which means and medians disagree about who is faster, where modes or a verdict make that matter."""
    told = [
        pair
        for pair in analysis.pairs
        if disagrees(pair) and (pair.verdict in ("faster", "slower") or analysis.has_modes(pair))
    ]
    if not told:
        return
    named = [
        f"{describe_levels(analysis.data.named(pair.second))} ({words.percent(pair.speed_value, signed=True)}, "
        f"by medians {words.percent(pair.median_value or 0.0, signed=True)})"
        for pair in told[:MOST_NAMED]
    ]
    more = f"; all {len(told)} in the table of gains" if len(told) > MOST_NAMED else ""
    yield f"Mean and median disagree about gain or loss: {'; '.join(named)}{more}."


def _cells(data: Dataset, some: Sequence[CellSummary], detail: object = None) -> str:
    """Cells by name with the verb; of more than a few how many they are, and where all are named."""
    if len(some) > MOST_NAMED:
        return f"{len(some)} of {len(data.cells)} cells ({WHERE_NAMED}) have"
    names = [
        describe_levels(data.named(each.cell)) + (f" ({detail(each)})" if callable(detail) else "") for each in some
    ]
    return f"{'; '.join(names)} {'have' if len(some) > 1 else 'has'}"
