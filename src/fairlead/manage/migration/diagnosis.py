"""What kind of congestion a server has: at the destination, on some paths, or by the program itself."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fairlead.cloud.inventory import Inventory
from fairlead.manage.migration.incoming import Incoming
from fairlead.manage.migration.settings import MigrationSettings
from fairlead.manage.migration.traffic import TrafficRates


class Kind(StrEnum):
    """What is found of a server whose machines suffer."""

    DESTINATION = "destination"  # everything that comes in is slow, and others cause it
    INCAST = "incast"  # everything that comes in is slow, and the program itself causes it
    PATH = "path"  # only some paths or machines: detours are for that
    UNKNOWN = "unknown"  # everything is slow, but the cloud tells no traffic to say whose it is


@dataclass(frozen=True)
class Diagnosis:
    """Of one server.

    Attributes:
        vms: the job's machines on it, all of which suffer unless it is PATH.
        foreign_share: of what comes in; None where the cloud tells no traffic.
        why: in words.
    """

    server: str
    kind: Kind
    vms: tuple[str, ...]
    foreign_share: float | None
    why: str


def diagnose(
    inventory: Inventory,
    traffic: TrafficRates,
    incoming: Incoming,
    job: Collection[str],
    now_s: float,
    settings: MigrationSettings,
) -> list[Diagnosis]:
    """Servers with machines of the job that suffer. A server counts as one place that traffic comes from, and a host
    that is on none as a place of its own.

    Args:
        job: names of the job's hosts; those that are virtual machines are called so in the inventory.
    """
    places = {host: host for host in job} | {vm.name: vm.server for vm in inventory.vms if vm.name in set(job)}
    found = []
    for server in inventory.servers:
        mine = [vm.name for vm in inventory.vms_on(server.name) if vm.name in places]
        if not mine:
            continue
        outside = {host: place for host, place in places.items() if place != server.name}
        slow = {vm: incoming.slow_into(vm, outside, now_s, settings.slow_share) for vm in mine}
        if any(any(each.values()) for each in slow.values()):
            found.append(_judge(server.name, mine, slow, inventory, traffic, settings))
    return found


def _judge(
    server: str,
    mine: list[str],
    slow: Mapping[str, Mapping[str, bool]],
    inventory: Inventory,
    traffic: TrafficRates,
    settings: MigrationSettings,
) -> Diagnosis:
    vms = tuple(mine)
    counts = {vm: (sum(places.values()), len(places)) for vm, places in slow.items()}
    suffers = [vm for vm, (bad, all_) in counts.items() if bad >= settings.sources_share * all_]
    seen = ", ".join(f"{vm} from {bad} of {all_} places" for vm, (bad, all_) in counts.items())
    if len(suffers) < len(mine):
        return Diagnosis(server, Kind.PATH, vms, None, f"only some paths into {server} are slow ({seen})")
    if min(all_ for _, all_ in counts.values()) < settings.min_sources:
        why = f"traffic into {server} comes from a single place, whose path may be the cause"
        return Diagnosis(server, Kind.PATH, vms, None, why)
    rate, uplink_bps = traffic.servers.get(server), inventory.server(server).uplink_bps
    every = f"every path into {server} is slow ({seen})"
    if rate is None or not uplink_bps:
        return Diagnosis(server, Kind.UNKNOWN, vms, None, f"{every}, but the cloud does not report its traffic")
    if rate.in_bps < settings.busy_share * uplink_bps:
        why = f"{every}, but its uplink is not full: {rate.in_bps / 1e6:.0f} of {uplink_bps / 1e6:.0f} Mbit/s come in"
        return Diagnosis(server, Kind.PATH, vms, None, why)
    foreign = max(0.0, 1.0 - traffic.into(mine) / rate.in_bps)
    why = (
        f"{every}; {rate.in_bps / 1e6:.0f} of {uplink_bps / 1e6:.0f} Mbit/s come in, {foreign:.0%} of it cross-traffic"
    )
    kind = Kind.DESTINATION if foreign >= settings.foreign_share else Kind.INCAST
    return Diagnosis(server, kind, vms, foreign, why)
