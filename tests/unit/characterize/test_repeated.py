from fairlead.characterize.repeated import starts


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0
        self.pauses: list[tuple[int, float]] = []

    def wait(self, number: int, pause_s: float) -> None:
        self.pauses.append((number, pause_s))
        self.now_s += pause_s


def begun(durations_s: list[float]) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """When each of them began, since the first, and the pauses; ``durations_s``: how long each takes."""
    clock = Clock()
    at: list[tuple[int, float]] = []
    for number in starts(10.0, len(durations_s), clock.wait, lambda: clock.now_s):
        at.append((number, clock.now_s - 100.0))
        clock.now_s += durations_s[number - 1]
    return at, clock.pauses


def test_each_begins_a_period_after_the_one_before() -> None:
    assert begun([3, 4, 5]) == ([(1, 0), (2, 10), (3, 20)], [(2, 7), (3, 6)])


def test_lateness_does_not_add_up() -> None:
    assert begun([14, 2, 2]) == ([(1, 0), (2, 14), (3, 20)], [(3, 4)])
