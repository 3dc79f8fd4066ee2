"""Virtual machines moved where none should be: on a clean network, beside a slow path, when it does not pay."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench import laboratory
from bench.figures import Figure
from bench.laboratory import Network
from bench.session import Session
from fairlead.cluster.jobs.launch import Course
from fairlead.experiment.comparisons import session as comparison_session
from fairlead.experiment.factors.congestion import Episode
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.experiment.running.congestion_schedule import CongestionSchedule
from fairlead.manage.migration import movers
from fairlead.manage.supervisor import supervise, timed
from fairlead.protocol import events
from fairlead.protocol.enums import MigrationAction
from fairlead.protocol.messages import AgentEvent

TARGET = 0
RUNS, QUICK_RUNS = 10, 1
ONSET, LATE = 0.1, 0.85  # of the run time on a clean network
# How a situation is called, the congestion of examples/migration.toml, and when it begins.
SITUATIONS = (("clean", None, 0.0), ("path", "link", ONSET), ("late", "destination", LATE))
PROGRAM = ProgramPlan(name="cg", command=("cg", "--class", "A", "--iterations", "60"), ranks=8, clean_s=11)


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``migrations.{clean,path,late}``: virtual machines moved, all of them mistakes."""
    plan = comparison_session.read(laboratory.EXAMPLES / "migration.toml")
    with laboratory.network(session, laboratory.EXAMPLES / "servers8.toml") as net:
        net.characterize()
        launcher, job = net.job(PROGRAM, job_id=secrets.token_hex(4))
        clean_s = timed(lambda course: net.run(launcher, job, course)).time_s
        session.say(f"cg alone: {clean_s:.1f} s")
        for situation, congestion, onset in SITUATIONS:
            moved: list[str] = []
            runs = session.size(RUNS, QUICK_RUNS)
            for number in range(runs):
                bottlenecks = plan.congestions[congestion].bottlenecks if congestion else ()
                begun = _run(
                    net, bottlenecks[number % len(bottlenecks) :][:1] if bottlenecks else (), onset * clean_s, clean_s
                )
                session.record(situation=situation, migrations=begun)
                session.say(f"{situation}: run {number + 1}, {len(begun)} migrations")
                moved += begun
            note = ", ".join(moved) or "none"
            yield Figure(f"migrations.{situation}", len(moved), "migrations", runs, TARGET, note=note)


def _run(net: Network, bottlenecks: Sequence[Any], onset_s: float, clean_s: float) -> list[str]:
    """Which machines were moved in a managed run with this congestion from the onset to the end."""
    begun: list[str] = []

    def hear(_: int, event: AgentEvent) -> None:
        if isinstance(event, events.Migration) and event.action == MigrationAction.BEGINS:
            begun.append(f"{event.vm} to {event.to}")

    launcher, job = net.job(PROGRAM, job_id=secrets.token_hex(4))
    management = replace(net.management(), mover=movers.maker(net.cluster, clean_s))
    episodes = [Episode(onset_s, 0)] if bottlenecks else []

    def launch_it(course: Course) -> int:
        with CongestionSchedule(episodes, lambda _: net.congestion(bottlenecks[0])):
            return net.run(launcher, job, course)

    supervise(net.cluster, management, launch_it, argv=job.argv, sinks=[hear], quiet=True)
    return begun
