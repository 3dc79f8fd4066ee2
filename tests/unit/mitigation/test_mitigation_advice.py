"""Who is advised what: ranks whose transmission takes longer than their processing, and nobody else."""

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.errors import MeasurementError
from fairlead.mitigation import other_placement
from fairlead.mitigation.advice import BetterPlacement, advice, cost_s_per_min, outweighed
from fairlead.mitigation.evidence import Evidence, Sums
from fairlead.mitigation.own_traffic import OwnTraffic
from fairlead.protocol.enums import Remedy

NAMES = ["h0", "h1", "h2", "h3"]


def seen(*pairs: tuple[int, int, float, float], size_B: int = 1000, observed_s: float = 60.0) -> Evidence:
    """So many seconds of ranks on hosts of their own: (from, to, transmission_s, processing_s)."""
    evidence = Evidence(OwnTraffic(None))
    for source, rank, transmission_s, processing_s in pairs:
        evidence.pairs[source, rank] = Sums((source, rank), 100, size_B, transmission_s, processing_s)
        evidence._observed_s[rank] = observed_s
    return evidence


def nowhere(_: Evidence) -> BetterPlacement | None:
    return None


def test_a_pair_is_named_where_it_and_its_receiver_spend_more_in_transmission() -> None:
    evidence = seen((0, 1, 20.0, 5.0), (2, 1, 2.0, 8.0), (1, 2, 25.0, 30.0), (3, 0, 10.0, 0.0))
    assert list(outweighed(evidence)) == [(0, 1), (3, 0)]
    assert cost_s_per_min(evidence, outweighed(evidence)) == pytest.approx((20 + 10) / 4)


def test_processing_before_one_message_counts_for_all_that_its_receiver_gets() -> None:
    # A halo exchange: rank 1 computes before the first of its two messages only.
    assert outweighed(seen((0, 1, 1.0, 40.0), (2, 1, 4.0, 0.0))) == {}


def test_what_is_hardly_waited_for_is_not_named() -> None:
    assert outweighed(seen((0, 1, 0.5, 0.1))) == {}
    assert list(outweighed(seen((0, 1, 0.7, 0.1)))) == [(0, 1)]


def test_a_program_that_computes_is_told_nothing() -> None:
    assert advice(seen((0, 1, 10.0, 40.0), (1, 0, 10.0, 40.0)), NAMES, nowhere) is None
    assert advice(seen((0, 1, 5.0, 1.0), (1, 0, 0.0, 50.0)), NAMES, nowhere) is None  # 2.5 s of each minute
    assert advice(Evidence(OwnTraffic(None)), NAMES, nowhere) is None


def test_another_placement_is_advised_where_it_saves_enough() -> None:
    evidence = seen((0, 1, 30.0, 5.0), (1, 0, 20.0, 5.0))
    found = advice(evidence, NAMES, lambda _: BetterPlacement(("h1", "h0"), 0.6))
    assert found is not None
    assert (found.remedy, found.host_of_rank) == (Remedy.MAPPING, ("h1", "h0"))
    assert found.cost_s_per_min == pytest.approx(25.0)
    assert found.saving_s_per_min == pytest.approx(15.0)
    assert [(each.source_rank, each.rank, each.transmission_s) for each in found.pairs] == [(0, 1, 30.0), (1, 0, 20.0)]
    assert (found.all_pairs, found.observed_s, found.paths_left_out) == (2, 60.0, 0)
    assert found.reason == (
        "2 pairs of ranks spend more in transmission than in processing (first: rank 0 to 1, h0→h1): it costs 25.0 s "
        "of each minute, of which another placement of the ranks would save about 15.0 s: `fairlead placement`"
    )


def test_of_less_than_a_minute_the_cost_is_that_of_the_run() -> None:
    found = advice(
        seen((0, 1, 2.0, 0.5), (1, 0, 1.2, 0.5), observed_s=4.1), NAMES, lambda _: BetterPlacement(("h1", "h0"), 0.5)
    )
    assert found is not None
    assert found.cost_s_per_min == pytest.approx(60 * 1.6 / 4.1)
    assert "it costs 1.6 s of 4.1 s, of which another placement of the ranks would save about 0.8 s" in found.reason
    assert "minute" not in found.reason


def refuse(_: Evidence) -> BetterPlacement | None:
    raise MeasurementError("h3 was not measured")


@pytest.mark.parametrize(
    ("place", "saving", "said"),
    [
        (lambda _: BetterPlacement(("h0", "h1"), 0.09), pytest.approx(1.35), "no other placement is much better"),
        (nowhere, None, "other placements were not compared"),
        (refuse, None, "other placements were not compared"),
    ],
)
def test_otherwise_it_is_the_decomposition(place, saving, said) -> None:  # type: ignore[no-untyped-def]
    found = advice(seen((0, 1, 30.0, 5.0), (1, 0, 0.0, 5.0)), NAMES, place)
    assert found is not None
    assert (found.remedy, found.host_of_rank, found.saving_s_per_min) == (Remedy.DECOMPOSITION, (), saving)
    assert found.reason.startswith("1 pair of ranks spends more in transmission than in processing")
    assert said in found.reason
    assert "more work per rank" in found.reason


def cluster(slots: int) -> Cluster:
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0", slots=slots) for k in range(2))
    return Cluster("c", "local", hosts, source="c.toml")


def test_ranks_that_talk_are_brought_together_where_nothing_is_known_of_the_network() -> None:
    evidence = Evidence(OwnTraffic(None))
    for source, rank in ((0, 2), (2, 0), (1, 3), (3, 1)):
        evidence.pairs[source, rank] = Sums((source // 2, rank // 2), 10, 1000, 1.0, 0.0)
    evidence.pairs[0, 1] = Sums((0, 0), 1, 10, 0.0, 0.0)
    found = other_placement.better(evidence, cluster(slots=2), None)
    assert found is not None
    hosts = found.host_of_rank
    assert hosts[0] == hosts[2] != hosts[1] == hosts[3]
    assert found.saving_share == pytest.approx(1 - 1 / 40, abs=0.02)


def test_with_a_rank_a_host_and_an_unknown_network_no_placement_is_better() -> None:
    evidence = Evidence(OwnTraffic(None))
    evidence.pairs[0, 1] = Sums((0, 1), 10, 1000, 1.0, 0.0)
    found = other_placement.better(evidence, cluster(slots=1), None)
    assert found is not None and found.saving_share == 0.0
    evidence.pairs[0, 3] = Sums((0, 1), 10, 1000, 1.0, 0.0)  # rank 2 was not seen
    assert other_placement.better(evidence, cluster(slots=1), None) is None
