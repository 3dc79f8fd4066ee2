"""Characterizations: stored raw and computed again, found again, compared, told in words; their JSON; the command."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fairlead.characterize import characterization
from fairlead.characterize.characterization import Characterization, MeasuredPart
from fairlead.characterize.characterize import characterize, survey_of
from fairlead.characterize.difference import compare
from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.samples import Bools, Exchanges
from fairlead.characterize.survey import Survey, SurveySettings
from fairlead.cli import report
from fairlead.cli.characterize import command
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import ConfigError, MeasurementError, NoSuchResultsError
from fairlead.lab.description import Description
from fairlead.lab.resolve import resolve_lab
from fairlead.progress import unseen
from fairlead.protocol import answers, commands
from fairlead.store import Store

from .simulated_network import SimulatedAgents, run

PLAN = resolve_lab(
    Description.model_validate(
        {
            "lab": {"name": "sim", "topology": "mesh", "leafs": 3, "hosts_per_leaf": 1},
            "host_link": {"rate": "1gbit"},
            "trunk": {"rate": "200mbit"},
        }
    )
)
CLUSTER = Cluster("sim", "local", tuple(Host(host.name, host.address) for host in PLAN.hosts), source="sim.toml")
SETTINGS = SurveySettings(sizes_B=(64, 65536))


def measured(store: Store, seed: int = 1, plan: Any = PLAN, status: str = "ok") -> int:
    number = characterization.begin(store, CLUSTER, SETTINGS)
    agents = SimulatedAgents(plan, seed=seed)
    run(Survey(agents, SETTINGS, StoreSink(store, number), lambda what, done, total: None).run())
    store.finish_run(number, status)
    return number


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path) as opened:
        yield opened


def test_what_is_stored_is_what_was_measured(store: Store) -> None:
    number = characterization.begin(store, CLUSTER, SETTINGS)
    survey = Survey(SimulatedAgents(PLAN), SETTINGS, StoreSink(store, number), lambda what, done, total: None)
    run(survey.run())
    store.finish_run(number)
    found = Characterization.latest(store, CLUSTER)
    assert found is not None and found.run == number and found.complete
    again = characterization.sample_store.samples_of(store, number, 3)
    assert [each.tests for each in again.windows] == [each.tests for each in survey.samples.windows]
    for one, other in zip(again.windows, survey.samples.windows, strict=True):
        np.testing.assert_array_equal(one.delays_s, other.delays_s)
        np.testing.assert_array_equal(one.paths, other.paths)
        assert one.rates_bps == other.rates_bps
    np.testing.assert_array_equal(again.group_of, survey.samples.group_of)
    for first, second in zip(again.exchanges, survey.samples.exchanges, strict=True):
        np.testing.assert_array_equal(first.forward_s, second.forward_s)
        assert (first.pair, first.size_B, first.alone) == (second.pair, second.size_B, second.alone)
    measured_bps = survey.samples.rates_bps()
    alone = np.isfinite(measured_bps)
    assert (found.rates_bps[alone] >= measured_bps[alone]).all()
    assert np.isfinite(found.rates_bps[~np.eye(3, dtype=bool)]).all()


def test_a_store_from_before_groups_is_read(store: Store) -> None:
    """It has the delays of all paths, and one test a window, as labels."""
    number = characterization.begin(store, CLUSTER, SETTINGS)
    sink = StoreSink(store, number)
    for pair in ((0, 1), (0, 2), (1, 2)):
        sink.exchanges(Exchanges(pair, 64, np.full(30, 2e-4), np.full(30, 1e-4), 1e-6, False))

    def window(queued: tuple[tuple[int, int], ...] = (), **labels: float) -> None:
        delays = np.full((3, 3, 5), np.nan)
        delays[~np.eye(3, dtype=bool)] = 1e-4
        for path in queued:
            delays[path] += 0.02
        store.add_series(number, "delays_s", delays, "s", labels, missing=True)

    window()
    for k, m in ((k, m) for k in range(3) for m in range(3) if k != m):
        window(((k, m), (k, 3 - k - m)), source0=k, destination0=m, rate0_bps=1e8)
    both = {"source0": 0, "destination0": 2, "rate0_bps": 5e7, "source1": 1, "destination1": 2, "rate1_bps": 5e7}
    window(((0, 2), (1, 2)), **both)
    store.finish_run(number)
    found = Characterization.read(store, store.run(number))
    assert found.complete and found.rates_bps[0, 1] == 1e8
    hurt = {(k, m): {(int(i), int(j)) for i, j in np.argwhere(found.sensitivity.hurt_by((k, m)))} for k, m in
            ((0, 1), (0, 2), (1, 2), (2, 0))}  # fmt: skip
    assert hurt == {(0, 1): {(0, 2)}, (0, 2): {(0, 1), (1, 2)}, (1, 2): {(1, 0), (0, 2)}, (2, 0): {(2, 1)}}


def test_only_a_complete_one_of_the_same_hosts_is_found(store: Store) -> None:
    assert Characterization.latest(store, CLUSTER) is None
    first = measured(store)
    begun = characterization.begin(store, CLUSTER, SETTINGS)
    store.finish_run(begun, "failed", error="h1: the agent was killed by signal 9")
    found = Characterization.latest(store, CLUSTER)
    assert found is not None and found.run == first
    rerouted = replace(CLUSTER, hosts=(replace(CLUSTER.hosts[0], address="10.9.9.9"), *CLUSTER.hosts[1:]))
    assert Characterization.latest(store, rerouted) is None


def test_each_size_says_whether_its_times_are_one_way(store: Store) -> None:
    """The clocks' error may be little of a large message's time and most of a small one's."""
    found = Characterization.read(store, store.run(measured(store)))
    one_way = np.zeros((2, 3, 3), dtype=bool)
    one_way[1] = ~np.eye(3, dtype=bool)

    def told(of: Bools) -> list[str]:
        lines = replace(found, latency=replace(found.latency, one_way=of)).summary_words()
        return [line.rpartition("; ")[2] for line in lines if line.startswith("  latency of")]

    assert told(one_way) == ["half a round trip)", "one way)"]
    one_way[0, 0, 1] = True
    assert told(one_way)[0] == "one way, or half a round trip where the clocks do not tell)"


@pytest.mark.parametrize(
    ("sizes", "measured_B"), [("64KiB,1MiB", (64, 65536, 1048576)), ("1,1KiB", (1, 1024)), ("64", (64,))]
)
def test_a_small_message_is_measured_whatever_sizes_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: str, measured_B: tuple[int, ...]
) -> None:
    asked: list[tuple[int, ...]] = []

    def measure(_cluster: Any, _store: Any, settings: SurveySettings, _progress: Any, **_: Any) -> None:
        asked.append(settings.sizes_B)
        raise MeasurementError("that was all to be seen")

    monkeypatch.setattr("fairlead.characterize.characterize.characterize", measure)
    (tmp_path / "here.toml").write_text(
        '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
    )
    CliRunner().invoke(command, [str(tmp_path / "here.toml"), "--sizes", sizes, "--results", str(tmp_path / "r")])
    assert asked == [measured_B]


def test_an_incomplete_one_shows_what_it_has(store: Store) -> None:
    number = characterization.begin(store, CLUSTER, SETTINGS)
    survey = Survey(
        SimulatedAgents(PLAN, dies_after=30), SETTINGS, StoreSink(store, number), lambda what, done, total: None
    )
    with pytest.raises(Exception, match="killed"):
        run(survey.run())
    store.finish_run(number, "failed", error="h1: the agent was killed by signal 9")
    found = Characterization.read(store, store.run(number))
    assert not found.complete
    assert "INCOMPLETE: h1: the agent was killed by signal 9" in found.summary_words()
    assert np.isfinite(found.rates_bps).any() and not np.isfinite(found.rates_bps).all()
    assert found.to_json()["path_table"] is None


class _SilentPath(SimulatedAgents):
    """No probe between the first host and the last is answered."""

    async def _probe(self, host: int, probe: commands.Probe) -> answers.Probe:
        answer = await super()._probe(host, probe)
        return answers.Probe(
            results=tuple(
                replace(each, round_trip_s=(), forward_s=(), backward_s=()) if {host, each.peer} == {0, 2} else each
                for each in answer.results
            )
        )


def test_a_silent_path_is_told_by_its_hosts_names_and_what_was_measured_is_shown(store: Store) -> None:
    number = characterization.begin(store, CLUSTER, SETTINGS)
    with pytest.raises(MeasurementError, match="no probe from h0 to h2 came back, nor on 1 other path") as raised:
        run(survey_of(_SilentPath(PLAN), store, number, SETTINGS, unseen).run())
    store.finish_run(number, "failed", error=raised.value.message)
    assert any(window.tests for window in characterization.sample_store.samples_of(store, number, 3).windows)
    found = Characterization.read(store, store.run(number))
    assert found.incomplete_because == raised.value.message
    assert not found.sensitivity.measured.any()
    assert found.summary_words()[1] == f"INCOMPLETE: {raised.value.message}"


def test_another_kind_of_run_is_refused(store: Store) -> None:
    number = store.begin_run("run", {"program": "cg"})
    with pytest.raises(NoSuchResultsError, match=f"run {number} .* is a run, not a characterization"):
        Characterization.read(store, store.run(number))


def test_json_holds_everything(store: Store) -> None:
    number = measured(store)
    data = json.loads(json.dumps(Characterization.read(store, store.run(number)).to_json(), allow_nan=False))
    assert data["complete"] and data["cluster"] == "sim" and len(data["hosts"]) == 3
    assert data["latency"]["sizes_B"] == [64, 65536]
    assert data["latency"]["median_s"][0][1][1] is None
    assert data["latency"]["median_s"][1][0][1] == pytest.approx(8 * 65536 / 200e6, rel=0.1)
    assert data["rates_bps"][0][1] == pytest.approx(200e6, rel=0.1)
    pairs = data["path_table"]["pairs"]
    assert len(pairs) == 6
    assert [c["relay"] for c in pairs[0]["candidates"]] == [2]
    assert pairs[0]["candidates"][0]["shares_bottleneck"] is False


@pytest.mark.parametrize("as_json", [False, True])
def test_a_report_that_takes_long_says_what_it_does(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    measured(store)
    words = [str(tmp_path), "--output", str(tmp_path / "page.html"), *(["--json"] if as_json else [])]
    monkeypatch.setattr(report, "EVERY_S", 600.0)
    soon = CliRunner().invoke(report.command, words)
    page = f"{tmp_path / 'page.html'}\n"
    assert (soon.exit_code, soon.stderr) == (0, page if as_json else "")
    monkeypatch.setattr(report, "EVERY_S", 0.0)  # as if all of it took longer
    late = CliRunner().invoke(report.command, words)
    assert late.stdout == soon.stdout
    told = [line.split(" s  ")[1] for line in late.stderr.splitlines() if " s  " in line and " so far" not in line]
    assert told == [
        "computing and drawing the report",
        "computing the matrices",
        "inferring the network",
        "drawing network and heat maps",
    ]


def test_tables_for_agents(store: Store) -> None:
    number = measured(store)
    tables = Characterization.read(store, store.run(number)).manage_tables()[1]
    json.dumps(tables.to_json(), allow_nan=False)
    assert tables.base.sizes_B == (64, 65536)
    assert tables.base.latency_s[0][0][0] is None and tables.base.latency_s[0][0][1] > 0
    assert tables.base.rate_bps[2][1] == pytest.approx(200e6, rel=0.1)
    assert 0 <= tables.base.age_s < 60
    assert tables.shares == [], "one host a leaf: nothing is shared on a mesh"


def test_age_and_staleness_in_words(store: Store) -> None:
    found = Characterization.read(store, store.run(measured(store)))
    assert found.age_words(found.ended_s + 200) == "measured 3 minutes ago"
    assert found.stale_warning(found.ended_s + 3600) == ""
    assert "is old (measured 3 days ago)" in found.stale_warning(found.ended_s + 3 * 86400 + 1)


def test_what_was_continued_is_as_old_as_its_oldest_part(store: Store) -> None:
    number = measured(store)
    whole = Characterization.read(store, store.run(number))
    assert [part.run for part in whole.parts] == [number]
    first, last = MeasuredPart(1, 1000.0, 1060.0), MeasuredPart(2, 73000.0, 73060.0)
    found = replace(whole, parts=(first, last))
    assert (found.started_s, found.ended_s, found.took_s) == (1000.0, 73060.0, 120.0)
    assert found.age_s(73060.0 + 200) == 72200.0
    assert found.age_words(73060.0 + 200) == "measured in 2 parts, 3 minutes to 20 hours ago"
    assert found.age_words(73060.0 + 9 * 86400) == "measured in 2 parts, 9 days ago"
    assert found.stale_warning(1060.0 + 24 * 3600) == ""
    assert "is old (measured in 2 parts, 4 hours to 24 hours ago)" in found.stale_warning(1060.0 + 24 * 3600 + 1)
    assert any("measured in 2 parts" in line for line in found.summary_words())
    assert found.selected(CLUSTER).parts == found.parts


def test_two_measurements_of_one_network_do_not_differ(store: Store) -> None:
    first, second = (Characterization.read(store, store.run(measured(store, seed))) for seed in (1, 2))
    difference = compare(first, second)
    assert difference.compared == 18
    assert (difference.shifts, difference.begun, difference.ended) == ((), (), ())
    assert difference.describe() == ["0 of 18 values shifted beyond the measurements' scatter"]


def test_a_slower_trunk_is_told(store: Store) -> None:
    links = tuple(
        replace(link, rate_bps=100_000_000) if {link.a, link.b} == {"leaf0", "leaf1"} else link for link in PLAN.links
    )
    before = Characterization.read(store, store.run(measured(store)))
    after = Characterization.read(store, store.run(measured(store, seed=2, plan=replace(PLAN, links=links))))
    difference = compare(before, after)
    assert {(s.source, s.destination, s.what) for s in difference.shifts} == {
        (a, b, what) for a, b in (("h0", "h1"), ("h1", "h0")) for what in ("latency of 65536 B", "throughput")
    }
    slower = next(shift for shift in difference.shifts if shift.unit == "s")
    assert slower.share == pytest.approx(1.0, abs=0.1)
    assert "h0 → h1: throughput" in "\n".join(difference.describe())


def test_latencies_that_neither_measured_are_not_compared(store: Store) -> None:
    """Of many hosts most pairs have the median of the few that stand for them."""
    found = Characterization.read(store, store.run(measured(store)))
    count = found.latency.count.copy()
    count[:, 0, 1] = 0.0
    before = replace(found, latency=replace(found.latency, count=count))
    slower = replace(found.latency, median_s=2 * found.latency.median_s)
    after = replace(found, latency=replace(slower, count=count))
    difference = compare(before, after)
    assert difference.compared == 16
    shifted = [(each.source, each.destination) for each in difference.shifts]
    assert len(shifted) == 10 and ("h0", "h1") not in shifted
    assert compare(before, replace(found, latency=slower)).compared == 18, "one of the two has it"


def test_sharing_that_was_not_measured_again_has_not_ended(store: Store) -> None:
    """Two hosts a leaf share their trunk; the second measurement ends after some of the injections."""
    description = {
        "lab": {"name": "sim", "topology": "mesh", "leafs": 2, "hosts_per_leaf": 2},
        "host_link": {"rate": "1gbit"},
        "trunk": {"rate": "200mbit"},
    }
    plan = resolve_lab(Description.model_validate(description))
    cluster = Cluster("sim", "local", tuple(Host(host.name, host.address) for host in plan.hosts), source="sim.toml")
    numbers = []
    for dies_after in (None, 60):
        number = characterization.begin(store, cluster, SETTINGS)
        agents = SimulatedAgents(plan, dies_after=dies_after)
        survey = Survey(agents, SETTINGS, StoreSink(store, number), lambda what, done, total: None)
        if dies_after is None:
            run(survey.run())
            store.finish_run(number)
        else:
            with pytest.raises(Exception, match="killed"):
                run(survey.run())
            store.finish_run(number, "failed", error="h1 died")
        numbers.append(number)
    whole, part = (Characterization.read(store, store.run(number)) for number in numbers)
    made = int(part.sensitivity.measured.sum())
    assert 0 < made < 12 and part.sensitivity.dense().sum() < whole.sensitivity.dense().sum()
    for difference in (compare(whole, part), compare(part, whole)):
        assert (difference.begun, difference.ended) == ((), ())
        assert difference.injections == (made, 12)
        reason = f"run {part.run} is incomplete (h1 died)"
        assert f"sharing was compared for {made} of 12 injections only: {reason}" in difference.describe()
        assert difference.to_json()["incomplete"] == reason
    assert compare(whole, whole).incomplete == ""


def test_of_sharing_that_began_and_ended_the_first_cases_are_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of hundreds of hosts all of them are more than fits into memory."""
    before = Characterization.read(store, store.run(measured(store)))
    everything = ~np.eye(3, dtype=bool)
    after = replace(before, sensitivity=replace(before.sensitivity, by_source=everything))
    added = int((after.sensitivity.dense() & ~before.sensitivity.dense()).sum())
    monkeypatch.setattr("fairlead.characterize.difference.MOST_CASES", 4)
    began, ended = compare(before, after), compare(after, before)
    assert added > 4
    assert (len(began.begun), began.begun_cases, began.ended_cases) == (4, added, 0)
    assert (len(ended.ended), ended.ended_cases, ended.begun) == (4, added, ())
    assert f"paths that now share a bottleneck ({added} cases):" in began.describe()
    assert began.to_json()["begun_cases"] == added


def test_other_hosts_cannot_be_compared(store: Store) -> None:
    found = Characterization.read(store, store.run(measured(store)))
    with pytest.raises(MeasurementError, match="their hosts differ"):
        compare(found, replace(found, hosts=("a", "b", "c")))


def test_a_cluster_of_one_host_is_refused(store: Store) -> None:
    alone = replace(CLUSTER, hosts=CLUSTER.hosts[:1])
    with pytest.raises(ConfigError, match=r"sim.toml: sim has a single host"):
        characterize(alone, store, SETTINGS, lambda what, done, total: None)
    assert characterization.runs(store) == []


def test_show_and_diff_on_the_command_line(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        first, second = measured(store, 1), measured(store, 2)
    runner = CliRunner()
    shown = runner.invoke(command, ["show", "--results", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    assert "sim: 3 hosts, 6 ordered pairs" in shown.output
    assert "h0 → h1: direct" in shown.output and f"stored as run {second}" in shown.output
    listed = runner.invoke(command, ["show", "--list", "--results", str(tmp_path)])
    assert [line.split()[0] for line in listed.output.splitlines()] == [str(first), str(second)]
    as_json = runner.invoke(command, ["show", "--list", "--json", "--results", str(tmp_path)])
    assert [(each["run"], each["status"]) for each in json.loads(as_json.output)] == [(first, "ok"), (second, "ok")]
    assert json.loads(as_json.output)[0]["hosts"] == ["h0", "h1", "h2"]
    differing = runner.invoke(command, ["diff", "--results", str(tmp_path)])
    assert f"run {first} " in differing.output and "0 of 18 values" in differing.output
    as_json = runner.invoke(command, ["diff", "--json", str(first), str(second), "--results", str(tmp_path)])
    assert json.loads(as_json.output) == {
        "compared": 18,
        "injections": {"compared": 6, "of": 6},
        "incomplete": "",
        "shifts": [],
        "begun": [],
        "ended": [],
        "begun_cases": 0,
        "ended_cases": 0,
    }


@pytest.mark.parametrize(
    ("sizes", "message"), [("64,x", "'x' is not a size"), ("0", "'0' is not a size"), ("1GB", "not a size")]
)
def test_bad_sizes_are_named(sizes: str, message: str) -> None:
    result = CliRunner().invoke(command, ["nothing.toml", "--sizes", sizes])
    assert result.exit_code == 2 and message in result.output
