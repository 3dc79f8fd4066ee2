"""The relation kept by groups says the same of every pair, whichever way it is asked."""

import numpy as np
import pytest

from fairlead.characterize.shared_bottlenecks import SharedBottlenecks

from .made_up_network import NETWORKS, Measured


@pytest.fixture(params=NETWORKS)
def found(request: pytest.FixtureRequest) -> SharedBottlenecks:
    return SharedBottlenecks.of(Measured(NETWORKS[request.param](12)).samples)


def test_all_ways_to_ask_agree(found: SharedBottlenecks) -> None:
    dense, hosts = found.dense(), range(found.hosts)
    assert dense.any()
    pairs = [(i, j) for i in hosts for j in hosts if i != j]
    for first in pairs:
        np.testing.assert_array_equal(found.hurt_by(first), dense[first])
        np.testing.assert_array_equal(found.hurting(first), dense[:, :, first[0], first[1]])
        assert not dense[first + first]
        for second in pairs[::7]:
            assert found.hurts(first, second) == dense[first + second]
            assert found.shares(first, second) == (dense[first + second] or dense[second + first])


def test_weights_count_effective_injections(found: SharedBottlenecks) -> None:
    dense = found.dense()
    assert found.effective.sum() == found.hosts * (found.hosts - 1)
    hurting = dense[found.effective].sum(axis=0)
    off = ~np.eye(found.hosts, dtype=bool)
    np.testing.assert_allclose(found.weights[off], hurting[off] / (found.effective.sum() - 1))
    assert np.isnan(np.diag(found.weights)).all()


def test_some_hosts_keep_what_was_found_of_them(found: SharedBottlenecks) -> None:
    of = [11, 3, 4, 0]
    some = found.selected(of)
    np.testing.assert_array_equal(some.dense(), found.dense()[np.ix_(of, of, of, of)])
    np.testing.assert_array_equal(some.rates_bps, found.rates_bps[np.ix_(of, of)])


def test_nothing_is_known_of_an_unmeasured_network() -> None:
    found = SharedBottlenecks.unknown(3)
    assert not found.dense().any() and not found.measured.any() and np.isnan(found.rates_bps).all()
