"""How a run is managed by what is known of its hosts: it always can be."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.cluster import launchers
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.cluster.job import Job
from fairlead.errors import ConfigError
from fairlead.manage import known_network, run
from fairlead.manage.components import FULL, MIGRATING, STAGES
from fairlead.manage.known_network import management_for
from fairlead.manage.management import Management
from fairlead.manage.manual_reroutes import asked_for
from fairlead.programs import unseen
from fairlead.programs.linkage import Linkage
from fairlead.protocol.objects import Learn
from fairlead.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(known_network, "bring_everywhere", lambda cluster: HostBinaries("/agent", ("/guardian",)))
    with Store.open(tmp_path) as opened:
        yield opened


def cluster(hosts: int = 3) -> Cluster:
    members = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(hosts))
    return Cluster("c", "ssh", members, source="c.toml")


def test_agents_learn_where_nothing_is_known(store: Store) -> None:
    management = management_for(cluster(), FULL, store)
    assert management.components == FULL
    assert sorted(management.tables) == [0, 1, 2]
    assert management.tables[2].learn == Learn(link_bps=None)
    assert management.tables[2].shares == []
    (remark,) = management.remarks
    assert remark.startswith("c has no characterization: agents learn how long its paths take while the program runs")
    assert management.sharing is None


def test_two_hosts_need_no_guardians(store: Store) -> None:
    assert management_for(cluster(2), FULL, store).components == STAGES["detection"]


def test_two_hosts_can_take_other_equal_cost_paths(store: Store) -> None:
    management = management_for(cluster(2), FULL, store, {"ways.count": 3})
    assert (management.components, management.ways, management.relays) == (FULL, 3, False)
    assert management.job_options().guardian == ("/guardian",)
    assert management.job_options().manage[1].settings == {"ways.count": 3}
    assert management_for(cluster(3), FULL, store, {"ways.count": 3}).relays
    assert management_for(cluster(2), FULL, store).job_options().guardian is None


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        (0, "congestion is reported, traffic is not rerouted"),
        (2, "congestion is reported, traffic is only rerouted by other equal-cost paths"),
    ],
)
def test_where_no_detour_is_known_equal_cost_paths_are_left(
    store: Store, monkeypatch: pytest.MonkeyPatch, ways: int, said: str
) -> None:
    found = SimpleNamespace(has_detour=lambda: False, manage_tables=dict, base_s=dict, sensitivity=None)
    monkeypatch.setattr(known_network.Characterization, "latest", lambda *_: found)
    management = management_for(cluster(), FULL, store, {"ways.count": ways}, quiet=True)
    assert (management.components.detours, management.relays) == (ways > 0, False)
    assert management.remarks == [f"there is no detour around any bottleneck on c, as on a single switch: {said}"]


def test_that_two_hosts_have_no_third_is_said_where_they_need_one(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(settings: dict[str, int | float]) -> str:
        run._management(cluster(2), FULL, store, settings, ["x"], {}, (), False, False)
        return capsys.readouterr().err

    monitored = "c has two hosts: traffic is monitored, but there is no third host to reroute it over"
    assert said({}) == f"fairlead: {monitored}\n"
    assert said({"ways.count": 2}) == "fairlead: agents decide with ways.count = 2 (default 0)\n"


def test_no_machine_is_migrated_by_what_is_not_known(store: Store) -> None:
    management = management_for(cluster(), MIGRATING, store)
    assert management.components == FULL
    wanted = f"run `fairlead characterize {cluster().source}`"
    assert management.remarks[1] == f"nothing is migrated without a characterization: {wanted}"


def test_agents_get_the_settings_of_the_cluster_and_of_the_run(store: Store) -> None:
    known = replace(cluster(), settings={"detour.dwell_s": 1, "probes.burst": 4})
    management = management_for(known, FULL, store, {"detour.dwell_s": 3})
    told = management.job_options().manage
    assert sorted(told) == [0, 1, 2]
    assert all(table.settings == {"detour.dwell_s": 3, "probes.burst": 4} for table in told.values())
    assert told[0].to_json()["settings"] == {"detour.dwell_s": 3, "probes.burst": 4}
    assert "settings" not in management_for(cluster(), FULL, store).job_options().manage[0].to_json()


def test_for_reroutes_by_hand_agents_only_need_to_know_of_equal_cost_paths(store: Store) -> None:
    known = management_for(cluster(2), STAGES["agents"], store, {"ways.count": 3})
    assert known.job_options().manage == {}
    asked = asked_for(known, [("h0", "h1", 2)])
    assert (asked.manual, asked.by_way, asked.job_options().guardian) == (True, True, ("/guardian",))
    told = asked.job_options().manage
    assert sorted(told) == [0, 1]
    assert told[1].to_json() == {
        "base": {
            "age_s": 0.0,
            "sizes_B": [],
            "latency_s": [],
            "rate_bps": [[None]],
            "groups": [0, 0],
            "own_latency_s": [],
            "own_rate_bps": [[None, None], [None, None]],
        },
        "shares": [],
        "learn": None,
        "settings": {"ways.count": 3},
        "automatic": False,
    }
    assert not asked_for(known, [("h0", "h1", "h2")]).by_way
    assert not asked_for(known, ()).manual


def test_settings_that_do_not_go_with_the_clusters_are_refused(store: Store) -> None:
    known = replace(cluster(), settings={"congestion_level.high_factor": 2})
    with pytest.raises(ConfigError, match=r"settings of agents on c: congestion_level.medium_factor = 2.5 is more"):
        management_for(known, FULL, store, {"congestion_level.medium_factor": 2.5})


def test_without_detection_nothing_is_told_or_learnt(store: Store) -> None:
    management = management_for(cluster(), STAGES["agents"], store)
    assert (management.tables, list(management.remarks)) == ({}, [])


@pytest.mark.parametrize(
    ("own_mpirun", "bypassed", "why"),
    [
        (True, False, "your own launch line may not pass libfairlead on to all ranks (--monitor if it does)"),
        (False, True, "the MPI library chooses its transport (--transport tcp)"),
        (False, False, "./x is linked statically"),
    ],
)
def test_why_messages_are_not_watched_unasked_is_one_line(
    own_mpirun: bool, bypassed: bool, why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    linkages = {} if own_mpirun else {"h0": Linkage("mpich", static=True)}
    ready = run._Prepared(
        cluster(), launchers.get("mpich5")(), Job("1", ("./x",), ("h0",)), {}, None, None, linkages, bypassed
    )
    management = Management(FULL, {}, HostBinaries("/agent", ("/guardian",)))
    assert run._watching(ready, management, own_mpirun, quiet=False) == management
    assert capsys.readouterr().err == f"fairlead: only connections are watched, not single messages: {why}\n"
    assert run._watching(ready, management, own_mpirun, quiet=True) == management
    assert capsys.readouterr().err == ""


def test_agents_do_not_carry_messages_of_what_nothing_is_preloaded_into(monkeypatch: pytest.MonkeyPatch) -> None:
    sanitized = {"h0": Linkage("openmpi", wrapped="openmpi", sanitizer="AddressSanitizer")}
    job = Job("1", ("./x",), ("h0",))
    monkeypatch.setattr(run.programs, "looked_at", lambda *_: (job, sanitized))
    assert run._looked_at(cluster(), job, launchers.get("openmpi4")(), watched=False) == (
        job,
        sanitized,
        "./x is built with AddressSanitizer, beside which nothing should be preloaded",
    )


def test_what_keeps_libfairlead_out_of_ranks_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    linkages = {"h0": Linkage("mpich"), "h1": Linkage("mpich", static=True)}
    assert unseen("./program", linkages) == "./program is linked statically"
    linkages = {"h0": Linkage("mpich"), "h1": Linkage(foreign=True), "h2": Linkage(foreign=True)}
    assert unseen("./program", linkages) == (
        "./program was built for another processor or word length than that of h1 and 1 more"
    )
    assert unseen("./program", {"h0": Linkage("mpich")}) is None
    assert run._not_preloaded(True) == (
        "your own launch line may not pass libfairlead on to all ranks (use --plane relay if it does)"
    )
    monkeypatch.setenv("FAIRLEAD_NATIVE_DIR", str(tmp_path))
    assert "libfairlead.so" in str(run._not_preloaded(False))
