"""What one run of a program costs, and how many of them money buys. Pure."""

from dataclasses import dataclass

from fairlead.prices import efficiency


@dataclass(frozen=True)
class RunPrice:
    """A run that takes so long, on hosts that cost so much.

    Attributes:
        per_hour: the price of an hour of all that it runs on, above 0.
        time_s: how long it takes, above 0.
    """

    per_hour: float
    time_s: float

    @property
    def per_run(self) -> float:
        """The price of one, in the currency of ``per_hour``."""
        return efficiency.cost(self.per_hour, self.time_s)

    @property
    def efficiency(self) -> float:
        """Runs an hour for the price of an hour: how many one unit of the currency buys."""
        return efficiency.bought(1 / self.time_s, self.per_hour)
