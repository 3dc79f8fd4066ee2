"""Calls that complete requests and return an error: what else they completed, and what they did not, is counted."""

import subprocess
from pathlib import Path

import message_rings
import mpi_libraries
import pytest
import recorded
from mpi_libraries import Mpi, every_family

from fairlead import native
from fairlead.profile.record import RECEIVE

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).with_name("profile_errors.c")
CALLS = range(1, 7)  # tags
IN_ORDER = 7
BYTES = 32


@every_family
def test_only_what_did_not_fit_is_missing(mpi: Mpi, tmp_path: Path) -> None:
    zero, one = recorded.run(mpi.need(), SOURCE, 2, tmp_path)
    assert one.messages.sent_messages.tolist() == [6 * 10 + 3, 0, 0]
    assert zero.messages.received_messages.tolist() == [0, 6 * 9 + 2, 0]
    assert zero.messages.received_B.tolist() == [0, (6 * 9 + 2) * BYTES, 0]
    done = zero.ends[(zero.ends["end"] == RECEIVE) & (zero.ends["done_s"] == zero.ends["done_s"])]
    assert [int((done["tag"] == call).sum()) for call in CALLS] == [9] * 6


@every_family
def test_the_order_is_known_after_a_message_that_did_not_fit(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCE, tmp_path / "errors")
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RINGS": str(tmp_path)}
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=100)
    received, sent = message_rings.of_ranks(tmp_path)
    assert message_rings.numbers(sent, IN_ORDER) == [1, 2, 3]
    assert message_rings.numbers(received, IN_ORDER) == [2, 3]
