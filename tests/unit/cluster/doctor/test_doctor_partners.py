"""Whom each host tries."""

import pytest

from fairlead.cluster.doctor import partners


def test_in_small_clusters_each_tries_all_others() -> None:
    names = [f"h{number}" for number in range(partners.MOST_HOSTS_FOR_ALL_PATHS)]
    found = partners.partners(names)
    assert found["h2"] == ["h0", "h1", *names[3:]]
    assert sum(map(len, found.values())) == 64 * 63
    assert partners.partners(["a"]) == {"a": []}
    assert partners.partners([]) == {}


def test_in_large_ones_those_1_2_4_and_so_on_and_multiples_of_the_root_places_away() -> None:
    names = [f"h{number}" for number in range(100)]
    found = partners.partners(names)
    places = [1, 2, 4, 8, 10, 16, 20, 30, 32, 40, 50, 60, 68, 70, 80, 84, 90, 92, 96, 98, 99]
    assert found["h0"] == [f"h{place}" for place in places]
    assert found["h99"] == [f"h{number}" for number in sorted((99 + place) % 100 for place in places)]


@pytest.mark.parametrize(("count", "each"), [(65, 14), (128, 23), (256, 23), (1000, 50), (1024, 41)])
def test_each_host_is_tried_in_both_directions_by_as_many(count: int, each: int) -> None:
    names = [str(number) for number in range(count)]
    found = partners.partners(names)
    assert {len(others) for others in found.values()} == {each}
    assert all(name not in others for name, others in found.items())
    assert all(name in found[other] for name, others in found.items() for other in others)


def test_all_hosts_hang_together() -> None:
    found = partners.partners([str(number) for number in range(300)])
    reached, steps = {"0"}, 0
    while len(reached) < 300:
        reached |= {other for name in reached for other in found[name]}
        steps += 1
    assert steps == 3, "from each to each over few others"


@pytest.mark.parametrize(("count", "rack"), [(128, 16), (256, 16), (1000, 32), (1024, 32), (4096, 64)])
def test_each_two_racks_try_each_other(count: int, rack: int) -> None:
    """A path between two switches that is cut shows on some path that is tried, wherever the racks begin."""
    found = partners.partners([str(number) for number in range(count)])
    for first in (0, rack // 3):
        tried = {
            ((int(name) - first) % count // rack, (int(other) - first) % count // rack)
            for name, others in found.items()
            for other in others
        }
        racks = count // rack
        assert {(one, other) for one in range(racks) for other in range(racks) if one != other} <= tried
