"""The report of a run by itself: where nobody says what others did on the network, levels do."""

import dataclasses
import io
import json
import re
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from fairlead.analysis.runs import latencies, managed
from fairlead.cli.report import command
from fairlead.errors import StoreError
from fairlead.placement.json_form import Expected, Placement
from fairlead.protocol import reasons
from fairlead.report import make
from fairlead.report.run import run_findings, run_json, run_report
from fairlead.store import Store

from . import report_fixtures as fixtures

TIME_S = 12.0


def record(
    store,
    clock,
    scenario="congested_managed",
    status="ok",
    exit_code=0,
    error=None,
    facts=fixtures.FACTS,
    stats=(),
    advice=(),
):
    """A run as `fairlead run` leaves it, with the events of the fixture's scenario, and these; returns its number."""
    labels = {"program": "cg", "ranks": 8, "cluster": "mesh8"}
    run = store.begin_run("run", labels, plan=["cg", "--class", "A"], facts=facts)
    events = fixtures.play(clock, scenario, TIME_S, np.random.default_rng(3))
    for t_s, kind, data in events:
        if kind != "congestion":  # nobody knows
            store.add_event(run, t_s, kind, data)
    for data in stats:
        store.add_event(run, clock.now_s, "stats", data)
    for data in advice:
        store.add_event(run, clock.now_s, "mitigation", data)
    clock.now_s = events[0][0] + TIME_S
    if status == "ok":
        store.add_series(run, "time_s", [TIME_S], "s")
    if status != "interrupted":
        store.finish_run(run, status, exit_code, error)
    return run


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    clock = fixtures.Clock()
    directory = tmp_path_factory.mktemp("run")
    with fixtures.at(clock), Store.open(directory) as store:
        fixtures.characterize(store, clock)
        return directory, run_report.load(store, record(store, clock))


def test_paths_are_quiet_or_congested_by_their_levels(report):
    run = report[1].managed
    assert run.congestion is None
    pairs = latencies.per_pair([run])
    assert len(pairs) == 16
    for each in pairs:
        assert each.quiet.median_s == pytest.approx(95e-6, rel=0.05)
        assert each.congested.median_s == pytest.approx(9.1e-3, rel=0.25)
        assert each.detour.median_s == pytest.approx(2.1e-4, rel=0.1)


def test_congested_paths_say_how_long_and_what_was_done(report):
    rows = run_report.congested_paths(report[1].managed).rows
    assert len(rows) == 16
    for row in rows:
        path, medium_s, high_s, away_s, relay, kept, sharing = (each.value for each in row)
        assert sharing.replace("\u00a0", " ") == "h9 → h8 25.0 Mbit/s"
        assert re.fullmatch(r"h\d → h\d", path)
        assert medium_s == pytest.approx(0.02, abs=1e-6)
        assert 4 < high_s < 5
        assert high_s - 0.2 < away_s < high_s + 0.6
        assert re.fullmatch(r"h\d", relay)
        assert kept is None


def test_reasons_from_before_a_reroute_are_no_reasons_any_more(report):
    """Without a characterization, agents first say that they still learn."""
    run = report[1].managed
    first = next(decision for decision in run.decisions if decision.kind == "rerouted")
    later_s = max(decision.t_s for decision in run.decisions if decision.pair == first.pair) + 0.1

    def kept(t_s, reason):
        return managed.RouteDecision(t_s, "kept", first.pair, None, reason)

    def why(*more):
        decided = dataclasses.replace(run, decisions=sorted([*run.decisions, *more], key=lambda each: each.t_s))
        rows = {row[0].value: row[5].value for row in run_report.congested_paths(decided).rows}
        return rows[" → ".join(first.pair)]

    assert why(kept(first.t_s - 0.5, "learning")) is None
    assert why(kept(first.t_s - 0.5, "learning"), kept(later_s, "own_load")) == reasons.describe("own_load")


def test_of_many_congested_paths_the_first_are_shown_and_the_others_folded(report, monkeypatch, tmp_path):
    monkeypatch.setattr(run_report, "MOST_ROWS", 5)
    (page, *_) = run_report.write(report[1], tmp_path / "run.html")
    text = page.read_text()
    shown, folded = text.partition("<summary>11 more congested paths</summary>")[::2]
    first = [row[0].shown for row in run_report.congested_paths(report[1].managed).rows]
    assert folded and all(path in shown for path in first[:5])
    console = Console(file=io.StringIO(), width=200)
    run_report.show(report[1], console)
    assert "... and 11 more rows: see the page" in console.file.getvalue()


def test_findings_are_in_words(report):
    text = " ".join(run_findings.paragraphs(report[1].managed, way_out=True)).replace("\u00a0", " ")
    assert text.startswith("cg on 8 ranks of mesh8 took 12.0 s.")
    assert "16 of the 16 paths that it used were congested" in text
    assert "Traffic of 16 host pairs was rerouted 16 times, and restored 8 times; first 2.7" in text
    assert re.search(r"took 9\d µs without congestion, \d\.\d ms under congestion and 2\d\d µs over the detour", text)
    assert "The 8 agents used 192 ms of CPU time" in text


def test_ranks_that_only_a_launch_line_knows_are_not_invented(report):
    managed = report[1].managed
    labels = {"program": "mpirun", "cluster": "mesh8"}
    own = dataclasses.replace(managed, run=dataclasses.replace(managed.run, labels=labels))
    assert (
        run_findings.paragraphs(own, way_out=True)[0]
        .replace("\u00a0", " ")
        .startswith("mpirun (own launch line) on mesh8 took 12.0 s.")
    )


def test_how_it_ended_is_said_and_the_rest_is_still_there(tmp_path):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        failed = record(store, clock, status="failed", exit_code=3)
        aborted = record(store, clock, status="aborted", exit_code=130, error="interrupted (SIGINT)")
        bare = store.begin_run("run", {"program": "x", "ranks": 2})
        store.add_series(bare, "time_s", 1.0, "s")
        store.finish_run(bare)
        said = {run: run_findings.paragraphs(run_report.load(store, run).managed, None) for run in (failed, aborted)}
        assert "ended with exit code 3 after 12.0" in said[failed][0]
        assert "was interrupted by the user after 12.0\u00a0s: interrupted (SIGINT)." in said[aborted][0]
        assert len(said[failed]) == 5
        assert "No agents ran" in run_findings.paragraphs(run_report.load(store, bare).managed, None)[1]
        going_on = record(store, clock, status="interrupted")
        with pytest.raises(StoreError, match="is still running"):
            run_report.load(store, going_on)
    with Store.read(tmp_path) as store:
        assert "its supervisor died" in run_findings.paragraphs(run_report.load(store, going_on).managed, None)[0]


def test_placed_ranks_stand_in_the_report(tmp_path, capsys):
    placed = Placement(
        program=["nbody"], cluster="mesh8", characterization=None, profiled=True, hosts_before=["h0", "h1", "h0"],
        before=Expected(messages=6, bytes_B=4096, rank_s=0.2), host_of_rank=["h0", "h0", "h1"],
        after=Expected(messages=3, bytes_B=1024, rank_s=0.05),
    )  # fmt: skip
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        facts = fixtures.FACTS | {"placement": placed.model_dump(mode="json", by_alias=True)}
        report = run_report.load(store, record(store, clock, facts=facts))
    ranks, gain = (source for source, _ in run_report.placement_tables(report))
    assert [[each.shown for each in row] for row in ranks.rows] == [["h0", "0 2", "0 1"], ["h1", "1", "2"]]
    assert [row[3].shown.replace("\u00a0", " ") for row in gain.rows] == ["50.0 %", "75.0 %", "75.0 %"]
    run_report.write(report, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert '<h2 id="placement">' in text
    assert "mesh8 was not measured" in text
    assert "hosts_before" not in text  # among the conditions
    run_report.show(report, Console(file=sys.stdout, width=200))
    assert "Ranks by host" in capsys.readouterr().out


PAIR = {"source": "h1", "destination": "h4", "source_rank": 1, "rank": 4, "messages": 90, "size_B": 2048}
ADVICE = {
    "remedy": "mapping", "reason": "a line", "observed_s": 11.0, "cost_s_per_min": 20.5, "saving_s_per_min": 12.25,
    "host_of_rank": ["h0", "h4", "h1", "h0"], "pairs": [{**PAIR, "transmission_s": 3.5, "processing_s": 0.25}],
    "all_pairs": 2, "paths_left_out": 1,
}  # fmt: skip


def advised(directory, *said):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(directory) as store:
        return run_report.load(store, record(store, clock, advice=said))


def test_advice_on_mapping_stands_in_page_terminal_and_json(tmp_path, capsys):
    report = advised(tmp_path, ADVICE | {"cost_s_per_min": 99.0}, ADVICE)
    said = " ".join(run_report.findings(report)).replace("\u00a0", " ")
    assert (
        "2 pairs of ranks spend more in transmission than in processing. It costs a rank 3.8 s of 11.0 s on average. "
        "Another placement of the ranks would save about 2.2 s of that (h0: 0 3, h1: 2, h4: 1): see fairlead "
        "placement. Times at which 1 path was congested, and not clearly by "
        "the program itself, were left out."
    ) in said
    long = " ".join(run_report.findings(advised(tmp_path / "long", ADVICE | {"observed_s": 61.0})))
    assert "costs a rank 20.5 s of each minute on average. Another" in long.replace("\u00a0", " ")
    assert "would save about 12.2 s of that" in long.replace("\u00a0", " ")
    run_report.write(report, tmp_path / "report.html")
    assert '<h2 id="mitigation">' in (tmp_path / "report.html").read_text()
    run_report.show(report, Console(file=sys.stdout, width=200))
    assert "Ranks that spend more in transmission than in processing" in capsys.readouterr().out
    figures = json.loads(run_json.of(report).to_json())
    assert figures["advice"] == ADVICE
    assert figures["advice"].keys() == set(run_json.Advice.model_fields)


def test_advice_on_decomposition_says_whether_placements_were_compared(tmp_path):
    found = ADVICE | {"remedy": "decomposition", "host_of_rank": [], "paths_left_out": 0, "all_pairs": 1}
    said = run_report.findings(advised(tmp_path / "a", found | {"saving_s_per_min": 0.0}))
    assert any("As no placement is much better, more work per rank" in text for text in said)
    said = run_report.findings(advised(tmp_path / "b", found | {"saving_s_per_min": None}))
    assert any("1 pair of ranks spends more" in text for text in said)
    assert any("As other placements were not compared" in text for text in said)


def test_without_advice_there_is_no_table_of_it(report, tmp_path):
    assert report[1].mitigation is None
    run_report.write(report[1], tmp_path / "report.html")
    assert "mitigation" not in (tmp_path / "report.html").read_text()


def test_the_json_is_as_its_schema_says():
    assert run_json.SCHEMA_FILE.read_text() == run_json.RunSummary.schema_text(), (
        "make it again: .venv/bin/python -c "
        "'from fairlead.report.run import run_json as j; j.SCHEMA_FILE.write_text(j.RunSummary.schema_text())'"
    )


def test_without_a_detour_it_says_so(tmp_path):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        run = run_report.load(store, record(store, clock, scenario="clean_managed")).managed
    text = " ".join(run_findings.paragraphs(run, way_out=False))
    assert "It used no path between hosts." in text
    assert "There is no detour around any bottleneck here" in text


def test_a_manual_reroute_is_there_before_the_start(report, tmp_path):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        run = run_report.load(store, record(store, clock, scenario="clean_managed")).managed
    first = next(each for each in report[1].managed.decisions if each.kind == "rerouted")
    manual = dataclasses.replace(run, decisions=[dataclasses.replace(first, t_s=-0.002)])
    text = " ".join(run_findings.paragraphs(manual, way_out=True))
    assert "Traffic of 1 host pair was rerouted 1 time; first before the start: " in text
    assert "no path" not in text  # without detection nobody looks


def test_no_path_is_on_a_detour_longer_than_the_program_runs(report):
    run = report[1].managed
    first = next(each for each in run.decisions if each.kind == "rerouted")

    def away_s(*decisions):
        decided = [dataclasses.replace(first, t_s=t_s, kind=kind, relay=relay) for t_s, kind, relay in decisions]
        rows = run_report.congested_paths(dataclasses.replace(run, decisions=tuple(decided))).rows
        return next(row[3].value for row in rows if row[0].value == " → ".join(first.pair))

    assert away_s((-0.8, "rerouted", "h4")) == TIME_S
    assert away_s((-0.8, "rerouted", "h4"), (3.0, "restored", None)) == 3.0
    assert away_s((5.0, "rerouted", "h4"), (TIME_S + 1.5, "restored", None)) == TIME_S - 5.0
    assert away_s((-0.8, "rerouted", "h4"), (-0.2, "restored", None), (2.0, "rerouted", "h5")) == TIME_S - 2.0


def test_the_newest_of_runs_and_comparisons_is_reported(tmp_path):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        assert make.newest(store) is None
        characterization = fixtures.characterize(store, clock)
        assert make.newest(store).id == characterization
        first = record(store, clock)
        assert make.newest(store).id == first
        experiment = fixtures.compare(store, clock, {"cg": fixtures.TIMES_S["cg"]}, replications=1)
        assert make.newest(store).id == experiment
        second = record(store, clock)
        assert make.newest(store).id == second
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "Congested paths" in result.output
    page = (tmp_path / "report.html").read_text()
    assert f"Run {second} of fairlead" in page
    assert page.count("<svg") == 2
    assert not re.findall(r"""(?:src|href)=(?!"#|"data:)\S+""", page)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    both = CliRunner().invoke(command, [str(tmp_path), "--run", str(first), "--experiment", str(experiment)])
    assert both.exit_code == 2
    as_json = CliRunner().invoke(command, [str(tmp_path), "--characterization", str(characterization), "--json"])
    network = json.loads(as_json.stdout)
    assert (network["run"], len(network["hosts"]), len(network["groups"])) == (characterization, 8, 8)
    figures = json.loads(CliRunner().invoke(command, [str(tmp_path), "--run", str(first), "--json"]).stdout)
    assert (figures["schema"], figures["run"], figures["program"]) == ("fairlead.run", first, ["cg", "--class", "A"])
    assert (figures["status"], figures["time_s"], figures["advice"]) == ("ok", TIME_S, None)
    assert figures["findings"][0] == "cg on 8 ranks of mesh8 took 12.0 s."
    wrong = CliRunner().invoke(command, [str(tmp_path), "--run", str(experiment)])
    assert "not a run of a program" in str(wrong.exception)


def test_reasons_are_words():
    assert reasons.describe("destination_congested") == "all paths to the destination are congested"
    assert reasons.describe("reroute_failed: EPERM") == "the route could not be installed: EPERM"
    assert reasons.describe("5.1 ms of queue") == "5.1 ms of queue"


def test_what_the_relay_plane_did_is_the_sum_of_what_hosts_said_last(tmp_path):
    clock = fixtures.Clock()
    ranks = {"direct": 10, "relayed": 4, "cancelled": 1, "cancel_failed": 0, "pulled": 3, "held": 2}
    ranks |= {"takeovers": 1, "waited": 0, "retransmitted": 5, "duplicates": 6}
    with fixtures.at(clock), Store.open(tmp_path) as store:
        stats = [
            {"host": host, "cpu_s": 1, "bytes_sent": 1, "relay": {"ranks": {k: factor * n for k, n in ranks.items()}}}
            for host, factor in (("h0", 1), ("h0", 2), ("h1", 1))
        ]
        managed = run_report.load(store, record(store, clock, "clean_agents", stats=stats)).managed
    assert managed.relayed == {name: 3 * count for name, count in ranks.items()}
    said = " ".join(run_findings.paragraphs(managed, None))
    assert "Agents carried 12 messages; 30 went directly" in said
    assert "frames retransmitted: 15, dropped as duplicates: 18." in said


def test_what_a_dead_agent_said_of_its_paths_is_over(tmp_path):
    pair, other = {"source": "h0", "destination": "h4"}, {"source": "h1", "destination": "h4"}
    said = [(0.0, "started", {})]
    for each in (pair, other):
        said += [
            (1.0, "level_changed", {**each, "congestion_level": "high"}),
            (2.0, "rerouted", {**each, "relay": "h2", "reason": "queue"}),
        ]
    said += [(t_s, "died", {"host": "h0", "reason": "killed"}) for t_s in (5.0, 7.0)]
    with Store.open(tmp_path) as store:
        labels = {"program": "cg", "ranks": 8, "cluster": "mesh8"}
        run = store.begin_run("run", labels, plan=["cg"], facts=fixtures.FACTS)
        for t_s, kind, data in said:
            store.add_event(run, t_s, kind, data)
        found = managed.read(store, store.run(run), TIME_S)
    assert found.detours(("h0", "h4")) == [(2.0, 5.0, "h2")]
    assert found.detours(("h1", "h4")) == [(2.0, TIME_S, "h2")]
    assert found.level_spans(("h0", "h4")) == [(0.0, 1.0, "low"), (1.0, 5.0, "high"), (5.0, TIME_S, "low")]
    assert [reasons.describe(decision.reason) for decision in found.decisions if decision.kind == "restored"] == [
        "the agent died"
    ]


def pair_latencies(tmp_path, samples, decisions=()):
    """What is left of `path_latency` events of h0→h1: (time, latency in ms, rate) of each."""
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg", "ranks": 2, "cluster": "c"})
        pair = {"source": "h0", "destination": "h1"}
        store.add_event(run, 1000.0, "started", {})
        for t_s, relay in decisions:
            store.add_event(run, 1000.0 + t_s, "rerouted", pair | {"reason": "", "relay": relay})
        for t_s, latency_ms, rate_bps, relay in samples:
            data = {"latency_s": latency_ms / 1e3, "rate_bps": rate_bps, "relay": relay}
            store.add_event(run, 1000.0 + t_s, "path_latency", pair | data)
        store.finish_run(run)
        found = managed.read(store, store.run(run), TIME_S)
    return found, [(round(each.t_s, 3), round(each.latency_s * 1e3, 3)) for each in found.latencies]


def test_the_last_round_trip_before_a_reroute_is_not_the_detours(tmp_path):
    samples = [(1.0, 0.2, 1e6, None), (2.0, 9.0, 1e6, None), (2.6, 8.7, 1e6, "h2"), (2.7, 6.1, 1e6, "h2")]
    samples += [(3.0, 1.5, 1e6, "h2"), (3.25, 1.6, 1e6, "h2")]
    found, kept = pair_latencies(tmp_path, samples, [(2.5, "h2")])
    assert kept == [(1.0, 0.2), (2.0, 9.0), (3.0, 1.5), (3.25, 1.6)]
    assert [each.relay for each in found.latencies] == [None, None, "h2", "h2"]
    (pair,) = latencies.per_pair([found])
    assert pair.detour.median_s == pytest.approx(1.55e-3)


def test_round_trips_of_idle_connections_are_not_the_paths(tmp_path):
    samples = [(1.0, 12.6, 0.0, None), (2.0, 1.4, 1e6, None), (3.0, 12.6, 5e6, None), (4.0, 1.5, 5e6, None)]
    samples += [(5.0, 1.5, 5e6, None), (6.0, 1.5, 0.0, None)]
    found, kept = pair_latencies(tmp_path, samples)
    assert kept == [(2.0, 1.4), (4.0, 1.5)]
    assert found.used() == {("h0", "h1")}


def test_a_pair_that_was_only_idle_was_used_and_has_no_latency(tmp_path):
    found, kept = pair_latencies(tmp_path, [(1.0, 12.6, 0.0, None)])
    assert (found.used(), kept) == ({("h0", "h1")}, [])


def test_reroutes_without_a_figure_of_the_direct_path_are_no_samples_of_it(tmp_path):
    """By hand and after a pause nothing was measured: 0 is no quiet path. A next relay's figure is the relay's."""
    pair, why = {"source": "h0", "destination": "h1"}, {"reason": "", "queue_delay_s": 0.0}
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg", "ranks": 2, "cluster": "c"})
        store.add_event(run, 1000.0, "started", {})
        store.add_event(run, 1001.0, "path_latency", pair | {"latency_s": 2e-4, "rate_bps": 1e6, "relay": None})
        for t_s, more in (
            (2.0, {"relay": "h2", "queue_delay_s": 9e-3}),
            (3.0, {"relay": "h3", "before": "h2", "queue_delay_s": 4e-3}),
            (4.0, {"relay": "h3", "again": True}),
            (5.0, {"relay": "h4", "manual": True}),
        ):
            store.add_event(run, 1000.0 + t_s, "rerouted", pair | why | more)
        data = {"latency_s": 3e-4, "rate_bps": 1e6, "relay": "h4", "queue_delay_s": 8e-3}
        store.add_event(run, 1006.0, "path_latency", pair | data)
        store.finish_run(run)
        found = managed.read(store, store.run(run), TIME_S)
    direct = [(round(each.t_s, 3), each.latency_s) for each in found.latencies if each.relay is None]
    assert direct == [(1.0, 2e-4), (2.0, pytest.approx(9.2e-3)), (6.0, pytest.approx(8.2e-3))]
