"""Ctrl-C and SIGTERM while the program's traffic is stuck: everything ends all the same, and soon."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from managed_runs import REROUTED, Command, cluster_file, nothing_left, run, talking, traffic

from fairlead import lab as labs

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.skipif(os.geteuid() != 0, reason="packets are dropped in the hosts as root"),
]
LIMIT_S = 5.0  # from the signal to the end of program and supervisor; the steps themselves take at most 4.1 s
# What a rerouted pair's packets are, and what a host's ranks and mpirun's daemon say to others.
OVERLAY = "udp dport 20000-29999"
ALL_OF_TCP = "meta l4proto tcp"
EVERYTHING = "meta l4proto { tcp, udp }"


@contextmanager
def dropped(lab: labs.Lab, host: str, what: str) -> Iterator[None]:
    """For the length of a block, a host neither takes nor passes on such packets from others."""
    rules = "add table inet stuck\nadd chain inet stuck incoming { type filter hook prerouting priority -300; }\n"
    nft(lab, host, rules + f"add rule inet stuck incoming iifname != lo {what} drop\n")
    try:
        yield
    finally:
        nft(lab, host, "delete table inet stuck\n")


def nft(lab: labs.Lab, host: str, rules: str) -> None:
    subprocess.run(lab.enter_command(host, ["nft", "-f", "-"]), input=rules, text=True, check=True)


def running_with(lab: labs.Lab, tmp_path: Path, *options: str) -> Command:
    return run(cluster_file(lab, tmp_path), *REROUTED, *options, program=traffic(60), results=tmp_path)


def in_its_messages(lab: labs.Lab) -> None:
    talking(lab)
    time.sleep(0.5)  # they are in MPI_Init, and then in their messages


def ends_within(command: Command, limit_s: float) -> int:
    begin_s = time.monotonic()
    code = command.end(30)
    took_s = time.monotonic() - begin_s
    print(f"ended {took_s:.2f} s after the signal")
    assert took_s < limit_s, f"{took_s:.1f} s\n{command.text()}"
    return code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "host", "what", "stuck_s"),
    [
        ([], "h2", OVERLAY, 0.1),  # a detour that carries nothing is given back after 0.5 s
        ([], "h1", ALL_OF_TCP, 1.0),
        ([], "h1", EVERYTHING, 2.0),  # agents do not reach each other either: the pair is back, and that does not help
        (["--plane", "relay"], "h1", ALL_OF_TCP, 1.0),
    ],
    ids=["overlay", "tcp", "everything", "relay-plane"],
)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"])
def test_a_run_whose_traffic_is_stuck_ends_step_by_step(
    lab: labs.Lab,
    tmp_path: Path,
    options: list[str],
    host: str,
    what: str,
    stuck_s: float,
    number: signal.Signals,
    code: int,
) -> None:
    with running_with(lab, tmp_path, *options) as command:
        in_its_messages(lab)
        with dropped(lab, host, what):
            time.sleep(stuck_s)
            command.process.send_signal(number)
            assert ends_within(command, LIMIT_S) == code, command.text()
            assert nothing_left(lab)
    ended, _ = command.record()
    assert (ended.status, ended.exit_code, ended.error) == ("aborted", code, f"interrupted ({number.name})")


@pytest.mark.slow
def test_a_second_ctrl_c_takes_the_grace_time_away(lab: labs.Lab, tmp_path: Path) -> None:
    with running_with(lab, tmp_path, "--grace", "60") as command:
        in_its_messages(lab)
        with dropped(lab, "h1", ALL_OF_TCP):
            command.process.send_signal(signal.SIGINT)
            time.sleep(3)
            assert command.process.poll() is None  # it has its minute
            command.process.send_signal(signal.SIGINT)
            assert ends_within(command, LIMIT_S) == 130, command.text()
            assert nothing_left(lab)
