"""The OpenStack driver against an imitated cloud that also misbehaves; tests/openstack has the real services."""

import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.cloud import command
from fairlead.cloud import Moved, Progress, openstack_work
from fairlead.cloud import openstack as driver_module
from fairlead.cloud.ending import EndUnknownError
from fairlead.cloud.inventory import AffinityGroup
from fairlead.cloud.openstack_migration import OpenstackMigration
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.errors import CloudError, ConfigError, MigrationRefusedError, MissingToolError

from . import openstack_site
from .imitated_openstack import FLAVOR, PASSWORD, Cloud, Host
from .openstack_site import CLOUDS, CLUSTER, TABLE, driver, finish, write_clouds

GIB = 2**30


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    yield from openstack_site.serve(tmp_path, monkeypatch)


def test_machines_and_room_are_what_nova_and_placement_tell(site: Cloud) -> None:
    found = driver().inventory()
    # (4 - 1) * 2 processors, 8192 - 512 MiB
    assert [(s.name, s.cpus, s.memory_B, s.disk_B, s.uplink_bps, s.closed) for s in found.servers] == [
        ("h0", 6, 7680 << 20, 100 * GIB, 10e9, None),
        ("h1", 6, 7680 << 20, 100 * GIB, 10e9, None),
    ]
    assert [(vm.name, vm.server, vm.cpus, vm.memory_B, vm.disk_B, vm.dirty_Bps, vm.downtime_s) for vm in found.vms] == [
        ("node0", "h0", 2, GIB, 10 * GIB, 10e6, 0.5),
        ("node1", "h0", 2, GIB, 10 * GIB, 10e6, 0.5),
    ]
    load = found.vm("node0").load
    assert load is not None and (load.received_B, load.sent_B) == (1001, 12)


def test_traffic_of_a_server_is_that_of_its_machines(site: Cloud) -> None:
    asked = driver()
    asked.inventory()
    site.machines[0].received_B += 500
    site.machines[1].sent_B += 70
    load = asked.inventory().server("h0").load
    assert load is not None and (load.received_B, load.sent_B) == (500, 70)
    site.answers[f"GET /servers/{site.machines[1].id}/diagnostics"] = (501, None)
    blind = asked.inventory()
    assert blind.vm("node1").load is None
    assert blind.server("h0").load is None  # a part of it would pass for all


def test_what_others_have_is_no_room(site: Cloud) -> None:
    site.add("off", "h1", status="SHUTOFF")
    site.hosts["h1"].allocations["a migration under way"] = dict(FLAVOR)
    found = driver().inventory()
    assert found.server("h1").cpus == 6 - 4
    assert found.bars("h1", found.vm("node0")) is None
    site.hosts["h1"].inventories["VCPU"]["total"] = 3
    found = driver().inventory()
    assert found.bars("h1", found.vm("node0")) == "has no room (2 of 0 cpus would be in use)"
    with pytest.raises(MigrationRefusedError, match=r"^h1 has no room \(2 of 0 cpus would be in use\)$"):
        driver().migrate("node0", "h1")


def test_dedicated_processors_count_and_a_host_without_disk_has_none(site: Cloud) -> None:
    site.hosts["h1"].inventories = {
        "PCPU": {"total": 8, "reserved": 0, "allocation_ratio": 1.0},
        "MEMORY_MB": {"total": 1024, "reserved": 0, "allocation_ratio": 1.5},
    }
    server = driver().inventory().server("h1")
    assert (server.cpus, server.memory_B, server.disk_B) == (8, 1536 << 20, 0)


def test_a_host_that_is_down_or_disabled_takes_nothing(site: Cloud) -> None:
    site.hosts["h1"].status = "disabled"
    with pytest.raises(MigrationRefusedError, match=r"^h1 is disabled$"):
        driver().migrate("node0", "h1")
    site.hosts["h1"].state = "down"
    site.add("node2", "h1")
    found = driver().inventory()
    assert found.server("h1").closed == "is down"
    assert found.vm("node2").load is None and found.server("h1").load is None
    assert not any("POST" in each and "action" in each for each in site.requests)


def test_server_groups_are_respected(site: Cloud) -> None:
    other = site.add("node2", "h1")
    members = [site.machines[0].id, other.id, "of a machine that is off"]
    group = {"name": "apart", "policy": "anti-affinity", "rules": {}, "members": members}
    wish = {"name": "wish", "policy": "soft-anti-affinity", "rules": {}, "members": [m.id for m in site.machines]}
    site.groups = [group, wish]
    found = driver().inventory()
    assert found.groups == (AffinityGroup("apart", frozenset({"node0", "node2"}), 1),)
    with pytest.raises(MigrationRefusedError, match=r"^h1 has node2, which group apart keeps apart from node0$"):
        driver().migrate("node0", "h1")
    assert isinstance(finish(driver().migrate("node1", "h1"))[1], Moved)
    group["rules"] = {"max_server_per_host": 2}
    assert isinstance(finish(driver().migrate("node0", "h1"))[1], Moved)


def test_machines_that_belong_together_are_not_parted(site: Cloud) -> None:
    site.groups = [{"name": "one", "policy": "affinity", "rules": {}, "members": [m.id for m in site.machines]}]
    with pytest.raises(
        MigrationRefusedError, match=r"^h1 is not where node1 is, which group one keeps together with node0"
    ):
        driver().migrate("node0", "h1")


def test_nobody_elses_machine_passes_for_one_of_the_job(site: Cloud) -> None:
    foreign = site.add("node0", "h1", project="another")
    twins = [site.add("twin", "h1"), site.add("twin", "h1")]
    site.pages = 2
    assert {vm.name for vm in driver().inventory().vms} == {"node0", "node1", foreign.id, *(each.id for each in twins)}
    with pytest.raises(MigrationRefusedError, match=r"^no machine twin runs on any server$"):
        driver().migrate("twin", "h0")


def test_only_the_named_servers_count(site: Cloud) -> None:
    site.hosts["h2"] = Host("rp-2")
    site.add("far", "h2")
    found = driver(TABLE + 'servers = ["h1", "h0", "h1"]\n').inventory()
    assert [each.name for each in found.servers] == ["h1", "h0"]
    assert {each.name for each in found.vms} == {"node0", "node1"}
    with pytest.raises(CloudError, match=r"there is no compute host h7\n.*there are h0, h1, h2"):
        driver(TABLE + 'servers = ["h1", "h7"]\n').inventory()


def test_a_move_by_the_provider_is_seen_with_the_next_look(site: Cloud) -> None:
    asked = driver()
    assert asked.inventory().vm("node0").server == "h0"
    site.record(site.machines[0], "h1")
    site.records[0]["course"] = ["completed"]
    site.step(site.records[0])
    found = asked.inventory()
    assert (found.vm("node0").server, found.bars("h0", found.vm("node0"))) == ("h1", None)


def test_a_machine_moves_and_says_how_far_it_is(site: Cloud) -> None:
    said, moved = finish(driver().migrate("node0", "h1"))
    assert said == ["accepted", "preparing", "64 MiB copied, 32 MiB left"]
    assert (moved.paused_s, moved.copied_B) == (None, None)
    assert driver().inventory().vm("node0").server == "h1"
    assert 'action {"os-migrateLive": {"host": "h1", "block_migration": "auto"}}' in " ".join(site.requests)
    said, _ = finish(driver().migrate("node0", "h0"))  # the record of the first one does not count
    assert said == ["accepted", "preparing", "64 MiB copied, 32 MiB left"]


def test_who_asks_often_does_not_ask_the_cloud_often(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openstack_work, "POLL_S", 60.0)
    migration = driver().migrate("node0", "h1")
    assert [migration.poll(), migration.poll()] == [Progress("accepted")] * 2
    assert sum(each == "GET /os-migrations" for each in site.requests) == 2  # one of them before it began


def test_a_machine_on_its_way_is_on_its_source_and_is_not_moved_twice(site: Cloud) -> None:
    migration = driver().migrate("node0", "h1")
    migration.poll()
    machine = site.machines[0]
    machine.status = "MIGRATING"
    allocations = site.hosts["h0"].allocations
    allocations["the migration"] = allocations.pop(machine.id)
    site.hosts["h1"].allocations[machine.id] = dict(FLAVOR)
    found = driver().inventory()
    assert (found.vm("node0").server, found.vm("node0").cpus) == ("h0", 2)
    assert (found.server("h0").cpus, found.server("h1").cpus) == (6, 4)
    with pytest.raises(MigrationRefusedError, match=r"^node0 is busy: migrating$"):
        driver().migrate("node0", "h1")
    assert isinstance(migration.poll(), Progress)


@pytest.mark.parametrize(
    ("vm", "server", "message"),
    [
        ("node0", "h7", "there is no server h7\n.*there are h0, h1"),
        ("other", "h1", "no machine other runs on any server"),
        ("node0", "h0", "node0 is already on h0"),
    ],
)
def test_what_cannot_be_is_refused(site: Cloud, vm: str, server: str, message: str) -> None:
    with pytest.raises(MigrationRefusedError, match=message):
        driver().migrate(vm, server)


@pytest.mark.parametrize("status", [400, 409])
def test_a_no_at_once_is_a_refusal(site: Cloud, status: int) -> None:
    said = {"conflictingRequest": {"code": status, "message": "Instance is\n locked"}}
    site.answers[f"POST /servers/{site.machines[0].id}/action"] = (status, said)
    with pytest.raises(MigrationRefusedError, match=rf"^node0 cannot go to h1: Instance is locked \(HTTP {status}\)$"):
        finish(driver().migrate("node0", "h1"))


@pytest.mark.parametrize("status", [403, 404])
def test_any_other_no_is_one_to_every_target(site: Cloud, status: int) -> None:
    said = {"forbidden": {"code": status, "message": "Policy says no."}}
    site.answers[f"POST /servers/{site.machines[0].id}/action"] = (status, said)
    with pytest.raises(CloudError, match=rf"^node0 cannot go to h1: Policy says no\. \(HTTP {status}\)") as caught:
        driver().migrate("node0", "h1").poll()
    assert type(caught.value) is CloudError


def test_a_no_of_the_scheduler_is_a_refusal_with_its_reason(site: Cloud) -> None:
    site.course, site.reason = ["accepted", "error"], "No valid host was found. "
    with pytest.raises(MigrationRefusedError, match=r"^h1 does not take node0: No valid host was found\.$"):
        finish(driver().migrate("node0", "h1"))


def test_a_no_before_there_is_a_record_is_a_refusal(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "record", lambda machine, target: None)
    migration = driver().migrate("node0", "h1")
    assert migration.poll() == Progress("starting")
    site.reason = "Compute host h1 could not be found."
    with pytest.raises(MigrationRefusedError, match=r"^h1 does not take node0: Compute host h1 could not be found"):
        migration.poll()
    site.reason = None
    monkeypatch.setattr(openstack_work, "BEGIN_S", 0.0)
    with pytest.raises(MigrationRefusedError, match="Nova has not begun within 0 s"):
        migration.poll()


def test_a_failure_on_the_way_says_where_the_machine_is(site: Cloud) -> None:
    site.course = ["running", "error"]
    migration = driver().migrate("node0", "h1")
    with pytest.raises(CloudError, match=r"^node0: the migration is in state error; it runs on h0$") as caught:
        finish(migration)
    assert not isinstance(caught.value, MigrationRefusedError)
    migration.close()
    assert not any(each.startswith("DELETE") for each in site.requests)


def test_a_half_done_migration_is_told(site: Cloud) -> None:
    site.course = ["running", "failed"]
    migration = driver().migrate("node0", "h1")
    migration.poll()
    site.machines[0].host, site.machines[0].status = "h1", "ERROR"
    with pytest.raises(
        CloudError, match=r"^node0: .* state failed; it is on h1 in state ERROR, which needs its owner$"
    ):
        finish(migration)


def test_a_migration_that_only_calls_itself_completed_is_told(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "step", lambda record: "completed")
    with pytest.raises(CloudError, match=r"^node0: Nova calls the migration completed; it runs on h0$") as caught:
        finish(driver().migrate("node0", "h1"))
    assert not isinstance(caught.value, MigrationRefusedError)


@pytest.mark.parametrize("cell_is_down", [False, True])
def test_a_migration_that_ended_well_is_told_so_whatever_the_cloud_answers_after_it(
    site: Cloud, cell_is_down: bool
) -> None:
    migration = driver().migrate("node0", "h1")
    machine = site.machines[0]
    lost = {"server": {"id": machine.id, "tenant_id": machine.project, "status": "UNKNOWN"}}
    site.answers[f"GET /servers/{machine.id}"] = (200, lost) if cell_is_down else (500, "trouble")
    assert isinstance(finish(migration)[1], Moved)
    assert site.machines[0].host == "h1"


def test_an_aborted_migration_leaves_the_machine_where_it_was(site: Cloud) -> None:
    site.course = ["accepted", "queued", "running"]
    migration = driver().migrate("node0", "h1")
    migration.poll()
    migration.abort()  # too early for Nova: asked again with the next look
    with pytest.raises(CloudError, match=r"^node0: the migration was aborted; it runs on h0$"):
        finish(migration)
    assert [each for each in site.requests if each.startswith("DELETE")] == [
        f"DELETE /servers/{site.machines[0].id}/migrations/1"
    ] * 2


def test_closing_aborts_and_waits_for_the_end(site: Cloud) -> None:
    site.course = ["running"]
    migration = driver().migrate("node0", "h1")
    migration.poll()
    migration.close()
    assert site.records[0]["status"] == "cancelled"


def test_an_answer_that_is_lost_does_not_lose_the_migration(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = site.machines[0]
    site.answers[f"POST /servers/{machine.id}/action"] = None
    with monkeypatch.context() as patch:
        patch.setattr(driver_module, "TIMEOUT_S", 2.0)
        patch.setattr(openstack_work, "BEGIN_S", 1.0)
        unknown = (
            r"^Nova did not confirm the migration of node0 \(OpenStack site"
            r"(: Request to http://\S+/action timed out| did not answer within 2 s)\): "  # whichever notices first
            r"1 s later no migration was seen and it was on h0, but one may still begin$"
        )
        with pytest.raises(EndUnknownError, match=unknown):
            finish(driver().migrate("node0", "h1"))
    site.answers[f"POST /servers/{machine.id}/action"] = lambda: take(site)
    said, _ = finish(driver().migrate("node0", "h1"))
    assert "64 MiB copied, 32 MiB left" in said and machine.host == "h1"


def test_a_request_that_nova_comes_to_late_is_followed(site: Cloud) -> None:
    migration = unanswered(site)
    take(site)
    assert isinstance(finish(migration)[1], Moved)
    assert site.machines[0].host == "h1"


def test_a_request_that_nova_comes_to_late_is_aborted(site: Cloud) -> None:
    migration = unanswered(site)
    migration.abort()
    assert isinstance(migration.poll(), Progress)  # there is nothing yet that could be aborted
    take(site)
    with pytest.raises(CloudError, match=r"^node0: the migration was aborted; it runs on h0$"):
        finish(migration)
    assert site.machines[0].host == "h0"


@pytest.mark.parametrize("aborted", [False, True])
def test_of_a_request_that_nova_never_comes_to_nothing_is_claimed(
    site: Cloud, monkeypatch: pytest.MonkeyPatch, aborted: bool
) -> None:
    migration = unanswered(site)
    if aborted:
        migration.abort()
    site.machines[0].task = "migrating"
    monkeypatch.setattr(openstack_work, "BEGIN_S", 0.0)
    with pytest.raises(
        EndUnknownError, match=r"no migration was seen and it was on h0 \(busy: migrating\), but one may"
    ):
        migration.poll()
    migration.close()  # asks no more
    assert not any(each.startswith("DELETE") for each in site.requests)


def unanswered(site: Cloud) -> OpenstackMigration:
    """A migration that Nova was asked for when the line was hung up, looked at three times."""
    site.answers[f"POST /servers/{site.machines[0].id}/action"] = lambda: None
    migration = driver().migrate("node0", "h1")
    for _ in range(3):
        said = migration.poll()
        assert isinstance(said, Progress) and said.answered
        assert said.text.startswith("not known to have begun: OpenStack site: ")
    return migration


def take(site: Cloud) -> None:
    site.machines[0].task = "migrating"
    site.record(site.machines[0], "h1")


def test_a_silent_cloud_is_told_and_asked_again(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    site.answers["GET /os-hypervisors/detail"] = None
    with monkeypatch.context() as patch:
        patch.setattr(driver_module, "TIMEOUT_S", 1.0)
        asked = driver()
        with pytest.raises(CloudError, match=r"^OpenStack site did not answer within 1 s$"):
            asked.inventory()
    del site.answers["GET /os-hypervisors/detail"]
    (hung,) = asked._worker._hung
    hung.join(10)  # its own patience ends as well
    assert len(asked.inventory().servers) == 2


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (
            "/os-hypervisors/detail",
            "<html>busy</html>",
            "/os-hypervisors/detail makes no sense: all of it: Invalid JSON",
        ),
        (
            "/os-hypervisors/detail",
            {"hypervisors": [{"id": "1"}]},
            r"makes no sense: hypervisors\.0\.state: Field required",
        ),
        (
            "/servers/detail",
            {"servers": None},
            "/servers/detail makes no sense: servers: Input should be a valid array",
        ),
        ("/resource_providers/rp-1/inventories", {"inventories": {}}, "Placement does not report the capacity of h1"),
        (
            "/resource_providers/rp-0/allocations",
            {"allocations": {}},
            r"does not report the resources of node0 on h0\n  .*heal_allocations --instance ",
        ),
        ("/os-server-groups", [], "/os-server-groups makes no sense"),
        ("/v3/auth/tokens", "ok", "."),
    ],
)
def test_nonsense_is_no_inventory(site: Cloud, path: str, body: object, message: str) -> None:
    site.answers[f"{'POST' if 'tokens' in path else 'GET'} {path}"] = (200, body)
    with pytest.raises(CloudError, match=message) as caught:
        driver().inventory()
    assert "\n" not in caught.value.message


def test_nonsense_on_the_way_leaves_the_migration_to_nova(site: Cloud) -> None:
    migration = driver().migrate("node0", "h1")
    site.answers["GET /os-migrations"] = (200, {"migrations": [{"id": "?"}]})
    said = migration.poll()
    assert isinstance(said, Progress) and not said.answered
    assert "the answer to /os-migrations makes no sense: migrations.0.id" in said.text
    del site.answers["GET /os-migrations"]
    assert isinstance(finish(migration)[1], Moved)


def test_a_token_that_expired_is_renewed(site: Cloud) -> None:
    asked = driver()
    asked.inventory()
    site.tokens.clear()
    site.tokens.append("another one")
    assert len(asked.inventory().servers) == 2


def test_expired_credentials_are_told_and_renewed_ones_taken(site: Cloud, tmp_path: Path) -> None:
    asked = driver()
    asked.inventory()
    site.tokens.clear()
    site.password = "a new one"
    with pytest.raises(
        CloudError, match=r"^OpenStack site: .*requires authentication.*credentials in clouds\.yaml still valid"
    ):
        asked.inventory()
    write_clouds(tmp_path, site, site.password)
    assert len(asked.inventory().servers) == 2


def test_a_role_that_does_not_suffice_is_told(site: Cloud) -> None:
    site.answers["GET /os-hypervisors/detail"] = (403, {"forbidden": {"code": 403, "message": "Policy says no."}})
    with pytest.raises(CloudError, match=r"^OpenStack site: Policy says no\. \(HTTP 403\): this needs the role admin"):
        driver().inventory()


def test_a_cloud_that_is_not_there_is_told_in_a_line(site: Cloud, tmp_path: Path) -> None:
    (tmp_path / "clouds.yaml").write_text(CLOUDS.format(address="http://127.0.0.1:1", password=PASSWORD))
    with pytest.raises(CloudError) as caught:
        driver().inventory()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


def test_the_cloud_is_the_one_that_os_cloud_names(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    table = TABLE.replace('cloud = "site"\n', "")
    with pytest.raises(ConfigError, match=r"\[cloud\] does not name the cloud"):
        driver(table)
    # Single credentials in the environment are nobody's usual place for two clouds.
    monkeypatch.setenv("OS_PASSWORD", "not this one")
    monkeypatch.setenv("OS_CLOUD", "site")
    assert driver(table).site == driver().site
    assert len(driver(table).inventory().servers) == 2


def test_a_cloud_that_clouds_yaml_does_not_name_is_told(site: Cloud) -> None:
    with pytest.raises(ConfigError, match=r"clouds\.yaml: cloud elsewhere: Cloud elsewhere was not found"):
        driver(TABLE.replace('"site"', '"elsewhere"'))


def test_nothing_secret_is_ever_shown(site: Cloud, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    cluster = tmp_path / "c.toml"
    cluster.write_text(CLUSTER + TABLE)
    shown = [CliRunner().invoke(command, ["show", str(cluster)])]
    site.answers["GET /servers/detail"] = (500, "trouble")
    shown.append(CliRunner().invoke(command, ["show", str(cluster)]))
    site.password = "a new one"
    shown.append(CliRunner().invoke(command, ["migrate", str(cluster), "node0", "h1"]))
    (tmp_path / "clouds.yaml").write_text(f'clouds:\n  site:\n    auth: {{password: "{PASSWORD}\n')
    shown.append(CliRunner().invoke(command, ["show", str(cluster)]))
    assert [type(each.exception) for each in shown] == [type(None), CloudError, CloudError, ConfigError]
    assert str(shown[3].exception).startswith(f"{tmp_path}/clouds.yaml: is not YAML\n")
    traces = ["".join(traceback.format_exception(each.exception)) for each in shown if each.exception]
    text = caplog.text + "".join([each.output for each in shown] + traces)
    assert PASSWORD not in text and "secret-token" not in text


def test_by_hand_a_machine_moves(site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlead.cli.cloud.POLL_S", 0.01)
    cluster = tmp_path / "c.toml"
    cluster.write_text(CLUSTER + TABLE.replace('dirty_rate = "80mbit"\n', ""))
    done = CliRunner().invoke(command, ["migrate", str(cluster), "node0", "h1"])
    assert done.exit_code == 0 and "node0 moved to h1 in" in done.output, done.output
    assert site.machines[0].host == "h1"
    assert "unknown" in CliRunner().invoke(command, ["show", str(cluster)]).output


def test_without_openstacksdk_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openstack", "keystoneauth1", "keystoneauth1.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingToolError, match="Python has no openstacksdk here") as caught:
        driver()
    assert f"{sys.executable} -m pip install 'openstacksdk" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"openstack"', '"openstuck"', r"cloud: 'driver' must be one of 'libvirt', 'openstack'"),
        ('uplink = "10gbit"', "uplink = 10", r"c\.toml:15: cloud\.uplink: .*10 is not a rate"),
        ('cloud = "site"', 'password = "p"', r"cloud\.password: unknown key `password`; known are driver, "),
    ],
)
def test_a_wrong_cloud_table_names_its_key(old: str, new: str, message: str) -> None:
    assert old in TABLE
    with pytest.raises(ConfigError, match=message):
        parse_cluster(CLUSTER + TABLE.replace(old, new), source="c.toml")
