"""Facts of a cluster's hosts as a page shows them: most have the same, and those that differ are named."""

from collections.abc import Mapping
from typing import Any

from fairlead.display import words

MOST_NAMED = 4
"""Hosts that are named with a value."""


def by_fact(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of a run, those of its hosts by fact in place of by host: a value that all have, or each with its hosts.

    The value of most hosts comes first.
    """
    hosts = facts.get("hosts")
    if not isinstance(hosts, dict) or not all(isinstance(each, dict) for each in hosts.values()):
        return dict(facts)
    values: dict[str, dict[str, list[str]]] = {}
    for host, its in hosts.items():
        for name, value in its.items():
            values.setdefault(name, {}).setdefault(str(value), []).append(host)
    return {**facts, "hosts": {name: _shown(found, len(hosts)) for name, found in values.items()}}


def flat(prefix: str, facts: Any) -> list[tuple[str, str]]:
    """Nested facts as (dotted name, text); a size in bytes with its unit, without ``_B`` in its name."""
    if isinstance(facts, dict):
        return [entry for key, value in facts.items() for entry in flat(f"{prefix}.{key}" if prefix else key, value)]
    if prefix.endswith("_B") and isinstance(facts, int):
        return [(prefix.removesuffix("_B"), words.size(facts))]
    return [(prefix, str(facts))]


def _shown(found: Mapping[str, list[str]], hosts: int) -> str:
    if len(found) == 1 and len(next(iter(found.values()))) == hosts:
        return next(iter(found))
    ordered = sorted(found.items(), key=lambda entry: -len(entry[1]))
    return "; ".join(f"{value} ({_names(having)})" for value, having in ordered)


def _names(hosts: list[str]) -> str:
    more = len(hosts) - MOST_NAMED
    return words.listing([*hosts[:MOST_NAMED], f"{more} more"] if more > 0 else hosts)
