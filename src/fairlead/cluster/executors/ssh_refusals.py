"""What helps where ssh does not get to a host, by what it says. fairlead's own ssh never asks, so it accepts no key."""

import shlex
from collections.abc import Sequence


def way_out(said: str, destination: str, options: Sequence[str], port: int | None) -> str:
    """For a person, a sentence or more; empty where nothing in particular is known.

    Args:
        said: ssh's stderr.
        destination: as ssh was called with it.
        options: of the cluster for ssh, without those by which it asks nothing.
        port: that is among them; None: the usual one.
    """
    name = destination.rpartition("@")[2]
    commands = {
        "log_in": ["ssh", *options, "--", destination, "true"],
        "forget": ["ssh-keygen", "-R", f"[{name}]:{port}" if port else name],
        "copy_key": ["ssh-copy-id", *(["-p", str(port)] if port else []), destination],
    }
    for signs, words in _WAYS_OUT.items():
        if any(sign in said for sign in signs):
            return words.format(**{kind: shlex.join(command) for kind, command in commands.items()})
    return ""


# The first that fits counts: for a changed key ssh says both.
_WAYS_OUT: dict[tuple[str, ...], str] = {
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "has changed and you have requested strict checking"): (
        "If the host was installed anew: remove its old key with `{forget}`, then log in once by hand with "
        "`{log_in}` and accept the new one"
    ),
    ("Host key verification failed", "host key is known for"): (
        "Log in once by hand with `{log_in}`, compare the key that it shows with the host's, and accept it"
    ),
    ("Permission denied", "Too many authentication failures"): (
        "If your name there is another: `user` of [ssh], or user@host as `reach`. If it is right: "
        "`{copy_key}` installs your key there, and `identity` of [ssh] names one that is not ssh's default"
    ),
    ("Could not resolve hostname",): (
        "This machine knows no host of that name: give another name or its address as `reach`, or an ssh `config` that "
        "has the name"
    ),
    ("Connection refused",): (
        "No ssh server listens on that port: start it there (`systemctl start ssh`, or sshd), or name its `port` in "
        "[ssh]"
    ),
    ("timed out", "No route to host", "Network is unreachable"): (
        "The host is down, or a firewall is between. Where it is reached through another host only: "
        'options = ["ProxyJump=THAT_HOST"] in [ssh]'
    ),
}
