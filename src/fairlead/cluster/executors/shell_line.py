"""A command line as one string for a log-in shell of a host, whichever that is."""

import re
import shlex
from collections.abc import Sequence

# csh(1) ends a quoted word with its line, and replaces what follows "!" in quotes, too.
_UNSAFE = re.compile(r"[\n!]")
_QUOTED = re.compile(r"['\\\n!]")


def shell_line(argv: Sequence[str]) -> str:
    """``argv``, quoted; where csh would not take that, as a line that sh unpacks: printf(1) has the codes."""
    line = shlex.join(argv)
    if not _UNSAFE.search(line):
        return line
    packed = _QUOTED.sub(lambda found: f"\\0{ord(found[0]):03o}", line)
    return f"""exec sh -c 'eval "exec $(printf %b "$0")"' '{packed}'"""
