"""A program that speaks the agents' protocol and does what its first argument says. Used by test_agents.py.

Arguments: mode, pid file. Modes: good; mortal (good the first time, later ends before ready until cured);
busy (the first port asked for in the file is taken), mute (never ready),
deaf (does not even read what it is to do), heir (leaves a process that holds its standard error open),
crash (ends before ready), talkative (likewise, after a long line on its standard error), garbage (answers no JSON),
stubborn (ignores stop and end of input).
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def answer(message: dict[str, object], mode: str) -> None:
    identity = message.get("id")
    match message["type"]:
        case "echo":
            say(type="echo", id=identity, value=message["value"])
        case "refuse":
            say(type="failed", id=identity, reason="no such peer")
        case "die":
            print("last words", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        case "event":
            say(
                **{"from": "low"},
                type="level_changed",
                source=1,
                destination=0,
                congestion_level="high",
                queue_delay_s=0.1,
                t_s=time.time(),
            )
            say(type="done", id=identity)
        case "stop" if mode != "stubborn":
            say(type="stopped")
            sys.exit(0)


def main() -> None:
    mode, pid_file = sys.argv[1], Path(sys.argv[2])
    if mode == "deaf":
        time.sleep(60)
    config = json.loads(sys.stdin.readline())
    if mode == "heir":
        heir = subprocess.Popen(["sleep", "20"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        Path(f"{pid_file}.heir").write_text(str(heir.pid))
    if mode == "crash" or (mode == "mortal" and pid_file.exists() and not Path(f"{pid_file}.cured").exists()):
        print("cannot open the device", file=sys.stderr)
        sys.exit(3)
    if mode == "talkative":
        print(200_000 * "x" + "\ncannot open the device", file=sys.stderr, flush=True)
        sys.exit(3)
    if mode == "busy":
        first = Path(f"{pid_file}.port")
        port = str(config["hosts"][config["self"]]["port"])
        if not first.exists():
            first.write_text(port)
        if first.read_text() == port:
            say(type="error", reason=f"bind to port {port}: Address already in use")
            sys.exit(1)
    if mode == "mute":
        print("waiting for nothing", file=sys.stderr, flush=True)
        time.sleep(60)
    pid_file.write_text(f"{os.getpid()}\n{json.dumps(config)}\n{' '.join(sys.argv)}\n{dict(os.environ)}")
    plane = {"interface": "eth0", "plane": "none", "plane_reason": "fake", "low_port": None}
    say(type="ready", pid=os.getpid(), version="0", scheduling="normal", **plane)
    if mode == "garbage":
        print("segmentation soup", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "lease":
            with Path(f"{pid_file}.leases").open("a") as file:
                file.write(f"{time.monotonic()}\n")
        else:
            answer(message, mode)
    if mode == "stubborn":
        time.sleep(60)


main()
