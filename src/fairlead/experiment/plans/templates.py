"""Texts of plans that hold ``{factor}``, filled with the levels of a row. Pure."""

import re
from collections.abc import Mapping

from fairlead.analysis.evaluations.settings import Level
from fairlead.cluster.description import MOST_RANKS
from fairlead.errors import ConfigError

Levels = dict[str, Level]
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill_template(text: str, levels: Mapping[str, Level]) -> str:
    """``text`` with every ``{factor}`` replaced by its level."""
    return _PLACEHOLDER.sub(lambda match: str(levels[match[1]]) if match[1] in levels else match[0], text)


def fill_ranks(ranks: int | str, levels: Mapping[str, Level]) -> int:
    """Number of ranks of a row.

    Raises:
        ConfigError: the levels make no whole number from 1 to `MOST_RANKS` of it.
    """
    text = fill_template(str(ranks), levels)
    if not text.isdecimal() or len(text) > len(str(MOST_RANKS)) or not 1 <= int(text) <= MOST_RANKS:
        raise ConfigError(f"run.ranks: {text!r} is not a number of ranks")
    return int(text)


def placeholders(*texts: str) -> list[str]:
    """Names in braces, each once."""
    return list(dict.fromkeys(name for text in texts for name in _PLACEHOLDER.findall(text)))
