"""Why traffic was not rerouted or came back, in words: agents give a short name, and details after a colon."""

_WORDS = {
    # stayed
    "no_candidate": "no other host can relay its traffic",
    "no_answer": "no relay answered in time",
    "not_better": "no detour is faster by enough",
    "destination_congested": "all paths to the destination are congested",
    "source_congested": "all paths from the source are congested",
    "own_load": "the program's own traffic accounts for the queue",
    "refused": "the relays have no capacity left",
    "destination_silent": "the destination does not answer on any path",
    "move_failed": "the route could not be installed",
    "destination_lost": "the destination host does not accept rerouted traffic",
    "not_carried": "no detour delivers packets (is the overlay's UDP port blocked, or IP forwarding off?)",
    "gives_way": "another pair of the program is rerouted first, which may be enough",
    "held": "its route changed too recently",
    "learning": "what it gets without one is being measured, to judge it by",
    # returned
    "direct_good": "the direct path has been free of congestion for long enough",
    "detour_slow": "the detour became slower than the direct path",
    "relay_dead": "the relay no longer answers",
    "relay_revoked": "the relay withdrew its capacity",
    "in_vain": "the detour improved nothing",
    "detour_broken": "the detour no longer delivers packets",
    "plane_lost": "the guardian died",
    "agent_died": "the agent died",
    "idle": "the pair carries no traffic any more",
    "manual": "by hand",
    "stopping": "the program ended",
    "peer_stopped": "the other host's agent was stopped",
}

# Of returns when the program ended: agents are told so one after the other.
PEER_STOPPED = "peer_stopped"
PROGRAM_ENDED = frozenset({"stopping", PEER_STOPPED})
AGENT_DIED = "agent_died"

# Reasons to stay that say nothing about the cluster: the program fills its own path, or the next try follows at once.
ORDINARY = frozenset({"own_load", "no_answer", "gives_way", "held", "learning"})


def in_words(reason: str) -> str:
    """The reason as people read it; a sentence that is one already stays as it is."""
    name, colon, detail = reason.partition(": ")
    if name not in _WORDS:
        return reason
    return f"{_WORDS[name]}{colon}{detail}"
