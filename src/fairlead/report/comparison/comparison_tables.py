"""Tables of a comparison, the same for terminal, HTML and CSV."""

from fairlead.analysis.comparison import Comparison, ScenarioRuns, case_of
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.prices import efficiency
from fairlead.prices.run_cost import RunCost
from fairlead.report.comparison.comparison_figures import scenario_name, stage_name
from fairlead.statistics.estimates import speed_gained, time_saved


def run_times(comparison: Comparison) -> Table:
    """Median, interval and scatter of every program and scenario."""
    return table(
        [
            ("program", "program"),
            ("scenario", "scenario"),
            ("median", "median_s"),
            (f"{words.level(comparison.level)} interval", "interval"),
            ("sd", "sd_s"),
            ("min", "min_s"),
            ("max", "max_s"),
            ("runs", "runs"),
            ("failed", "failed"),
            ("busy", "processors_busy"),
        ],
        [
            [cell(program.name), *_run_time_row(each)]
            for program in comparison.programs
            for each in program.scenarios()
            if each.n or each.failed
        ],
    )


def _run_time_row(each: ScenarioRuns) -> list[TableCell]:
    estimate, spread = each.median.estimate, each.spread
    return [
        cell(scenario_name(each.scenario)),
        duration_cell(each.median_s),
        cell(None) if estimate is None else cell(_ends(estimate.low, estimate.high), words.duration_interval(estimate)),
        duration_cell(spread.sd if spread else None, 2, like_s=each.median_s),
        duration_cell(spread.low if spread else None, like_s=each.median_s),
        duration_cell(spread.high if spread else None, like_s=each.median_s),
        cell(each.n),
        cell(each.failed),
        _busy(each),
    ]


def _busy(each: ScenarioRuns) -> TableCell:
    if each.busy is None:
        return cell(None)
    return cell(each.busy, words.percent(each.busy, decimals=0) + (" (limit)" if each.limited_by_processors else ""))


def effects(comparison: Comparison) -> Table:
    """What each program (and stage) recovered and cost."""
    rows = [
        [
            cell(stage_name(program, stage)),
            *_share(stage.recovered, decimals=0),
            *_share(stage.overhead, signed=True),
            *_share(stage.accounted, decimals=2),
        ]
        for program in comparison.programs
        for stage in program.stages
    ]
    return table(
        [
            ("program", "program"),
            ("recovered", "recovered"),
            ("interval", "recovered_interval"),
            ("overhead", "overhead"),
            ("interval", "overhead_interval"),
            ("accounted", "overhead_accounted"),
            ("interval", "overhead_accounted_interval"),
        ],
        rows,
    )


def unsaid(comparison: Comparison) -> list[str]:
    """Why figures or intervals of the table of effects are missing, each reason once."""
    missing: dict[tuple[str, str], list[str]] = {}
    for program in comparison.programs:
        for stage in program.stages:
            name = stage_name(program, stage)
            for figure in ("recovered", "overhead", "accounted"):
                found: EffectEstimate = getattr(stage, figure)
                if found.estimate is None:
                    missing.setdefault((figure, found.reason), []).append(name)
    every = sum(len(program.stages) for program in comparison.programs)
    return [
        f"{figure}{'' if len(names) == every else ' of ' + words.listing(names)}: {reason}."
        for (figure, reason), names in missing.items()
    ]


def gains(comparison: Comparison) -> Table:
    """The congested run times with management against those without, in both definitions of a gain."""
    rows = []
    for program in comparison.programs:
        for stage in program.stages:
            before, after = program.congested.median_s, stage.congested.median_s
            if before is None or after is None:
                continue
            saved, faster = time_saved(before, after), speed_gained(before, after)
            rows.append(
                [
                    cell(stage_name(program, stage)),
                    duration_cell(before),
                    duration_cell(after),
                    cell(saved, words.percent(saved)),
                    cell(faster, words.percent(faster, signed=True)),
                ]
            )
    return table(
        [
            ("program", "program"),
            ("congested", "t_ic_s"),
            ("managed", "t_ic_managed_s"),
            ("time saved", "time_saved_share"),
            ("speed gained", "speed_gained_share"),
        ],
        rows,
    )


def costs(comparison: Comparison) -> Table:
    """What a whole run of median length costs, of every program and scenario; without rows where no price is known."""
    return table(
        [
            *(("program", "program"), ("scenario", "scenario"), ("median", "median_s")),
            *(("an hour", "price_per_hour"), ("a run", "price_per_run")),
            *(("interval", "price_low|price_high"), ("runs an hour per price of an hour", "efficiency")),
        ],
        [
            [cell(program.name), cell(scenario_name(each.scenario)), *_cost_row(each, each.cost)]
            for program in comparison.programs
            for each in program.scenarios()
            if each.cost is not None
        ],
    )


def _cost_row(each: ScenarioRuns, cost: RunCost) -> list[TableCell]:
    estimate = each.whole.estimate
    interval = cell(None)
    if estimate is not None:
        low, high = (efficiency.cost(cost.per_hour, end) for end in (max(estimate.low, 0.0), estimate.high))
        interval = cell((low, high), f"{words.significant(low)} to {words.money(high, cost.currency)}")
    return [
        duration_cell(cost.time_s),
        cell(cost.per_hour, words.money(cost.per_hour, cost.currency, 4)),
        cell(cost.per_run, words.money(cost.per_run, cost.currency)),
        interval,
        cell(cost.efficiency, words.significant(cost.efficiency, 4)),
    ]


def price_words(comparison: Comparison) -> str:
    """Where the prices come from, in words; empty where none is known."""
    return comparison.book.describe(comparison.systems) if comparison.book else ""


def unpriced(comparison: Comparison) -> str:
    """Which systems have no price though there is a price book, in words; empty: they have, or there is no book."""
    missing = comparison.book.missing(comparison.systems) if comparison.book else ""
    return f"Cost: {missing}." if missing else ""


def differences(comparison: Comparison) -> Table:
    """What can be told apart."""
    return table(
        [
            ("program", "program"),
            ("from", "first"),
            ("to", "second"),
            ("difference of means", "difference_s"),
            ("interval", "interval"),
            ("p, adjusted", "p_holm"),
            ("effect (Cliff)", "cliffs_delta"),
            ("verdict", "verdict"),
        ],
        [
            [
                cell(each.program),
                cell(scenario_name(each.first.scenario)),
                cell(scenario_name(each.second.scenario)),
                duration_cell(each.difference.estimate.value),
                cell(
                    _ends(each.difference.estimate.low, each.difference.estimate.high),
                    words.duration_interval(each.difference.estimate),
                ),
                cell(each.p_adjusted, words.probability(each.p_adjusted)),
                cell(each.delta, words.significant(each.delta, 2)),
                cell("differ" if each.told_apart else "no significant difference"),
            ]
            for each in comparison.differences
        ],
    )


def runs(comparison: Comparison) -> Table:
    """Every run in the order made."""
    times = {
        (program.name, each.scenario, replication): time_s
        for program in comparison.programs
        for each in program.scenarios()
        for replication, time_s in each.times_s.items()
    }
    rows = []
    for run in comparison.runs:
        key = (case_of(run), str(run.labels["scenario"]), int(run.labels.get("replication", 0)))
        rows.append(
            [
                cell(run.id),
                cell(words.moment(run.started_s)),
                cell(key[0]),
                cell(scenario_name(key[1])),
                cell(key[2]),
                duration_cell(times.get(key) if run.status == "ok" else None),
                cell(run.status),
                cell((run.error or "").splitlines()[0] if run.error else ""),
            ]
        )
    columns = ("run", "started", "program", "scenario", "replication", "time", "status", "error")
    return table([(name, "time_s" if name == "time" else name) for name in columns], rows)


def _ends(low: float, high: float) -> str:
    return f"{low!r}..{high!r}"


def _share(result: EffectEstimate, *, signed: bool = False, decimals: int = 1) -> tuple[TableCell, TableCell]:
    estimate = result.estimate
    if estimate is None:
        bare = result.point
        shown = None if bare is None else words.percent(bare, signed=signed, decimals=decimals)
        return cell(bare, shown), cell(None)
    return (
        cell(estimate.value, words.percent(estimate.value, signed=signed, decimals=decimals)),
        cell(_ends(estimate.low, estimate.high), words.percent_interval(estimate, signed=signed, decimals=decimals)),
    )
