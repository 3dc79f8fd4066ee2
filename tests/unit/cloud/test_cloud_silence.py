"""Migrations on a cloud that for a moment, or for good, says nothing, or is interrupted: what is done and said then."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairlead.cli import cloud as by_hand
from fairlead.cloud import Inventory, Moved, Progress, openstack_work
from fairlead.errors import CloudError, ConfigError
from fairlead.manage.migration import mover
from fairlead.manage.migration.choice import MigrationCandidate
from fairlead.manage.migration.controller import Decision, UnexpectedMove
from fairlead.manage.migration.mover import Mover
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.migration.site_lock import SiteLock
from fairlead.manage.narrator import sentence
from fairlead.protocol.events import Migration

from . import openstack_site
from .imitated_openstack import PASSWORD, Cloud
from .openstack_site import CLUSTER, TABLE, driver, finish, write_clouds

BUSY = (503, {"error": {"code": 503, "message": "busy"}})


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    for name in ("PERIOD_S", "QUIET_S", "RETRY_S"):
        monkeypatch.setattr(mover, name, 0.005)
    monkeypatch.setattr(by_hand, "POLL_S", 0.01)
    yield from openstack_site.serve(tmp_path, monkeypatch)


class Controller:
    """Decides once, to move node0 from h0 to h1; sees where it is."""

    def __init__(self, late_s: float) -> None:
        self._late_s = late_s
        self._decisions = [[Decision(MigrationCandidate("node0", "h0", "h1", 0.1, 0.1), "h0", "every path is slow")]]
        self._server = "h0"

    def suspects(self, now_s: float) -> list[str]:
        return []

    def see(self, inventory: Inventory, now_s: float) -> list[UnexpectedMove]:
        before, self._server = self._server, inventory.vm("node0").server
        return [UnexpectedMove("node0", before, self._server)] if before != self._server else []

    def step(self, now_s: float, last_move_s: float | None) -> list[Decision]:
        return self._decisions.pop() if self._decisions else []

    def late_s(self, move: MigrationCandidate) -> float:
        return self._late_s

    def moved(self, move: MigrationCandidate, now_s: float) -> None:
        self._server = move.target

    def failed(self, now_s: float) -> str:
        return "nothing is tried for 10 s"


class Agents:
    def command_each(self, messages: Any) -> dict[int, Any]:
        return {}


def manage(tmp_path: Path, until: str, late_s: float = 20.0, on: Any = None) -> list[Migration[int]]:
    """Events of a run that lasts until this one; ``on`` is called with each."""
    events: list[Migration[int]] = []
    came = threading.Event()

    def report(host: int, event: Migration[int]) -> None:
        events.append(event)
        if on is not None:
            on(event.action)
        if event.action == until:
            came.set()

    names = ["node0", "node1"]
    asked = driver()
    lock = SiteLock(tmp_path / "sites", asked.site)
    probing, sharing = Probing(Agents(), names, {}), Sharing(Agents(), names, None)
    with Mover(Controller(late_s), asked, lock, names, report, probing, sharing):
        assert came.wait(20), events
    return events


def one_in_the_middle(site: Cloud) -> None:
    """The third look at the migration is not answered: the line is hung up."""
    looks = iter(range(1000))

    def step(record: dict[str, Any], plain: Any = site.step) -> str:
        if next(looks) == 1:
            site.answers["GET /os-migrations"] = lambda: site.answers.pop("GET /os-migrations") and None
        return plain(record)

    site.step = step  # type: ignore[method-assign]


def by_command(directory: Path, *more: str) -> Result:
    cluster = directory / "c.toml"
    cluster.write_text(CLUSTER + TABLE)
    return CliRunner().invoke(by_hand.command, ["migrate", str(cluster), "node0", "h1", *more])


def aborts(site: Cloud) -> list[str]:
    return [each for each in site.requests if each.startswith("DELETE")]


@pytest.mark.parametrize("path", ["GET /os-migrations", "GET /servers/{}/migrations/1"])
@pytest.mark.parametrize("answer", [BUSY, (200, {"what": "?"})])
def test_one_bad_answer_is_no_end(site: Cloud, path: str, answer: Any) -> None:
    site.course = ["running", "running", "running", "completed"]
    migration = driver().migrate("node0", "h1")
    assert migration.poll() == Progress("64 MiB copied, 32 MiB left")
    key = path.format(site.machines[0].id)
    site.answers[key] = answer
    said = migration.poll()
    assert isinstance(said, Progress) and not said.answered
    assert said.text.startswith("the cloud does not answer: OpenStack site: ") and "copied" not in said.text
    del site.answers[key]
    assert isinstance(finish(migration)[1], Moved)
    assert aborts(site) == []


def test_one_bad_answer_does_not_abort_a_migration_of_the_controller(site: Cloud, tmp_path: Path) -> None:
    one_in_the_middle(site)
    events = manage(tmp_path, "moved")
    assert [event.action for event in events] == ["begins", "moved"]
    assert aborts(site) == [] and site.machines[0].host == "h1"


def test_one_bad_answer_does_not_abort_a_migration_by_hand(site: Cloud, tmp_path: Path) -> None:
    one_in_the_middle(site)
    done = by_command(tmp_path)
    assert done.exit_code == 0 and "node0 moved to h1 in" in done.output, done.output
    assert "the cloud does not answer: OpenStack site: " in done.output
    assert aborts(site) == []


def test_of_a_cloud_that_stays_silent_nothing_is_claimed(
    site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mover, "ABORT_S", 0.2)
    site.course = ["running"]

    def on(action: str) -> None:
        if action == "begins":
            site.answers["GET /os-migrations"] = BUSY
        elif action == "unknown":  # Nova has gone on by itself
            del site.answers["GET /os-migrations"]
            site.records[0]["course"] = ["completed"]
            site.step(site.records[0])

    events = manage(tmp_path, "found", late_s=0.6, on=on)
    assert [event.action for event in events] == ["begins", "unknown", "found"]
    told = sentence(["node0", "node1"], 0, events[1])
    assert told is not None and told.startswith("whether node0 moves from h0 to h1 is not known: ")
    assert "whether it still moves, and where it runs, is not known" in told and "busy (HTTP 503)" in told
    assert "(it took longer than 1 s)" in told and "stays" not in told
    assert events[2].reason == "by a migration whose outcome was not known: it is on h1 now and was on h0"
    last_s = SiteLock(tmp_path / "sites", driver().site).last_move_s()
    assert last_s is not None and time.monotonic() - last_s < 30, "for the site it is a migration like others"


def test_a_provider_that_does_the_same_much_later_is_not_taken_for_us(
    site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mover, "ABORT_S", 0.2)
    monkeypatch.setattr(mover, "OURS_S", 0.0)
    site.course = ["running"]

    def on(action: str) -> None:
        if action == "begins":
            site.answers["GET /os-migrations"] = BUSY
        elif action == "unknown":
            del site.answers["GET /os-migrations"]
            site.records[0]["course"] = ["completed"]
            site.step(site.records[0])

    events = manage(tmp_path, "found", late_s=0.6, on=on)
    assert events[2].reason == "by its provider, or by hand: it is on h1 now and was on h0"
    assert SiteLock(tmp_path / "sites", driver().site).last_move_s() is None


def test_a_migration_that_began_long_after_no_answer_is_found(
    site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openstack_work, "BEGIN_S", 0.2)
    machine = site.machines[0]
    site.answers[f"POST /servers/{machine.id}/action"] = lambda: None

    def on(action: str) -> None:
        if action == "unknown":
            site.course = ["completed"]
            site.record(machine, "h1")
            site.step(site.records[0])

    events = manage(tmp_path, "found", on=on)
    assert [event.action for event in events] == ["begins", "unknown", "found"]
    told = sentence(["node0", "node1"], 0, events[1])
    assert told is not None and told.startswith(
        "whether node0 moves from h0 to h1 is not known: Nova did not confirm the migration of "
    )
    assert "and it was on h0, but one may still begin" in told
    assert events[2].reason == "by a migration whose outcome was not known: it is on h1 now and was on h0"


def test_by_hand_a_cloud_that_stays_silent_ends_it_with_what_is_known(
    site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_hand, "SILENT_S", 0.3)
    monkeypatch.setattr(by_hand, "ABORT_S", 0.2)
    take = site.record

    def record(machine: Any, target: str) -> None:
        take(machine, target)
        site.answers["GET /os-migrations"] = BUSY

    site.record = record  # type: ignore[method-assign]
    done = by_command(tmp_path)
    assert done.exit_code == 1 and isinstance(done.exception, CloudError)
    assert "the cloud does not answer: OpenStack site: busy (HTTP 503)" in done.output
    assert "no answer for 0.3 s: giving up" in done.output
    said = str(done.exception)
    assert "whether it still moves, and where it runs, is not known" in said and "fairlead cloud show" in said


def test_an_abort_without_an_answer_is_asked_for_again(site: Cloud) -> None:
    site.course = ["running"]
    migration = driver().migrate("node0", "h1")
    migration.poll()
    site.answers[(key := f"DELETE /servers/{site.machines[0].id}/migrations/1")] = BUSY
    migration.abort()
    assert not getattr(migration.poll(), "answered", True)
    del site.answers[key]
    with pytest.raises(CloudError, match=r"^node0: the migration was aborted; it runs on h0$"):
        finish(migration)


@pytest.mark.parametrize("broken", ["clouds:\n  site: {auth: [", "clouds: {elsewhere: {}}\n"])
def test_a_clouds_yaml_that_is_just_being_written_is_read_again(site: Cloud, tmp_path: Path, broken: str) -> None:
    asked = driver()
    asked.inventory()
    site.answers["GET /os-hypervisors/detail"] = BUSY  # what comes next is asked with a session of its own
    with pytest.raises(CloudError, match="busy"):
        asked.inventory()
    del site.answers["GET /os-hypervisors/detail"]
    (tmp_path / "clouds.yaml").write_text(broken)
    with pytest.raises(CloudError, match=r"^OpenStack site: .*clouds\.yaml: ") as told:
        asked.inventory()
    assert "\n" not in str(told.value)
    with pytest.raises(ConfigError):
        driver()
    write_clouds(tmp_path, site, PASSWORD)
    assert len(asked.inventory().servers) == 2


def test_a_clouds_yaml_that_cannot_be_read_for_a_moment_does_not_end_the_controller(
    site: Cloud, tmp_path: Path
) -> None:
    good = (tmp_path / "clouds.yaml").read_text()
    plain, looks = site.step, iter(range(1000))

    def step(record: dict[str, Any]) -> str:
        if next(looks) == 1:  # the question after this one has no answer, that after it no session
            site.answers["GET /os-migrations"] = lost
        return plain(record)

    def lost() -> None:
        (tmp_path / "clouds.yaml").write_text("clouds: [")
        del site.answers["GET /os-migrations"]
        threading.Timer(0.5, lambda: (tmp_path / "clouds.yaml").write_text(good)).start()

    site.step = step  # type: ignore[method-assign]
    events = manage(tmp_path, "moved")
    assert [event.action for event in events] == ["begins", "moved"]


def interrupt_the_start(site: Cloud, *, taken: bool = True) -> None:
    """Ctrl-C comes between Nova's taking the request and its answer; or the request comes to nothing."""
    machine = site.machines[0]

    def interrupted() -> None:
        if taken:
            machine.task = "migrating"
            site.record(machine, "h1")
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)

    site.answers[f"POST /servers/{machine.id}/action"] = interrupted


@pytest.mark.parametrize("taken", [True, False])
def test_ctrl_c_while_nova_is_asked_to_begin_leaves_no_migration_behind(
    site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: bool
) -> None:
    monkeypatch.setattr(openstack_work, "BEGIN_S", 0.3)
    site.course = ["accepted", "queued", "running", "running", "completed"]
    machine = site.machines[0]
    interrupt_the_start(site, taken=taken)
    done = by_command(tmp_path)
    assert done.exit_code == 1 and "Aborted!" in done.output
    assert [site.step(each) for each in site.records] == (["cancelled"] if taken else [])
    assert machine.host == "h0" and len(aborts(site)) == (2 if taken else 0)
    end = "node0: the migration was aborted; it runs on h0\n"
    unknown = (
        "Nova did not confirm the migration of node0 (fairlead did not wait for its answer): "
        "0.3 s later no migration was seen "
    )
    assert (end in done.output, unknown in done.output) == (taken, not taken)


def test_ctrl_c_that_comes_too_late_says_where_the_machine_is(site: Cloud, tmp_path: Path) -> None:
    site.course = ["completed"]
    interrupt_the_start(site)
    done = by_command(tmp_path)
    assert done.exit_code == 1 and "it was too late to give up: node0 moved to h1 in" in done.output, done.output
    assert site.machines[0].host == "h1"


def test_what_is_aborted_before_it_began_is_never_asked_for(site: Cloud) -> None:
    migration = driver().migrate("node0", "h1")
    migration.abort()
    with pytest.raises(CloudError, match=r"^node0: the migration was aborted; it runs on h0$"):
        migration.poll()
    migration.close()
    assert not any("POST" in each and "action" in each for each in site.requests)
    driver().migrate("node0", "h1").close()
    assert site.records == []


def test_a_silent_start_is_asked_about_until_it_is_known(site: Cloud) -> None:
    machine = site.machines[0]

    def take() -> None:
        machine.task = "migrating"
        site.record(machine, "h1")

    site.answers[f"POST /servers/{machine.id}/action"] = take
    migration = driver().migrate("node0", "h1")
    site.answers["GET /os-migrations"] = BUSY
    assert not getattr(migration.poll(), "answered", True)
    del site.answers["GET /os-migrations"]
    assert isinstance(finish(migration)[1], Moved)
