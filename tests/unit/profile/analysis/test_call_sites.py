"""Places that MPI is called from: added up over the ranks, named where the object file is there."""

from dataclasses import replace
from pathlib import Path

import pytest

from fairlead.profile import json_form, profile, tables
from fairlead.profile.analysis import call_sites
from fairlead.profile.analysis.call_sites import SourceLocation
from fairlead.profile.record import CallSite, Record
from fairlead.report.profile import profile_report

from ..profile_fixtures import three_ranks

HERE = "/nowhere/prog"


def calling() -> list[Record]:
    zero, one, two = three_ranks()
    return [
        replace(
            zero, call_sites=(CallSite("MPI_Send", HERE, 0x40, 2, 0.5, 100), CallSite("MPI_Wait", "", 0x99, 1, 3.0, 0))
        ),
        replace(one, call_sites=(CallSite("MPI_Send", HERE, 0x40, 3, 0.25, 50),)),
        replace(two, call_sites=(CallSite("MPI_Send", HERE, 0x50, 1, 0.0, 7),)),
    ]


def test_sums_over_ranks_longest_first() -> None:
    found = call_sites.of(calling())
    assert [(each.function, each.place.offset, each.ranks, each.calls, each.time_s, each.sent_B) for each in found] == [
        ("MPI_Wait", 0x99, 1, 1, 3.0, 0),
        ("MPI_Send", 0x40, 2, 5, 0.75, 150),
        ("MPI_Send", 0x50, 1, 1, 0.0, 7),
    ]


def test_objects_that_are_not_here_or_no_objects_stay_unnamed(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no object")
    wanted = [(HERE, 0x40), ("", 0x99), (str(text), 0x10), (HERE, 0x40)]
    assert call_sites.places(wanted) == [
        SourceLocation(HERE, 0x40),
        SourceLocation("", 0x99),
        SourceLocation(str(text), 0x10),
    ]


def test_a_source_file_with_a_name_in_another_encoding_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, program = tmp_path / "addr2line", tmp_path / "prog"
    tool.write_text("#!/bin/sh\nprintf 'solve\\n/home/jos\\351/cg.c:12\\n'\n")
    tool.chmod(0o755)
    program.touch()
    monkeypatch.setattr(call_sites, "TOOL", str(tool))
    assert call_sites.places([(str(program), 0x40)]) == [
        SourceLocation(str(program), 0x40, "solve", "/home/jos\ufffd/cg.c", 12)
    ]


def test_table_and_page(tmp_path: Path) -> None:
    found = json_form.of(profile.of(calling()), ["./prog"])
    named = found.call_sites[1].model_copy(update={"where": "solve", "file": "/src/cg.c", "line": 12})
    found = found.model_copy(update={"call_sites": [found.call_sites[0], named, found.call_sites[2]]})
    rows = [[each.shown.replace("\xa0", " ") for each in row] for row in tables.call_sites(found).rows]
    assert rows == [
        ["MPI_Wait", "?", "+0x99", "1", "1", "3.00 s", "10.0 %", "·"],
        ["MPI_Send", "solve", "cg.c:12", "2", "5", "750 ms", "2.5 %", "150 B"],
        ["MPI_Send", "?", "prog+0x50", "1", "1", "0 s", "0.0 %", "7 B"],
    ]
    assert len(tables.call_sites(found, most=1).rows) == 1
    profile_report.write(found, tmp_path / "p.html")
    assert '<h2 id="call-sites">' in (tmp_path / "p.html").read_text()
