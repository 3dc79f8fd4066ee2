"""Tells on the terminal what the agents saw and did, a line an event, beside the program's own output."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

import click

from fairlead.display import words
from fairlead.protocol import enums, events, reasons
from fairlead.protocol.messages import AgentEvent

ARROW = "→"
MOST_NAMED = 3  # of the job's pairs on a bottleneck
MOST_ALIKE, ALIKE_WITHIN_S = 8, 5.0
"""Lines of one kind about pairs within so long; more are counted. One full link has many pairs of a large job."""
MORE = {
    events.LevelChanged.TYPE: ("path is congested", "paths are congested"),
    events.Rerouted.TYPE: ("pair was rerouted", "pairs were rerouted"),
    events.Restored.TYPE: ("pair is back on its direct path", "pairs are back on their direct paths"),
    events.Kept.TYPE: ("pair was not rerouted", "pairs were not rerouted"),
}


def pair(names: Sequence[str], source: int, destination: int) -> str:
    """How a directed host pair is written everywhere: ``h0→h4``."""
    return f"{names[source]}{ARROW}{names[destination]}"


def pair_from(names: Sequence[str], source: int) -> str:
    """What every pair from this host begins with: ``h0→``."""
    return f"{names[source]}{ARROW}"


def sentence(names: Sequence[str], host: int, event: AgentEvent) -> str | None:
    """What an event says in words; None for those that only a record is made of."""
    match event:
        case events.LevelChanged() | events.Rerouted() | events.Restored() | events.Kept():
            return f"{pair(names, event.source, event.destination)} {_of_pair(names, event)}"
        case events.Migration():
            return _of_migration(event)
        case events.Mitigation():
            return event.reason
        case events.Benefit() if (
            event.action != enums.BenefitAction.COMPARED
        ):  # what they say together is told at the end
            return event.reason
        case events.Died() | events.NotStarted() | events.Restarted() | events.GivenUp():
            return f"the agent of {names[host]} {_of_life(event)}"
        case events.Rejected():
            return f"{names[host]} rejected {event.count} datagrams that are not from this job"
        case events.Port():
            taken = ", ".join(map(str, event.taken))
            return f"{names[host]}: port {taken} is in use there; its agent listens on {event.port}"
        case events.PlaneLost():
            return f"{names[host]} can no longer reroute traffic: {event.reason}"
        case events.PlaneCleaned():
            return f"{names[host]}: removed what its guardian left behind ({words.count(len(event.removed), 'item')})"
        case events.Error():
            return f"{names[host]}: {event.reason}"
        case events.Log(level=enums.LogLevel.ERROR):
            return f"{names[host]}: {event.text}"
    return None


def _of_pair(
    names: Sequence[str],
    event: events.LevelChanged[int] | events.Rerouted[int] | events.Restored[int] | events.Kept[int],
) -> str:
    match event:
        case events.LevelChanged():
            level = (
                "is congested"
                if event.congestion_level == enums.CongestionLevel.HIGH
                else f"has {event.congestion_level} congestion"
            )
            return f"{level}: {event.queue_delay_s * 1e3:.1f} ms of queueing delay"
        case events.Rerouted():
            over = words.carrier(names[event.relay], names[event.destination])
            return f"rerouted over {over}: {event.reason}{_sharing(names, event)}"
        case events.Restored():
            return f"back on its direct path: {reasons.describe(event.reason)}"
        case events.Kept():
            return f"not rerouted: {reasons.describe(event.reason)}"


def _of_life(
    event: events.Died[int] | events.NotStarted[int] | events.Restarted[int] | events.GivenUp[int],
) -> str:
    match event:
        case events.Died():
            return f"died; its traffic takes the direct paths: {event.reason}"
        case events.NotStarted():
            return f"did not start; the run continues without it, and fairlead retries: {event.reason}"
        case events.Restarted():
            but = f", but it cannot reroute traffic: {event.plane_reason}" if event.plane == "none" else ""
            return f"is running again{but}"
        case events.GivenUp():
            return f"still does not start; retrying once a minute: {event.reason}"


def _sharing(names: Sequence[str], event: events.Rerouted[int]) -> str:
    """The job's other pairs that were on the bottleneck, for example "; h1→h3, h4→h3 and 2 more share it"."""
    left = event.source, event.destination
    flows = ((flow.source, flow.destination) for flow in event.flows)
    paths = [pair(names, *flow) for flow in flows if flow != left]
    if not paths:
        return ""
    shown = paths[:MOST_NAMED]
    more = f" and {len(paths) - len(shown)} more" if len(paths) > len(shown) else ""
    return f"; {', '.join(shown)}{more} {'shares' if len(paths) == 1 else 'share'} the bottleneck"


def _of_migration(event: events.Migration[int]) -> str:
    vm, server, target, why = event.vm, event.server, event.to, event.reason
    actions = enums.MigrationAction
    return {
        actions.STAYS: f"no migration: {why}",
        actions.WOULD: f"dry run: {vm} would be migrated from {server} to {target}: {why}",
        actions.BEGINS: f"{vm} is being migrated from {server} to {target}: {why}",
        actions.MOVED: f"{vm} was migrated from {server} to {target} {why}",
        actions.REFUSED: f"{target} does not take {vm}: {why}",
        # Where it is now stands in the reason, as far as that is known.
        actions.FAILED: f"the migration of {vm} from {server} to {target} failed: {why}",
        actions.UNKNOWN: f"whether {vm} moves from {server} to {target} is not known: {why}",
        actions.FOUND: f"{vm} was moved {why}",
        actions.SHARES: f"since then {why}",
        actions.BLIND: f"nothing can be migrated now: {why}",
    }[event.action]


@dataclass
class _Alike:
    """Lines of one kind: since when they are counted, and how many were told and left out."""

    begin_s: float = -math.inf
    told: int = 0
    left_out: int = 0


class Narrator:
    """Writes sentences with the time since the program's start, as reports have it. In colour only on a terminal.

    What an agent saw has the agent's time, which may be a moment before the line is written.

    A direct path changes its level many times while congestion lasts. Only its turn to high is told, and only while the
    program's traffic is on it; the record has every change. Of many pairs at the same time some are told, and how many
    more there are. That all detours end with the program goes
    without saying, and so do the pauses in which a run compares. Advice is told once.
    """

    def __init__(
        self,
        names: Sequence[str],
        stream: TextIO,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._names = names
        self._stream = stream
        self._quiet = quiet
        self._clock = clock
        self._started_s: float | None = None  # seconds since the epoch
        self._away: set[tuple[int, int]] = set()
        self._program_ended = False
        self._advised = False
        self._alike = {kind: _Alike() for kind in MORE}

    def program_started(self, started_s: float) -> None:
        """From now on lines have the time since ``started_s``, seconds since the epoch."""
        self._started_s = started_s
        self.say("program started; times here and in the report are seconds since then", started_s)

    def program_ended(self) -> None:
        """From now on agents stop one after another, and take each other's detours along."""
        for kind in MORE:
            self._tell_left_out(kind)
        self._program_ended = True

    def say(self, text: str, at_s: float | None = None) -> None:
        """Write one line of our own. Where the terminal is gone nobody listens, and the run is not concerned.

        Args:
            at_s: when it was so, seconds since the epoch; None: now.
        """
        if self._quiet:
            return
        when = ""
        if self._started_s is not None:
            when = f" {(time.time() if at_s is None else at_s) - self._started_s:7.2f} s "
        with suppress(OSError):
            click.secho(f"fairlead{when or ':'} {text}", fg="cyan", file=self._stream)

    def __call__(self, host: int, event: AgentEvent) -> None:
        text = sentence(self._names, host, event)
        if text and self._worth_telling(host, event) and not self._left_out(event):
            self.say(text, event.t_s)

    def _left_out(self, event: AgentEvent) -> bool:
        """Whether there were enough of its kind; how many more there were is told with the first one after them."""
        alike = self._alike.get(event.TYPE)
        if alike is None:
            return False
        at_s = self._clock()  # that of a host may differ from others'
        if at_s - alike.begin_s >= ALIKE_WITHIN_S:
            self._tell_left_out(event.TYPE)
            alike.begin_s, alike.told = at_s, 0
        alike.told += 1
        alike.left_out += alike.told > MOST_ALIKE
        return alike.told > MOST_ALIKE

    def _tell_left_out(self, kind: str) -> None:
        alike = self._alike[kind]
        if alike.left_out:
            self.say(f"{alike.left_out} more {MORE[kind][alike.left_out > 1]}; the record names them")
            alike.left_out = 0

    def _worth_telling(self, host: int, event: AgentEvent) -> bool:
        match event:
            case events.Mitigation():
                first, self._advised = not self._advised, True
                return first
            case events.Kept():
                return event.reason.partition(":")[0] not in reasons.ORDINARY
            case events.Died():
                self._away = {path for path in self._away if path[0] != host}
            case events.LevelChanged():
                return (
                    event.congestion_level == enums.CongestionLevel.HIGH
                    and (event.source, event.destination) not in self._away
                )
            case events.Rerouted() if event.again:
                return False
            case events.Restored() if event.reason == reasons.PAUSED:
                return False
            case events.Rerouted():
                self._away.add((event.source, event.destination))
            case events.Restored() if self._goes_without_saying(event.reason):
                return False
            case events.Restored():
                self._away.discard((event.source, event.destination))
        return True

    def _goes_without_saying(self, reason: str) -> bool:
        """The end of a detour with the program. An agent that stops in the middle of a run is another matter."""
        return reason in reasons.PROGRAM_ENDED and (self._program_ended or reason != reasons.PEER_STOPPED)
