"""Classifying injections, from delays made by hand; the score against a truth."""

import numpy as np
import pytest

from fairlead.characterize import quiet_network, sensitivity
from fairlead.characterize.group_samples import GroupSamples
from fairlead.characterize.grouping import apart
from fairlead.characterize.quiet_network import Quiet
from fairlead.characterize.samples import Floats, Injections, Samples, Window
from fairlead.characterize.score import Score, score, truth_of
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.errors import MeasurementError

HOSTS = 3
BASE_S = 0.1e-3


def window(*pairs: tuple[int, int], queues: dict[tuple[int, int], float] | None = None) -> Window:
    """A window in which the paths in ``queues`` see a queueing delay (seconds), all clocks being 5 ms apart."""
    delays = np.full((HOSTS, HOSTS, 5), np.nan)
    for i in range(HOSTS):
        for j in range(HOSTS):
            if i != j:
                clock_s = 5e-3 * (j - i)
                delays[i, j] = BASE_S + clock_s + (queues or {}).get((i, j), 0.0) + np.array([0, 2, 4, 1, 3]) * 1e-6
    return Window.of_all((pairs,) if pairs else (), (1e8,) * len(pairs), delays)


def of(window: Window, path: tuple[int, int]) -> Floats:
    """The delays of a path, to be changed."""
    row = int(np.flatnonzero((window.paths == path).all(axis=1))[0])
    delays: Floats = window.delays_s[row]
    return delays


def samples(*injections: Window) -> Samples:
    return Samples(HOSTS, windows=[window(), window(), window(), *injections])


def evaluated(taken: Samples) -> Sensitivity:
    return sensitivity.evaluate(*by_pairs(taken))


def by_pairs(taken: Samples, network: Quiet | None = None) -> tuple[Injections, Quiet]:
    found = GroupSamples.of(taken.windows, apart(HOSTS), network or quiet_network.quiet(taken))
    return found.tests, found.network


def undecided(taken: Samples, network: Quiet | None = None) -> list[tuple[int, int]]:
    tests, quiet = by_pairs(taken, network)
    return sensitivity.undecided(tests, (0, 1), quiet)


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_quantile_is_numpys(size: int) -> None:
    random = np.random.default_rng(size)
    values = random.normal(size=(4, 6, size))
    values[random.random(values.shape) < 0.2] = np.nan
    some = np.isfinite(values).any(axis=-1)
    for share in (0.25, 0.5):
        ours = quiet_network.quantile(values, share, least=1)
        assert np.isnan(ours[~some]).all()
        assert ours[some] == pytest.approx(np.nanquantile(values[some], share, axis=-1))


def test_too_few_probes_are_no_level() -> None:
    delays = np.array([[1.0, np.nan, np.nan], [1.0, 2.0, np.nan]])
    assert np.isnan(quiet_network.level_s(delays)).tolist() == [True, False]


def test_a_path_with_the_injections_queue_is_hurt_whatever_the_clocks() -> None:
    taken = samples(window((0, 1), queues={(0, 1): 0.010, (0, 2): 0.009, (2, 1): 0.001}))
    found = evaluated(taken)
    assert np.argwhere(found.hurts).tolist() == [[0, 1, 0, 2]]
    assert found.effective[0, 1] and found.effective.sum() == 1
    tests, _ = by_pairs(taken)
    assert quiet_network.level_s(tests.of((0, 1))[0].delays_s)[0, 2] == pytest.approx(0.009, abs=5e-6)
    assert quiet_network.level_s(tests.of((0, 1))[0].delays_s)[0, 1] == pytest.approx(0.010, abs=5e-6)


def test_an_injection_without_a_queue_is_limited_by_its_hosts() -> None:
    found = evaluated(samples(window((0, 1))))
    assert not found.effective.any()
    assert np.argwhere(found.hurts).tolist() == [[0, 1, 0, 2], [0, 1, 2, 1]]
    weights = SharedBottlenecks.of(samples(window((0, 1)))).weights
    assert np.isnan(weights).all(), "it does not count"


def test_weights_are_shares_of_the_other_injections() -> None:
    queue = {(0, 1): 0.01, (0, 2): 0.01}
    taken = samples(window((0, 1), queues=queue), window((0, 2), queues=queue), window((1, 2), queues={(1, 2): 0.01}))
    found = SharedBottlenecks.of(taken)
    weights = found.weights
    assert weights[0, 2] == pytest.approx(1 / 2), "of the injections on others one of two hurts it"
    assert weights[2, 0] == 0
    assert np.isnan(weights[1, 1])
    assert found.mean_hurt == pytest.approx(2 / 3), "two of the three injections hurt one of the six pairs each"


def test_attempts_are_put_together() -> None:
    blurred = window((0, 1), queues={(0, 1): 0.010})
    of(blurred, (2, 1))[:3] += 0.010  # three of five probes waited, for whatever reason
    clear = window((0, 1), queues={(0, 1): 0.010})
    assert undecided(samples(blurred)) == [(2, 1)]
    assert not evaluated(samples(blurred, clear)).hurts.any()


def test_an_injection_that_saw_nothing_is_wholly_undecided() -> None:
    taken = samples(window((0, 1)))
    assert len(undecided(taken)) == HOSTS * (HOSTS - 1)
    taken.windows.append(window((0, 1)))
    assert undecided(taken) == [], "twice is enough"


def test_a_silent_path_is_an_error_with_its_hosts() -> None:
    taken = samples()
    for each in taken.windows:
        of(each, (2, 0))[:] = np.nan
    with pytest.raises(MeasurementError, match="no probe from host 2 to host 0 came back"):
        quiet_network.quiet(taken)


def test_a_network_that_loses_nearly_all_probes_is_an_error_and_not_without_bottlenecks() -> None:
    taken = samples(window((0, 1), queues={(0, 1): 0.010}))
    for each in taken.windows:
        each.delays_s[:, 1:] = np.nan
    with pytest.raises(MeasurementError, match="too few probes came back: 2 in the same window from no path"):
        quiet_network.quiet(taken)


def test_probes_say_nothing_of_a_path_on_which_too_few_came_back() -> None:
    taken = samples(window((0, 1), queues={(0, 1): 0.010}))
    for each in taken.windows:
        of(each, (2, 0))[1:] = np.nan
    probed_s = SharedBottlenecks.of(taken).probed_s
    unknown = np.isnan(probed_s) & ~np.eye(HOSTS, dtype=bool)
    assert np.argwhere(unknown).tolist() == [[0, 2], [2, 0]]
    assert probed_s[0, 1] == pytest.approx(BASE_S, abs=5e-6)


def test_exchanges_meet_where_a_bottleneck_is_shared_or_unknown() -> None:
    found = SharedBottlenecks.of_pairs(Sensitivity.unknown(4), np.full((4, 4), np.nan))
    assert found.meets((0, 1), (2, 3))
    found.measured[:] = True
    assert not found.meets((0, 1), (2, 3))
    found.relation.hurts[3, 2, 0, 1] = True
    assert found.meets((0, 1), (2, 3)), "one direction is enough"


def test_score() -> None:
    truth = truth_of({("a", "b"): {("a", "c"), ("x", "b")}, ("x", "a"): {("x", "b")}}, ["a", "b", "c"])
    assert np.argwhere(truth).tolist() == [[0, 1, 0, 2]], "hosts that were not measured are left out"
    found = np.zeros_like(truth)
    found[0, 1, 0, 2] = found[0, 1, 2, 1] = True
    result = score(found, truth)
    assert result == Score(found=1, missed=0, invented=1)
    assert (result.precision, result.recall) == (0.5, 1.0)
    assert score(truth & False, truth).recall == 0.0
    assert score(truth & False, truth & False).precision == 1.0


def test_one_bad_idle_window_is_not_taken_for_noise() -> None:
    taken = samples()
    of(taken.windows[0], (0, 1))[:] += 0.4
    of(taken.windows[0], (1, 2))[:] += 0.4
    assert quiet_network.quiet(taken).noise_s < 1e-5


def test_an_attempt_with_gaps_gives_way_to_a_steady_one() -> None:
    queues = {(0, 1): 0.010, (0, 2): 0.010}
    gaps, whole = window((0, 1), queues=queues), window((0, 1), queues=queues)
    of(gaps, (0, 1))[:2] -= 0.010
    of(gaps, (0, 2))[:3] -= 0.010
    network = quiet_network.quiet(samples(gaps))
    assert len(undecided(samples(gaps), network)) == HOSTS * (HOSTS - 1)
    assert not evaluated(samples(gaps)).hurts[0, 1, 0, 2]
    taken = samples(gaps, whole)
    assert evaluated(taken).hurts[0, 1, 0, 2]
    assert undecided(taken, network) == []
