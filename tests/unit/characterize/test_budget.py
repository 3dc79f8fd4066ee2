"""A characterization within a budget of time: kept to, right in what it says, and continued by the next one."""

import asyncio
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fairlead.characterize import budget, characterization, sample_store
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.characterize import characterize, keep_left_out, survey_of
from fairlead.characterize.clocks import with_clocks_of
from fairlead.characterize.difference import compare
from fairlead.characterize.json_form import grouped_shares
from fairlead.characterize.left_out import Part
from fairlead.characterize.samples import Exchanges, Window
from fairlead.characterize.score import score, truth_of
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.characterize.survey import Survey, SurveySettings
from fairlead.cli.characterize import command
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import ConfigError, NoSuchResultsError
from fairlead.lab.topology import ResolvedLab
from fairlead.placement.compute import known
from fairlead.store import Store

from .made_up_network import Measured, leaf_spine
from .simulated_network import SimulatedAgents, run
from .test_characterize_survey import PLANS, Nowhere

SIZES_B = (64, 65536, 512 * 1024)
STEP_S = 0.3
"""A window, or the exchanges of a pair."""

GROUPING = "injections that show which hosts are alike, and all that follows"


class Stepping(Nowhere):
    """Keeps when each sample was taken."""

    def __init__(self) -> None:
        super().__init__()
        self.times_s: list[float] = []

    def exchanges(self, sample: Exchanges) -> None:
        super().exchanges(sample)
        self.times_s.append(asyncio.get_running_loop().time())

    def window(self, sample: Window) -> None:
        super().window(sample)
        self.times_s.append(asyncio.get_running_loop().time())


def surveyed(plan: ResolvedLab, budget_s: float | None, **changes: Any) -> tuple[Survey, float]:
    """A survey that has ended, and how long it took."""
    earlier, sink = changes.pop("earlier", None), changes.pop("sink", Nowhere())
    settings = SurveySettings(sizes_B=SIZES_B, budget_s=budget_s, **changes)
    survey = Survey(SimulatedAgents(plan, timed=True), settings, sink, lambda what, done, total: None, earlier)
    return survey, run(survey.run())


def cluster_of(plan: ResolvedLab) -> Cluster:
    hosts = tuple(Host(host.name, host.address) for host in plan.hosts)
    return Cluster("sim", "local", hosts, source="sim.toml")


def stored(store: Store, plan: ResolvedLab, budget_s: float | None, seed: int = 1, **changes: Any) -> Characterization:
    """A characterization as the command makes it, but with simulated agents."""
    cluster = cluster_of(plan)
    settings = SurveySettings(sizes_B=SIZES_B, budget_s=budget_s, **changes)
    earlier = characterization.unfinished(store, cluster)
    number = characterization.begin(store, cluster, settings, None if earlier is None else earlier.id)
    agents = SimulatedAgents(plan, seed=seed, timed=True)
    survey = survey_of(agents, store, number, settings, lambda what, done, total: None)
    run(survey.run())
    because = keep_left_out(store, number, survey)
    store.finish_run(number, "aborted" if because else "ok", error=because or None)
    return Characterization.read(store, store.run(number))


def truth(plan: ResolvedLab) -> Any:
    return truth_of(plan.shared_bottlenecks(), [host.name for host in plan.hosts])


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path) as opened:
        yield opened


# ---------------------------------------------------------------- the budget is kept


@pytest.mark.parametrize("name", ["star", "mesh", "leaf-spine"])
@pytest.mark.parametrize("budget_s", [1.0, 3.0, 6.0, 9.0, 14.0])
def test_a_budget_is_kept_within_a_step_and_used(name: str, budget_s: float) -> None:
    sink = Stepping()
    survey, took_s = surveyed(PLANS[name], budget_s, sink=sink)
    assert took_s <= budget_s + STEP_S
    assert max(sink.times_s) <= budget_s
    if survey.left_out:
        longest_s = max(np.diff([0.0, *sink.times_s]))
        assert took_s >= budget_s - max(STEP_S, longest_s) - 1.0, "the next step may be a pair's large messages"


def test_every_sample_is_kept_and_the_rest_is_named() -> None:
    sink = Stepping()
    survey, _ = surveyed(PLANS["mesh"], 6.5, sink=sink)
    assert len(sink.taken) == len(survey.samples.windows) + len(survey.samples.exchanges)
    assert list(map(str, survey.left_out)) == [
        "6 of 12 injections between groups of hosts",
        "tests which paths meet behind their first bottlenecks",
        "8 of 28 pairs' latencies of 64 B and 64 KiB",
        "28 of 28 pairs' latencies of 512 KiB",
    ]


def test_without_a_budget_nothing_is_left_out() -> None:
    survey, took_s = surveyed(PLANS["mesh"], None)
    enough, _ = surveyed(PLANS["mesh"], took_s * 2)
    assert survey.left_out == enough.left_out == ()


def test_what_is_worth_most_comes_first() -> None:
    told: list[str] = []
    settings = SurveySettings(sizes_B=SIZES_B, budget_s=60)
    agents = SimulatedAgents(PLANS["leaf-spine"])
    run(Survey(agents, settings, Nowhere(), lambda what, done, total: told.append(what)).run())
    assert [what for what in dict.fromkeys(told) if what != "seconds of the budget"] == [
        "probing the quiet network",
        "injecting traffic, some pairs at a time",
        "injecting traffic between groups of hosts",
        "latency of messages of 64 B to 64 KiB",
        "injecting traffic within groups of hosts",
        "two hosts send to a third",
        "repeating outliers, a few at a time",
        "testing which paths meet (at most)",
        "latency of messages of 512 KiB",
    ]


def test_progress_tells_the_seconds_of_the_budget() -> None:
    told: list[tuple[int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        if what == "seconds of the budget":
            told.append((done, total))

    settings = SurveySettings(sizes_B=SIZES_B, budget_s=6.5)
    run(Survey(SimulatedAgents(PLANS["mesh"], timed=True), settings, Nowhere(), progress).run())
    assert told == sorted(told) and told[0] == (0, 7) and told[-1] == (7, 7)
    assert {done for done, _ in told} == set(range(8))


# ---------------------------------------------------------------- what it says is right


@pytest.mark.parametrize("name", ["star", "mesh", "leaf-spine", "leaf-one-spine"])
@pytest.mark.parametrize("share", [0.2, 1 / 3, 0.5])
def test_a_third_of_the_time_shows_a_part_that_is_right(name: str, share: float) -> None:
    plan = PLANS[name]
    whole, took_s = surveyed(plan, None)
    part, _ = surveyed(plan, took_s * share)
    if part.samples.group_of is None:
        assert list(map(str, part.left_out)) == [GROUPING]
        return
    found = SharedBottlenecks.of(part.samples)
    result = score(found.dense(), truth(plan))
    assert result.invented == 0 and result.found > 0
    off = ~np.eye(len(plan.hosts), dtype=bool)
    unknown = off & ~found.measured
    for source, destination in np.argwhere(unknown).tolist():
        assert not found.hurt_by((source, destination)).any() and np.isnan(found.rates_bps[source, destination])
    every = SharedBottlenecks.of(whole.samples)
    known = np.isfinite(found.rates_bps)
    np.testing.assert_allclose(found.rates_bps[known], every.rates_bps[known], rtol=0.1)
    assert every.whole and found.whole == (not unknown.any())


def test_confidence_tells_measured_from_assumed_and_unknown(store: Store) -> None:
    found = stored(store, PLANS["mesh"], 6.5)
    assert found.usable and not found.complete
    of = found.sensitivity.groups.of
    injected = np.zeros((8, 8), dtype=bool)
    for window in sample_store.samples_of(store, found.run or 0, 8).windows:
        for test in window.tests:
            injected[test[0]] |= len(test) == 1
    confidence = found.sensitivity.confidence
    assert set(confidence[injected].tolist()) == {2}
    assert set(confidence[~injected & found.sensitivity.measured].tolist()) == {1}
    assert set(confidence[~found.sensitivity.measured].tolist()) == {0}
    told = found.to_json()["sensitivity"]["confidence"]
    flat = [told[a][b] for a in range(4) for b in range(4) if a != b]
    assert flat.count("unknown") == 6 and flat.count("assumed") == 6
    assert [told[a][a] for a in range(4)] == [
        "unknown" if (confidence[np.ix_(of == a, of == a)] == 0).sum() > 2 else "measured" for a in range(4)
    ]
    said = "\n".join(found.summary_words())
    number = np.bincount(confidence[~np.eye(8, dtype=bool)])
    assert f"measured for {number[2]} of 56 pairs, assumed for {number[1]}" in said
    assert f"unknown for {number[0]}" in said
    assert "INCOMPLETE: there was no time for 6 of 12 injections between groups of hosts" in said


def test_a_path_whose_bottleneck_is_unknown_is_not_said_to_have_a_detour_nor_to_have_none(store: Store) -> None:
    found = stored(store, PLANS["mesh"], 6.5)
    off = ~np.eye(8, dtype=bool)
    unknown = next((i, j) for i, j in np.argwhere(off & ~found.sensitivity.measured).tolist())
    of_unknown = {each.shares_bottleneck for each in found.candidates(unknown)}
    assert None in of_unknown and True not in of_unknown
    assert found.has_detour(), "there may be one"
    assert any(line.startswith("not known for ") for line in found.path_table_words())
    sure = next((i, j) for i, j in np.argwhere(off & found.sensitivity.measured).tolist())
    assert None not in {each.shares_bottleneck for each in found.candidates(sure)}


def test_sizes_that_not_all_pairs_were_measured_at_are_not_used(store: Store) -> None:
    found = stored(store, PLANS["mesh"], 10.0)
    assert [str(part) for part in found.left_out] == ["24 of 28 pairs' latencies of 512 KiB"]
    number = found.run or 0
    assert {each.size_B for each in sample_store.exchanges_of(store, number)} == set(SIZES_B)
    assert found.latency.sizes_B == (64, 65536)
    assert Characterization.latest(store, cluster_of(PLANS["mesh"])) is not None
    assert math.isfinite(found.latency.base_s(0, 1, 1024))


def test_one_that_knows_no_latencies_is_not_used_by_runs(store: Store) -> None:
    found = stored(store, PLANS["star"], 1.3)
    assert not found.usable and found.left_out == (Part(GROUPING),)
    assert found.reason == f"there was no time for {GROUPING}"
    assert Characterization.latest(store, cluster_of(PLANS["star"])) is None
    assert found.to_json()["path_table"] is None
    assert found.sensitivity.measured.sum() < 8, "one injection a window, and no group that they are said of"


def test_placements_need_all_that_is_shared(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        stored(store, PLANS["mesh"], 6.5)
    with pytest.raises(NoSuchResultsError, match="6 of 12 injections between groups"):
        known(tmp_path, cluster_of(PLANS["mesh"]))
    with Store.open(tmp_path) as store:
        whole = stored(store, PLANS["mesh"], None)
        stored(store, PLANS["mesh"], 6.5)
    found = known(tmp_path, cluster_of(PLANS["mesh"]))
    assert found is not None and found.run == whole.run, "an older one that has all goes first"


def test_agents_take_what_is_unknown_for_shared_at_its_ends(store: Store) -> None:
    """As agents without a characterization do: else they took a detour for one around a bottleneck that it shares."""
    part = stored(store, PLANS["mesh"], 6.5).sensitivity
    told = grouped_shares(part.cautious())["fills"]
    before = grouped_shares(part)["fills"]
    for source, destination in np.argwhere(~np.eye(8, dtype=bool)).tolist():
        now, was = int(told[source][destination]), int(before[source][destination])
        assert now == (was if part.measured[source, destination] else was | 6)
    assert [told[host][host] for host in range(8)] == [before[host][host] for host in range(8)]
    every = stored(store, PLANS["mesh"], None).sensitivity
    assert grouped_shares(every.cautious()) == grouped_shares(every)


def test_a_difference_says_what_one_lacks(store: Store) -> None:
    part = stored(store, PLANS["mesh"], 6.5)
    whole = stored(store, PLANS["mesh"], None)
    for difference in (compare(whole, part), compare(part, whole)):
        assert (difference.begun, difference.ended) == ((), ())
        assert difference.incomplete.startswith(f"run {part.run} is incomplete (there was no time for 6 of 12 inj")


# ---------------------------------------------------------------- the next one continues


def test_a_second_call_refines_and_a_third_ends_it(store: Store) -> None:
    plan = PLANS["mesh"]
    first = stored(store, plan, 6.5)
    second = stored(store, plan, 4.5, seed=2)
    third = stored(store, plan, None, seed=3)
    assert [str(part) for part in second.left_out] == ["12 of 28 pairs' latencies of 512 KiB"]
    assert second.sensitivity.whole and not first.sensitivity.whole
    assert third.complete and third.latency.sizes_B == SIZES_B
    for found in (second, third):
        result = score(found.sensitivity.dense(), truth(plan))
        assert (result.missed, result.invented) == (0, 0)
    runs = [store.run(each.run or 0) for each in (first, second, third)]
    assert [(part.run, part.started_s, part.ended_s) for part in third.parts] == [
        (each.id, each.started_s, each.ended_s) for each in runs
    ]
    assert (third.started_s, third.ended_s) == (runs[0].started_s, runs[2].ended_s)
    of_second = {"run": runs[1].id, "started_s": runs[1].started_s, "ended_s": runs[1].ended_s}
    assert third.to_json()["parts"][1] == of_second
    taken = [sample_store._windows_of(store, each.run or 0)[0] for each in (first, second, third)]
    assert [sum(bool(window.tests) for window in windows) for windows in taken] == [20, 10, 0]
    pairs = [(each.pair, each.size_B) for each in sample_store.exchanges_of(store, third.run or 0)]
    assert len(pairs) == len(set(pairs)) == 28 * 3, "nothing is measured twice"
    assert characterization.unfinished(store, cluster_of(plan)) is None, "a complete one is not continued"


def test_a_grouping_that_was_cut_short_is_continued(store: Store) -> None:
    first = stored(store, PLANS["leaf-spine"], 2.0)
    assert first.left_out == (Part(GROUPING),) and not sample_store.grouped(store, first.run or 0)
    second = stored(store, PLANS["leaf-spine"], None, seed=2)
    result = score(second.sensitivity.dense(), truth(PLANS["leaf-spine"]))
    assert second.complete and (result.missed, result.invented) == (0, 0)
    once = [window.pairs[0] for window in sample_store._windows_of(store, first.run or 0)[0] if window.tests]
    again = [window.pairs for window in sample_store._windows_of(store, second.run or 0)[0][6:14]]
    assert 0 < len(once) < 8 and not {(pair,) for pair in once} & set(again)


def test_other_sizes_are_measured_with_the_groups_of_before(store: Store) -> None:
    stored(store, PLANS["mesh"], 6.5)
    cluster = cluster_of(PLANS["mesh"])
    earlier = characterization.unfinished(store, cluster)
    assert earlier is not None
    settings = SurveySettings(sizes_B=(1024,))
    number = characterization.begin(store, cluster, settings, earlier.id)
    survey = survey_of(SimulatedAgents(PLANS["mesh"]), store, number, settings, lambda what, done, total: None)
    run(survey.run())
    store.finish_run(number)
    found = Characterization.read(store, store.run(number))
    assert found.latency.sizes_B == (1024,) and found.complete


def test_only_what_is_young_and_of_these_hosts_is_continued(store: Store) -> None:
    plan = PLANS["mesh"]
    cluster, first = cluster_of(plan), stored(store, plan, 6.5)
    run_ = store.run(first.run or 0)
    found = characterization.unfinished(store, cluster)
    assert found is not None and found.id == run_.id
    assert characterization.unfinished(store, cluster, run_.started_s + 25 * 3600) is None
    assert characterization.unfinished(store, cluster, since_s=run_.started_s) is not None
    assert characterization.unfinished(store, cluster, since_s=run_.started_s + 1) is None, "a lab that was made anew"
    others = replace(cluster, hosts=cluster.hosts[1:])
    assert characterization.unfinished(store, others) is None
    failed = characterization.begin(store, cluster, SurveySettings(), run_.id)
    store.finish_run(failed, "failed", error="h1 died")
    found = characterization.unfinished(store, cluster)
    assert found is not None and found.id == run_.id, "one that failed said nothing"


def test_delays_of_before_are_told_by_the_clocks_of_now() -> None:
    paths = np.array([(0, 1), (1, 0), (0, 2), (2, 0)])

    def window(forward_s: float, tests: Any = (), only: int = 4) -> Window:
        delays = np.array([[1e-4 + forward_s], [1e-4 - forward_s], [1e-4], [1e-4]]).repeat(3, axis=1)
        return Window(tests, (1e9,) * len(tests), paths[:only], delays[:only])

    earlier = [window(5e-3), window(5e-3, (((0, 1),),))]
    shifted = with_clocks_of([window(-1e-3, only=2)], earlier, 3)
    for each in shifted:
        np.testing.assert_allclose(each.delays_s[:, 0], [1e-4 - 1e-3, 1e-4 + 1e-3, 1e-4, 1e-4])
    assert shifted[1].tests == (((0, 1),),)


def test_clocks_that_are_set_in_between_hide_nothing(store: Store) -> None:
    """Of two milliseconds: more than a queue that counts."""
    plan = PLANS["mesh"]
    cluster = cluster_of(plan)
    for budget_s, offset_s in ((6.5, 0.0), (None, 2e-3)):
        settings = SurveySettings(sizes_B=SIZES_B, budget_s=budget_s)
        earlier = characterization.unfinished(store, cluster)
        number = characterization.begin(store, cluster, settings, None if earlier is None else earlier.id)
        agents = SimulatedAgents(plan, timed=True)
        agents._offsets_s = [each + offset_s * host for host, each in enumerate(agents._offsets_s)]
        survey = survey_of(agents, store, number, settings, lambda what, done, total: None)
        run(survey.run())
        keep_left_out(store, number, survey)
        store.finish_run(number)
    found = Characterization.read(store, store.run(number))
    result = score(found.sensitivity.dense(), truth(plan))
    assert (result.missed, result.invented) == (0, 0)


# ---------------------------------------------------------------- budgets that make no sense


@pytest.mark.parametrize(("hosts", "least_s"), [(2, 2.7), (8, 4.5), (16, 4.8), (64, 6.0), (256, 12.9)])
def test_the_least_budget_is_what_the_groups_take(hosts: int, least_s: float) -> None:
    assert budget.least_s(hosts, 6, 1, grouped=False) == pytest.approx(least_s, abs=1.5)
    assert budget.least_s(hosts, 6, 1, grouped=True) == pytest.approx(2.1)


def test_the_least_budget_is_about_that_of_the_windows() -> None:
    measured = Measured(leaf_spine(64))
    injecting = sum(round_.what == "injecting traffic, some pairs at a time" for round_ in measured.rounds)
    assert budget.least_s(64, 6, 1, grouped=False) == pytest.approx((7 + injecting) * budget.WINDOW_S)


def test_too_short_a_budget_is_refused_with_what_it_takes(store: Store) -> None:
    cluster = cluster_of(PLANS["mesh"])
    refused = r"a budget of 3 s is too short: .* which hosts are alike takes about 4.5 s on 8 hosts"
    with pytest.raises(ConfigError, match=refused):
        characterize(cluster, store, SurveySettings(budget_s=3), lambda what, done, total: None)
    assert characterization.runs(store) == []
    stored(store, PLANS["mesh"], 6.5)
    with pytest.raises(ConfigError, match=r"a budget of 2 s is too short: seeing the quiet network takes about 2.1 s"):
        characterize(cluster, store, SurveySettings(budget_s=2), lambda what, done, total: None)
    with pytest.raises(ConfigError, match=refused):
        characterize(cluster, store, SurveySettings(budget_s=3), lambda what, done, total: None, anew=True)


@pytest.mark.parametrize("seconds", ["0", "-5", "x", "nan", "inf"])
def test_a_budget_that_is_no_time_is_refused(seconds: str) -> None:
    result = CliRunner().invoke(command, ["sim.toml", "--budget", seconds])
    assert result.exit_code == 2 and "--budget" in result.output


@pytest.mark.parametrize("option", ["--budget", "--large-budget", "--every"])
@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_a_time_that_no_clock_can_wait_for_is_refused_before_anything_is_measured(option: str, seconds: str) -> None:
    result = CliRunner().invoke(command, ["sim.toml", option, seconds, "--times", "2"])
    assert result.exit_code == 2
    assert f"Invalid value for '{option}': '{seconds}' is not a finite number" in result.output


def test_the_command_says_what_is_missing_and_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def characterized_(cluster: Cluster, store: Store, settings: SurveySettings, *_: Any, **how: Any) -> Any:
        asked.append(how | {"budget_s": settings.budget_s, "large_s": settings.large_s})
        return stored(store, PLANS["mesh"], settings.budget_s)

    monkeypatch.setattr("fairlead.characterize.characterize.characterize", characterized_)
    monkeypatch.setattr("fairlead.cluster.cluster_file.load_cluster", lambda path: cluster_of(PLANS["mesh"]))
    words = [str(tmp_path / "sim.toml"), "--results", str(tmp_path), "--budget", "6.5"]
    (tmp_path / "sim.toml").touch()
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 0, result.output
    assert "INCOMPLETE: there was no time for 6 of 12 injections between groups of hosts" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "the same command again continues with what is missing, without --budget to the end"
    )
    as_json = CliRunner().invoke(command, [*words, "--json", "--anew"])
    assert json.loads(as_json.stdout)["left_out"] == [], "the second went on to the end"
    assert asked == [{"anew": anew, "since_s": 0.0, "budget_s": 6.5, "large_s": 60.0} for anew in (False, True)]
