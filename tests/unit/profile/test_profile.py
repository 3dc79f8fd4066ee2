"""A profile of given records: sums, matrices, what is said of it, and its JSON form."""

import io
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console

from fairlead.errors import MeasurementError
from fairlead.profile import json_form, profile, terminal
from fairlead.profile.analysis.groups import Thresholds
from fairlead.profile.record import Usage
from fairlead.profile.settings import ProfileSettings

from .profile_fixtures import BEGUN, a_record, three_ranks


def test_times_and_shares() -> None:
    found = profile.of(three_ranks())
    assert found.mpi_s.tolist() == [1.0, 4.0, 7.0]  # MPI_Init is not the program's communication
    assert found.computing_s.tolist() == [9.0, 6.0, 3.0]
    assert found.mpi_share == pytest.approx(0.4)
    assert found.imbalance == pytest.approx(0.5)  # 9 over the mean of 6
    assert found.imbalance_ranks == [0]
    assert found.functions()["MPI_Send"] == Usage(3, 12.0, 6070, 0)
    assert list(found.functions()) == ["MPI_Init", "MPI_Send"]  # 15 s, 12 s


def test_who_computes_longest() -> None:
    def names(computing_s: list[float]) -> list[int]:
        ranks = len(computing_s)
        records = [a_record(rank, [0] * ranks, mpi_s=10.0 - each, ranks=ranks) for rank, each in enumerate(computing_s)]
        return profile.of(records).imbalance_ranks

    assert names([4.0, 8.0, 2.0, 7.0, 4.0]) == [1, 3]  # 3 and 2 above the mean of 5
    assert names([5.0, 5.0]) == []
    assert names([5.0]) == []


def test_matrices_by_rank_and_host() -> None:
    found = profile.of(three_ranks(), ["a", "a", "b"])
    assert found.bytes_B().tolist() == [[0, 1000, 0], [0, 0, 5000], [70, 0, 0]]
    assert found.host_names == ["a", "b"]
    assert found.by_host(found.bytes_B()).tolist() == [[1000, 5000], [70, 0]]
    assert found.by_host(found.messages()).tolist() == [[1, 1], [1, 0]]


def test_ranks_of_other_worlds_and_missing_ones() -> None:
    spawned = replace(a_record(0, [5], mpi_s=1.0, ranks=1), opened=BEGUN + timedelta(seconds=9))
    child = replace(a_record(0, [0, 0, 0], mpi_s=0.0), rank=None, ranks=0)
    found = profile.of([spawned, child, *three_ranks()[:2]])
    assert (found.ranks, found.missing, len(found.others)) == (3, [2], 2)
    assert found.hosts == ("node0", "node1", "?")
    assert found.bytes_B()[2].tolist() == [0, 0, 0]


def test_nothing_recorded_is_an_error() -> None:
    with pytest.raises(MeasurementError, match="no process of the program left a profile"):
        profile.of([])


def shown(found: profile.Profile) -> str:
    console = Console(file=io.StringIO(), width=140)
    terminal.show(json_form.of(found, ["./a", "b"]), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().replace("\u00a0", " ")


def test_the_terminal_says_what_there_is() -> None:
    text = shown(profile.of(three_ranks(), ["a", "a", "b"]))
    assert "./a b: 3 ranks on 2 hosts, 10.0 s between MPI_Init and MPI_Finalize" in text
    assert (
        "low dependence on the network: 40.0 % of the ranks' time is in MPI, 10.0 % to 70.0 % rank by rank "
        "(this group: from 25 % and below 75 %)\n" in text
    )
    assert "load imbalance 50.0 % (longest computing time over the mean, minus 1): longest on rank 0" in text
    assert "3 messages of 5.928 KiB, of them between hosts 2 messages of 4.951 KiB" in text
    assert "░░░░░░░░░░░░░░░░░░██" in text
    assert "512 B to < 1 KiB" in text
    assert text.count("MPI_Init") == 1  # not among the functions


def test_the_terminal_says_what_is_missing() -> None:
    killed = replace(three_ranks()[1], state="running")
    child = replace(three_ranks()[0], rank=None)
    text = shown(profile.of([three_ranks()[0], killed, child]))
    assert "rank 2 left no record" in text
    assert "rank 1 ended by a signal: counted is what was done up to then" in text
    assert "1 further process called MPI, and is not shown" in text


@pytest.mark.parametrize(
    ("mpi_s", "sentence"),
    [
        (9.5, "highly dependent on the network: 95.0 % of the ranks' time is in MPI (this group: from 90 %)"),
        (8.0, "dependent on the network: 80.0 % of the ranks' time is in MPI (this group: from 75 % and below 90 %)"),
        (1.0, "no dependence on the network: 10.0 % of the ranks' time is in MPI (this group: below 25 %)"),
    ],
)
def test_the_group_is_told_with_its_numbers(mpi_s: float, sentence: str) -> None:
    text = shown(profile.of([a_record(0, [0], mpi_s=mpi_s, ranks=1)]))
    assert f"{sentence}; on one host, that is time between processes\n" in text


def test_json_form() -> None:
    summary = json_form.of(profile.of(three_ranks(), ["a", "a", "b"]), ["./a", "b"])
    data = json.loads(summary.to_json())
    assert (data["schema"], data["schema_version"]) == ("fairlead.profile", "1.9")
    assert data["group"] == {
        "name": "low",
        "lowest_mpi_share": 0.1,
        "highest_mpi_share": 0.7,
        "thresholds": {"highly dependent": 0.9, "dependent": 0.75, "low": 0.25},
    }
    assert data["begun_s"] == BEGUN.timestamp()
    assert data["imbalance_ranks"] == [0]
    assert data["per_rank"][2]["sizes"] == [{"from_B": 64, "to_B": 127, "messages": 1, "collective_calls": 0}]
    assert data["bytes_B"] == [[0, 1000, 0], [0, 0, 5000], [70, 0, 0]]
    assert data["host_bytes_B"] == [[1000, 5000], [70, 0]]
    assert data["library"] == "Some MPI 1.0"
    assert data["per_rank"][1]["computing_s"] == 6.0
    assert data["sizes"] == [
        {"from_B": 64, "to_B": 127, "messages": 1, "collective_calls": 0},
        {"from_B": 512, "to_B": 1023, "messages": 1, "collective_calls": 0},
        {"from_B": 4096, "to_B": 8191, "messages": 1, "collective_calls": 0},
    ]


def test_a_stored_profile_is_sorted_anew_by_other_settings() -> None:
    found = json_form.of(profile.of(three_ranks()), ["./a"])
    again = json_form.with_settings(found, ProfileSettings(groups=Thresholds(low=0.5)))
    assert (found.group.name, again.group.name) == ("low", "none")
    assert again.group.thresholds["low"] == 0.5
    assert again.group.highest_mpi_share == found.group.highest_mpi_share


def test_the_schema_file_is_of_these_models() -> None:
    assert json_form.SCHEMA_FILE.read_text() == json_form.Summary.schema_text(), (
        "raise SCHEMA_VERSION, and write the file again: python -c "
        "'from fairlead.profile import json_form as j; j.SCHEMA_FILE.write_text(j.Summary.schema_text())'"
    )
