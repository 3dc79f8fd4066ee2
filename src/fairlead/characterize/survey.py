"""Takes the samples of a characterization with the agents of a job.

Order: quiet network and injections as `measurement_plan` has them, and the ping-pongs last, because the relation tells
which pairs can exchange messages at the same time undisturbed. Within a budget of time what is worth most comes first:
groups of hosts, one pair for each two of them with its latencies, what refines these, the reverse directions, links
behind the first bottlenecks, large messages.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from fairlead.characterize import latency
from fairlead.characterize.budget import WINDOW_S, BudgetSpent, Deadline
from fairlead.characterize.clocks import with_clocks_of
from fairlead.characterize.left_out import Part, exchanged, left_out, standing_for_others, to_exchange
from fairlead.characterize.measurement_plan import ALL_PATHS, MeasurementPlan, MeasurementRound
from fairlead.characterize.samples import Exchanges, Floats, Ints, Samples, Sink, Window
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.characterize.tournament import Pair, scheduled, tournament_rounds
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
        budget_s: time that all may take together: nothing begins that would not end in it. None: no limit.
        large_s: time that sizes above ``small_B`` may take together; they get fewer exchanges, but at least
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
    budget_s: float | None = None
    large_s: float | None = 60.0
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
    """One characterization in the making: call `run`; what was taken so far is in `samples` at any time.

    Args:
        earlier: samples of the same hosts that it continues: what they have is not measured again.

    Attributes:
        left_out: what there was no time for.
    """

    def __init__(
        self,
        agents: Commander,
        settings: SurveySettings,
        sink: Sink,
        progress: Progress,
        earlier: Samples | None = None,
    ) -> None:
        self._agents = agents
        self._settings = settings
        self._sink = sink
        self._progress = progress
        earlier = earlier or Samples(len(agents))
        self._earlier = earlier.windows  # as long as they are not in `samples`
        self.samples = Samples(len(agents), list(earlier.exchanges), group_of=earlier.group_of, names=earlier.names)
        self.left_out: tuple[Part, ...] = ()
        self._tournament = [pair for round_ in tournament_rounds(len(agents)) for pair in round_]
        self._plan = MeasurementPlan(
            self.samples, idle_windows=settings.idle_windows, repeats=settings.repeats, seed=settings.seed
        )
        self._deadline: Deadline
        self._window_s = WINDOW_S  # the last one took it
        self._stored = earlier.group_of
        self._rates_bps: Floats

    async def run(self) -> None:
        """Take all samples, or those that there is time for.

        Raises:
            AgentError: an agent died, refused or did not answer.
            MeasurementError: some pair of hosts cannot reach each other.
        """
        self._deadline = Deadline(self._settings.budget_s, self._progress)
        try:
            # Addresses are resolved, routes and caches filled: not kept.
            await self._probe(None, self._probes)
            await self._windows(self._plan.quiet_rounds())
            self._take_in_earlier()
            await (self._everything() if self._settings.budget_s is None else self._in_order_of_worth())
        except BudgetSpent:
            self._take_in_earlier()
            self._plan.settle()
            self._store_groups()
            self.left_out = left_out(self.samples, self._settings.sizes_B, self._settings.seed)
        self._deadline.over()

    def _take_in_earlier(self) -> None:
        """Windows from before, once those without traffic show by which clocks they are."""
        now = self.samples.windows
        self.samples.windows = [*with_clocks_of(now, self._earlier, self.samples.count), *now]
        self._earlier = []

    def _store_groups(self) -> None:
        group_of = self.samples.group_of
        if group_of is not None and not np.array_equal(group_of, [] if self._stored is None else self._stored):
            self._sink.groups(group_of)
            self._stored = group_of

    async def _everything(self) -> None:
        await self._windows(self._plan.rounds_after_quiet())
        relation = self._relation()
        pairs = to_exchange(self.samples, self._settings.seed)
        await self._exchange_small(relation, pairs)
        await self._outliers(relation)
        await self._exchange_large(relation, pairs)

    async def _in_order_of_worth(self) -> None:
        seed = self._settings.seed
        await self._windows(self._plan.first_rounds())
        await self._exchange_small(self._relation(), standing_for_others(self.samples, seed, few=True))
        await self._windows(self._plan.refining_rounds())
        relation = self._relation()
        await self._exchange_small(relation, to_exchange(self.samples, seed))
        await self._outliers(relation)
        await self._windows(self._plan.reverse_rounds())
        await self._windows(self._plan.meeting_rounds())
        await self._exchange_large(self._relation(), to_exchange(self.samples, seed))

    # ---------------------------------------------------------------- which paths share a bottleneck

    async def _windows(self, rounds: Iterator[MeasurementRound]) -> None:
        before = None
        for round_ in rounds:
            if before is not None and before.what != round_.what:
                self._progress(before.what, before.total, before.total)
            self._progress(round_.what, round_.done, round_.total)
            self._deadline.require(max(self._window_s, self._settings.injection_s))
            begun_s = asyncio.get_running_loop().time()
            await self._window(round_)
            self._window_s = asyncio.get_running_loop().time() - begun_s
            before = round_
        if before is not None:
            self._progress(before.what, before.total, before.total)
        self._store_groups()

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

    def _relation(self) -> SharedBottlenecks:
        """By what was seen so far."""
        relation = SharedBottlenecks.of(self.samples)
        known_bps = relation.rates_bps[np.isfinite(relation.rates_bps)]
        if not known_bps.size:
            known_bps = np.array([rate for window in self.samples.windows for rate in window.rates_bps])
        self._rates_bps = np.nan_to_num(relation.rates_bps, nan=float(known_bps.min()))
        return relation

    @property
    def _small(self) -> tuple[int, ...]:
        return tuple(size for size in self._settings.sizes_B if size <= self._settings.small_B)

    def _schedule(self, relation: SharedBottlenecks, pairs: list[Pair], sizes: tuple[int, ...]) -> list[list[Pair]]:
        """Those that have not exchanged all of these sizes yet."""
        measured, wanted = exchanged(self.samples), set(sizes)
        return scheduled([pair for pair in pairs if not wanted <= measured.get(pair, set())], relation.meets)

    async def _exchange_small(self, relation: SharedBottlenecks, pairs: list[Pair]) -> None:
        settings = self._settings
        schedule = self._schedule(relation, pairs, self._small)
        if schedule:
            await self._exchange_groups(schedule, self._small, settings.exchanges, settings.warmup)

    async def _exchange_large(self, relation: SharedBottlenecks, pairs: list[Pair]) -> None:
        sizes = tuple(size for size in self._settings.sizes_B if size > self._settings.small_B)
        schedules = {size: self._schedule(relation, pairs, (size,)) for size in sizes}
        for size, exchanges in self._affordable(schedules).items():
            warmup = min(self._settings.warmup, 1 + exchanges // 6)
            await self._exchange_groups(schedules[size], (size,), exchanges, warmup)

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
            self._deadline.require(max(self._exchanges_s(pair, sizes, exchanges + warmup) for pair in group))
            await _all(exchange(pair, len(group) == 1) for pair in group)

    async def _outliers(self, relation: SharedBottlenecks) -> None:
        """Those of small messages, once: a pair that is slower than the others stays slower."""
        matrix = latency.LatencyMatrix.of(self.samples.exchanges, self.samples.count)
        often = Counter((each.size_B, each.pair) for each in self.samples.exchanges)
        by_pair: dict[Pair, list[int]] = {}
        for size, pair in matrix.outliers():
            if size <= self._settings.small_B and often[size, pair] < 2:
                by_pair.setdefault(pair, []).append(size)
        settings, done = self._settings, 0
        for group in scheduled(by_pair, relation.meets):
            for first in range(0, len(group), OUTLIERS_AT_A_TIME):
                pairs = group[first : first + OUTLIERS_AT_A_TIME]
                self._progress(OUTLIERS, done, len(by_pair))
                number = settings.exchanges + settings.warmup
                self._deadline.require(max(self._exchanges_s(pair, tuple(by_pair[pair]), number) for pair in pairs))
                await _all(
                    self._exchange(pair, tuple(by_pair[pair]), settings.exchanges, settings.warmup, len(pairs) == 1)
                    for pair in pairs
                )
                done += len(pairs)
        self._progress(OUTLIERS, len(by_pair), len(by_pair))

    async def _exchange(self, pair: Pair, sizes: tuple[int, ...], exchanges: int, warmup: int, alone: bool) -> None:
        # A pair may get a quarter of what it was seen to carry before it counts as stuck.
        timeout_s = 20 + 4 * self._exchanges_s(pair, sizes, exchanges + warmup)
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

    def _exchanges_s(self, pair: Pair, sizes: tuple[int, ...], number: int) -> float:
        return number * sum(self._expected_s(pair, size) for size in sizes)

    def _affordable(self, schedules: dict[int, list[list[Pair]]]) -> dict[int, int]:
        """Exchanges for each large size within the time for them, shared equally among the sizes."""
        settings = self._settings
        time_s = min(math.inf if settings.large_s is None else settings.large_s, self._deadline.left_s)
        sizes = [size for size, schedule in schedules.items() if schedule]
        if math.isinf(time_s):
            return dict.fromkeys(sizes, settings.exchanges)
        plan = {}
        for size in sizes:
            one_s = sum(max(self._expected_s(pair, size) for pair in group) for group in schedules[size])
            affordable = math.floor(time_s / len(sizes) / one_s * 0.8)
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
