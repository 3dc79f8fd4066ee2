"""The message monitor of a run: ranks write rings (docs/reference/message-rings.md), which their hosts' agents read."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import PurePath

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import preload
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import FairleadError
from fairlead.lab.idle import VARIABLE
from fairlead.manage.management import Management, Unasked
from fairlead.programs import ADDS, risk, trial
from fairlead.programs.linkage import Linkage

RINGS_VARIABLE = "FAIRLEAD_RINGS"


def unasked(
    cluster: Cluster,
    job: Job,
    linkages: Mapping[str, Linkage],
    management: Management,
    tell: Callable[[str], None],
    *,
    why_not: str | None = None,
) -> Management:
    """The management with the monitor, if that harms no program; else as it is, after one line with the reason.

    Args:
        linkages: by host, what the job's program runs with.
        tell: takes that line, also where the monitor turns out later to be impossible.
        why_not: a reason that is known already.
    """

    def given_up(why: str) -> None:
        tell(f"only connections are watched, not single messages: {why}")

    why = why_not or _own_preload() or _more_programs(job) or risk(job.argv[0], linkages)
    try:
        shim = "" if why else preload.bring(cluster, job.hosts)
        why = why or trial.hindrance(cluster, job, _libraries(shim, linkages))
    except FairleadError as error:
        why = _told(error)
    if why is not None:
        given_up(why)
        return management
    watching = replace(management.components, monitor=True)
    return replace(management, components=watching, unasked=Unasked({VARIABLE: shim}, given_up))


@contextmanager
def monitored(
    cluster: Cluster, job: Job, management: Management, limit: EndLimit | None = None
) -> Iterator[tuple[Job, Management]]:
    """The job and its management; where its components have the monitor, ranks write rings and agents read them.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached, or has no place for rings.
        ConfigError: the hosts do not have libfairlead at the same path.

    Where nobody asked for the monitor nothing is raised: the management is then without it.
    """
    if not management.components.monitor:
        yield job, management
        return
    with ExitStack() as stack:
        try:
            found = stack.enter_context(_with_rings(cluster, job, management, limit))
        except FairleadError as error:
            if management.unasked is None:
                raise
            management.unasked.given_up(_told(error))
            found = job, replace(management, components=replace(management.components, monitor=False), unasked=None)
        yield found


@contextmanager
def _with_rings(
    cluster: Cluster, job: Job, management: Management, limit: EndLimit | None
) -> Iterator[tuple[Job, Management]]:
    """Raises MissingToolError, HostError, ConfigError: see `monitored`."""
    if management.unasked is None:
        hosts = tuple(cluster.compute_names())
        environment: Mapping[str, str] = preload.environment(cluster, hosts)
    else:
        hosts, environment = tuple(job.ranks_on()), management.unasked.environment
    with preload.directory(cluster, hosts, "rings", job.id, limit) as path:
        watched = replace(job, env={**job.env, **environment, RINGS_VARIABLE: path})
        yield watched, replace(management, rings=path)


def _told(error: FairleadError) -> str:
    """In one line, with the way out."""
    return f"{error.message} ({error.hint})" if error.hint else error.message


def _own_preload() -> str | None:
    """Why libfairlead is not loaded beside what the user has loaded already, in words; None: that is nothing."""
    before = os.environ.get(VARIABLE)
    return f"{VARIABLE} is set: {before} ({ADDS})" if before else None


def _more_programs(job: Job) -> str | None:
    """Why libfairlead is not loaded beside what is known of the first program only, in words; None: it is all."""
    return "`:` starts several programs, of which only the first was looked at" if ":" in job.argv else None


def _libraries(shim: str, linkages: Mapping[str, Linkage]) -> list[str]:
    """What is loaded into the program: the shim, and what that loads in its turn."""
    kinds = dict.fromkeys(each.wrapped for each in linkages.values() if each.wrapped)
    return [shim, *(str(PurePath(shim).with_name(preload.WRAPPERS[kind])) for kind in kinds)]
