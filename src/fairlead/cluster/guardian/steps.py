"""What root does on a host to install the guardian and to remove it: shell commands that a person can read, and run."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from fairlead import __version__
from fairlead.cluster.guardian.places import GROUP, INSTALLED, PACKAGED, PROGRAM
from fairlead.cluster.guardian.state import CAPABILITY, Guardian, HostState

MODE = "754"
"""Everybody may read it: it holds nothing secret, and a copy has no capability."""
OWNED = f"{MODE} root {GROUP}"
_PATH = "PATH=/usr/sbin:/usr/bin:/sbin:/bin; export PATH"
_NEW = f"{INSTALLED.rpartition('/')[0]}/.{PROGRAM}.new"
_TRIAL = f"setpriv --reuid=65534 --regid={GROUP} --clear-groups {_NEW} --check"


@dataclass(frozen=True)
class RootCommand:
    """A command of root's.

    Attributes:
        command: for a shell.
        undo: takes it back, whether it was done or not; empty: nothing to take back.
    """

    command: str
    undo: str = ""


# The new guardian takes the place of an old one once it has shown that its capability counts there: the mount may be
# nosuid, or the host a container without it. As nobody, since root has the privilege anyway.
_COPY = (
    RootCommand(f"cat >{_NEW}", f"rm -f {_NEW}"),
    RootCommand(f"chown root:{GROUP} {_NEW}"),
    RootCommand(f"chmod {MODE} {_NEW}"),
    RootCommand(f"setcap {CAPABILITY}+ep {_NEW}"),
    RootCommand(f"{_TRIAL} | grep -q '{CAPABILITY}.,.ok.:true'"),
    RootCommand(f"mv {_NEW} {INSTALLED}"),
)


def installation(state: HostState, users: Sequence[str], sha256: str) -> list[RootCommand]:
    """What is missing for these users to reroute traffic on a host; empty: nothing.

    Args:
        sha256: of the guardian to be installed, which comes by standard input.
    """
    steps = []
    if state.members is None:
        steps.append(RootCommand(f"groupadd --system {GROUP}", f"groupdel {GROUP}"))
    for user in users:
        if user not in (state.members or ()):
            words = shlex.quote(user), GROUP
            steps.append(RootCommand(f"gpasswd --add {' '.join(words)}", f"gpasswd --delete {' '.join(words)}"))
    if not any(_serves(each, sha256) for each in state.guardians[:1]):
        steps += _COPY
    return steps


def removal(state: HostState) -> list[RootCommand]:
    """What takes an installation back; a package's guardian stays, and with it the group."""
    steps = []
    if state.members is not None and not state.at(PACKAGED) and not state.primary:
        steps.append(RootCommand(f"groupdel {GROUP}"))
    if state.at(INSTALLED):
        steps.append(RootCommand(f"rm -f {INSTALLED} {_NEW}"))
    return steps


def script(steps: Sequence[RootCommand]) -> str:
    """A shell script that does all the steps, or none: it says which one failed, and takes back those before it."""
    lines = ['fail() { echo "this failed, and nothing was changed: $1" >&2; eval "$2"; exit 1; }', _PATH]
    undo: list[str] = []
    for step in steps:
        if step.undo:
            undo.insert(0, step.undo)
        back = f"{{ {'; '.join(undo)}; }} >/dev/null 2>&1" if undo else ":"
        lines.append(f"{step.command} || fail {shlex.quote(step.command)} {shlex.quote(back)}")
    return "\n".join(lines)


def line(steps: Sequence[RootCommand], standard_input: str) -> str:
    """The same as one line that an administrator can run in a shell of root's."""
    return f"{{ {' && '.join(step.command for step in steps)}; }} <{shlex.quote(standard_input)}"


def _serves(guardian: Guardian, sha256: str) -> bool:
    """Whether the guardian that runs find first is as it should be. The package's may be built otherwise than ours."""
    same = guardian.version == __version__ if guardian.place == PACKAGED else guardian.sha256 == sha256
    return same and guardian.capable and guardian.mode == OWNED
