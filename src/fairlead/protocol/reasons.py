"""Why traffic was not rerouted or came back, in words: agents give a short name, and details after a colon."""

from fairlead.protocol.enums import KEEP_REASON_WORDS, RESTORE_REASON_WORDS, KeepReason, RestoreReason

AGENT_DIED = "agent_died"  # of returns that nobody told
_WORDS = {**KEEP_REASON_WORDS, **RESTORE_REASON_WORDS, AGENT_DIED: "the agent died"}

# Of returns when the program ended: agents are told so one after the other.
PEER_STOPPED = RestoreReason.PEER_STOPPED
PROGRAM_ENDED = frozenset({RestoreReason.STOPPING, PEER_STOPPED})

# Of returns while a run compares its progress with and without reroutes.
PAUSED = RestoreReason.PAUSED

# Reasons to stay that say nothing about the cluster: the program fills its own path, or the next try follows at once.
ORDINARY = frozenset(
    {KeepReason.OWN_LOAD, KeepReason.NO_ANSWER, KeepReason.GIVES_WAY, KeepReason.HELD, KeepReason.LEARNING}
)


def describe(reason: str) -> str:
    """The reason as people read it; a sentence that is one already stays as it is."""
    name, colon, detail = reason.partition(": ")
    if name not in _WORDS:
        return reason
    return f"{_WORDS[name]}{colon}{detail}"
