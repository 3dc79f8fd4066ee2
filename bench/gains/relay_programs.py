"""Programs under congestion over the relay plane in an unprivileged lab: recovered share, and what the plane costs."""

from collections.abc import Iterator

from bench import laboratory
from bench.figures import Figure
from bench.gains import recovered
from bench.gains.overhead import accounted
from bench.session import Session
from fairlead.analysis import comparison
from fairlead.experiment.comparisons import session as comparison_session

PLAN = laboratory.EXAMPLES / "relay.toml"


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``recovered.relay.*``, ``slowdown.relay.*`` and ``overhead.accounted.relay.*``."""
    plan = comparison_session.read(PLAN)
    replications = session.size(plan.comparison.replications, 2)
    with laboratory.network(session, laboratory.MESH8, unprivileged=True) as net:
        net.characterize()
        for program in plan.programs:
            changes = {"name": f"relay.{program.name}", "replications": replications, "planes": ("relay",)}
            table = plan.comparison.model_copy(update=changes)
            own = plan.model_copy(update={"comparison": table, "programs": (program,)})
            session.say(program.name)
            experiment = net.compare(own)
            yield from recovered.figures(net.store, experiment, recovered.Case(table.name, own))
            stage = comparison.load(net.store, experiment).programs[0].final
            yield accounted(f"overhead.accounted.{table.name}", stage.accounted)
