"""The report of one run by itself (``fairlead run``): terminal tables and an HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from fairlead.analysis import run_costs
from fairlead.analysis.runs import benefit as benefits
from fairlead.analysis.runs import characterized, communication, latencies
from fairlead.analysis.runs import mitigation as mitigations
from fairlead.analysis.runs.benefit import Benefit
from fairlead.analysis.runs.communication import Communication
from fairlead.analysis.runs.managed import HostPair, ManagedRun, read
from fairlead.analysis.runs.mitigation import Mitigation
from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.display.terminal import rich_table
from fairlead.errors import NoSuchResultsError, StoreError
from fairlead.placement.json_form import Placement
from fairlead.prices.book import Book
from fairlead.prices.run_cost import RunCost
from fairlead.protocol import events, reasons
from fairlead.report import page
from fairlead.report.figures import Drawing
from fairlead.report.host_facts import by_fact, flat
from fairlead.report.network import placement_table
from fairlead.report.run import migrations, mitigation, pair_communication, pair_latencies, run_findings, timeline
from fairlead.statistics.estimates import median
from fairlead.store import Run, Store

KIND = "run"
MOST_ROWS = 20  # of a table that are shown at once: large jobs have hundreds of congested paths
NO_CONDITIONS = ("placement", "paths_between")  # tables: one is shown elsewhere, one has all hosts
MOST_SHARING = 4  # of the job's pairs on a bottleneck that are named


@dataclass(frozen=True)
class RunReport:
    """What is told of one run.

    Attributes:
        argv: the program and its arguments.
        way_out: whether any pair has a detour, by the characterization that was used; None where there was none.
        communication: what the message monitor saw; None where it was off.
        placement: by which the ranks were placed; None: by slots.
        mitigation: what the user was advised; None: nothing.
        benefit: of reroutes, measured while it ran; None: it was not.
        cost: by a price book; None: no price is known.
        no_price: why there is none though there is a book, in words.
    """

    managed: ManagedRun
    argv: tuple[str, ...]
    way_out: bool | None
    communication: Communication | None = None
    placement: Placement | None = None
    mitigation: Mitigation | None = None
    benefit: Benefit | None = None
    cost: RunCost | None = None
    no_price: str = ""


def latest(store: Store) -> Run | None:
    """The newest run that belongs to no comparison, or None."""
    found = [run for run in store.runs(KIND) if run.parent is None]
    return found[-1] if found else None


def load(store: Store, number: int, book: Book | None = None) -> RunReport:
    """A run's report.

    Args:
        book: prices of systems; None: the book that the plan of its comparison named, if it belongs to one that did.

    Raises:
        StoreError: it is no run of a program, or still goes on.
    """
    run = store.run(number)
    if run.kind != KIND:
        raise NoSuchResultsError(f"{store.directory}: run {number} is of kind {run.kind}, not a run of a program")
    if run.status == "running":
        raise StoreError(
            f"{store.directory}: run {number} is still running", hint="`fairlead status` shows what it does"
        )
    argv = tuple(str(word) for word in run.plan) if isinstance(run.plan, list) else ()
    time_s, book = _time_s(store, run), book or run_costs.book_of(store, run)
    return RunReport(
        read(store, run, time_s),
        argv,
        characterized.has_detour(store, run),
        communication.read(store, run),
        Placement.model_validate(run.facts["placement"]) if "placement" in run.facts else None,
        mitigations.read(store, run),
        benefits.read(store, run),
        run_costs.of_run(book, run, time_s) if book else None,
        book.missing(run_costs.systems_of([run])) if book else "",
    )


def write(report: RunReport, html: Path, *, figures: Path | None = None) -> list[Path]:
    """Write the page and, if asked for, its figures as files; returns what was written.

    Raises:
        FairleadError: a file cannot be written.
    """
    run, drawn = report.managed.run, drawings(report)
    all_paths = congested_paths(report.managed)
    paths, more_paths = all_paths.split(MOST_ROWS)
    content = page.render(
        "run.html.j2",
        heading=str(run.labels["program"]),
        run=run,
        cluster=run.labels.get("cluster"),
        started=words.moment(run.started_s),
        command=" ".join(report.argv),
        findings=findings(report),
        paths=paths,
        more_paths=more_paths,
        all_paths=all_paths,
        drawings=drawn,
        placement=placement_tables(report),
        placement_said=list(placement_table.sentences(report.placement)) if report.placement is not None else [],
        communication=communication_table(report),
        outweighed=mitigation.pairs(report.mitigation),
        dropped=0 if report.communication is None else report.communication.dropped,
        migrations=migrations.decisions_table([(None, report.managed.migrations)]),
        conditions=flat("", by_fact({name: fact for name, fact in run.facts.items() if name not in NO_CONDITIONS})),
    )
    saved = [path for each in drawn for path in each.save(figures)] if figures is not None else []
    return [page.write(html, content), *saved]


def show(report: RunReport, console: Console) -> None:
    """Print findings and tables to a terminal."""
    for text in findings(report):
        console.print(escape(text), highlight=False)
    for source, title in (
        (congested_paths(report.managed), "Congested paths"),
        (latency_table(report.managed), "Latency of their messages (median, one way)"),
        (timeline.decisions_table([report.managed]), "Decisions"),
        *placement_tables(report),
        (communication_table(report), "Communication time by host pair"),
        (mitigation.pairs(report.mitigation), "Ranks that spend more in transmission than in processing"),
        (migrations.decisions_table([(None, report.managed.migrations)]), "Migrations"),
    ):
        if source.rows:
            first, others = source.split(MOST_ROWS)
            console.print()
            console.print(rich_table(first, title))
            if others.rows:
                console.print(f"... and {len(others.rows)} more rows: see the page", highlight=False)


def findings(report: RunReport) -> list[str]:
    """What the run says, in words."""
    said = run_findings.paragraphs(report.managed, report.way_out, report.mitigation, report.benefit)
    price = run_findings.price(report.cost, report.no_price)
    return [*said, price] if price else said


def drawings(report: RunReport) -> list[Drawing]:
    """The time line, and the latencies of pairs that were rerouted or slow."""
    run = report.managed
    if not run.pairs():
        return []
    pairs = latencies.per_pair([run])
    drawn = [timeline.draw(None, run)]
    return [*drawn, pair_latencies.draw(None, pairs)] if pairs else drawn


def communication_table(report: RunReport) -> Table:
    """Communication time by host pair; without rows where messages were not monitored."""
    return pair_communication.of_run(report.communication or Communication({}, 0, 0))


def placement_tables(report: RunReport) -> list[tuple[Table, str]]:
    """Where the ranks were, and what was expected of that, with titles; none where they were not placed."""
    if report.placement is None:
        return []
    return [
        (placement_table.ranks(report.placement), "Ranks by host"),
        (placement_table.gain(report.placement), "Expected of the messages between hosts"),
    ]


def congested_paths(run: ManagedRun) -> Table:
    """Each path in use that was congested while the program ran: how long, how bad, and what was done. Rerouted ones
    come first."""
    return table(
        [
            ("path", "path"),
            ("medium", "medium_s"),
            ("high", "high_s"),
            ("on a detour", "away_s"),
            ("over", "relays"),
            ("not rerouted because", "kept"),
            ("shares it with", "sharing"),
        ],
        [_path_row(run, pair) for pair in run.pairs() if pair in run.used()],
    )


def _path_row(run: ManagedRun, pair: HostPair) -> list[Any]:
    levels = {
        wanted: sum(end - begin for begin, end, level in run.level_spans(pair) if level == wanted)
        for wanted in ("medium", "high")
    }
    spans = run.detours(pair)
    # A manual reroute is there before the program is, and routes are taken back after its end.
    away_s = sum(max(min(end, run.time_s) - max(begin, 0.0), 0.0) for begin, end, _ in spans)
    return [
        cell(words.arrow(pair)),
        *(_seconds(levels[level]) for level in ("medium", "high")),
        _seconds(away_s),
        cell(", ".join(dict.fromkeys(words.carrier(relay, pair[1]) for *_, relay in spans)) or None),
        cell("; ".join(_why_kept(run, pair)) or None),
        cell(_sharing(run, pair) or None),
    ]


def _why_kept(run: ManagedRun, pair: HostPair) -> list[str]:
    """Why a pair stayed where it was. Until it was rerouted there were such reasons, too, but they passed."""
    decisions = run.decisions_on(pair)
    reroutes = [number for number, decision in enumerate(decisions) if decision.kind == "rerouted"]
    last = decisions[reroutes[-1] + 1 :] if reroutes else decisions
    return list(dict.fromkeys(reasons.describe(each.reason) for each in last if each.kind == "kept"))


def _sharing(run: ManagedRun, pair: HostPair) -> str:
    """The job's other pairs on the path's bottleneck by their median rate when it was judged, the largest first."""
    rates_bps: dict[HostPair, list[float]] = {}
    for decision in run.decisions_on(pair):
        for other, rate_bps in decision.sharing:
            rates_bps.setdefault(other, []).append(rate_bps)
    typical = sorted(((median(each), other) for other, each in rates_bps.items()), reverse=True)
    shown = [f"{words.arrow(other)} {words.rate(rate_bps)}" for rate_bps, other in typical[:MOST_SHARING]]
    return ", ".join([*shown, *([f"{len(typical) - len(shown)} more"] if len(typical) > len(shown) else [])])


def latency_table(run: ManagedRun) -> Table:
    """Median latency of each rerouted or slow pair: quiet, congested, over its detour."""
    pairs = latencies.per_pair([run])
    kinds = ("quiet", "congested", "detour")
    return table(
        [("pair", "pair"), *((name, f"{name}_s") for name in kinds), ("over", "relays")],
        [
            [
                cell(words.arrow(each.pair)),
                *(_median(getattr(each, kind)) for kind in kinds),
                cell(", ".join(words.carrier(relay, each.pair[1]) for relay in each.relays) or None),
            ]
            for each in pairs
        ],
    )


def _median(distribution: latencies.Distribution | None) -> Any:
    return cell(None) if distribution is None else duration_cell(distribution.median_s)


def _seconds(time_s: float) -> Any:
    return cell(time_s, f"{time_s:.2f}{words.NBSP}s") if time_s > 0 else cell(None)


def _time_s(store: Store, run: Run) -> float:
    """How long the program ran; of a run that did not end well, as long as it was recorded."""
    times: Sequence[Any] = store.series(run.id, "time_s")
    if times:
        return float(times[0].scalar())
    recorded = store.events(run.id)
    started = [event.t_s for event in recorded if event.kind == events.Started.TYPE]
    last_s = run.ended_s if run.ended_s is not None else recorded[-1].t_s if recorded else run.started_s
    return max(last_s - (started[0] if started else run.started_s), 0.0)
