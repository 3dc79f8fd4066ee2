"""What management cannot do on the hosts of a run, and what others there can do to its traffic."""

from collections.abc import Sequence

from fairlead.agents.agent import EventCallback
from fairlead.manage.management import Management
from fairlead.manage.narrator import Narrator
from fairlead.protocol import answers, events


def tell_limits(
    management: Management,
    narrator: Narrator,
    names: Sequence[str],
    ready: Sequence[answers.Ready | None],
    watch: EventCallback,
) -> None:
    """Say it, and record for each host that cannot reroute traffic why.

    Args:
        names: of the agents' hosts. ``ready``: their agents' first answers; None: one did not start.
        watch: takes (host index, event).
    """
    for remark in management.remarks:
        narrator.say(remark)
    if management.reroutes:
        _tell_planes(narrator, names, ready, watch)
        _tell_low_ports(narrator, names, ready)


def _tell_planes(
    narrator: Narrator, names: Sequence[str], ready: Sequence[answers.Ready | None], watch: EventCallback
) -> None:
    """Hosts that cannot reroute traffic: said once, and recorded one by one."""
    without = {index: each.plane_reason for index, each in enumerate(ready) if each and each.plane == "none"}
    for index, reason in without.items():
        watch(index, events.Plane(plane="none", reason=reason))
    if without:
        first, reason = next(iter(without.items()))
        narrator.say(
            f"{len(without)} of {len(names)} hosts cannot reroute traffic (first: {names[first]}: {reason}); the "
            "program runs, and congestion is reported. `fairlead doctor` shows how to give the guardian its privilege"
        )


def _tell_low_ports(narrator: Narrator, names: Sequence[str], ready: Sequence[answers.Ready | None]) -> None:
    """Hosts where every user can have the ports that outer packets leave from. Each host only knows its own value."""
    told = {
        name: each.low_port
        for name, each in zip(names, ready, strict=True)
        if each and each.plane == "route" and each.low_port is not None
    }
    if unknown := [name for name, first in told.items() if first == "not known"]:
        narrator.say(
            f"{', '.join(unknown)}: net.ipv4.ip_unprivileged_port_start cannot be read, so every user there may be "
            "able to inject packets into rerouted traffic"
        )
    if open_to_all := [f"{name} (first port {first})" for name, first in told.items() if name not in unknown]:
        narrator.say(
            f"every user of {', '.join(open_to_all)} can inject packets into rerouted traffic; to prevent it, "
            "there, as root: sysctl -w net.ipv4.ip_unprivileged_port_start=1024"
        )
