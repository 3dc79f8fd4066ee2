"""Files of netgauge: which pattern an output is of, and its tests."""

from collections.abc import Callable

from fairlead.readers.netgauge import bisection, clocks, collectives, loggp, noise, processor, short, tables
from fairlead.readers.netgauge.outputs import NetgaugeOutput, split
from fairlead.readers.reading import ImportOptions, Reading, whole_lines

Kind = tuple[Callable[[NetgaugeOutput], bool], Callable[[NetgaugeOutput], list[Reading]]]


def _titled(title: str) -> Callable[[NetgaugeOutput], bool]:
    return lambda output: any(line.rstrip() == title for line in output.lines)


KINDS: tuple[Kind, ...] = (
    (_titled(noise.SELFISH), noise.selfish),
    (_titled(noise.FIXED_WORK), noise.fixed_work),
    (_titled(noise.FIXED_TIME), noise.fixed_time),
    (loggp.is_loggp, loggp.read),
    (tables.is_table, tables.read),
    (bisection.is_bisection, bisection.read),
    (collectives.is_collective, collectives.read),
    (processor.is_processor, processor.read),
    (short.is_short, short.read),
)
NOT_READ = ("disk", "func_args", "mprobe", "nbov", "synctest")
HINT = (
    "read are noise, one_one and its kin, 1toN, Nto1, overlap, ebb, collvsnoise, loggp (the file of -o), distrtt, "
    f"memory and cpu; not {', '.join(NOT_READ)}"
)


def read(text: str, source: str, options: ImportOptions | None = None) -> list[Reading]:
    """The tests of a file: of one launch, or of several one after the other, which repeat each other.

    Args:
        options: the pattern of outputs that do not name it (``test``), and the rate of ticks.

    Raises:
        MeasurementError: no output of netgauge, a line that is none of its pattern, no end, or numbers that disagree.
    """
    options = options or ImportOptions()
    found: list[Reading] = []
    for output in split(whole_lines(text, source), source, options.test.removeprefix("netgauge ")):
        found += _read(output, options)
    return found


def _read(output: NetgaugeOutput, options: ImportOptions) -> list[Reading]:
    for is_kind, read_kind in KINDS:
        if is_kind(output):
            return read_kind(output)
    if clocks.is_clocks(output):
        return clocks.read(output, options.tick_rate_hz)
    if output.rows() and output.pattern and output.pattern not in NOT_READ:
        line, text = output.rows()[0]
        raise output.refused(line, f"{text!r} is not a row of {output.pattern}")
    named = f" (pattern {output.pattern})" if output.pattern else ""
    raise output.refused(output.first, f"there is no pattern of netgauge that is read{named}", hint=HINT)
