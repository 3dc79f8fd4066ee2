"""A run whose agents' first answers ask for another plane begins again with it, and its program runs once."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.agents.agent import EventCallback
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.ending import Ending
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import StoreError
from fairlead.manage import run
from fairlead.manage.components import STAGES
from fairlead.manage.management import Management, OtherPlaneError
from fairlead.manage.supervisor import Outcome
from fairlead.store import Store

from ..agent_events import event


def test_the_plane_that_agents_ask_for_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(2))
    cluster = Cluster("c", "local", hosts, source="c.toml")
    begun = Management(STAGES["detection"], {}, HostBinaries("/agent", ("/guardian",)), remarks=["first"])
    wanted = Management(STAGES["detection"], {}, HostBinaries("/agent", ("/guardian",)), remarks=["second"])
    begun_with: list[Management] = []

    def supervise(_cluster: Cluster, management: Management, _launch: Any, **_: Any) -> Outcome:
        begun_with.append(management)
        if management.remarks == ["first"]:
            raise OtherPlaneError(wanted)
        return Outcome(3, 1.0, 0.0)

    monkeypatch.setattr(run, "supervise", supervise)
    job = Job(id="0123abcd", argv=("x",), hosts=("h0", "h1"))
    with Store.open(tmp_path) as store:
        identity = store.begin_run("run", {})
        outcome = run.execute(cluster, job, store, identity, lambda *_: 0, begun, (), Ending(), True)
    assert outcome.exit_code == 3
    assert [each.remarks for each in begun_with] == [["first"], ["second"]]


def test_what_is_held_back_of_a_long_run_is_recorded_at_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(2))
    cluster = Cluster("c", "local", hosts, source="c.toml")
    figures = {"waits": 0, "waited_s": 0.0, "known_s": 0.0, "network_s": 0.0, "late_sender_s": 0.0}

    def supervise(*_: Any, sinks: Sequence[EventCallback], **__: Any) -> Outcome:
        for t_s in (0.0, 600.0, 601.0, 602.0):
            told = event("communication", t_s=t_s, messages=1, size_B=8, dropped=0, mismatches=0, **figures)
            for sink in sinks:
                sink(1, told)
        return Outcome(0, 602.0, 0.0)

    monkeypatch.setattr(run, "supervise", supervise)
    management = Management(STAGES["detection"], {}, HostBinaries("/agent", ("/guardian",)))
    job = Job(id="0123abcd", argv=("x",), hosts=("h0", "h1"))
    with Store.open(tmp_path) as store:
        identity = store.begin_run("run", {})
        run.execute(cluster, job, store, identity, lambda *_: 0, management, (), Ending(), True)
        stored = [(each.t_s, each.data["messages"]) for each in store.events(identity)]
        assert stored == [(0.0, 1), (600.0, 1), (602.0, 2)]


def test_hosts_that_were_given_up_are_told_with_what_remains_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(2))
    cluster = Cluster("c", "local", hosts, source="c.toml")
    ending = Ending()

    def supervise(*_: Any, limit: EndLimit, **__: Any) -> Outcome:
        assert limit is ending.limit
        limit.begin(1.0)
        limit.give_up("h1", "its agent ends by itself")
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "supervise", supervise)
    management = Management(STAGES["detection"], {}, HostBinaries("/agent", ("/guardian",)))
    job = Job(id="0123abcd", argv=("x",), hosts=("h0", "h1"))
    with Store.open(tmp_path) as store:
        identity = store.begin_run("run", {})
        with pytest.raises(KeyboardInterrupt):
            run.execute(cluster, job, store, identity, lambda *_: 0, management, (), ending, True)
    assert capsys.readouterr().err == (
        "fairlead: h1: does not answer, and is not waited for any more: its agent ends by itself\n"
    )


def test_a_record_with_gaps_does_not_change_how_the_program_ended(capsys: pytest.CaptureFixture[str]) -> None:
    class Full:
        def finish(self, now_s: float) -> None:
            raise StoreError("the disk is full")

    recorder: Any = Full()
    outcome = run._finished(recorder, Outcome(3, 1.0, 0.0))
    assert (outcome.exit_code, [str(each) for each in outcome.problems]) == (3, ["the disk is full"])
    assert capsys.readouterr().err == "fairlead: the record of this run has gaps: the disk is full\n"


def test_messages_for_which_there_is_no_temporary_file_do_not_change_how_the_program_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fetch(_limit: EndLimit) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    kept: Any = SimpleNamespace(path=tmp_path, fetch=fetch)
    run._fetch(kept, EndLimit(), quiet=True)
    assert capsys.readouterr().err == (
        f"fairlead: {tmp_path}: messages were not fetched: No usable temporary directory found in ['/tmp']\n"
    )
