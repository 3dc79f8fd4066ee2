"""A characterization made while the network was congested is told from the usual ones."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fairlead.characterize import characterization
from fairlead.characterize.baseline import slower_than_baseline
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.survey import Survey
from fairlead.cluster.description import Cluster
from fairlead.progress import unseen
from fairlead.store import Store

from . import simulated_network
from .simulated_network import SimulatedAgents, run
from .test_characterization import CLUSTER, PLAN, SETTINGS, measured


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path) as opened:
        yield opened


def words(store: Store) -> str:
    found = Characterization.latest(store, CLUSTER)
    assert found is not None
    return slower_than_baseline(store, found)


def of_all(store: Store, cluster: Cluster) -> None:
    """Measured, as another cluster of these hosts."""
    number = characterization.begin(store, cluster, SETTINGS)
    survey = Survey(SimulatedAgents(PLAN), SETTINGS, StoreSink(store, number), unseen)
    run(survey.run())
    store.finish_run(number)


def congested(store: Store, monkeypatch: pytest.MonkeyPatch, delay_s: float) -> int:
    """Measured while every link delays what it carries; a path between two leafs has three."""
    with monkeypatch.context() as patch:
        patch.setattr(simulated_network, "LINK_DELAY_S", delay_s)
        return measured(store, seed=3)


def test_the_first_one_has_nothing_to_be_compared_with(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    congested(store, monkeypatch, 2e-3)
    assert words(store) == ""


def test_scatter_is_no_congestion(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(store, seed=1)
    congested(store, monkeypatch, 0.3e-3)
    assert words(store) == "", "three times 0.3 ms is below the floor"


def test_what_was_congested_is_told_until_it_is_measured_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(store, seed=1)
    congested(store, monkeypatch, 2e-3)
    said = words(store)
    assert said.startswith("6 paths of sim were slower in the last characterization (measured ")
    assert re.search(
        r"\(h\d→h\d 6\.\d+ ms, 0\.0\d+ ms before\): fairlead takes congestion of that time as the "
        "baseline",
        said,
    )
    measured(store, seed=2)
    assert words(store) == "", "the newest one counts"


def test_only_complete_ones_of_the_same_hosts_count(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(store, seed=1, status="aborted")
    congested(store, monkeypatch, 2e-3)
    assert words(store) == ""
    found = Characterization.latest(store, CLUSTER)
    assert found is not None
    measured(store, seed=2)
    assert slower_than_baseline(store, found) != ""
    elsewhere: Characterization = replace(found, addresses=("10.9.9.1", *found.addresses[1:]))
    assert slower_than_baseline(store, elsewhere) == ""


def test_hosts_are_known_again_in_another_job(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Slurm job's number is in its cluster's name, and a job may have only some of the hosts, in another order."""
    of_job = partial(replace, CLUSTER, executor="ssh", source="slurm.toml")
    of_all(store, of_job(name="slurm-17"))
    some = of_job(name="slurm-18", hosts=CLUSTER.hosts[::-1])
    with monkeypatch.context() as patch:
        patch.setattr(simulated_network, "LINK_DELAY_S", 2e-3)
        of_all(store, some)
    found = Characterization.latest(store, of_job(name="slurm-19", hosts=CLUSTER.hosts[:2]))
    assert found is not None
    assert slower_than_baseline(store, found).startswith("2 paths of slurm-19 were slower in the last characterization")
    lab = Characterization.latest(store, replace(CLUSTER, name="slurm-20"))
    assert lab is None, "emulated hosts are others"


def test_a_latency_of_other_pairs_is_not_compared(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(store, seed=1)
    congested(store, monkeypatch, 2e-3)
    found = Characterization.latest(store, CLUSTER)
    assert found is not None
    count = found.latency.count.copy()
    count[0, 0, 1] = 0.0
    assumed = replace(found, latency=replace(found.latency, count=count))
    assert slower_than_baseline(store, assumed).startswith("5 paths of sim were slower")
