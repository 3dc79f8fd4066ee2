"""Removes, while the run goes on, what a guardian that was killed left in its host's kernel, and has it replaced."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, repeat
from typing import Any, Self

from fairlead.agents.agent import EventCallback
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.cluster.remote.execute import Calls, part_of
from fairlead.errors import AgentError, FairleadError, SilentHostError
from fairlead.protocol import events, reading
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.objects import RemovedItem

PATIENCE_S = 1.0  # agents tell each other at once; who did not hear it misses echoes for this long
AGAIN_S = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Pauses before a host that could not be cleaned is tried again; the last one until the run is over."""
WHY = "its guardian is gone, and it starts again with a new one"
LAST_S = 10.0  # for the last try at all hosts, where somebody wants the end
AT_ONCE = 64  # hosts that are cleaned or waited for


class LostPlanes:
    """Looks at the agents' events and cleans the hosts whose guardian is gone. A context manager.

    What the guardian left still serves detours over the host and to it. They return first, as far as they do in time.
    Its own detours are watched by nobody any more, and would lead nowhere once the run is over: a host that cannot be
    cleaned is tried again and again. One whose agent died is looked at when the run is over: its guardian withdraws by
    itself, unless it died too.

    An agent that has no guardian any more would leave its host's traffic on congested paths, and has no privilege to
    start another guardian: a new agent takes its place, once the host is clean.

    Args:
        clean: removes what the dead left of this job on a host, by index; returns what was removed.
        report: takes (host index, event) with what came of it, in threads of ours: it must not wait.
        patience_s: how long detours over a host and to it are waited for.
        again_s: pauses before a host is tried again.
        limit: of the end of which the last try is a part.
        given_up: told of a host that does not answer at the end; whether somebody else tells the user.
    """

    def __init__(
        self,
        clean: Callable[[int], list[Any]],
        report: EventCallback,
        patience_s: float = PATIENCE_S,
        again_s: Sequence[float] = AGAIN_S,
        limit: EndLimit | None = None,
        given_up: Callable[[int], bool] = lambda host: False,
    ) -> None:
        self._clean = clean
        self._report = report
        self._patience_s = patience_s
        self._again_s = again_s
        self._detours: dict[tuple[int, int], int] = {}  # (source, destination) -> relay
        self._returned = threading.Condition()
        self._bereaved: set[int] = set()
        self._without: set[int] = set()  # hosts whose agent goes on without a guardian
        self._renew: Callable[[int, str], None] | None = None
        self._owed: set[int] = set()  # hosts that were clean before agents could be renewed
        self._limit = limit or EndLimit()
        self._given_up = given_up
        self._calls = Calls()
        self._over = threading.Event()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="lost-planes")

    def renew_by(self, renew: Callable[[int, str], None]) -> None:
        """Have this done, in threads of ours, to the agents of hosts that are clean again: (host index, why).

        Those that are so already, while others' agents are still being started, are among them.
        """
        with self._returned:
            self._renew = renew
            owed, self._owed = self._owed, set()
        for host in owed:
            self._pool.submit(self._renew_agent, host)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with self._returned:  # where agents could not be started, what they said may still be handed on
            bereaved = list(self._bereaved)
        for host in bereaved:
            self._pool.submit(self._remove, host)
        late: threading.Timer | None = None
        if self._limit.begun:
            late = threading.Timer(self._limit.left_s(LAST_S), self._calls.give_up)
            late.daemon = True
            late.start()
        try:
            self._pool.shutdown()
        except BaseException:  # Ctrl-C: the interpreter, too, would wait for hosts that do not answer
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._calls.give_up()
            raise
        finally:
            if late is not None:
                late.cancel()

    def __call__(self, host: int, event: AgentEvent) -> None:
        if isinstance(event, events.PlaneLost):
            self._without.add(host)
            self._pool.submit(self._remove_when_unused, host)
        else:
            with self._returned:
                self._note(host, event)
                self._returned.notify_all()

    def _note(self, host: int, event: AgentEvent) -> None:
        match event:
            case events.Died() | events.NotStarted():
                self._bereaved.add(host)
                self._without.discard(host)
                for pair in [pair for pair in self._detours if pair[0] == host]:
                    del self._detours[pair]
            case events.Rerouted():
                self._detours[event.source, event.destination] = event.relay
            case events.Restored():
                self._detours.pop((event.source, event.destination), None)

    def _unused(self, host: int) -> bool:
        return not any(host in (*pair, relay) for pair, relay in self._detours.items())

    def _remove_when_unused(self, host: int) -> None:
        with self._returned:
            self._returned.wait_for(lambda: self._unused(host), self._patience_s)
        if self._remove(host):
            self._renew_agent(host)

    def _renew_agent(self, host: int) -> None:
        with self._returned:
            renew = self._renew
            if renew is None:
                self._owed.add(host)
        if renew is not None and host in self._without:
            with suppress(AgentError):  # the run is over
                renew(host, WHY)

    def _remove(self, host: int) -> bool:
        """Until it is done, or was tried once more at the end of the run. The first and the last failure are told.

        Returns:
            Whether it was done.
        """
        pauses_s = chain(self._again_s, repeat(self._again_s[-1]))
        for attempt, pause_s in enumerate(pauses_s):
            over = self._over.is_set()
            problem = self._problem_of_removing(host)
            if problem is None:
                return True
            if over and isinstance(problem, SilentHostError) and self._given_up(host):
                break
            if over or not (attempt or self._over.is_set()):
                when = " after the run (`fairlead clean` removes it)" if over else ""
                why = str(problem) if isinstance(problem, FairleadError) else repr(problem)
                self._report(host, events.Error(reason=f"what its guardian left is still there{when}: {why}"))
            if over:
                break
            self._over.wait(pause_s)
        return False

    def _problem_of_removing(self, host: int) -> Exception | None:
        try:
            with part_of(self._calls):
                removed = self._clean(host)
        except Exception as error:  # noqa: BLE001  # nobody else looks at what this thread raises
            return error
        if removed:
            try:
                items = [RemovedItem.read(reading.line_fields(each, "what the guardian removed")) for each in removed]
            except ValueError as error:
                self._report(host, events.Error(reason=f"removed what its guardian left, but {error}: {removed}"))
            else:
                self._report(host, events.PlaneCleaned(removed=tuple(items)))
        return None
