"""How a run is managed: what is switched on, what is known of its network, and which plane it has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairlead.agents.group import LEASE_S, JobOptions
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.errors import FairleadError
from fairlead.manage.components import Components
from fairlead.manage.data_planes import PLANES
from fairlead.manage.migration.moving import MakeMover
from fairlead.manage.migration.probing import Path
from fairlead.protocol import answers
from fairlead.protocol.objects import Manage
from fairlead.protocol.settings import ways_in


@dataclass(frozen=True)
class Unasked:
    """That messages are watched though nobody asked for it: where they cannot be, the run goes on without.

    Attributes:
        environment: of ranks, which loads libfairlead into them.
        given_up: takes the reason, in words, why they are not watched after all.
    """

    environment: Mapping[str, str]
    given_up: Callable[[str], None]


@dataclass(frozen=True)
class Management:
    """How a run is managed.

    Attributes:
        components: what is switched on.
        tables: by host index, the decision tables (`Characterization.manage_tables`); without detection, what agents
            have to know for reroutes by hand.
        binaries: agent and guardian on the hosts.
        manual: reroutes are made by hand: guardians are needed even without detours of fairlead's own.
        by_way: some of these are by equal-cost paths, which only the route plane has.
        remarks: what the user should know before the program starts.
        rings: where the program's ranks write the ends of their messages; None: they do not.
        unasked: how messages are watched where nobody asked for it; None: somebody did, or they are not.
        plane: how what is rerouted travels: a name of `fairlead.manage.data_planes`.
        relay: where ranks find the agents that relay their messages; None: they do not.
        mover: makes what moves virtual machines; None: nothing does.
        base_s: latency in seconds of small messages by (source, destination), as characterized.
        sharing: which injections hurt which paths, as characterized; None: that is not known.
        decide: the management with its plane, by the agents' first answers (by host index; None: one did not start);
            None: the plane is decided.
        characterized: all of the characterization; None: there is none.
        settings: of the agents, those that differ from their defaults.
        relays: a pair may be led over another host; otherwise only by another equal-cost path (`ways`).
    """

    components: Components
    tables: Mapping[int, Manage]
    binaries: HostBinaries
    manual: bool = False
    by_way: bool = False
    remarks: Sequence[str] = ()
    rings: str | None = None
    unasked: Unasked | None = None
    plane: str = "route"
    relay: str | None = None
    mover: MakeMover | None = None
    base_s: Mapping[Path, float] = field(default_factory=dict)
    sharing: SharedBottlenecks | None = None
    decide: "Callable[[Sequence[answers.Ready | None]], Management] | None" = None
    characterized: Characterization | None = None
    settings: Mapping[str, int | float] = field(default_factory=dict)
    relays: bool = True

    @property
    def ways(self) -> int:
        """How many equal-cost paths agents may lead a pair by, on the route plane."""
        return ways_in(self.settings)

    @property
    def in_ranks(self) -> bool:
        """Whether a library of ours is loaded into the program's ranks."""
        return self.components.monitor or PLANES.get(self.plane).in_ranks

    @property
    def reroutes(self) -> bool:
        """Whether guardians are needed."""
        return not PLANES.get(self.plane).by_agents and (self.components.detours or self.manual)

    def decided(self, ready: Sequence[answers.Ready | None]) -> "Management":
        """With its plane decided, where it was not.

        Raises:
            OtherPlaneError: that needs agents that are started in another way.
        """
        if self.decide is None:
            return self
        other = self.decide(ready)
        if (other.plane, other.reroutes) != (self.plane, self.reroutes):
            raise OtherPlaneError(other)
        return replace(self, remarks=other.remarks, decide=None)

    def _decision_tables(self) -> Mapping[int, Manage]:
        if not self.settings:
            return self.tables
        settings = dict(self.settings)
        return {host: replace(table, settings=settings) for host, table in self.tables.items()}

    def job_options(self) -> JobOptions:
        """What the agents are told for these components."""
        return JobOptions(
            guardian=self.binaries.guardian if self.reroutes else None,
            manage=self._decision_tables() if self.components.detection or self.manual else {},
            rings=self.rings,
            acknowledge=self.components.acknowledge,
            relay=self.relay,
            lease_s=LEASE_S,
            revived=True,
        )


class OtherPlaneError(FairleadError):
    """The agents' first answers ask for agents that are started in another way.

    Attributes:
        management: the run's management with its plane.
    """

    def __init__(self, management: "Management") -> None:
        super().__init__(f"agents were started for another plane than {management.plane}")
        self.management = management
