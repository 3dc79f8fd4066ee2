"""Tables of an evaluation's management: what it did in each cell, and what it gives and costs."""

from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table


def did(analysis: Analysis) -> Table:
    """Medians of the runs of every cell with agents."""
    return table(
        [
            *((name, name) for name in analysis.data.factors),
            *(("runs", "runs"), ("reroutes", "reroutes"), ("migrations", "migrations")),
            *(("first reroute after", "reaction_s"), ("messages relayed", "relayed")),
            *(("communication time", "communication_s"), ("accounted", "accounted"), ("interval", "low|high")),
        ],
        [
            [
                *(cell(level) for level in each.levels),
                cell(each.runs),
                _number(each.reroutes),
                _number(each.migrations),
                duration_cell(each.reaction_s),
                _number(each.relayed),
                duration_cell(each.communication_s),
                *_share(each.accounted, decimals=2),
            ]
            for each in analysis.managed
        ],
    )


def gains(analysis: Analysis) -> Table:
    """Every level of management against none, case by case."""
    plan = analysis.data.record.plan
    apart = {(plan.get(name) or {}).get("factor") for name in ("congestion", "management")}
    return table(
        [
            *((name, name) for name in analysis.data.factors if name not in apart),
            *(("congestion", "congestion"), ("management", "management"), ("slowdown", "slowdown")),
            *(("recovered", "recovered"), ("interval", "recovered_low|recovered_high")),
            *(("overhead", "overhead"), ("interval", "overhead_low|overhead_high")),
        ],
        [
            [
                *(cell(level) for level in each.case),
                cell(each.congestion),
                cell(each.management),
                cell(each.slowdown.value, _times(each.slowdown.value)),
                *_share(each.recovered, decimals=0),
                *_share(each.overhead, signed=True),
            ]
            for each in analysis.managements
        ],
    )


def _share(result: EffectEstimate, *, signed: bool = False, decimals: int = 1) -> tuple[TableCell, TableCell]:
    estimate = result.estimate
    if estimate is None:
        bare = result.point
        return cell(bare, None if bare is None else words.percent(bare, signed=signed, decimals=decimals)), cell(None)
    shown = words.percent_interval(estimate, signed=signed, decimals=decimals)
    return (
        cell(estimate.value, words.percent(estimate.value, signed=signed, decimals=decimals)),
        cell((estimate.low, estimate.high), shown),
    )


def _times(value: float | None) -> str | None:
    return None if value is None else f"× {words.significant(value)}"


def _number(value: float | None) -> TableCell:
    return cell(value, None if value is None else f"{value:g}")
