"""Machines that are made: by an imitated OpenStack cloud, and the command."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairlead.cli import cloud as by_hand
from fairlead.cloud import Created, Creation, Progress, openstack_work
from fairlead.cloud.ending import EndUnknownError
from fairlead.errors import CloudError, CreationRefusedError

from .imitated_openstack import Cloud
from .openstack_site import CLUSTER, TABLE, driver, serve


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    monkeypatch.setattr(openstack_work, "POLL_S", 0.0)
    yield from serve(tmp_path, monkeypatch)


def finish(creation: Creation) -> tuple[list[str], Created]:
    said, deadline_s = [], time.monotonic() + 20
    while isinstance(now := creation.poll(), Progress):
        assert time.monotonic() < deadline_s, said
        said.append(now.text)
    return said, now


def names(site: Cloud) -> list[str]:
    return [machine.name for machine in site.machines]


def test_a_machine_is_made_like_another_one(site: Cloud) -> None:
    site.machines[0].networks = ["net-1", "net-2"]
    creation = driver().create("node2", "node0", "h1")
    assert names(site) == ["node0", "node1"], "it begins when it is polled"
    said, made = finish(creation)
    creation.close()
    assert (said, made.server) == (["scheduling"], "h1")
    assert 0.0 < made.time_s < 20.0
    assert site.wanted == [
        {
            "server": {
                "name": "node2",
                "imageRef": "i-1",
                "flavorRef": "f-2",
                "networks": [{"uuid": "net-1"}, {"uuid": "net-2"}],
                "host": "h1",
                "metadata": {"use": "mpi"},
                "key_name": "key",
                "security_groups": [{"name": "inside"}],
            }
        }
    ]
    assert driver().inventory().vm("node2").server == "h1"


def test_without_networks_it_has_none(site: Cloud) -> None:
    finish(driver().create("node2", "node0", "h1"))
    assert site.wanted[0]["server"]["networks"] == "none"
    assert "security_groups" not in site.wanted[0]["server"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("node2", "node0", "h7"), "there is no server h7"),
        (("node2", "node7", "h1"), "no machine node7 runs on any server"),
        (("node1", "node0", "h1"), "a machine node1 already exists"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    site: Cloud, arguments: tuple[str, str, str], said: str
) -> None:
    with pytest.raises(CreationRefusedError, match=said):
        driver().create(*arguments)
    assert site.wanted == []


def test_a_machine_made_from_a_volume_is_no_model(site: Cloud) -> None:
    site.machines[0].image = ""
    with pytest.raises(CreationRefusedError, match=r"node0 was made from a volume"):
        driver().create("node2", "node0", "h1")


def test_a_server_without_room_takes_none(site: Cloud) -> None:
    site.hosts["h1"].inventories["VCPU"]["total"] = 1
    with pytest.raises(CreationRefusedError, match=r"h1 has no room"):
        driver().create("node2", "node0", "h1")


def test_a_quota_that_is_used_up_is_a_refusal(site: Cloud) -> None:
    site.answers["POST /servers"] = 403, {"forbidden": {"code": 403, "message": "Quota exceeded for instances"}}
    with pytest.raises(CreationRefusedError, match=r"node2 cannot be made on h1: Quota exceeded for instances"):
        driver().create("node2", "node0", "h1").poll()
    assert names(site) == ["node0", "node1"]


def test_one_that_fails_is_taken_away(site: Cloud) -> None:
    site.reason = "No valid host\nwas found."
    with pytest.raises(CreationRefusedError, match=r"node2 cannot be made on h1: No valid host was found\.$"):
        finish(driver().create("node2", "node0", "h1"))
    assert names(site) == ["node0", "node1"]


def test_one_that_is_given_up_is_taken_away(site: Cloud) -> None:
    site.slow = True
    creation = driver().create("node2", "node0", "h1")
    creation.poll()
    assert "node2" in names(site)
    creation.abort()
    with pytest.raises(CloudError, match=r"node2 was cancelled, and is being deleted") as caught:
        finish(creation)
    assert not isinstance(caught.value, CreationRefusedError)
    assert names(site) == ["node0", "node1"]


def test_let_go_of_it_is_given_up(site: Cloud) -> None:
    site.slow = True
    creation = driver().create("node2", "node0", "h1")
    creation.poll()
    creation.close()
    assert names(site) == ["node0", "node1"]
    driver().create("node3", "node0", "h1").close()
    assert len(site.wanted) == 1, "one that was never polled never began"


def test_a_yes_that_was_lost_is_found(site: Cloud) -> None:
    def lost() -> None:
        del site.answers["POST /servers"]
        site.answer("POST", "/servers", {}, {"server": {"name": "node2", "host": "h1"}})

    site.answers["POST /servers"] = lost
    said, made = finish(driver().create("node2", "node0", "h1"))
    assert made.server == "h1" and "starting" not in said[1:]
    assert names(site) == ["node0", "node1", "node2"]


def test_a_request_that_came_to_nothing_is_told(site: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openstack_work, "BEGIN_S", 0.2)
    site.answers["POST /servers"] = 503, {"error": {"message": "busy"}}
    with pytest.raises(
        EndUnknownError, match=r"Nova did not confirm the creation of node2 \(.*busy.*\): 0\.2 s later it did not exist"
    ):
        finish(driver().create("node2", "node0", "h1"))


def test_one_bad_answer_is_not_its_end(site: Cloud) -> None:
    creation = driver().create("node2", "node0", "h1")
    creation.poll()
    path = f"GET /servers/{site.machines[2].id}"
    site.answers[path] = 503, {"error": {"message": "busy"}}
    said = creation.poll()
    assert isinstance(said, Progress) and not said.answered
    del site.answers[path]
    assert finish(creation)[1].server == "h1"


def by_command(directory: Path, *more: str) -> Result:
    cluster = directory / "c.toml"
    cluster.write_text(CLUSTER + TABLE)
    return CliRunner().invoke(by_hand.command, ["create", str(cluster), "node2", "h1", "--like", "node0", *more])


def test_the_command_makes_one(site: Cloud, tmp_path: Path) -> None:
    done = by_command(tmp_path)
    assert done.exit_code == 0, done.output
    assert "scheduling\n" in done.output
    assert "node2 runs on h1 after " in done.output
    assert names(site) == ["node0", "node1", "node2"]


def test_the_command_tells_it_as_json(site: Cloud, tmp_path: Path) -> None:
    done = by_command(tmp_path, "--json")
    told: dict[str, Any] = json.loads(done.output)
    assert told.pop("time_s") > 0
    assert told == {"vm": "node2", "server": "h1"}


def test_ctrl_c_leaves_nothing(site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.slow = True

    def interrupted(work: Creation, *arguments: Any, **named: Any) -> None:
        work.poll()
        raise KeyboardInterrupt

    monkeypatch.setattr(by_hand, "_follow", interrupted)
    done = by_command(tmp_path)
    assert done.exit_code == 1
    assert "node2 was cancelled, and is being deleted" in done.output
    assert names(site) == ["node0", "node1"]


def test_what_is_not_known_has_a_way_out(site: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openstack_work, "BEGIN_S", 0.2)
    site.answers["POST /servers"] = 503, {"error": {"message": "busy"}}
    done = by_command(tmp_path)
    assert isinstance(done.exception, EndUnknownError)
    assert "but it may still be created\n  check where it is when the cloud answers again" in str(done.exception)


def test_compute_hosts_and_flavors_come_page_by_page(site: Cloud) -> None:
    site.pages = 1
    assert [each.name for each in driver().inventory().servers] == ["h0", "h1"]
    driver().create("node9", "node0", "h1").poll()  # its flavor is the second
    assert site.wanted[-1]["server"]["flavorRef"] == "f-2"


def test_machines_of_a_cell_that_is_down_take_room_and_hide_no_others(site: Cloud) -> None:
    room = driver().inventory().server("h1").cpus
    site.add("lost", "h1", status="UNKNOWN")
    found = driver().inventory()
    assert {vm.name for vm in found.vms} == {"node0", "node1"}
    assert found.server("h1").cpus == room - 2


def test_a_machine_whose_cell_goes_down_has_not_gone(site: Cloud) -> None:
    """It was left out: agents were told that it shares no server with others any more."""
    openstack = driver()
    assert {vm.name for vm in openstack.inventory().vms} == {"node0", "node1"}
    site.machines[1].status = "UNKNOWN"
    with pytest.raises(CloudError, match="Nova does not tell where node1 is: its cell is down"):
        openstack.inventory()
