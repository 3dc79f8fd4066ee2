"""What a group of benchmarks is given: where its raw samples go, how thorough to be, and how to tell its progress."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from bench.figures import Figure

Size = TypeVar("Size", int, float)


@dataclass(frozen=True)
class Session:
    """One run of one group.

    Attributes:
        group: its name.
        directory: for its raw samples; exists.
        programs: the plan of programs and congestion, as `fairlead compare` takes it.
        quick: few repetitions, to try the code out; the figures are marked so.
        seed: of everything that is drawn.
        mpip: mpiP's library, where there is one.
    """

    group: str
    directory: Path
    programs: Path
    quick: bool = False
    seed: int = 2018
    mpip: Path | None = None
    _begin_s: float = field(default_factory=time.monotonic)

    def size(self, full: Size, quick: Size) -> Size:
        """How much of something: repetitions, seconds."""
        return quick if self.quick else full

    def say(self, text: str) -> None:
        """One line of progress."""
        print(f"{self.group} {time.monotonic() - self._begin_s:7.1f} s  {text}", flush=True)

    def progress(self, done: int, total: int, text: str) -> None:
        """Progress as `fairlead.experiment.running.runner` reports it."""
        self.say(f"run {done + 1} of {total}: {text}")

    def record(self, **sample: object) -> None:
        """Keep a raw sample: a line of samples.jsonl, on disk before the next is taken."""
        with (self.directory / "samples.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"t_s": time.time(), "quick": self.quick, **sample}) + "\n")


Benchmark = Callable[[Session], Iterator[Figure]]
