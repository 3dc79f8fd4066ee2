"""Commands on hosts that end with who started them, also behind ssh, which passes on no signal, and after a kill -9."""

import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from fairlead import interrupts
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote import executed
from fairlead.cluster.remote.execute import end_session
from fairlead.runtime import START_OF

END_S = 10.0  # within which a command must end when it is told
REPORT_S = 5.0  # after which this is known here
LAST_LOOK_S = 0.1  # at one that may have ended while others were waited for

# $0: tenths of a second from SIGTERM to SIGKILL. The look-out keeps nothing open that readers of the output wait for.
_SCRIPT = f"""{START_OF}
exec 3<&0
"$@" 3<&- </dev/null &
command=$! began=$(start_of $!)
{{
  read -r end <&3
  send TERM "$command" "$began"
  left=$0
  while [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
  send KILL "$command" "$began"
}} >/dev/null 2>&1 &
lookout=$! looks_since=$(start_of $!)
exec 3<&-
wait "$command"
code=$?
send TERM "$lookout" "$looks_since"
exit "$code"
"""


class RemoteProcesses:
    """Commands that it starts get SIGTERM when this context is left, which waits for their ends; at last SIGKILL."""

    def __init__(self) -> None:
        self._stdin, self._held = os.pipe()
        self._processes: list[subprocess.Popen[str]] = []

    def start(self, executor: Executor, host: str, argv: Sequence[str]) -> "subprocess.Popen[str]":
        """Start a command on a host. It reads nothing, what it says is for the caller, its exit code is its own."""
        command = executor.command(host, ["sh", "-c", _SCRIPT, str(round(END_S * 10)), *argv])
        executed.tell(command)
        process = subprocess.Popen(
            command,
            stdin=self._stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def let_go(self) -> None:
        """Tell what still runs to end; nothing happens the second time."""
        with interrupts.held():  # both or none
            ends = self._held, self._stdin
            self._held = self._stdin = -1  # before the numbers may come to mean other files
            for fd in ends:
                if fd >= 0:
                    os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()
        deadline_s = time.monotonic() + END_S + REPORT_S  # of all: they were told at the same time
        try:
            for process in self._processes:
                with suppress(subprocess.TimeoutExpired):  # the host is not reached any more
                    process.communicate(timeout=max(deadline_s - time.monotonic(), LAST_LOOK_S))
        finally:
            for process in self._processes:
                end_session(process)
                process.wait()
