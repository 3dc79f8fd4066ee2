"""Speed of a processor (``-x cpu``): the printf call of ptrn_cpu.cpp."""

import re

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import US, Column, Reading, by_size

_N = r"(\d+\.\d\d)"
LINE = re.compile(rf"(avg|min|max|med): {_N} us \({_N} MFlop/s\); {_N} \({_N} MFlop/s\); {_N} \({_N} MFlop/s\)")
DEVIATION = re.compile(r"dev: (?:(?:\d+\.\d\d|-?nan) us(?:; |$)){3}")
STATISTICS = {"avg": "mean", "min": "least", "max": "greatest", "med": "median"}
LOOPS = ("plain loop", "unrolled loop", "vector loop")
OPERATIONS = 1e7  # of a loop: TESTS of ptrn_cpu.cpp


def is_processor(output: NetgaugeOutput) -> bool:
    """Whether it has one of the lines."""
    return any(LINE.fullmatch(text) for _, text in output.rows())


def read(output: NetgaugeOutput) -> list[Reading]:
    """Times of three loops of as many operations."""
    found: dict[str, list[float]] = {}
    ended = False
    for line, text in output.rows():
        if ended or (not LINE.fullmatch(text) and not DEVIATION.fullmatch(text)):
            raise output.refused(line, f"{text!r} is not a line of cpu")
        if match := LINE.fullmatch(text):
            if match[1] in found:
                raise output.refused(line, f"a second line of {match[1]!r}")
            found[match[1]] = [float(word) for word in match.groups()[1::2]]
            _agree(output, [float(word) for word in match.groups()[1:]], line)
        else:
            ended = True
    if not ended or found.keys() != STATISTICS.keys():
        raise output.refused(output.end(), "avg, min, max, med and dev are not all there; the file is not complete")
    readings = []
    for k, loop in enumerate(LOOPS):
        name = f"netgauge cpu, {loop}"
        columns = [(Column("time_s", of, US), [found[word][k]]) for word, of in STATISTICS.items()]
        readings.append(by_size(name, [], columns, plan=output.plan(name)))
    return readings


def _agree(output: NetgaugeOutput, numbers: list[float], line: int) -> None:
    for time_us, mflops in zip(numbers[::2], numbers[1::2], strict=True):
        if time_us <= 0 or abs(OPERATIONS / time_us - mflops) > 0.0051 * (1 + OPERATIONS / time_us**2):
            raise output.refused(line, f"{OPERATIONS:g} operations in {time_us} us are not {mflops} MFlop/s")
