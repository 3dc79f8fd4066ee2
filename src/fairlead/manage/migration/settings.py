"""Every number that the migration controller's decisions depend on, with its unit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MigrationSettings:
    """Times are seconds, shares are between 0 and 1.

    Attributes:
        window_s: paths are judged over so long.
        slow_share: of the window that a path must be slow for to count as slow.
        sources_share: of the places that traffic comes from, whose paths must be slow for a machine to suffer.
        min_sources: fewer places than this cannot tell a congested destination from a congested path.
        busy_share: of an uplink's rate that must come in for the server to be the bottleneck.
        foreign_share: of what comes in that must be others', else the program's own messages are the cause.
        target_share: of an uplink's rate that may be in use at the target with the machine there.
        copy_share: of an uplink's rate that the copy gets beside cross-traffic, at least.
        copy_slows: share of the program's speed that is lost while a machine is copied.
        restart_s: after a pause, until connections are at full speed again: retransmission time-outs.
        worth: the expected gain must be so many times the expected cost.
        dwell_s: between two migrations of a site.
        settle_s: after a migration, until paths are judged again.
        first_look_s: after the program's start, until paths are judged: it starts up.
        late_factor, late_s: a migration is aborted after so many times its expected time, and this.
        refused_s: a target that refused is not asked for so long.
        most_failures: in a row, refusals not counted; then nothing is tried any more.
        repeat_s: the same reason to stay is not told again for so long.
    """

    window_s: float = 3.0
    slow_share: float = 0.6
    sources_share: float = 0.75
    min_sources: int = 2
    busy_share: float = 0.7
    foreign_share: float = 0.3
    target_share: float = 0.8
    copy_share: float = 0.5
    copy_slows: float = 0.5
    restart_s: float = 0.4
    worth: float = 1.5
    dwell_s: float = 5.0
    settle_s: float = 3.0
    first_look_s: float = 2.0
    late_factor: float = 4.0
    late_s: float = 20.0
    refused_s: float = 60.0
    most_failures: int = 3
    repeat_s: float = 10.0
