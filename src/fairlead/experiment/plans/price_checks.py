"""Whether a price book has what a plan's rows run on, judged before the first one."""

from collections.abc import Iterable
from pathlib import Path

from fairlead.errors import ConfigError
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.row_checks import Networks
from fairlead.prices.book import Book, load_prices


def book_of(prices: Path | None, plans: Iterable[Plan]) -> Book | None:
    """The price book of these plans; None: they name none. What cannot be read of a cluster is told by `row_checks`.

    Raises:
        ConfigError: it cannot be read, or has no price of a cluster or lab that rows run on.
    """
    if prices is None:
        return None
    book = load_prices(prices)
    for plan in plans:
        networks = Networks(plan)
        for levels in plan.combinations():
            there = networks.at(levels)
            if not isinstance(there, ConfigError):
                book.known_price(there.cluster.name)
    return book
