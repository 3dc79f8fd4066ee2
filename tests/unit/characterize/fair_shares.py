"""How flows share links: rates by max-min fairness, and the links before which a queue stands."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Link = TypeVar("Link", bound=Hashable)


def fair_rates(paths: Sequence[Sequence[Link]], rate_by_link: Mapping[Link, float]) -> list[float]:
    """What each flow gets, in the order of their paths; 0 for one that crosses no link.

    Args:
        paths: the links of each flow, in order.
        rate_by_link: what each link carries, in the unit of the result.
    """
    left = {link: float(rate_by_link[link]) for path in paths for link in path}
    rates: dict[int, float] = {k: 0.0 for k, path in enumerate(paths) if not path}
    while len(rates) < len(paths):
        users: dict[Link, list[int]] = {}
        for k, path in enumerate(paths):
            if k not in rates:
                for link in path:
                    users.setdefault(link, []).append(k)
        tight = min(users, key=lambda link: left[link] / len(users[link]))
        share = left[tight] / len(users[tight])
        for k in users[tight]:
            rates[k] = share
            for link in paths[k]:
                left[link] -= share
    return [rates[k] for k in range(len(paths))]


def queued(paths: Sequence[Sequence[Link]], rates: Sequence[float], rate_by_link: Mapping[Link, float]) -> set[Link]:
    """The first full link of each flow: behind it, the flow brings no more than its rate."""
    carried: dict[Link, float] = {}
    for path, rate in zip(paths, rates, strict=True):
        for link in path:
            carried[link] = carried.get(link, 0.0) + rate
    full = {link for link, rate in carried.items() if rate > 0.999 * rate_by_link[link]}
    return {next(link for link in path if link in full) for path in paths if full & set(path)}
