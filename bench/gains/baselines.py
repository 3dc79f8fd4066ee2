"""Other ways through the same congestion, side by side: plain Open MPI, several links, multipath TCP; both planes."""

import random
import secrets
import statistics as simple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bench import laboratory, shims
from bench.detours import Detours
from bench.figures import AT_LEAST, Figure, ends
from bench.gains import multipath, sockets
from bench.gains.sockets import Connection, Sampler
from bench.laboratory import Network
from bench.session import Session
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.launch import Course
from fairlead.errors import LaunchError, StatisticsError
from fairlead.experiment.factors.congestion import CongestionPlan, Episode, episodes
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.experiment.running.congestion_schedule import CongestionSchedule
from fairlead.manage.components import ROUTE
from fairlead.manage.data_planes import PLANES
from fairlead.manage.supervisor import supervise, timed
from fairlead.statistics import estimates

LINKS = 4
REPLICATIONS, QUICK_REPLICATIONS = 5, 1
PROGRAMS = ("cg", "nbody")
LOOK_SHARE = 0.9  # of the clean run time, after which sockets are looked at


@dataclass(frozen=True)
class Contender:
    """A way to run the program. ``plane``: fairlead's agents beside plain Open MPI, and how they reroute traffic."""

    name: str
    options: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    plane: str | None = None


@dataclass(frozen=True)
class Run:
    """What came of one run.

    Attributes:
        connections: what the sampler saw while it ran.
        reroutes: detours taken.
    """

    time_s: float
    connections: Sequence[Connection] = ()
    reroutes: int = 0


RELAY = "relay"
FAIRLEAD = Contender("fairlead", plane=ROUTE)


def contenders() -> tuple[Contender, ...]:
    """All of them.

    Raises:
        MissingToolError: the library that makes sockets multipath cannot be built.
    """
    return (
        FAIRLEAD,
        Contender("relay", plane=RELAY),
        Contender("plain"),
        Contender("links", options=_links()),
        Contender("multipath", env={"LD_PRELOAD": str(shims.build("mptcp_socket"))}),
    )


def _links() -> tuple[str, ...]:
    """Several connections a pair, all of them used.

    Open MPI gives every link after the first twice the latency, and sends messages up to its eager limit (64 KiB) over
    those of the least latency alone. With equal figures for all links it takes them in turns.
    """
    interface = "eth0"  # of a lab's hosts
    alike = {f"btl_tcp_{what}_{interface}:{link}": "100" for link in range(LINKS) for what in ("latency", "bandwidth")}
    settings = {"btl_tcp_links": str(LINKS), **alike}
    return tuple(word for name, value in settings.items() for word in ("--mca", name, value))


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``baseline.CONTENDER.PROGRAM``, run time over fairlead's, and the proofs that each was at work."""
    plan = laboratory.plan(session)
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterize()
        multipath.set_up(net.lab)
        for program in (each for each in plan.programs if each.name in PROGRAMS):
            yield from figures(program.name, _runs(net, laboratory.congestion_of(plan), program))


def figures(program: str, runs: dict[str, list[Run]]) -> Iterator[Figure]:
    """Ratios of paired runs, then the proofs."""
    own_s = [run.time_s for run in runs[FAIRLEAD.name]]
    for name in (name for name in runs if name != FAIRLEAD.name):
        times_s = [run.time_s for run in runs[name]]
        median_s, own_median_s = simple.median(times_s), simple.median(own_s)
        note = f"run time over fairlead's in pairs; medians {median_s:.1f} s and {own_median_s:.1f} s"
        target = None if name == RELAY else 1.0  # the other plane is fairlead, too
        try:
            ratio = estimates.paired_ratio(times_s, own_s)
            value, n, interval = ratio.value, ratio.n, ends(ratio)
        except StatisticsError:  # a single pair has no interval
            value, n, interval = median_s / own_median_s, len(times_s), None
        yield Figure(f"baseline.{name}.{program}", value, "1", n, target, AT_LEAST, interval, note)
    yield from _proofs(program, runs)


def _proofs(program: str, runs: dict[str, list[Run]]) -> Iterator[Figure]:
    """That each contender was what its name says: the least of all its runs."""
    for name, least in (("plain", 1), ("links", LINKS)):
        counts = [sockets.per_pair(run.connections, program) for run in runs[name]]
        yield Figure(f"proof.{name}.{program}", min(counts), "sockets a pair", len(counts), least, AT_LEAST)
    shares = []
    for run in runs["multipath"]:
        everything = sockets.acked_B(run.connections)
        shares.append(sockets.acked_B(run.connections, network=multipath.NETWORK) / everything if everything else 0.0)
    note = "bytes on subflows over relays, of all subflows' bytes; more than 0 proves that they were used"
    yield Figure(f"proof.multipath.{program}", min(shares), "1", len(shares), 1e-6, AT_LEAST, note=note)
    for name in (FAIRLEAD.name, RELAY):
        reroutes = [run.reroutes for run in runs[name]]
        yield Figure(f"proof.{name}.{program}", min(reroutes), "reroutes", len(reroutes), 1, AT_LEAST)


def _runs(net: Network, congestion: CongestionPlan, program: ProgramPlan) -> dict[str, list[Run]]:
    """All runs by contender; runs of one replication face the same congestion, in random order."""
    session = net.session
    clean_time_s = _timed(net, program, Contender("clean"), [], congestion, 0.0).time_s
    session.say(f"{program.name}: {clean_time_s:.1f} s without congestion")
    everyone = contenders()
    runs: dict[str, list[Run]] = {contender.name: [] for contender in everyone}
    draw = random.Random(f"{session.seed} baselines {program.name}")
    for replication in range(session.size(REPLICATIONS, QUICK_REPLICATIONS)):
        drawn = episodes(
            seed=session.seed,
            case=program.name,
            replication=replication,
            clean_time_s=clean_time_s,
            bottlenecks=len(congestion.bottlenecks),
            onset=congestion.onset,
            moves=congestion.moves,
        )
        for contender in draw.sample(everyone, len(everyone)):
            run = _timed(net, program, contender, drawn, congestion, LOOK_SHARE * clean_time_s)
            runs[contender.name].append(run)
            session.record(
                program=program.name,
                contender=contender.name,
                replication=replication,
                time_s=run.time_s,
                reroutes=run.reroutes,
                sockets=[vars(each) for each in run.connections],
            )
            session.say(f"{program.name} {replication} {contender.name}: {run.time_s:.1f} s, {run.reroutes} reroutes")
    return runs


def _timed(
    net: Network,
    program: ProgramPlan,
    contender: Contender,
    drawn: Sequence[Episode],
    congestion: CongestionPlan,
    look_after_s: float,
) -> Run:
    """One run.

    Raises:
        LaunchError: it failed. Side by side means that a contender without a time has no place.
    """
    launcher, job = net.job(program, job_id=secrets.token_hex(4), options=contender.options, env=contender.env)
    hosts = net.cluster.compute_names()
    sampler = Sampler(net.lab, hosts, look_after_s)

    def launch_it(job: Job, course: Course) -> int:
        with CongestionSchedule(drawn, lambda bottleneck: net.congestion(congestion.bottlenecks[bottleneck])), sampler:
            return net.run(launcher, job, course, timeout_s=program.timeout_s)

    try:
        if contender.plane is not None:
            detours = Detours(net.cluster.managed_names())
            chosen = PLANES.get(contender.plane)
            with chosen.joined(net.cluster, job) as (ready, relay):
                management = replace(net.management(contender.plane), relay=relay)
                outcome = supervise(
                    net.cluster, management, partial(launch_it, ready), argv=job.argv, sinks=[detours], quiet=True
                )
            return Run(outcome.time_s, sampler.seen, len(detours.reroutes))
        return Run(timed(partial(launch_it, job)).time_s, sampler.seen)
    except LaunchError as error:
        raise LaunchError(f"{contender.name}: {error}") from error
