"""Reroutes while nobody else uses the network: cg, nbody and HPCC in turn for ten minutes."""

import secrets
import time
from collections.abc import Iterator
from functools import partial
from itertools import cycle

from bench import laboratory
from bench.detours import Detours
from bench.figures import Figure
from bench.session import Session
from fairlead.manage.supervisor import supervise

TARGET = 0
DURATION_S, QUICK_DURATION_S = 600.0, 30.0


def measure(session: Session) -> Iterator[Figure]:
    """Figure ``quiet.reroutes``: a number of reroutes, all of them mistakes."""
    duration_s = session.size(DURATION_S, QUICK_DURATION_S)
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterize()
        management = net.management()
        names = net.cluster.managed_names()
        runs, rerouted = 0, []
        end_s = time.monotonic() + duration_s
        for program in cycle(laboratory.plan(session).programs):
            if time.monotonic() >= end_s:
                break
            launcher, job = net.job(program, job_id=secrets.token_hex(4))
            detours = Detours(names)
            outcome = supervise(
                net.cluster,
                management,
                partial(net.run, launcher, job),
                argv=job.argv,
                sinks=[detours],
                quiet=True,
            )
            runs += 1
            rerouted += detours.reroutes
            session.record(program=program.name, time_s=outcome.time_s, reroutes=detours.reroutes)
            session.say(f"{program.name}: {outcome.time_s:.1f} s, {len(detours.reroutes)} reroutes")
    note = f"{duration_s:g} s; " + (", ".join(f"{a} to {b}" for _, (a, b) in rerouted) or "none")
    yield Figure("quiet.reroutes", len(rerouted), "reroutes", runs, TARGET, note=note)
