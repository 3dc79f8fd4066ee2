"""What planned rows will cost, by how long they are expected to take: all compute hosts are paid for that time."""

from collections.abc import Iterable

from fairlead.cluster.description import Cluster
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.experiment.plans.design import planned_rows
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.row_checks import Networks
from fairlead.experiment.plans.templates import Levels
from fairlead.prices import run_cost
from fairlead.prices.book import Book

Use = tuple[Cluster, float]
"""A cluster or lab, and for how many seconds it is used."""


def about(book: Book, uses: Iterable[Use]) -> str:
    """For people, no finer than it is known: "about 4.8 EUR".

    Raises:
        ConfigError: the book has no price of a cluster.
    """
    costs = [
        run_cost.at(book.known_price(cluster.name), len(cluster.compute_hosts()), time_s) for cluster, time_s in uses
    ]
    return f"about {words.money(sum(each.per_run for each in costs), book.currency, 2)}"


def of_plan(plan: Plan, book: Book) -> str:
    """The cost of all rows of an evaluation, in words.

    Raises:
        ConfigError: the book has no price of a cluster, or a cluster or lab cannot be read.
    """
    row_s = plan.run.expected_s
    if row_s is None:
        return "cost: not known without the time of a row: --set run.expected_s=SECONDS"
    networks = Networks(plan)
    return f"cost: {about(book, [(cluster_at(networks, row.levels), row_s) for row in planned_rows(plan)])}"


def cluster_at(networks: Networks, levels: Levels) -> Cluster:
    """What a row runs on.

    Raises:
        ConfigError: it cannot be read.
    """
    there = networks.at(levels)
    if isinstance(there, ConfigError):
        raise there
    return there.cluster
