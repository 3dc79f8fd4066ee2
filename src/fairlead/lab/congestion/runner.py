"""Congestion that a command started: its process holds it until told to stop, or until the lab ends.

In the background that process is started as ``python -m fairlead.lab.congestion.runner LAB_DIRECTORY [SECONDS]``; it
reads the description as JSON from standard input, answers one JSON line, ``{"started": text}`` or ``{"error": text}``,
and stays, for so many seconds where they are told. In the foreground it is the command itself. Both note themselves in
the lab's directory.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from fairlead import files
from fairlead.descriptors import readable
from fairlead.errors import FairleadError, LabError, NoSuchLabError
from fairlead.lab import state
from fairlead.lab.congestion import Congestion, CongestionDescription, make
from fairlead.lab.lab import Lab, congestion_runners
from fairlead.runtime import Process

STOP_TIMEOUT_S = 30.0
_adapter: TypeAdapter[CongestionDescription] = TypeAdapter(CongestionDescription)


def start(lab: Lab, description: CongestionDescription, duration_s: float | None = None) -> str:
    """Start congestion that outlives this process; returns its description in words once traffic flows.

    Args:
        duration_s: how long it lasts; None: until it is told to stop, or the lab ends.

    Raises:
        LabError: it could not be started.
    """
    lasts = [] if duration_s is None else [str(duration_s)]
    process = subprocess.Popen(
        [sys.executable, "-m", "fairlead.lab.congestion.runner", str(lab.directory), *lasts],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(_adapter.dump_json(description).decode())
        process.stdin.close()
        answer = process.stdout.readline()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        process.stdout.close()
    message = json.loads(answer) if answer else {"error": "congestion: the process that holds it died"}
    if "error" in message:
        wrong_input = message.get("exit_code") == NoSuchLabError.exit_code
        raise (NoSuchLabError if wrong_input else LabError)(message["error"])
    return str(message["started"])


def stop_all(lab: Lab) -> list[str]:
    """Stop all congestion that commands started in a lab, in the background or not; returns what was stopped.

    Raises:
        FairleadError: some did not end in time; the rest was told to end, too.
    """
    runners = congestion_runners(lab.directory)
    for runner in runners:
        runner.process.send(signal.SIGTERM)
    for runner in runners:
        runner.process.wait(STOP_TIMEOUT_S)
        runner.note.unlink(missing_ok=True)
    return [runner.text for runner in runners]


@contextmanager
def noted(lab: Lab, text: str) -> Iterator[None]:
    """Note that this process holds the congestion that ``text`` describes: `stop_all` then finds and ends it."""
    note = lab.directory / "congestion" / f"{os.getpid()}.json"
    files.replace(note, json.dumps({"runner": asdict(Process.own()), "text": text}))
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def wait(lab: Lab, congestion: Congestion, timeout_s: float | None = None) -> None:
    """Until ``timeout_s`` are over or the lab has ended. Raises LabError if the congestion dies before."""
    with lab.holder.descriptor() as holder:
        left_s = timeout_s
        while holder is not None and (left_s is None or left_s > 0):
            step_s = 1.0 if left_s is None else min(1.0, left_s)
            if readable(holder, step_s):
                return
            congestion.check()
            left_s = None if left_s is None else left_s - step_s


def _terminate(number: int, frame: object) -> None:
    raise SystemExit(0)


def main() -> None:
    directory = Path(sys.argv[1])
    duration_s = float(sys.argv[2]) if len(sys.argv) > 2 else None
    signal.signal(signal.SIGTERM, _terminate)
    try:
        record = state.read(directory)
        if record is None:
            raise LabError(f"no lab is noted in {directory}")
        lab = Lab(directory, record)
        congestion = make(lab, _adapter.validate_json(sys.stdin.read()))
        congestion.start()
    except FairleadError as error:
        print(json.dumps({"error": str(error), "exit_code": error.exit_code}), flush=True)
        sys.exit(1)
    try:
        text = congestion.describe()
        with noted(lab, text):
            print(json.dumps({"started": text}), flush=True)
            null = os.open("/dev/null", os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            wait(lab, congestion, duration_s)
    finally:
        congestion.stop()


if __name__ == "__main__":
    main()
