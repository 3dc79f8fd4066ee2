"""The parts of the run-time module that can be switched, and the stages that add them one by one (DMCBM table 4.1)."""

from dataclasses import dataclass, replace

from fairlead.protocol.enums import Acknowledge


@dataclass(frozen=True)
class Components:
    """Which parts of fairlead are at work beside a program.

    Attributes:
        agents: an agent on every host; without them nothing else can be.
        detection: agents watch the sockets, probe, and judge paths by levels.
        detours: the traffic of congested host pairs is rerouted.
        migration: virtual machines are moved where their server is congested.
        monitor: agents watch the program's messages, too. It is no stage; `fairlead run` has it where it harms no
            program (`fairlead.manage.monitor.unasked`), all else where it is asked for (docs/guides/monitor.md).
        acknowledge: of which messages that took long the source is told, where they are watched (DMCBM 3.4.1).
        benefit: where traffic is rerouted, pauses show now and then what that gives (`fairlead.manage.benefit`).
    """

    agents: bool
    detection: bool
    detours: bool
    migration: bool = False
    monitor: bool = False
    acknowledge: Acknowledge = Acknowledge.WAITED
    benefit: bool = True

    def __post_init__(self) -> None:
        if self.detours and not self.detection:
            raise ValueError("detours need detection")
        if self.migration and not self.detection:
            raise ValueError("migration needs detection")
        if self.detection and not self.agents:
            raise ValueError("detection needs agents")
        if self.monitor and not self.agents:
            raise ValueError("the message monitor needs agents")


ROUTE = "route"
"""The plane (`fairlead.manage.data_planes`) that is taken where nothing else is said."""

NONE = Components(agents=False, detection=False, detours=False)
FULL = Components(agents=True, detection=True, detours=True)
MIGRATING = replace(FULL, migration=True)

# What `compare --stages` adds, in this order; the last where a plan has `migrate`.
STAGES = {
    "agents": Components(agents=True, detection=False, detours=False),
    "detection": Components(agents=True, detection=True, detours=False),
    "detours": FULL,
    "migration": MIGRATING,
}
