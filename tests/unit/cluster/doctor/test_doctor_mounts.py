"""Checks of file systems, and the texts from which the probe knows them."""

from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster.description import Ssh
from fairlead.cluster.doctor.findings import judge
from fairlead.cluster.doctor.probing import storage

from .doctor_facts import ERROR, NOTE, WARNING, Case, Change, check_case, healthy, named, one, setting, several

MOUNTS = """\
/dev/vda1 / ext4 rw,relatime,errors=remount-ro 0 0
tmpfs /tmp tmpfs rw,nosuid,nodev,noexec,size=8G 0 0
server:/export/home /home nfs4 rw,nosuid,relatime,vers=4.2 0 0
/dev/vdb1 /mnt/my\\040disk xfs ro,relatime 0 0
"""


def home(key: str, value: object) -> Change:
    return setting("facts", "places", "home", key, value=value)


def without_capability(data: dict[str, Any]) -> None:
    data["facts"]["guardian"]["checks"] = [
        {"name": "cap_net_admin", "ok": False, "detail": "not held", "fix": "as root: setcap"}
    ]


CASES: list[Case] = [
    (
        "home_directory",
        WARNING,
        home("read_only", True),
        "/home/alice (ext4, mounted at /home) is read-only",
        "mount -o remount,rw /home",
    ),
    ("home_directory", WARNING, home("free_B", 5 << 20), "has 5 MiB left", "rm -rf ~/.cache/fairlead/*"),
    ("home_directory", WARNING, home("free_inodes", 3), "has 3 inodes left", "rm -rf ~/.cache/fairlead/*"),
    (
        "home_directory",
        WARNING,
        home("write_error", "Disk quota exceeded"),
        "cannot write to /home/alice (ext4, mounted at /home): Disk quota exceeded",
        "quota -s",
    ),
    (
        "home_directory",
        ERROR,
        setting("facts", "places", "home", value=None),
        "there is no home directory",
        "mkhomedir_helper $USER",
    ),
    (
        "no_execution",
        ERROR,
        setting("facts", "places", "program fairlead-agent", "noexec", value=True),
        "/ is mounted noexec: fairlead-agent in /opt/fairlead does not start",
        "mount -o remount,exec /",
    ),
    (
        "no_execution",
        NOTE,
        setting("facts", "places", "tmp", "noexec", value=True),
        "/tmp is mounted noexec: MPI programs there end with exit code 126",
        "mount -o remount,exec /tmp",
    ),
    (
        "guardian_file_system",
        WARNING,
        several(without_capability, setting("facts", "places", "program fairlead-guardian", "nosuid", value=True)),
        "/ is nosuid: setcap on the guardian in /usr/local/bin has no effect",
        "fairlead guardian install cluster",
    ),
    (
        "guardian_file_system",
        WARNING,
        several(without_capability, setting("facts", "places", "program fairlead-guardian", "type", value="nfs4")),
        "/ is of type nfs4, which keeps no file capabilities",
        "puts one into /usr/local/bin",
    ),
]
TRIED = {case[0] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


def test_a_home_directory_that_agents_are_brought_to() -> None:
    apart = healthy(home("read_only", True), ssh=Ssh(shared_files=False))
    found = one(judge(apart), "home_directory")
    assert found.severity == ERROR
    assert found.text.endswith("is read-only: agents are copied to ~/.cache/fairlead there")
    on_home = setting("facts", "places", "home", "noexec", value=True)
    assert one(judge(healthy(on_home, ssh=Ssh(shared_files=False))), "no_execution").severity == ERROR


def test_a_guardian_that_holds_its_capability_lies_well() -> None:
    on_nfs = setting("facts", "places", "program fairlead-guardian", "type", value="nfs4")
    assert not [item for item in judge(healthy(on_nfs)) if item.check == "guardian_file_system"]


def test_file_systems_without_inodes_are_not_full() -> None:
    assert not [item for item in judge(healthy(home("free_inodes", None))) if item.check == "home_directory"]


def test_mounts_as_the_kernel_lists_them() -> None:
    mounts = storage.parse_mounts(MOUNTS)
    assert mounts["/mnt/my disk"] == ("xfs", "ro,relatime")
    assert storage.mount_of("/home/alice/x", mounts) == "/home"
    assert storage.mount_of("/homeless", mounts) == "/"


def test_places_on_them(tmp_path: Path) -> None:
    mounts = {"/": ("ext4", "rw"), str(tmp_path.resolve()): ("nfs4", "ro,nosuid,noexec")}
    found = storage.place(str(tmp_path), mounts)
    assert found is not None
    assert (found["type"], found["read_only"], found["noexec"], found["nosuid"]) == ("nfs4", True, True, True)
    assert found["write_error"] is None
    assert storage.place(str(tmp_path / "nosuch"), mounts) is None
    assert storage.write_error(str(tmp_path)) is None
    assert storage.write_error(str(tmp_path / "nosuch")) == "No such file or directory"
    assert list(tmp_path.iterdir()) == []
