"""A command line as one string for a log-in shell of a host, whichever that is."""

import os
import re
import shlex
from collections.abc import Sequence

from fairlead.errors import ConfigError

LONGEST_B = 128 * 1024 - 1
"""Of a word of a command line, which this is one of: MAX_ARG_STRLEN less its end, execve(2)."""
# csh(1) ends a quoted word with its line, and replaces what follows "!" in quotes, too.
_UNSAFE = re.compile(r"[\n!]")
_QUOTED = re.compile(r"['\\\n!]")


def shell_line(argv: Sequence[str]) -> str:
    """``argv``, quoted; where csh would not take that, as a line that sh unpacks: printf(1) has the codes.

    Raises:
        ConfigError: it is longer than `LONGEST_B`.
    """
    line = shlex.join(argv)
    if _UNSAFE.search(line):
        packed = _QUOTED.sub(lambda found: f"\\0{ord(found[0]):03o}", line)
        line = f"""exec sh -c 'eval "exec $(printf %b "$0")"' '{packed}'"""
    if (length_B := len(os.fsencode(line))) > LONGEST_B:
        raise ConfigError(
            f"a command line for a host has {length_B} B and goes there as one word, of which Linux takes at most "
            f"{LONGEST_B} B (MAX_ARG_STRLEN)",
            hint='mpirun\'s line names the hosts of all ranks: `launch_from = "here"` in the cluster file starts it on '
            "this machine; else use fewer ranks, shorter host names, or less environment",
        )
    return line
