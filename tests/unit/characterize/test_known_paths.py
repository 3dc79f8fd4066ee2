"""What was measured belongs to hosts: it is found again in other jobs, as far as it goes, with its age."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.analysis.runs import characterized
from fairlead.characterize import characterization, coverage, known
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.survey import Survey, SurveySettings
from fairlead.cluster.description import Cluster
from fairlead.lab.description import Description
from fairlead.lab.resolve import resolve_lab
from fairlead.protocol.events import BaseLearnt
from fairlead.protocol.objects import Learn
from fairlead.store import Store

from .simulated_network import SimulatedAgents, run
from .test_characterization import CLUSTER

SETTINGS = SurveySettings(sizes_B=(64, 65536))
H0, H1, H2 = CLUSTER.hosts
PLAN = resolve_lab(
    Description.model_validate(
        {
            "lab": {"name": "sim", "topology": "mesh", "leafs": 3, "hosts_per_leaf": 1},
            "host_link": {"rate": "1gbit"},
            "trunk": {"rate": "200mbit"},
        }
    )
)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path) as opened:
        yield opened


def job(number: int, *hosts: Any, executor: str = "ssh") -> Cluster:
    return Cluster(f"slurm-{number}", executor, hosts or CLUSTER.hosts, source=f"slurm-{number}.cluster.toml")


def measured(store: Store, cluster: Cluster) -> int:
    """All three hosts of `PLAN`, as another cluster or job."""
    number = characterization.begin(store, cluster, SETTINGS)
    run(Survey(SimulatedAgents(PLAN), SETTINGS, StoreSink(store, number), lambda what, done, total: None).run())
    store.finish_run(number)
    return number


def learnt(store: Store, cluster: Cluster, *told: tuple[str, str, float, float | None], hidden_s: float = 0.0) -> int:
    """A managed run in which agents told these baselines: source, destination, seconds, bit/s."""
    facts = coverage.facts(cluster)
    number = store.begin_run("run", {"cluster": cluster.name}, plan=["x"], facts=facts)
    for source, destination, latency_s, link_bps in told:
        data = {"source": source, "destination": destination, "latency_s": latency_s, "link_bps": link_bps}
        store.add_event(number, time.time(), BaseLearnt.TYPE, data | {"hidden_s": hidden_s, "host": source})
    store.finish_run(number, "ok", 0)
    return number


def test_a_characterization_of_more_hosts_in_another_job_is_used(store: Store) -> None:
    number = measured(store, job(17))
    whole = Characterization.read(store, store.run(number))
    found = Characterization.latest(store, job(18, H2, H0))
    assert found is not None
    assert (found.cluster, found.hosts, found.run) == ("slurm-18", ("h2", "h0"), number)
    assert found.latency.median_s[0, 0, 1] == whole.latency.median_s[0, 2, 0]
    assert found.rates_bps[1, 0] == whole.rates_bps[0, 2]
    assert found.sensitivity.hurts((0, 1), (1, 0)) == whole.sensitivity.hurts((2, 0), (0, 2))
    assert found.manage_tables()[0].base.latency_s[0][1][0] == whole.latency.median_s[0, 0, 2]
    again = Characterization.latest(store, job(19))
    assert again is not None
    np.testing.assert_array_equal(again.sensitivity.dense(), whole.sensitivity.dense())


def test_a_host_with_another_address_is_another_host(store: Store) -> None:
    measured(store, job(17))
    rerouted = job(18, H0, H1, replace(H2, address="10.9.9.9"))
    assert Characterization.latest(store, rerouted) is None
    found = known.paths(store, rerouted)
    np.testing.assert_array_equal(
        np.isfinite(found.latency_s), [[False, True, False], [True, False, False], [False, False, False]]
    )
    assert found.words(rerouted).startswith(
        "slurm-18 has no characterization: 2 of 6 paths are known from earlier runs (0 seconds ago), "
        "and agents learn the others while the program runs; "
    )


def test_paths_are_as_old_as_the_oldest_part_that_may_have_them(store: Store) -> None:
    first = measured(store, job(17))
    last = characterization.begin(store, job(17), SETTINGS, continued=first)
    store.finish_run(last)
    found = known.paths(store, job(18, H0, H1, replace(H2, address="10.9.9.9")))
    assert found.runs == (last, first)
    assert found.measured_s[0, 1] == store.run(first).ended_s
    assert found.measured_s[0, 1] != store.run(last).ended_s


def test_emulated_hosts_are_those_of_their_lab_only(store: Store) -> None:
    lab = replace(CLUSTER, executor="lab", name="one")
    measured(store, lab)
    learnt(store, lab, ("h0", "h1", 1e-4, None))
    assert Characterization.latest(store, lab) is not None
    other = replace(lab, name="two")
    for cluster in (other, job(17)):
        assert Characterization.latest(store, cluster) is None
        assert not known.paths(store, cluster).runs


def test_nothing_is_known_of_new_hosts(store: Store) -> None:
    found = known.paths(store, CLUSTER)
    assert found.manage_tables(1).to_json() == {
        "base": {
            "age_s": 0.0,
            "sizes_B": [64],
            "latency_s": [[[None] * 3] * 3],
            "rate_bps": [[None] * 3] * 3,
        },
        "shares": [],
        "learn": {"link_bps": None},
    }
    assert found.words(CLUSTER) == (
        "sim has no characterization: agents learn how long its paths take while the program runs, and reroute a pair "
        "once they know its path; `fairlead characterize sim.toml` measures them, and which paths share a bottleneck"
    )


def test_what_agents_learnt_is_where_the_next_run_begins(store: Store) -> None:
    first = learnt(store, job(17), ("h0", "h1", 3e-4, 1e8), ("h1", "h2", 2e-4, None))
    second = learnt(store, job(18, H1, H0), ("h0", "h1", 2e-4, 4e7), ("h0", "h1", 2.5e-4, 9e7))
    found = known.paths(store, job(19, H2, H1, H0))
    assert found.runs == (second, first)
    assert found.latency_s[2, 1] == 2e-4, "the least"
    assert found.latency_s[1, 0] == 2e-4
    assert np.isnan(found.latency_s[1, 2])
    assert found.manage_tables(2).learn == Learn(link_bps=1e8)
    assert found.manage_tables(0).learn == Learn(link_bps=None)
    everything = [(a, b, 1e-4, None) for a in ("h0", "h1") for b in ("h0", "h1") if a != b]
    learnt(store, job(20, H0, H1), *everything)
    pair = job(21, H0, H1)
    assert known.paths(store, pair).words(pair, time.time() + 7200) == (
        "slurm-21 has no characterization: 2 of 2 paths are known from earlier runs (2 hours ago); "
        "`fairlead characterize slurm-21.cluster.toml` measures them, and which paths share a bottleneck"
    )


def test_what_is_old_is_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt(store, job(17), ("h0", "h1", 3e-4, 1e8))
    now_s = time.time()
    monkeypatch.setattr(time, "time", lambda: now_s + known.FORGOTTEN_AFTER_S + 60)
    assert not known.paths(store, job(18)).runs


def test_what_agents_only_told_again_is_forgotten_as_well(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host has moved: all probes are slower than the baseline that each run takes over from the one before."""
    now_s = time.time()
    day_s = known.FORGOTTEN_AFTER_S / 30

    def after(days: float) -> None:
        monkeypatch.setattr(time, "time", lambda: now_s + days * day_s)

    after(0)
    learnt(store, job(17), ("h0", "h1", 2e-4, None))
    after(20)
    learnt(store, job(18), ("h0", "h1", 2e-4, None), hidden_s=3e-4)
    found = known.paths(store, job(19))
    assert (found.latency_s[0, 1], found.measured_s[0, 1]) == (2e-4, pytest.approx(now_s)), "it was not measured again"
    after(31)
    assert np.isnan(known.paths(store, job(19)).latency_s[0, 1])
    learnt(store, job(19), ("h0", "h1", 5e-4, None))
    assert known.paths(store, job(20)).latency_s[0, 1] == 5e-4


def test_what_a_detour_showed_is_known_since_then(store: Store) -> None:
    """The direct path was congested in all of the run."""
    number = learnt(store, job(17), ("h0", "h1", 2e-4, None), hidden_s=3e-4)
    learnt(store, job(18), ("h0", "h1", 2e-4, None), hidden_s=3e-4)
    found = known.paths(store, job(19))
    (event,) = store.events(number, BaseLearnt.TYPE)
    assert (found.latency_s[0, 1], found.measured_s[0, 1]) == (2e-4, event.t_s)


def test_a_report_finds_what_a_run_was_managed_by(store: Store) -> None:
    number = measured(store, job(17))
    for cluster, expected in ((job(18, H0, H1), number), (job(19, replace(H0, address="10.9.9.9"), H1), None)):
        made = store.run(learnt(store, cluster))
        found = characterized.before(store, made)
        assert (None if found is None else found.id) == expected


def test_an_agent_among_many_hosts_is_told_of_its_own_paths(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """All paths to each of a thousand hosts are a thousand million numbers."""
    learnt(store, CLUSTER, ("h0", "h1", 3e-4, 1e8), ("h2", "h1", 2e-4, None))
    found = known.paths(store, CLUSTER)
    monkeypatch.setattr(known, "MOST_WHOLE", 2)
    base = found.manage_tables(1).to_json()["base"]
    assert base["groups"] == [0, 0, 0]
    assert base["latency_s"] == [[[None]]] and base["rate_bps"] == [[None]]
    assert base["own_latency_s"] == [[[None, None, None], [3e-4, None, 2e-4]]]
    assert base["own_rate_bps"] == [[None] * 3] * 2
