"""Periods of detours among noise."""

import numpy as np
import pytest

from fairlead.benchmarks.noise.periodic import find

TOTAL_S = 10.0


def detours(*parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    start, length = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    order = np.argsort(start)
    return start[order], length[order]


def beat(period_s: float, length_s: float, *, seed: int, missed: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    start = np.arange(0.003, TOTAL_S, period_s)
    start = (start + draw.normal(0, period_s / 50, len(start)))[draw.random(len(start)) >= missed]
    return start, length_s * (1 + 0.05 * draw.standard_normal(len(start)))


def chance(count: int, shortest_s: float, longest_s: float, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    exponents = draw.uniform(np.log10(shortest_s), np.log10(longest_s), count)
    return draw.random(count) * TOTAL_S, 10**exponents


def test_two_beats_are_found_among_noise_of_all_lengths() -> None:
    found = find(
        *detours(
            beat(0.05, 2e-3, seed=1, missed=0.1),
            beat(0.004, 5e-6, seed=2),
            chance(10_000, 3e-8, 1e-6, seed=3),
            chance(20, 1e-4, 3e-2, seed=4),
        ),
        TOTAL_S,
    )
    assert [period.period_s for period in found] == [pytest.approx(0.05, rel=1e-3), pytest.approx(0.004, rel=1e-3)]
    assert [period.length_s for period in found] == [pytest.approx(2e-3, rel=0.02), pytest.approx(5e-6, rel=0.05)]
    assert all(0.7 < period.regularity < 1 for period in found)


@pytest.mark.parametrize("seed", range(20))
def test_chance_has_no_period(seed: int) -> None:
    assert find(*chance(500, 1e-7, 1e-3, seed=seed), TOTAL_S) == []


def test_a_beat_is_not_taken_for_its_multiple() -> None:
    (found,) = find(*beat(0.1, 1e-3, seed=1), TOTAL_S)
    assert found.period_s == pytest.approx(0.1, rel=1e-3)


def test_few_events_or_few_periods_tell_nothing() -> None:
    assert find(*beat(2.5, 1e-3, seed=1), TOTAL_S) == []
    assert find(np.empty(0), np.empty(0), TOTAL_S) == []


@pytest.mark.parametrize("seed", range(5))
def test_a_disturbance_longer_than_its_period_is_not_reported(seed: int) -> None:
    """Time slices of 5.3 ms that begin with a 4 ms tick, mostly every second, and a shorter detour before the next."""
    draw = np.random.default_rng(seed)
    steps = np.where(draw.random(1200) < 0.8, 0.008, 0.012)
    start = (np.cumsum(steps) - steps)[np.cumsum(steps) < TOTAL_S]
    slices = start, 5.3e-3 * (1 + 0.01 * draw.standard_normal(len(start)))
    between = start + draw.uniform(5.4e-3, 7.9e-3, len(start)), np.full(len(start), 1.1e-3)
    assert find(*detours(slices, between), TOTAL_S) == []
