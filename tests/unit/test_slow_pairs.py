"""Which hosts and pairs are slow: a network of equals, of switches, with one slow pair, with one slow host."""

import numpy as np
import pytest

from fairlead.measure.benchmarks.all_pairs import Matrix
from fairlead.measure.benchmarks.slow_pairs import judge

HOSTS = 8


def network(seed: int, *, switches: bool = False) -> np.ndarray:
    """Latencies that scatter by 3 %; with switches, two hosts each share one and are twice as fast."""
    draw = np.random.default_rng(seed)
    values = 20e-6 * np.exp(0.03 * draw.standard_normal((HOSTS, HOSTS)))
    values = np.maximum(values, values.T)
    if switches:
        for k in range(0, HOSTS, 2):
            values[k, k + 1] /= 2
            values[k + 1, k] /= 2
    np.fill_diagonal(values, np.nan)
    return values


@pytest.mark.parametrize("switches", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_slow_where_nothing_is(seed: int, switches: bool) -> None:
    values = network(seed, switches=switches)
    for larger_is_slower in (True, False):
        found = judge(values if larger_is_slower else 1 / values, larger_is_slower=larger_is_slower, symmetric=True)
        assert (found.hosts, found.pairs) == ((), ())


@pytest.mark.parametrize("switches", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_a_slow_pair_is_named_and_its_hosts_are_not(seed: int, switches: bool) -> None:
    values = network(seed, switches=switches)
    values[2, 5] *= 1.6
    values[5, 2] = values[2, 5]
    found = judge(values, larger_is_slower=True, symmetric=True)
    assert found.hosts == ()
    assert [slow.places for slow in found.pairs] == [(2, 5)]
    assert found.pairs[0].factor == pytest.approx(1.6, rel=0.15)


@pytest.mark.parametrize("seed", range(20))
def test_a_slow_host_is_named_and_its_pairs_are_not(seed: int) -> None:
    values = network(seed, switches=True)
    values[3, :] *= 2
    values[:, 3] *= 2
    found = judge(values, larger_is_slower=True, symmetric=True)
    assert [slow.places for slow in found.hosts] == [(3,)]
    assert found.hosts[0].factor == pytest.approx(2, rel=0.15)
    assert found.pairs == ()


def test_a_host_that_only_sends_slowly_and_a_direction_that_is_slow_are_told() -> None:
    rates = 1e9 / network(1) * 20e-6
    rates[4, :] /= 3
    assert [slow.places for slow in judge(rates, larger_is_slower=False, symmetric=False).hosts] == [(4,)]
    rates[4, :] *= 3
    rates[6, 1] /= 3
    found = judge(rates, larger_is_slower=False, symmetric=False)
    assert (found.hosts, [slow.places for slow in found.pairs]) == ((), [(6, 1)])


def test_pairs_that_were_not_measured_are_not_judged() -> None:
    values = network(1)
    values[0, 1] = values[1, 0] = np.nan
    values[2, 5] = values[5, 2] = 60e-6
    found = judge(values, larger_is_slower=True, symmetric=True)
    assert [slow.places for slow in found.pairs] == [(2, 5)]


def test_one_bad_block_and_too_few_blocks_are_no_verdict() -> None:
    names = tuple(f"h{k}" for k in range(HOSTS))
    pairs = [(i, j) for i in range(HOSTS) for j in range(HOSTS) if i != j]
    draw = np.random.default_rng(1)
    usual = {pair: list(1e9 * (1 + 0.01 * draw.standard_normal(4))) for pair in pairs}
    slow = Matrix(names, {}, {**usual, (1, 2): [3e8] * 4})
    assert [each.places for each in slow.slow_by_rate().pairs] == [(1, 2)]
    for blocks in ([3e8, 3e8], [3e8, 3e8, 1e9, 1e9]):
        assert Matrix(names, {}, {**usual, (1, 2): blocks}).slow_by_rate().pairs == ()
