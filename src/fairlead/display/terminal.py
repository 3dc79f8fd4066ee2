"""Tables on a terminal."""

import os
from typing import Any, Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markup import escape
from rich.table import Table as RichTable

from fairlead.display import words
from fairlead.display.tables import Table

WIDTH = 10_000  # characters; of what is no terminal and so has none of its own: nothing is wrapped there
_MOST_NAMING = 3  # columns
_WHOLE = 24  # characters; what is longer, such as a path or a sentence, may go on in a further line anywhere


class _Terminal(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        """See `Console.print`. A line that is too long is the terminal's to wrap: cut off, it would lie."""
        super().print(*objects, **{"crop": False, **options})


def console(*, stderr: bool = False) -> Console:
    """The terminal. A file or a pipe is wide enough for everything, unless COLUMNS says how wide it is."""
    found = _Terminal(stderr=stderr)
    return found if found.is_terminal or "COLUMNS" in os.environ else _Terminal(stderr=stderr, width=WIDTH)


def rich_table(source: Table, title: str) -> "FittedTable":
    """A table for the terminal, as wide as that at most."""
    return FittedTable(source, title)


class FittedTable:
    """A table that fits the terminal. Where it is too wide, texts go on in a further line, between their words; where
    that is not enough, columns go on below, each part with what names its rows. Numbers stay whole."""

    def __init__(self, source: Table, title: str) -> None:
        self._source, self._title = source, title

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, columns in enumerate(_parts(self._source, options.max_width)):
            widths = _widths(self._source, columns, options.max_width)
            drawn = _drawn(self._source, self._title if number == 0 else "", widths)
            wide = sum(widths.values()) + _between(columns)  # a single column may be wider than the terminal
            yield from console.render(drawn, options.update(width=max(wide, options.max_width)))


def _parts(source: Table, width: int) -> list[list[int]]:
    """Which columns stand side by side."""
    names = list(range(_naming(source)))
    parts = [names]
    for column in range(len(names), len(source.columns)):
        together = [*parts[-1], column]
        least = sum(_least(source, each) for each in together) + _between(together)
        if least > width and parts[-1] != names:
            parts.append([*names, column])
        else:
            parts[-1] = together
    return parts


def _widths(source: Table, columns: list[int], width: int) -> dict[int, int]:
    """Of each column: the least, and what is left of the terminal's goes to those that lack the least first."""
    least = {each: _least(source, each) for each in columns}
    lack = {each: max(len(source.columns[each]), _widest(source, each)) - least[each] for each in columns}
    left, widths = max(0, width - sum(least.values()) - _between(columns)), dict(least)
    for number, each in enumerate(sorted(columns, key=lambda column: lack[column])):
        more = min(lack[each], left // (len(columns) - number))
        widths[each] += more
        left -= more
    return widths


def _between(columns: list[int]) -> int:
    """Characters beside and between columns, as rich draws them."""
    return 3 * (len(columns) - 1) + 2


def _naming(source: Table) -> int:
    """How many of the first columns name a row, so that no two have the same name; one where no few do."""
    for count in range(1, min(_MOST_NAMING, len(source.columns) - 1) + 1):
        names = {tuple(each.shown for each in row[:count]) for row in source.rows}
        if len(names) == len(source.rows):
            return count
    return min(1, len(source.columns))


def _drawn(source: Table, title: str, widths: dict[int, int]) -> RichTable:
    drawn = RichTable(
        title=escape(title) or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for number, width in widths.items():
        justify: Literal["left", "right"] = "right" if source.numeric(number) else "left"
        drawn.add_column(escape(source.columns[number]), justify=justify, overflow="fold", width=width)
    for row in source.rows:
        drawn.add_row(*(escape(row[number].shown) for number in widths))
    return drawn


def _least(source: Table, column: int) -> int:
    """The width below which something in a column would be cut."""
    name = source.columns[column]
    if source.numeric(column):
        return max(_widest(source, column), *map(len, name.split()), 0)
    return _longest_whole([name, *(row[column].shown for row in source.rows)])


def _widest(source: Table, column: int) -> int:
    return max((len(line) for row in source.rows for line in row[column].shown.splitlines()), default=0)


def _longest_whole(texts: list[str]) -> int:
    """Length of the longest thing that stays in one line: a word, or an interval with its unit ("4.98 to 5.10 s")."""
    wholes = [whole for text in texts for whole in ([text] if words.NBSP in text else text.split())]
    return max((len(whole) for whole in wholes if len(whole) <= _WHOLE), default=0)
