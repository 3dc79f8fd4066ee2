"""Tables on a terminal."""

import os
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from fairlead.display import words
from fairlead.display.tables import Table

WIDTH = 10_000  # characters; of what is no terminal and so has none of its own: nothing is wrapped there
_WHOLE = 24  # characters; what is longer, such as a path or a sentence, may go on in a further line anywhere


class _Terminal(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        """See `Console.print`. A line that is too long is the terminal's to wrap: cut off, it would lie."""
        super().print(*objects, **{"crop": False, **options})


def console(*, stderr: bool = False) -> Console:
    """The terminal. A file or a pipe is wide enough for everything, unless COLUMNS says how wide it is."""
    found = _Terminal(stderr=stderr)
    return found if found.is_terminal or "COLUMNS" in os.environ else _Terminal(stderr=stderr, width=WIDTH)


def rich_table(source: Table, title: str) -> RichTable:
    """A table for the terminal. Where that is too narrow, texts go on in a further line, between their words. Numbers
    stay whole: a table with many of them is wider than the terminal then."""
    drawn = RichTable(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(source.columns):
        if source.numeric(number):
            least = max(_widest(source, number), *map(len, name.split()))
            drawn.add_column(name, justify="right", min_width=least)
        else:
            texts = [name, *(row[number].shown for row in source.rows)]
            drawn.add_column(name, overflow="fold", min_width=_longest_whole(texts))
    for row in source.rows:
        drawn.add_row(*(escape(each.shown) for each in row))
    return drawn


def _widest(source: Table, column: int) -> int:
    return max((len(line) for row in source.rows for line in row[column].shown.splitlines()), default=0)


def _longest_whole(texts: list[str]) -> int:
    """Length of the longest thing that stays in one line: a word, or an interval with its unit ("4.98 to 5.10 s")."""
    wholes = [whole for text in texts for whole in ([text] if words.NBSP in text else text.split())]
    return max((len(whole) for whole in wholes if len(whole) <= _WHOLE), default=0)
