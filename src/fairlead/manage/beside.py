"""``fairlead supervise`` as a function: manages the traffic of a program that something else starts and ends."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from fairlead.characterize import coverage
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.ending import Ending
from fairlead.cluster.jobs.launch import Course
from fairlead.manage import run
from fairlead.manage.chosen_plane import choose_at_start
from fairlead.manage.components import Components
from fairlead.manage.known_network import management_for
from fairlead.manage.management import Management
from fairlead.manage.manual_reroutes import Reroute, asked_for
from fairlead.manage.recording import record_outcome, recorded, with_earlier
from fairlead.manage.say import say
from fairlead.manage.supervisor import Outcome
from fairlead.protocol.settings import ways_in
from fairlead.store import Store
from fairlead.store import facts as host_facts
from fairlead.store.records import Label

ENDS_TOGETHER_S = 5.0
"""When Slurm ends a job, so long the end of agents, which are steps of it, may come before srun's own."""


class Starter(Protocol):
    """What starts the program, as we see it. Both are called in the main thread."""

    def begin(self, env: dict[str, str]) -> None:
        """The agents are there: the program may start, with this in its environment."""

    def wait(self) -> int | None:
        """Returns at the program's end: its exit code; None where nobody says it."""


def supervise(
    cluster: Cluster,
    argv: Sequence[str],
    starter: Starter,
    *,
    results: Path,
    components: Components,
    reroutes: Sequence[Reroute] = (),
    plane: str,
    quiet: bool = False,
) -> int | None:
    """Manage and record a program's run from its start to its end. The parameters are as for `run.run`.

    Returns:
        The run's number in the results; None where its record is incomplete, which is said.

    Raises:
        FairleadError: the program is not managed; its starter was not told to begin.
    """
    hosts = tuple(cluster.compute_names())
    job = Job(id=secrets.token_hex(4), argv=tuple(argv), hosts=hosts)
    labels: dict[str, Label] = {"program": Path(argv[0]).name, "cluster": cluster.name}
    program = _ProgramBeside(starter)

    def execute(store: Store, identity: int) -> Outcome:
        management = _management(cluster, components, results, store, reroutes, plane, quiet)
        return run.execute(
            cluster, job, store, identity, program.launch, management, reroutes, Ending(), quiet,
            ends_together_s=ENDS_TOGETHER_S,
        )  # fmt: skip

    _, number = recorded(
        execute,
        lambda store, identity, outcome: _record(store, identity, outcome, program.code),
        results=results,
        argv=argv,
        labels=labels,
        facts=host_facts.collect(compute_hosts=len(hosts)) | coverage.facts(cluster),
        interrupted="interrupted ({})",
        quiet=quiet,
    )
    return number


class _ProgramBeside:
    """The program that its starter starts and ends.

    Attributes:
        code: its exit code, when it has ended; None where nobody says it.
    """

    def __init__(self, starter: Starter) -> None:
        self._starter = starter
        self.code: int | None = None

    def launch(self, job: Job, course: Course) -> int:
        """Have it started, with the environment of ``job``, and wait for its end; what nobody says is 0 here."""
        self._starter.begin(dict(job.env))
        course.started()
        self.code = self._starter.wait()
        course.ended()
        return self.code or 0


def _management(
    cluster: Cluster,
    components: Components,
    results: Path,
    own: Store,
    reroutes: Sequence[Reroute],
    plane: str,
    quiet: bool,
) -> Management:
    """How the program is managed, by what earlier runs left. ``own``: the store of this one."""
    if nothing := cluster.nothing_to_manage(ways_in(cluster.settings)):
        say(nothing, quiet)
    with with_earlier(results, own) as earlier:
        management = management_for(cluster, components, earlier, quiet=quiet)
    return choose_at_start(plane, cluster, asked_for(management, reroutes), run.not_built())


def _record(store: Store, identity: int, outcome: Outcome, code: int | None) -> None:
    aborted = "what started the program was killed" if code is None else None
    record_outcome(store, identity, outcome, code, aborted)
