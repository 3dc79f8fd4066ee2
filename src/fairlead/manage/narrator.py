"""Tells on the terminal what the agents saw and did, a line an event, beside the program's own output."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

import click

from fairlead.agents.agent import Message
from fairlead.manage import reasons

ARROW = "→"
MOST_NAMED = 3  # of the job's pairs on a bottleneck


def pair(names: Sequence[str], source: int, destination: int) -> str:
    """How a directed host pair is written everywhere: ``h0→h4``."""
    return f"{names[source]}{ARROW}{names[destination]}"


def pair_from(names: Sequence[str], source: int) -> str:
    """What every pair from this host begins with: ``h0→``."""
    return f"{names[source]}{ARROW}"


def sentence(names: Sequence[str], host: int, event: Message) -> str | None:
    """What an event says in words; None for those that only a record is made of."""
    kind = event["type"]
    if kind in ("zone", "moved", "returned", "stayed"):
        path = pair(names, event.get("source", host), event["destination"])
        return {
            "zone": lambda: f"{path} {_congestion(event)}",
            "moved": lambda: f"{path} rerouted over {names[event['relay']]}: {event['reason']}{_sharing(names, event)}",
            "returned": lambda: f"{path} back on its direct path: {reasons.in_words(event['reason'])}",
            "stayed": lambda: f"{path} not rerouted: {reasons.in_words(event['reason'])}",
        }[kind]()
    if kind == "migration":
        return _of_migration(event)
    if kind == "died":
        return f"the agent of {names[host]} died; its traffic takes the direct paths: {event['reason']}"
    if kind == "restarted":
        but = f", but it cannot reroute traffic: {event['plane_reason']}" if event.get("plane") == "none" else ""
        return f"the agent of {names[host]} is running again{but}"
    if kind == "given_up":
        return f"the agent of {names[host]} does not start; retrying once a minute: {event['reason']}"
    if kind == "rejected":
        return f"{names[host]} rejected {event['count']} datagrams that are not from this job"
    if kind == "port":
        taken = ", ".join(map(str, event["taken"]))
        return f"{names[host]}: port {taken} is in use there; its agent listens on {event['port']}"
    if kind == "plane_lost":
        return f"{names[host]} can no longer reroute traffic: {event['reason']}"
    if kind == "plane_cleaned":
        return f"{names[host]}: removed what its guardian left behind ({_items(len(event['removed']))})"
    if kind == "error":
        return f"{names[host]}: {event['reason']}"
    if kind == "log" and event["level"] == "error":
        return f"{names[host]}: {event['text']}"
    return None


def _congestion(event: Message) -> str:
    level = "is congested" if event["zone"] == "high" else f"has {event['zone']} congestion"
    return f"{level}: {event['queue_delay_s'] * 1e3:.1f} ms of queueing delay"


def _items(count: int) -> str:
    return f"{count} {'item' if count == 1 else 'items'}"


def _sharing(names: Sequence[str], event: Message) -> str:
    """The job's other pairs that were on the bottleneck, for example "; h1→h3, h4→h3 and 2 more share it"."""
    left = event.get("source"), event["destination"]
    paths = [pair(names, flow["source"], flow["destination"]) for flow in event.get("flows", [])
             if (flow["source"], flow["destination"]) != left]  # fmt: skip
    if not paths:
        return ""
    shown = paths[:MOST_NAMED]
    more = f" and {len(paths) - len(shown)} more" if len(paths) > len(shown) else ""
    return f"; {', '.join(shown)}{more} {'shares' if len(paths) == 1 else 'share'} the bottleneck"


def _of_migration(event: Message) -> str:
    vm, server, target, why = (event.get(key) for key in ("vm", "server", "to", "reason"))
    return {
        "stays": f"no migration: {why}",
        "would": f"dry run: {vm} would move from {server} to {target}: {why}",
        "begins": f"{vm} begins to move from {server} to {target}: {why}",
        "moved": f"{vm} has moved from {server} to {target} {why}",
        "refused": f"{target} does not take {vm}: {why}",
        # Where it is now stands in the reason, as far as that is known.
        "failed": f"the migration of {vm} from {server} to {target} failed: {why}",
        "unknown": f"whether {vm} moves from {server} to {target} is not known: {why}",
        "found": f"{vm} was moved {why}",
        "shares": f"since then {why}",
        "blind": f"nothing can be migrated now: {why}",
    }[event["action"]]


class Narrator:
    """Writes sentences with the time since the program's start, as reports have it. In colour only on a terminal.

    What an agent saw has the agent's time, which may be a moment before the line is written.

    A direct path changes its zone many times while congestion lasts. Only its turn to high is told, and only while the
    program's traffic is on it; the record has every change. That all detours end with the program goes without saying.
    """

    def __init__(self, names: Sequence[str], stream: TextIO, *, quiet: bool = False) -> None:
        self._names = names
        self._stream = stream
        self._quiet = quiet
        self._started_s: float | None = None  # seconds since the epoch
        self._away: set[tuple[int, int]] = set()
        self._program_ended = False

    def program_started(self, started_s: float) -> None:
        """From now on lines have the time since ``started_s``, seconds since the epoch."""
        self._started_s = started_s
        self.say("program started; times are seconds from here, in the report too", started_s)

    def program_ended(self) -> None:
        """From now on agents stop one after another, and take each other's detours along."""
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

    def __call__(self, host: int, event: Message) -> None:
        text = sentence(self._names, host, event)
        if text and self._worth_telling(host, event):
            self.say(text, event.get("t_s"))

    def _worth_telling(self, host: int, event: Message) -> bool:
        if event["type"] == "stayed":
            return event["reason"].partition(":")[0] not in reasons.ORDINARY
        if event["type"] == "died":
            self._away = {path for path in self._away if path[0] != host}
        if event["type"] not in ("zone", "moved", "returned"):
            return True
        path = (event.get("source", host), event["destination"])
        # An agent that stops in the middle of a run (its lease ran out) is another matter.
        ended = event["reason"] in reasons.PROGRAM_ENDED if event["type"] == "returned" else False
        if ended and (self._program_ended or event["reason"] != reasons.PEER_STOPPED):
            return False
        if event["type"] == "zone":
            return event["zone"] == "high" and path not in self._away
        if event["type"] == "moved":
            self._away.add(path)
        else:
            self._away.discard(path)
        return True
