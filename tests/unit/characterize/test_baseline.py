"""A characterization made while the network was congested is told from the usual ones."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairlead.characterize.baseline import slower_than_baseline
from fairlead.characterize.characterization import Characterization
from fairlead.store import Store

from . import simulated_network
from .test_characterization import CLUSTER, measured


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path) as opened:
        yield opened


def words(store: Store) -> str:
    found = Characterization.latest(store, CLUSTER)
    assert found is not None
    return slower_than_baseline(store, found)


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
