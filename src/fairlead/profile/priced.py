"""What the run of a profile cost, by a price book."""

from fairlead.errors import ConfigError
from fairlead.prices import cost_json, run_cost
from fairlead.prices.book import Book
from fairlead.prices.cost_json import Cost
from fairlead.prices.run_cost import RunCost
from fairlead.profile.json_form import Summary
from fairlead.profile.ran import Ran


def with_prices(summary: Summary, book: Book) -> Summary:
    """A profile with what its run cost by this book, in place of what it says of that itself.

    Raises:
        ConfigError: the profile does not say what the program ran on, or the book has no price of it.
    """
    ran = summary.ran
    if ran is None:
        raise ConfigError(
            f"{' '.join(summary.program)}: the profile does not say which cluster the program ran on: it is of a "
            "trace, or of a version before 1.9",
            hint="profile the program again, or omit --prices",
        )
    found = run_cost.at(book.known_price(ran.cluster), ran.compute_hosts, ran.time_s)
    return summary.model_copy(update={"cost": cost_json.of(found)})


def kept(summary: Summary) -> RunCost | None:
    """What the run of a profile cost, as the profile has it; None: it does not say."""
    if summary.ran is None or summary.cost is None:
        return None
    return _cost(summary.ran, summary.cost)


def describe(ran: Ran, cost: Cost) -> str:
    """For people: "it cost 0.0800 EUR: 12.0 s of 8 hosts at 24.0 EUR an hour; one EUR buys 12.5 such runs"."""
    found = _cost(ran, cost)
    return f"it cost {found.describe()}; {found.describe_bought()}"


def _cost(ran: Ran, cost: Cost) -> RunCost:
    return RunCost(cost.per_hour, ran.time_s, cost.currency, cost.hosts)
