"""What detours would save of a run's price, by their prediction: a bound, for how messages overlap is not known. Pure.

A run is as long as some chain of computing and of messages that wait for each other. A detour shortens it by no more
than it shortens the messages of that chain, and so by no more than all messages together, one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.display import words
from fairlead.prediction.predict import PairPrediction
from fairlead.prices import efficiency
from fairlead.prices.run_cost import RunCost


@dataclass(frozen=True)
class Saving:
    """Of one run.

    Attributes:
        run: what the profiled one cost.
        most_s: the time that all messages together would take less over their detours; no run is shortened by more.
    """

    run: RunCost
    most_s: float

    @property
    def most(self) -> float | None:
        """The price of that time, in the currency of ``run``.

        None where it is as long as the profiled run: then many messages are under way at once, and how much of it
        is run time is not known at all.
        """
        return efficiency.cost(self.run.per_hour, self.most_s) if self.most_s < self.run.time_s else None

    def describe(self) -> str:
        """For people, in two sentences."""
        cost = f"the profiled run cost {self.run.describe()}"
        if not self.most_s:
            return f"{cost}. Detours would save nothing of the price"
        saved = words.duration(self.most_s)
        if self.most is None:
            return (
                f"{cost}. What detours would save of the price is not known: one after another the messages take "
                f"{saved} less, which is longer than that run, so they are under way at once"
            )
        return (
            f"{cost}. Detours would save at most {words.money(self.most, self.run.currency)} a run: the {saved} that "
            "the messages take less one after another, if all of it were run time"
        )


def of(pairs: Sequence[PairPrediction], run: RunCost) -> Saving:
    """What these pairs' detours save of a run that cost so much."""
    return Saving(run, sum(each.direct_s - each.best_s for each in pairs))
