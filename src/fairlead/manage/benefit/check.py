"""Compares the program's traffic with and without reroutes while it runs, and suspends reroutes that slow it down."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Self

from fairlead.agents.agent import EventCallback
from fairlead.agents.agent_thread import AgentThread
from fairlead.display import words
from fairlead.errors import AgentError
from fairlead.manage.benefit.judgement import Comparison, Judgement, Verdict
from fairlead.protocol import commands, events
from fairlead.protocol.enums import BenefitAction
from fairlead.protocol.messages import AgentEvent

FIRST_S = 20.0
"""From the first reroute to the first comparison: short programs are left alone."""
SETTLE_S = 0.3
"""From the beginning of a pause until it is measured: queues fill, windows adapt."""
RETURN_S = 1.0
"""From its end until traffic is measured again: agents search anew."""
ANSWER_S = 2.0
"""Agents that have not answered by then do not: the end of the program must not wait for them."""
SPARE_S = 10.0
"""A pause ends by itself so long after it should have been ended."""


@dataclass(frozen=True)
class _Look:
    """All hosts at one moment: bytes delivered so far by host, pairs rerouted, and when."""

    delivered_B: dict[int, int]
    detours: int
    t_s: float


class _GapError(Exception):
    """An agent did not answer, or was started again: there is nothing to compare."""


class BenefitCheck:
    """A context manager around the program's run, and a receiver of the agents' events.

    What it finds and does is reported as events `Benefit` of host 0. Whatever fails, the program is not concerned: a
    pause that is not ended ends by itself.

    Args:
        hosts: number of agents.
        report: takes events, from a thread of this object's own.
        random: draws when to compare.
    """

    def __init__(self, agents: AgentThread, hosts: int, report: EventCallback, random: Random | None = None) -> None:
        self._agents = agents
        self._hosts = range(hosts)
        self._report = report
        self._judgement = Judgement(random or Random())
        self._over = threading.Event()
        self._rerouted = threading.Event()  # since the last comparison
        self._restarted: set[int] = set()  # agents that may not know of the pause
        self._thread = threading.Thread(target=self._main, name="benefit", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._thread.join()

    def end(self) -> None:
        """The program has ended."""
        self._over.set()
        self._rerouted.set()

    def __call__(self, host: int, event: AgentEvent) -> None:
        """An agent's event, in the events' thread."""
        if isinstance(event, events.Rerouted) and not (event.manual or event.again):
            self._rerouted.set()
        if isinstance(event, events.Restarted):
            self._restarted.add(host)

    def summary(self) -> str | None:
        """What reroutes gave, in words; None where nothing was compared."""
        judged = self._judgement
        if not judged.comparisons:
            return None
        interval = judged.interval()
        range_ = f", {interval[0]:.2f} to {interval[1]:.2f} at 90 %" if interval is not None else ""
        return (
            f"with reroutes the program's traffic moved {judged.ratio():.2f} times as fast as without "
            f"({words.count(judged.comparisons, 'comparison')}{range_})"
        )

    def _main(self) -> None:
        self._rerouted.wait()
        wait_s = FIRST_S
        while not self._over.wait(wait_s):
            if not self._rerouted.is_set():
                # Where nothing is rerouted there is nothing to compare. When something is, congestion has just begun:
                # with it the first half of a comparison would differ from the second.
                self._rerouted.wait()
                continue
            try:
                self._check()
            except AgentError:  # they were stopped
                return
            wait_s = self._judgement.wait_s()

    def _check(self) -> None:
        try:
            comparison = self._compare(self._judgement.window_s())
        except _GapError:
            return
        if comparison is None:
            return
        self._judgement.add(comparison)
        self._tell(BenefitAction.COMPARED, self.summary() or "", comparison)
        if self._judgement.verdict() == Verdict.HARMS:
            self._suspend()

    def _compare(self, window_s: float) -> Comparison | None:
        """Traffic before, during and after a pause; None where the program ended or sent nothing.

        Raises:
            _GapError: see there.
            AgentError: the agents were stopped.
        """
        self._rerouted.clear()
        try:
            begin = self._look()
        except _GapError:
            self._rerouted.set()  # whether any last nobody said: look again
            raise
        if begin.detours:
            self._rerouted.set()  # they last: compare again
        self._over.wait(window_s)
        before = self._look()
        try:
            self._pause(2 * window_s + SETTLE_S + SPARE_S)
            self._over.wait(SETTLE_S)
            paused = self._look()
            self._over.wait(window_s)
            end = self._look()
        finally:
            self._pause(0.0)
        self._over.wait(RETURN_S)
        again = self._look()
        self._over.wait(window_s)
        after = self._look()
        if self._over.is_set():
            return None
        with_bps = (_rate_bps(begin, before) + _rate_bps(again, after)) / 2
        without_bps = _rate_bps(paused, end)
        if without_bps <= 0.0 < with_bps:
            self._judgement.stalled(again.t_s - before.t_s)
        if with_bps <= 0.0 or without_bps <= 0.0:
            return None
        return Comparison(with_bps, without_bps, again.t_s - before.t_s)

    def _suspend(self) -> None:
        said = self.summary()
        for_s = self._judgement.suspend()
        until_s = time.monotonic() + for_s
        self._pause(for_s)
        self._tell(BenefitAction.SUSPENDED, f"reroutes slow the program, so there are none for {for_s:.0f} s: {said}")
        while not self._over.wait(min(1.0, max(0.0, until_s - time.monotonic()))):
            left_s = until_s - time.monotonic()
            if left_s <= 0.0:
                self._tell(BenefitAction.RESUMED, "traffic is rerouted again where paths are congested")
                return
            if self._restarted:
                self._pause(left_s, [self._restarted.pop()])

    def _look(self) -> _Look:
        answers = self._agents.command_each({host: commands.Progress() for host in self._hosts}, ANSWER_S)
        found = {host: answer for host, answer in answers.items() if not isinstance(answer, BaseException)}
        if len(found) < len(self._hosts):
            raise _GapError
        delivered_B = {host: answer.delivered_B for host, answer in found.items()}
        return _Look(delivered_B, sum(answer.detours for answer in found.values()), time.monotonic())

    def _pause(self, for_s: float, hosts: Iterable[int] | None = None) -> None:
        """An agent that does not answer is dead, or goes on by itself: the others are paused all the same."""
        self._agents.command_each({host: commands.Pause(for_s=for_s) for host in hosts or self._hosts}, ANSWER_S)

    def _tell(self, action: BenefitAction, reason: str, comparison: Comparison | None = None) -> None:
        if comparison is None:
            self._report(0, events.Benefit(t_s=time.time(), action=action, reason=reason))
            return
        judged = self._judgement
        low, high = judged.interval() or (None, None)
        self._report(
            0,
            events.Benefit(
                t_s=time.time(),
                action=action,
                reason=reason,
                with_bps=comparison.with_bps,
                without_bps=comparison.without_bps,
                ratio=judged.ratio(),
                low=low,
                high=high,
                comparisons=judged.comparisons,
            ),
        )


def _rate_bps(first: _Look, second: _Look) -> float:
    grown_B = [second.delivered_B[host] - before_B for host, before_B in first.delivered_B.items()]
    if min(grown_B) < 0:
        raise _GapError
    return 8.0 * sum(grown_B) / (second.t_s - first.t_s)
