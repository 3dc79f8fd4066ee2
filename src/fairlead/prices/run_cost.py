"""What a run costs: all compute hosts of its cluster are paid for as long as it takes. Pure."""

from dataclasses import dataclass

from fairlead.display import words
from fairlead.prices.book import Price
from fairlead.prices.run_price import RunPrice


@dataclass(frozen=True)
class RunCost(RunPrice):
    """What a run costs on hosts of a system that has a price; an hour of them includes their part of its extra costs.

    Attributes:
        hosts: how many are paid.
    """

    currency: str
    hosts: int

    def describe(self) -> str:
        """For people: what it is and what of: "0.0800 EUR: 12.0 s of 8 hosts at 24.0 EUR an hour"."""
        return (
            f"{words.money(self.per_run, self.currency)}: {words.duration(self.time_s)} of "
            f"{words.count(self.hosts, 'host')} at {words.money(self.per_hour, self.currency)} an hour"
        )

    def describe_bought(self) -> str:
        """For people: "one EUR buys 12.5 such runs"."""
        return f"one {self.currency} buys {words.significant(self.efficiency)} such runs"


def at(price: Price, hosts: int, time_s: float) -> RunCost:
    """What a run on so many hosts of a system with that price costs that takes so long, above 0 s."""
    return RunCost(price.of_hosts(hosts), time_s, price.currency, hosts)
