"""What a command's CLUSTER argument means."""

from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.slurm import from_slurm


def choose(argument: str) -> Cluster:
    """The cluster of a file, or of the Slurm allocation we are in (``slurm``).

    Raises:
        ConfigError: see `Cluster.load` and `from_slurm`.
    """
    return from_slurm() if argument == "slurm" else Cluster.load(Path(argument))
