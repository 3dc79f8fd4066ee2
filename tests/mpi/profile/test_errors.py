"""Calls that complete requests and return an error: what else they completed, and what they did not, is counted."""

import subprocess
from pathlib import Path

import message_rings
import mpi_libraries
import numpy as np
import pytest
import recorded
from mpi_libraries import Mpi, every_family

from fairlead import native
from fairlead.profile.analysis import waiting
from fairlead.profile.record import RECEIVE

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "errors.c"
CALLS = range(1, 7)  # tags
IN_ORDER = range(7, 13)
EXCHANGES = (10, 11)
BYTES = 32


@every_family
def test_only_what_did_not_fit_is_missing(mpi: Mpi, tmp_path: Path) -> None:
    zero, one = recorded.run(mpi.need(), SOURCE, 2, tmp_path)
    assert one.messages.sent_messages.tolist() == [6 * 10 + 6 * 3 + 1, 0, 0]
    assert zero.messages.received_messages.tolist() == [0, 6 * 9 + 6 * 2 + 1, 0]
    assert zero.messages.received_B.tolist() == [0, (6 * 9 + 6 * 2 + 1) * BYTES, 0]
    assert zero.messages.sent_messages.tolist() == [0, 6 + 2, 0]
    assert one.messages.received_messages.tolist() == [6 + 2, 0, 0]
    done = zero.ends[(zero.ends["end"] == RECEIVE) & (zero.ends["done_s"] == zero.ends["done_s"])]
    assert [int((done["tag"] == call).sum()) for call in CALLS] == [9] * 6


@every_family
def test_what_did_not_fit_is_joined(mpi: Mpi, tmp_path: Path) -> None:
    zero, one = recorded.run(mpi.need(), SOURCE, 2, tmp_path)
    ends = np.concatenate([zero.ends, one.ends])
    rank = np.repeat([0, 1], [len(zero.ends), len(one.ends)])
    sends, receives = waiting.joined(ends, rank)
    for tag in IN_ORDER:
        chosen = (ends["tag"][sends] == tag) & (rank[sends] == 1)
        order = np.argsort(ends["begun_s"][sends[chosen]])
        got = ends[receives[chosen][order]]
        assert np.isnan(got["done_s"]).tolist() == [True, False, False], tag
        assert (np.diff(got["begun_s"]) > 0).all(), tag


@every_family
def test_the_order_is_known_after_a_message_that_did_not_fit(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCE, tmp_path / "errors")
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RINGS": str(tmp_path)}
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=100)
    zero, one = message_rings.of_ranks(tmp_path)
    for tag in IN_ORDER:
        assert message_rings.numbers(one[one["end_and_number"] & 0xFF == message_rings.SEND], tag) == [1, 2, 3]
        assert message_rings.numbers(zero[zero["end_and_number"] & 0xFF == message_rings.RECEIVE], tag) == [2, 3]
    for tag in EXCHANGES:
        assert message_rings.numbers(zero[zero["end_and_number"] & 0xFF == message_rings.SEND], tag) == [1]
        assert message_rings.numbers(one[one["end_and_number"] & 0xFF == message_rings.RECEIVE], tag) == [1]


@every_family
def test_what_a_callback_ended_is_not_taken_for_what_gets_its_handle(mpi: Mpi, tmp_path: Path) -> None:
    ranks = recorded.run(mpi.need(), SOURCE.parent / "callbacks.c", 2, tmp_path)
    for each in ranks:
        assert each.functions["MPI_Ibarrier"].calls == 20
        assert not each.messages.received_messages.any()
        assert not each.messages.received_B.any()
