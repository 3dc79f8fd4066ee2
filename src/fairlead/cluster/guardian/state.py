"""What a host has of an installed guardian, and what it would take to install one there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlead.cluster.executors.base import Executor
from fairlead.cluster.guardian.places import GROUP, INSTALLED, PLACES, PROGRAM
from fairlead.cluster.remote.execute import run_on, unexpected

CAPABILITY = "cap_net_admin"
TOOLS = ("sudo", "groupadd", "groupdel", "gpasswd", "setcap", "setpriv")
"""Programs that an installation calls."""

# Arguments: users. Prints lines "KIND REST"; those after "place" are about that one. The version is a text in the
# program, which everybody may read and few may execute.
_LOOK = rf"""
LC_ALL=C; export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
echo "uid $(id -u)"
echo "user $(id -un)"
echo "session $(id -Gn)"
for tool in {" ".join(TOOLS)}; do
  if command -v $tool >/dev/null; then echo "tool $tool"; fi
done
if [ "$1" = sudo ] && sudo -n true 2>/dev/null; then echo "sudo without a password"; fi
shift
for user; do
  if ! id -u -- "$user" >/dev/null 2>&1; then echo "stranger $user"; fi
done
if group=$(getent group {GROUP}); then
  echo "group $group"
  id=${{group#*:*:}}
  if cut -d: -f4 /etc/passwd | grep -qx "${{id%%:*}}"; then echo "primary yes"; fi
fi
echo "mount $(findmnt --noheadings --output TARGET,FSTYPE,OPTIONS --target {INSTALLED.rpartition("/")[0]} 2>/dev/null)"
for place in {" ".join(PLACES)}; do
  [ -f $place ] || continue
  echo "place $place"
  echo "mode $(stat -c '%a %U %G' $place)"
  echo "capability $(getcap $place 2>/dev/null)"
  echo "version $(grep -aoE '{PROGRAM} [0-9]+\.[0-9]+\.[0-9]+' $place 2>/dev/null | head -n 1)"
  echo "sum $(sha256sum <$place 2>/dev/null)"
  if [ -x $place ]; then echo "executable yes"; fi
done
"""


@dataclass(frozen=True)
class Guardian:
    """An installed guardian.

    Attributes:
        place: its path.
        version: empty if it is not known.
        mode: permissions, owner and group, as ``754 root fairlead``.
        capable: it has its capability.
        executable: the user who asked may execute it.
        sha256: of its content; empty if the user may not read it.
    """

    place: str
    version: str
    mode: str
    capable: bool
    executable: bool
    sha256: str


@dataclass(frozen=True)
class HostState:
    """What a host says.

    Attributes:
        uid: of the user that the host is reached as.
        user: that user's name.
        session: groups of the user's session; one that was joined later is not among them.
        tools: those of `TOOLS` that are there.
        passwordless: root is had without a question: the user is root, or sudo asks for no password.
        strangers: names that were asked for and that nobody there has.
        members: of the group; None: there is no such group.
        primary: some user's own group is this one.
        mount: mount point, type and options of the file system that an installation would be on; empty: not known.
        guardians: those that are installed, in the order in which they are looked for.
    """

    uid: int
    user: str
    session: frozenset[str]
    tools: frozenset[str]
    passwordless: bool
    strangers: tuple[str, ...]
    members: tuple[str, ...] | None
    primary: bool
    mount: str
    guardians: tuple[Guardian, ...]

    def guardian(self) -> Guardian | None:
        """The one that the user's runs find first; None: none that the user may execute."""
        return next((each for each in self.guardians if each.executable), None)

    def at(self, place: str) -> Guardian | None:
        """The one at a path."""
        return next((each for each in self.guardians if each.place == place), None)


def host_state(executor: Executor, host: str, users: Sequence[str] = (), *, sudo: bool = False) -> HostState:
    """Ask a host, as the user that it is reached as.

    Args:
        users: names to be looked up.
        sudo: try whether sudo asks for a password. Systems note that.

    Raises:
        HostError: not reached, or its shell prints something else.
    """
    said = run_on(executor, host, ["sh", "-c", _LOOK, "sh", "sudo" if sudo else "", *users])
    try:
        return parse(said)
    except (LookupError, ValueError) as error:
        raise unexpected(host, said) from error


def parse(text: str) -> HostState:
    """From what the script prints. Raises LookupError, ValueError: it has not printed this."""
    head, *places = text.split("\nplace ")
    lines = [(kind, rest) for kind, _, rest in (line.partition(" ") for line in head.splitlines())]
    one = dict(lines)
    uid = int(one["uid"])
    group = one.get("group")
    return HostState(
        uid=uid,
        user=one["user"],
        session=frozenset(one["session"].split()),
        tools=frozenset(rest for kind, rest in lines if kind == "tool"),
        passwordless=uid == 0 or "sudo" in one,
        strangers=tuple(rest for kind, rest in lines if kind == "stranger"),
        members=None if group is None else tuple(filter(None, group.split(":")[3].split(","))),
        primary="primary" in one,
        mount=one["mount"],
        guardians=tuple(_guardian(place.splitlines()) for place in places),
    )


def _guardian(lines: Sequence[str]) -> Guardian:
    place, *others = lines
    one: Mapping[str, str] = dict(line.partition(" ")[::2] for line in others)
    return Guardian(
        place=place,
        version=one["version"].partition(" ")[2],
        mode=one["mode"],
        capable=CAPABILITY in one["capability"],
        executable="executable" in one,
        sha256=one["sum"].partition(" ")[0],
    )
