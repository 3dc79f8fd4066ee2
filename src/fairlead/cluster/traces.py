"""What there is of a job on the hosts, found by its mark, whoever started it; and how that is ended."""

import math
import subprocess
import time

from fairlead.cluster import executed
from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import on_all, run_on, unexpected
from fairlead.cluster.executors.base import of
from fairlead.cluster.job import LAUNCH_MARK, MARK, Job
from fairlead.errors import FairleadError, HostError

STOP_GRACE_S = 5.0  # from TERM to KILL
LEFTOVERS_TIMEOUT_S = 15.0  # after the first KILL: a killed process that is still there then waits in the kernel
POLL_S = 0.2
_HERE = ""  # this machine, among names of hosts

# Tells and signals processes. $0: lines "NAME=id", any of which is a mark; $1: the signal's name, or none.
# Hosts of a lab share one list of processes, so those of other network namespaces are left out. Right before the signal
# the mark is looked at again: a number that has come to mean another process is left alone.
_MARKED = """
own=$(readlink /proc/self/ns/net)
for file in $(grep -slazxF "$0" /proc/[0-9]*/environ); do
  process=${file%/environ}
  [ "$(readlink "$process/ns/net")" = "$own" ] || continue
  if [ -n "$1" ]; then
    grep -sqazxF "$0" "$file" || continue
    kill -s "$1" "${process#/proc/}" 2>/dev/null  # it may have ended by itself meanwhile
  fi
  echo "${process#/proc/}"
done
true"""


class Traces:
    """What there is of a job on the hosts."""

    def __init__(self, cluster: Cluster, job: Job) -> None:
        self.job = job
        self._cluster = cluster
        self._executor = of(cluster)

    def ranks(self) -> dict[str, list[int]]:
        """Process ids of ranks (and what they started) by host, as that host numbers them.

        Raises:
            HostError: a host was not reached.
        """
        return on_all(self.job.ranks_on(), self.ranks_of)

    def ranks_of(self, host: str) -> list[int]:
        """The same of one host."""
        return self._marked(host, [f"{MARK}={self.job.id}"])

    def end_leftovers(self) -> None:
        """End ranks that outlived their mpirun, and what mpirun had started beside it: ask, wait, insist.

        Raises:
            HostError: a host was not reached, or processes do not end even when killed. Those of other hosts ended.
        """
        insist_s = time.monotonic() + STOP_GRACE_S
        give_up_s = math.inf  # not before all that is reached was killed once
        while True:
            now_s = time.monotonic()
            insist = now_s >= insist_s
            left = self._signal_left("KILL" if insist else "TERM")
            if not left:
                return
            # A host that was not reached is asked again until then: it may be a log-in that was refused once.
            reached = any(isinstance(answer, list) for answer in left.values())
            if insist and (now_s >= give_up_s or not reached):
                raise self._not_ended(left)
            if insist:
                give_up_s = min(give_up_s, now_s + LEFTOVERS_TIMEOUT_S)
            time.sleep(POLL_S)

    def _signal_left(self, name: str) -> dict[str, list[int] | FairleadError]:
        """Signal what still belongs to the job, on all hosts at once; process ids by host, or why none are known."""
        marks = {host: [f"{MARK}={self.job.id}"] for host in self.job.ranks_on()}
        marks.setdefault(self._launch_host, []).append(f"{LAUNCH_MARK}={self.job.id}")

        def signal(host: str) -> list[int] | FairleadError:
            try:
                return self._marked(host, marks[host], name)
            except FairleadError as error:  # raised by `end_leftovers` when the other hosts are through
                return error

        return {host: answer for host, answer in on_all(marks, signal).items() if answer}

    def _not_ended(self, left: dict[str, list[int] | FairleadError]) -> HostError:
        said, hints = [], []
        for host, answer in left.items():
            if isinstance(answer, FairleadError):
                said.append(str(answer.args[0]))
                hints.append(answer.hint)
            else:
                said.append(f"{host or 'this machine'}: processes {', '.join(map(str, answer))} do not end")
                hints.append("see `ps -o stat,wchan`")
        hint = "\n  ".join(dict.fromkeys(filter(None, hints)))
        return HostError(f"job {self.job.id} may not have ended everywhere: {'; '.join(said)}", hint=hint)

    def _marked(self, host: str, marks: list[str], signal: str = "") -> list[int]:
        """Process ids of what carries one of the marks on a host, after a signal was sent to it, if one is named."""
        said = self._run(host, _MARKED, "\n".join(marks), signal)
        try:
            return [int(line) for line in said.split()]
        except ValueError:
            raise unexpected(host, said) from None

    @property
    def _launch_host(self) -> str:
        return self._cluster.launch_from or _HERE

    def _run(self, host: str, script: str, *arguments: str) -> str:
        """Output of a shell script on a host, or on this machine (`_HERE`)."""
        argv = ["sh", "-c", script, *arguments]
        if host == _HERE:
            executed.tell(argv)
            return subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        return run_on(self._executor, host, argv)
