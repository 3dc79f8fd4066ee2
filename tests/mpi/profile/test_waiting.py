"""What ranks waited for, in programs that wait for something that is known, on every MPI library."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import recorded
from mpi_libraries import LIBRARIES, Mpi, every_family

from fairlead.profile import profile
from fairlead.profile.analysis import waiting
from fairlead.profile.record import COLLECTIVE, RECEIVE, Record

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "waiting.c"
RANKS = 3
SECTIONS = 23
LARGE = 12  # the one with a large message
LATE_S = 0.25
ATTEMPTS = 3  # a busy machine keeps ranks waiting, too, but not each time


def of_section(records: list[Record], tag: int) -> waiting.Waiting:
    messages = [replace(each, ends=each.ends[each.ends["end"] != COLLECTIVE]) for each in records]
    chosen = [replace(each, ends=each.ends[each.ends["tag"] == tag]) for each in messages]
    found = waiting.of(chosen, RANKS, ["here"] * RANKS)
    assert found is not None
    assert found.kept == 2 * found.joined
    assert found.unknown_s.sum() == 0
    return found


def mistimed(sections: dict[int, waiting.Waiting]) -> list[str]:
    """What was counted though nobody waited for anybody, where it is too much; and waits that are not seen."""
    counted_s = {tag: sections[tag].late_sender_s[1] for tag in (2, 4, 10, 13, 14)}
    for tag in (8, 11, 15, 16, 20):
        counted_s[tag] = sections[tag].late_sender_s.sum() + sections[tag].late_receiver_s.sum()
    # Nor is there waiting for a message that is there already, whatever is done before it is received.
    for tag in (21, 22, 23):
        found = sections[tag]
        counted_s[tag] = (found.late_sender_s + found.late_receiver_s + found.transfer_s)[1]
    found = [f"{tag}: {time_s} s for nothing" for tag, time_s in counted_s.items() if time_s >= 0.3 * LATE_S]
    # The sender sleeps.
    for tag in (1, 3, 5, 6, 7, 9, LARGE, 17, 18, 19):
        late_sender_s, late_receiver_s = sections[tag].late_sender_s[1], sections[tag].late_receiver_s[0]
        if not late_sender_s > max(0.5 * LATE_S, 4 * late_receiver_s):
            found.append(f"{tag}: late sender {late_sender_s} s, late receiver {late_receiver_s} s")
    # The receiver does. A small message of the standard mode is not kept by it.
    found += [f"{tag}: late receiver not seen" for tag in (2, 10) if sections[tag].late_receiver_s[0] <= 0.5 * LATE_S]
    return found


@pytest.mark.by_turns
@every_family
def test_every_way_of_waiting(mpi: Mpi, tmp_path: Path) -> None:
    for attempt in range(ATTEMPTS):
        directory = tmp_path / str(attempt)
        directory.mkdir()
        records = recorded.run(mpi, SOURCE, RANKS, directory)
        sections = {tag: of_section(records, tag) for tag in range(1, SECTIONS + 1)}
        assert [sections[tag].joined for tag in range(1, SECTIONS + 1)] == [1] * 8 + [2] + [1] * 14
        for tag in (1, 3, 5, 6, 7, 9, LARGE, 17, 18, 19):
            assert sections[tag].late_receiver_s[1] == 0, tag
        if not mistimed(sections):
            break
    assert mistimed(sections) == []
    # The large message is transferred, too.
    assert sections[LARGE].transfer_between_s[0, 1] > 0

    one = records[1]
    assert one.polled_s > 5 * 0.3 * LATE_S  # the sections that poll
    assert one.time_s - profile.mpi_s(one) > 0.5 * LATE_S  # the one that works
    large = one.ends[(one.ends["tag"] == LARGE) & (one.ends["end"] == RECEIVE)]
    assert large["size_B"].tolist() == [1 << 22]


@every_family
def test_what_passes_between_threads(mpi: Mpi, tmp_path: Path) -> None:
    """Requests do; what a thread has asked for by probes does not."""
    for attempt in range(ATTEMPTS):
        directory = tmp_path / str(attempt)
        directory.mkdir()
        _, one = recorded.run(mpi, SOURCE.with_name("handed.c"), 2, directory, 10_000)
        completed, probed = (one.ends[(one.ends["tag"] == tag) & (one.ends["end"] == RECEIVE)] for tag in (1, 2))
        assert completed["computed_s"].tolist() == [0]
        assert completed["done_s"] - completed["needed_s"] > 0.5 * LATE_S
        assert len(probed) == 1
        asked_s = float(probed["begun_s"][0] - probed["needed_s"][0])
        if max(asked_s, one.polled_s) < 0.5 * LATE_S:
            break
    assert asked_s < 0.5 * LATE_S
    assert one.polled_s < 0.5 * LATE_S


def test_no_more_than_wanted_is_kept(tmp_path: Path) -> None:
    mpi = LIBRARIES[0].need()
    program = mpi.compile(SOURCE.with_name("cases.c"), tmp_path / "cases", "-Wno-stringop-overflow")
    for number in ("5", "0", "many"):
        directory = tmp_path / number
        directory.mkdir()
        done = subprocess.run(
            mpi.command(RANKS, [str(program), "persistent"], recorded.environment(directory, number)),
            check=True,
            timeout=100,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert [len(each.ends) for each in recorded.read(directory)] == [5 if number == "5" else 0] * RANKS
        told = "FAIRLEAD_PROFILE_MESSAGES=many is not a number"
        assert (told in done.stderr) == (number == "many")


# While a process forks, its record is locked. What the program has registered before all else comes after that.
FULL = """
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static int begun = 0;
static void forks(void) { if (begun) MPI_Barrier(MPI_COMM_WORLD); }
static void before_all(void) { pthread_atfork(forks, NULL, NULL); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = before_all;
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    alarm(20);
    for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
    begun = 1;
    if (fork() == 0) _exit(0);
    begun = 0;
    MPI_Finalize();
}
"""


def test_nothing_is_locked_for_what_is_not_kept(tmp_path: Path) -> None:
    mpi = LIBRARIES[0].need()
    (tmp_path / "full.c").write_text(FULL)
    (rank,) = recorded.run(mpi, tmp_path / "full.c", 1, tmp_path, 1)
    assert rank.functions["MPI_Barrier"].calls == 4
    assert len(rank.ends) == 1
