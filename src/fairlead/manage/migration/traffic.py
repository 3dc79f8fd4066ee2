"""Rates of servers and virtual machines, from two looks at a cloud's counters."""

from dataclasses import dataclass, field

from fairlead.cloud.inventory import Inventory, Load


@dataclass(frozen=True)
class Rate:
    """Bit/s into and out of a server or machine."""

    in_bps: float
    out_bps: float


@dataclass(frozen=True)
class TrafficRates:
    """What flowed between two looks; who has no counters, or restarted them, is missing."""

    servers: dict[str, Rate] = field(default_factory=dict)
    vms: dict[str, Rate] = field(default_factory=dict)

    def into(self, vms: list[str]) -> float:
        """Bit/s into these machines together."""
        return sum(self.vms[vm].in_bps for vm in vms if vm in self.vms)


def rates_between(before: Inventory, after: Inventory) -> TrafficRates:
    """Rates from ``before`` to ``after``."""
    servers = _rates({s.name: s.load for s in before.servers}, {s.name: s.load for s in after.servers})
    vms = _rates({v.name: v.load for v in before.vms}, {v.name: v.load for v in after.vms})
    return TrafficRates(servers, vms)


def _rates(before: dict[str, Load | None], after: dict[str, Load | None]) -> dict[str, Rate]:
    found = {}
    for name, new in after.items():
        old = before.get(name)
        if old is None or new is None or new.t_s <= old.t_s:
            continue
        received_B, sent_B, time_s = new.received_B - old.received_B, new.sent_B - old.sent_B, new.t_s - old.t_s
        if received_B >= 0 and sent_B >= 0:
            found[name] = Rate(8 * received_B / time_s, 8 * sent_B / time_s)
    return found
