"""A probe running on one host: questions and answers in JSON lines."""

import json
import re
import subprocess
import threading
import time
from collections.abc import Mapping
from typing import Any, Self

from fairlead import descriptors
from fairlead.cluster.doctor import bundle
from fairlead.cluster.doctor.answers import Facts, Settings
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote import awaited, executed
from fairlead.cluster.remote.execute import (
    check_reached,
    end_session,
    given_up_with_others,
    last_words,
    no_way_to,
    unexpected,
)
from fairlead.descriptors import readable
from fairlead.errors import HostError

PYTHON = "python3"
LEAST_PYTHON = ".".join(map(str, bundle.LEAST_PYTHON))
START_TIMEOUT_S = 40.0  # the probe asks programs that may take their time, and many hosts may be on one machine
NOT_FOUND = 127
# The script comes first on stdin, so that no command line carries it and nothing is written on the host.
_BOOT = "import sys; exec(compile(sys.stdin.buffer.read({length}).decode(), 'fairlead-probe', 'exec'))"
# The first Python that is new enough: `python3` of RHEL 8 is 3.6, and newer ones stand beside it under other names.
_START = r"""
old=
for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 python3.7; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null </dev/null) || continue
  case $version in 3.[0-6] | 2.*) old=$version ;; *) exec "$python" -c "$1" ;; esac
done
[ -z "$old" ] || echo "python3 is $old" >&2
exit 127
"""


class NoPythonError(HostError):
    """The host was reached, and has no Python that could run the probe."""


class ProbeSession:
    """A probe on a host; used as a context. Leaving it ends the probe and closes what it listened on."""

    def __init__(self, executor: Executor, host: str, settings: Settings) -> None:
        script = bundle.script()
        command = executor.lasting(host, ["sh", "-c", _START, "sh", _BOOT.format(length=len(script))])
        self._executor, self._host = executor, host
        executed.tell(command)
        try:
            self._process = subprocess.Popen(
                [*descriptors.as_before(), *command],  # a host that is this machine tells the user's limit
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us: we leave the context, which ends the probe
            )
        except FileNotFoundError as error:
            raise no_way_to(host, command[0]) from error
        self._buffer = b""
        self._send(script + json.dumps(settings).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end_session(self._process)  # it holds nothing that needs a farewell: sockets close with it
        self._process.communicate()

    def facts(self) -> Facts:
        """What the probe says of itself before it is asked.

        Raises:
            NoPythonError: the host has no Python, or an old one.
            HostError: the host was not reached, was too slow, or its shell prints something itself.
        """
        facts: Facts = self._receive(START_TIMEOUT_S)
        return facts

    def ask(self, message: Mapping[str, object], timeout_s: float) -> Any:
        """Send a command and wait for its answer.

        Raises:
            HostError: the probe is gone or does not answer.
        """
        self._send(json.dumps(message).encode() + b"\n")
        return self._receive(timeout_s)

    def _send(self, data: bytes) -> None:
        """A pipe may hold less than the script: the kernel makes those of a user who has many small (pipe(7))."""
        assert self._process.stdin is not None
        late = threading.Event()
        timer = threading.Timer(START_TIMEOUT_S, self._end_late, (late,))
        timer.start()
        try:
            with awaited.awaited(self._host), given_up_with_others(self._process):
                self._process.stdin.write(data)
                self._process.stdin.flush()
        except BrokenPipeError:
            if late.is_set():
                last_words(self._process)
                raise HostError(f"{self._host}: the probe was not taken within {START_TIMEOUT_S:g} s") from None
            raise self._ended() from None
        finally:
            timer.cancel()

    def _end_late(self, late: threading.Event) -> None:
        late.set()
        end_session(self._process)

    def _receive(self, timeout_s: float) -> Any:
        with awaited.awaited(self._host), given_up_with_others(self._process):
            line = self._line(timeout_s)
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise unexpected(self._host, line.decode(errors="replace"))
        return answer

    def _line(self, timeout_s: float) -> bytes:
        assert self._process.stdout is not None
        deadline_s = time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or not readable(self._process.stdout, left_s):
                raise HostError(f"{self._host}: the probe did not answer within {timeout_s:g} s")
            data = self._process.stdout.read1(1 << 16)  # type: ignore[attr-defined]
            if not data:
                raise self._ended()
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _ended(self) -> HostError:
        stderr = last_words(self._process)
        check_reached(self._executor, self._host, self._process.returncode, stderr)
        said = " / ".join(stderr.decode(errors="replace").strip().splitlines()[-2:]) or "(no output)"
        if self._process.returncode == NOT_FOUND:
            old = re.search(rf"^{PYTHON} is (\S+)$", stderr.decode(errors="replace"), re.MULTILINE)
            state = f"is {old.group(1)}" if old else "was not found"
            return NoPythonError(
                f"{self._host}: {PYTHON} {state}, so doctor cannot examine the host",
                hint=f"install {PYTHON} ({LEAST_PYTHON} or later) on it; only doctor needs it",
            )
        return HostError(f"{self._host}: the probe ended (exit code {self._process.returncode}): {said}")
