"""Takes the samples of a characterization with the agents of a job.

Order: quiet network, injections one at a time, repeats of what they leave open, injections of two that may meet, and
the ping-pongs last, because the relation tells which pairs can exchange messages at the same time undisturbed.
"""

import asyncio
import math
import random
from collections.abc import Coroutine, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from fairlead.characterize import downstream_bottlenecks, latency, sensitivity
from fairlead.characterize.samples import Exchanges, Floats, Injection, Samples, Sink
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.tournament import Pair, groups
from fairlead.display import words
from fairlead.progress import Progress
from fairlead.protocol import commands
from fairlead.protocol.messages import AnswerT, Command

MEETING = "testing which paths meet (at most)"


class Commander(Protocol):
    """What is needed of the agents; `fairlead.agents.group.AgentGroup` has it."""

    def __len__(self) -> int: ...
    async def command(self, host_index: int, command: Command[AnswerT], timeout_s: float = ...) -> AnswerT: ...


@dataclass(frozen=True)
class Settings:
    """How thoroughly to measure.

    Attributes:
        sizes_B: message sizes of the latency matrix.
        exchanges, warmup: ping-pongs a pair and size that count, and those before them that do not.
        budget_s: time that sizes above ``small_B`` may take together; they get fewer exchanges, but at least
            ``least_exchanges``, to keep to it. None: no limit.
        injection_s: length of an injection.
        settle_s: from its start to the first probe, while the queue grows.
        probes: probes of each path in a window.
        idle_windows: windows without injected traffic.
        repeats: how often what is undecided is injected again.
        seed: of the injections' order.
    """

    sizes_B: tuple[int, ...] = latency.DEFAULT_SIZES_B
    exchanges: int = 30
    warmup: int = 5
    budget_s: float | None = 60.0
    small_B: int = 64 * 1024
    least_exchanges: int = 5
    injection_s: float = 0.25
    settle_s: float = 0.06
    probes: int = 5
    idle_windows: int = 6
    repeats: int = 2
    seed: int = 1

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "sizes_B": list(self.sizes_B)}


class Survey:
    """One characterization in the making: call `run`; what was taken so far is in `samples` at any time."""

    def __init__(self, agents: Commander, settings: Settings, sink: Sink, progress: Progress) -> None:
        self._agents = agents
        self._settings = settings
        self._sink = sink
        self._progress = progress
        self.samples = Samples(len(agents))

    async def run(self) -> None:
        """Take all samples.

        Raises:
            AgentError: an agent died, refused or did not answer.
            MeasurementError: some pair of hosts cannot reach each other.
        """
        self._progress("probing the quiet network", 0, self._settings.idle_windows)
        await self._probe(None)  # addresses are resolved, routes and caches filled: not kept
        for number in range(self._settings.idle_windows):
            self._progress("probing the quiet network", number, self._settings.idle_windows)
            await self._window(())
        self._progress("probing the quiet network", self._settings.idle_windows, self._settings.idle_windows)
        relation = await self._relation()
        await self._latencies(relation)

    # ---------------------------------------------------------------- which paths share a bottleneck

    async def _relation(self) -> Sensitivity:
        count = self.samples.count
        pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
        random.Random(self._settings.seed).shuffle(pairs)
        for number, pair in enumerate(pairs):
            self._progress("injecting traffic, pair by pair", number, len(pairs))
            await self._window((pair,))
        self._progress("injecting traffic, pair by pair", len(pairs), len(pairs))
        await self._repeat_undecided(pairs)
        network = sensitivity.quiet(self.samples)
        relation = sensitivity.evaluate(self.samples, network)
        search = downstream_bottlenecks.Search(relation, network, self.samples.rates_bps())
        while (meeting := search.open_pairs()) is not None and search.tests < search.limit:
            self._progress(MEETING, search.tests, search.limit)
            await self._window(meeting)
            while search.doubtful(self.samples, meeting):
                await self._window(meeting)
            search.learn(self.samples, meeting)
        self._progress(MEETING, search.limit, search.limit)
        return downstream_bottlenecks.complete(relation, self.samples, network)

    async def _repeat_undecided(self, pairs: list[Pair]) -> None:
        for _ in range(self._settings.repeats):
            network = sensitivity.quiet(self.samples)
            open_ = {pair: sensitivity.undecided(self.samples, pair, network) for pair in pairs}
            again = [pair for pair in pairs if open_[pair]]
            for number, pair in enumerate(again):
                self._progress("repeating unclear injections", number, len(again))
                # The injected pair's own probes are the yardstick, in every attempt.
                await self._window((pair,), [*open_[pair], pair])
            self._progress("repeating unclear injections", len(again), len(again))

    async def _window(self, injected: tuple[Pair, ...], watched: Iterable[Pair] | None = None) -> None:
        """Inject, probe the watched paths (default: all) meanwhile, keep what came back."""
        trains = [asyncio.ensure_future(self._train(pair)) for pair in injected]
        try:
            if trains:
                await asyncio.sleep(self._settings.settle_s)
            delays = await self._probe(watched)
            rates = tuple([await train for train in trains])
        finally:
            for train in trains:
                train.cancel()
            await asyncio.gather(*trains, return_exceptions=True)
        sample = Injection(injected, rates, delays)
        self.samples.injections.append(sample)
        self._sink.injection(sample)

    async def _train(self, pair: Pair) -> float:
        train = commands.Train(peer=pair[1], duration_s=self._settings.injection_s, streams=1)
        return (await self._agents.command(pair[0], train)).rate_bps

    async def _probe(self, watched: Iterable[Pair] | None) -> Floats:
        """(hosts, hosts, probes) one-way delays. One probe serves both directions of two hosts."""
        count, settings = self.samples.count, self._settings
        both = {(min(pair), max(pair)) for pair in watched} if watched is not None else None
        plan: dict[int, list[int]] = {}
        for each in (pair for group in groups(count, lambda p, q: False) for pair in group):
            if both is None or each in both:
                # Alternate who asks, so that every agent has about half of its paths to probe.
                asker, peer = each if sum(each) % 2 else each[::-1]
                plan.setdefault(asker, []).append(peer)
        interval_s = max(settings.injection_s - settings.settle_s - 0.04, 0.02) / settings.probes
        delays = np.full((count, count, settings.probes), np.nan)

        async def ask(order: int, host: int) -> None:
            # Hosts of a lab share few cores: probes that leave all at once would wait for each other.
            await asyncio.sleep(order * interval_s / len(plan))
            probe = commands.Probe(peers=tuple(plan[host]), count=settings.probes, interval_s=interval_s)
            answer = await self._agents.command(host, probe)
            for result in answer.results:
                for source, destination, times_s in (
                    (host, result.peer, result.forward_s[: settings.probes]),
                    (result.peer, host, result.backward_s[: settings.probes]),
                ):
                    delays[source, destination, : len(times_s)] = times_s

        await _all(ask(order, host) for order, host in enumerate(sorted(plan)))
        return delays

    # ---------------------------------------------------------------- latencies

    async def _latencies(self, relation: Sensitivity) -> None:
        settings = self._settings
        schedule = groups(self.samples.count, relation.meets)
        small = tuple(size for size in settings.sizes_B if size <= settings.small_B)
        large = tuple(size for size in settings.sizes_B if size > settings.small_B)
        if small:
            await self._exchange_groups(schedule, small, settings.exchanges, settings.warmup)
        await self._outliers()
        for size, exchanges in self._affordable(schedule, large).items():
            await self._exchange_groups(schedule, (size,), exchanges, min(settings.warmup, 1 + exchanges // 6))

    async def _exchange_groups(
        self, schedule: list[list[Pair]], sizes: tuple[int, ...], exchanges: int, warmup: int
    ) -> None:
        ends = dict.fromkeys(words.size(size).replace(words.NBSP, " ") for size in (min(sizes), max(sizes)))
        what, total, done = f"latency of messages of {' to '.join(ends)}", sum(map(len, schedule)), 0

        async def exchange(pair: Pair, alone: bool) -> None:
            nonlocal done
            await self._exchange(pair, sizes, exchanges, warmup, alone)
            done += 1
            self._progress(what, done, total)

        self._progress(what, 0, total)
        for group in schedule:
            await _all(exchange(pair, len(group) == 1) for pair in group)

    async def _outliers(self) -> None:
        matrix = latency.LatencyMatrix.of(self.samples.exchanges, self.samples.count)
        by_pair: dict[Pair, list[int]] = {}
        for size, pair in matrix.outliers():
            by_pair.setdefault(pair, []).append(size)
        for number, (pair, sizes) in enumerate(by_pair.items()):
            self._progress("repeating outliers, alone", number, len(by_pair))
            await self._exchange(pair, tuple(sizes), self._settings.exchanges, self._settings.warmup, True)
        self._progress("repeating outliers, alone", len(by_pair), len(by_pair))

    async def _exchange(self, pair: Pair, sizes: tuple[int, ...], exchanges: int, warmup: int, alone: bool) -> None:
        # A pair may get a quarter of what it was seen to carry before it counts as stuck.
        timeout_s = 20 + 4 * (exchanges + warmup) * sum(self._expected_s(pair, size) for size in sizes)
        pingpong = commands.Pingpong(
            peer=pair[1], sizes_B=sizes, exchanges=exchanges, warmup=warmup, timeout_s=timeout_s
        )
        answer = await self._agents.command(pair[0], pingpong, timeout_s + 5)
        for result in answer.results:
            sample = Exchanges(
                pair,
                result.size_B,
                np.asarray(result.round_trip_s, dtype=np.float64),
                np.asarray(result.forward_s, dtype=np.float64),
                answer.clock_error_s,
                alone,
            )
            self.samples.exchanges.append(sample)
            self._sink.exchanges(sample)

    def _expected_s(self, pair: Pair, size_B: int) -> float:
        """About what an exchange takes, from the rate that the pair was seen to carry."""
        rates = self.samples.rates_bps()
        return 1e-3 + sum(8 * size_B / rates[each] for each in (pair, pair[::-1]))

    def _affordable(self, schedule: list[list[Pair]], sizes: tuple[int, ...]) -> dict[int, int]:
        """Exchanges for each large size within the budget, shared equally among the sizes."""
        settings = self._settings
        if settings.budget_s is None:
            return dict.fromkeys(sizes, settings.exchanges)
        plan = {}
        for size in sizes:
            one_s = sum(max(self._expected_s(pair, size) for pair in group) for group in schedule)
            affordable = math.floor(settings.budget_s / len(sizes) / one_s * 0.8)
            plan[size] = min(max(affordable, settings.least_exchanges), settings.exchanges)
        return plan


async def _all(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; at the first error the others are cancelled, and that error is raised."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for job in jobs:
                tasks.create_task(job)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from group
