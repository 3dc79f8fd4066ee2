"""Install the guardian on hosts, and remove it: as root, which is asked for once on each host."""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fairlead import native
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.guardian import steps
from fairlead.cluster.guardian.places import INSTALLED, PROGRAM
from fairlead.cluster.guardian.state import HostState, host_state
from fairlead.cluster.guardian.steps import RootCommand
from fairlead.cluster.remote.deploy import deploy
from fairlead.cluster.remote.execute import attempt, converse, on_all
from fairlead.errors import FairleadError, HostError, PrivilegeError

TIMEOUT_S = 60.0
LOG_OUT_S = 10.0
# What the user may read, root may not where home directories are on NFS: so it is the user's shell that opens it.
_AS_ROOT = 'exec "$@" <"$0"'
_PACKAGES = {
    "setcap": "libcap2-bin (libcap on Fedora and RHEL)",
    "setpriv": "util-linux",
    "gpasswd": "passwd (shadow-utils on Fedora and RHEL)",
    "groupadd": "passwd (shadow-utils on Fedora and RHEL)",
}


@dataclass(frozen=True)
class InstallPlan:
    """What is to be done on a host.

    Attributes:
        state: what it has.
        users: who is to be in the group.
        steps: commands of root's; empty: nothing is to be done.
    """

    state: HostState
    users: tuple[str, ...]
    steps: tuple[RootCommand, ...]


Carried = TypeVar("Carried")


def on_each(
    hosts: Iterable[str], act: Callable[[str], Carried], *, in_turn: bool = False, to_the_end: bool = False
) -> tuple[dict[str, Carried], dict[str, FairleadError]]:
    """``act`` of each host, and what went wrong on which; at the same time, or in turn where a person is asked.

    Args:
        to_the_end: see `on_all`.
    """

    def tried(host: str) -> Carried | FairleadError:
        try:
            return act(host)
        except FairleadError as error:
            return error

    results = {host: tried(host) for host in hosts} if in_turn else on_all(hosts, tried, to_the_end=to_the_end)
    failed = {host: result for host, result in results.items() if isinstance(result, FairleadError)}
    return {host: result for host, result in results.items() if not isinstance(result, FairleadError)}, failed


def carry_out(
    plans: Mapping[str, InstallPlan], act: Callable[[str, InstallPlan], Carried]
) -> tuple[dict[str, Carried], dict[str, FairleadError]]:
    """`on_each` of the hosts where something is to be done: those first where sudo asks nobody."""
    due = [host for host, plan in plans.items() if plan.steps]
    done, failed = on_each(
        [host for host in due if not _asks(plans[host])], lambda host: act(host, plans[host]), to_the_end=True
    )
    asked, refused = on_each(
        [host for host in due if _asks(plans[host])], lambda host: act(host, plans[host]), in_turn=True
    )
    return done | asked, failed | refused


def plan_installation(executor: Executor, host: str, users: Sequence[str]) -> InstallPlan:
    """What it takes that ``users`` may reroute their traffic on a host; without any, the user that it is reached as.

    Raises:
        HostError: not reached; or it cannot be installed there: no such user, a tool or a mount option is in the way.
    """
    state = host_state(executor, host, users, sudo=True)
    if state.strangers:
        raise HostError(f"{host}: there is no user {' and no user '.join(state.strangers)}", hint="correct --user")
    wanted = tuple(users) or ((state.user,) if state.uid else ())
    found = steps.installation(state, wanted, _sha256(native.program(PROGRAM)))
    if found:
        _check(host, state, found)
    return InstallPlan(state, wanted, tuple(found))


def plan_removal(executor: Executor, host: str) -> InstallPlan:
    """What takes an installation on a host back.

    Raises:
        HostError: not reached.
    """
    state = host_state(executor, host, sudo=True)
    return InstallPlan(state, (), tuple(steps.removal(state)))


def install(executor: Executor, host: str, plan: InstallPlan) -> HostState:
    """Carry a plan out; the host's state then.

    Raises:
        HostError: not reached, or a step failed there; then nothing is changed.
        PrivilegeError: root cannot be had; the message has the command for an administrator.
    """
    source = deploy(executor, host, {PROGRAM: native.program(PROGRAM)})[PROGRAM]
    _as_root(executor, host, plan, source)
    if out := executor.log_out(host):
        with suppress(subprocess.TimeoutExpired):  # what is asked next says that the connection hangs
            subprocess.run(out, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LOG_OUT_S)
    return host_state(executor, host)


def remove(executor: Executor, host: str, plan: InstallPlan) -> None:
    """Carry a plan for a removal out.

    Raises:
        HostError, PrivilegeError: see `install`.
    """
    _as_root(executor, host, plan, "/dev/null")


def _asks(plan: InstallPlan) -> bool:
    """Whether sudo will ask a person."""
    return not plan.state.passwordless


def _check(host: str, state: HostState, found: Sequence[RootCommand]) -> None:
    """Raises HostError where it is known before that a step will fail."""
    for tool, package in _PACKAGES.items():
        if tool not in state.tools and any(f"{tool} " in step.command for step in found):
            raise HostError(f"{host}: {tool} was not found", hint=f"install {package} there")
    for option in ("noexec", "nosuid"):
        if option in state.mount.rpartition(" ")[2].split(","):
            point = state.mount.partition(" ")[0]
            what = (
                "programs there cannot start"
                if option == "noexec"
                else ("capabilities of programs there have no effect")
            )
            raise HostError(
                f"{host}: {INSTALLED} would be on {point}, which is mounted {option}: {what}",
                hint=f"as root: mount -o remount,{option.removeprefix('no')} {point}",
            )


def _as_root(executor: Executor, host: str, plan: InstallPlan, standard_input: str) -> None:
    state = plan.state
    by_hand = f"for an administrator, as root on {host}: {steps.line(plan.steps, standard_input)}"
    command = ["sh", "-c", steps.script(plan.steps)]
    if state.passwordless:
        root = ["sudo", "-n"] if state.uid else []
        done = attempt(executor, host, ["sh", "-c", _AS_ROOT, standard_input, *root, *command], timeout_s=TIMEOUT_S)
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
            raise HostError(f"{host}: {' / '.join(said.splitlines())}")
        return
    if "sudo" not in state.tools:
        raise PrivilegeError(f"{host}: this needs root, and there is no sudo", hint=by_hand)
    if not sys.stdin.isatty():
        why = "sudo asks for a password, and there is no terminal to ask on"
        raise PrivilegeError(f"{host}: this needs root, and {why}", hint=by_hand)
    print(f"{host}: sudo asks for {state.user}'s password there", file=sys.stderr)
    if converse(executor, host, ["sh", "-c", _AS_ROOT, standard_input, "sudo", *command]) != 0:
        raise PrivilegeError(f"{host}: this failed; the lines above say why", hint=by_hand)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
