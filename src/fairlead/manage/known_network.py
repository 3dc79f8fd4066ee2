"""How runs on a cluster are managed, by what is known of its network: characterized, or learnt by earlier agents."""

from collections.abc import Mapping
from dataclasses import replace

from fairlead.characterize import known
from fairlead.characterize.baseline import slower_than_baseline
from fairlead.characterize.characterization import Characterization
from fairlead.cluster.description import Cluster
from fairlead.cluster.host_binaries import bring_everywhere
from fairlead.manage.agent_settings import manual_tables, settings_for
from fairlead.manage.chosen_plane import FEWEST
from fairlead.manage.components import Components
from fairlead.manage.management import Management
from fairlead.manage.say import say
from fairlead.protocol.settings import Number
from fairlead.store import Store


def management_for(
    cluster: Cluster,
    components: Components,
    store: Store,
    settings: Mapping[str, Number] | None = None,
    *,
    quiet: bool = False,
) -> Management:
    """How runs on this cluster are managed, by what is known of its hosts and where they have our programs.

    Args:
        settings: of agents, in place of the cluster's.

    Raises:
        ConfigError: they do not go together.
    """
    plain = Management(components, {}, bring_everywhere(cluster), settings=settings_for(cluster, settings or {}))
    if not components.detection:
        return replace(plain, tables=manual_tables(len(cluster.managed_hosts()), plain.settings))
    found = Characterization.latest(store, cluster)
    if found is None:
        return _learning(cluster, plain, known.paths(store, cluster))
    if not quiet:
        origin, slower = _describe_origin(store, found), slower_than_baseline(store, found)
        for warning in (origin, found.left_out_warning(), found.stale_warning(), slower):
            if warning:
                say(warning, quiet)
    relays = found.has_detour()
    remarks = []
    if components.detours and not relays:
        remarks.append(
            f"there is no detour around any bottleneck on {cluster.name}, as on a single switch: congestion is "
            f"reported, traffic is {'only rerouted by other equal-cost paths' if plain.ways else 'not rerouted'}"
        )
        components = replace(components, detours=plain.ways > 0)
    return replace(
        plain,
        components=components,
        tables=found.manage_tables(),
        remarks=remarks,
        relays=relays,
        base_s=found.base_s(),
        sharing=found.sensitivity,
        characterized=found,
    )


def _describe_origin(store: Store, found: Characterization) -> str:
    """For people: which characterization is used, where it was made under another name; else empty."""
    made_as = store.run(found.run).labels["cluster"] if found.run is not None else found.cluster
    if made_as == found.cluster:
        return ""
    return f"uses characterization {found.run}, of {made_as}, which has these hosts ({found.age_words()})"


def _learning(cluster: Cluster, plain: Management, paths: known.KnownPaths) -> Management:
    """How a run is managed whose agents learn what they have to know of the network."""
    components, remarks = plain.components, [paths.words(cluster)]
    hosts = len(cluster.managed_hosts())
    relays = hosts >= FEWEST
    if not (relays or plain.ways):
        components = replace(components, detours=False)
    if components.migration:
        components = replace(components, migration=False)
        remarks.append(f"nothing is migrated without a characterization: run `fairlead characterize {cluster.source}`")
    tables = {index: paths.manage_tables(index) for index in range(hosts)}
    return replace(plain, components=components, tables=tables, remarks=remarks, relays=relays)
