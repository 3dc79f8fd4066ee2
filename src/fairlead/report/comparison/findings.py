"""What a comparison says, in words, with how sure it is: the report's first paragraph."""

from collections.abc import Callable

from fairlead.analysis import program_results
from fairlead.analysis.comparison import LEAST_TIMED_S, LEAST_TIMED_SHARE, Comparison, ProgramResults, Stage
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.analysis.runs.migrations import completed
from fairlead.display import words
from fairlead.manage.data_planes import PLANES
from fairlead.protocol import reasons
from fairlead.report.run.run_findings import NO_DETOUR
from fairlead.statistics.estimates import least_for_bootstrap, median

MOST_TOLD = 4
"""Programs or cases up to which the lead tells of each; of more, tables and their own sections do."""


def paragraphs(comparison: Comparison) -> list[str]:
    """The lead, then what limits all of it."""
    return [*lead(comparison), *caveats(comparison)]


def lead(comparison: Comparison) -> list[str]:
    """One paragraph a program, or one for all where there are many."""
    if len(comparison.programs) <= MOST_TOLD:
        return [of_program(program, comparison.level) for program in comparison.programs]
    slowdowns = [(program.slowdown.value, program.name) for program in comparison.programs]
    recovered = [(program.final.recovered.value, program.name) for program in comparison.programs]
    overheads = [(program.final.overhead.value, program.name) for program in comparison.programs]
    parts = [
        _range("Cross-traffic slowed them down by a factor of", slowdowns, lambda value: words.significant(value, 2)),
        _range("fairlead recovered", recovered, lambda value: words.percent(value, decimals=0)),
        _range("Overhead on a clean network:", overheads, lambda value: words.percent(value, signed=True)),
    ]
    return [" ".join([f"{len(comparison.programs)} cases, each compared with itself.", *filter(None, parts)])]


def _range(what: str, values: list[tuple[float | None, str]], shown: Callable[[float], str]) -> str:
    known = sorted((value, name) for value, name in values if value is not None)
    if not known:
        return ""
    (low, first), (high, last) = known[0], known[-1]
    missing = f"; unknown for {words.count(len(values) - len(known), 'case')}" if len(known) < len(values) else ""
    return f"{what} {shown(low)} ({first}) to {shown(high)} ({last}){missing}."


def of_program(program: ProgramResults, level: float) -> str:
    """What the runs of one program or case say."""
    return " ".join(
        text
        for text in (
            f"{program.name}: {_congestion(program)}",
            *(text for stage in _told(program) for text in _of_stage(program, stage, level)),
        )
        if text
    )


def _told(program: ProgramResults) -> list[Stage]:
    """The planes that stand side by side; else the stage with all components."""
    return [stage for stage in program.stages if stage.name in PLANES] or [program.final]


def _of_stage(program: ProgramResults, stage: Stage, level: float) -> list[str]:
    return [_recovery(program, stage, level), _reroutes(program, stage), _migrations(stage), _overhead(stage, level)]


def _congestion(program: ProgramResults) -> str:
    clean, congested = program.clean, program.congested
    if clean.median_s is None or congested.median_s is None:
        missing = clean if clean.median_s is None else congested
        return f"no {missing.scenario} run finished, so the effect of congestion is unknown."
    factor = words.significant(congested.median_s / clean.median_s, 2)
    return (
        f"takes {factor} times as long under cross-traffic "
        f"({words.duration(clean.median_s)} clean, {words.duration(congested.median_s)} congested"
        f"{', by its own clock' if program.own_clock else ''})."
    )


def _recovery(program: ProgramResults, stage: Stage, level: float) -> str:
    managed_s = stage.congested.median_s
    if managed_s is None:
        return f"No managed congested run{_over(stage)} finished."
    text = f"With fairlead{_over(stage)}: {words.duration(managed_s)}"
    if program.has_detour is False:
        return f"{text}. {NO_DETOUR}"
    recovered = stage.recovered
    if recovered.point is not None:
        if recovered.point < 0:
            more = words.percent(-recovered.point, decimals=0)
            return f"{text}, worse by {more} of the lost time (single runs: no interval)."
        bare = words.percent(recovered.point, decimals=0)
        return f"{text}, which recovers {bare} of the lost time (single runs: no interval)."
    if recovered.estimate is None:
        return f"{text}; recovered share: not measurable ({recovered.reason})."
    share = recovered.estimate
    interval = f"{words.level(level)} CI {words.percent_interval(share, decimals=0)}"
    runs = words.count(share.n, "run") + (" of each kind" if share.n > 1 else "")
    if share.contains(0.0):
        recovered_share = words.percent(share.value, decimals=0)
        return f"{text}: no significant recovery ({recovered_share}, {interval}, {runs})."
    if share.value < 0:
        return f"{text}, worse by {words.percent(-share.value, decimals=0)} of the lost time ({interval})."
    return f"{text}, which recovers {words.percent(share.value, decimals=0)} of the lost time ({interval}, {runs})."


def _over(stage: Stage) -> str:
    return f" over the {stage.name} plane" if stage.name in PLANES else ""


def _reroutes(program: ProgramResults, stage: Stage) -> str:
    rerouted = [len(run.reroutes()) for run in stage.runs]
    if not rerouted:
        return ""
    if not any(rerouted):
        return "" if program.has_detour is False else f"No traffic was rerouted{_why_not(stage)}."
    reactions = [t for run in stage.runs for t in run.reaction_s()]
    reaction = (
        f", the first time {words.duration(median(reactions), 2)} after congestion began (median)" if reactions else ""
    )
    times = words.count(sum(rerouted), "time")
    return f"Under congestion traffic was rerouted {times} in {words.count(len(rerouted), 'run')}{reaction}."


def _migrations(stage: Stage) -> str:
    done = [each for run in stage.runs for each in completed(run.migrations)]
    if not done:
        return ""
    took = words.duration(median([each.time_s for each in done if each.time_s is not None]), 2)
    times = words.count(len(done), "virtual machine")
    return f"{times} migrated in {words.count(len(stage.runs), 'run')}, each in {took} (median)."


def _why_not(stage: Stage) -> str:
    why = {
        reasons.describe(decision.reason) for run in stage.runs for decision in run.decisions if decision.kind == "kept"
    }
    return f": {words.listing(sorted(why))}" if why else ""


def _overhead(stage: Stage, level: float) -> str:
    parts = [_measured(stage.overhead, level), _accounted(stage.accounted)]
    return " ".join(part for part in parts if part)


def _measured(overhead: EffectEstimate, level: float) -> str:
    if overhead.point is not None:
        value = words.percent(overhead.point, signed=True)
        return f"Overhead on a clean network: {value} (single runs: may be chance)."
    if overhead.estimate is None:
        return f"Overhead on a clean network: not measurable ({overhead.reason})."
    cost = overhead.estimate
    interval = f"{words.level(level)} CI {words.percent_interval(cost, signed=True)}"
    if cost.contains(0.0):
        value = words.percent(cost.value, signed=True)
        return f"Overhead on a clean network: not significant ({value}, {interval})."
    return f"Overhead on a clean network: {words.percent(cost.value, signed=True)} ({interval})."


def _accounted(accounted: EffectEstimate) -> str:
    if accounted.value is None:
        return ""
    return f"Its own counters account for {words.percent(accounted.value, decimals=2)}."


def _too_short(program: ProgramResults) -> str:
    """Of a program whose timed section says little; empty: it is long enough, or there is none."""
    clean_s, share = program.clean.median_s, program.timed_share
    if clean_s is None or share is None or (clean_s >= LEAST_TIMED_S and share >= LEAST_TIMED_SHARE):
        return ""
    return (
        f"The timed section of {program.name} is {words.duration(clean_s)} on a clean network, "
        f"{words.percent(share, decimals=0)} of a whole run"
    )


def caveats(comparison: Comparison) -> list[str]:
    """What a reader must know before relying on the figures."""
    found = []
    if not comparison.complete:
        why = "it is still running, was interrupted, or ran some of its cases only"
        found.append(f"This comparison is incomplete: {why}.")
    if comparison.deviations:
        found.append(program_results.describe(comparison.deviations))
    failed = [run for run in comparison.runs if run.status in ("failed", "aborted")]
    if failed:
        found.append(f"{words.count(len(failed), 'run')} failed and are excluded; the table of runs has the reasons.")
    limited = [
        f"{program.name} {each.scenario.replace('_', ' ')} ({words.percent(each.busy, decimals=0)} busy)"
        for program in comparison.programs
        for each in program.scenarios()
        if each.busy is not None and each.limited_by_processors
    ]
    if limited:
        found.append(
            f"The lab's processors, not its network, limited {words.listing(limited)}: these times, and what is "
            "computed from them, say nothing about the network. Slower links (scale) make the network the limit "
            "again, unless the MPI library does not yield: its ranks keep processors busy while they wait."
        )
    if short := [text for program in comparison.programs if (text := _too_short(program))]:
        found.append(f"{'; '.join(short)}: make the runs longer (`timed_s`).")
    scenarios = [each for program in comparison.programs for each in program.scenarios()]
    enough = least_for_bootstrap(comparison.level)
    if any(0 < each.n < enough for each in scenarios):
        found.append(
            f"With fewer than {enough} runs of a kind, intervals assume normally distributed run times; more "
            "replications make them narrower and remove that assumption."
        )
    return found
