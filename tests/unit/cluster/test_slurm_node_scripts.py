"""Slurm's prolog and epilog of `native/spank/nodes`, with places of the test's own; tests/lab runs them in Slurm."""

import fcntl
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

NODES = Path(__file__).parents[3] / "native/spank/nodes"
UID = os.getuid() or 65534
Script = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """What calls one of the scripts, as for a job of a user.

    `setcap`, which needs root, only notes what it is told, and the permissions of the file's directory.
    """
    note = f'echo "$@" "$(stat -c %a "${{2%/*}}")" >>{tmp_path / "setcap.log"}'
    for name, does in (("bin/setcap", note), ("lib/fairlead-guardian", "exit 0")):
        program = tmp_path / name
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{does}\n")
        program.chmod(0o755)
    env = {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "FAIRLEAD_LIB": str(tmp_path / "lib"),
        "FAIRLEAD_LENT": str(tmp_path / "var/lent"),
        "FAIRLEAD_JOBS": str(tmp_path / "jobs"),
        "FAIRLEAD_LOCK": str(tmp_path / "lock"),
        "FAIRLEAD_PATIENCE_S": "0.2",
        "SLURM_JOB_UID": str(UID),
        "SLURM_JOB_ID": "7",
    }

    def run(name: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", str(NODES / name)], env=env, capture_output=True, text=True, timeout=30, check=True, umask=0o077
        )

    return run


def test_a_guardian_is_lent_and_taken_back(script: Script, tmp_path: Path) -> None:
    assert script("prolog.sh").stderr == ""
    assert (tmp_path / "var/lent" / str(UID) / "fairlead-guardian").is_file()
    for place in ("var", "var/lent", f"var/lent/{UID}"):
        assert (tmp_path / place).stat().st_mode & 0o777 == 0o755, "its user has to come there"
    assert script("epilog.sh").stderr == ""
    assert not (tmp_path / "var/lent" / str(UID)).exists()


@pytest.mark.parametrize("name", ["prolog.sh", "epilog.sh"])
def test_no_user_can_open_the_lock_of_the_node(script: Script, tmp_path: Path, name: str) -> None:
    """Who may read it may hold it, and all jobs of the node would wait."""
    lock = tmp_path / "lock"
    script(name)
    assert lock.stat().st_mode & 0o777 == 0o600
    lock.chmod(0o644)
    script(name)
    assert lock.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "said"), [("prolog.sh", "could not be lent"), ("epilog.sh", "may still have a guardian")]
)
def test_a_lock_that_is_held_holds_no_job(script: Script, tmp_path: Path, name: str, said: str) -> None:
    with (tmp_path / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert said in script(name).stderr


def test_a_guardian_has_its_privilege_before_its_user_can_reach_it(script: Script, tmp_path: Path) -> None:
    """As its owner, the user could write a program of his own into it, and that would have the privilege then."""
    script("prolog.sh")
    staged = tmp_path / "var/lent/.staged"
    assert (tmp_path / "setcap.log").read_text() == f"cap_net_admin+ep {staged}/fairlead-guardian 700\n"
    assert list(staged.iterdir()) == []


def test_a_guardian_that_is_replaced_loses_its_privilege_under_all_names(script: Script, tmp_path: Path) -> None:
    """As its owner, the user may have linked it elsewhere; after an upgrade no epilog would come to it any more."""
    script("prolog.sh")
    lent = tmp_path / "var/lent"
    (tmp_path / "lib/fairlead-guardian").write_text("#!/bin/sh\n# a later version\n")
    (tmp_path / "setcap.log").unlink()
    script("prolog.sh")
    assert (tmp_path / "setcap.log").read_text().splitlines() == [
        f"cap_net_admin+ep {lent}/.staged/fairlead-guardian 700",
        f"-r {lent}/{UID}/fairlead-guardian 755",
    ]
    assert "a later version" in (lent / str(UID) / "fairlead-guardian").read_text()


@pytest.mark.parametrize(
    ("getcap", "taken_back"), [("exit 0", True), ('echo "$1 cap_net_admin=ep"', False), ("exit 1", False)]
)
def test_a_guardian_that_may_keep_its_privilege_is_not_taken_for_stripped(
    script: Script, tmp_path: Path, getcap: str, taken_back: bool
) -> None:
    """`setcap -r` also fails of a file without a capability."""
    script("prolog.sh")
    for name, does in (("setcap", "exit 1"), ("getcap", getcap)):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    assert ("may still have a guardian" in script("epilog.sh").stderr) is not taken_back
    assert (tmp_path / "var/lent" / str(UID)).exists() is not taken_back
