"""What a benchmark registers: its command, its part in `measure all`, and what the page has of it.

A benchmark is a folder beside this file. Its ``__init__`` registers it and is imported with all others; what takes time
to import (``measure``, ``analyse``, ``draw``) is imported when it is needed.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fairlead.registry import Registry

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings
    from fairlead.benchmarks.page.section import Section
    from fairlead.cluster.description import Cluster, Transport
    from fairlead.progress import Progress
    from fairlead.store import Store

LAYERS = 100
"""Place on the page of what the layers of a system carry: behind what MPI, TCP and InfiniBand carry each."""
LEAST_S = 2.0  # of a share, for a benchmark that does not say otherwise


@dataclass(frozen=True)
class Asked:
    """A benchmark with its settings, ready to start.

    Attributes:
        lasts_s: about how long it takes, at most where it has a budget; infinite where the cluster decides.
        at_least: it is known only how long it takes at least.
    """

    lasts_s: float
    measure: "Callable[[Cluster, Store, Progress], object]"
    at_least: bool = False

    def over(self, transport: "Transport") -> "Asked":
        """The same, with messages between hosts carried so."""

        def measure(cluster: "Cluster", store: "Store", progress: "Progress") -> object:
            return self.measure(cluster.with_transport(transport), store, progress)

        return replace(self, measure=measure)


def asked(package: str, options: dict[str, Any]) -> Asked:
    """A benchmark with the options that were given; the others are its own defaults.

    Args:
        package: of the benchmark. Its module ``measure`` has ``SETTINGS``, the class of its settings, and ``measure``.
    """
    benchmark = importlib.import_module(f"{package}.measure")
    settings = benchmark.SETTINGS(**given(options))
    return Asked(
        settings.lasts_s(), lambda cluster, store, progress: benchmark.measure(cluster, store, settings, progress)
    )


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Options without those that were left away and have no default on the command line."""
    return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True)
class SuiteShare:
    """The part of a benchmark in ``fairlead measure CLUSTER all``.

    Attributes:
        turn: those with smaller ones come first.
        weight: among those that are left when it begins.
        options: the settings that take so many seconds, of what was asked of all.
        least_s: a shorter share is not worth a start.
        least_hosts: compute hosts that it needs; with fewer it is left out.
    """

    turn: int
    weight: float
    options: "Callable[[SuiteSettings, float], dict[str, Any]]"
    least_s: float = LEAST_S
    least_hosts: int = 0


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    Attributes:
        name: of its subcommand, and of its runs in the store unless ``runs`` names these.
        package: its own: ``__name__`` where it is registered. Its module ``draw`` has what the page has of it.
        place: on the page, in tens; see `LAYERS`.
        command: its subcommand: click's options, and what makes of them what is asked for. None: it is only read from
            files.
        share: None: it is no part of ``all``.
        runs: names of its runs in the store, where there are others than its own.
        variant: says of a run's plan in which of several ways it measured, which do not replace each other.
        all_variants: the page has all variants side by side, not the newest alone.
        compared: the figure by which systems are compared; empty: they are not.
        interval_over: what its interval is over.
        section_name: of the `Section` in its module ``draw``.
        prepared: makes of settings what is asked for; None: `asked` does.
    """

    name: str
    package: str
    place: int
    command: Callable[..., Asked] | None = None
    share: SuiteShare | None = None
    runs: tuple[str, ...] = ()
    variant: Callable[[Mapping[str, Any]], str] | None = None
    all_variants: bool = False
    compared: str = ""
    interval_over: str = "none"
    section_name: str = "SECTION"
    prepared: Callable[[dict[str, Any]], Asked] | None = None

    def section(self) -> "Section[Any]":
        """What the page has of it."""
        found: Section[Any] = getattr(importlib.import_module(f"{self.package}.draw"), self.section_name)
        return found

    def asked(self, settings: dict[str, Any]) -> Asked:
        """It with these settings, ready to start."""
        return self.prepared(settings) if self.prepared else asked(self.package, settings)


BENCHMARKS: Registry[Benchmark] = Registry(
    "benchmark", "fairlead.benchmarks", order=lambda name, benchmark: (benchmark.place, name)
)


def register(benchmark: Benchmark) -> Benchmark:
    """Make a benchmark known.

    Raises:
        ValueError: its name is taken.
    """
    return BENCHMARKS.register(benchmark.name)(benchmark)


def of_run(name: str) -> Benchmark | None:
    """The benchmark whose runs have that name in the store; None: another program's, read from a file."""
    return next((each for each in BENCHMARKS if name in (each.runs or (each.name,))), None)
