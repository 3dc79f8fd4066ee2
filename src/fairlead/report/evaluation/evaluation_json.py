"""The report of an evaluation as JSON: its figures for machines, a contract (`fairlead.contract`)."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field

from fairlead.analysis.evaluations import cost
from fairlead.analysis.evaluations.analysis import Analysis, CellSummary
from fairlead.analysis.evaluations.aside import Alternative as Aside
from fairlead.analysis.evaluations.configuration_pair import ConfigurationPair
from fairlead.analysis.evaluations.dataset import Levels, is_imported
from fairlead.analysis.evaluations.losses import LossFactor
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.contract import Document, Finite, Part
from fairlead.report.evaluation import cost_table, evaluation_report, evaluation_tables, network_tables
from fairlead.report.summary import CostSummary, Interval, interval_of
from fairlead.statistics.estimates import Estimate
from fairlead.store import Label

SCHEMA_VERSION = "1.0"
SCHEMA_FILE = Path(__file__).with_name("evaluation.schema.json")

NamedLevels = dict[str, Label]
"""Levels by factor."""


class Figure(Part):
    """A figure. ``interval``: null where samples do not give one; an end that is null: unbounded on that side."""

    value: Finite
    interval: Interval | None


class Cell(Part):
    """All samples of one combination of levels, in the ``unit`` of the evaluation.

    ``failed``: runs that are no samples. ``notes``: on unusual samples, in words. ``median``, ``sd``,
    ``three_standard_errors``: null with too few samples. ``cost``: null where no price is known.
    """

    levels: NamedLevels
    n: int
    failed: int
    notes: str
    mean: Figure
    median: Figure | None
    sd: Finite | None
    three_standard_errors: Finite | None
    least: Finite
    greatest: Finite
    cost: CostSummary | None


class Gain(Part):
    """A ``configuration`` against the one that is its ``base``, in one ``case``: the levels of all other factors.

    ``gain``: in speed, of means: base / t - 1 of times, rate / base - 1 of rates; ``gain_by_medians``: the same of
    medians. ``time_saved``: 1 - t / base. Shares are plain numbers. ``verdict``: faster, slower, no significant
    difference, or too few samples; by ``p_holm``, which is of all such comparisons together. ``difference``: of means.
    ``better_runs``: of ``n``, those that beat the base's mean.
    """

    case: NamedLevels
    configuration: NamedLevels
    base: NamedLevels
    verdict: str
    gain: Figure
    gain_by_medians: Finite | None
    time_saved: Finite
    difference: Figure
    p_holm: Finite | None
    p_fdr: Finite | None
    cliffs_delta: Finite
    hedges_g: Finite | None
    bars_overlap: bool | None
    better_runs: int
    n: int


class GroupGain(Part):
    """The mean of the gains of a group's ``cells``. Its interval covers the scatter of replicates, not of cells."""

    group: str
    configuration: NamedLevels
    gain: Figure
    cells: int


class BetterShares(Part):
    """Of a group (or "all"): cells and single runs that are better than the baseline."""

    group: str
    better_cells: int
    cells: int
    better_runs: int
    runs: int


class Effect(Part):
    """A line of the analysis of variance of the logarithm. ``error``: what it was tested against; empty for errors."""

    effect: str
    degrees_of_freedom: int
    squares: Finite
    share: Finite
    f: Finite | None
    p: Finite | None
    error: str


class NeighbourLoss(Part):
    """How many times as long a program takes beside ``neighbours``: ``whole``, by their share of the ``processors``,
    and by the ``network``; null where there is nothing to compare with."""

    case: NamedLevels
    neighbours: str
    whole: Figure | None
    processors: Figure | None
    network: Figure | None


class Managed(Part):
    """What management did in a cell: medians of its ``runs``. Null: ``reaction_s``, no reroute after congestion began;
    ``relayed``, not over the relay plane; ``communication_s``, messages were not watched; ``accounted``, not known."""

    levels: NamedLevels
    runs: int
    reroutes: Finite
    migrations: Finite
    reaction_s: Finite | None
    relayed: Finite | None
    communication_s: Finite | None
    accounted: Figure | None


class ManagementGain(Part):
    """A level of ``management`` against none in one case. ``reasons``: why a figure is null, or has no interval."""

    case: NamedLevels
    congestion: str
    management: str
    slowdown: Figure | None
    recovered: Figure | None
    overhead: Figure | None
    reasons: dict[str, str]


class NetworkTheory(Part):
    """A network configuration beside theory. ``predicted_nics``, ``counted_nics``: NICs of use, by the formula and by
    their counters. ``theory_ratio``: how many times faster than the baseline's network by the busiest NIC;
    ``bounded_ratio``: with the program's share of time in MPI; ``speed_ratio``: as measured."""

    case: NamedLevels
    configuration: NamedLevels
    remark: str
    flows: Finite
    sends_nics: Interval
    predicted_nics: Finite | None
    counted_nics: Finite
    off_share: Finite | None
    retransmitted: int
    theory_ratio: Finite
    bounded_ratio: Finite | None
    speed_ratio: Figure


class Alternative(Part):
    """Gains over the baseline that the rows of these ``kinds`` change, which were set aside, with these rows."""

    kinds: list[str]
    gains: list[Gain]


class EvaluationSummary(Document):
    """The whole text. ``value``, ``unit``: what was measured. ``baseline``: what ``gains`` refer to; ``other_gains``
    are of any two other configurations. ``no_effects``: why there are none. ``unpriced``: why cells have no cost though
    there is a price book. Both are empty where there is nothing to say."""

    schema_name: str = Field(alias="schema", default="fairlead.evaluation")
    schema_version: str = SCHEMA_VERSION
    run: int
    name: str
    imported: bool
    complete: bool
    started_s: Finite
    level: Finite
    value: str
    unit: str
    lower_is_better: bool
    factors: dict[str, list[Label]]
    baseline: NamedLevels
    findings: list[str]
    warnings: list[str]
    cells: list[Cell]
    gains: list[Gain]
    other_gains: list[Gain]
    groups: list[GroupGain]
    shares: list[BetterShares]
    effects: list[Effect]
    no_effects: str
    losses: list[NeighbourLoss]
    managed: list[Managed]
    management_gains: list[ManagementGain]
    networks: list[NetworkTheory]
    aside: list[Alternative]
    unpriced: str


def of(analysis: Analysis) -> EvaluationSummary:
    """The figures of a report."""
    data = analysis.data
    return EvaluationSummary(
        run=data.record.id,
        name=data.name,
        imported=is_imported(data.record),
        complete=data.record.ended_s is not None,
        started_s=data.record.started_s,
        level=analysis.level,
        value=data.series,
        unit=data.unit,
        lower_is_better=data.lower_is_better,
        factors={name: data.levels_of(name) for name in data.factors},
        baseline=_configuration(analysis, analysis.baseline),
        findings=[_plain(text) for text in evaluation_report.findings(analysis)],
        warnings=[_plain(text) for text in analysis.warnings],
        cells=list(_cells(analysis)),
        gains=[_gain(analysis, pair) for pair in analysis.pairs],
        other_gains=[_gain(analysis, pair) for pair in analysis.other_pairs],
        groups=_groups(analysis),
        shares=_shares(analysis),
        effects=_effects(analysis),
        no_effects=analysis.no_effects,
        losses=_losses(analysis),
        managed=_managed(analysis),
        management_gains=_management_gains(analysis),
        networks=_networks(analysis),
        aside=[_alternative(analysis, each) for each in analysis.alternatives],
        unpriced=_plain(cost_table.unpriced(analysis)),
    )


def _cells(analysis: Analysis) -> Iterator[Cell]:
    costs = _costs(analysis)
    for each in analysis.summaries:
        values = each.cell.values
        yield Cell(
            levels=analysis.data.named(each.cell),
            n=each.cell.n,
            failed=each.failed,
            notes=_plain(evaluation_tables.describe_notes(analysis, each.notes)),
            mean=_mean(each),
            median=_figure(each.median),
            sd=each.sd,
            three_standard_errors=each.bar,
            least=float(values.min()),
            greatest=float(values.max()),
            cost=costs.get(each.cell.levels),
        )


def _mean(each: CellSummary) -> Figure:
    return _figure(each.mean) or Figure(value=each.centre, interval=None)


def _costs(analysis: Analysis) -> dict[Levels, CostSummary]:
    """By the levels of cells, of those that have a price."""
    source = analysis.prices
    if source is None or analysis.data.unit != "s":
        return {}
    return {
        each.cell.levels: CostSummary(
            currency=source.currency, per_hour=each.per_hour, per_run=each.per_run, efficiency=each.efficiency
        )
        for each in cost.priced(analysis.data, source)
    }


def _gain(analysis: Analysis, pair: ConfigurationPair) -> Gain:
    difference = _figure(pair.difference.estimate) if pair.difference else None
    return Gain(
        case=_case(analysis, pair),
        configuration=_configuration(analysis, analysis.configuration_of(pair.second)),
        base=_configuration(analysis, analysis.configuration_of(pair.first)),
        verdict=pair.verdict,
        gain=Figure(value=pair.speed_value, interval=None if pair.speed is None else interval_of(pair.speed)),
        gain_by_medians=pair.median_value,
        time_saved=1 - 1 / (1 + pair.speed_value),
        difference=difference or Figure(value=pair.second.mean - pair.first.mean, interval=None),
        p_holm=_finite(pair.p_holm),
        p_fdr=_finite(pair.p_fdr),
        cliffs_delta=pair.delta,
        hedges_g=_finite(pair.g),
        bars_overlap=pair.bars_overlap,
        better_runs=pair.better_runs,
        n=pair.second.n,
    )


def _groups(analysis: Analysis) -> list[GroupGain]:
    return [
        GroupGain(
            group=each.group,
            configuration=_configuration(analysis, each.configuration),
            gain=Figure(value=each.value, interval=None if each.interval is None else interval_of(each.interval)),
            cells=each.cells,
        )
        for each in analysis.groups
    ]


def _shares(analysis: Analysis) -> list[BetterShares]:
    return [
        BetterShares(
            group=each.group,
            better_cells=each.better_cells,
            cells=each.cells,
            better_runs=each.better_runs,
            runs=each.runs,
        )
        for each in analysis.shares
    ]


def _effects(analysis: Analysis) -> list[Effect]:
    return [
        Effect(
            effect=each.name,
            degrees_of_freedom=each.degrees,
            squares=each.squares,
            share=each.share,
            f=_finite(each.f),
            p=_finite(each.p),
            error=each.error,
        )
        for each in analysis.effects
    ]


def _losses(analysis: Analysis) -> list[NeighbourLoss]:
    names = _factors_but(analysis, "neighbours")
    return [
        NeighbourLoss(
            case=dict(zip(names, each.case, strict=True)),
            neighbours=each.neighbours,
            whole=_part(each.whole),
            processors=_part(each.processors),
            network=_part(each.network),
        )
        for each in analysis.losses
    ]


def _managed(analysis: Analysis) -> list[Managed]:
    return [
        Managed(
            levels=dict(zip(analysis.data.factors, each.levels, strict=True)),
            runs=each.runs,
            reroutes=each.reroutes,
            migrations=each.migrations,
            reaction_s=each.reaction_s,
            relayed=each.relayed,
            communication_s=each.communication_s,
            accounted=_effect(each.accounted),
        )
        for each in analysis.managed
    ]


def _management_gains(analysis: Analysis) -> list[ManagementGain]:
    names = _factors_but(analysis, "congestion", "management")
    found = []
    for each in analysis.managements:
        results = {"slowdown": each.slowdown, "recovered": each.recovered, "overhead": each.overhead}
        found.append(
            ManagementGain(
                case=dict(zip(names, each.case, strict=True)),
                congestion=each.congestion,
                management=each.management,
                reasons={name: result.reason for name, result in results.items() if result.estimate is None},
                slowdown=_effect(each.slowdown),
                recovered=_effect(each.recovered),
                overhead=_effect(each.overhead),
            )
        )
    return found


def _networks(analysis: Analysis) -> list[NetworkTheory]:
    found = []
    for each in network_tables.compared(analysis):
        pair, seen = each.pair, each.seen
        interval = None if pair.speed is None else interval_of(pair.speed)
        found.append(
            NetworkTheory(
                case=_case(analysis, pair),
                configuration=_configuration(analysis, analysis.configuration_of(pair.second)),
                remark=_plain(each.remark),
                flows=seen.flows,
                sends_nics=seen.sends,
                predicted_nics=seen.predicted,
                counted_nics=seen.counted,
                off_share=seen.off_share,
                retransmitted=seen.retransmitted,
                theory_ratio=each.theory,
                bounded_ratio=each.bounded,
                speed_ratio=Figure(value=1 + pair.speed_value, interval=_ratio(interval)),
            )
        )
    return found


def _alternative(analysis: Analysis, found: Aside) -> Alternative:
    """Only comparisons of cells that have such rows."""
    changed = [pair for levels, pair in found.pairs.items() if any(found.rows.get(each) for each in levels)]
    return Alternative(kinds=list(found.kinds), gains=[_gain(analysis, pair) for pair in changed])


def _case(analysis: Analysis, pair: ConfigurationPair) -> NamedLevels:
    return dict(zip(analysis.cases, pair.case, strict=True))


def _configuration(analysis: Analysis, levels: Sequence[Label]) -> NamedLevels:
    return dict(zip(analysis.configurations, levels, strict=True))


def _factors_but(analysis: Analysis, *tables: str) -> list[str]:
    """The factors without those that these tables of the plan name."""
    apart = {(analysis.data.record.plan.get(name) or {}).get("factor") for name in tables}
    return [name for name in analysis.data.factors if name not in apart]


def _ratio(gain: Interval | None) -> Interval | None:
    """The interval of a ratio, by that of the gain."""
    if gain is None:
        return None
    low, high = (None if end is None else 1 + end for end in gain)
    return low, high


def _figure(estimate: Estimate | None) -> Figure | None:
    return None if estimate is None else Figure(value=estimate.value, interval=interval_of(estimate))


def _effect(result: EffectEstimate) -> Figure | None:
    if result.estimate is not None:
        return _figure(result.estimate)
    return None if result.point is None else Figure(value=result.point, interval=None)


def _part(part: LossFactor | None) -> Figure | None:
    if part is None:
        return None
    return Figure(value=part.value, interval=None if part.interval is None else interval_of(part.interval))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _plain(text: str) -> str:
    """Text with usual spaces."""
    return text.replace("\u00a0", " ")
