"""Run short commands on hosts and wait for them; many hosts at a time."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote import executed
from fairlead.errors import HostError, MissingToolError

AT_ONCE = 32  # hosts talked to at the same time
Result = TypeVar("Result")


def attempt(
    executor: Executor,
    host: str,
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout_s: float = 30.0,
) -> subprocess.CompletedProcess[bytes]:
    """Run ``argv`` on ``host`` and return what came of it, whatever its exit code.

    Raises:
        HostError: the host was not reached, or did not answer in time.
        MissingToolError: the executor's own program (ssh, nsenter) is not on this machine.
    """
    command = executor.command(host, argv, env=env)
    try:
        done = _run(command, stdin, timeout_s)
    except subprocess.TimeoutExpired as error:
        raise HostError(f"{host}: `{argv[0]}` did not end within {timeout_s:g} s", hint=executor.look(host)) from error
    except FileNotFoundError as error:
        raise MissingToolError(f"{command[0]} is not on this machine, so {host} cannot be reached") from error
    check_reached(executor, host, done.returncode, done.stderr)
    return done


def _run(command: list[str], stdin: bytes, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """As subprocess.run; at the time-out all that the command started here ends: it may hold the pipes open."""
    executed.tell(command)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(stdin, timeout_s)
        except BaseException:
            end_session(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def converse(executor: Executor, host: str, argv: Sequence[str]) -> int:
    """Run ``argv`` on ``host`` with this terminal, on which it may ask; its exit code.

    Raises:
        MissingToolError: the executor's own program (ssh, nsenter) is not on this machine.
    """
    command = executor.on_terminal(host, argv)
    executed.tell(command)
    try:
        return subprocess.run(command, check=False).returncode
    except FileNotFoundError as error:
        raise MissingToolError(f"{command[0]} is not on this machine, so {host} cannot be reached") from error


def end_session(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    """Kill what an executor's command line became here, with its children (nsenter and lxc-attach have some).

    It must have been started in a session of its own. As long as its end was not taken note of here, its number means
    that session and no other.
    """
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def check_reached(executor: Executor, host: str, exit_code: int, said: bytes) -> None:
    """Raises HostError if a command for a host ended so, and ``said`` this, since it did not get there or not back."""
    if program := executor.lost_by(host, exit_code, said):
        raise HostError(f"{host}: {program} could not reach the host: {_tail(said)}", hint=executor.look(host))


def run_on(
    executor: Executor,
    host: str,
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout_s: float = 30.0,
) -> str:
    """Run ``argv`` on ``host``; its stdout.

    Raises:
        HostError: not reached, too slow, or an exit code other than 0; with the end of its stderr.
    """
    done = attempt(executor, host, argv, env=env, stdin=stdin, timeout_s=timeout_s)
    if done.returncode != 0:
        raise HostError(f"{host}: `{argv[0]}` ended with exit code {done.returncode}: {_tail(done.stderr)}")
    return done.stdout.decode(errors="replace")


def unexpected(host: str, said: str) -> HostError:
    """The error for an answer that is none of what was run: most often the shell's start-up files print something."""
    first = said.strip().partition("\n")[0][:80]
    return HostError(
        f"{host}: printed {first!r} instead of an answer",
        hint="~/.bashrc and similar files must print only in interactive shells: a command without output must "
        "be silent",
    )


def on_all(hosts: Iterable[str], function: Callable[[str], Result]) -> dict[str, Result]:
    """``function`` of every host name, at the same time; the first exception is raised when all are through."""
    names = list(hosts)
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, max(1, len(names)))) as pool:
        return dict(zip(names, pool.map(function, names), strict=True))


def _tail(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:]) or "(no output)"
