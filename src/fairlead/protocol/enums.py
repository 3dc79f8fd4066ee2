# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
# fmt: off
"""What texts of the agents' protocol may be."""

from enum import StrEnum


class CongestionLevel(StrEnum):
    """How slow a path is compared with its baseline; datagrams carry the number."""

    # no congestion
    LOW = "low"
    # threshold: `congestion_level.medium_factor`
    MEDIUM = "medium"
    # threshold: `congestion_level.high_factor`
    HIGH = "high"


class KeepReason(StrEnum):
    """Why a search kept a pair on its path."""

    # no host can relay this pair: none avoids the bottleneck, or none has a plane
    NO_CANDIDATE = "no_candidate"
    # relays, or the hosts whose traffic had to be counted, did not answer in time
    NO_ANSWER = "no_answer"
    # no relay is faster by the margin
    NOT_BETTER = "not_better"
    # no host can relay this pair, and no other equal-cost path is faster by the margin. Those that failed or were slow
    # a moment ago are not measured
    NO_BETTER_WAY = "no_better_way"
    # every path to the destination is congested: a case for the migration controller
    DESTINATION_CONGESTED = "destination_congested"
    # every path from this host is congested
    SOURCE_CONGESTED = "source_congested"
    # the job's own traffic explains the queue
    OWN_LOAD = "own_load"
    # the relays have no capacity left
    REFUSED = "refused"
    # the destination answers no probe on any path
    DESTINATION_SILENT = "destination_silent"
    # the kernel or the guardian refused
    REROUTE_FAILED = "reroute_failed"
    # another pair of the job is rerouted first, which may be enough
    GIVES_WAY = "gives_way"
    # the destination has no plane, or does not answer
    DESTINATION_LOST = "destination_lost"
    # relays answered, but no echo came back over them; or none came back by any equal-cost path
    NOT_CARRIED = "not_carried"
    # a better path is known, but the last change is too recent
    HELD = "held"
    # a better path is known, but the pair's throughput without it is still being measured (with `learn`, and before a
    # move to an equal-cost path that only the connections speak for)
    LEARNING = "learning"


KEEP_REASON_WORDS = {
    "no_candidate": "no other host can relay its traffic",
    "no_answer": "no relay answered in time",
    "not_better": "no detour is sufficiently faster",
    "no_better_way": "none of the other equal-cost paths is sufficiently faster",
    "destination_congested": "all paths to the destination are congested",
    "source_congested": "all paths from the source are congested",
    "own_load": "the program's own traffic accounts for the queue",
    "refused": "the relays have no capacity left",
    "destination_silent": "the destination does not answer on any path",
    "reroute_failed": "the route could not be installed",
    "gives_way": "another pair of the program is rerouted first, which may be enough",
    "destination_lost": "the destination host does not accept rerouted traffic",
    "not_carried": "no detour delivers packets (is the overlay's UDP port blocked, or IP forwarding off?)",
    "held": "its route changed too recently",
    "learning": "its throughput on the direct path is still being measured, for comparison with a detour",
}
"""As people read them."""


class RestoreReason(StrEnum):
    """Why a pair was restored to its direct path."""

    # the direct path has been free of congestion for long enough
    DIRECT_GOOD = "direct_good"
    # the reroute became slower than the direct path
    DETOUR_SLOW = "detour_slow"
    # the relay misses heartbeats, lost its plane, or was restarted
    RELAY_DEAD = "relay_dead"
    # the relay revoked its grant
    RELAY_REVOKED = "relay_revoked"
    # this host's own guardian is gone
    PLANE_LOST = "plane_lost"
    # the agent of the relay or of the destination was stopped
    PEER_STOPPED = "peer_stopped"
    # the destination's agent or plane is gone
    DESTINATION_LOST = "destination_lost"
    # agents answer, but rerouted packets do not arrive
    DETOUR_BROKEN = "detour_broken"
    # the reroute brought no improvement (with `learn`, and on equal-cost paths that only the connections spoke for)
    IN_VAIN = "in_vain"
    # the pair carries no traffic
    IDLE = "idle"
    # on command
    MANUAL = "manual"
    # the supervisor compares the program's progress with and without reroutes, or found that they do not pay
    PAUSED = "paused"
    # the run ends
    STOPPING = "stopping"


RESTORE_REASON_WORDS = {
    "direct_good": "the direct path has been free of congestion for long enough",
    "detour_slow": "the detour became slower than the direct path",
    "relay_dead": "the relay no longer answers",
    "relay_revoked": "the relay withdrew its capacity",
    "plane_lost": "the guardian died",
    "peer_stopped": "the other host's agent was stopped",
    "destination_lost": "the destination host does not accept rerouted traffic",
    "detour_broken": "the detour no longer delivers packets",
    "in_vain": "the detour brought no improvement",
    "idle": "the pair no longer carries traffic",
    "manual": "by hand",
    "paused": "rerouting is paused, to see what it gives",
    "stopping": "the program ended",
}
"""As people read them."""


class Refusal(StrEnum):
    """Why a datagram or a connection (the last three) was refused."""

    # shorter than header and tag
    TOO_SHORT = "too short"
    # longer than any message
    TOO_LONG = "too long"
    # another version, or a reserved byte that is not zero
    BAD_VERSION = "bad version"
    # no such host, or this one itself
    UNKNOWN_SENDER = "unknown sender"
    # made for another host
    FOR_ANOTHER_HOST = "for another host"
    # not from the sender's address and port
    WRONG_ADDRESS = "wrong address"
    # not sealed with the job's key, or modified in transit
    NOT_SEALED = "not sealed"
    # seen before, too old, or from an earlier start of the sender
    REPLAYED = "replayed"
    # sealed correctly, but not a message of the protocol
    MALFORMED = "malformed"
    # connection from an address outside the cluster
    NOT_OF_THE_CLUSTER = "not of the cluster"
    # the peer does not have the job's secret
    NOT_AUTHENTICATED = "not authenticated"
    # more than the agent serves at once
    TOO_MANY_CONNECTIONS = "too many connections"


class Scheduling(StrEnum):
    """Scheduling granted by the kernel, so that polling ranks do not starve the agent."""

    # SCHED_FIFO, lowest priority: needs CAP_SYS_NICE or RLIMIT_RTPRIO
    REALTIME = "realtime"
    # SCHED_OTHER with a slice of 0.1 ms: Linux 6.12 or newer, no privilege
    SHORT_SLICE = "short slice"
    # like any other process
    NORMAL = "normal"


class LogLevel(StrEnum):
    """Severity of what is logged."""

    # something is missing; the agent continues without it
    WARNING = "warning"
    # something does not work; the user is informed
    ERROR = "error"


class MigrationAction(StrEnum):
    """What a migration controller did or would do."""

    # nothing is moved
    STAYS = "stays"
    # dry run: this would be moved
    WOULD = "would"
    # a migration begins
    BEGINS = "begins"
    # the migration succeeded
    MOVED = "moved"
    # the cloud does not accept a migration there now
    REFUSED = "refused"
    # it failed, or was aborted
    FAILED = "failed"
    # it was aborted, and the cloud does not report the outcome
    UNKNOWN = "unknown"
    # the provider moved a machine
    FOUND = "found"
    # paths share different links since a machine was moved
    SHARES = "shares"
    # the cloud does not answer
    BLIND = "blind"


class BenefitAction(StrEnum):
    """What a check of the reroutes' benefit found or did."""

    # the program's traffic was measured with and without reroutes
    COMPARED = "compared"
    # traffic is not rerouted for a while, as that slowed the program
    SUSPENDED = "suspended"
    # traffic is rerouted again
    RESUMED = "resumed"


class Acknowledge(StrEnum):
    """For which slow messages the receiver's agent sends the source's agent a notice."""

    # those that their receiver waited for
    WAITED = "waited"
    # all between hosts, even if nobody waited for them
    ALWAYS = "always"
    # none
    NEVER = "never"


class Remedy(StrEnum):
    """What may help where transmission between ranks outweighs processing."""

    # other hosts for the ranks
    MAPPING = "mapping"
    # more work per rank: no better placement is known
    DECOMPOSITION = "decomposition"
