"""Congestion: it is there when started, and nothing of it is there when stopped."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import pytest
from lab_fixtures import (
    MESH,
    PRIVILEGES,
    best_tcp_rate_bps,
    is_empty,
    private_runtime,
    processes,
    python,
    round_trip_s,
    run,
    running,
    serving,
    tcp_rate_bps,
)

from fairlead.errors import LabError
from fairlead.lab import Lab
from fairlead.lab.congestion import Delay, MpiTraffic, Streams, make, runner

__all__ = ["private_runtime"]
BOTH = pytest.mark.parametrize("user_namespace", PRIVILEGES)
STREAMS = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
DELAY = Delay(kind="delay", link=("leaf0", "leaf1"), delay="5ms")


def sent_bytes(lab: Lab) -> int:
    """Bytes that the neighbours have sent so far."""
    return sum(int(run(lab, n, "cat", "/sys/class/net/eth0/statistics/tx_bytes")) for n in ("n0", "n1", "n2"))


@BOTH
def test_streams_fill_the_trunk_both_ways_and_end(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        congestion = make(lab, STREAMS)
        with congestion:
            assert congestion.is_running()
            with ThreadPoolExecutor() as pool:
                rates_bps = pool.map(partial(tcp_rate_bps, lab), ("h0", "h1"), ("h1", "h0"))
            assert max(rates_bps) < 25e6  # a fifth of 50 Mbit/s is fair
            with pytest.raises(LabError, match="already running"):
                congestion.start()
        assert is_empty(lab)
        congestion.start()  # and again
        congestion.stop()
        assert is_empty(lab)


@BOTH
def test_bursts_leave_the_link_idle_between(user_namespace: bool) -> None:
    bursts = STREAMS.model_copy(update={"on": 0.2, "off": 0.4, "streams": 1, "both_directions": False})
    with running(MESH, user_namespace=user_namespace) as lab, make(lab, bursts):
        count = """
        import time
        def sent():
            return next(int(l.split()[9]) for l in open("/proc/net/dev") if "eth0:" in l)
        last, rates = sent(), []
        for _ in range(40):
            time.sleep(0.05); now = sent(); rates.append((now - last) * 8 / 0.05); last = now
        print(sum(r < 1e6 for r in rates), sum(r > 20e6 for r in rates))
        """
        idle, busy = map(int, python(lab, "n0", count).split())
        assert idle >= 8
        assert busy >= 6


@BOTH
def test_the_delay_is_added_to_one_link_each_way_keeps_order_and_goes(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        base_s = round_trip_s(lab, "h0", "h1")
        with make(lab, DELAY):
            assert round_trip_s(lab, "h0", "h1") - base_s == pytest.approx(0.010, abs=0.002)
            assert round_trip_s(lab, "h0", "h2") < 0.005
            assert best_tcp_rate_bps(lab, "h0", "h1", 40e6) > 40e6
            assert steps_back(arrival_order(lab)) < 50
        assert round_trip_s(lab, "h0", "h1") < 0.005
        assert is_empty(lab)
        assert "clsact" not in run(lab, "leaf0", "tc", "qdisc")
        one_way = DELAY.model_copy(update={"both_directions": False, "delay": 0.020})
        with make(lab, one_way):
            assert round_trip_s(lab, "h0", "h1") - base_s == pytest.approx(0.020, abs=0.003)


def steps_back(numbers: list[int]) -> int:
    """How often the order goes back.

    Not always never: where a sender or a shaper's timer goes on on another processor, Linux may hand the next packets
    to a veth's far side before those that still wait on the processor of before. With a delay line that does not keep
    the order it were hundreds.
    """
    return sum(after < before for before, after in pairwise(numbers))


def arrival_order(lab: Lab) -> list[int]:
    """Numbers of 2000 datagrams sent at once, in the order of their arrival."""
    sink = """
    import socket, struct
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 7778)); s.settimeout(5)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    s.sendto(b"go", ("10.64.0.1", 7778))
    seen = []
    try:
        while len(seen) < 2000:
            seen.append(struct.unpack("!I", s.recv(2000)[:4])[0])
            s.settimeout(1)  # some may have been dropped
    except TimeoutError:
        pass
    print(*seen)
    """
    source = """
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 7778)); print("ready", flush=True)
while True:
    _, peer = s.recvfrom(100)
    for k in range(2000):
        s.sendto(struct.pack("!I", k) + bytes(100), peer)
"""
    with serving(lab, "h0", "python3", "-c", source, ready="ready"):
        numbers = [int(word) for word in python(lab, "h1", sink).split()]
    assert len(numbers) > 500
    return numbers


@BOTH
def test_background_congestion_is_stopped_on_command_and_by_the_labs_end(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        text = runner.start(lab, DELAY)
        assert "5 ms on leaf0 <-> leaf1" in text
        assert round_trip_s(lab, "h0", "h1") > 0.009
        assert runner.stop_all(lab) == [text]
        assert round_trip_s(lab, "h0", "h1") < 0.005
        assert runner.stop_all(lab) == []
        runner.start(lab, STREAMS)
        lab.down()
        assert not lab.directory.exists()


@BOTH
def test_congestion_in_the_foreground_is_stopped_on_command_too(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        line = ["lab", "congest", "mesh", "delay", "leaf0", "leaf1"]
        command = subprocess.Popen(
            [sys.executable, "-c", "from fairlead.cli.main import main; main()", *line], stdout=subprocess.PIPE
        )
        deadline_s = time.monotonic() + 20
        while not (stopped := runner.stop_all(lab)):
            assert time.monotonic() < deadline_s, "the congestion did not start"
            time.sleep(0.05)
        assert len(stopped) == 1
        assert "5 ms on leaf0 <-> leaf1" in stopped[0]
        output, _ = command.communicate(timeout=20)
        assert command.returncode == 0
        assert output.decode().splitlines()[-1] == "stopping"
        assert round_trip_s(lab, "h0", "h1") < 0.005


@BOTH
def test_congestion_of_the_description_starts_with_the_lab(user_namespace: bool) -> None:
    text = MESH + '[[congestion]]\nkind = "delay"\nlink = ["leaf0", "leaf1"]\ndelay = "8ms"\n'
    with running(text, user_namespace=user_namespace) as lab:
        assert round_trip_s(lab, "h0", "h1") > 0.015


@BOTH
def test_congestion_does_not_outlive_a_starter_that_is_killed(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        line = ["lab", "congest", "mesh", "streams", "--between", "leaf0", "leaf1"]
        starter = subprocess.Popen(
            [sys.executable, "-c", "from fairlead.cli.main import main; main()", *line], stdout=subprocess.PIPE
        )
        assert starter.stdout is not None
        # Its answer stays in the pipe's buffer until it ends; what it starts is seen in the lab.
        deadline_s = time.monotonic() + 20
        while sum("fairlead-streams" in line for line in processes(lab)) < 4:
            assert time.monotonic() < deadline_s
        os.kill(starter.pid, signal.SIGKILL)
        starter.wait()
        starter.stdout.close()
        assert is_empty(lab, timeout_s=10)


@BOTH
def test_a_part_that_fails_says_why(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        wrong = STREAMS.model_copy(update={"congestion_control": "no-such-algorithm"})
        with pytest.raises(LabError, match=r"fairlead-streams on n\d ended"):
            make(lab, wrong).start()
        assert is_empty(lab)


@BOTH
@pytest.mark.mpi
def test_mpi_traffic_flows_between_neighbours_and_ends(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        with make(lab, MpiTraffic(kind="mpi", seed=3)):
            before = sent_bytes(lab)
            deadline_s = time.monotonic() + 10
            while sent_bytes(lab) - before <= 1_000_000:
                assert time.monotonic() < deadline_s
                time.sleep(0.1)
        assert is_empty(lab, timeout_s=10)
