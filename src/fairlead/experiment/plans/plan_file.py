"""A plan as the command line takes it: the file, with some of its values changed."""

from collections.abc import Sequence
from pathlib import Path

from fairlead import config
from fairlead.config_changes import ConfigChange
from fairlead.experiment.plans.plan import Plan, under


def read(path: Path, changes: Sequence[ConfigChange] = ()) -> Plan:
    """Read a plan. Paths in it start at its own directory; the files of labs and clusters are not looked at.

    Raises:
        ConfigError: see `fairlead.config.load`.
    """
    return under(config.load(path, Plan, changes), path.absolute().parent)


def with_prices(plan: Plan, prices: Path | None) -> Plan:
    """The same plan with this price book; None: its own, if it has one."""
    if prices is None:
        return plan
    return plan.model_copy(update={"evaluation": plan.evaluation.model_copy(update={"prices": prices.absolute()})})
