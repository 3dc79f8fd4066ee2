"""What there is of a job on the hosts, found by its mark, whoever started it; and how that is ended."""

import math
import subprocess
import threading
import time
from contextlib import suppress

from fairlead import threads
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import executor_of
from fairlead.cluster.job import LAUNCH_MARK, MARK, Job
from fairlead.cluster.remote import executed
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.cluster.remote.execute import Calls, end_session, failure, not_asked, on_all, run_on, unexpected
from fairlead.errors import FairleadError, HostError, SilentHostError
from fairlead.runtime import START_OF

STOP_GRACE_S = 5.0  # from TERM to KILL
LEFTOVERS_TIMEOUT_S = 15.0  # after the first KILL: a killed process that is still there then waits in the kernel
ANSWER_S = 30.0  # for a look at a host's processes
POLL_S = 0.2
OLDER_S = 2.0  # by so much a daemon of the job's may seem older than the job: it takes time to ask its host
OLDER_SHARE = 1e-3  # and by this share of the job's age: clocks of hosts run at their own speeds
_HERE = ""  # this machine, among names of hosts

# Tells and signals processes. $0: lines "NAME=id", any of which is a mark; $1: the signal's name, or none; $2: how many
# seconds old a daemon of mpirun may be, or none; the others: daemons that were told of before, as PID:START (proc(5),
# field 22).
# Hosts of a lab share one list of processes, so those of other network namespaces are left out. Before the signal the
# start time is read and the mark looked at again, and with the signal start times are compared, those of daemons as
# well: a number that has come to mean another process is left alone. Daemons do not carry the mark, but ranks are their
# children. One that is older than the job has others as well (`prun` gives its job to daemons that are there) and is
# left alone. "Now" is when this shell began: clocks of hosts need not agree.
_MARKED = (
    START_OF
    + """
signal=$1
oldest=0
[ -z "$2" ] || oldest=$(($(start_of $$) - $2 * $(getconf CLK_TCK 2>/dev/null || echo 100)))
shift 2
own=$(readlink /proc/self/ns/net)
daemons=" $* "
marked=
for file in $(grep -slazxF "$0" /proc/[0-9]*/environ); do
  process=${file%/environ}
  [ "$(readlink "$process/ns/net")" = "$own" ] || continue
  marked="$marked ${process#/proc/}"
  parent=$(grep -s ^PPid: "$process/status" | tr -dc 0-9)
  while case "$(cat "/proc/$parent/comm" 2>/dev/null)" in DAEMONS) true ;; *) false ;; esac; do
    start=$(start_of "$parent") && [ "$start" -ge "$oldest" ] || break
    daemon=$parent:$start
    case $daemons in *" $daemon "*) ;; *) daemons="$daemons$daemon " ;; esac
    parent=$(grep -s ^PPid: "/proc/$parent/status" | tr -dc 0-9)
  done
done
for pid in $marked; do
  if [ -n "$signal" ]; then
    start=$(start_of "$pid") && grep -sqazxF "$0" "/proc/$pid/environ" || continue
    send "$signal" "$pid" "$start"  # it may have ended by itself meanwhile
  fi
  echo "$pid"
done
for daemon in $daemons; do
  [ "$(start_of "${daemon%:*}")" = "${daemon#*:}" ] || continue
  [ -z "$signal" ] || send "$signal" "${daemon%:*}" "${daemon#*:}"
  echo "$daemon"
done
true""".replace("DAEMONS", "orted|prted|hydra_pmi_proxy|hydra_bstrap_pr")
)


class JobProcesses:
    """What there is of a job on the hosts.

    Args:
        began_s: when the job was started, by `now_s`; daemons that are older are not its own. None: all that its ranks
            are children of are, as where mpirun is one that we know.

    Attributes:
        limit: of the end that somebody wants; None: nobody does, or every step has its own time.
    """

    def __init__(self, cluster: Cluster, job: Job, began_s: float | None = None) -> None:
        self.job = job
        self._cluster = cluster
        self._began_s = began_s
        self._executor = executor_of(cluster)
        self.limit: EndLimit | None = None
        self._ending = threading.Lock()
        self._daemons: dict[str, list[str]] = {}  # by host, as PID:START; of mpirun, seen beside ranks

    def ranks(self) -> dict[str, list[int]]:
        """Process ids of ranks (and what they started) by host, as that host numbers them.

        Raises:
            HostError: a host was not reached.
        """
        return on_all(self.job.ranks_on(), self.ranks_of)

    def ranks_of(self, host: str) -> list[int]:
        """The same of one host."""
        return self._marked(host, [f"{MARK}={self.job.id}"])

    def end_leftovers(self, grace_s: float | None = None, limit_s: float | None = None) -> None:
        """End ranks that outlived their mpirun, and what mpirun had started beside it: ask, wait, insist.

        One thread at a time: who comes second does not ask hosts again that the first has given up (`limit`).

        Args:
            grace_s: from asking to insisting; None: `STOP_GRACE_S`.
            limit_s: after which hosts that have not answered are given up; None: each has its usual time.

        Raises:
            HostError: a host was not reached, or processes do not end even when killed. Those of other hosts ended.
        """
        insist_s = time.monotonic() + (STOP_GRACE_S if grace_s is None else grace_s)
        with self._ending:
            left = self._end_everywhere(insist_s, limit_s)
        untold = {host: answer for host, answer in left.items() if answer and not self._given_up(host, answer)}
        if untold:
            raise self._not_ended(untold)

    def unreached(self) -> bool:
        """Whether a host was given up that the job was on."""
        limit = self.limit
        return limit is not None and any(map(limit.gave_up, self._marks()))

    def _marks(self) -> dict[str, list[str]]:
        """By host, what tells the job's processes there from others."""
        marks = {host: [f"{MARK}={self.job.id}"] for host in self.job.ranks_on()}
        marks.setdefault(self._launch_host, []).append(f"{LAUNCH_MARK}={self.job.id}")
        return marks

    def _given_up(self, host: str, answer: list[int] | FairleadError) -> bool:
        """Whether a host that does not answer is told with those that other steps of the end have given up."""
        silent = isinstance(answer, SilentHostError)
        return silent and self.limit is not None and self.limit.give_up(host, remains(self.job.id))

    def _end_everywhere(self, insist_s: float, limit_s: float | None) -> dict[str, list[int] | FairleadError]:
        """By host, ids of processes that did not end, or why none are known."""
        limit = self.limit
        marks = {host: each for host, each in self._marks().items() if limit is None or not limit.gave_up(host)}
        calls = Calls()
        late = threading.Timer(limit_s, calls.give_up) if limit_s is not None else None
        if late is not None:
            late.daemon = True
            with suppress(HostError):  # without a thread for it each call still has a limit of its own
                threads.start(late)
        # Within a limit all are asked at once: none may wait for its turn behind those that do not answer.
        at_once = None if limit_s is None else len(marks)

        def end(host: str) -> list[int] | FairleadError:
            return self._end_on(host, marks[host], insist_s, calls)

        try:
            return on_all(marks, end, to_the_end=True, calls=calls, at_once=at_once)
        finally:
            if late is not None:
                late.cancel()

    def _end_on(self, host: str, marks: list[str], insist_s: float, calls: Calls) -> list[int] | FairleadError:
        """The same on one host, which waits for no other: one that is cut off answers late, or never.

        Returns:
            Ids of processes that did not end, or why none are known.
        """
        give_up_s = math.inf
        seen: list[int] = []
        while True:
            now_s = time.monotonic()
            insist = now_s >= insist_s
            left = self._signal_left(host, marks, "KILL" if insist else "TERM")
            seen = seen if isinstance(left, FairleadError) else left
            # A host that was not reached is asked again until then: it may be a log-in that was refused once.
            if calls.given_up:
                return seen or left
            if not left or (insist and (now_s >= give_up_s or isinstance(left, FairleadError))):
                return left
            if insist:
                give_up_s = min(give_up_s, now_s + LEFTOVERS_TIMEOUT_S)
            time.sleep(POLL_S)

    def _signal_left(self, host: str, marks: list[str], name: str) -> list[int] | FairleadError:
        """Signal what still belongs to the job on a host: process ids, or why none are known."""
        try:
            return self._marked(host, marks, name)
        except FairleadError as error:  # raised by `end_leftovers` when the other hosts are through
            return error
        except OSError as error:  # no process can be started here, for example; the next time it may be
            return not_asked(host or "this machine", error)

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
        """Process ids of what carries one of the marks on a host.

        If a signal is named, it was sent to them and to the daemons that ranks were seen beside, which then count, too.
        """
        known = self._daemons.get(host, [])
        said = self._run(host, _MARKED, "\n".join(marks), signal, self._age(), *known, timeout_s=ANSWER_S)
        found = [word.partition(":") for word in said.split()]
        try:
            pids = [int(pid) for pid, _, start in found if signal or not start]
        except ValueError:
            raise unexpected(host, said) from None
        self._daemons[host] = [f"{pid}:{start}" for pid, _, start in found if start]
        return pids

    def _age(self) -> str:
        if self._began_s is None:
            return ""
        return str(math.ceil((now_s() - self._began_s) * (1 + OLDER_SHARE) + OLDER_S))

    @property
    def _launch_host(self) -> str:
        return self._cluster.launch_from or _HERE

    def _run(self, host: str, script: str, *arguments: str, timeout_s: float = 30.0) -> str:
        """Output of a shell script on a host, or on this machine (`_HERE`)."""
        argv = ["sh", "-c", script, *arguments]
        if host == _HERE:
            return _run_here(argv, timeout_s)
        return run_on(self._executor, host, argv, timeout_s=timeout_s)


def remains(job: str) -> str:
    """What there is of a job, of that id, on a host that did not answer at its end, and what ends it there."""
    marks = f"{MARK}={job}|{LAUNCH_MARK}={job}"
    command = f"kill -9 $(grep -slazxE '{marks}' /proc/[0-9]*/environ | cut -d/ -f3)"
    return f"processes of the job may run on there, which this ends there: {command}"


def _run_here(argv: list[str], timeout_s: float) -> str:
    """`run_on` of this machine, which is not given up with hosts that do not answer: it is slow at most, or stuck."""
    executed.tell(argv)
    # In a session of its own: a second Ctrl-C must not end what ends the job.
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise HostError(
                f"this machine: its processes were not looked at within {timeout_s:g} s: /proc does not answer",
                hint="one in state D may keep it, as on a file system that is gone: `ps -eo pid,stat,wchan,comm`",
            ) from error
        finally:
            end_session(process)  # if it has not ended
    if process.returncode != 0:
        raise failure("this machine", argv, subprocess.CompletedProcess(argv, process.returncode, out, err))
    return out.decode(errors="replace")


def now_s() -> float:
    """As the hosts' processes are timed: it goes on while this machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
