"""Where control groups for processors can be, read from texts; what is written there, and what the kernel makes of it.

Evaluations that use them are in tests/unit/experiment/test_evaluation_run.py.
"""

import os
from pathlib import Path

import pytest

from fairlead.cluster import cgroups

from .. import user_mode_linux
from . import cgroups_inside

MOUNTS = """\
22 1 0:20 / /proc rw - proc proc rw
30 22 0:26 / {0}/two rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate
31 22 0:27 / {0}/cpuset rw - cgroup cgroup rw,cpuset
32 22 0:28 /docker/7f {0}/one rw - cgroup cgroup rw,cpu,cpuacct
"""


def machine(directory: Path, own: str) -> Path:
    for path in ("two/user/shell", "one/job", "cpuset"):
        (directory / path).mkdir(parents=True)
    for path, controllers in (("two", "cpu memory"), ("two/user", "cpu"), ("two/user/shell", "memory")):
        (directory / path / "cgroup.subtree_control").write_text(controllers + "\n")
    (directory / "mountinfo").write_text(MOUNTS.format(directory))
    (directory / "cgroup").write_text(own)
    return directory


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("0::/user/shell\n", [("two/user", 2), ("two", 2)]),
        ("0::/\n", [("two", 2)]),
        ("4:cpuacct,cpu:/docker/7f/job\n2:cpuset:/\n", [("one/job", 1), ("one", 1)]),
        ("4:cpu,cpuacct:/elsewhere\n", [("one", 1)]),
        ("2:cpuset:/\n", []),
    ],
)
def test_groups_are_made_where_this_process_is_or_above(tmp_path, monkeypatch, own, found):
    monkeypatch.setattr(cgroups, "_PROC", machine(tmp_path, own))
    assert list(cgroups.places()) == [(tmp_path / path, version) for path, version in found]


def test_mounts_and_groups_whose_names_are_no_text_are_passed_over(tmp_path, monkeypatch):
    there = machine(tmp_path, "")
    (there / "cgroup").write_bytes(b"1:name=l\xfc:/\n0::/user/shell\n")
    with (there / "mountinfo").open("ab") as mounts:
        mounts.write(b"35 22 0:45 / /media/B\xfcro rw - vfat /dev/sdd1 rw\n")
    monkeypatch.setattr(cgroups, "_PROC", there)
    assert list(cgroups.places()) == [(tmp_path / "two/user", 2), (tmp_path / "two", 2)]


def test_a_share_of_all_processors_is_a_quota_of_each_period(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    groups = cgroups.Cgroups((tmp_path,), 2)
    groups.cap(1 / 4)
    assert (tmp_path / "cpu.max").read_text() == "150000 100000"
    groups.cap(None)
    assert (tmp_path / "cpu.max").read_text() == "max 100000"
    old = cgroups.Cgroups((tmp_path,), 1)
    old.cap(1 / 4)
    assert (tmp_path / "cpu.cfs_quota_us").read_text() == "150000"
    old.cap(None)
    assert (tmp_path / "cpu.cfs_quota_us").read_text() == "-1"


@pytest.mark.slow
@pytest.mark.uml
@pytest.mark.skipif(not user_mode_linux.IS_THERE, reason="user-mode-linux is not installed")
def test_the_kernels_cgroup_v2_has_the_groups_and_their_caps(tmp_path):
    unavailable, root, delegated = user_mode_linux.result_of(Path(cgroups_inside.__file__), tmp_path)
    assert "there is no cpu controller" in unavailable["error"]
    made = {"version": 2, "ran in": True, "weights": ["100"] * 2, "caps": ["50000 100000"] * 2, "was throttled": True}
    gone = {"ended": -9, "there": [False] * 2}
    assert root == {"where": "/sys/fs/cgroup", **made, **gone}
    assert delegated == {"where": "/sys/fs/cgroup/user", **made, "ended": -9, "there": [False] * 4}
