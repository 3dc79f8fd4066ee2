"""Control groups that share this machine's processors among jobs: the cpu controller of cgroup v2, or of v1.

A job is started in its group, and what it starts stays there. Groups are made below those that this user may write to:
root's, or a subtree that was delegated (Documentation/admin-guide/cgroup-v2.rst, "Delegation"; cgroup-v1 and
scheduler/sched-bwc.rst for v1).
"""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fairlead.errors import FairleadError, PrivilegeError
from fairlead.runtime import Process

PERIOD_US = 100_000
END_TIMEOUT_S = 10.0
_ASK_S = 2.0  # what was stopped may need so long to be gone
_ENTER = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
_PROC = Path("/proc/self")


@dataclass(frozen=True)
class Cgroups:
    """Groups of equal weight, beside each other."""

    paths: tuple[Path, ...]
    version: int

    def enter(self, number: int) -> list[str]:
        """Words before a command line that start it in a group."""
        return ["sh", "-c", _ENTER, str(self.paths[number])]

    def cap(self, share: float | None) -> None:
        """Give every group at most this share of all processors, also where others are idle; None: no limit.

        Raises:
            FairleadError: the kernel refused.
        """
        quota_us = None if share is None else round(share * PERIOD_US * (os.cpu_count() or 1))
        for path in self.paths:
            if self.version == 2:
                _write(path / "cpu.max", f"{'max' if quota_us is None else quota_us} {PERIOD_US}")
            else:
                _write(path / "cpu.cfs_period_us", str(PERIOD_US))
                _write(path / "cpu.cfs_quota_us", str(-1 if quota_us is None else quota_us))


def names(number: int) -> list[str]:
    """Names for so many groups, which nobody else has."""
    token = secrets.token_hex(4)
    return [f"fairlead-{token}-{k}" for k in range(number)]


def make(wanted: Sequence[str]) -> Cgroups:
    """Make groups of these names.

    Raises:
        PrivilegeError: there is no place for them; says which were tried.
    """
    reasons = []
    for parent, version in places():
        try:
            return _make(parent, version, wanted)
        except (OSError, FairleadError, subprocess.CalledProcessError) as error:
            reasons.append(f"{parent}: {error.strerror if isinstance(error, OSError) else error}")
            remove([parent / name for name in wanted])
    raise PrivilegeError(
        "cannot create a control group for processors here: " + ("; ".join(reasons) or "there is no cpu controller"),
        hint="run as root, or in a delegated group: systemd-run --user --scope -p Delegate=yes fairlead ...",
    )


def candidates(wanted: Sequence[str]) -> list[Path]:
    """Wherever `make` may make groups of these names."""
    return [parent / name for parent, _ in places() for name in wanted]


def remove(paths: Sequence[Path]) -> None:
    """Remove groups; what still runs in them is killed, for only what was started there can be. None is no error.

    Raises:
        FairleadError: one cannot be removed.
    """
    begin_s = time.monotonic()
    left = [path for path in paths if path.is_dir()]
    while left:
        waited_s = time.monotonic() - begin_s
        for path in left:
            if waited_s > _ASK_S:
                _kill(path)
            with suppress(OSError):  # busy: tried again
                path.rmdir()
        left = [path for path in left if path.is_dir()]
        if left and waited_s > END_TIMEOUT_S:
            raise FairleadError(f"{left[0]}: cannot be removed", hint=f"see {left[0]}/cgroup.procs for what runs in it")
        if left:
            time.sleep(0.05)


def places() -> Iterator[tuple[Path, int]]:
    """Groups that may hold some of ours, with the version of their hierarchy: where this process is, and above."""
    own = {}
    for line in os.fsdecode((_PROC / "cgroup").read_bytes()).splitlines():  # names are of any bytes
        _, controllers, group = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), group))  # v2 has an empty list
    for line in os.fsdecode((_PROC / "mountinfo").read_bytes()).splitlines():
        before, _, after = line.partition(" - ")
        root, mount = before.split()[3:5]
        kind, _, options = after.split()[:3]
        if kind == "cgroup2" and "" in own:
            for path in _upwards(Path(mount), root, own[""]):
                if "cpu" in _words(path / "cgroup.subtree_control"):
                    yield path, 2
        elif kind == "cgroup" and "cpu" in options.split(",") and "cpu" in own:
            for path in _upwards(Path(mount), root, own["cpu"]):
                yield path, 1


def _upwards(mount: Path, root: str, own: str) -> Iterator[Path]:
    """The group that this process is in, and those above it, as far as they are mounted."""
    inside = os.path.relpath(own, root)
    path = mount if inside.startswith("..") else mount / inside
    while path != mount:
        yield path
        path = path.parent
    yield mount


def _make(parent: Path, version: int, wanted: Sequence[str]) -> Cgroups:
    groups = Cgroups(tuple(parent / name for name in wanted), version)
    for path in groups.paths:
        path.mkdir()
        _write(path / ("cpu.weight" if version == 2 else "cpu.shares"), "100" if version == 2 else "1024")
    # A group may be made and yet not be entered: that needs the right to write above both.
    subprocess.run([*groups.enter(0), "true"], check=True, capture_output=True)
    return groups


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise FairleadError(f"{path}: {text!r} was refused: {error.strerror}") from error


def _kill(path: Path) -> None:
    for pid in _words(path / "cgroup.procs"):
        with suppress(ProcessLookupError):
            process = Process.of(int(pid))
            if pid in _words(path / "cgroup.procs"):  # it was in the group when its start was noted
                process.send(signal.SIGKILL)
