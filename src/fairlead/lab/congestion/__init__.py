"""Congestion in a lab: what other users of a network do to it."""

from fairlead.lab.congestion.base import Congestion
from fairlead.lab.congestion.delay import DelayCongestion, find_link
from fairlead.lab.congestion.description import CongestionDescription, Delay, MpiTraffic, Streams
from fairlead.lab.congestion.mpi import MpiCongestion, hosts
from fairlead.lab.congestion.streams import StreamCongestion, host_pairs
from fairlead.lab.lab import Lab
from fairlead.lab.topology import ResolvedLab

__all__ = ["Congestion", "CongestionDescription", "Delay", "MpiTraffic", "Streams", "check", "make"]


def make(lab: Lab, description: CongestionDescription) -> Congestion:
    """The congestion that a description means, not yet started.

    Raises:
        LabError: it names what the lab does not have.
        MissingToolError: mpirun or a program of ours is missing.
    """
    if isinstance(description, Streams):
        return StreamCongestion(lab, description)
    if isinstance(description, MpiTraffic):
        return MpiCongestion(lab, description)
    return DelayCongestion(lab, description)


def check(plan: ResolvedLab, description: CongestionDescription) -> None:
    """Raises LabError if the description names what the lab does not have."""
    if isinstance(description, Streams):
        host_pairs(description, plan)
    elif isinstance(description, MpiTraffic):
        hosts(description, plan)
    else:
        find_link(plan, description.link)
