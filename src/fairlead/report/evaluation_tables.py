"""Tables of an evaluation, the same for terminal, HTML and CSV."""

from collections.abc import Sequence

from fairlead.display import words
from fairlead.display.tables import Cell as TableCell
from fairlead.display.tables import Table, cell, table
from fairlead.evaluate.analysis import Analysis, Pair
from fairlead.evaluate.losses import Part
from fairlead.statistics.estimates import Estimate
from fairlead.store import Label


def value_words(analysis: Analysis, value: float | None, like: float | None = None, digits: int = 4) -> str | None:
    """A measured value with its unit, or None."""
    if value is None:
        return None
    if analysis.data.unit == "s":
        return words.duration(value, digits, like_s=like)
    if analysis.data.unit == "B/s":
        return f"{words.significant(value / 1e6, digits)}{words.NBSP}MB/s"
    return f"{words.significant(value, digits)}{words.NBSP}{analysis.data.unit}"


def cells(analysis: Analysis) -> Table:
    """Every cell: n, mean, median, sd, intervals."""
    level = words.level(analysis.level)
    return table(
        [
            *((name, name) for name in analysis.data.factors),
            *(("n", "n"), ("failed", "failed"), ("mean", "mean"), (f"{level} interval", "mean_interval"), ("sd", "sd")),
            *(("3 standard errors", "bar"), ("median", "median"), (f"{level} interval", "median_interval")),
            *(("min", "min"), ("max", "max")),
        ],
        [
            [
                *(cell(level) for level in each.cell.levels),
                cell(each.cell.n),
                cell(each.failed),
                _value(analysis, each.mean.value if each.mean else each.cell.mean),
                _ends(analysis, each.mean),
                _value(analysis, each.sd, each.cell.mean, 2),
                _value(analysis, each.bar, each.cell.mean, 2),
                _value(analysis, each.median.value if each.median else None),
                _ends(analysis, each.median),
                _value(analysis, float(each.cell.values.min())),
                _value(analysis, float(each.cell.values.max())),
            ]
            for each in analysis.summaries
        ],
    )


def verdicts(analysis: Analysis) -> Table:
    """What a terminal has room for of `gains` over the baseline."""
    full = gains(analysis, analysis.pairs)
    wanted = ("configuration", "speed_gained_share", "speed_interval", "time_saved_share", "p_holm", "verdict", "bars")
    kept = [k for k, key in enumerate(full.keys) if key in wanted or key in analysis.cases]
    return Table(
        tuple(full.columns[k] for k in kept),
        tuple(full.keys[k] for k in kept),
        tuple(tuple(row[k] for k in kept) for row in full.rows),
    )


def gains(analysis: Analysis, pairs: Sequence[Pair]) -> Table:
    """Two configurations a row, the second judged against the first."""
    of_case = [(name, name) for name in analysis.cases]
    return table(
        [
            *of_case,
            *(("base", "base"), ("configuration", "configuration"), ("speed gained", "speed_gained_share")),
            *(("interval", "speed_interval"), ("time saved", "time_saved_share"), ("difference", "difference")),
            *(("interval", "difference_interval"), ("p, Holm", "p_holm"), ("p, FDR", "p_fdr"), ("verdict", "verdict")),
            *(("bars", "bars"), ("Cliff", "cliffs_delta"), ("Hedges", "hedges_g"), ("better runs", "better_runs")),
            ("n", "n"),
        ],
        [_gain_row(analysis, pair) for pair in pairs],
    )


def _gain_row(analysis: Analysis, pair: Pair) -> list[TableCell]:
    difference = pair.difference.estimate if pair.difference else None
    apart = difference.value if difference else pair.second.mean - pair.first.mean
    saved = 1 - 1 / (1 + pair.speed_value)
    return [
        *(cell(level) for level in pair.case),
        cell(name_of(analysis.configuration_of(pair.first))),
        cell(name_of(analysis.configuration_of(pair.second))),
        cell(pair.speed_value, words.percent(pair.speed_value, signed=True, decimals=2)),
        _share_ends(pair.speed),
        cell(saved, words.percent(saved, signed=True, decimals=2)),
        _value(analysis, apart, pair.first.mean, 3),
        _ends(analysis, difference, pair.first.mean),
        _p(pair.p_holm),
        _p(pair.p_fdr),
        cell(pair.verdict),
        cell(None) if pair.bars_overlap is None else cell("overlap" if pair.bars_overlap else "apart"),
        cell(pair.delta, words.significant(pair.delta, 2)),
        cell(pair.g, None if pair.g is None else words.significant(pair.g, 2)),
        cell(pair.better_runs),
        cell(pair.second.n),
    ]


def groups(analysis: Analysis) -> Table:
    """Mean gain in speed of each group at each configuration."""
    return table(
        [
            *(("group", "group"), ("configuration", "configuration"), ("mean of gains in speed", "speed_gained_share")),
            *(("interval", "interval"), ("cells", "cells")),
        ],
        [
            [
                cell(each.group),
                cell(name_of(each.configuration)),
                cell(each.value, words.percent(each.value, signed=True, decimals=2)),
                _share_ends(each.interval),
                cell(each.cells),
            ]
            for each in analysis.groups
        ],
    )


def shares(analysis: Analysis) -> Table:
    """How many cells, and how many single runs, are better than the baseline."""
    return table(
        [
            *(("group", "group"), ("cells better", "better_cells"), ("of", "cells"), ("share", "better_cells_share")),
            *(("single runs better", "better_runs"), ("of", "runs"), ("share", "better_runs_share")),
        ],
        [
            [
                cell(each.group),
                cell(each.better_cells),
                cell(each.cells),
                cell(each.better_cells / each.cells, words.percent(each.better_cells / each.cells, decimals=0)),
                cell(each.better_runs),
                cell(each.runs),
                cell(each.better_runs / each.runs, words.percent(each.better_runs / each.runs, decimals=0)),
            ]
            for each in analysis.shares
        ],
    )


def effects(analysis: Analysis) -> Table:
    """The analysis of variance."""
    return table(
        [
            *(("effect", "effect"), ("degrees", "degrees_of_freedom"), ("sum of squares", "squares")),
            *(("share", "share"), ("F", "f"), ("p", "p"), ("tested against", "error")),
        ],
        [
            [
                cell(each.name),
                cell(each.degrees),
                cell(each.squares, words.significant(each.squares)),
                cell(each.share, words.percent(each.share)),
                cell(each.f, None if each.f is None else words.significant(each.f)),
                _p(each.p),
                cell(each.error),
            ]
            for each in analysis.effects
        ],
    )


def losses(analysis: Analysis) -> Table:
    """What neighbours cost, their share of the processors apart from their traffic."""
    factor = (analysis.data.record.plan.get("neighbours") or {}).get("factor")
    return table(
        [
            *((name, name) for name in analysis.data.factors if name != factor),
            *(("neighbours", "neighbours"), ("takes longer", "whole"), ("interval", "whole_interval")),
            *(("by share of processors", "processors"), ("interval", "processors_interval")),
            *(("by the network", "network"), ("interval", "network_interval")),
        ],
        [
            [
                *(cell(level) for level in each.case),
                cell(each.neighbours),
                *_part(each.whole),
                *_part(each.processors),
                *_part(each.network),
            ]
            for each in analysis.losses
        ],
    )


def _part(part: Part | None) -> list[TableCell]:
    if part is None:
        return [cell(None), cell(None)]
    shown = cell(part.value, f"× {words.significant(part.value)}")
    if part.interval is None:
        return [shown, cell(None)]
    low, high = part.interval.low, part.interval.high
    return [shown, cell(f"{low!r}..{high!r}", f"{words.significant(low)} to {words.significant(high)}")]


def name_of(levels: Sequence[Label]) -> str:
    """A configuration's name: its levels."""
    return ", ".join(str(level) for level in levels)


def _value(analysis: Analysis, value: float | None, like: float | None = None, digits: int = 4) -> TableCell:
    return cell(value, value_words(analysis, value, like, digits))


def _ends(analysis: Analysis, estimate: Estimate | None, like: float | None = None) -> TableCell:
    if estimate is None:
        return cell(None)
    low = value_words(analysis, estimate.low, like or estimate.value)
    high = value_words(analysis, estimate.high, like or estimate.value)
    assert low is not None
    return cell(f"{estimate.low!r}..{estimate.high!r}", f"{low.rpartition(words.NBSP)[0]} to {high}")


def _share_ends(estimate: Estimate | None) -> TableCell:
    if estimate is None:
        return cell(None)
    shown = words.percent_interval(estimate, signed=True, decimals=2)
    return cell(f"{estimate.low!r}..{estimate.high!r}", shown)


def _p(p: float | None) -> TableCell:
    return cell(None) if p is None else cell(p, "< 0.001" if p < 0.001 else f"{p:.3f}")
