"""The comparison's report: every number of it against the fixture's raw samples, computed here in another way."""

import dataclasses
import json
import re

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from fairlead.analysis import comparison
from fairlead.analysis.comparison import failed as failed_runs
from fairlead.analysis.comparison import latest
from fairlead.analysis.program_results import Deviation
from fairlead.analysis.runs import latencies
from fairlead.errors import StoreError
from fairlead.lab.processors import Use
from fairlead.report import summary
from fairlead.report.comparison import comparison_report, comparison_tables, findings
from fairlead.report.comparison.comparison_figures import scenario_name
from fairlead.statistics import estimates
from fairlead.store import Store

from . import report_fixtures as fixtures


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    directory = tmp_path_factory.mktemp("demo")
    experiment = fixtures.build(directory)
    with Store.read(directory) as store:
        yield store, comparison.load(store, experiment)


@pytest.fixture(scope="module")
def raw(demo):
    """Run times by (program, scenario), one a replication, read without the report's code."""
    store, _ = demo
    times = {}
    for run in sorted(store.runs("run"), key=lambda run: run.labels["replication"]):
        key = run.labels["program"], run.labels["scenario"]
        times.setdefault(key, []).append(float(store.one_series(run.id, "time_s").values[0]))
    return {key: np.array(values) for key, values in times.items()}


def program(found, name="cg"):
    return next(each for each in found.programs if each.name == name)


@pytest.mark.parametrize("name", ["cg", "nbody"])
def test_summary_holds_what_the_samples_say(demo, raw, name):
    _, found = demo
    got = json.loads(summary.of(found).to_json())["programs"][name]
    median = {scenario: float(np.median(raw[name, scenario])) for scenario in fixtures.SCENARIOS}
    assert got["t_nc"] == median["clean"]
    assert got["t_nc_managed"] == median["clean_managed"]
    assert got["t_ic"] == median["congested"]
    assert got["t_ic_managed"] == median["congested_managed"]
    lost = median["congested"] - median["clean"]
    assert got["recovered"] == pytest.approx((median["congested"] - median["congested_managed"]) / lost)
    ratios = np.log(raw[name, "clean_managed"] / raw[name, "clean"])
    assert got["overhead"] == pytest.approx(np.expm1(np.median(ratios)))
    # Eight agents use 0.2 % of a CPU each, of two CPUs; the probes' 2000 B/s of some 190 Mbit/s.
    assert got["overhead_accounted"] == pytest.approx(8 * 0.002 / 2 + 2000 * 8 / 190e6, rel=0.15)
    assert got["n_runs"] == 32
    assert got["failed_runs"] == 0
    assert got["n"]["recovered"] == got["n"]["overhead"] == 8
    assert got["reroutes"] == 8 * 16  # two episodes of eight directed pairs each
    assert got["reasons"] == {}
    for figure, (low, high) in got["intervals"].items():
        assert low <= got[figure] <= high
    assert set(got["intervals"]) == {
        *("t_nc", "t_nc_managed", "t_ic", "t_ic_managed"),
        *("recovered", "overhead", "overhead_accounted", "slowdown"),
    }


def test_summary_follows_its_schema(demo):
    _, found = demo
    text = summary.of(found).to_json()
    again = summary.Summary.model_validate_json(text)
    assert again == summary.of(found)
    assert (again.schema_name, again.schema_version) == ("fairlead.compare.summary", summary.SCHEMA_VERSION)
    assert summary.SCHEMA_FILE.read_text() == summary.Summary.schema_text(), (
        "the summary's models changed: raise SCHEMA_VERSION by the rule in contract.py and write the schema file anew"
    )
    wrong = Deviation(7, "lmp", "TotEng", -1.0, -2.0, -2.0)
    told = json.loads(summary.of(dataclasses.replace(found, deviations=(wrong,))).to_json())["deviations"]
    assert told == [dataclasses.asdict(wrong)]
    newer = summary.Summary.model_validate({**json.loads(text), "unknown": 1})
    assert newer == again  # readers ignore keys that they do not know


def test_differences_are_told_apart_only_where_they_are(demo):
    _, found = demo
    verdicts = {(d.program, d.first.scenario, d.second.scenario): d.told_apart for d in found.differences}
    assert verdicts["cg", "clean", "clean_managed"] is False
    assert verdicts["cg", "clean", "congested"] is True
    assert verdicts["cg", "congested", "congested_managed"] is True
    assert verdicts["nbody", "clean_managed", "congested_managed"] is True
    raw_p = [d.difference.p for d in found.differences]
    assert [d.p_adjusted for d in found.differences] == estimates.holm(raw_p)
    by_chance = dataclasses.replace(found.differences[1], p_adjusted=0.2)
    assert (by_chance.difference.told_apart, by_chance.told_apart) == (True, False)


def test_differences_are_of_the_runs_of_one_replication(demo, raw):
    _, found = demo
    assert len(found.differences) == 8
    for each in found.differences:
        first, second = (raw[each.program, cell.scenario] for cell in (each.first, each.second))
        expected = stats.ttest_rel(second, first)
        assert each.difference.estimate.value == pytest.approx((second - first).mean())
        assert (each.difference.degrees_of_freedom, each.difference.p) == (7, pytest.approx(expected.pvalue))


def test_latencies_of_rerouted_pairs_before_and_after(demo):
    _, found = demo
    pairs = latencies.per_pair(program(found).final.runs)
    assert len(pairs) == 16
    for pair in pairs:
        assert {fixtures.LEAF[pair.pair[0]], fixtures.LEAF[pair.pair[1]]} in ({0, 1}, {2, 3})
        assert pair.quiet.median_s == pytest.approx(95e-6, rel=0.05)
        assert pair.congested.median_s == pytest.approx(9.1e-3, rel=0.15)
        assert pair.congested.p5_s > 4e-3  # nothing of the quiet times got in
        assert pair.detour.median_s == pytest.approx(2.1e-4, rel=0.05)
        assert pair.congested.n > pair.detour.n / 2  # while the pair was away, by its probes
        assert not set(pair.relays) & set(pair.pair)


def test_the_timeline_follows_the_events(demo):
    _, found = demo
    stage = program(found).final
    run = stage.typical()
    assert abs(run.time_s - stage.congested.median_s) == min(
        abs(t - stage.congested.median_s) for t in stage.congested.times_s.values()
    )
    first, second = run.congestion
    assert first.begin_s == pytest.approx(0.22 * run.time_s, abs=1e-3)
    assert second.end_s == pytest.approx(run.time_s)
    assert len(run.reaction_s()) == 2
    assert all(0.05 <= t_s <= 0.11 for t_s in run.reaction_s())
    pair = next(p for p in run.pairs() if fixtures.LEAF[p[0]] == 0)
    ((begin_s, end_s, relay),) = run.detours(pair)
    assert first.begin_s < begin_s < first.begin_s + 0.12
    assert first.end_s + 0.39 < end_s < first.end_s + 0.61
    assert fixtures.LEAF[relay] in (2, 3)
    levels = run.level_spans(pair)
    assert [level for *_, level in levels] == ["low", "medium", "high", "low"]
    assert levels[0][0] == 0.0
    assert levels[-1][1] == run.time_s
    assert run.pairs()[-1] == ("h0", "h1")  # the one that stayed comes last
    last = next(p for p in run.pairs() if fixtures.LEAF[p[0]] == 2)
    assert run.detours(last)[0][1] == run.time_s  # still away at the end


def test_findings_name_the_numbers(demo):
    _, found = demo
    text = findings.paragraphs(found)[0].replace("\u00a0", " ")
    cg = program(found)
    factor = cg.congested.median_s / cg.clean.median_s
    assert text.startswith(f"cg: takes {factor:.1f} times as long under cross-traffic")
    assert f"{cg.congested.median_s:.1f} s congested" in text
    assert f"which recovers {cg.final.recovered.estimate.value * 100:.0f} % of the lost time (95 % CI" in text
    assert "Overhead on a clean network: not significant (" in text
    assert re.search(r"in 8 runs, the first time \d\d ms after congestion began", text)


def test_a_run_that_computed_something_else_is_the_first_caveat(demo):
    _, found = demo
    wrong = Deviation(7, "lmp -in melt.in", "TotEng", -1.0, -2.0, -2.0)
    assert not any("computed another result" in text for text in findings.caveats(found))
    told = findings.caveats(dataclasses.replace(found, deviations=(wrong,)))
    assert told[0].startswith(
        "1 run computed another result than undisturbed runs of the same command: run 7 (TotEng -1"
    )


def test_page_is_self_contained_and_holds_the_numbers(demo, tmp_path):
    _, found = demo
    written = comparison_report.write(found, tmp_path / "out/report.html", figures=tmp_path / "figures")
    text = written.html.read_text()
    assert not re.findall(r"""(?:src|href)=(?!"#|"data:)\S+""", text)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(http" not in text
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
    assert "prefers-color-scheme:dark" in text
    assert text.count("<svg") == 6
    assert json.loads(written.summary.read_text())["programs"]["cg"]["n_runs"] == 32
    for row in comparison_tables.run_times(found).rows:
        assert all(each.shown in text for each in row)
    names = {path.name for path in written.figures}
    assert {"run-times.svg", "run-times.png", "run-times.csv", "timeline-cg.svg", "latencies-nbody.csv"} <= names
    header, first, *_ = (tmp_path / "figures/run-times.csv").read_text().splitlines()
    assert header == "program,scenario,replication,time_s"
    times = program(found).clean.times_s
    assert float(first.split(",")[-1]) == times[0]


def test_terminal_shows_the_same_numbers(demo):
    _, found = demo
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123 - closed with the test
    comparison_report.show(found, console)
    text = console.export_text()
    for row in comparison_tables.effects(found).rows:
        assert all(each.shown in text for each in row)


# ------------------------------------------------------------------ other experiments


def test_stages_come_in_their_order(tmp_path):
    experiment = fixtures.build(tmp_path, fixtures.STAGED_S, replications=3)
    with Store.read(tmp_path) as store:
        found = comparison.load(store, experiment, stages=["agents", "detection", "detours"])
    stages = program(found).stages
    assert [stage.name for stage in stages] == ["agents", "detection", "detours"]
    assert stages[0].recovered.estimate.value == pytest.approx(0.0, abs=0.05)
    assert stages[2].recovered.estimate.value == pytest.approx(0.91, abs=0.03)
    got = summary.of(found).programs["cg"]
    assert list(got.stages) == ["agents", "detection", "detours"]
    assert got.recovered == got.stages["detours"].recovered
    assert scenario_name("clean_detection") == "clean, + detection"
    assert any("fewer than 6 runs" in text for text in findings.caveats(found))


def test_planes_are_told_of_side_by_side(tmp_path):
    times = {"cg": {"clean": 5.0, "congested": 15.0}}
    for plane, congested_s in (("route", 6.0), ("relay", 7.0)):
        times["cg"] |= {f"clean_{plane}": 5.0, f"congested_{plane}": congested_s}
    experiment = fixtures.build(tmp_path, times, replications=3)
    with Store.read(tmp_path) as store:
        found = comparison.load(store, experiment, stages=["route", "relay"])
    assert [row[0].shown for row in comparison_tables.effects(found).rows] == ["cg, route plane", "cg, relay plane"]
    (text,) = findings.lead(found)
    assert "With fairlead over the route plane: " in text
    assert "With fairlead over the relay plane: " in text
    assert summary.of(found).programs["cg"].stages["route"].recovered == pytest.approx(0.9, abs=0.05)


def test_what_cannot_be_said_is_null_with_a_reason(tmp_path):
    """Congestion that costs nothing, a single replication, no characterization."""
    times = {"cg": {"clean": 5.0, "clean_managed": 5.0, "congested": 5.0, "congested_managed": 5.0}}
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        many = fixtures.compare(store, clock, times, replications=4)
        one = fixtures.compare(store, clock, times, replications=1)
        assert latest(store).id == one
        found = summary.of(comparison.load(store, many)).programs["cg"]
        assert found.recovered is None
        assert "congested and clean runs overlap" in found.reasons["recovered"]
        assert found.overhead_accounted is None
        assert "no characterization before it" in found.reasons["overhead_accounted"]
        assert "recovered" not in found.intervals
        assert found.overhead is not None
        single = comparison.load(store, one)
        assert summary.of(single).programs["cg"].t_nc == pytest.approx(5.0, rel=0.1)
        assert "needs 2 samples" in summary.of(single).programs["cg"].reasons["t_nc"]
        assert single.differences == ()
        page = comparison_report.write(single, tmp_path / "report.html").html.read_text()
        assert "a recovered share needs 2 samples" in page


def test_single_runs_give_figures_without_intervals(tmp_path):
    experiment = fixtures.build(tmp_path, {"cg": fixtures.TIMES_S["cg"]}, replications=1)
    with Store.read(tmp_path) as store:
        found = comparison.load(store, experiment)
    got = summary.of(found).programs["cg"]
    assert got.recovered == (got.t_ic - got.t_ic_managed) / (got.t_ic - got.t_nc)
    assert got.overhead == got.t_nc_managed / got.t_nc - 1
    assert got.overhead_accounted > 0
    assert got.intervals == {}
    assert set(got.reasons) >= {"recovered", "overhead", "overhead_accounted", "t_nc"}
    row = comparison_tables.effects(found).rows[0]
    assert row[1].value == got.recovered
    assert row[2].shown == "–"
    assert "single runs: no interval" in findings.paragraphs(found)[0]


def test_a_single_run_that_lost_next_to_nothing_has_no_recovered_share(tmp_path):
    """Clean 5.00 s, congested 5.01 s, managed 4.60 s: noise, and not a recovery of 4100 %."""
    times = {"clean": 5.0, "clean_managed": 5.0, "congested": 5.01, "congested_managed": 4.6}
    experiment = fixtures.build(tmp_path, {"cg": times}, replications=1)
    with Store.read(tmp_path) as store:
        found = comparison.load(store, experiment)
    assert summary.of(found).programs["cg"].recovered is None
    assert "recovered share: not measurable" in findings.paragraphs(found)[0]


def test_many_cases_have_one_lead_and_a_section_each(tmp_path):
    names = [f"cg.{congestion}.{lab}" for congestion in ("mpi", "delay", "streams") for lab in ("one", "two")]
    experiment = fixtures.build(tmp_path, dict.fromkeys(names, fixtures.TIMES_S["cg"]), replications=1)
    with Store.read(tmp_path) as store:
        found = comparison.load(store, experiment)
    (lead,) = findings.lead(found)
    assert lead.startswith("6 cases, each compared with itself. Cross-traffic slowed them down by a factor of ")
    best = max(found.programs, key=lambda each: each.final.recovered.value)
    assert f"({best.name})" in lead.partition("recovered")[2].partition(".  ")[0]
    page = comparison_report.write(found, tmp_path / "report.html").html.read_text()
    assert page.count("<svg") == 1 + 3 * 6  # effects; run times, latencies and time line of each
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "times as long under cross-traffic" in page


def test_failed_missing_and_running_runs(tmp_path):
    """A comparison in the middle: failed runs are counted apart, nothing is made up for missing ones."""
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        experiment = fixtures.compare(store, clock, {"cg": {"clean": 5.0, "congested": 15.0}}, 3, finish=False)
        labels = {"program": "cg", "ranks": 8, "replication": 9}
        pilot = store.begin_run("run", labels | {"scenario": "pilot"}, parent=experiment)
        store.add_series(pilot, "time_s", 99.0, "s")
        store.finish_run(pilot)
        failed = store.begin_run("run", labels | {"scenario": "clean_managed"}, parent=experiment)
        store.finish_run(failed, "failed", 1, "exit code 1")
        store.begin_run("run", labels | {"scenario": "congested_managed"}, parent=experiment)
        found = comparison.load(store, experiment)
        assert [each.id for each in failed_runs(store, experiment)] == [failed]
        again = store.begin_run("run", labels | {"scenario": "clean_managed"}, parent=experiment)
        store.finish_run(again)
        assert failed_runs(store, experiment) == []
        other = store.begin_run("run", labels | {"scenario": "congested"}, parent=experiment)
        store.finish_run(other, "failed", 1, "exit code 1")
        assert [each.id for each in failed_runs(store, experiment)] == [other]
        got = summary.of(found).programs["cg"]
        assert got.t_nc_managed is None
        assert got.t_ic_managed is None
        assert (got.n_runs, got.failed_runs) == (6, 1)
        assert got.t_nc < 6  # the pilot does not count
        assert not summary.of(found).complete
        said = " ".join(findings.paragraphs(found))
        assert "No managed congested run finished." in said
        assert "incomplete" in said
        assert "1 run failed" in said
        page = comparison_report.write(found, tmp_path / "report.html").html.read_text()
        assert "exit code 1" in page


def test_wrong_experiments_are_refused(demo, tmp_path):
    store, _ = demo
    with pytest.raises(StoreError, match="is of kind characterization, not experiment"):
        comparison.load(store, store.runs("characterization")[0].id)
    with Store.open(tmp_path) as empty:
        with pytest.raises(StoreError, match="holds no comparison"):
            latest(empty)
        experiment = empty.begin_run("experiment", {})
        with pytest.raises(StoreError, match="no finished run yet"):
            comparison.load(empty, experiment)


def test_broken_events_are_named(tmp_path):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        experiment = store.begin_run("experiment", {})
        labels = {"program": "cg", "scenario": "congested_managed", "replication": 0}
        run = store.begin_run("run", labels, parent=experiment)
        store.add_event(run, clock.now_s, "rerouted", {"source": "h0", "destination": "h1"})
        store.add_series(run, "time_s", 5.0, "s")
        store.finish_run(run)
        with pytest.raises(StoreError, match=r"run 2: event 'rerouted' at [\d.]+ s has no 'relay'"):
            comparison.load(store, experiment)


def test_unbounded_intervals_are_null_ends(demo):
    _, found = demo
    cg = program(found)
    wide = dataclasses.replace(cg.final.recovered.estimate, high=float("inf"))
    stage = dataclasses.replace(cg.final, recovered=dataclasses.replace(cg.final.recovered, estimate=wide))
    changed = dataclasses.replace(found, programs=(dataclasses.replace(cg, stages=(stage,)),))
    got = json.loads(summary.of(changed).to_json())["programs"]["cg"]["intervals"]["recovered"]
    assert got == [wide.low, None]


@pytest.mark.parametrize("asleep", [True, False])
def test_times_that_processors_made_are_told(tmp_path, asleep):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        experiment = store.begin_run("experiment", {})
        for scenario, busy in (("clean", [0.97, 0.95, 0.5]), ("congested", [0.5, 0.6, 0.99])):
            for replication, share in enumerate(busy):
                labels = {"program": "cg", "scenario": scenario, "replication": replication}
                facts = {"lab": {"scale": 0.2, "asleep": asleep}}
                run = store.begin_run("run", labels, parent=experiment, facts=facts)
                store.add_series(run, "time_s", 5.0 + replication, "s")
                for name, value, unit in Use(share, None, 0.001).series():
                    store.add_series(run, name, value, unit)
                store.finish_run(run)
        found = comparison.load(store, experiment)
    clean, congested = program(found).clean, program(found).congested
    assert (clean.busy, clean.limited_by_processors) == (0.95, asleep)
    assert (congested.busy, congested.limited_by_processors) == (0.6, False)
    shown = [row[-1].shown for row in comparison_tables.run_times(found).rows]
    assert shown == [f"95\u00a0%{' (limit)' if asleep else ''}", "60\u00a0%"]
    told = [text for text in findings.caveats(found) if "say nothing about the network" in text]
    assert len(told) == asleep
    assert not asleep or "limited cg clean (95\u00a0% busy)" in told[0]


def test_where_processors_were_not_watched_nothing_is_said_of_them(demo):
    _, found = demo
    assert program(found).clean.busy is None
    assert not program(found).clean.limited_by_processors
    assert not any("processors" in text for text in findings.caveats(found))


def _timed(store, experiment, scenario, replication, whole_s, timed_s):
    labels = {"program": "cg", "scenario": scenario, "replication": replication}
    run = store.begin_run("run", labels, parent=experiment)
    store.add_series(run, "time_s", whole_s, "s")
    if timed_s is not None:
        store.add_series(run, "timed_section_s", timed_s, "s")
    store.finish_run(run)


@pytest.mark.parametrize("all_tell", [True, False])
def test_the_programs_own_clock_counts_where_all_runs_have_one(tmp_path, all_tell):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        experiment = store.begin_run("experiment", {})
        for replication in range(3):
            _timed(store, experiment, "clean", replication, 8.0, 6.0)
            _timed(store, experiment, "congested", replication, 14.0, 12.0 if all_tell or replication else None)
        found = comparison.load(store, experiment)
    cg = program(found)
    assert cg.own_clock == all_tell
    assert (cg.clean.median_s, cg.congested.median_s) == ((6.0, 12.0) if all_tell else (8.0, 14.0))
    assert cg.timed_share == (0.75 if all_tell else None)
    assert ("by its own clock" in findings.of_program(cg, 0.95)) == all_tell
    assert json.loads(summary.of(found).to_json())["programs"]["cg"]["own_clock"] == all_tell
    assert not [text for text in findings.caveats(found) if "timed section" in text]


@pytest.mark.parametrize(("whole_s", "timed_s"), [(5.0, 4.9), (10.0, 6.0)])
def test_a_timed_section_that_says_little_is_told(tmp_path, whole_s, timed_s):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        experiment = store.begin_run("experiment", {})
        for replication in range(2):
            _timed(store, experiment, "clean", replication, whole_s, timed_s)
        found = comparison.load(store, experiment)
    (told,) = [text for text in findings.caveats(found) if "timed section of cg" in text]
    assert f"{timed_s / whole_s:.0%}".rstrip("%") in told
