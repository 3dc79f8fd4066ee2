"""Run short commands on hosts and wait for them; many hosts at a time."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import BinaryIO, TypeVar

from fairlead import threads
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote import awaited, executed
from fairlead.display.words import first_of
from fairlead.errors import HostError, MissingToolError, SilentHostError, hint_of, reason_of

AT_ONCE = 32  # hosts talked to at the same time
LOOK_S = 0.2  # in which is seen that a command was given up
LAST_WORDS_S = 2.0
_HOW_TO_HAVE = {
    "ssh": "install its client (Debian: apt install openssh-client; RHEL: dnf install openssh-clients)",
    "lxc-attach": "install LXC (Debian: apt install lxc)",
    "srun": "run this where Slurm's commands are in PATH",
}
Process = subprocess.Popen[bytes]
Result = TypeVar("Result")
_of_thread = threading.local()  # `calls`: the `on_all` that a thread works for


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
        HostError: the host was not reached, or nothing could be started here to reach it.
        SilentHostError: it did not answer in time, or was given up (`Calls`).
        MissingToolError: the executor's own program (ssh, nsenter) is not on this machine.
    """
    command = executor.command(host, argv, env=env)
    try:
        with awaited.awaited(host):
            done = _run(command, stdin, timeout_s)
    except subprocess.TimeoutExpired as error:
        if _given_up():
            raise _not_waited_for(host) from error
        raise SilentHostError(
            f"{host}: `{argv[0]}` did not end within {timeout_s:g} s: the host does not answer, or is overloaded",
            hint=executor.look(host),
        ) from error
    except FileNotFoundError as error:
        raise no_way_to(host, command[0]) from error
    except OSError as error:  # no descriptor is free, for example
        raise not_asked(host, error) from error
    if done.returncode < 0 and _given_up():
        raise _not_waited_for(host)
    check_reached(executor, host, done.returncode, done.stderr)
    return done


def no_way_to(host: str, program: str) -> MissingToolError:
    """The error for a host whose executor's own program (ssh, nsenter) is not on this machine."""
    return MissingToolError(
        f"{program} is not on this machine, so {host} cannot be reached", hint=_HOW_TO_HAVE.get(program, "")
    )


def not_asked(host: str, error: OSError) -> HostError:
    """The error for a host for which this machine lets nothing be started."""
    return HostError(f"{host}: could not be asked: {reason_of(error)}", hint=hint_of(error))


def _not_waited_for(host: str) -> SilentHostError:
    return SilentHostError(f"{host}: does not answer, and is not waited for any more")


def _run(command: list[str], stdin: bytes, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    """As subprocess.run; at the time-out all that the command started here ends: it may hold the pipes open."""
    executed.tell(command)
    with (
        _file_of(stdin) as source,
        subprocess.Popen(
            command, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        ) as process,
    ):
        try:
            with given_up_with_others(process):
                out, err = _output(process, timeout_s)
        except BaseException:
            end_session(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _file_of(content: bytes) -> BinaryIO:
    """A file in memory, read from its beginning.

    To a pipe `Popen.communicate` writes nothing more after a time-out, and whoever reads from it waits for ever.
    """
    file = os.fdopen(os.memfd_create("input"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def _output(process: Process, timeout_s: float) -> tuple[bytes, bytes]:
    """stdout and stderr of a process at its end.

    Their ends are not waited for once the process was given up: as long as the host does not end the command, ssh's
    shared connection holds them open, whatever became of the process.

    Raises:
        subprocess.TimeoutExpired: it did not end in time, or was given up.
    """
    deadline_s = time.monotonic() + timeout_s
    while True:
        try:
            return process.communicate(timeout=max(min(deadline_s - time.monotonic(), LOOK_S), 0))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline_s or _given_up():
                raise


def _given_up() -> bool:
    """Whether what this thread does was given up with its `on_all`."""
    calls: Calls | None = getattr(_of_thread, "calls", None)
    return calls is not None and calls.given_up


def last_words(process: Process) -> bytes:
    """What a process whose stdout has ended says on stderr until it ends, for which it has a moment (see `_output`)."""
    try:
        return process.communicate(timeout=LAST_WORDS_S)[1]
    except subprocess.TimeoutExpired as late:
        end_session(process)
        process.wait()
        return late.stderr or b""


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
        raise no_way_to(host, command[0]) from error


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
        hint = executor.way_out(host, said)
        raise HostError(f"{host}: {program} could not reach the host: {_tail(said)}", hint=hint)


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
        raise failure(host, argv, done)
    return done.stdout.decode(errors="replace")


def failure(host: str, argv: Sequence[str], done: "subprocess.CompletedProcess[bytes]") -> HostError:
    """The error for a command that ended with another exit code than 0; with the end of its stderr."""
    return HostError(f"{host}: `{argv[0]}` ended with exit code {done.returncode}: {_tail(done.stderr)}")


def unexpected(host: str, said: str) -> HostError:
    """The error for an answer that is none of what was run: most often the shell's start-up files print something."""
    first = said.strip().partition("\n")[0][:80]
    return HostError(
        f"{host}: printed {first!r} instead of an answer",
        hint="~/.bashrc and similar files must print only in interactive shells: a command without output must "
        "be silent",
    )


class Calls:
    """What threads, as those of one `on_all`, have started on this machine; who holds it may give that up."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._processes: list[Process] = []
        self.given_up = False

    def add(self, process: Process) -> None:
        with self._guard:
            self._processes.append(process)
            if self.given_up:
                end_session(process)

    def remove(self, process: Process) -> None:
        with self._guard:
            self._processes.remove(process)

    def give_up(self) -> None:
        """End all of it, and what is started from now on."""
        with self._guard:
            self.given_up = True
            for process in self._processes:
                end_session(process)


@contextmanager
def part_of(calls: Calls) -> Iterator[None]:
    """Within: what this thread asks hosts is given up with ``calls``."""
    before: Calls | None = getattr(_of_thread, "calls", None)
    _of_thread.calls = calls
    try:
        yield
    finally:
        _of_thread.calls = before


@contextmanager
def given_up_with_others(process: Process) -> Iterator[None]:
    """Within: a process in a session of its own, which this thread waits for, ends when its `on_all` is given up."""
    calls: Calls | None = getattr(_of_thread, "calls", None)
    if calls is None:
        yield
        return
    calls.add(process)
    try:
        yield
    finally:
        calls.remove(process)


def on_all(
    hosts: Iterable[str],
    function: Callable[[str], Result],
    *,
    to_the_end: bool = False,
    calls: Calls | None = None,
    at_once: int | None = None,
) -> dict[str, Result]:
    """``function`` of every host name, at the same time; the first exception is raised when all are through.

    Ctrl-C gives up what is under way: a host that does not answer would keep the user waiting.

    Args:
        to_the_end: Ctrl-C takes effect when all are through: what tidies up, or changes hosts, must not stop half-way.
        calls: by which another thread may give it up: hosts that have not answered then fail.
        at_once: so many hosts at a time; None: `AT_ONCE`.

    Raises:
        HostError: a host failed; where several did, the first one's, which names the others. Or no thread could be
            started; where only some could, these do all of it.
    """
    under_way = calls or Calls()
    futures: dict[str, Future[Result]] = {name: Future() for name in hosts}

    def call(name: str) -> None:
        _of_thread.calls = under_way
        try:
            if under_way.given_up:
                raise SilentHostError(f"{name}: is not asked any more")
            futures[name].set_result(function(name))
        except BaseException as error:  # noqa: BLE001  # raised where it is waited for
            futures[name].set_exception(error)

    with ThreadPoolExecutor(max_workers=min(at_once or AT_ONCE, max(1, len(futures)))) as pool:
        try:
            _submit_all(pool, call, futures)
            wait(futures.values())
        except BaseException as error:
            if not (to_the_end or isinstance(error, HostError)):
                pool.shutdown(wait=False, cancel_futures=True)
                under_way.give_up()
            raise
    _raise_first(futures)
    return {name: future.result() for name, future in futures.items()}


def _submit_all(pool: ThreadPoolExecutor, call: Callable[[str], None], names: Iterable[str]) -> None:
    """Have a pool do all of it, in as many threads as there can be.

    Raises:
        HostError: there can be none.
    """
    for number, name in enumerate(names):
        try:
            pool.submit(call, name)
        except RuntimeError as error:
            if not threads.refused(error):
                raise
            if not number:
                raise threads.no_thread() from error
            # It waits for its turn in the pool nevertheless, whose threads come to it.


def _raise_first(futures: Mapping[str, "Future[Result]"]) -> None:
    failed = {name: error for name, future in futures.items() if (error := future.exception())}
    if not failed:
        return
    first, *_ = failed.values()
    others = [name for name, error in failed.items() if error is not first]
    if others and isinstance(first, HostError):
        raise with_others(first, others) from first
    raise first


def with_others(error: HostError, others: list[str]) -> HostError:
    """The error of one host, which also names other hosts that failed; without any it stays the same."""
    if not others:
        return error
    return HostError(f"{error.message} (also failed: {first_of(others)})", hint=error.hint)


def _tail(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:]) or "(no output)"
