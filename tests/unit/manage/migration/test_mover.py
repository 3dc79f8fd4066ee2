"""The mover: what it does with a cloud that works, refuses, fails, hangs, or does not answer."""

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fairlead.cloud import Inventory, Moved, Progress, Server, Vm
from fairlead.errors import CloudError, MigrationRefusedError
from fairlead.manage.migration import mover
from fairlead.manage.migration.choice import MigrationCandidate
from fairlead.manage.migration.controller import Decision
from fairlead.manage.migration.mover import Mover
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.migration.site_lock import SiteLock
from fairlead.protocol import answers, commands
from fairlead.protocol.events import Migration
from fairlead.protocol.objects import ProbeResult

from ...agent_events import event

MOVE = MigrationCandidate("h0", "s0", "s1", copy_s=0.01, cost_s=0.1)


class FakeMigration:
    def __init__(self, polls: list[Any]) -> None:
        self.polls = polls
        self.aborted = False
        self.closed = False

    def poll(self) -> Moved | Progress:
        said = self.polls[0] if len(self.polls) == 1 else self.polls.pop(0)
        if self.aborted:
            raise CloudError("h0 to s1 was aborted")
        if isinstance(said, Exception):
            raise said
        return said

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True


class FakeDriver:
    site = "fake"

    def __init__(self, answer: Any, inventory_error: CloudError | None = None) -> None:
        self.answer = answer
        self.inventory_error = inventory_error
        self.asked: list[tuple[str, str]] = []

    def inventory(self) -> Inventory:
        if self.inventory_error:
            raise self.inventory_error
        return Inventory((Server("s0", "n", 1, 1, 1), Server("s1", "n", 1, 1, 1)), (Vm("h0", "s0", 1, 1, 1, 0, 0.1),))

    def migrate(self, vm: str, server: str) -> FakeMigration:
        self.asked.append((vm, server))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Agents:
    """Every path into a host is slow by 2 ms, every round trip takes 3 ms."""

    def command_each(self, probes: Mapping[int, commands.Probe]) -> dict[int, Any]:
        return {host: answers.Probe(results=tuple(map(self._result, probe.peers))) for host, probe in probes.items()}

    def _result(self, peer: int) -> ProbeResult:
        times = {"forward_s": (0.001,) * 3, "backward_s": (0.002,) * 3, "round_trip_s": (0.003,) * 3}
        return ProbeResult(peer=peer, sent=3, clock_error_s=1e-6, **times)


class FakeController:
    """Decides once, and notes what it is told."""

    def __init__(self, late_s: float = 5.0) -> None:
        self.told_of: list[str] = []
        self._late_s = late_s
        self._decisions = [[Decision(MOVE, "s0", "every path into s0 is slow")]]

    def suspects(self, now_s: float) -> list[str]:
        return ["h0"] if len(self.told_of) == 1 else []

    def see(self, inventory: Inventory, now_s: float) -> list[Any]:
        return []

    def level(self, *arguments: Any) -> None:
        self.told_of.append(f"level {tuple(map(str, arguments[:3]))}")

    def step(self, now_s: float, last_move_s: float | None) -> list[Decision]:
        return self._decisions.pop() if self._decisions else []

    def late_s(self, move: MigrationCandidate) -> float:
        return self._late_s

    def moved(self, move: MigrationCandidate, now_s: float) -> None:
        self.told_of.append("moved")

    def failed(self, now_s: float) -> str:
        self.told_of.append("failed")
        return "nothing is tried for 10 s"

    def refused(self, move: MigrationCandidate, now_s: float) -> None:
        self.told_of.append("refused")

    def told(self, now_s: float) -> None:
        self.told_of.append("told")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PERIOD_S", "QUIET_S", "POLL_S", "RETRY_S"):
        monkeypatch.setattr(mover, name, 0.005)


def run(
    tmp_path: Path, driver: FakeDriver, controller: FakeController, *, until: str, dry_run: bool = False
) -> list[Migration[int]]:
    """Events of a run that lasts until one with this action came."""
    events: list[Migration[int]] = []
    came = threading.Event()

    def report(host: int, event: Migration[int]) -> None:
        events.append(event)
        if event.action == until:
            came.set()

    lock = SiteLock(tmp_path, driver.site)
    sharing = Sharing(Agents(), ["h0", "h1"], None)
    probing = Probing(Agents(), ["h0", "h1"], {})
    moving = Mover(controller, driver, lock, ["h0", "h1"], report, probing, sharing, dry_run=dry_run)
    moving(0, event("level_changed", congestion_level="high"))  # before the first look
    with moving:
        assert came.wait(20), events
    return events


def test_a_machine_is_moved_and_everything_is_told(tmp_path: Path) -> None:
    migration = FakeMigration([Progress("round 1"), Moved(1.5, 0.2, 2**20)])
    controller = FakeController()
    events = run(tmp_path, FakeDriver(migration), controller, until="moved")
    assert [event.action for event in events] == ["begins", "moved"]
    assert (events[0].expected_s, events[0].cost_s) == (0.01, 0.1)
    assert events[0].reason == "every path into s0 is slow"
    assert events[1].to_json(str) == {
        "action": "moved",
        "vm": "h0",
        "reason": "in 1.50 s, 1 MiB copied, paused for 200 ms",
        "server": "s0",
        "to": "s1",
        "time_s": 1.5,
        "paused_s": 0.2,
        "copied_B": 2**20,
        "round_trips_s": {"h1": 0.003},
    }
    assert controller.told_of == ["level ('h0', 'h1', 'high')", "level ('h1', 'h0', 'high')", "moved"]
    assert migration.closed
    last_s = SiteLock(tmp_path, "fake").last_move_s()
    assert last_s is not None and time.monotonic() - last_s < 30


def test_a_cloud_that_fails_after_the_move_does_not_undo_it(tmp_path: Path) -> None:
    driver = FakeDriver(FakeMigration([Moved(1.5, 0.2, 2**20)]))
    controller = FakeController()

    def close() -> None:
        driver.inventory_error = CloudError("h0 is being migrated right now")

    driver.answer.close = close
    events = run(tmp_path, driver, controller, until="blind")
    assert [event.action for event in events] == ["begins", "moved", "blind"]
    assert "failed" not in controller.told_of
    assert SiteLock(tmp_path, "fake").last_move_s() is not None


def test_a_move_that_cannot_be_noted_is_told_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(lock: SiteLock) -> None:
        raise CloudError("fake.moved cannot be written: no space left on device")

    monkeypatch.setattr(SiteLock, "note_move", full)
    controller = FakeController()
    events = run(tmp_path, FakeDriver(FakeMigration([Moved(1.5, 0.2, 2**20)])), controller, until="blind")
    assert [event.action for event in events] == ["begins", "moved", "blind"]
    assert "moved" in controller.told_of


@pytest.mark.parametrize(
    ("answer", "told", "action", "said"),
    [
        (MigrationRefusedError("s1 has no room"), "refused", "refused", "s1 has no room"),
        (CloudError("the cloud did not answer"), "failed", "failed", "the cloud did not answer; nothing is tried"),
        (FakeMigration([Progress("x"), CloudError("it broke")]), "failed", "failed", "it broke; nothing is tried"),
    ],
)
def test_what_goes_wrong_is_told_and_the_run_goes_on(
    tmp_path: Path, answer: Any, told: str, action: str, said: str
) -> None:
    controller = FakeController()
    events = run(tmp_path, FakeDriver(answer), controller, until=action)
    assert events[-1].reason.startswith(said)
    assert controller.told_of[-1] == told
    assert SiteLock(tmp_path, "fake").last_move_s() is None


def test_a_slow_migration_is_aborted(tmp_path: Path) -> None:
    migration = FakeMigration([Progress("round 1")])
    events = run(tmp_path, FakeDriver(migration), FakeController(late_s=0.02), until="failed")
    assert migration.aborted and migration.closed
    assert events[-1].reason.startswith("h0 to s1 was aborted (it took longer than 0 s)")


def test_a_migration_under_way_is_aborted_when_the_program_ends(tmp_path: Path) -> None:
    migration = FakeMigration([Progress("round 1")])
    events = run(tmp_path, FakeDriver(migration), FakeController(), until="begins")
    assert migration.aborted and migration.closed
    assert "(the program has ended)" in events[-1].reason


def test_a_look_that_takes_long_does_not_keep_the_program_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of many answers comes in time, and all of them together are slow; what it finds then moves nothing."""
    monkeypatch.setattr(mover, "LOOK_S", 0.05)
    looks, answers_come = threading.Event(), threading.Event()
    migration = FakeMigration([Moved(1.5, 0.2, 2**20)])
    driver = FakeDriver(migration)
    seen = driver.inventory()

    def inventory() -> Inventory:
        looks.set()
        answers_come.wait(60)
        return seen

    monkeypatch.setattr(driver, "inventory", inventory)
    lock, sharing = SiteLock(tmp_path, driver.site), Sharing(Agents(), ["h0", "h1"], None)
    probing = Probing(Agents(), ["h0", "h1"], {})
    moving = Mover(FakeController(), driver, lock, ["h0", "h1"], lambda *_: None, probing, sharing)
    begin_s = time.monotonic()
    with moving:
        assert looks.wait(20)
    assert time.monotonic() - begin_s < 30
    answers_come.set()
    moving._thread.join(5)
    assert driver.asked == []


def test_a_dry_run_only_says_what_it_would_do(tmp_path: Path) -> None:
    driver, controller = FakeDriver(None), FakeController()
    events = run(tmp_path, driver, controller, until="would", dry_run=True)
    assert (events[-1].vm, events[-1].server, events[-1].to) == ("h0", "s0", "s1")
    assert driver.asked == []
    assert controller.told_of[-1] == "told"


def test_two_controllers_never_move_at_once(tmp_path: Path) -> None:
    driver = FakeDriver(None)
    with SiteLock(tmp_path, "fake").hold() as got:
        assert got
        events = run(tmp_path, driver, FakeController(), until="stays")
    assert events[-1].reason == "another controller of this site is migrating a machine"
    assert driver.asked == []


def test_a_cloud_that_does_not_answer_is_told_once(tmp_path: Path) -> None:
    driver = FakeDriver(None, CloudError("no answer within 10 s"))
    events = run(tmp_path, driver, FakeController(), until="blind")
    assert [event.reason for event in events] == ["no answer within 10 s"]


def test_a_lock_file_that_holds_nonsense_is_named(tmp_path: Path) -> None:
    (tmp_path / "fake.moved").write_text("yesterday")
    with pytest.raises(CloudError, match=r"fake\.moved does not hold a time"):
        SiteLock(tmp_path, "fake").last_move_s()


def test_who_asks_for_the_last_move_while_one_is_noted_gets_a_time(tmp_path: Path) -> None:
    lock = SiteLock(tmp_path, "fake")
    lock.note_move()
    over = threading.Event()

    def note() -> None:
        while not over.is_set():
            lock.note_move()

    thread = threading.Thread(target=note)
    thread.start()
    try:
        assert all(SiteLock(tmp_path, "fake").last_move_s() for _ in range(2000))
    finally:
        over.set()
        thread.join()


def test_whatever_ends_the_thread_is_told(tmp_path: Path) -> None:
    controller = FakeController()
    controller.step = lambda *_: 1 / 0
    events = run(tmp_path, FakeDriver(None), controller, until="blind")
    assert [event.reason for event in events] == [
        "no further migrations are decided: ZeroDivisionError('division by zero')"
    ]


def test_a_path_is_slow_by_the_base_latency_that_was_characterized() -> None:
    names = ["h0", "h1", "h2"]
    probing = Probing(Agents(), names, {("h1", "h0"): 0.0005, ("h2", "h0"): 0.0015})
    assert probing.slow_into(["h0"]) == {("h1", "h0"): True, ("h2", "h0"): False}
    assert probing.round_trips_s("h1") == {"h0": 0.003, "h2": 0.003}
