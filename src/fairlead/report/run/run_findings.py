"""What one run by itself says, in words."""

import numpy as np

from fairlead.analysis.runs import latencies
from fairlead.analysis.runs.benefit import Benefit
from fairlead.analysis.runs.managed import HostPair, ManagedRun
from fairlead.analysis.runs.mitigation import Mitigation
from fairlead.display import words
from fairlead.prices.run_cost import RunCost
from fairlead.protocol import reasons
from fairlead.report.run import migrations, mitigation

NO_DETOUR = (
    "There is no detour around any bottleneck here, as on a single switch: fairlead reports congestion, but does not "
    "reroute traffic."
)
MOST_NAMED = 4


def paragraphs(
    run: ManagedRun, way_out: bool | None, advice: Mitigation | None = None, benefit: Benefit | None = None
) -> list[str]:
    """How it ended; which paths were congested and what was done; what that gave; advice; what it cost.

    Args:
        way_out: whether any pair has a detour; None if not known.
        advice: to the user, on mapping and decomposition.
        benefit: of reroutes, where it was measured.
    """
    said = [_ending(run)]
    if not run.costs:
        return [*said, "No agents ran: the state of the network is unknown."]
    return [
        text
        for text in (
            *said,
            *_network(run, way_out),
            _latencies(run),
            _benefit(benefit),
            mitigation.paragraph(advice),
            _cost(run),
        )
        if text
    ]


def _network(run: ManagedRun, way_out: bool | None) -> list[str]:
    return [_paths(run), _reroutes(run, way_out), _relayed(run), migrations.sentence(run.migrations)]


def _ending(run: ManagedRun) -> str:
    record, labels = run.run, run.run.labels
    on = f" on {words.count(int(labels['ranks']), 'rank')} of" if "ranks" in labels else " (own launch line) on"
    what = f"{labels['program']}{on} {labels.get('cluster', 'a cluster')}"
    took = words.duration(run.time_s)
    if record.status == "ok":
        return f"{what} took {took}."
    how = {
        "failed": f"ended with exit code {record.exit_code}" if record.exit_code is not None else "was not started",
        "aborted": "was interrupted by the user",
    }.get(record.status, "was cut off: its supervisor died")
    why = f": {record.error.splitlines()[0]}" if record.error else ""
    return f"{what} {how} after {took}{why}."


def _paths(run: ManagedRun) -> str:
    used = run.used()
    if not used:  # without detection nobody looks which are used
        return "" if run.decisions else "It used no path between hosts."
    high = [pair for pair in run.pairs() if any(level == "high" for *_, level in run.level_spans(pair))]
    slow = [pair for pair in high if pair in used]
    if not slow:
        others = f" ({words.count(len(high), 'other path')} of the cluster: congested)" if high else ""
        return f"None of the {words.count(len(used), 'path')} that it used was congested{others}."
    were = "was" if len(slow) == 1 else "were"
    return f"{len(slow)} of the {words.count(len(used), 'path')} that it used {were} congested: {_names(slow)}."


def _reroutes(run: ManagedRun, way_out: bool | None) -> str:
    own = [decision for decision in run.decisions if decision.t_s <= run.time_s and not decision.by_pause]
    rerouted = [decision for decision in own if decision.kind == "rerouted"]
    kept = {reasons.describe(decision.reason) for decision in run.decisions if decision.kind == "kept"}
    if rerouted:
        pairs = {decision.pair for decision in rerouted}
        restored = sum(decision.kind == "restored" for decision in own)
        back = f", and restored {words.count(restored, 'time')}" if restored else ""
        first_s = rerouted[0].t_s  # a manual reroute is there before the program is
        when = f"{first_s:.2f}{words.NBSP}s after" if first_s >= 0.005 else "before"
        over = words.carrier(rerouted[0].relay or "", rerouted[0].pair[1])
        return (
            f"Traffic of {words.count(len(pairs), 'host pair')} was rerouted {words.count(len(rerouted), 'time')}{back}"
            f"; first {when} the start: {words.arrow(rerouted[0].pair)} over {over}."
        )
    if way_out is False:
        return NO_DETOUR
    return f"Nothing was rerouted: {words.listing(sorted(kept))}." if kept else "Nothing was rerouted."


def _relayed(run: ManagedRun) -> str:
    if not run.relayed:
        return ""
    names = {
        "direct": "went directly",
        "held": "waited for earlier direct ones",
        "pulled": "direct ones were taken out of the MPI library to be matched with them",
    }
    counts = run.relayed
    more = [f"{counts[name]} {what}" for name, what in names.items()]
    return (
        f"Agents carried {words.count(counts['relayed'], 'message')}; {words.listing(more)}. Receives cancelled in "
        f"the library: {counts['cancelled']}, not cancelled in time: {counts['cancel_failed']}; frames retransmitted: "
        f"{counts['retransmitted']}, dropped as duplicates: {counts['duplicates']}."
    )


def _latencies(run: ManagedRun) -> str:
    pairs = latencies.per_pair([run])
    rerouted = [each for each in pairs if each.detour is not None and each.congested is not None]
    shown = rerouted or [each for each in pairs if each.congested is not None]
    parts = []
    for kind, where in (
        ("quiet", "without congestion"),
        ("congested", "under congestion"),
        ("detour", "over the detour"),
    ):
        medians = [found.median_s for each in shown if (found := getattr(each, kind)) is not None]
        if medians:
            parts.append(f"{words.duration(float(np.median(medians)), 2)} {where}")
    if len(parts) < 2:
        return ""
    return f"A message between these hosts took {words.listing(parts)} (median of {words.count(len(shown), 'pair')})."


def _benefit(found: Benefit | None) -> str:
    if found is None:
        return ""
    text = f"{found.reason[:1].upper()}{found.reason[1:]}."
    if not found.suspended:
        return text
    times = words.count(found.suspended, "time")
    return f"{text} Reroutes slowed the program, so they were suspended {times}."


def _cost(run: ManagedRun) -> str:
    cpu_s, sent_B = sum(each.cpu_s for each in run.costs), sum(each.sent_B for each in run.costs)
    return (
        f"The {words.count(len(run.costs), 'agent')} used {words.duration(cpu_s, 2)} of CPU time and sent "
        f"{words.significant(sent_B / 1e3, 2)}{words.NBSP}kB in total."
    )


def price(cost: RunCost | None, no_price: str) -> str:
    """What a run cost, in words; empty where no price book is known.

    Args:
        no_price: why there is no price in the book.
    """
    if cost is None:
        return f"Its price is not known: {no_price}." if no_price else ""
    bought = cost.describe_bought()
    return f"It cost {cost.describe()}. {bought[0].upper()}{bought[1:]}."


def _names(pairs: list[HostPair]) -> str:
    more = len(pairs) - MOST_NAMED
    shown = [words.arrow(pair) for pair in pairs[:MOST_NAMED]]
    return words.listing([*shown, f"{more} more"] if more > 0 else shown)
