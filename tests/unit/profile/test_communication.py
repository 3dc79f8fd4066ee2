"""Communication time by host pair, from the events of agents to tables and figures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead.analysis.runs import communication
from fairlead.analysis.runs.communication import Communication, PairTimes
from fairlead.cli.main import command
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.display.words import NBSP
from fairlead.experiment.factors.management import Managed
from fairlead.experiment.plans.comparison import ComparisonPlan, ComparisonTable
from fairlead.experiment.plans.comparison_form import managements_of
from fairlead.manage.components import FULL, NONE, Components
from fairlead.manage.management import Management
from fairlead.protocol.enums import Acknowledge
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.recorded_events import EventRecorder
from fairlead.report.comparison import communication_figures
from fairlead.report.run import pair_communication
from fairlead.store import Store

from ..agent_events import event

HOSTS = ["h0", "h1", "h2"]


def received(source: int, **others: Any) -> AgentEvent:
    """As the agent of h2 says it."""
    zero = {"messages": 0, "size_B": 0, "waits": 0, "waited_s": 0.0, "known_s": 0.0, "network_s": 0.0}
    more = {"late_sender_s": 0.0, "joined": 0, "destination": 2, "dropped": 0, "mismatches": 0, "t_s": 5.0}
    return event("communication", source=source, **{**zero, **more, **others})


@pytest.fixture
def run(tmp_path: Path) -> Communication:
    events = [
        received(0, messages=10, size_B=4096, waits=2, waited_s=0.3, known_s=0.2, network_s=0.1, late_sender_s=0.1,
              joined=2, latency_median_s=0.05, latency_max_s=0.06, clock_error_s=1e-5),
        received(0, messages=5, size_B=1024, waits=1, waited_s=0.1, dropped=7, mismatches=1),
        received(0, messages=5, size_B=1024, waits=1, waited_s=0.1, known_s=0.1, network_s=0.1, joined=1,
              latency_median_s=0.09, latency_max_s=0.09, clock_error_s=3e-5, dropped=7, mismatches=1),
        received(1, messages=3, size_B=24, waits=1, waited_s=0.2, dropped=7, mismatches=1),
    ]  # fmt: skip
    with Store.open(tmp_path) as store:
        number = store.begin_run("run", {"program": "cg"}, plan=["cg"])
        journal = EventRecorder(store, number, HOSTS)
        for each in events:
            journal(2, each, 6.0)
        store.finish_run(number, "ok", 0)
        found = communication.read(store, store.run(number))
    assert found is not None
    return found


def test_events_of_a_run_are_added_up(run: Communication) -> None:
    assert run.dropped == 7
    assert run.mismatches == 1
    times = run.pairs["h0", "h2"]
    assert (times.messages, times.size_B, times.waits) == (20, 6144, 4)
    assert times.waited_s == pytest.approx(0.5)
    assert times.latency_s == pytest.approx(0.07)
    assert times.clock_error_s == 3e-5
    # 0.2 s of the 0.3 s of which the senders are known were the network's: so are two thirds of all.
    assert times.communication_s == pytest.approx(0.5 * 2 / 3)
    assert run.pairs["h1", "h2"].communication_s is None
    assert communication.total_s(run) == pytest.approx(0.5 * 2 / 3)


def test_a_late_report_counts_for_all_the_seconds_that_it_is_of(tmp_path: Path) -> None:
    """Later in a run one report is of up to a sixtieth of the time so far."""
    with Store.open(tmp_path) as store:
        number = store.begin_run("run", {"program": "cg"}, plan=["cg"])
        journal = EventRecorder(store, number, HOSTS)
        for t_s, latency_s in ((10.0, 0.01), (11.0, 0.01), (12.0, 0.01), (590.0, 0.02), (599.9, 0.03)):
            journal(2, received(0, messages=1, joined=1, latency_median_s=latency_s, t_s=t_s), t_s)
        store.finish_run(number, "ok", 0)
        found = communication.read(store, store.run(number))
    assert found is not None
    # 0.01 of 3 s, 0.02 of 10 s (a sixtieth of 580, for the pair was silent before), 0.03 of 10 s.
    assert found.pairs["h0", "h2"].latency_s == pytest.approx(0.02)


def test_without_the_monitor_there_is_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        number = store.begin_run("run", {"program": "cg"}, plan=["cg"])
        assert communication.read(store, store.run(number)) is None


def test_the_table_of_a_run(run: Communication) -> None:
    table = pair_communication.of_run(run)
    assert [[each.shown.replace(NBSP, " ") for each in row] for row in table.rows] == [
        ["h0 → h2", "20", "6 KiB", "333 ms", "100 ms", "500 ms", "60 %", "70.0 ms", "30.0 µs"],
        ["h1 → h2", "3", "24 B", "–", "0 s", "200 ms", "0 %", "–", "–"],
    ]


def only(**seconds: float) -> Communication:
    """A run in which nothing but the network was waited for; pairs are written like ``h0_h1``."""
    pairs = {
        (name[:2], name[3:]): PairTimes(messages=1, waits=1, waited_s=time_s, known_s=time_s, network_s=time_s)
        for name, time_s in seconds.items()
    }
    return Communication(pairs, 0, 0)


def test_scenarios_are_told_by_the_median_of_their_runs() -> None:
    runs = {
        "clean": [only(h0_h1=0.125), only(h0_h1=0.25), only(h0_h1=0.5, h1_h0=0.25)],
        "clean_managed": [],
        "congested": [only(h0_h1=3.0, h1_h0=0.25)],
        "congested_managed": [only(h0_h1=0.5, h1_h0=0.25)],
    }
    drawn = communication_figures.of_scenarios("cg", runs)
    assert drawn.table.columns == ("pair", "clean", "congested", "congested, managed")
    assert [[each.value for each in row] for row in drawn.table.rows] == [
        ["all pairs", 0.25, 3.25, 0.75],
        ["h0 → h1", 0.25, 3.0, 0.5],
        ["h1 → h0", 0.0, 0.25, 0.25],
    ]
    assert "clean" in drawn.svg()


def test_what_went_under_congestion_is_told_with_its_interval() -> None:
    runs = {
        "clean": [],
        "clean_managed": [],
        "congested": [only(h0_h1=3.98), only(h0_h1=4.02)],
        "congested_managed": [only(h0_h1=0.98), only(h0_h1=1.02)],
    }
    said = communication_figures.of_scenarios("cg", runs).caption.replace(NBSP, " ")
    assert "took 75 % less of it than the plain ones (means; 95 % interval of what went: 70 to 80 %)" in said
    worse = runs | {"congested_managed": [only(h0_h1=5.0), only(h0_h1=5.0)]}
    assert "took 25 % more of it" in communication_figures.of_scenarios("cg", worse).caption.replace(NBSP, " ")
    single = runs | {"congested_managed": [only(h0_h1=5.0)]}
    assert "Under congestion" not in communication_figures.of_scenarios("cg", single).caption


def test_in_a_comparison_plain_runs_are_monitored_by_agents_that_do_nothing_else() -> None:
    plan = ComparisonPlan.model_validate(
        {
            "comparison": {"name": "c", "lab": "mesh8.toml", "monitor": True},
            "congestion": {"bottlenecks": [{"kind": "delay", "link": ["leaf0", "leaf1"]}]},
            "programs": [{"name": "cg", "command": ["cg"], "ranks": 4}],
        }
    )
    assert [Managed.of(level).components for level in managements_of(plan.comparison).values()] == [
        Components(agents=True, detection=False, detours=False, monitor=True),
        Components(agents=True, detection=True, detours=True, monitor=True),
    ]
    assert not FULL.monitor


@pytest.mark.parametrize("policy", list(Acknowledge))
def test_each_policy_of_acknowledgement_comes_to_the_agents(policy: Acknowledge) -> None:
    table = ComparisonTable(name="c", lab=Path("mesh8.toml"), monitor=True, acknowledge=policy.value)
    levels = managements_of(table).values()
    assert {Managed.of(level).components.acknowledge for level in levels} == {policy}
    components = replace(FULL, monitor=True, acknowledge=policy)
    watching = Management(components, {}, HostBinaries("/agent", ("/guardian",)), rings="/dev/shm/rings")
    assert watching.job_options().acknowledge == policy


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("compare demo.toml --acknowledge always --show-plan", "only with --monitor; add --monitor"),
        ("run c.toml --no-monitor --acknowledge never -- ./x", "only where messages are watched; add --monitor"),
        ("run c.toml --no-detection --acknowledge never -- ./x", "only where messages are watched; add --monitor"),
        ("run c.toml --no-agents --acknowledge never -- ./x", "only where messages are watched; add --monitor"),
    ],
)
def test_messages_are_acknowledged_only_where_they_are_watched(line: str, says: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2, done.output
    assert done.output.splitlines()[-1] == f"Error: --acknowledge works {says}"


def test_a_run_without_agents_has_no_monitor() -> None:
    with pytest.raises(ValueError, match="needs agents"):
        Components(agents=NONE.agents, detection=False, detours=False, monitor=True)
