"""Signals become exceptions, wherever the main thread is and whichever thread the kernel gives them to."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from fairlead import interrupts
from fairlead.store.events import EventBuffer, EventRow

WAITS = {
    "a child": "child.wait()",
    "a thread": "other.join()",
    "a queue": "queue.SimpleQueue().get()",
    "sleep": "time.sleep(20)",
    "select": "select.select([], [], [], 20)",
}
PROGRAM = """
import queue, select, signal, subprocess, sys, threading, time
from fairlead import interrupts

interrupts.become_exceptions()
other = threading.Thread(target=time.sleep, args=(20,), daemon=True)
other.start()
child = subprocess.Popen(["sleep", "20"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
late = threading.Timer(0.3, lambda: signal.pthread_kill(other.ident, signal.SIGTERM))
late.daemon = True
begin_s = time.monotonic()
late.start()
try:
    {wait}
except interrupts.Interrupted as interrupted:
    print(interrupted.signal.name, 0.3 <= time.monotonic() - begin_s < 10)
finally:
    child.kill()
"""


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_a_signal_that_another_thread_got_interrupts_what_the_main_thread_waits_for(wait: str) -> None:
    program = PROGRAM.format(wait=wait)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.stderr) == ("SIGTERM True\n", "")


CLEANING_UP = """
import os, signal
from fairlead import interrupts

interrupts.become_exceptions()
try:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
except interrupts.Interrupted:
    os.kill(os.getpid(), signal.SIGTERM)
    print("cleaned up")
"""


def test_a_second_signal_does_not_end_the_clean_up_when_the_terminal_is_gone() -> None:
    """A terminal that is closed sends SIGHUP, and so does its shell; nobody reads what is said then."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-c", CLEANING_UP], stdout=subprocess.PIPE, stderr=writer, timeout=30, check=False
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stdout) == (0, b"cleaned up\n")


def test_a_second_signal_is_answered() -> None:
    done = subprocess.run([sys.executable, "-c", CLEANING_UP], capture_output=True, timeout=30, check=False)
    assert done.stderr == b"fairlead: already stopping: cleaning up what was started\n"


@pytest.fixture
def exceptions() -> Iterator[None]:
    """Signals become exceptions, as in a command."""
    before = {number: signal.signal(number, interrupts._raise_once) for number in interrupts.ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_signal_within_what_must_not_end_half_way_takes_effect_after_it(exceptions: None) -> None:
    through = False
    with pytest.raises(interrupts.Interrupted) as told, interrupts.held(), interrupts.held():
        os.kill(os.getpid(), signal.SIGTERM)
        through = True
    assert through
    assert told.value.signal == signal.SIGTERM


def test_a_signal_that_waited_is_not_raised_in_the_clean_up_of_another(exceptions: None) -> None:
    interrupts._hold.waiting = signal.SIGINT  # it came in a block whose end the next one overtakes
    with pytest.raises(interrupts.Interrupted):
        os.kill(os.getpid(), signal.SIGTERM)
    with interrupts.held():
        pass


def test_what_is_committed_while_a_signal_comes_is_committed_once(exceptions: None) -> None:
    committed: list[EventRow] = []

    def commit(rows: list[EventRow]) -> None:
        committed.extend(rows)
        if len(committed) == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    buffer = EventBuffer(commit)
    buffer._rows.append((1, 0.0, "rerouted", "{}"))  # without the thread that would commit it by itself
    with pytest.raises(interrupts.Interrupted):
        buffer.flush()
    buffer.flush()
    assert len(committed) == 1


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ])
def test_a_program_that_takes_our_place_has_the_signals_of_a_shell(number: signal.Signals) -> None:
    line = ["sh", "-c", f"kill -{int(number)} $$; echo it was ignored"]
    code = f"from fairlead import interrupts; interrupts.become_exceptions(); interrupts.become('/bin/sh', {line})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (-number, b"")
