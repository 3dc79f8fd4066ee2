"""What becomes of a claim: a verdict with the recomputed figure, or the mistake that keeps it from being read."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from fairlead.analysis.evaluations.dataset import DesignCell
from fairlead.published.claims import Claim, ClaimMistake
from fairlead.published.computation import MistakeError

Verdict = Literal["holds", "does not follow", "undecidable"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "does not follow"
UNDECIDABLE: Verdict = "undecidable"
Figure = float | str | list[float]


@dataclass(frozen=True)
class Checked:
    """One claim and what the data say.

    Attributes:
        recomputed: unrounded; None where it cannot be decided.
        definition: of what was computed.
        remark: why there is no verdict, or how the figure was printed, or what it really is.
        runs: of the store, that hold the samples it was computed from.
    """

    claim: Claim
    verdict: Verdict
    recomputed: Figure | None = None
    definition: str = ""
    remark: str = ""
    runs: tuple[int, ...] = ()

    @property
    def differs_from_file(self) -> bool:
        """Whether the file of claims says something else; an undecidable claim says nothing."""
        says = self.claim.reproduces
        return says is not None and self.verdict != UNDECIDABLE and says != (self.verdict == HOLDS)

    def remarked(self, *remarks: str) -> "Checked":
        """The same with these remarks added; empty ones are left out."""
        return replace(self, remark="; ".join(each for each in (self.remark, *remarks) if each))


@dataclass(frozen=True)
class CheckedClaims:
    """All claims in the file's order, what was found about tables of them, and claims that could not be read."""

    checked: tuple[Checked, ...]
    findings: tuple[str, ...]
    mistakes: tuple[ClaimMistake, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """Claims with this verdict."""
        return sum(each.verdict == verdict for each in self.checked)


def decided(
    claim: Claim, holds: bool, recomputed: Figure, definition: str, cells: Iterable[DesignCell], remark: str = ""
) -> Checked:
    """A claim that the data decide."""
    runs = tuple(sorted({int(run) for cell in cells for run in cell.runs}))
    return Checked(claim, HOLDS if holds else FAILS, recomputed, definition, remark, runs)


def is_denied(claim: Claim, *words: str) -> bool:
    """Whether a statement without a number is published as false.

    Args:
        words: other ways to say that it is true.

    Raises:
        MistakeError: its published figure is neither.
    """
    published = claim.published
    if published is None or published is True or published in ("yes", *words):
        return False
    if published is False or published == "no":
        return True
    raise MistakeError(
        ("published",), f"must be true or false for a statement without a number, or be left out, not {published!r}"
    )
