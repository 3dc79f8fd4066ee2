"""Frames of the relay plane: latency over that of the two legs, throughput over that of kernel forwarding.

Two processes in place of ranks exchange frames through their agents (native/probes/relay_frames.cpp); no MPI.
"""

import json
import secrets
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import laboratory
from bench.figures import AT_LEAST, AT_MOST, Figure, median_figure
from bench.laboratory import Network
from bench.session import Session
from fairlead import native
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import AgentGroup, JobOptions
from fairlead.cluster.jobs import preload
from fairlead.errors import MeasurementError
from fairlead.lab.congestion.base import run_on
from fairlead.protocol import commands, events
from fairlead.protocol.messages import AgentEvent

STAR3 = Path(__file__).with_name("star3.toml")
SOURCE, RELAY, DESTINATION = range(3)
ROUNDS, QUICK_ROUNDS = 15, 3
SMALL_B, LARGE_B = 64, 65536
ADDED_S, FACTOR, SHARE = 30e-6, 1.3, 0.9
EXCHANGES, WARM_UP = 300, 50
STREAM_FRAMES = 3000  # of LARGE_B: 1.6 s at 1 Gbit/s
BULK_S = 1.0
TIMEOUT_S = 60.0
STATS_S = 2.5  # agents tell of their CPU time every second


@dataclass(frozen=True)
class Bench:
    """Three hosts with agents that relay."""

    net: Network
    agents: AgentThread
    directory: str
    stats: dict[int, events.Stats[int]]

    def name(self, host: int) -> str:
        return self.net.cluster.managed_hosts()[host].name

    def reroute(self) -> None:
        """Frames between source and destination go over the relay, both ways."""
        for host, peer in ((SOURCE, DESTINATION), (DESTINATION, SOURCE)):
            self.agents.command(host, commands.Reroute(peer=peer, relay=RELAY), TIMEOUT_S)

    def leg_s(self, source: int, destination: int, size_B: int) -> float:
        """Half of the median round trip of TCP messages between two hosts."""
        pingpong = commands.Pingpong(peer=destination, sizes_B=(size_B,), exchanges=EXCHANGES, warmup=WARM_UP)
        answer = self.agents.command(source, pingpong, TIMEOUT_S)
        return statistics.median(answer.results[0].round_trip_s) / 2

    def relayed_s(self, size_B: int) -> float:
        """The same for frames from source to destination, over the relay."""
        words = ["--size", str(size_B), "--frames", str(EXCHANGES), "--warmup", str(WARM_UP)]
        said, _ = self.exchange("ping", "pong", words)
        return statistics.median(said["round_trip_s"]) / 2

    def exchange(self, first: str, second: str, words: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the processes on the source's and the destination's host say.

        Raises:
            MeasurementError: one failed, or the frames went another way.
        """
        running = []
        for host, rank, kind in ((SOURCE, 0, first), (DESTINATION, 1, second)):
            ends = ["--directory", self.directory, "--self", str(rank), "--peer", str(1 - rank)]
            argv = [str(native.program("fairlead-relay-frames")), *ends, *words, kind]
            command = self.net.lab.enter_command(self.name(host), argv)
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        said = [process.communicate(timeout=TIMEOUT_S) for process in running]
        if any(process.returncode != 0 for process in running):
            raise MeasurementError(f"an exchange of frames failed: {' '.join(errors.strip() for _, errors in said)}")
        source, destination = (json.loads(text) for text, _ in said)
        if not source["relayed"]:
            raise MeasurementError("the frames were not relayed")
        return source, destination

    def cpu_s(self) -> float:
        """CPU time of the three agents so far."""
        self.stats.clear()
        deadline_s = time.monotonic() + STATS_S
        while len(self.stats) < 3:
            if time.monotonic() > deadline_s:
                raise MeasurementError("an agent does not tell its CPU time")
            time.sleep(0.01)
        return sum(each.cpu_s for each in self.stats.values())

    @contextmanager
    def forwarded(self) -> Iterator[None]:
        """Within: the kernel forwards packets between source and destination over the relay, both ways."""
        address = [host.address for host in self.net.cluster.managed_hosts()]
        off = "for name in all eth0; do echo 0 >/proc/sys/net/ipv4/conf/$name/send_redirects; done"
        lab = self.net.lab
        run_on(lab, self.name(RELAY), ["sh", "-ec", f"{off}; echo 1 >/proc/sys/net/ipv4/conf/eth0/forwarding"])
        ends = ((SOURCE, DESTINATION), (DESTINATION, SOURCE))
        for host, peer in ends:
            run_on(lab, self.name(host), ["ip", "route", "add", address[peer], "via", address[RELAY], "dev", "eth0"])
        try:
            yield
        finally:
            for host, peer in ends:
                run_on(lab, self.name(host), ["ip", "route", "del", address[peer]])

    def bulk_bps(self) -> float:
        """Throughput of a TCP stream from source to destination."""
        bulk = commands.Bulk(peer=DESTINATION, duration_s=BULK_S, streams=1)
        return self.agents.command(SOURCE, bulk, TIMEOUT_S).rate_bps


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``relay.latency.*``, ``relay.throughput``, ``relay.cpu``: medians of rounds, one sample a round."""
    added_s, factor, share, cpu = [], [], [], []
    with _bench(session) as bench:
        bench.reroute()
        for number in range(session.size(ROUNDS, QUICK_ROUNDS)):
            sample = _round(bench)
            session.record(**sample)
            session.say(f"{number + 1}: " + ", ".join(f"{name} {value:.4g}" for name, value in sample.items()))
            added_s.append(sample["small_relayed_s"] - sample["small_legs_s"])
            factor.append(sample["large_relayed_s"] / sample["large_legs_s"])
            share.append(sample["relayed_bps"] / sample["forwarded_bps"])
            cpu.append(sample["cpu_s"] / sample["relayed_B"] * 1e9)
    yield median_figure("relay.latency.64B", added_s, "s", target=ADDED_S, note="one way, over the sum of two legs")
    yield median_figure("relay.latency.64KiB", factor, "1", target=FACTOR, note="one way, over the sum of two legs")
    yield median_figure("relay.throughput", share, "1", target=SHARE, sense=AT_LEAST, note="over kernel forwarding")
    yield median_figure("relay.cpu", cpu, "ns/B", sense=AT_MOST, note="of the three agents together, kernel included")


def _round(bench: Bench) -> dict[str, float]:
    sample = {}
    for name, size_B in (("small", SMALL_B), ("large", LARGE_B)):
        sample[f"{name}_legs_s"] = bench.leg_s(SOURCE, RELAY, size_B) + bench.leg_s(RELAY, DESTINATION, size_B)
        sample[f"{name}_relayed_s"] = bench.relayed_s(size_B)
    before_s = bench.cpu_s()
    words = ["--size", str(LARGE_B), "--frames", str(STREAM_FRAMES)]
    _, taken = bench.exchange("send", "take", words)
    sample["cpu_s"] = bench.cpu_s() - before_s
    sample["relayed_B"] = float(LARGE_B * STREAM_FRAMES)
    sample["relayed_bps"] = taken["rate_bps"]
    with bench.forwarded():
        sample["forwarded_bps"] = bench.bulk_bps()
    return sample


@contextmanager
def _bench(session: Session) -> Iterator[Bench]:
    stats: dict[int, events.Stats[int]] = {}

    def keep(host: int, event: AgentEvent) -> None:
        if isinstance(event, events.Stats):
            stats[host] = event

    with laboratory.network(session, STAR3) as net:
        hosts = net.cluster.managed_hosts()
        with preload.directory(net.cluster, [host.name for host in hosts], "bench", secrets.token_hex(4)) as path:

            def make_group() -> AgentGroup:
                program = str(native.program("fairlead-agent"))
                return AgentGroup.of_cluster(net.cluster, program, JobOptions(relay=path))

            with EventThread(keep) as told, AgentThread(make_group, told) as agents:
                yield Bench(net, agents, path, stats)
