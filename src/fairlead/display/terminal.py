"""Tables on a terminal."""

import os

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from fairlead.display.tables import Table

WIDTH = 160  # characters; of what is no terminal and so has none of its own


def console(*, stderr: bool = False) -> Console:
    """The terminal. A file or a pipe is wide enough for every table, unless COLUMNS says how wide it is."""
    found = Console(stderr=stderr)
    return found if found.is_terminal or "COLUMNS" in os.environ else Console(stderr=stderr, width=WIDTH)


def rich_table(source: Table, title: str) -> RichTable:
    """A table for the terminal. Where it is too narrow, words go on in a further line; nothing is cut off."""
    drawn = RichTable(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(source.columns):
        if source.numeric(number):
            drawn.add_column(name, justify="right", min_width=_widest(source, number))
        else:
            drawn.add_column(name, overflow="fold")
    for row in source.rows:
        drawn.add_row(*(escape(each.shown) for each in row))
    return drawn


def _widest(source: Table, column: int) -> int:
    return max((len(line) for row in source.rows for line in row[column].shown.splitlines()), default=0)
