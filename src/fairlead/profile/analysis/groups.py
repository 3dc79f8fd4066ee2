"""How far a program depends on the network: four groups by its ranks' share of time in MPI.

The groups are those of the interconnection thesis (Maliszewski 2021), section 5.1, which profiles eight NAS programs on
four hosts with Ethernet and sorts them by eye: IS and FT (94 % in MPI) depend highly on the network, CG (84 %) and MG
(80 %) depend on it, SP (72 %), LU (44 %) and BT (40 %) little, EP (9 %) not. The thesis gives no limits between the
groups; those here are round numbers between its programs. Like its figures, the share does not tell time on the network
from time between processes of one host.
"""

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from fairlead.config import Model

HIGHLY_DEPENDENT, DEPENDENT, LOW, NONE = GROUPS = ("highly dependent", "dependent", "low", "none")

Share = Annotated[float, Field(gt=0.0, le=1.0)]


class Thresholds(Model):
    """Least share of the ranks' time in MPI of each group. A program below ``low`` is in the group ``none``.

    The thresholds must descend.
    """

    highly_dependent: Share = 0.90
    """Least share of a program that depends highly on the network."""
    dependent: Share = 0.75
    """Least share of a program that depends on the network."""
    low: Share = 0.25
    """Least share of a program that depends little on the network."""

    @model_validator(mode="after")
    def _descending(self) -> Self:
        if any(higher <= lower for higher, lower in pairwise(self.least().values())):
            raise ValueError("the thresholds must descend: highly_dependent, dependent, low")
        return self

    def least(self) -> dict[str, float]:
        """The least share of each group that has one, from the highest group on."""
        return {HIGHLY_DEPENDENT: self.highly_dependent, DEPENDENT: self.dependent, LOW: self.low}


def group_of(mpi_share: float, thresholds: Thresholds) -> str:
    """The group of a program whose ranks together spend this share of their time in MPI."""
    return next((name for name, least in thresholds.least().items() if mpi_share >= least), NONE)
