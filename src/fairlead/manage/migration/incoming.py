"""Which directed paths between hosts are slow, and for how much of the last seconds, from the agents' events."""

from collections import deque
from collections.abc import Mapping

Path = tuple[str, str]  # (source, destination), names of hosts


class Incoming:
    """Host by host, how its incoming paths are. ``now_s`` must never fall.

    Agents tell when a path changes its level; between two such events it stays what it is. What is not low is slow: the
    agents' own floor keeps ordinary queues low.
    """

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._changes: dict[Path, deque[tuple[float, bool]]] = {}

    def level(self, path: Path, level: str, now_s: float) -> None:
        """A path has changed its level (low, medium, high)."""
        changes = self._changes.setdefault(path, deque([(float("-inf"), False)]))
        if changes[-1][1] != (level != "low"):
            changes.append((now_s, level != "low"))
        while len(changes) > 1 and changes[1][0] <= now_s - self._window_s:
            changes.popleft()

    def forget(self, host: str) -> None:
        """The host is somewhere else now: what was seen of its paths says nothing any more."""
        self._changes = {path: seen for path, seen in self._changes.items() if host not in path}

    def slow_now(self) -> list[Path]:
        """Paths that are slow as far as is known."""
        return [path for path, changes in self._changes.items() if changes[-1][1]]

    def slow_share(self, path: Path, now_s: float) -> float:
        """Share of the window that the path was slow for."""
        changes = self._changes.get(path)
        if not changes:
            return 0.0
        begin_s, slow_s = now_s - self._window_s, 0.0
        ends = [t_s for t_s, _ in list(changes)[1:]] + [now_s]
        for (from_s, slow), to_s in zip(changes, ends, strict=True):
            if slow:
                slow_s += max(0.0, to_s - max(from_s, begin_s))
        return slow_s / self._window_s

    def slow_into(self, host: str, sources: Mapping[str, str], now_s: float, slow_share: float) -> dict[str, bool]:
        """By place, whether most paths from there to ``host`` are slow. ``sources`` gives each other host's place."""
        by_place: dict[str, list[bool]] = {}
        for source, place in sources.items():
            by_place.setdefault(place, []).append(self.slow_share((source, host), now_s) >= slow_share)
        return {place: 2 * sum(slow) > len(slow) for place, slow in by_place.items()}
