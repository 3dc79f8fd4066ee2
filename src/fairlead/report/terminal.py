"""Tables on a terminal."""

from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from fairlead.report.tables import Table


def rich_table(source: Table, title: str) -> RichTable:
    """A table for the terminal."""
    drawn = RichTable(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(source.columns):
        drawn.add_column(name, justify="right" if source.numeric(number) else "left")
    for row in source.rows:
        drawn.add_row(*(escape(each.shown) for each in row))
    return drawn
