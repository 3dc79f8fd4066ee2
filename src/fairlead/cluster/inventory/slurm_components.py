"""The components of a heterogeneous Slurm job, by the variables that Slurm sets in it.

Such a job has several allocations, each with variables of its own: ``SLURM_JOB_NODELIST_HET_GROUP_0``, ``_1``, ...
Those without an ending are there for the first component at most. Source: salloc(1), sbatch(1), "OUTPUT ENVIRONMENT
VARIABLES"; before Slurm 20.11 they say PACK for HET.
"""

import os
import re
from collections.abc import Mapping

from fairlead.errors import ConfigError

NODES = "SLURM_JOB_NODELIST"
WAY_OUT = "call fairlead in the allocation, with all variables that Slurm sets there; or give a cluster file"
_SIZES = ("SLURM_HET_SIZE", "SLURM_PACK_SIZE")


def is_heterogeneous(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment is that of a heterogeneous job."""
    return _size(environment) is not None


def endings(environment: Mapping[str, str]) -> list[str]:
    """What the names of each component's variables end with; of a job that is not heterogeneous, one empty ending.

    Raises:
        ConfigError: the number of components is none, or there is no list of nodes for one of them.
    """
    size = _size(environment)
    if size is None:
        return [""]
    told = f"{size}={environment[size]!r}"
    if not re.fullmatch(r"[1-9]\d{0,3}", environment[size]):
        raise ConfigError(f"{told} is not a number of components", hint="Slurm sets it; it must not be changed")
    # An srun that has made the job itself says PACK, too.
    kind = "PACK" if f"{NODES}_HET_GROUP_0" not in environment and f"{NODES}_PACK_GROUP_0" in environment else "HET"
    found = [f"_{kind}_GROUP_{number}" for number in range(int(environment[size]))]
    for ending in found:
        if not environment.get(NODES + ending):
            raise ConfigError(
                f"{NODES}{ending} is not set, though {told}: the nodes of this component are not known",
                hint=WAY_OUT,
            )
    return found


def _size(environment: Mapping[str, str]) -> str | None:
    """The variable that says how many components there are; None: the job is not heterogeneous."""
    return next((name for name in _SIZES if name in environment), None)
