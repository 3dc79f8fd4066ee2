"""Tables of an evaluation, the same for terminal, HTML and CSV."""

from collections.abc import Sequence

from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.evaluations.cautions import disagrees
from fairlead.analysis.evaluations.configuration_pair import FASTER, SLOWER, ConfigurationPair
from fairlead.analysis.evaluations.dataset import Dataset, describe_levels
from fairlead.analysis.evaluations.losses import LossFactor
from fairlead.analysis.evaluations.notes import Notes
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
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
    number = words.significant(value, digits)
    return number if analysis.data.unit in ("1", "count") else f"{number}{words.NBSP}{analysis.data.unit}"


def cells(analysis: Analysis) -> Table:
    """Every cell: n, what is to be noted, mean, median, sd, intervals."""
    level = words.level(analysis.level)
    return table(
        [
            *((name, name) for name in analysis.data.factors),
            *(("n", "n"), ("failed", "failed"), ("notes", "notes"), ("mean", "mean")),
            *((f"{level} interval", "mean_low|mean_high"), ("sd", "sd"), ("3 standard errors", "bar")),
            *(("median", "median"), (f"{level} interval", "median_low|median_high"), ("min", "min"), ("max", "max")),
        ],
        [
            [
                *(cell(level) for level in each.cell.levels),
                cell(each.cell.n),
                cell(each.failed),
                cell(describe_notes(analysis, each.notes)),
                _value(analysis, each.centre),
                _ends(analysis, each.mean),
                _value(analysis, each.sd, each.centre, 2),
                _value(analysis, each.bar, each.centre, 2),
                _value(analysis, each.median.value if each.median else None),
                _ends(analysis, each.median),
                _value(analysis, float(each.cell.values.min())),
                _value(analysis, float(each.cell.values.max())),
            ]
            for each in analysis.summaries
        ],
    )


def describe_notes(analysis: Analysis, notes: Notes) -> str:
    """What is to be noted of a cell; empty where there is nothing."""
    parts = []
    if notes.usual_n is not None:
        parts.append(f"most cells have {notes.usual_n} samples")
    if notes.modes is not None:
        low, high = notes.modes.low, notes.modes.high
        parts.append(
            f"modes at {value_words(analysis, low, digits=3)} (n {notes.modes.low_n}) and "
            f"{value_words(analysis, high, digits=3)} (n {notes.modes.high_n})"
        )
    if notes.outliers:
        shown = [value_words(analysis, each, digits=3) or "" for each in notes.outliers[:3]]
        more = f", and {len(notes.outliers) - 3} more" if len(notes.outliers) > 3 else ""
        parts.append(f"{words.count(len(notes.outliers), 'outlier')}: {', '.join(shown)}{more}")
    if notes.repeated is not None:
        value, count = notes.repeated
        parts.append(f"{value:g} stands there {count} times")
    return "; ".join(parts)


def modes(analysis: Analysis) -> Table:
    """Comparisons with the baseline in which a cell has several modes: gains by means, and by medians."""
    return table(
        [
            *((name, name) for name in analysis.cases),
            *((configuration_title(analysis), "configuration"), ("gain by means", "speed_gained_share")),
            *(("gain by medians", "median_gained_share"), ("means and medians", "agreement"), ("modes", "modes")),
        ],
        [
            [
                *(cell(level) for level in pair.case),
                cell(short_name(analysis, analysis.configuration_of(pair.second))),
                _share(pair.speed_value),
                _share(pair.median_value),
                cell("DISAGREE" if disagrees(pair) else "agree"),
                cell(_modes_of(analysis, pair)),
            ]
            for pair in analysis.pairs
            if analysis.has_modes(pair)
        ],
    )


def _modes_of(analysis: Analysis, pair: ConfigurationPair) -> str:
    texts = []
    for side, own in (("base", pair.first), ("", pair.second)):
        notes = analysis.notes[own.levels]
        if notes.modes is not None:
            text = describe_notes(analysis, Notes(modes=notes.modes)).removeprefix("modes at ")
            texts.append(f"{side}: {text}" if side else text)
    return "; ".join(texts)


def aside(analysis: Analysis) -> Table:
    """Gains over the baseline without the rows that were set aside, and with them."""
    keys = [key for each in analysis.alternatives for key in each.pairs]
    without = {(pair.first.levels, pair.second.levels): pair for pair in analysis.pairs}
    rows = []
    for key in dict.fromkeys([*without, *keys]):
        pairs = [without.get(key), *(each.pairs.get(key) for each in analysis.alternatives)]
        known = next(pair for pair in pairs if pair is not None)
        of_cells = [sum(each.rows.get(levels, 0) for levels in key) for each in analysis.alternatives]
        if not any(of_cells):
            continue
        verdicts = {pair.verdict if pair else "no sample" for pair in pairs}
        rows.append(
            [
                *(cell(level) for level in known.case),
                cell(short_name(analysis, analysis.configuration_of(known.second))),
                cell("the same" if len(verdicts) == 1 else "DIFFERENT"),
                *(_gain_and_verdict(analysis, pair) for pair in pairs),
                *(cell(count) for count in of_cells),
            ]
        )
    named = ["without them", *(each.words for each in analysis.alternatives)]
    ends = ["without", *("with_" + "_and_".join(each.kinds) for each in analysis.alternatives)]
    return table(
        [
            *((name, name) for name in analysis.cases),
            *((configuration_title(analysis), "configuration"), ("verdict", "same_verdict")),
            *((name, f"gain_{end}|verdict_{end}") for name, end in zip(named, ends, strict=True)),
            *(
                (f"{' and '.join(each.kinds)} rows", f"{'_and_'.join(each.kinds)}_rows")
                for each in analysis.alternatives
            ),
        ],
        rows,
    )


def verdict_words(data: Dataset, verdict: str) -> str:
    """A verdict for people: what is neither time nor rate is better or worse."""
    return verdict if data.is_speed else {FASTER: "better", SLOWER: "worse"}.get(verdict, verdict)


def _gain_and_verdict(analysis: Analysis, pair: ConfigurationPair | None) -> TableCell:
    if pair is None:
        return cell(None, "no sample")
    shown = words.percent(pair.speed_value, signed=True)
    return cell((pair.speed_value, pair.verdict), f"{shown}, {verdict_words(analysis.data, pair.verdict)}")


def verdicts(analysis: Analysis) -> Table:
    """What a terminal has room for of `gains` over the baseline."""
    full = gains(analysis, analysis.pairs)
    wanted = (
        "configuration",
        "verdict",
        "speed_gained_share",
        "speed_low|speed_high",
        "time_saved_share",
        "p_holm",
        "bars",
    )
    kept = [k for k, key in enumerate(full.keys) if key in wanted or key in analysis.cases]
    return Table(
        tuple(full.columns[k] for k in kept),
        tuple(full.keys[k] for k in kept),
        tuple(tuple(row[k] for k in kept) for row in full.rows),
    )


def gains(analysis: Analysis, pairs: Sequence[ConfigurationPair]) -> Table:
    """Two configurations a row, the second judged against the first."""
    of_case = [(name, name) for name in analysis.cases]
    gained, saved = ("speed gained", "time saved") if analysis.data.is_speed else ("gained", "saved")
    return table(
        [
            *of_case,
            *((configuration_title(analysis), "configuration"), ("against", "base"), ("verdict", "verdict")),
            *((gained, "speed_gained_share"), ("interval", "speed_low|speed_high")),
            *(("by medians", "median_gained_share"), (saved, "time_saved_share"), ("p, Holm", "p_holm")),
            *(("bars", "bars"), ("difference", "difference"), ("interval", "difference_low|difference_high")),
            *(("p, FDR", "p_fdr"), ("Cliff", "cliffs_delta"), ("Hedges", "hedges_g"), ("better runs", "better_runs")),
            ("n", "n"),
        ],
        [_gain_row(analysis, pair) for pair in pairs],
    )


def _gain_row(analysis: Analysis, pair: ConfigurationPair) -> list[TableCell]:
    difference = pair.difference.estimate if pair.difference else None
    apart = difference.value if difference else pair.second.mean - pair.first.mean
    return [
        *(cell(level) for level in pair.case),
        cell(short_name(analysis, analysis.configuration_of(pair.second))),
        cell(short_name(analysis, analysis.configuration_of(pair.first))),
        cell(pair.verdict, verdict_words(analysis.data, pair.verdict)),
        _share(pair.speed_value),
        _share_ends(pair.speed),
        _share(pair.median_value),
        _share(1 - 1 / (1 + pair.speed_value)),
        _p(pair.p_holm),
        cell(None) if pair.bars_overlap is None else cell("overlap" if pair.bars_overlap else "apart"),
        _value(analysis, apart, pair.first.mean, 3),
        _ends(analysis, difference, pair.first.mean),
        _p(pair.p_fdr),
        cell(pair.delta, words.significant(pair.delta, 2)),
        cell(pair.g, None if pair.g is None else words.significant(pair.g, 2)),
        cell(pair.better_runs),
        cell(pair.second.n),
    ]


def groups(analysis: Analysis) -> Table:
    """Mean gain of each group at each configuration."""
    return table(
        [
            *(("group", "group"), (configuration_title(analysis), "configuration")),
            *(
                (f"mean of {analysis.data.gain_words.replace('gain', 'gains')}", "speed_gained_share"),
                ("interval of replicates", "replicates_low|replicates_high"),
            ),
            ("cells", "cells"),
        ],
        [
            [
                cell(each.group),
                cell(short_name(analysis, each.configuration)),
                _share(each.value),
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
            *(("neighbours", "neighbours"), ("takes longer", "whole"), ("interval", "whole_low|whole_high")),
            *(("by share of processors", "processors"), ("interval", "processors_low|processors_high")),
            *(("by the network", "network"), ("interval", "network_low|network_high")),
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


def _part(part: LossFactor | None) -> list[TableCell]:
    if part is None:
        return [cell(None), cell(None)]
    shown = cell(part.value, f"× {words.significant(part.value)}")
    if part.interval is None:
        return [shown, cell(None)]
    low, high = part.interval.low, part.interval.high
    return [shown, cell((low, high), f"{words.significant(low)} to {words.significant(high)}")]


def configuration_name(analysis: Analysis, levels: Sequence[Label]) -> str:
    """A configuration with the names of its factors: "nics 4, policy layer2"."""
    return describe_levels(dict(zip(analysis.configurations, levels, strict=True)))


def case_name(analysis: Analysis, levels: Sequence[Label]) -> str:
    """A case with the names of its factors; of an evaluation without cases its name."""
    return describe_levels(dict(zip(analysis.cases, levels, strict=True))) or analysis.data.name


def short_name(analysis: Analysis, levels: Sequence[Label]) -> str:
    """A configuration where its only factor is named beside it: the level."""
    return str(levels[0]) if len(levels) == 1 else configuration_name(analysis, levels)


def configuration_title(analysis: Analysis) -> str:
    """What a column or legend of `short_name` is headed by."""
    return analysis.configurations[0] if len(analysis.configurations) == 1 else "configuration"


def _value(analysis: Analysis, value: float | None, like: float | None = None, digits: int = 4) -> TableCell:
    return cell(value, value_words(analysis, value, like, digits))


def _ends(analysis: Analysis, estimate: Estimate | None, like: float | None = None) -> TableCell:
    if estimate is None:
        return cell(None)
    low = value_words(analysis, estimate.low, like or estimate.value)
    high = value_words(analysis, estimate.high, like or estimate.value)
    assert low is not None
    return cell((estimate.low, estimate.high), f"{low.partition(words.NBSP)[0]} to {high}")


def _share(value: float | None) -> TableCell:
    return cell(value, None if value is None else words.percent(value, signed=True, decimals=2))


def _share_ends(estimate: Estimate | None) -> TableCell:
    if estimate is None:
        return cell(None)
    shown = words.percent_interval(estimate, signed=True, decimals=2)
    return cell((estimate.low, estimate.high), shown)


def _p(p: float | None) -> TableCell:
    return cell(p, None if p is None else words.probability(p))
