"""Which hosts and pairs are slow: a network of equals, of switches even and uneven, with a slow pair or slow hosts."""

import numpy as np
import pytest

from fairlead.benchmarks.all_pairs.analyse import Matrix
from fairlead.benchmarks.all_pairs.slow_pairs import judge

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


SPLITS = [(5, 3), (6, 2), (4, 4), (9, 7), (10, 6), (12, 4), (14, 2), (6, 5, 5), (10, 3, 3), (9, 5, 2), (2, 2)]
"""How many hosts each switch has."""


def switched(seed: int, split: tuple[int, ...], far: float, *, scatter: float = 0.03) -> np.ndarray:
    """Latencies of hosts on such switches: ``far`` times as long from switch to switch."""
    draw = np.random.default_rng(seed)
    switch = np.repeat(np.arange(len(split)), split)
    logs = np.triu(scatter * draw.standard_normal((len(switch), len(switch))), 1)
    values: np.ndarray = 20e-6 * np.where(switch[:, None] == switch, 1.0, far) * np.exp(logs + logs.T)
    np.fill_diagonal(values, np.nan)
    return values


def slowed(values: np.ndarray, host: int, factor: float) -> np.ndarray:
    """A host all of whose pairs take so many times as long."""
    values[host, :] *= factor
    values[:, host] *= factor
    return values


@pytest.mark.parametrize("far", [1.2, 1.4, 3.0])
@pytest.mark.parametrize("split", [*SPLITS, (2, 2, 2, 1)])
def test_hosts_of_one_switch_are_no_fault_however_they_are_split(split: tuple[int, ...], far: float) -> None:
    for seed in range(3):
        values = switched(seed, split, far)
        for larger_is_slower in (True, False):
            found = judge(values if larger_is_slower else 1 / values, larger_is_slower=larger_is_slower, symmetric=True)
            assert (found.hosts, found.pairs) == ((), ()), seed


@pytest.mark.parametrize("factor", [1.5, 2.0])
@pytest.mark.parametrize("split", SPLITS)
def test_one_slow_host_is_named_on_the_large_switch_and_on_the_small_one(split: tuple[int, ...], factor: float) -> None:
    for seed in range(3):
        for host in (0, sum(split) - 1):
            values = slowed(switched(seed, split, 1.4), host, factor)
            for larger_is_slower in (True, False):
                of = values if larger_is_slower else 1 / values
                found = judge(of, larger_is_slower=larger_is_slower, symmetric=True)
                assert [slow.places for slow in found.hosts] == [(host,)], (seed, host)
                assert found.pairs == ()
                assert found.hosts[0].factor == pytest.approx(factor, rel=0.15)


@pytest.mark.parametrize("split", [(5, 3), (9, 7), (12, 4), (6, 5, 5), (9, 5, 2)])
def test_one_slow_pair_between_switches_is_named(split: tuple[int, ...]) -> None:
    last = sum(split) - 1
    for seed in range(3):
        values = switched(seed, split, 1.4)
        values[0, last] *= 1.8
        values[last, 0] = values[0, last]
        found = judge(1 / values, larger_is_slower=False, symmetric=False)
        assert found.hosts == ()
        assert {slow.places for slow in found.pairs} == {(0, last), (last, 0)}


def test_two_slow_hosts_are_no_neighbours_though_they_are_not_twice_as_slow_together() -> None:
    values = switched(1, (8,), 1.0)
    for host in (2, 6):
        values[host, :] = np.maximum(values[host, :], 50e-6)
        values[:, host] = np.maximum(values[:, host], 50e-6)
    found = judge(values, larger_is_slower=True, symmetric=True)
    assert {slow.places for slow in found.hosts} == {(2,), (6,)}


def test_a_host_that_is_slow_in_one_direction_is_named_on_a_small_switch() -> None:
    for seed in range(3):
        rates = 1e5 / switched(seed, (6, 2), 1.4)
        rates[:, 7] /= 2
        found = judge(rates, larger_is_slower=False, symmetric=False)
        assert [slow.places for slow in found.hosts] == [(7,)]
        assert found.hosts[0].factor == pytest.approx(2, rel=0.15)
