"""Why traffic stayed or came back, in words: the agents give a short name, and more after a colon."""

_WORDS = {
    # stayed
    "no_candidate": "no other host can be an intermediate one",
    "no_answer": "no intermediate host answered in time",
    "not_better": "no detour is better by enough",
    "destination_congested": "every path into the destination is slow",
    "source_congested": "every path out of the source is slow",
    "own_load": "the program's own traffic explains the queue",
    "refused": "the intermediate hosts have no rate left",
    "destination_silent": "the destination answers on no path",
    "move_failed": "the route could not be made",
    "destination_lost": "the destination does not take part in detours",
    "not_carried": "no detour carries packets (is the overlay's UDP port blocked, or is nothing forwarded?)",
    "gives_way": "another pair of the program leaves first, which may be enough",
    "held": "the last change was too recent",
    # returned
    "direct_good": "the direct path has been good for long enough",
    "detour_slow": "the detour got slower than the direct path",
    "on_trial": "the detour may give less than the direct path: compared for a moment",
    "relay_dead": "the intermediate host does not answer any more",
    "relay_revoked": "the intermediate host took its grant back",
    "detour_broken": "the detour does not carry packets",
    "plane_lost": "the guardian is gone",
    "agent_died": "the agent is gone",
    "idle": "the pair carries no traffic any more",
    "manual": "by hand",
    "stopping": "the program has ended",
    "peer_stopped": "the other host's agent was stopped",
}

# Of returns when the program has ended: agents are told so one after the other.
PEER_STOPPED = "peer_stopped"
PROGRAM_ENDED = frozenset({"stopping", PEER_STOPPED})
AGENT_DIED = "agent_died"

# Reasons to stay that say nothing about the cluster: the program fills its own path, or the next try follows at once.
ORDINARY = frozenset({"own_load", "no_answer", "gives_way", "held"})


def in_words(reason: str) -> str:
    """The reason as people read it; a sentence that is one already stays as it is."""
    name, colon, detail = reason.partition(": ")
    if name not in _WORDS:
        return reason
    return f"{_WORDS[name]}{colon}{detail}"
