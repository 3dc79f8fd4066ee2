"""What is executed: every command line that this machine starts, on a host or here, for `fairlead -v`.

Nothing secret is in them: executors and launchers keep it out, since others can read command lines, too.
"""

import logging
import shlex
from collections.abc import Sequence

LONGEST = 100  # characters of a word; a longer one is a script

_log = logging.getLogger(__name__)


def tell(command: Sequence[str]) -> None:
    """Say, where somebody wants to know, that a command is now started."""
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("executes %s", describe(command))


def describe(command: Sequence[str]) -> str:
    """A command line as a shell takes it, in one line; of scripts the beginning."""
    return shlex.join(_begin(word) for word in command)


def _begin(word: str) -> str:
    one_line = " ".join(word.split()) if "\n" in word else word
    return one_line if len(one_line) <= LONGEST else f"{one_line[:LONGEST]}..."
