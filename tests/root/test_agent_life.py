"""Start and end of an agent, bad input, several jobs."""

from __future__ import annotations

import json
import os
import resource
import secrets
import signal
import statistics
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from .agent_lab import PORT, Agent, Star, agent_program, agents, config, start

pytestmark = pytest.mark.root


@pytest.fixture(scope="module")
def star() -> Iterator[Star]:
    star = Star(2)
    yield star
    star.close()


def test_ready_tells_who_is_there(star: Star) -> None:
    agent = start(star, 0, config(star, 0, secrets.token_hex(32)))
    ready = agent.answer()
    assert ready["type"] == "ready"
    assert ready["pid"] == agent.process.pid
    assert ready["plane"] == "none"
    assert ready["plane_reason"] == "no guardian was asked for"
    assert ready["scheduling"] in ("realtime", "short slice", "normal")
    assert agent.end_input() == 0


def test_stop_is_answered(star: Star) -> None:
    agent = start(star, 0, config(star, 0, secrets.token_hex(32)))
    assert agent.answer()["type"] == "ready"
    agent.write('{"type":"stop"}')
    assert agent.answer() == {"type": "stopped"}
    assert agent.process.wait(5) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order(star: Star, number: signal.Signals) -> None:
    with agents(star) as running:
        running[0].process.send_signal(number)
        assert running[0].process.wait(5) == 0


def test_end_of_input_ends_it_even_in_a_measurement(star: Star) -> None:
    with agents(star) as running:
        running[0].send(type="bulk", peer=1, duration_s=60.0, streams=2)
        time.sleep(0.2)
        assert running[0].end_input(timeout_s=5.0) == 0


def test_an_agent_that_can_open_nothing_goes_on(star: Star) -> None:
    with agents(star) as running:
        running[0].event("stats")
        for agent in running:
            _, hard = resource.prlimit(agent.process.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(agent.process.pid, resource.RLIMIT_NOFILE, (3, hard))
        for _ in range(2):
            assert running[0].event("stats")["rss_B"] > 1_000_000
        (result,) = running[0].ask(type="probe", peers=[1], count=3, interval_s=0.01)["results"]
        assert result["round_trip_s"], "an answer came"


def test_the_clock_steps_for_tests(star: Star) -> None:
    with agents(star) as running:
        before = running[0].event("stats")
        assert running[0].ask(type="step_clock", offset_s=-3600.0)["type"] == "done"
        # One may have been on its way.
        after = running[0].event("stats", where=lambda event: event["t_s"] < before["t_s"] - 3000)
    assert after["t_s"] - before["t_s"] > -3601


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("hello", "not JSON"),
        ('{"type":"stop"}', "config"),
        (None, "'port'"),
    ],
)
def test_a_bad_configuration_is_told_and_ends_it(star: Star, line: str | None, part: str) -> None:
    first = config(star, 0, secrets.token_hex(32))
    first["hosts"][1]["port"] = 70000
    agent = start(star, 0, first) if line is None else start_with(star, line)
    answer = agent.answer()
    assert answer["type"] == "error"
    assert part in answer["reason"]
    assert agent.process.wait(5) == 1


def start_with(star: Star, line: str) -> Agent:
    agent = Agent(star.hosts[0].enter(str(agent_program())))
    agent.write(line)
    return agent


def test_an_address_of_another_host_is_an_error(star: Star) -> None:
    first = config(star, 0, secrets.token_hex(32))
    first["hosts"][0]["address"] = "10.79.0.200"
    agent = start(star, 0, first)
    answer = agent.answer()
    assert answer["type"] == "error"
    assert "10.79.0.200" in answer["reason"]
    assert agent.process.wait(5) == 1


def test_a_taken_port_is_told(star: Star) -> None:
    with agents(star):
        agent = start(star, 0, config(star, 0, secrets.token_hex(32)))
        answer = agent.answer()
        assert answer["type"] == "error"
        assert "in use" in answer["reason"]
        assert agent.process.wait(5) == 1


# A guardian that leaves its agent no descriptor when it is to set up the route plane, and dies.
EXHAUSTING = """
import os, resource, socket
socket.socket(fileno=0).recv(65536)
_, hard = resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, hard))
"""


def test_what_fails_after_the_guardian_has_answered_is_told(star: Star) -> None:
    first = config(star, 0, secrets.token_hex(32), guardian=[sys.executable, "-c", EXHAUSTING])
    agent = start(star, 0, first)
    assert agent.answer() == {"type": "error", "reason": "getifaddrs: Too many open files"}
    assert agent.process.wait(5) == 1


def test_two_jobs_at_once(star: Star) -> None:
    with agents(star) as first, agents(star, port=PORT + 1, job="0badc0de") as second:
        for running in (first, second):
            answer = running[0].ask(type="probe", peers=[1], count=3, interval_s=0.01)
            assert len(answer["results"][0]["round_trip_s"]) == 3
        assert not [event for agent in (*first, *second) for event in agent.seen if event["type"] == "rejected"]


def test_bad_commands_fail_and_the_rest_goes_on(star: Star) -> None:
    with agents(star) as running:
        answer = running[0].ask(type="pingpong", peer=7, sizes_B=[1], exchanges=1, warmup=0)
        assert answer == {"type": "failed", "id": answer["id"], "reason": answer["reason"]}
        assert "'peer'" in answer["reason"]
        running[0].write("}{")
        assert "not JSON" in running[0].event("log")["text"]
        answer = running[0].ask(type="reroute", peer=1, relay=1)
        assert answer["type"] == "failed"
        assert running[0].ask(type="probe", peers=[1], count=1, interval_s=0)["type"] == "probe"


def test_reroutes_need_a_guardian(star: Star) -> None:
    three = Star(3)
    try:
        with agents(three) as running:
            answer = running[0].ask(type="reroute", peer=1, relay=2)
            assert answer["type"] == "failed"
            assert "no guardian" in answer["reason"]
    finally:
        three.close()


def test_it_holds_no_privilege_and_listens_on_its_address_only(star: Star) -> None:
    with agents(star) as running:
        status = Path(f"/proc/{running[0].process.pid}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert {fields[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
        assert fields["NoNewPrivs"] == "1"
        local = star.hosts[0].run("ss", "-Hnltup")
        assert {line.split()[4] for line in local.splitlines()} == {f"{star.address(0)}:{PORT}"}


def test_the_secret_is_nowhere_to_be_seen(star: Star) -> None:
    """Not in the environment, the arguments, the output, nor (outside its guarded pages) in memory."""
    secret = secrets.token_hex(32)
    with agents(star, secret=secret) as running:
        pid = running[0].process.pid
        for name in ("cmdline", "environ"):
            assert secret.encode() not in Path(f"/proc/{pid}/{name}").read_bytes()
        assert secret.encode() not in memory_of(pid)
        assert secret not in json.dumps(running[0].seen)


def memory_of(pid: int) -> bytes:
    """Heap, stack and data of a process."""
    found = b""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, access, *_ = line.split()
            begin, end = (int(part, 16) for part in span.split("-"))
            if access.startswith("rw") and end - begin < 1 << 28:
                try:
                    found += os.pread(memory.fileno(), end - begin, begin)
                except OSError:  # guard pages
                    continue
    return found


def test_stats_come_every_second_and_the_idle_agent_is_cheap(star: Star) -> None:
    with agents(star) as running:
        told = [running[0].event("stats") for _ in range(4)]
        apart_s = [second["t_s"] - first["t_s"] for first, second in pairwise(told)]
        assert statistics.median(apart_s) == pytest.approx(1.0, abs=0.3)  # one may be late on a busy machine
        assert all(0 <= second["cpu_s"] - first["cpu_s"] < 0.1 for first, second in pairwise(told))
        assert 1e6 < told[-1]["rss_B"] < 20e6 or os.environ.get("FAIRLEAD_SANITIZED")
        assert told[-1]["events_dropped"] == 0


def test_a_lease_that_is_not_renewed_ends_it(star: Star) -> None:
    with agents(star) as running:
        secret = secrets.token_hex(32)
        agent = start(star, 0, config(star, 0, secret, port=PORT + 1, lease_s=1.5))
        assert agent.answer()["type"] == "ready"
        for _ in range(8):
            time.sleep(0.3)
            agent.write('{"type":"lease"}')
        assert agent.process.poll() is None
        assert agent.process.wait(5) == 3
        assert agent.process.stderr is not None
        assert agent.process.stderr.read() == (
            "fairlead-agent: nothing was heard from the supervisor for 1.5 s: all reroutes were undone\n"
        )
        assert running[0].process.poll() is None  # it has none


def test_a_later_start_is_told_by_its_boot_id_whatever_the_clock_says(star: Star) -> None:
    """A host's clock may be set back between two starts of its agent."""
    secret = secrets.token_hex(32)
    later = time.time_ns() + 10**15
    first, other = (start(star, k, config(star, k, secret, boot_id=later)) for k in (0, 1))
    try:
        assert first.answer()["type"] == other.answer()["type"] == "ready"
        probe = {"type": "probe", "peers": [1], "count": 3, "interval_s": 0.02}
        assert len(first.ask(**probe)["results"][0]["round_trip_s"]) == 3
        first.kill()
        first = start(star, 0, config(star, 0, secret, boot_id=later + 1))
        assert first.answer()["type"] == "ready"
        assert len(first.ask(**probe)["results"][0]["round_trip_s"]) == 3
        first.kill()
        first = start(star, 0, config(star, 0, secret))  # of its own clock, which is behind
        assert first.answer()["type"] == "ready"
        assert first.ask(**probe)["type"] == "failed"
        assert set(other.event("rejected")["reasons"]) == {"replayed"}
    finally:
        first.close()
        other.close()
