"""What the agents measure, against networks whose figures are known."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import pytest

from .agent_lab import Message, Star, agents

pytestmark = pytest.mark.root

# Bytes of TCP payload in a full Ethernet frame of 1514 bytes, time stamps in the TCP header: what a shaped link
# can carry of its nominal rate.
GOODPUT = 1448 / 1514
TRIES = 4  # a machine that is busy with others may make a measurement slower, and never faster


@pytest.fixture(scope="module")
def star() -> Iterator[Star]:
    star = Star(3)
    yield star
    star.close()


def clocks_of(host: int) -> Message:
    return {"offset_s": 0.25 * host, "drift": 2e-5 * host, "origin_s": 1.7e9}


def true_offset_s(host: int, peer: int, t_s: float) -> float:
    """The peer's clock minus the host's, when the host's shows t_s."""
    own, other = clocks_of(host), clocks_of(peer)
    real_s = (t_s - own["offset_s"] + own["drift"] * own["origin_s"]) / (1 + own["drift"])
    return (other["offset_s"] - own["offset_s"]) + (other["drift"] - own["drift"]) * (real_s - own["origin_s"])


def test_probes_give_one_way_times_within_the_stated_error(star: Star) -> None:
    with agents(star, clock_test=clocks_of) as running:
        answer = running[0].ask(type="probe", peers=[1, 2], count=20, interval_s=0.002)
    assert [result["peer"] for result in answer["results"]] == [1, 2]
    for result in answer["results"]:
        assert result["sent"] == 20
        assert len(result["forward_s"]) == len(result["backward_s"]) == len(result["round_trip_s"]) >= 19
        for forward_s, backward_s, round_trip_s in zip(
            result["forward_s"], result["backward_s"], result["round_trip_s"], strict=True
        ):
            assert forward_s + backward_s == pytest.approx(round_trip_s, abs=1e-9)
            assert -result["clock_error_s"] <= forward_s <= round_trip_s + result["clock_error_s"]
        assert 0 < result["clock_error_s"] < 1e-3


def test_clock_bound_contains_the_truth_under_one_sided_load(star: Star) -> None:
    """Offsets of seconds, drift, and a queue in one direction only: the middle is wrong, the bound must say so."""
    star.shape(1, 50)
    try:
        with agents(star, clock_test=clocks_of) as running:
            running[0].send(type="bulk", peer=1, duration_s=2.0, streams=2)
            running[0].ask(type="probe", peers=[1], count=50, interval_s=0.02, any_order=True)
            event = running[0].event("clock", timeout_s=10)
    finally:
        star.unshape(1)
    (seen,) = [each for each in event["peers"] if each["peer"] == 1]
    assert abs(seen["offset_s"] - true_offset_s(0, 1, event["t_s"])) <= seen["error_s"]
    assert seen["error_s"] < 0.05


def test_pingpong_sizes_and_directions(star: Star) -> None:
    sizes_B = [64, 8192, 65536, 1 << 20, 8 << 20]
    with agents(star, clock_test=clocks_of) as running:
        answer = running[0].ask(type="pingpong", peer=1, sizes_B=sizes_B, exchanges=12, warmup=2)
    assert [result["size_B"] for result in answer["results"]] == sizes_B
    for result in answer["results"]:
        assert len(result["round_trip_s"]) == len(result["forward_s"]) == 12
        for forward_s, round_trip_s in zip(result["forward_s"], result["round_trip_s"], strict=True):
            assert -answer["clock_error_s"] <= forward_s <= round_trip_s + answer["clock_error_s"]
    assert 0 < answer["clock_error_s"] < 5e-3


def test_pingpong_of_a_shaped_link_is_size_over_rate(star: Star) -> None:
    star.shape(1, 100)
    try:
        with agents(star) as running:
            answer = running[0].ask(type="pingpong", peer=1, sizes_B=[1 << 20], exchanges=7 * TRIES, warmup=1)
    finally:
        star.unshape(1)
    round_trips_s = answer["results"][0]["round_trip_s"]
    assert len(round_trips_s) == 7 * TRIES
    quarters_s = [round_trips_s[7 * part : 7 * part + 7] for part in range(TRIES)]
    one_way_s = min(statistics.median(each) for each in quarters_s) / 2
    assert one_way_s == pytest.approx(8 * (1 << 20) / (100e6 * GOODPUT), rel=0.08)


@pytest.mark.parametrize("streams", [1, 4])
def test_train_measures_the_rate_of_a_shaped_link(star: Star, streams: int) -> None:
    star.shape(1, 100)
    try:
        with agents(star) as running:
            for asked in (0, 1):
                answers = []
                for _ in range(TRIES):
                    answer = running[asked].ask(type="bulk", peer=1 - asked, duration_s=0.5, streams=streams)
                    answers.append(answer)
                    assert answer["bytes"] * 8 / answer["duration_s"] == pytest.approx(answer["rate_bps"], rel=0.05)
                    if answer["rate_bps"] >= 0.95 * 100e6 * GOODPUT:
                        break
                best = max(answers, key=lambda answer: answer["rate_bps"])
                assert best["rate_bps"] == pytest.approx(100e6 * GOODPUT, rel=0.05)
                assert 0.4 < best["duration_s"] < 1.0
    finally:
        star.unshape(1)


def test_probes_see_a_queue_only_in_its_direction(star: Star) -> None:
    star.shape(1, 50)
    try:
        with agents(star) as running:
            running[0].ask(type="probe", peers=[1], count=20, interval_s=0.005)
            running[0].send(type="bulk", peer=1, duration_s=5.0, streams=4)
            time.sleep(0.4)
            (result,) = running[0].ask(type="probe", peers=[1], count=20, interval_s=0.01)["results"]
    finally:
        star.unshape(1)
    assert statistics.median(result["forward_s"]) > 5e-3
    # What waits for a processor takes longer, none is faster.
    assert statistics.quantiles(result["backward_s"], n=4)[0] < 2e-3


def test_measurements_do_not_wait_for_each_other(star: Star) -> None:
    with agents(star) as running:
        running[0].send(type="bulk", peer=1, duration_s=3.0, streams=1)
        assert running[0].ask(type="probe", peers=[2], count=2, interval_s=0.01)["type"] == "probe", "the first answer"


def test_a_silent_peer_is_a_failure_in_bounded_time(star: Star) -> None:
    with agents(star) as running:
        running[1].kill()
        begin_s = time.monotonic()
        for command in (
            {"type": "pingpong", "sizes_B": [64], "exchanges": 3, "warmup": 0, "peer": 1},
            {"type": "bulk", "duration_s": 0.1, "streams": 2, "peer": 1},
            {"type": "probe", "peers": [1], "count": 2, "interval_s": 0.01},
        ):
            answer = running[0].ask(**command)
            assert answer["type"] == "failed"
            assert "h1 (10.79.0.2)" in answer["reason"]
        assert time.monotonic() - begin_s < 6  # a connection is refused at once, a probe waited for for 1 s
        answer = running[0].ask(type="probe", peers=[1, 2], count=3, interval_s=0.01)
        assert [len(result["round_trip_s"]) for result in answer["results"]] == [0, 3]


def test_a_frozen_peer_is_a_failure_in_bounded_time(star: Star) -> None:
    with agents(star) as running:
        running[1].freeze()
        try:
            begin_s = time.monotonic()
            answer = running[0].ask(type="bulk", peer=1, duration_s=0.1, streams=1)
            assert answer["type"] == "failed"
            assert time.monotonic() - begin_s < 8  # a handshake has 3 s
        finally:
            running[1].thaw()


def test_a_peer_killed_during_a_measurement_is_a_failure(star: Star) -> None:
    with agents(star) as running:
        running[0].send(type="bulk", peer=1, duration_s=10.0, streams=2)
        time.sleep(0.3)
        running[1].kill()
        answer = running[0].answer(timeout_s=8)
        assert answer["type"] == "failed"
        assert "broke" in answer["reason"] or "closed" in answer["reason"]
