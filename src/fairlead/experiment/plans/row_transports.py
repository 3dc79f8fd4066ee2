"""What carries the messages of a plan's rows between hosts, in words."""

from fairlead.cluster.description import NATIVE, TCP, Transport
from fairlead.errors import ConfigError
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.row_checks import Networks

_WORDS: dict[Transport | None, str] = {
    TCP: "tcp",
    NATIVE: "native",
    None: "native where every host has an active RDMA device, else tcp",
}


def summary(plan: Plan) -> list[str]:
    """A line, where the plan says it or it may be another than TCP."""
    if plan.run.launcher == "custom":
        return []
    networks = Networks(plan)
    found: dict[Transport | None, None] = {}
    for levels in plan.combinations():
        there = networks.at(levels)
        if not isinstance(there, ConfigError):  # else told by the check of rows
            found[plan.program_at(levels).transport_on(there.cluster)] = None
    if not found or (plan.run.transport is None and set(found) == {TCP}):
        return []
    return [f"  transport: {'; '.join(_WORDS[each] for each in found)}"]
