"""What a profiled program ran on, as a part of its profile."""

from typing import Annotated

from pydantic import Field

from fairlead.contract import Finite, Part


class Ran(Part):
    """What the program ran on, and for how long: all ``compute_hosts`` of ``cluster`` were its own for ``time_s``,
    mpirun included."""

    cluster: str
    compute_hosts: int
    time_s: Annotated[Finite, Field(gt=0)]
