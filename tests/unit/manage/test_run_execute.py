"""A run whose agents' first answers ask for another plane begins again with it, and its program runs once."""

from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.ending import Ending
from fairlead.manage import run
from fairlead.manage.components import STAGES
from fairlead.manage.management import Management, OtherPlaneError
from fairlead.manage.supervisor import Outcome
from fairlead.store import Store


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
