"""Which settings the agents of a run decide by: the cluster file's, and what one run or row changes."""

from collections.abc import Mapping

from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.protocol.settings import Number, require_consistent


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
