"""Message sizes on the command line."""

import re

import click

_UNITS = {"": 1, "B": 1, "KiB": 1024, "MiB": 1024**2}


class Sizes(click.ParamType):
    """Message sizes: "64,1KiB,64KiB"; "1..4MiB" are all powers of two from the first to the last."""

    name = "sizes"

    def __init__(self, largest_B: int) -> None:
        self._largest_B = largest_B

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, ...]:
        """The sizes in bytes, each once, in rising order."""
        if isinstance(value, tuple):
            return value
        sizes: set[int] = set()
        for word in str(value).split(","):
            ends = [self._size(end, parameter, context) for end in word.split("..")]
            if len(ends) > 2 or ends[-1] < ends[0]:
                self.fail(f"{word!r} is not a range of sizes; write for example 1..4MiB", parameter, context)
            size_B = ends[0]
            while size_B <= ends[-1]:
                sizes.add(size_B)
                size_B *= 2
        if max(sizes) > self._largest_B:
            self.fail(f"the largest size is {self._largest_B >> 20}MiB", parameter, context)
        return tuple(sorted(sizes))

    def _size(self, word: str, parameter: click.Parameter | None, context: click.Context | None) -> int:
        match = re.fullmatch(r"\s*([1-9]\d*)\s*(B|KiB|MiB|)\s*", word)
        if not match:
            self.fail(f"{word!r} is not a size; write for example 64,1KiB,4MiB", parameter, context)
        return int(match[1]) * _UNITS[match[2]]
