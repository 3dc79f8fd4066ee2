"""What is to be said of a cell before anything is concluded from it: outliers, modes, repeated values, replicates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.analysis.evaluations.dataset import DesignCell
from fairlead.statistics import diagnostics, modes
from fairlead.statistics.modes import Modes


@dataclass(frozen=True)
class Notes:
    """Of one cell.

    Attributes:
        outliers: samples more than three interquartile ranges beyond the quartiles; they are kept.
        modes: where there are several.
        repeated: a value that stands there more often than scatter explains, and how often.
        usual_n: samples that most cells have, if this one has another number.
    """

    outliers: tuple[float, ...] = ()
    modes: Modes | None = None
    repeated: tuple[float, int] | None = None
    usual_n: int | None = None


NO_NOTES = Notes()


def of_cells(cells: Sequence[DesignCell]) -> list[Notes]:
    """Notes on every cell."""
    usual = Counter(cell.n for cell in cells).most_common(1)[0][0] if cells else 0
    return [
        Notes(
            tuple(float(each) for each in diagnostics.outliers(cell.values)),
            modes.find(cell.values, diagnostics.resolution(cell.values)),
            diagnostics.repeated(cell.values),
            usual if cell.n != usual else None,
        )
        for cell in cells
    ]
