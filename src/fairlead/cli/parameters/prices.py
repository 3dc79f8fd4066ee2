"""``--prices FILE``: what an hour of the hosts costs."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters.command_type import CommandT

if TYPE_CHECKING:
    from fairlead.prices.book import Book


def prices_option(default: str) -> Callable[[CommandT], CommandT]:
    """The option of what runs programs or reports such runs; ``default`` says in words what counts without it."""
    return click.option(
        "--prices",
        type=click.Path(path_type=Path),
        help=f"Price book: the report also shows what runs cost.  [default: {default}]",
    )


def book_of(prices: Path | None) -> "Book | None":
    """The price book that was named; None: none was."""
    from fairlead.prices.book import load_prices

    return None if prices is None else load_prices(prices)
