"""How long rows will take: by what the plan expects, then by what finished rows took. Pure."""

from collections.abc import Callable, Sequence

from fairlead.experiment.factors.congestion import CongestionPlan
from fairlead.experiment.plans.design import Key, key_of
from fairlead.experiment.plans.templates import Levels
from fairlead.manage.components import Components

START_S = 2.5
"""Around a run: launcher, agents, start and end of congestion."""
BEGIN_AND_END_S = 1.5
"""Of an MPI program's run around its timed section."""
TRIALS_S = 15.0
"""Finding a scale takes about this for each program; lengths alone take a third of it."""
DETOUR_FACTOR = 1.2
"""A congested run whose traffic is rerouted takes about so many times its clean time."""
LAB_S = 3.0
CHARACTERIZING_S = 2.0
"""Characterizing takes about this for each host, since hosts are grouped first."""


def row_s(clean_s: float, congestion: CongestionPlan | None, components: Components) -> float:
    """Expected time of one run with everything around it, by its run time on a clean network."""
    if congestion is None:
        return START_S + clean_s
    return START_S + clean_s * (DETOUR_FACTOR if components.detours else congestion.slowdown)


def set_up_s(hosts: int) -> float:
    """Expected time to start a lab of so many hosts and to characterize it."""
    return LAB_S + CHARACTERIZING_S * hosts


def words(seconds: float) -> str:
    """For people, no finer than it is known: "about 40 s", "about 12 minutes", "about 2.5 hours"."""
    if seconds < 100:
        return f"about {max(10, round(seconds, -1)):.0f} s"
    if seconds < 100 * 60:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


class RemainingTime:
    """Time that is left. A cell that was seen takes its mean. Others take what is expected of them, corrected by what
    the seen ones took against their expectation; where nothing is expected, the mean of all.

    Args:
        expected_s: by levels; None: nobody knows.
    """

    def __init__(self, expected_s: Callable[[Levels], float | None]) -> None:
        self._expected_s = expected_s
        self._cells: dict[Key, tuple[float, int]] = {}
        self._taken_s = self._wanted_s = 0.0  # of rows of which something was expected

    def add(self, levels: Levels, taken_s: float) -> None:
        """A row has ended."""
        total_s, number = self._cells.get(key_of(levels), (0.0, 0))
        self._cells[key_of(levels)] = (total_s + taken_s, number + 1)
        if (expected_s := self._expected_s(levels)) is not None:
            self._taken_s += taken_s
            self._wanted_s += expected_s

    def left_s(self, rows: Sequence[Levels]) -> float | None:
        """Expected time of rows; None: nobody knows."""
        known = [each for each in map(self._row_s, rows) if each is not None]
        number = sum(number for _, number in self._cells.values())
        if number:
            mean_s = sum(total_s for total_s, _ in self._cells.values()) / number
        elif known:
            mean_s = sum(known) / len(known)
        else:
            return None
        return sum(known) + mean_s * (len(rows) - len(known))

    def _row_s(self, levels: Levels) -> float | None:
        if key_of(levels) in self._cells:
            total_s, number = self._cells[key_of(levels)]
            return total_s / number
        expected_s = self._expected_s(levels)
        if expected_s is None:
            return None
        return expected_s * (self._taken_s / self._wanted_s if self._wanted_s else 1.0)

    def words(self, rows: Sequence[Levels]) -> str:
        """For people: "about 12 minutes left"."""
        left_s = self.left_s(rows)
        return "duration: known after the first row" if left_s is None else f"{words(left_s)} left"
