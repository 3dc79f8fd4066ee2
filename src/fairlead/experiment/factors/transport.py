"""What carries the messages of a plan's programs between hosts, and what management can do about it. Pure."""

from fairlead.cluster.description import NATIVE, TCP, Transport
from fairlead.manage.components import Components

TRANSPORTS: tuple[Transport, ...] = (TCP, NATIVE)
"""What a plan may ask for."""
TCP_IN_PLAN = f'transport = "{TCP}" in the plan'
CANNOT_REROUTE = "management cannot reroute messages over native transport"
WAY_OUT = (
    f"{TCP_IN_PLAN} makes MPI use TCP, which it can reroute; `fairlead evaluate` can also leave such rows out "
    f'([[exclude]]), or only watch them (components = "detection"), and `fairlead compare` takes --transport {TCP}'
)


def is_out_of_reach(components: Components, transport: Transport | None) -> bool:
    """Whether management would move traffic that it neither sees nor moves.

    Args:
        transport: None: nobody knows it, and nothing is judged.
    """
    return transport == NATIVE and (components.detours or components.migration)
