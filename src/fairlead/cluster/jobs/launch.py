"""Start an MPI program and stay with it: stdin, signals and the exit code pass through unchanged."""

import logging
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairlead import descriptors, interrupts
from fairlead.cluster import addresses
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.base import Executor, executor_of
from fairlead.cluster.inventory import slurm_components
from fairlead.cluster.job import LAUNCH_MARK, Job, make_job
from fairlead.cluster.jobs import preload, srun_environment, startup
from fairlead.cluster.jobs.processes import JobProcesses, now_s
from fairlead.cluster.jobs.running_job import RUN_NOTED, RunningJob
from fairlead.cluster.jobs.signals import SignalCallback, forwarding, pass_on
from fairlead.cluster.jobs.startup import StartWatch
from fairlead.cluster.launchers import Launcher, detect, get
from fairlead.cluster.launchers.path_here import with_path_here
from fairlead.cluster.remote import executed
from fairlead.cluster.remote.deploy import deploy_everywhere
from fairlead.cluster.remote.execute import attempt, run_on, unexpected
from fairlead.errors import FairleadError, LaunchError, MissingToolError, NoProgramError, hint_of, reason_of

_log = logging.getLogger(__name__)

_END_WITH_CALLER = ("setpriv", "--pdeathsig", "TERM")  # of util-linux, which every Linux system has


@dataclass(frozen=True)
class Course:
    """What is called in the course of a program, by what runs it.

    Attributes:
        started: it has been started.
        ended: it has ended, and nothing is tidied up yet.
        left_behind: something of it may run on: a host was not reached, or processes do not end.
        ready: what is to be there beside it is there, and it is started now: its time begins here.
    """

    started: Callable[[], None] = lambda: None
    ended: Callable[[], None] = lambda: None
    left_behind: Callable[[], None] = lambda: None
    ready: Callable[[], None] = lambda: None


UNTOLD = Course()


def timed(run_it: Callable[[Course], int], started: Callable[[], None] = lambda: None) -> tuple[int, float]:
    """Exit code of a program and its wall time in seconds, launcher included, to its end: what is set up beside it
    before, and tidying up after it, are not its time.

    Args:
        run_it: starts the program, tells the course, waits for it and tidies up. A program whose end it does not tell
            ends when it returns.
        started: called once it has been started.
    """
    ends_s: list[float] = []
    begins_s = [time.monotonic()]
    ended, ready = (partial(_append_now, times_s) for times_s in (ends_s, begins_s))
    exit_code = run_it(Course(started, ended, ready=ready))
    return exit_code, (ends_s[-1] if ends_s else time.monotonic()) - begins_s[-1]


def _append_now(times_s: list[float]) -> None:
    times_s.append(time.monotonic())


def prepare(
    cluster: Cluster,
    argv: Sequence[str],
    ranks: int,
    *,
    job_id: str,
    launcher: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    hosts: Sequence[str] | None = None,
    options: Sequence[str] = (),
) -> tuple[Launcher, Job]:
    """The job and the launcher for it: the mpirun of the launching host is asked which MPI it is.

    Where that is this machine, one that is in PATH here is called by its path (`with_path_here`), as the doctor does.

    ``launcher`` forces one by name; for ``custom``, ``argv`` is a whole launch line and ``ranks`` what it will start.

    Raises:
        MissingToolError, ConfigError, HostError: see `detect` and `make_job`; or the launcher does not start such jobs.
    """
    executor = executor_of(cluster)
    host = cluster.launch_from
    # Of a heterogeneous Slurm job, MPI libraries know the first component at most.
    alone = host is None and slurm_components.is_heterogeneous()
    cluster = with_path_here(cluster)
    if launcher is None:
        chosen = detect(executor if host else None, host or "this machine", cluster.mpirun)
    else:
        chosen = get(launcher)(cluster.mpirun)
    first = cluster.host(hosts[0]) if hosts else cluster.compute_hosts()[0]
    launcher_address = None if launcher == "custom" else launcher_address_on(cluster, first)
    if cwd is None and host and executor.shares_files:
        cwd = _this_directory(executor, host)
    elif cwd is None and launcher_address and not executor.shares_files:
        cwd = _login_directory(executor, first.name)
    agent = _rsh_agent(cluster, executor)
    job = replace(
        make_job(cluster, argv, ranks, job_id=job_id, env=env, cwd=cwd, hosts=hosts, options=options),
        rsh_agent=agent,
        by_agent_alone=agent is not None and alone,
        launcher_address=launcher_address,
    )
    line = chosen.command(job)  # what it refuses is refused before anything is begun for the job
    if host is not None:
        executor.command(host, line, cwd=cwd)  # as is a line that is too long to be sent there
    return chosen, job


def launcher_address_on(cluster: Cluster, host: Host) -> addresses.LauncherAddress | None:
    """How a host sees this machine, where mpirun runs here and here is none of the hosts.

    Raises:
        LaunchError: no route leads there.
        MissingToolError: there is no ``ip``.
    """
    if not cluster.launches_from_here() or any(addresses.is_own(each.address) for each in cluster.hosts):
        return None
    return addresses.towards(host.address)


def _this_directory(executor: Executor, host: str) -> str | None:
    """The current directory, in which mpirun starts ranks as well, if the launching host sees it."""
    here = str(Path.cwd())
    if attempt(executor, host, ["test", "-d", here]).returncode == 0:
        return here
    _log.warning("%s is not on %s: the program starts in the login directory there", here, host)
    return None


def _login_directory(executor: Executor, host: str) -> str:
    """Where ranks start: mpirun's directory need not exist on other machines, and a log-in's does."""
    said = run_on(executor, host, ["pwd"]).rstrip("\n")
    if not said.startswith("/") or "\n" in said:
        raise unexpected(host, said)
    return said


def _rsh_agent(cluster: Cluster, executor: Executor) -> str | None:
    """Path of the remote-shell agent. It is the same on all hosts: Open MPI's daemons call it too, to start others.

    Raises:
        ConfigError: hosts keep it at different paths, since their home directories differ.
    """
    path: Path | None = executor.rsh_agent()
    if path is None or cluster.launch_from is None:
        return str(path) if path else None
    hosts = [cluster.launch_from, *cluster.compute_names()]
    return deploy_everywhere(cluster, hosts, {path.name: path})[path.name]


def end_leftovers_of(cluster: Cluster, job_id: str) -> None:
    """End what is left of a job whose starter died. Nothing left is no error.

    Raises:
        HostError: a host was not reached, or processes do not end even when killed.
    """
    hosts = tuple(cluster.compute_names())
    JobProcesses(cluster, Job(id=job_id, argv=(), hosts=hosts)).end_leftovers()


def start(
    cluster: Cluster,
    launcher: Launcher,
    job: Job,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    ends_with_caller: bool = False,
    prefix: Sequence[str] = (),
) -> RunningJob:
    """Start a job. Streams are as for `subprocess.Popen`; None passes on this process's own.

    Args:
        ends_with_caller: mpirun gets SIGTERM when the thread that starts it ends, however that comes: a job of a
            command that was killed does not run on. Over ssh, mpirun is beyond its reach; `end_leftovers_of` is for
            that.
        prefix: words before the command line on this machine, for what the job is to be started in.

    Raises:
        NoProgramError: the first word of a launch line of the user's own is no program.
        LaunchError, MissingToolError: nothing could be started.
    """
    of_slurm = srun_environment.changes(cluster, launcher, job)
    environment = {**launcher.environment(job), **of_slurm, LAUNCH_MARK: job.id}
    command = [
        *(_END_WITH_CALLER if ends_with_caller else ()),
        *descriptors.as_before(),
        *prefix,
        *_launch_line(cluster, launcher, job, environment),
    ]
    executed.tell(command)
    began_s = now_s()
    try:
        # A session of its own: a terminal's Ctrl-C reaches this process alone, which passes it on once.
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=None if cluster.launch_from or job.launcher_address else job.cwd,
            env=None if cluster.launch_from else {**os.environ, **environment},
            start_new_session=True,
        )
    except FileNotFoundError as error:
        missing = f"{error.filename} is not on this machine"
        if launcher.family is None and error.filename == job.argv[0]:
            raise NoProgramError(missing, hint="the launch line begins with it") from error
        raise MissingToolError(missing, hint="`fairlead doctor` shows more") from error
    except OSError as error:
        hint = hint_of(error) or "`fairlead -v ...` shows the whole command line"
        raise LaunchError(f"{command[0]} could not be started: {reason_of(error)}", hint=hint) from error
    known = launcher.family is not None
    return RunningJob(cluster, job, process, launcher_known=known, began_s=None if known else began_s)


def _launch_line(cluster: Cluster, launcher: Launcher, job: Job, environment: Mapping[str, str]) -> list[str]:
    """What is run on this machine so that a job's launcher runs, here or on the launching host."""
    executor = executor_of(cluster)
    command = launcher.command(preload.also(executor, job))
    if not cluster.launch_from:
        return command
    if not executor.passes_signals:
        command = ["sh", "-c", RUN_NOTED, job.id, *command]
    return executor.command(cluster.launch_from, command, env=environment, cwd=job.cwd)


def run(
    cluster: Cluster,
    launcher: Launcher,
    job: Job,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    startup_timeout_s: float | None = startup.TIMEOUT_S,
    timeout_s: float | None = None,
    on_signal: SignalCallback | None = pass_on,
    course: Course = UNTOLD,
    on_late: Callable[[str], None] | None = None,
    ends_with_caller: bool = False,
    prefix: Sequence[str] = (),
) -> int:
    """Run a job to its end and return its exit code. ``ends_with_caller`` and ``prefix``: see `start`.

    Args:
        startup_timeout_s: within which ranks must be seen on every host, or the job is ended (Open MPI is known to
            wait for ever after a lost connection); None, and launcher ``custom``: no limit. A host that cannot be asked
            ends no job.
        timeout_s: for the whole run, or None.
        on_signal: what to do with a signal to this process while the job runs; None: it takes its usual way here,
            and the job is ended if that is an exception.
        course: told of mpirun.
        on_late: told, where there is no limit, that a host has no rank after `startup.TIMEOUT_S`.

    Raises:
        StartupTimeout: no start within the limit.
        LaunchError: not started, or ``timeout_s`` is over.
    """
    if launcher.family is None:
        startup_timeout_s = on_late = None
    watch = partial(StartWatch, startup_timeout_s=startup_timeout_s, timeout_s=timeout_s, on_late=on_late)
    begin = partial(
        start,
        cluster,
        launcher,
        job,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        ends_with_caller=ends_with_caller,
        prefix=prefix,
    )
    return _to_its_end(begin, watch, on_signal, course)


def _to_its_end(
    begin: Callable[[], RunningJob],
    watching: Callable[[RunningJob], StartWatch],
    on_signal: SignalCallback | None,
    course: Course,
) -> int:
    running: RunningJob | None = None
    try:
        with forwarding(on_signal) as forward_to:
            with interrupts.held():  # an exception between a start and its note would leave the job to itself
                running = begin()
            forward_to(running)
            course.started()
            with watching(running) as watch:
                code = running.wait()
                course.ended()
        if watch.failure:
            raise watch.failure
        return code
    except KeyboardInterrupt:
        if running is not None:
            running.told_to_end = True
        raise
    finally:
        if running is not None:
            _tidy(running, course)


def _tidy(running: RunningJob, course: Course) -> None:
    """See that nothing is left of a job that did not end well. An unreachable host does not hide how it ended."""
    if running.limit is not None:
        running.limit.program_ended()
    try:
        if running.poll() != 0:
            running.stop()
        running.forget()
        if running.unreached():
            course.left_behind()
    except (FairleadError, OSError, subprocess.SubprocessError) as error:
        _log.warning("what job %s left behind could not be removed: %s", running.job.id, error)
        course.left_behind()
