"""An MPI program that was started: its signals, its exit code, and its end.

Only what was started here is ever ended: mpirun by its process id, ranks by the job's mark in their environment.
"""

import logging
import subprocess
from signal import Signals

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.processes import STOP_GRACE_S, JobProcesses
from fairlead.errors import FairleadError, SilentHostError
from fairlead.runtime import START_OF, Process

FORGET_TIMEOUT_S = 30.0
SIGNAL_TIMEOUT_S = 10.0  # it may have to wait for its note, half of it; the main thread waits meanwhile
NOTE_SHARE = 0.5  # of the time that a signal has to get there: a host whose note is missing still answers in time
TOLD_GRACE_S = 1.0  # from TERM to KILL of what is left once the end was asked for, which had its grace time
TOLD_LIMIT_S = 3.0  # and for hosts that do not answer then
_log = logging.getLogger(__name__)

# The number and the start time of what becomes mpirun. It is started also where the note cannot be written.
RUN_NOTED = (
    START_OF
    + 'd="$HOME/.cache/fairlead/run"; { mkdir -p "$d" && echo $$ $(start_of $$) >"$d/$0"; } || '
    + 'echo "fairlead: cannot write $d/$0: signals will not reach mpirun" >&2; exec "$@"'
)
# A signal may come before mpirun does, which has to get there first: its note is waited for, $2 tenths of a second;
# not where it cannot be written.
_SIGNAL_NOTED = (
    START_OF
    + """
d=$HOME/.cache/fairlead/run note=$d/$0 left=$2
writable() { mkdir -p "$d" && echo >"$d/try.$$"; can=$?; rm -f "$d/try.$$"; return "$can"; }
[ -s "$note" ] || writable 2>/dev/null || { echo "cannot write $note: signals do not reach mpirun" >&2; exit 1; }
until [ -s "$note" ]; do
  [ "$left" -gt 0 ] || { echo "mpirun has not started, or could not write $note" >&2; exit 1; }
  sleep 0.1
  left=$((left - 1))
done
read -r pid start <"$note"
send "$1" "$pid" "$start"  # it may have ended by itself meanwhile
true"""
)
_FORGET_NOTED = 'rm -f "$HOME/.cache/fairlead/run/$0"'


class RunningJob(JobProcesses):
    """An MPI program that was started. Made by `launch.start`.

    Attributes:
        process: what was started here.
        launcher_known: it is an mpirun, which ends its job when it is told to; else a launch line of the user's own.
        told_to_end: somebody wants the end now: hosts that do not answer are not waited for.
    """

    def __init__(
        self,
        cluster: Cluster,
        job: Job,
        process: subprocess.Popen[bytes],
        *,
        launcher_known: bool = True,
        began_s: float | None = None,
    ) -> None:
        super().__init__(cluster, job, began_s)
        self.process = process
        self.launcher_known = launcher_known
        self.told_to_end = False
        try:
            self._noted: Process | None = Process.of(process.pid)
        except ProcessLookupError:  # it has ended, and nothing is sent to it
            self._noted = None

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        code = self.process.poll()
        return None if code is None else _exit_code(code)

    def ended(self) -> bool:
        """Whether it has ended, also while another thread waits for it, which then has the exit code to itself."""
        return self.poll() is not None or self._noted is None or not self._noted.is_alive()

    def wait(self) -> int:
        """Wait for the end; the exit code as a shell would give it (128 + signal for one that was killed)."""
        return _exit_code(self.process.wait())

    def signal(self, number: Signals) -> bool:
        """Give a signal to mpirun, which does with it what it does with its own.

        Returns:
            Whether it was given; False: mpirun had ended.

        Raises:
            HostError: the host that mpirun runs on was not reached.
        """
        if self.poll() is not None:
            return False
        if self._by_note:
            self._signal_there(number)
        else:
            _send(self._noted, number)
        return True

    def _signal_there(self, number: Signals) -> None:
        """Of a launch line of the user's own the signal may not be the end."""
        timeout_s = self._left_s(SIGNAL_TIMEOUT_S, self._launch_host) if self.launcher_known else SIGNAL_TIMEOUT_S
        name, wait_ds = number.name.removeprefix("SIG"), int(10 * NOTE_SHARE * timeout_s)
        try:
            self._on_launch_host(_SIGNAL_NOTED, name, str(wait_ds), timeout_s=timeout_s)
        except SilentHostError as error:
            if self.launcher_known:
                self._given_up(self._launch_host, error)  # nothing that comes after this waits for it again
            raise

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """End the job: ask, wait, insist; then see that no rank is left on any host.

        Raises:
            HostError: a host was not reached. What runs on the others was ended.
        """
        try:
            for number in (Signals.SIGTERM, Signals.SIGKILL):
                try:
                    self.signal(number)
                    self.process.wait(grace_s)
                    break
                except subprocess.TimeoutExpired:
                    continue
                except FairleadError as error:  # the host that mpirun runs on is not reached; those of ranks may be
                    _log.warning("%s was not delivered to job %s: %s", number.name, self.job.id, error)
        finally:
            # What waits here must not wait for ever, and nothing may keep the ranks from being ended.
            self.kill_here()
            self.process.wait()
            if self.told_to_end:
                limit_s = self._left_s(TOLD_LIMIT_S)
                self.end_leftovers(min(TOLD_GRACE_S, limit_s / 2), limit_s)
            else:
                self.end_leftovers()

    def kill_here(self) -> None:
        """Kill what was started on this machine, if it has not ended. Another thread may be waiting for it."""
        _send(self._noted, Signals.SIGKILL)

    def forget(self) -> None:
        """Remove the note of mpirun's process id, where there is one."""
        if self._by_note and not (self.limit is not None and self.limit.gave_up(self._launch_host)):
            self._on_launch_host(_FORGET_NOTED, timeout_s=self._left_s(FORGET_TIMEOUT_S))

    @property
    def _by_note(self) -> bool:
        return self._cluster.launch_from is not None and not self._executor.passes_signals

    def _left_s(self, usual_s: float, host: str | None = None) -> float:
        return usual_s if self.limit is None else self.limit.left_s(usual_s, host)

    def _on_launch_host(self, script: str, *arguments: str, timeout_s: float) -> None:
        self._run(self._launch_host, script, self.job.id, *arguments, timeout_s=timeout_s)


def _send(process: Process | None, number: Signals) -> None:
    if process is not None:
        process.send(number)


def _exit_code(code: int) -> int:
    return 128 - code if code < 0 else code
