"""How long a comparison will take: told before it starts, and corrected by what its runs really take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlead.manage.plan import Case
from fairlead.manage.scenario import Network, Row

START_S = 2.5
"""Around a run: launcher, agents, start and end of congestion."""
BEGIN_AND_END_S = 1.5
"""Of an MPI program's run around its timed section."""
TRIALS_S = 15.0
"""Finding a scale takes about this for each program; lengths alone take a third of it."""
DETOUR_FACTOR = 1.2
"""A congested run whose traffic is moved takes about so many times its clean time."""
LAB_S = 3.0
INJECTION_S = 0.4
"""Characterising takes about this for each ordered pair of hosts."""

CleanTimes = Mapping[str, float]
"""Run time on a clean network by case, in seconds."""


def planned_clean_s(cases: Sequence[Case]) -> dict[str, float]:
    """What the plan says; cases of programs that it says nothing of are missing."""
    found = {}
    for case in cases:
        program = case.program
        if program.clean_s is not None:
            found[case.name] = program.clean_s
        elif program.timed_s is not None:
            found[case.name] = program.timed_s + BEGIN_AND_END_S
    return found


def row_s(row: Row, clean_s: float, slowdown: float) -> float:
    """Expected time of one run with everything around it."""
    if row.scenario.network is Network.CLEAN:
        return START_S + clean_s
    return START_S + clean_s * (DETOUR_FACTOR if row.scenario.components.detours else slowdown)


def rows_s(rows: Sequence[Row], cases: Mapping[str, Case], clean_s: CleanTimes) -> float:
    """Expected time of rows; those of cases whose clean time nobody knows count as nothing."""
    known = [row for row in rows if row.case in clean_s]
    return sum(row_s(row, clean_s[row.case], cases[row.case].congestion.slowdown) for row in known)


def set_up_s(hosts: int) -> float:
    """Expected time to start a lab of so many hosts and to characterise it."""
    return LAB_S + INJECTION_S * hosts * (hosts - 1)


def words(seconds: float) -> str:
    """For people, no finer than it is known: "about 40 s", "about 12 minutes", "about 2.5 hours"."""
    if seconds < 100:
        return f"about {max(10, round(seconds, -1)):.0f} s"
    if seconds < 100 * 60:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


@dataclass
class Remaining:
    """Time that is left, from what the finished runs took against what was expected of them."""

    expected_s: float = 0.0
    taken_s: float = 0.0

    def add(self, expected_s: float, taken_s: float) -> None:
        """A run has ended."""
        self.expected_s += expected_s
        self.taken_s += taken_s

    def of(self, expected_s: float) -> float:
        """What runs of which ``expected_s`` is expected will really take."""
        return expected_s * (self.taken_s / self.expected_s if self.expected_s else 1.0)
