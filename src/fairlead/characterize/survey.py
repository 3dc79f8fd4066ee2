"""Takes the samples of a characterization with the agents of a job.

Order: quiet network and injections as `measurement_plan` has them, and the ping-pongs last, because the relation tells
which pairs can exchange messages at the same time undisturbed.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Coroutine, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from fairlead.characterize import latency
from fairlead.characterize.measurement_plan import ALL_PATHS, MeasurementPlan, MeasurementRound, representatives
from fairlead.characterize.samples import Exchanges, Floats, Ints, Samples, Sink, Window
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.characterize.tournament import Pair, groups, scheduled
from fairlead.display import words
from fairlead.progress import Progress
from fairlead.protocol import commands
from fairlead.protocol.messages import AnswerT, Command

OUTLIERS = "repeating outliers, a few at a time"
OUTLIERS_AT_A_TIME = 3
"""Emulated hosts share processors: among many pairs some wait for others."""


class Commander(Protocol):
    """What is needed of the agents; `fairlead.agents.group.AgentGroup` has it."""

    def __len__(self) -> int: ...
    async def command(self, host_index: int, command: Command[AnswerT], timeout_s: float = ...) -> AnswerT: ...


@dataclass(frozen=True)
class SurveySettings:
    """How thoroughly to measure.

    Attributes:
        sizes_B: message sizes of the latency matrix.
        exchanges, warmup: ping-pongs a pair and size that count, and those before them that do not.
        budget_s: time that sizes above ``small_B`` may take together; they get fewer exchanges, but at least
            ``least_exchanges``, to keep to it. None: no limit.
        injection_s: length of an injection.
        settle_s: from its start to the first probe, while the queue grows.
        probes: probes of each path in a window; of many hosts, of which only some paths are probed, ``few_probes``.
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
    few_probes: int = 3
    idle_windows: int = 6
    repeats: int = 2
    seed: int = 1

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "sizes_B": list(self.sizes_B)}


class Survey:
    """One characterization in the making: call `run`; what was taken so far is in `samples` at any time."""

    def __init__(self, agents: Commander, settings: SurveySettings, sink: Sink, progress: Progress) -> None:
        self._agents = agents
        self._settings = settings
        self._sink = sink
        self._progress = progress
        self.samples = Samples(len(agents))
        self._tournament = [pair for group in groups(len(agents), lambda first, second: False) for pair in group]
        self._rates_bps: Floats

    async def run(self) -> None:
        """Take all samples.

        Raises:
            AgentError: an agent died, refused or did not answer.
            MeasurementError: some pair of hosts cannot reach each other.
        """
        # Addresses are resolved, routes and caches filled: not kept.
        await self._probe(None, self._probes)
        await self._windows()
        assert self.samples.group_of is not None
        self._sink.groups(self.samples.group_of)
        relation = SharedBottlenecks.of(self.samples)
        self._rates_bps = np.nan_to_num(relation.rates_bps, nan=float(np.nanmin(relation.rates_bps)))
        await self._latencies(relation)

    # ---------------------------------------------------------------- which paths share a bottleneck

    async def _windows(self) -> None:
        settings, before = self._settings, None
        plan = MeasurementPlan(
            self.samples, idle_windows=settings.idle_windows, repeats=settings.repeats, seed=settings.seed
        )
        for round_ in plan.rounds():
            if before is not None and before.what != round_.what:
                self._progress(before.what, before.total, before.total)
            self._progress(round_.what, round_.done, round_.total)
            await self._window(round_)
            before = round_
        if before is not None:
            self._progress(before.what, before.total, before.total)

    @property
    def _probes(self) -> int:
        many = self.samples.count > ALL_PATHS
        return self._settings.few_probes if many else self._settings.probes

    async def _window(self, round_: MeasurementRound) -> None:
        """Inject, probe meanwhile, keep what came back."""
        transfers = [asyncio.ensure_future(self._bulk(pair)) for test in round_.tests for pair in test]
        try:
            if transfers:
                await asyncio.sleep(self._settings.settle_s)
            paths, delays = await self._probe(round_.probed, self._probes)
            rates = tuple([await bulk for bulk in transfers])
        finally:
            for bulk in transfers:
                bulk.cancel()
            await asyncio.gather(*transfers, return_exceptions=True)
        sample = Window(round_.tests, rates, paths, delays)
        self.samples.windows.append(sample)
        self._sink.window(sample)

    async def _bulk(self, pair: Pair) -> float:
        bulk = commands.Bulk(peer=pair[1], duration_s=self._settings.injection_s, streams=1)
        return (await self._agents.command(pair[0], bulk)).rate_bps

    async def _probe(self, probed: frozenset[Pair] | None, probes: int) -> tuple[Ints, Floats]:
        """Paths (paths, 2) and their one-way delays (paths, probes). One probe serves both directions of two hosts."""
        settings = self._settings
        plan: dict[int, list[int]] = {}
        pairs = self._tournament if probed is None else sorted(probed)
        often = Counter(host for pair in pairs for host in pair)
        for first, second in pairs:
            # Who has more paths asks, so that paths which are compared are probed at the same moments: queues come and
            # go where processors are busy. Else they alternate, and every agent has about half of its paths to probe.
            asks = (often[first], (first + second) % 2) > (often[second], 0)
            asker, peer = (first, second) if asks else (second, first)
            plan.setdefault(asker, []).append(peer)
        interval_s = max(settings.injection_s - settings.settle_s - 0.04, 0.02) / probes
        paths: list[Pair] = []
        delays: list[Floats] = []

        async def ask(order: int, host: int) -> None:
            # Hosts of a lab share few cores: probes that leave all at once would wait for each other.
            await asyncio.sleep(order * interval_s / len(plan))
            probe = commands.Probe(peers=tuple(plan[host]), count=probes, interval_s=interval_s)
            answer = await self._agents.command(host, probe)
            for result in answer.results:
                for path, times_s in (
                    ((host, result.peer), result.forward_s[:probes]),
                    ((result.peer, host), result.backward_s[:probes]),
                ):
                    paths.append(path)
                    delays.append(np.array([*times_s, *(np.nan,) * (probes - len(times_s))]))

        await _all(ask(order, host) for order, host in enumerate(sorted(plan)))
        return np.array(paths, dtype=np.int64), np.stack(delays)

    # ---------------------------------------------------------------- latencies

    async def _latencies(self, relation: SharedBottlenecks) -> None:
        settings = self._settings
        schedule = scheduled(self._exchanging(relation), relation.meets)
        small = tuple(size for size in settings.sizes_B if size <= settings.small_B)
        large = tuple(size for size in settings.sizes_B if size > settings.small_B)
        if small:
            await self._exchange_groups(schedule, small, settings.exchanges, settings.warmup)
        await self._outliers(relation)
        for size, exchanges in self._affordable(schedule, large).items():
            await self._exchange_groups(schedule, (size,), exchanges, min(settings.warmup, 1 + exchanges // 6))

    def _exchanging(self, relation: SharedBottlenecks) -> list[Pair]:
        """The pairs whose latency is measured: all, or of many hosts one of each two groups, and each host within
        its own."""
        if self.samples.count <= ALL_PATHS:
            return self._tournament
        return representatives(relation.groups, self._settings.seed)

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

    async def _outliers(self, relation: SharedBottlenecks) -> None:
        matrix = latency.LatencyMatrix.of(self.samples.exchanges, self.samples.count)
        by_pair: dict[Pair, list[int]] = {}
        for size, pair in matrix.outliers():
            by_pair.setdefault(pair, []).append(size)
        settings, done = self._settings, 0
        for group in scheduled(by_pair, relation.meets):
            for first in range(0, len(group), OUTLIERS_AT_A_TIME):
                pairs = group[first : first + OUTLIERS_AT_A_TIME]
                self._progress(OUTLIERS, done, len(by_pair))
                await _all(
                    self._exchange(pair, tuple(by_pair[pair]), settings.exchanges, settings.warmup, len(pairs) == 1)
                    for pair in pairs
                )
                done += len(pairs)
        self._progress(OUTLIERS, len(by_pair), len(by_pair))

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
        return 1e-3 + sum(8 * size_B / self._rates_bps[each] for each in (pair, pair[::-1]))

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
