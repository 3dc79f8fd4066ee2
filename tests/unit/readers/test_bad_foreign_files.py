"""Every foreign format, spoiled in ten ways: file, line and reason are told, and the store stays as it was."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import ConfigError, MeasurementError
from fairlead.readers import formats
from fairlead.readers.reading import ImportOptions

from . import foreign_files, gpcnet_files, netgauge_files, rtla_files

SAMPLES = "# us\n1.5\n2.5\n3.5\n"
FILES = {
    "osu": foreign_files.OSU_LATENCY,
    "imb": foreign_files.IMB,
    "perftest": foreign_files.PERFTEST_LATENCY,
    "mpip": foreign_files.MPIP,
    "iperf3": foreign_files.iperf3(),
    "gpcnet": gpcnet_files.LOAD,
    "samples": SAMPLES,
    **{f"netgauge {name}": text for name, text in netgauge_files.EVERY.items()},
    **{f"rtla {name}": text for name, text in rtla_files.EVERY.items()},
}
NUMBERS = {
    "osu": "2.50",
    "imb": "250.00",
    "perftest": "0.95",
    "mpip": "      4    40.00",
    "iperf3": '"bytes": 1000000',
    "gpcnet": "900.0",
    "samples": "2.5",
    "netgauge fwq": "180",
    "netgauge ftq": "3000",
    "netgauge one_one": "9.00",
    "netgauge one_one_sync": "4.50",
    "netgauge terse": "8.00 us",
    "netgauge 1toN": "4.50",
    "netgauge Nto1": "4.50",
    "netgauge one_one_dtype": "9.00",
    "netgauge one_one_req_queue": "5.00",
    "netgauge one_one_all": "3.40",
    "netgauge one_one_perturb": "900.00",
    "netgauge memory": "2.40",
    "netgauge pchase": "5.00 us",
    "netgauge ebb": "20.000000",
    "netgauge collvsnoise": "120.000000",
    "netgauge loggp": "190.500000",
    "netgauge distrtt": "30000",
    "netgauge cpu": "4000.00",
    **rtla_files.NUMBERS,
}
"""A number of each file, as it stands there once or first; its own words go with it where it is not alone."""
HEADERS = {
    "osu": "# Size       Avg Latency(us)        Validation     P50 Tail Lat(us)     P99 Tail Lat(us)\n",
    "imb": "       #bytes #repetitions      t[usec]   Mbytes/sec\n",
    "perftest": "".join(line for line in foreign_files.PERFTEST_LATENCY.splitlines(keepends=True) if "#bytes" in line),
    "mpip": "Task    AppTime    MPITime     MPI%\n",
    "gpcnet": gpcnet_files.row("Name", "Avg", "99%", "Units"),
    "netgauge one_one": netgauge_files.LONG.splitlines(keepends=True)[-1],
    "netgauge one_one_sync": netgauge_files.SHORT.splitlines(keepends=True)[-1],
    "netgauge Nto1": netgauge_files.OLD_LONG.splitlines(keepends=True)[-1],
    "netgauge one_one_dtype": netgauge_files.LONG.splitlines(keepends=True)[-1],
    "netgauge one_one_all": "## R T A  -  B  C  D  E  (F G)\n",
    "netgauge memory": "## A  -  B  C  D  E (F G) - B  C  D  E (F G) -  B  C  D  E (F G)\n",
    "netgauge fwq": "# Fixed Work Quantum Benchmark\n",
    "netgauge ftq": "# Fixed Time Quantum Benchmark\n",
    "netgauge loggp": netgauge_files.LOGGP.splitlines(keepends=True)[0],
    **rtla_files.HEADERS,
}
UNITS = {
    "osu": "Latency(us)",
    "imb": "[usec]",
    "perftest": "[usec]",
    "mpip": "(seconds)",
    "iperf3": '"bits_per_second"',
    "gpcnet": "usec",
    "netgauge fwq": "[us]",
    "netgauge terse": " us ",
    "netgauge 1toN": " us ",
    "netgauge one_one_req_queue": " us ",
    "netgauge one_one_perturb": " us,",
    "netgauge pchase": " us ",
    "netgauge ebb": " us ",
    "netgauge cpu": " us ",
    **rtla_files.UNITS,
}


def number_becomes(text: str, name: str, word: str) -> bytes:
    """The file with another word in the place of a number."""
    words = NUMBERS[name]
    assert words in text, name
    digits = words.strip().removeprefix('"bytes": ').split()[0]
    return text.replace(words, words.replace(digits, word), 1).encode()


def fewer_columns(text: str, name: str) -> bytes:
    """Without the number, or with one more where it stands alone."""
    if name == "samples":
        return text.replace("2.5", "2.5 2.5").encode()
    if name == "iperf3":
        return text.replace('"bytes": 1000000,', "", 1).encode()
    return number_becomes(text, name, "")


def other(text: str, name: str) -> bytes:
    """With a file of another format behind it."""
    appended = foreign_files.IMB if name == "osu" else foreign_files.OSU_LATENCY
    return (text + appended).encode()


WAYS: dict[str, Callable[[str, str], bytes]] = {
    "truncated": lambda text, name: text[: text.rindex(NUMBERS[name]) + 1].encode(),
    "wrong column count": fewer_columns,
    "text for a number": lambda text, name: number_becomes(text, name, "fast"),
    "negative": lambda text, name: number_becomes(text, name, "-2.50"),
    "NaN": lambda text, name: number_becomes(text, name, "nan"),
    "two formats": other,
    "empty": lambda text, name: b"",
    "encoding": lambda text, name: text.encode("utf-16"),
    "infinite": lambda text, name: number_becomes(text, name, "inf"),
    "too large": lambda text, name: number_becomes(text, name, "1e999"),
    "a byte that is no text": lambda text, name: text.encode().replace(NUMBERS[name].encode(), b"\xff\xfe", 1),
}


def refuse(tmp_path: Path, name: str, content: bytes) -> str:
    """Import a good file and then a bad one; what is said of the bad one."""
    file_format = name.split()[0]
    (tmp_path / "good").write_text(FILES[name])
    (tmp_path / "bad").write_bytes(content)
    options = ["--system", "s", "--results", str(tmp_path / "r")]
    options += {"samples": ["--test", "t", "--unit", "us"], "netgauge": ["--tick-rate", "2e9"]}.get(file_format, [])
    words = ["measure", "import", file_format]
    done = CliRunner().invoke(command, [*words, str(tmp_path / "good"), *options])
    assert done.exit_code == 0, done.output
    before = {path: path.read_bytes() for path in (tmp_path / "r").iterdir()}
    done = CliRunner().invoke(command, [*words, str(tmp_path / "good"), str(tmp_path / "bad"), *options])
    assert isinstance(done.exception, ConfigError), (done.output, done.exception)
    assert {path: path.read_bytes() for path in (tmp_path / "r").iterdir()} == before
    return str(done.exception)


@pytest.fixture(autouse=True)
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page shows is tested elsewhere."""
    monkeypatch.setattr("fairlead.cli.measure.show", lambda output: None)


def test_every_format_is_spoilt_in_ten_ways_or_more() -> None:
    assert len(WAYS) >= 10
    assert NUMBERS.keys() == FILES.keys()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FILES)
def test_a_spoiled_file_is_refused_whole(tmp_path: Path, name: str, way: str) -> None:
    said = refuse(tmp_path, name, WAYS[way](FILES[name], name))
    place = said.removeprefix(f"{tmp_path / 'bad'}:").split(":")[0]
    assert said.startswith(str(tmp_path / "bad")), said
    assert place.isdigit(), said


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_stands_twice_is_refused(tmp_path: Path, name: str) -> None:
    header = HEADERS[name]
    assert header in FILES[name]
    said = refuse(tmp_path, name, FILES[name].replace(header, header * 2, 1).encode())
    assert said.startswith(f"{tmp_path / 'bad'}:"), said


@pytest.mark.parametrize("name", UNITS)
def test_an_absurd_unit_is_refused(tmp_path: Path, name: str) -> None:
    unit = UNITS[name]
    assert unit in FILES[name]
    absurd = (
        unit.replace("usec", "furlong").replace("us", "furlong").replace("(ns)", "(nm)").replace("seconds", "furlongs")
    )
    said = refuse(tmp_path, name, FILES[name].replace(unit, absurd.replace("bits", "parsecs"), 1).encode())
    assert said.startswith(f"{tmp_path / 'bad'}:"), said


def test_iperf3_that_names_a_key_twice_is_refused(tmp_path: Path) -> None:
    doubled = FILES["iperf3"].replace('"intervals"', '"intervals": [], "intervals"', 1)
    json.loads(doubled)  # JSON allows it
    assert "bad:10: an object names 'intervals' twice" in refuse(tmp_path, "iperf3", doubled.encode())


def test_iperf3_is_told_by_the_line_of_the_key(tmp_path: Path) -> None:
    lines = (FILES["iperf3"] + FILES["iperf3"]).splitlines(keepends=True)
    second = len(lines) // 2
    for key, value, complaint in (
        ('"protocol"', '"protocol": "UDP",', "is a test of UDP (start.test_start.protocol)"),
        ('"duration"', '"duration": 600', "the test was to last 600 s, and its intervals end at 6 s"),
        ('"retransmits"', '"retransmits": -1,', "intervals[0]: -1 retransmits"),
    ):
        (place, *_) = [k for k, line in enumerate(lines) if k > second and line.strip().startswith(key)]
        text = "".join([*lines[:place], f"{value}\n", *lines[place + 1 :]])
        said = refuse(tmp_path, "iperf3", text.encode())
        number = int(said.removeprefix(f"{tmp_path / 'bad'}:").split(":")[0])
        assert complaint in said
        within = lines[number - 1].strip()
        assert within.startswith((key, "{")) and second < number <= place + 1, "the key, or the object that has it"


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 100_000])
def test_iperf3_that_no_parser_takes_is_refused(tmp_path: Path, value: str) -> None:
    said = refuse(tmp_path, "iperf3", FILES["iperf3"].replace('"bytes": 1000000', f'"bytes": {value}', 1).encode())
    assert "bad:1: is not JSON of iperf3: " in said


# ---------------------------------------------------------------- every line and every number

OTHERS = {
    "osu allreduce": foreign_files.OSU_ALLREDUCE,
    "osu pairs": foreign_files.OSU_PAIRS,
    "osu overlap": foreign_files.OSU_OVERLAP,
    "osu barrier": foreign_files.OSU_BARRIER,
    "osu put": foreign_files.OSU_PUT_BANDWIDTH,
    "perftest samples": foreign_files.PERFTEST_SAMPLES,
    "perftest bandwidth": foreign_files.PERFTEST_BANDWIDTH,
    "gpcnet verbose": gpcnet_files.VERBOSE,
    "netgauge selfish": foreign_files.SELFISH,
    "netgauge memory, terse": netgauge_files.TERSE_MEMORY,
    "netgauge collvsnoise, sums": netgauge_files.COLLECTIVE,
}
LONG = "9" * 23
OTHER_WORDS = ("0", "-1", "1e999", LONG, "nan", "", "x", "1.5")
TOLD = ImportOptions(test="t", unit="us", tick_rate_hz=2e9)


def changed(text: str) -> Iterator[str]:
    """The file without each line, with it twice, cut before it, and with another word for each number."""
    lines = text.splitlines(keepends=True)
    for place in range(len(lines)):
        yield "".join(lines[:place] + lines[place + 1 :])
        yield "".join(lines[: place + 1] + lines[place:])
        yield "".join(lines[:place])
    for match in re.finditer(r"\d+(?:\.\d+)?", text):
        yield from (text[: match.start()] + word + text[match.end() :] for word in OTHER_WORDS)


@pytest.mark.parametrize("name", [*FILES, *OTHERS])
def test_whatever_is_changed_is_refused_by_line_or_can_be_stored(name: str) -> None:
    for text in changed({**FILES, **OTHERS}[name]):
        try:
            found = formats.read(name.split()[0], text, "f", TOLD)
        except MeasurementError as error:
            assert re.match(r"f:\d+: ", str(error)), str(error)  # anything else that is raised is no refusal
            continue
        for reading in found:
            assert {series.values.dtype.kind for series in reading.series} <= {"i", "f"}, text
            told = [reading.plan, *(series.labels for series in reading.series)]
            whole = [value for each in told for value in each.values() if isinstance(value, int)]
            assert max(whole, default=0) < 2**63, text


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        ("osu", "1024  ", f"{LONG}  ", 7),
        ("gpcnet", "Test with 64 MPI", f"Test with {LONG} MPI", 2),
        ("rtla osnoise", "20000          300", f"{LONG}          300", 4),
        ("netgauge fwq", "180\n", f"{LONG}\n", 13),
        ("netgauge one_one_all", "rank 0: 3", f"rank 0: {LONG}", 6),
    ],
)
def test_a_number_that_the_store_cannot_hold_is_refused_before_anything_is_stored(
    tmp_path: Path, name: str, before: str, after: str, line: int
) -> None:
    assert before in FILES[name]
    said = refuse(tmp_path, name, FILES[name].replace(before, after, 1).encode())
    assert said == f"{tmp_path / 'bad'}:{line}: '{LONG}' is not a number of this format: it is too large"


@pytest.mark.parametrize(
    ("name", "before", "after", "message"),
    [
        ("rtla osnoise-hist", "count:      100", "count:      100.50", "'100.50' is not a number of this format"),
        ("rtla osnoise-hist", "over:         0", "over:      0.00", "'0.00' is not a number of this format"),
        ("rtla osnoise-hist", "CPU-000   CPU-001", "CPU-000   CPU-000", "a second column CPU-000"),
        ("rtla timerlat", "|        1         0", "|     fast         0", "'fast' is not a number of this format"),
        ("rtla timerlat", rtla_files.TIMERLAT_TOP.splitlines(keepends=True)[4], "", "the rows count 10000 latencies"),
        ("rtla timerlat", "ALL #20000", "ALL #all", "is not the sum of all processors"),
        (
            "rtla timerlat",
            rtla_files.TIMERLAT_TOP[rtla_files.TIMERLAT_TOP.index("ALL ") :],
            "",
            "the sum of all processors is missing; the output is not complete",
        ),
        ("netgauge fwq", "Detours: 3", "Detours: three", "does not tell a whole number"),
        ("netgauge ftq", "Duration: 1000 usec", "Duration: 1000 msec", "does not tell a whole number"),
        ("netgauge fwq", "Detours: 3\n", "Detours: 4 \n", "there are 3 cycles where 4 cycles should be"),
        ("osu", "P99 Tail", "P999 Tail", "unknown column at 'P999 Tail"),
        ("osu", "1024  ", "\u0663  ", "'\u0663' is not a number of this format"),
    ],
)
def test_what_was_once_taken_is_refused(name: str, before: str, after: str, message: str) -> None:
    assert before in FILES[name]
    with pytest.raises(MeasurementError, match=r"f:\d+: ") as refused:
        formats.read(name.split()[0], FILES[name].replace(before, after, 1), "f", TOLD)
    assert message in str(refused.value)
