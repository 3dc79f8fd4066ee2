"""What carried MPI's messages between hosts: TCP, on which fairlead keeps them, or what the library chose."""

from collections.abc import Sequence
from typing import Protocol

from fairlead.benchmarks.measuring.records import is_native
from fairlead.display import words
from fairlead.store import Run

NATIVE = "native MPI"


class RunPart(Protocol):
    """One benchmark of one system."""

    @property
    def system(self) -> str: ...

    @property
    def run(self) -> Run: ...


def told(found: Sequence[RunPart]) -> str:
    """A sentence for a caption."""
    chose = list(dict.fromkeys(each.system for each in found if is_native(each.run)))
    if not chose:
        return "MPI was kept on TCP between hosts."
    if all(is_native(each.run) for each in found):
        return "Native MPI: the library itself chose what carries messages between hosts."
    return f"MPI was kept on TCP between hosts, but for {words.listing(chose)}, where the library chose by itself."
