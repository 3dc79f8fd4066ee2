"""What a person is told to do where ssh does not get to a host, by what ssh says."""

import pytest

from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.execute import check_reached, no_way_to
from fairlead.errors import HostError

CLUSTER = Cluster("c", "ssh", (Host("h1", "10.0.0.1", reach="node1"),), ssh=Ssh(user="ann", port=2222))
CONNECT = "ssh: connect to host node1 port 2222"
DENIED = "ann@node1: Permission denied (publickey,password)."
CHANGED = """\
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
Host key for [node1]:2222 has changed and you have requested strict checking.
Host key verification failed.
"""


def told(said: str) -> HostError:
    with pytest.raises(HostError) as raised:
        check_reached(executor_of(CLUSTER), "h1", 255, said.replace("\n", "\r\n").encode())
    return raised.value


@pytest.mark.parametrize(
    ("said", "way_out"),
    [
        ("Host key verification failed.", "Log in once by hand with `ssh -p 2222 -- ann@node1 true`, compare the key"),
        (CHANGED, "remove its old key with `ssh-keygen -R '[node1]:2222'`, then log in once by hand with `ssh -p 2222"),
        (DENIED, "If your name there is another: `user` of [ssh], or user@host as `reach`"),
        (DENIED, "`ssh-copy-id -p 2222 ann@node1` installs your key there"),
        (
            "ssh: Could not resolve hostname node1: Name or service not known",
            "This machine knows no host of that name: give another name or its address as `reach`",
        ),
        (f"{CONNECT}: Connection refused", "No ssh server listens on that port"),
        (f"{CONNECT}: Connection timed out", "The host is down, or a firewall is between"),
        (f"{CONNECT}: No route to host", 'options = ["ProxyJump=THAT_HOST"] in [ssh]'),
    ],
)
def test_each_reason_has_its_way_out_beside_the_command_to_try(said: str, way_out: str) -> None:
    error = told(said)
    assert error.message.startswith("h1: ssh could not reach the host: ")
    assert error.hint.startswith(executor_of(CLUSTER).look("h1") + ". ")
    assert way_out in error.hint
    assert "\n" not in error.hint


def test_the_command_for_the_key_lets_ssh_ask() -> None:
    by_hand = told("Host key verification failed.").hint.partition("by hand with ")[2]
    assert "BatchMode" not in by_hand


def test_of_what_is_not_known_the_command_to_try_is_told() -> None:
    said = "kex_exchange_identification: read: Connection reset by peer"
    assert told(said).hint == executor_of(CLUSTER).look("h1")


def test_a_machine_without_ssh_is_told_what_to_install() -> None:
    error = no_way_to("h1", "ssh")
    assert error.message == "ssh is not on this machine, so h1 cannot be reached"
    assert "apt install openssh-client" in error.hint
