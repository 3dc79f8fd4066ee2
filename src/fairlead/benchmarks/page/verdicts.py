"""What is good, what is bad, and how sure: sentences, and the limits that several benchmarks share.

The limits are stated here, as constants; nothing is judged by them but the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

STREAMS = 1.2  # rate of several streams over that of one: one does not fill the path
DUPLEX_BAD, DUPLEX_GOOD = 1.3, 1.8  # rate of both directions over that of one
SURE = 0.05  # half the interval of the median over it
Kind = Literal["fact", "good", "bad", "sure"]


@dataclass(frozen=True)
class Verdict:
    """A sentence, and which part of the summary it belongs to."""

    kind: Kind
    text: str


def paragraphs(said: Sequence[tuple[str, Verdict]]) -> list[str]:
    """The first paragraphs of a report: of (system, verdict); names of systems are said where there are several."""
    systems = list(dict.fromkeys(system for system, _ in said))
    found = []
    for kind, lead in (("good", "Good"), ("bad", "Problems"), ("sure", "Precision"), ("fact", "Measured")):
        texts = {system: [each.text for of, each in said if of == system and each.kind == kind] for system in systems}
        parts = [(system, "; ".join(each)) for system, each in texts.items() if each]
        if len(systems) == 1:
            found += [f"{lead}: {text}." for _, text in parts]
        elif parts:
            found.append(f"{lead}: " + " ".join(f"On {system} {text}." for system, text in parts))
        if not parts and kind == "bad":
            found.append("Problems: none found.")
    return found
