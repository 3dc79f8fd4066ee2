"""Tables of GPCNeT 1.x: network_test and network_load_test (utils.c of its sources: print_header, print_results).

MiB/s/rank are 2^20 bytes a second. 99 % are of all samples; with -DVERBOSE, least and greatest are of tests, each the
mean of many iterations.
"""

import re
from dataclasses import dataclass, field

from fairlead.readers.reading import MIB_BPS, US, Column, Reading, by_size, number, refused, whole_lines

TITLE = re.compile(r"Network(?P<load>Load)? Tests v(?P<version>\d+\.\d)\s*")
RANKS = re.compile(r"  Test with (?P<ranks>\d+) MPI ranks \((?P<nodes>\d+) nodes\)\s*")
PARTS = re.compile(r"  (?P<nodes>\d+) nodes running (?P<part>Network|Congestion) Tests.*")
LEGEND = re.compile(r"  Legend\s*|   [\w+]+ = .*")
BAR = re.compile(r"\+[-+]{78,138}\+")
SECTIONS = {
    "Isolated Network Tests": "isolated",
    "Isolated Congestion Tests": "congestor, isolated",
    "Network Tests running with Congestion Tests": "congested",
    "Network Tests running with Congestion Tests - Key Results": "impact",
}
BESIDE = re.compile(r"(Network Tests running with Congestion Tests) \(\s*(.*?) Network Test\)")
HEADER, VERBOSE = ["Name", "Avg", "99%", "Units"], ["Name", "Min", "Max", "Avg", "Avg(Worst)", "99%", "99.9%", "Units"]
IMPACT, IMPACT_HEADER = ["Name", "Congestion Impact Factor"], ["", "Avg", "99%"]
TEST = re.compile(r"(?P<test>\S.*?) \(\s*(?P<size>\d+) B\)")
UNITS = {"usec": ("time_s", US), "MiB/s/rank": ("rate_bps", MIB_BPS)}
CONGESTORS = ("Alltoall", "Allreduce", "Two-sided Incast", "Put Incast", "Two-sided Bcast", "Get Bcast")
LAST = "Multiple Alltoall"  # of the tests of network_test
KEY = ("RR Two-sided Lat", "RR Two-sided BW+Sync", "Multiple Allreduce")  # tests that have an impact factor
ROUNDING = 0.0501  # of a number with one decimal
Cells = dict[str, float]


@dataclass
class _Launch:
    """What the lines of a launch have told so far.

    Attributes:
        title: number of its line.
        tables: by section and test, the message size, the quantity's unit and the numbers by column.
        impacts: by test, of the averages and of the 99 %.
    """

    source: str
    title: int
    load: bool
    version: str
    ranks: int = 0
    nodes: int = 0
    section: str = ""
    beside: str = ""
    header: list[str] = field(default_factory=list)
    tables: dict[tuple[str, str], tuple[int, str, Cells]] = field(default_factory=dict)
    impacts: dict[str, tuple[float, float]] = field(default_factory=dict)


def read(text: str, source: str) -> list[Reading]:
    """The tables of a file: of one launch, or of several. What stands before the first title is not looked at.

    Raises:
        MeasurementError: no title, a line that is none of this format, no end, or factors that do not follow from the
            tables.
    """
    lines = whole_lines(text, source)
    launch: _Launch | None = None
    found: list[Reading] = []
    for place, line in enumerate(lines):
        if title := TITLE.fullmatch(line):
            found += _readings(launch, place) if launch else []
            launch = _Launch(source, place + 1, bool(title["load"]), title["version"])
        elif launch is not None:
            _take(launch, line.rstrip(), place + 1)
    if launch is None:
        hint = 'it reads "Network Tests v1.3" or "NetworkLoad Tests v1.3"'
        raise refused(source, 1, "there is no title of GPCNeT", hint=hint)
    return [*found, *_readings(launch, len(lines))]


def _take(launch: _Launch, text: str, line: int) -> None:
    if not text or BAR.fullmatch(text) or LEGEND.fullmatch(text) or PARTS.fullmatch(text):
        return
    if ranks := RANKS.fullmatch(text):
        launch.ranks, launch.nodes = int(ranks["ranks"]), int(ranks["nodes"])
        return
    if not (text.startswith("|") and text.endswith("|") and len(text) > 1):
        raise refused(launch.source, line, f"{text!r} is not a line of GPCNeT")
    cells = [cell.strip() for cell in text[1:-1].split("|")]
    if len(cells) == 1:
        _begin(launch, cells[0], line)
    elif cells in (HEADER, VERBOSE, IMPACT, IMPACT_HEADER):
        _take_header(launch, cells, line)
    elif not launch.header:
        raise refused(launch.source, line, "numbers before the header of the table")
    elif launch.section == "impact":
        _take_impact(launch, cells, line)
    else:
        _take_row(launch, cells, line)


def _begin(launch: _Launch, title: str, line: int) -> None:
    beside = BESIDE.fullmatch(title)
    name, test = (beside[1], beside[2]) if beside else (title, "")
    if name not in SECTIONS:
        raise refused(launch.source, line, f"{title!r} is not a section of GPCNeT; known are {', '.join(SECTIONS)}")
    known = SECTIONS[name]
    if (launch.section, launch.beside) == (known, test) or any(
        known == section for section, _ in launch.tables if not test
    ):
        raise refused(launch.source, line, f"a second section {title!r} in one launch")
    launch.section, launch.beside, launch.header = known, test, []


def _take_header(launch: _Launch, cells: list[str], line: int) -> None:
    of_impact = cells in (IMPACT, IMPACT_HEADER)
    if not launch.section or of_impact != (launch.section == "impact"):
        raise refused(launch.source, line, "a header outside of its section")
    expected = {IMPACT[1]: IMPACT_HEADER} if launch.header == IMPACT else {}
    if launch.header and cells != expected.get(launch.header[-1]):
        raise refused(launch.source, line, "a second header in one table")
    launch.header = cells


def _test(launch: _Launch, cells: list[str], line: int) -> tuple[str, int]:
    if len(cells) != len(launch.header):
        reason = f"{len(cells)} columns where the header has {len(launch.header)}"
        raise refused(launch.source, line, reason)
    test = TEST.fullmatch(cells[0])
    if test is None:
        raise refused(
            launch.source, line, f"{cells[0]!r} is not a test with its size, such as 'RR Two-sided Lat (8 B)'"
        )
    return test["test"], int(test["size"])


def _take_row(launch: _Launch, cells: list[str], line: int) -> None:
    name, size_B = _test(launch, cells, line)
    if cells[-1] not in UNITS:
        raise refused(launch.source, line, f"unknown unit {cells[-1]!r}; known are {', '.join(UNITS)}")
    numbers = [number(word, launch.source, line, pattern=r"\d+\.\d") for word in cells[1:-1]]
    of = dict(zip(launch.header[1:-1], numbers, strict=True))
    if "Min" in of and not of["Min"] <= of["Avg"] <= of["Max"]:
        raise refused(launch.source, line, "least, mean and greatest are not in rising order")
    section = launch.section
    if section == "congested" and name in CONGESTORS:
        section = f"congestor, beside {launch.beside}"
    if (section, name) in launch.tables:
        raise refused(launch.source, line, f"a second row of {name} in this section")
    launch.tables[section, name] = size_B, cells[-1], of


def _take_impact(launch: _Launch, cells: list[str], line: int) -> None:
    """A factor must follow from the numbers printed above: congested over isolated times, or isolated over congested
    rates."""
    name, _ = _test(launch, cells, line)
    factors = []
    for word, column in zip(cells[1:], ("Avg", "99%"), strict=True):
        factor = number(word.removesuffix("X"), launch.source, line, pattern=r"\d+\.\d")
        if not word.endswith("X"):
            raise refused(launch.source, line, f"{word!r} is not a factor, such as 1.5X")
        try:
            (_, unit, quiet), (_, _, loaded) = launch.tables["isolated", name], launch.tables["congested", name]
        except KeyError as error:
            raise refused(launch.source, line, f"{name} has a factor, but not both rows above") from error
        top, bottom = (loaded, quiet) if unit == "usec" else (quiet, loaded)
        if bottom[column] <= 0 or abs(top[column] / bottom[column] - factor) > ROUNDING:
            told = f"{top[column]:g} over {bottom[column]:g} ({column})"
            raise refused(launch.source, line, f"{told} are not {factor:g}, the factor of {name}")
        factors.append(factor)
    if name in launch.impacts:
        raise refused(launch.source, line, f"a second factor of {name}")
    launch.impacts[name] = factors[0], factors[1]


def _readings(launch: _Launch, end: int) -> list[Reading]:
    """The tests of a launch that ends before line ``end + 1``."""
    if not launch.ranks:
        raise refused(launch.source, launch.title, 'the number of ranks is missing ("Test with .. MPI ranks")')
    missing = [name for name in KEY if name not in launch.impacts] if launch.load else []
    if not launch.load and ("isolated", LAST) not in launch.tables:
        missing = [LAST]
    if missing:
        raise refused(launch.source, end, f"the output is not complete: {missing[0]} is missing")
    program = "GPCNeT network_load_test" if launch.load else "GPCNeT network_test"
    plan = {"version": launch.version, "ranks": launch.ranks, "nodes": launch.nodes}
    found = []
    for (section, name), (size_B, unit, of) in launch.tables.items():
        benchmark = f"GPCNeT {name}, {section}, {launch.ranks} ranks"
        columns = [(_column(unit, column), [value]) for column, value in of.items()]
        found.append(by_size(benchmark, [size_B], columns, plan={"program": program, **plan}))
    for name, factors in launch.impacts.items():
        benchmark = f"GPCNeT {name}, impact of congestion, {launch.ranks} ranks"
        columns = [
            (Column("impact_ratio", of, 1.0), [value]) for of, value in zip(("mean", "p99"), factors, strict=True)
        ]
        found.append(by_size(benchmark, [], columns, plan={"program": program, **plan}))
    return found


def _column(unit: str, column: str) -> Column:
    """99 % of the rates are above the number that stands there, of the times below."""
    series, scale = UNITS[unit]
    tails = {"99%": "p99", "99.9%": "p99.9"} if unit == "usec" else {"99%": "p1", "99.9%": "p0.1"}
    others = {"Avg": "mean", "Avg(Worst)": "mean of the worst rank"}
    of_tests = {"Min": "least mean of a test", "Max": "greatest mean of a test"}
    return Column(series, {**tails, **others, **of_tests}[column], scale)
