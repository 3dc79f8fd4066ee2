"""Windows told by groups of hosts, from delays made by hand: four groups of two hosts, 2k and 2k + 1."""

from collections.abc import Callable

import numpy as np
import pytest

from fairlead.characterize import quiet_network
from fairlead.characterize.group_samples import GroupSamples
from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.quiet_network import Quiet, level_s
from fairlead.characterize.samples import Floats, Samples, Window
from fairlead.characterize.tournament import Pair

GROUPS = HostGroups(np.repeat(np.arange(4), 2))
HOSTS = 8
BASE_S, QUEUE_S = 1e-4, 0.01
NETWORK = Quiet(np.full((HOSTS, HOSTS), BASE_S), np.full((HOSTS, HOSTS), BASE_S), 0.0)


def window(*flows: Pair, waits: Callable[[int, int], bool]) -> Window:
    """Each flow a test of its own; the paths for which ``waits`` says so by their hosts see a queue."""
    delays = np.full((HOSTS, HOSTS, 3), BASE_S)
    for i in range(HOSTS):
        for j in range(HOSTS):
            delays[i, j] += QUEUE_S if waits(i, j) else 0.0
    delays[np.eye(HOSTS, dtype=bool)] = np.nan
    return Window.of_all(tuple((flow,) for flow in flows), (1e8,) * len(flows), delays)


def levels(found: GroupSamples, pair: Pair) -> Floats:
    (injection,) = found.tests.of(pair)
    values: Floats = level_s(injection.delays_s)
    return values


def told(*windows: Window) -> GroupSamples:
    return GroupSamples.of(windows, GROUPS, NETWORK)


def test_a_link_between_groups_is_told_from_a_hosts_own() -> None:
    trunk = told(window((0, 2), waits=lambda i, j: i // 2 == 0 and j // 2 == 1))
    assert trunk.between[0, 1]
    assert np.argwhere(levels(trunk, (0, 1)) > 0.005).tolist() == [[0, 1]]
    own = told(window((0, 2), waits=lambda i, j: i == 0))
    assert not own.between[0, 1], "the other host's paths do not wait"
    assert np.argwhere(levels(own, (0, 1)) > 0.005).tolist() == [[0, 1]], "the injected path's own probes"


def test_an_injection_without_a_queue_is_limited_by_its_hosts() -> None:
    nothing = window((0, 2), waits=lambda i, j: False)
    assert not told(nothing).between[0, 1]
    assert told(nothing, window((1, 3), waits=lambda i, j: i // 2 == 0)).between[0, 1]


def test_of_two_tests_each_has_what_starts_where_it_does() -> None:
    """0 → 1 fills a link out of group 0, 2 → 3 one out of group 2."""
    found = told(window((0, 2), (4, 6), waits=lambda i, j: i // 2 in (0, 2)))
    assert np.argwhere(levels(found, (0, 1)) > 0.005).tolist() == [[0, 1], [0, 2], [0, 3]]
    assert np.argwhere(levels(found, (2, 3)) > 0.005).tolist() == [[2, 0], [2, 1], [2, 3]]


def test_what_starts_at_one_and_ends_at_the_other_is_left_open() -> None:
    found = told(window((0, 2), (4, 6), waits=lambda i, j: (i // 2, j // 2) in ((0, 1), (2, 3), (0, 3))))
    for pair in ((0, 1), (2, 3)):
        assert np.isnan(levels(found, pair)[0, 3])
        assert np.argwhere(levels(found, pair) > 0.005).tolist() == [list(pair)]


def test_what_has_no_end_in_common_with_any_test_is_left_open() -> None:
    found = told(window((0, 2), (4, 6), waits=lambda i, j: (i // 2, j // 2) in ((0, 1), (2, 3), (1, 0))))
    assert all(np.isnan(levels(found, pair)[1, 0]) for pair in ((0, 1), (2, 3)))


def test_tests_with_a_common_end_tell_nothing() -> None:
    found = told(window((0, 2), (1, 6), waits=lambda i, j: i // 2 == 0))
    assert found.tests.injected() == []


def test_a_path_of_few_windows_has_the_lowest_for_its_base() -> None:
    quiet = window(waits=lambda i, j: False)
    loaded = window((0, 2), waits=lambda i, j: i == 0)
    network = quiet_network.quiet(Samples(HOSTS, windows=[quiet, loaded]))
    assert network.base_s[0, 1] == pytest.approx(BASE_S)
    assert network.noise_s == pytest.approx(0.0)
