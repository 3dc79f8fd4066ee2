"""A plan from file to samples (``fairlead evaluate PLAN``)."""

from pathlib import Path

from fairlead import config
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.evaluate.plan import Plan, under
from fairlead.lab import description as lab_description


def read(path: Path, *, look: bool = True) -> Plan:
    """Read a plan. Paths in it start at its own directory.

    Args:
        look: read the descriptions of labs and clusters that it names as well, so that mistakes there are told now.

    Raises:
        ConfigError: see `fairlead.config.load`; or a description of a lab or cluster that it names is missing or wrong.
    """
    plan = under(config.load(path, Plan), path.absolute().parent)
    table = plan.evaluation
    if not look:
        return plan
    for file in plan.networks():
        try:
            if table.lab is not None:
                lab_description.load(file)
            else:
                Cluster.load(file)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error.args[0]}", hint=error.hint) from error
    return plan
