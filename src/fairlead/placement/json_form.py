"""A placement as JSON, a contract (`fairlead.contract`), and as the files that MPI's own launchers read."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from pydantic import Field

from fairlead.contract import Document, Finite, Part
from fairlead.located_json import Location

SCHEMA_VERSION = "1.0"
SCHEMA_FILE = Path(__file__).with_name("placement.schema.json")


class Link(Part):
    """A shared bottleneck: ``pairs`` of hosts (source, destination) that cross it, and its rate."""

    pairs: list[tuple[str, str]]
    rate_bps: Finite


class Expected(Part):
    """What a placement costs (`fairlead.placement.cost.CommunicationCost`).

    ``messages``, ``bytes_B``: between hosts. ``rank_s``: these one after another, the mean of the ranks.
    ``busiest_s``: how long the ``busiest`` shared bottleneck is busy with them; null where none is known. Times are
    null where the network was not measured.
    """

    messages: int
    bytes_B: int
    rank_s: Finite | None = None
    busiest_s: Finite | None = None
    busiest: Link | None = None


class Placement(Document):
    """The whole file. ``hosts_before``: of each rank in the run that was profiled, or, where that ran on other hosts,
    as fairlead places ranks by itself. ``characterization``: number of the run; null: not measured."""

    schema_name: str = Field(alias="schema", default="fairlead.placement")
    schema_version: str = SCHEMA_VERSION
    program: list[str]
    cluster: str
    characterization: int | None
    profiled: bool
    hosts_before: list[str]
    before: Expected
    host_of_rank: list[str]
    after: Expected

    @property
    def ranks(self) -> int:
        return len(self.host_of_rank)

    def contradictions(self) -> Iterator[tuple[Location, str]]:
        """It places no rank, or not as many as before."""
        if not self.host_of_rank:
            yield ("host_of_rank",), "must not be empty: it is the host of each rank"
        elif len(self.hosts_before) != self.ranks:
            yield ("hosts_before",), f"has {len(self.hosts_before)} entries, host_of_rank {self.ranks}"


def rankfile(hosts: Sequence[str]) -> str:
    """For Open MPI's ``--rankfile`` (4.1) and ``--map-by rankfile:file=`` (5): the k-th rank of a host on its core k.

    Open MPI binds ranks by a rankfile, so that it needs as many cores as a host has ranks.
    """
    lines = []
    for rank, host in enumerate(hosts):
        lines.append(f"rank {rank}={host} slot={list(hosts[:rank]).count(host)}\n")
    return "".join(lines)


def host_list(hosts: Sequence[str]) -> str:
    """For MPICH's ``-f``: a line for each stretch of ranks on one host, in rank order."""
    return "".join(f"{host}:{len(list(run))}\n" for host, run in groupby(hosts))
