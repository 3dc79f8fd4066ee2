"""What a finding is, and the list of all checks.

A check is a pure function of facts; each lies in the file of its subject in `checks` and enters the list by the
decorator. None of them asks a host anything.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import wraps

from fairlead.cluster.doctor.facts import RELAY, ClusterFacts
from fairlead.registry import Registry


class Severity(IntEnum):
    """How bad a finding is. Only errors make `fairlead doctor` end with exit code 1."""

    OK = 0
    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Finding:
    """One thing that is known about a cluster.

    Attributes:
        severity: how bad.
        check: name of the check, stable, for scripts; `check` puts it in.
        hosts: names of the hosts concerned, in the file's order; empty where it is the whole cluster.
        text: what is so, in words.
        fix: what to do about it, or empty.
    """

    severity: Severity
    check: str
    hosts: tuple[str, ...]
    text: str
    fix: str = ""


Check = Callable[[ClusterFacts], Iterable[Finding]]
CHECKS: Registry[Check] = Registry(
    "check",
    "fairlead.cluster.doctor.checks",
    order=lambda _, function: function.__module__,  # those of a subject together, as they stand in its file
)


def check(function: Check) -> Check:
    """Decorator: add a check to the list. Its findings have its name.

    Raises:
        ValueError: the name is taken.
    """

    @wraps(function)
    def named(facts: ClusterFacts) -> Iterable[Finding]:
        return (replace(finding, check=function.__name__) for finding in function(facts))

    return CHECKS.register(function.__name__)(named)


def for_kernel_routes(function: Check) -> Check:
    """Decorator of a check, below `check`: what it looks for is of no interest where runs use the relay plane."""

    @wraps(function)
    def where_needed(facts: ClusterFacts) -> Iterable[Finding]:
        return () if facts.plane == RELAY else function(facts)

    return where_needed


def judge(facts: ClusterFacts) -> list[Finding]:
    """All findings, worst first; the same one on several hosts is told once."""
    found: dict[tuple[Severity, str, str, str], list[str]] = {}
    for function in CHECKS:
        for item in function(facts):
            hosts = found.setdefault((item.severity, item.check, item.text, item.fix), [])
            hosts += [host for host in item.hosts if host not in hosts]
    findings = [
        Finding(severity, name, tuple(hosts), text, fix) for (severity, name, text, fix), hosts in found.items()
    ]
    return sorted(findings, key=lambda item: -item.severity)


def error(hosts: Iterable[str], text: str, fix: str) -> Finding:
    """It will not work."""
    return Finding(Severity.ERROR, "", tuple(hosts), text, fix)


def warning(hosts: Iterable[str], text: str, fix: str) -> Finding:
    """It will work, slowly or not as expected."""
    return Finding(Severity.WARNING, "", tuple(hosts), text, fix)


def note(hosts: Iterable[str], text: str, fix: str = "") -> Finding:
    """Worth knowing."""
    return Finding(Severity.NOTE, "", tuple(hosts), text, fix)


def ok(hosts: Iterable[str], text: str) -> Finding:
    """As it should be."""
    return Finding(Severity.OK, "", tuple(hosts), text)
