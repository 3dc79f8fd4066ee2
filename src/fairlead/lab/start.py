"""Bringing a lab up."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

from fairlead import files, native, runtime
from fairlead.descriptors import readable
from fairlead.errors import LabError, MissingToolError, PrivilegeError, of_system
from fairlead.lab import aggregate, congestion, recipe, state
from fairlead.lab.congestion import runner
from fairlead.lab.description import Description
from fairlead.lab.holder import Job, Namespace, Ready
from fairlead.lab.lab import Lab, end_holder
from fairlead.lab.resolve import resolve_lab
from fairlead.lab.state import LabRecord, Owner
from fairlead.lab.topology import ResolvedLab
from fairlead.runtime import Process

UP_TIMEOUT_S = 60.0
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
_NAMESPACES_HINT = (
    "a limit of namespaces may be reached: end other labs (`fairlead lab show`), or raise user.max_net_namespaces and "
    "user.max_mnt_namespaces with sysctl"
)
_PIECE_B = 1 << 16  # of what a holder says
_PRIVATE = Path("/tmp")  # what every host has of its own, and where shared directories are shown again


def up(
    description: Description,
    *,
    name: str | None = None,
    scale: float | None = None,
    share: Iterable[Path] = (),
    user_namespace: bool | None = None,
    ledger: Path | None = None,
) -> Lab:
    """Start a lab and return once its hosts can talk to each other.

    Args:
        description: what to make.
        name: overrides the description's, so that several labs of one description can run.
        scale: overrides the description's.
        share: directories below /tmp (which is private in every host) to show in the hosts. The working directory,
            fairlead's own files and the description's ``share`` are shown anyway.
        user_namespace: whether to make it inside a user namespace; by default where this process lacks the privileges.
        ledger: where this process notes what it has running: the lab is for it alone, and left over once it is gone
            (`fairlead.lab.left_over`). None: the lab stays until somebody ends it.

    Raises:
        LabError: a lab of that name is running, or the kernel refused something.
        PrivilegeError: an ordinary user may not make user namespaces here.
        MissingToolError: ip, tc or a program of ours is missing.
    """
    plan = resolve_lab(description, name, scale)
    for entry in description.congestion:
        congestion.check(plan, entry)
    _check_congestion_control(plan)
    directory = state.lab_directory(plan.name)
    with _named(directory):
        owner: Owner | None = None
        if ledger is not None:
            owner = {"process": state.note(Process.own()), "ledger": str(ledger.absolute())}
        lab = _made(plan, directory, [*description.lab.share, *share], user_namespace, owner)
    try:
        for entry in description.congestion:
            runner.start(lab, entry)
    except BaseException:
        lab.down()
        raise
    return lab


def _made(
    plan: ResolvedLab, directory: Path, share: list[Path], user_namespace: bool | None, owner: Owner | None
) -> Lab:
    """The lab itself, without congestion; of one that cannot be made nothing is left."""
    _claim(plan.name, directory)
    try:
        program = native.program("fairlead-enter")
        job = _job(plan, directory, share, not _is_privileged() if user_namespace is None else user_namespace)
        with _starting(job) as process:
            return _finish(process, directory, partial(_record, plan, job["user_namespace"], str(program), owner))
    except BaseException:
        holder = state.holder_of(directory)
        if holder is not None:  # it was told to stay already when Ctrl-C came
            end_holder(holder)
        state.remove(directory)
        raise


@contextlib.contextmanager
def _named(directory: Path) -> Iterator[None]:
    """Errors of the system while a lab's files are written, with the directory where the error names no file."""
    try:
        yield
    except OSError as error:
        hint = f"free some space there, or set {runtime.VARIABLE} to another directory"
        raise of_system(error, error.filename or directory, hint=hint, kind=LabError) from error


def _claim(name: str, directory: Path) -> None:
    """Make the lab's directory; at most one process gets it."""
    with state.claiming():
        state.remove_stale()
        if directory.exists():
            state.read(directory)  # where that is not possible, it is not known whether the lab runs
            raise LabError(
                f"lab {name} is already running", hint=f"`fairlead lab down {name}` ends it; --name gives another name"
            )
        directory.mkdir(mode=0o700)
        own = Process.own()
        try:
            (directory / "starter").write_text(f"{own.pid} {own.start_ticks}\n")
        except OSError:
            state.remove(directory)
            raise


def _is_privileged() -> bool:
    """Whether this process may make namespaces and devices as it is (CAP_SYS_ADMIN and CAP_NET_ADMIN)."""
    status = Path("/proc/self/status").read_text()
    effective = int(status.partition("CapEff:")[2].split()[0], 16)
    return all(effective >> capability & 1 for capability in (CAP_NET_ADMIN, CAP_SYS_ADMIN))


def _check_congestion_control(plan: ResolvedLab) -> None:
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if plan.congestion_control not in available:
        raise LabError(
            f"congestion control {plan.congestion_control!r} is not loaded in this kernel",
            hint=f"available: {', '.join(available)}; or `modprobe tcp_{plan.congestion_control}` as root",
        )


def _tool(name: str) -> str:
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        package = "nftables" if name == "nft" else "iproute2"
        raise MissingToolError(f"{name} is not installed", hint=f"install {package} (apt-get install {package})")
    return path


def _shared_directories(directory: Path, wanted: list[Path]) -> list[str]:
    """Directories below /tmp that hosts need to see; parents before children, none inside another."""
    candidates = [directory.parent.parent, Path.cwd(), native.directory(), Path(sys.prefix), Path(__file__).parents[2]]
    candidates += wanted
    shown: list[Path] = []
    for path in sorted({path.resolve() for path in candidates}):
        below = path.is_relative_to(_PRIVATE) and path != _PRIVATE
        if below and not any(path.is_relative_to(other) for other in shown):
            if not path.is_dir():
                raise LabError(f"share: {path} is not a directory")
            shown.append(path)
    return [str(path) for path in shown]


def _job(plan: ResolvedLab, directory: Path, share: list[Path], user_namespace: bool) -> Job:
    names = "".join(f"{host.address} {host.name}\n" for host in plan.hosts)
    hosts_file = directory / "etc-hosts"
    hosts_file.write_text("127.0.0.1 localhost\n" + names)
    hosts_file.chmod(0o644)
    namespaces = recipe.namespaces(plan)
    tools = ("ip", "tc", "nft") if any(space.nft for space in namespaces) else ("ip", "tc")
    return {
        "congestion_control": plan.congestion_control,
        "tools": {name: _tool(name) for name in tools},
        "share": _shared_directories(directory, share),
        "hosts_file": str(hosts_file),
        "links": recipe.links(plan),
        "namespaces": [cast(Namespace, asdict(space)) for space in namespaces],  # JSON has no tuples
        "user_namespace": user_namespace,
    }


class _Lines:
    """The lines that a holder says. Several may come at once, where this process was stopped meanwhile."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""

    def next(self, deadline_s: float) -> bytes:
        """The next one; empty where there is no whole one any more.

        Raises:
            LabError: it does not come by ``deadline_s``, by the monotonic clock.
        """
        while b"\n" not in self._rest:
            if not readable(self._descriptor, max(0.0, deadline_s - time.monotonic())):
                raise LabError(f"the lab was not ready within {UP_TIMEOUT_S:g} s")
            part = os.read(self._descriptor, _PIECE_B)
            if not part:
                return b""
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line


@contextlib.contextmanager
def _starting(job: Job) -> Iterator[subprocess.Popen[bytes]]:
    """A holder being started; it and all it made end if the block is left by an exception."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).with_name("holder.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the starter, which cleans up
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):  # it has died, as `_message` tells
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
        yield process
    finally:
        with contextlib.suppress(BrokenPipeError):  # of what it did not read
            process.stdin.close()  # without a "keep" before it, the holder ends
        process.stdout.close()
        process.wait()


def _finish(process: subprocess.Popen[bytes], directory: Path, record_of: Callable[[Process, Ready], LabRecord]) -> Lab:
    assert process.stdin is not None
    assert process.stdout is not None
    said, deadline_s = _Lines(process.stdout.fileno()), time.monotonic() + UP_TIMEOUT_S
    holder = Process.of(_message(said, "holder", deadline_s))
    try:
        ready: Ready = _message(said, "ready", deadline_s)
        record = record_of(holder, ready)
        _write_files(directory, record, ready)
        process.stdin.write(b"keep\n")
        process.stdin.flush()
    except BaseException:
        end_holder(holder)
        raise
    return Lab(directory, record)


def _message(said: _Lines, kind: str, deadline_s: float) -> Any:
    line = said.next(deadline_s)
    message = json.loads(line) if line else {"error": "the process that holds the lab died"}
    if "error" in message:
        if message.get("privilege"):
            raise PrivilegeError(f"no lab can be made: {message['error']}", hint=_privilege_hint())
        if message.get("errno") == errno.ENOSPC:  # what unshare says where a limit of namespaces is reached
            raise LabError(f"no lab can be made: {message['error']}", hint=_NAMESPACES_HINT)
        raise LabError(f"no lab could be made: {message['error']}", hint=_privilege_hint() if os.geteuid() else "")
    return message[kind]


def _privilege_hint() -> str:
    """The setting that forbids user namespaces here, if one is known to."""
    reasons = {
        "kernel.apparmor_restrict_unprivileged_userns": "0",  # Ubuntu 23.10 and later
        "kernel.unprivileged_userns_clone": "1",  # Debian's patch
    }
    for name, wanted in reasons.items():
        path = Path("/proc/sys", *name.split("."))
        if path.exists() and path.read_text().strip() != wanted:
            return f"run as root, or allow user namespaces: sudo sysctl {name}={wanted}"
    return "run as root, or on a machine that gives ordinary users user namespaces (sysctl user.max_user_namespaces)"


def _record(
    plan: ResolvedLab, user_namespace: bool, enter: str, owner: Owner | None, holder: Process, ready: Ready
) -> LabRecord:
    return {
        "name": plan.name,
        "holder": state.note(holder),
        "pid_namespace": ready["pid_namespace"],
        "congestion_control": {"name": plan.congestion_control, "by": ready["congestion_control_by"]},
        "plan": plan.to_json(),
        "qdiscs": ready["qdiscs"],
        "bonds": aggregate.WAY if any(link.bond for link in plan.links) else None,
        "user_namespace": user_namespace,
        "enter": enter,
        "owner": owner,
    }


_AGENT = """#!/bin/sh
# Remote-shell agent of lab {name}: AGENT [OPTIONS] HOST COMMAND STRING ..., as ssh: the strings are joined with
# spaces for the host's shell, and little of the environment goes along.
while :; do
    case "$1" in
    -*) shift ;;
    *) break ;;
    esac
done
host="$1"
shift
exec env -i HOME="$HOME" USER="${{USER-root}}" LOGNAME="${{LOGNAME-root}}" SHELL=/bin/sh PATH="$PATH" \\
    '{program}' '{directory}' "$host" /bin/sh -c "$*"
"""

_ENTER = """#!/bin/sh
# enter HOST COMMAND [ARGUMENT...]: run a command in a host of lab {name}.
exec '{program}' '{directory}' "$@"
"""


def _write_files(directory: Path, record: LabRecord, ready: Ready) -> None:
    holder = record["holder"]
    lines = [
        f"holder {holder['pid']} {holder['start_ticks']}",
        f"pidns {record['pid_namespace']}",
        f"userns {int(record['user_namespace'])}",
        *(f"host {name} {first}" for name, first in ready["descriptors"].items()),
    ]
    (directory / "namespaces").write_text("\n".join(lines) + "\n")
    program = record["enter"]
    for name, text in (("agent", _AGENT), ("enter", _ENTER)):
        script = directory / name
        script.write_text(text.format(name=record["name"], program=program, directory=directory))
        script.chmod(0o755)
    files.replace(directory / "lab.json", json.dumps(record))  # now the lab is known, for as long as its holder lives
    (directory / "starter").unlink()
