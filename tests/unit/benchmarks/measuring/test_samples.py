"""Blocks of MPI benchmarks: who measures with whom, how often, and what samples say."""

import math

import click
import numpy as np
import pytest

from fairlead.benchmarks.all_pairs import measure as all_pairs
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.measuring.pairs import PairPlacement, host_pairs
from fairlead.benchmarks.measuring.repeat import Until, repeat
from fairlead.benchmarks.measuring.samples import padded
from fairlead.benchmarks.measuring.suite import STARTING_S, SuiteStep, within
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT, PointToPointSettings
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.errors import ConfigError, FairleadError, MeasurementError
from fairlead.sizes import Sizes

CLUSTER = """
[cluster]
name = "c"
executor = "local"
interface = "eth0"
[[hosts]]
name = "a"
address = "10.0.0.1"
[[hosts]]
name = "r"
address = "10.0.0.3"
role = "relay"
[[hosts]]
name = "b"
address = "10.0.0.2"
"""
NAN = float("nan")


def test_ranks_of_each_pair_of_hosts_are_paired_one_to_one() -> None:
    placement = PairPlacement((("a", "b"), ("c", "d")), 2)
    assert placement.hosts() == ["a", "a", "b", "b", "c", "c", "d", "d"]
    assert placement.ranks(2) == [(0, 2), (1, 3), (4, 6), (5, 7)]
    assert placement.ranks(1) == [(0, 2), (4, 6)]


def test_the_first_two_compute_hosts_are_measured_unless_others_are_named() -> None:
    cluster = parse_cluster(CLUSTER)
    assert host_pairs(cluster, []) == (("a", "b"),)
    assert host_pairs(cluster, [("b", "a")]) == (("b", "a"),)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("a", "r"), "--between a r: r takes no ranks"),
        (("a", "a"), "give two different hosts"),
        (("a", "x"), "no host is called 'x'"),
    ],
)
def test_pairs_that_cannot_be_measured_are_refused(pair: tuple[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        host_pairs(parse_cluster(CLUSTER), [pair])


def test_shorter_rows_end_in_nan() -> None:
    np.testing.assert_array_equal(padded([[1.0, 2.0], [3.0]]), [[1.0, 2.0], [3.0, np.nan]])


def test_a_latency_is_half_a_round_trip_and_pairs_count_while_all_of_them_measure() -> None:
    block = padded([[2.0, 2.0, 2.0], [4.0]])
    # The first pair's third round trip begins at 4, when the second pair has ended.
    assert sorted(point_to_point.latencies_s(block)) == [1.0, 1.0, 2.0]
    assert point_to_point.value(LATENCY, MessageCell(1, 2), block) == 1.0


def test_the_rate_counts_what_all_pairs_carry_while_all_of_them_send() -> None:
    cell = MessageCell(size_B=1000, pairs=2, window=10)
    # Until 4 s: two windows of the first pair, one of the second, 80 kbit each.
    block = padded([[2.0, 2.0, 2.0], [4.0]])
    assert point_to_point.value(THROUGHPUT, cell, block) == pytest.approx(2 * 80_000 / 4 + 80_000 / 4)
    both = MessageCell(size_B=1000, pairs=1, window=10, both=True)
    assert point_to_point.value(THROUGHPUT, both, np.array([[1.0, 1.0]])) == pytest.approx(160_000)


def test_a_pair_without_a_window_in_the_common_time_still_counts() -> None:
    block = padded([[1.0], [4.0]])
    assert point_to_point.rate_bps(MessageCell(1000, 2, 1), block) == pytest.approx(8000 / 1 + 8000 / 4)


@pytest.mark.parametrize("pairs", [1, 16])
@pytest.mark.parametrize("benchmark", [LATENCY, THROUGHPUT])
def test_a_block_lasts_its_time_on_fast_networks_however_many_pairs(benchmark: str, pairs: int) -> None:
    request = point_to_point._request(benchmark, MessageCell(8, pairs), PairPlacement((("h0", "h1"),), pairs))
    fastest_s = 1.1e-6  # round trips within a host; InfiniBand takes two and more
    assert request["most"] * fastest_s >= request["limit_s"] == point_to_point.BLOCK_S


def test_windows_fit_into_memory_and_time() -> None:
    settings = PointToPointSettings(sizes_B=(1, 1 << 20, 1 << 22), pairs=(1, 16), directions=("one", "both"))
    assert [cell.window for cell in settings.cells(THROUGHPUT)[:6]] == [64, 64, 64, 64, 16, 4]
    # 200 Mbit/s carry 5 MB in the longest time of a window.
    assert [cell.window for cell in settings.cells(THROUGHPUT, 200e6)[:6]] == [64, 4, 2, 64, 2, 2]
    assert settings.cells(LATENCY) == [
        MessageCell(size_B, pairs) for pairs in (1, 16) for size_B in (1, 1 << 20, 1 << 22)
    ]


def test_cells_are_repeated_in_random_order_until_their_median_is_known() -> None:
    taken: list[tuple[str, int]] = []
    scatter = {"steady": [1.0] * 99, "noisy": [1.0, 2.0] * 99}

    def measure(cell: str, number: int) -> float:
        taken.append((cell, number))
        return scatter[cell].pop()

    clock = iter(range(1000))
    values = repeat(
        ["steady", "noisy"],
        measure,
        Until(within=0.05, budget_s=30, least=6),
        seed=3,
        progress=lambda *_: None,
        now=lambda: float(next(clock)),
    )
    assert len(values["steady"]) == 6
    assert len(taken) == 29  # the clock is read once before the first block and once before each
    assert len(values["noisy"]) == 23
    assert {number for cell, number in taken if cell == "steady"} == set(range(6))
    orders = {tuple(cell for cell, n in taken if n == number) for number in range(6)}
    assert orders == {("steady", "noisy"), ("noisy", "steady")}


def test_cells_without_time_have_no_values() -> None:
    assert repeat(["a"], lambda *_: 1.0, Until(budget_s=0), seed=1, progress=lambda *_: None) == {"a": []}


def test_exactly_so_many_blocks_need_no_budget_and_keep_to_one() -> None:
    def taken(until: Until) -> int:
        clock = iter(range(0, 10**6, 1000))
        of = {"seed": 1, "progress": lambda *_: None, "now": lambda: float(next(clock))}
        return len(repeat(["a"], lambda *_: 1.0, until, **of)["a"])

    assert taken(Until.exactly(25)) == 25
    assert taken(Until.exactly(25, budget_s=2500)) == 2
    assert Until.exactly(25).lasts_s(4, 30.0) == 3000.0
    assert (
        all_pairs.AllPairsSettings(until=Until.exactly(3)).lasts_s() == math.inf
    )  # how many pairs, the cluster decides
    assert all_pairs.AllPairsSettings(until=Until.exactly(3, budget_s=7)).lasts_s() == 7


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("64,1KiB", (64, 1024)),
        ("1..16", (1, 2, 4, 8, 16)),
        ("3..10,1MiB", (3, 6, 1 << 20)),
        ("4KiB..8KiB,4KiB", (4096, 8192)),
    ],
)
def test_sizes_are_lists_and_ranges(text: str, sizes: tuple[int, ...]) -> None:
    assert Sizes(1 << 20).convert(text, None, None) == sizes


@pytest.mark.parametrize("text", ["", "0", "8..4", "1..2..4", "1kb", "2MiB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Sizes(1 << 20).convert(text, None, None)


def test_a_budget_is_shared_and_a_failure_leaves_the_rest_alone() -> None:
    clock, shares, failures = [0.0], {}, {}

    def step(name: str, weight: float, lasts_s: float) -> SuiteStep:
        def run(seconds: float) -> None:
            shares[name] = seconds
            clock[0] += lasts_s
            if name == "b":
                raise MeasurementError("hung")

        return SuiteStep(name, weight, run)

    def failed(name: str, error: FairleadError) -> None:
        failures[name] = str(error)

    steps = [step("a", 1, 20.0), step("b", 1, 10.0), step("c", 2, 69.0), step("d", 1, 0.0)]
    within(steps, 100.0, failed, lambda: clock[0])
    # 100 s over 5 parts; 80 s over 4; 70 s over 3, two of them; one is left, less than a start takes.
    assert shares == {
        "a": 20.0 - STARTING_S,
        "b": 20.0 - STARTING_S,
        "c": pytest.approx(70 * 2 / 3 - STARTING_S),
    }
    assert failures == {"b": "hung", "d": "the budget leaves no time for it"}
