"""Delays on links: what their scripts make and undo by ip and tc, which are imitated here."""

import os
import subprocess
from pathlib import Path

import pytest

from fairlead.lab.congestion import delay

FAKE = """#!/bin/sh
echo "${0##*/} $*" >> "$STATE/log"
case "${0##*/} $*" in
"ip link show dev "*) [ -e "$STATE/$4" ] ;;
"ip tuntap add dev "*) [ ! -e "$STATE/$4" ] && : > "$STATE/$4" ;;
"ip link del "*) rm "$STATE/$3" ;;
"tc qdisc show dev "*) [ ! -e "$STATE/netem" ] || echo "qdisc netem 10: parent 1:1 limit 100 delay 5ms" ;;
*" netem "*) : > "$STATE/netem" ;;
*" bfifo "*) rm "$STATE/netem" ;;
esac
"""
TAP = "d-leaf1"
FORWARDER = ["sh", "-c", delay._FORWARDER, "delay", TAP, "leaf1", "5000", "26220", "0", "true"]
NETEM = ["sh", "-c", delay._NETEM.replace("sleep infinity", "true"), "delay", "leaf1", "5000", "100", "131072"]


@pytest.fixture
def fakes(tmp_path: Path) -> dict[str, str]:
    """The environment in which ip and tc are imitated; what they make are files in $STATE."""
    for name in ("ip", "tc"):
        (tmp_path / name).write_text(FAKE)
        (tmp_path / name).chmod(0o755)
    return {"PATH": f"{tmp_path}:{os.environ['PATH']}", "STATE": str(tmp_path)}


@pytest.mark.parametrize(("script", "made"), [(FORWARDER, TAP), (NETEM, "netem")])
def test_a_second_delay_is_refused_and_the_first_stays(script: list[str], made: str, fakes: dict[str, str]) -> None:
    state = Path(fakes["STATE"])
    (state / made).touch()
    done = subprocess.run(script, env=fakes, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "leaf1 is delayed already: a link has one delay at a time\n"
    assert (state / made).exists(), "the first one's"
    assert all(" show " in line for line in (state / "log").read_text().splitlines()), "nothing was made or undone"


@pytest.mark.parametrize(("script", "made"), [(FORWARDER, TAP), (NETEM, "netem")])
def test_a_delay_undoes_what_it_made(script: list[str], made: str, fakes: dict[str, str]) -> None:
    state = Path(fakes["STATE"])
    done = subprocess.run(script, env=fakes, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "delayed\n", "")
    assert not (state / made).exists()
