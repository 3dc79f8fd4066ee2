"""Signals become exceptions, wherever the main thread is and whichever thread the kernel gives them to."""

import subprocess
import sys

import pytest

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
