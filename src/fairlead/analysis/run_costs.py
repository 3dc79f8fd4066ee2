"""What runs of a store cost, by a price book, and by which one."""

from collections.abc import Iterable

from fairlead.prices import run_cost
from fairlead.prices.book import Book, kept_with
from fairlead.prices.run_cost import RunCost
from fairlead.store import Run, Store
from fairlead.store.facts import COMPUTE_HOSTS


def system_of(run: Run) -> str | None:
    """What a run ran on, by the name that price books have; None: it does not say."""
    name = run.labels.get("cluster")
    return None if name is None else str(name)


def systems_of(runs: Iterable[Run]) -> list[str]:
    """Names of the clusters that these ran on, each once."""
    names = (system_of(run) for run in runs)
    return [name for name in dict.fromkeys(names) if name is not None]


def of_run(book: Book, run: Run, time_s: float) -> RunCost | None:
    """What a run like this costs that takes so long; None: the book has no price of its cluster, or it took no time.

    A store of an earlier version does not say how many hosts the cluster had: they are as many as the book says.
    """
    system = system_of(run)
    price = None if system is None else book.price(system)
    if price is None or time_s <= 0:
        return None
    hosts = int(run.facts.get(COMPUTE_HOSTS, price.hosts))
    return run_cost.at(price, hosts, time_s)


def book_of(store: Store, run: Run) -> Book | None:
    """The price book that the plan of a run, or of the comparison that it belongs to, named; None: none."""
    return kept_with(run.plan) or (None if run.parent is None else kept_with(store.run(run.parent).plan))
