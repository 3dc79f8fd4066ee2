"""How long rows will take: by what the plan expects, then by what finished rows took."""

from collections.abc import Sequence

from fairlead.evaluate.design import Key, key_of
from fairlead.evaluate.plan import Levels, Plan
from fairlead.manage.estimate import words


class Pace:
    """Mean time of the rows that finished, by combination of levels; those not seen yet take the mean of all."""

    def __init__(self, plan: Plan) -> None:
        self._expected_s = plan.run.expected_s
        self._cells: dict[Key, tuple[float, int]] = {}

    def add(self, levels: Levels, taken_s: float) -> None:
        """A row has ended."""
        total_s, number = self._cells.get(key_of(levels), (0.0, 0))
        self._cells[key_of(levels)] = (total_s + taken_s, number + 1)

    def left_s(self, rows: Sequence[Levels]) -> float | None:
        """Expected time of rows; None: nobody knows."""
        if not self._cells:
            return None if self._expected_s is None else self._expected_s * len(rows)
        all_s = sum(total for total, _ in self._cells.values()) / sum(number for _, number in self._cells.values())
        means = {key: total / number for key, (total, number) in self._cells.items()}
        return sum(means.get(key_of(levels), all_s) for levels in rows)

    def words(self, rows: Sequence[Levels]) -> str:
        """For people: "about 12 minutes left"."""
        left_s = self.left_s(rows)
        return "how long is told after the first row" if left_s is None else f"{words(left_s)} left"
