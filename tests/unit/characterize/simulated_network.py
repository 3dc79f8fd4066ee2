"""Agents on a simulated network: flows share links max-min fairly, a link that gets more than it carries has a queue.

Stands in for `AgentGroup` in unit tests. The network is a lab's plan, so that the truth is known.
"""

import asyncio
import random
import selectors
from collections.abc import Coroutine
from typing import Any

from fairlead.errors import AgentError
from fairlead.lab.topology import DirectedLink, ResolvedLab
from fairlead.protocol import answers, commands
from fairlead.protocol.messages import AnswerT, Command
from fairlead.protocol.objects import PingpongResult, ProbeResult

from .fair_shares import fair_rates, queued

LINK_DELAY_S = 30e-6
QUEUE_S = 0.020

Flow = tuple[int, int]


class _Skipping(selectors.DefaultSelector):
    """Sleeps by moving the loop's clock."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now_s += max(timeout or 0.0, 0.0)
        return super().select(0)


class _VirtualTime(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now_s


def run(body: Coroutine[Any, Any, None]) -> float:
    """As asyncio.run, in virtual time; returns the seconds that would have passed."""
    with asyncio.Runner(loop_factory=_VirtualTime) as runner:
        runner.run(body)
        return runner.get_loop().time()


class SimulatedAgents:
    """What the survey needs of a group of agents.

    Args:
        noise: probability that a probe or message waits for a processor, for some milliseconds.
        dies_after: number of commands after which every command fails.
        timed: ping-pongs last as long as their round trips; else they take no time.
    """

    def __init__(
        self,
        plan: ResolvedLab,
        noise: float = 0.0,
        seed: int = 1,
        dies_after: int | None = None,
        *,
        timed: bool = False,
    ) -> None:
        self._plan = plan
        self._names = [host.name for host in plan.hosts]
        self._noise = noise
        self._random = random.Random(seed)
        self._left = dies_after
        self._timed = timed
        self._offsets_s = [self._random.uniform(-3e-6, 3e-6) for _ in self._names]
        self._paths = {
            (i, j): plan.path(a, b) for i, a in enumerate(self._names) for j, b in enumerate(self._names) if i != j
        }
        self.flows: list[Flow] = []
        self.most_flows = 0

    def __len__(self) -> int:
        return len(self._names)

    async def command(self, host_index: int, command: Command[AnswerT], timeout_s: float = 30) -> AnswerT:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise AgentError(f"{self._names[host_index]}: the agent was killed by signal 9")
        answer: AnswerT = await getattr(self, "_" + command.TYPE)(host_index, command)
        return answer

    async def _bulk(self, host: int, bulk: commands.Bulk) -> answers.Bulk:
        flow = (host, bulk.peer)
        self.flows.append(flow)
        self.most_flows = max(self.most_flows, len(self.flows))
        await asyncio.sleep(bulk.duration_s / 2)
        rate = self._rates()[self.flows.index(flow)] * self._random.uniform(0.93, 0.99)
        await asyncio.sleep(bulk.duration_s / 2)
        self.flows.remove(flow)
        received_B = round(rate * bulk.duration_s / 8)
        return answers.Bulk(peer=bulk.peer, bytes=received_B, duration_s=bulk.duration_s, rate_bps=rate)

    async def _probe(self, host: int, probe: commands.Probe) -> answers.Probe:
        results = []
        full = self._queued()
        for peer in probe.peers:
            forward = [self._delay_s((host, peer), full) for _ in range(probe.count)]
            backward = [self._delay_s((peer, host), full) for _ in range(probe.count)]
            lost = self._random.random() < self._noise / 3
            keep = probe.count - lost
            round_trip = (a + b for a, b in zip(forward[:keep], backward[:keep], strict=True))
            result = ProbeResult(
                peer=peer,
                sent=probe.count,
                round_trip_s=tuple(round_trip),
                forward_s=tuple(forward[:keep]),
                backward_s=tuple(backward[:keep]),
                clock_error_s=1e-6,
            )
            results.append(result)
        await asyncio.sleep(0)
        return answers.Probe(results=tuple(results))

    async def _pingpong(self, host: int, pingpong: commands.Pingpong) -> answers.Pingpong:
        results = []
        for size in pingpong.sizes_B:
            there = [self._message_s((host, pingpong.peer), size) for _ in range(pingpong.exchanges)]
            back = [self._message_s((pingpong.peer, host), size) for _ in range(pingpong.exchanges)]
            round_trip = tuple(a + b for a, b in zip(there, back, strict=True))
            results.append(PingpongResult(size_B=size, round_trip_s=round_trip, forward_s=tuple(there)))
        lasts_s = sum(sum(each.round_trip_s) for each in results) * (1 + pingpong.warmup / pingpong.exchanges)
        await asyncio.sleep(lasts_s if self._timed else 0)
        return answers.Pingpong(peer=pingpong.peer, results=tuple(results), clock_error_s=1e-6)

    def _path(self, flow: Flow) -> list[DirectedLink]:
        return self._paths[flow]

    def _message_s(self, flow: Flow, size_B: int) -> float:
        slowest = min(self._plan.rate_by_link[link] for link in self._path(flow))
        return self._delay_s(flow, set()) + 8 * size_B / slowest

    def _delay_s(self, flow: Flow, full: set[DirectedLink]) -> float:
        path = self._path(flow)
        delay = LINK_DELAY_S * len(path) + QUEUE_S * sum(self._random.uniform(0.5, 1) for k in path if k in full)
        if self._random.random() < self._noise:
            delay += self._random.expovariate(1 / 2e-3)
        return delay + self._offsets_s[flow[1]] - self._offsets_s[flow[0]] + self._random.uniform(0, 10e-6)

    def _rates(self) -> list[float]:
        """Of the present flows."""
        return fair_rates([self._path(flow) for flow in self.flows], self._plan.rate_by_link)

    def _queued(self) -> set[DirectedLink]:
        paths = [self._path(flow) for flow in self.flows]
        return queued(paths, self._rates(), self._plan.rate_by_link)
