"""The migration controller at work beside a program: asks the cloud, decides, has machines moved, tells what it did."""

import queue
import threading
import time
from collections.abc import Sequence
from typing import Any, Self

from fairlead.agents.agent import EventCallback
from fairlead.cloud import Driver, Moved
from fairlead.cloud.driver import Migration
from fairlead.cloud.ending import EndUnknownError, end_migration
from fairlead.errors import AgentError, CloudError, FairleadError, MigrationRefusedError
from fairlead.manage.migration.choice import MigrationCandidate
from fairlead.manage.migration.controller import Decision, MigrationController
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.migration.site_lock import SiteLock
from fairlead.protocol import events
from fairlead.protocol.enums import CongestionLevel, MigrationAction
from fairlead.protocol.messages import AgentEvent

PERIOD_S = 0.5
QUIET_S = 2.0
"""Between two questions to the cloud while no path is slow."""
RETRY_S = 5.0
POLL_S = 0.05
ABORT_S = 10.0
LOOK_S = 10.0
"""So long the end of the program waits for a look at the cloud, which may be many questions; for a migration until it
has ended."""
OURS_S = 600.0
"""A machine that gets where an aborted migration was to bring it, within this time, was brought there by that one."""


class Mover:
    """A context manager around the program's run, and a receiver of the agents' events.

    Everything that it does or would do is reported as an event `Migration` of the host concerned. A cloud that fails
    never ends the run.

    Args:
        controller: made when the program starts.
        names: the agents' hosts, in their order.
        probing: measures paths, by the agents.
        sharing: tells the agents what paths share when machines have moved.
        dry_run: only say what would be done.
    """

    def __init__(
        self,
        controller: MigrationController,
        driver: Driver,
        lock: SiteLock,
        names: Sequence[str],
        report: EventCallback,
        probing: Probing,
        sharing: Sharing,
        *,
        dry_run: bool = False,
    ) -> None:
        self._controller = controller
        self._driver = driver
        self._lock = lock
        self._names = list(names)
        self._report = report
        self._probing = probing
        self._sharing = sharing
        self._dry_run = dry_run
        self._events: queue.SimpleQueue[tuple[int, AgentEvent, float]] = queue.SimpleQueue()
        self._over = threading.Event()
        self._migrating = threading.Lock()
        self._blind = False
        self._unknown: dict[str, tuple[str, float]] = {}  # where machines may be on their way to, and since when
        self._asked_s = float("-inf")
        self._thread = threading.Thread(target=self._main, name="migration", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(LOOK_S)
        with self._migrating:  # a look that goes on is left behind, and begins none any more
            return

    def __call__(self, host: int, event: AgentEvent) -> None:
        """An agent's event, in the events' thread."""
        if isinstance(event, events.LevelChanged | events.Restarted):
            self._events.put((host, event, time.monotonic()))

    def _main(self) -> None:
        while not self._over.wait(PERIOD_S):
            try:
                self._look()
            except CloudError as error:
                if self._over.is_set():  # a look that was left behind
                    return
                if not self._blind:
                    self._say(MigrationAction.BLIND, None, str(error))
                self._blind = True
                self._over.wait(RETRY_S)
            except Exception as error:  # noqa: BLE001  # nobody else looks at what this thread raises
                if self._over.is_set() and isinstance(error, AgentError):  # likewise: the agents have ended meanwhile
                    return
                what = error if isinstance(error, FairleadError) else repr(error)
                self._say(MigrationAction.BLIND, None, f"no further migrations are decided: {what}")
                return

    def _look(self) -> None:
        while not self._events.empty():
            host, event, t_s = self._events.get()
            if isinstance(event, events.LevelChanged):
                source, destination = self._names[event.source], self._names[event.destination]
                self._controller.level(source, destination, event.congestion_level, t_s)
            else:
                self._sharing.forget(host)
        if not self._survey() and time.monotonic() < self._asked_s + QUIET_S:
            return
        self._asked_s = time.monotonic()
        inventory = self._driver.inventory()
        self._blind = False
        for found in self._controller.see(inventory, time.monotonic()):
            target, since_s = self._unknown.pop(found.vm, ("", 0.0))
            ours = target == found.target and time.monotonic() < since_s + OURS_S
            if ours:
                self._lock.note_move()
            by = "by a migration whose outcome was not known" if ours else "by its provider, or by hand"
            why = f"{by}: it is on {found.target} now and was on {found.source}"
            self._say(MigrationAction.FOUND, found.vm, why, to=found.target)
        if shared := self._sharing.see(inventory, self._over.is_set):
            self._say(MigrationAction.SHARES, None, shared)
        for decision in self._controller.step(time.monotonic(), self._lock.last_move_s()):
            with self._migrating:
                if self._over.is_set():
                    return
                self._act(decision)

    def _survey(self) -> bool:
        """Look at paths that the program may not use, into servers of which one path is slow; whether there are any."""
        suspects = self._controller.suspects(time.monotonic())
        if suspects:
            for (source, destination), slow in self._probing.slow_into(suspects).items():
                self._controller.level(
                    source, destination, CongestionLevel.HIGH if slow else CongestionLevel.LOW, time.monotonic()
                )
        return bool(suspects)

    def _act(self, decision: Decision) -> None:
        move = decision.move
        if move is None:
            self._say(MigrationAction.STAYS, None, decision.why, server=decision.server)
        elif self._dry_run:
            self._say(MigrationAction.WOULD, move.vm, decision.why, **_places(move))
            self._controller.told(time.monotonic())
        else:
            with self._lock.hold() as got:
                if got:
                    self._carry_out(move, decision.why)
                else:
                    self._say(
                        MigrationAction.STAYS,
                        move.vm,
                        "another controller of this site is migrating a machine",
                        **_places(move),
                    )
                    self._over.wait(RETRY_S)

    def _carry_out(self, move: MigrationCandidate, why: str) -> None:
        begin_s = time.monotonic()
        self._unknown.pop(move.vm, None)
        try:
            migration = self._driver.migrate(move.vm, move.target)
            expected = {"expected_s": move.copy_s, "cost_s": move.cost_s}
            self._say(MigrationAction.BEGINS, move.vm, why, **_places(move), **expected)
            try:
                moved = self._follow(migration, move)
            finally:
                migration.close()
        except MigrationRefusedError as error:
            self._controller.refused(move, time.monotonic())
            self._say(MigrationAction.REFUSED, move.vm, str(error), **_places(move))
        except EndUnknownError as error:
            self._unknown[move.vm] = move.target, time.monotonic()
            self._failed(MigrationAction.UNKNOWN, move, error, begin_s)
        except CloudError as error:
            self._failed(MigrationAction.FAILED, move, error, begin_s)
        else:
            self._asked_s = float("-inf")  # the next look is at once, for what is shared now
            self._controller.moved(move, time.monotonic())
            took = {"time_s": moved.time_s, "paused_s": moved.paused_s, "copied_B": moved.copied_B}
            round_trips_s: dict[str, float] = {}
            try:
                self._lock.note_move()
                round_trips_s = self._probing.round_trips_s(move.vm)
            finally:  # it has moved, whatever can be noted or measured of it now
                action = MigrationAction.MOVED
                self._say(action, move.vm, _describe(moved), **_places(move), **took, round_trips_s=round_trips_s)

    def _failed(self, action: MigrationAction, move: MigrationCandidate, error: CloudError, begin_s: float) -> None:
        what = self._controller.failed(time.monotonic())
        self._say(action, move.vm, f"{error}; {what}", **_places(move), time_s=time.monotonic() - begin_s)

    def _follow(self, migration: Migration, move: MigrationCandidate) -> Moved:
        """Until its end; aborted when it takes too long, or nobody needs it any more."""
        late_s = self._controller.late_s(move)
        deadline_s = time.monotonic() + late_s
        while time.monotonic() < deadline_s and not self._over.is_set():
            said = migration.poll()
            if isinstance(said, Moved):
                return said
            time.sleep(POLL_S)
        why = "the program has ended" if self._over.is_set() else f"it took longer than {late_s:.0f} s"
        try:
            return end_migration(migration, move.vm, ABORT_S)
        except EndUnknownError as error:
            raise EndUnknownError(f"{error} ({why})") from error
        except CloudError as error:
            raise CloudError(f"{error} ({why})") from error

    def _say(self, action: MigrationAction, vm: str | None, why: str, **details: Any) -> None:
        """Reports a migration; ``details``: further attributes of the event."""
        host = self._names.index(vm) if vm in self._names else 0
        self._report(host, events.Migration(action=action, vm=vm, reason=why, **details))


def _places(move: MigrationCandidate) -> dict[str, str]:
    return {"server": move.source, "to": move.target}


def _describe(moved: Moved) -> str:
    copied = f", {moved.copied_B / 2**20:.0f} MiB copied" if moved.copied_B is not None else ""
    paused = f", paused for {moved.paused_s * 1e3:.0f} ms" if moved.paused_s is not None else ""
    return f"in {moved.time_s:.2f} s{copied}{paused}"
