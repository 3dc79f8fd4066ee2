"""Which settings the agents of a run decide by: the cluster file's, and what one run or row changes."""

from collections.abc import Mapping

from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.protocol.objects import Base, Manage
from fairlead.protocol.settings import Number, require_consistent, ways_in


def settings_for(cluster: Cluster, changes: Mapping[str, Number]) -> dict[str, Number]:
    """Those that differ from their defaults.

    Raises:
        ConfigError: a change does not go with the cluster file's settings.
    """
    settings = {**cluster.settings, **changes}
    try:
        require_consistent(settings)
    except ValueError as error:
        raise ConfigError(f"settings of agents on {cluster.name}: {error}") from error
    return settings


def manual_tables(hosts: int, settings: Mapping[str, Number]) -> dict[int, Manage]:
    """By host index, what agents that look for no congestion are told: to have equal-cost paths. Nothing without."""
    if not ways_in(settings):
        return {}
    own: list[list[None]] = [[None] * hosts, [None] * hosts]
    base = Base(
        age_s=0.0,
        sizes_B=(),
        latency_s=[],
        rate_bps=[[None]],
        groups=(0,) * hosts,
        own_latency_s=[],
        own_rate_bps=own,
    )
    return dict.fromkeys(range(hosts), Manage(base=base, shares=[], automatic=False))
