"""Where an installed guardian is, and the command line by which a host finds it."""

PROGRAM = "fairlead-guardian"
GROUP = "fairlead"
"""Its members may execute the installed guardian."""
INSTALLED = f"/usr/local/bin/{PROGRAM}"
"""Where `fairlead guardian install` puts it. Administrators who followed earlier instructions have it there, too."""
PACKAGED = f"/usr/bin/{PROGRAM}"
"""Where a distribution's package has it."""
PLACES = (INSTALLED, PACKAGED)

# Root has every privilege without it, and a copy that is surely of this version. So has a lab's root.
_LEAD = (
    '[ "$(id -u)" = 0 ] || '
    f'for place in {" ".join(PLACES)}; do [ ! -x "$place" ] || exec "$place" "$@"; done; exec "$0" "$@"'
)


def installed_or(own: str) -> tuple[str, ...]:
    """A command line that becomes, on any host, the guardian installed there, or ``own`` where the user may run none.

    It is the host that looks, when the guardian is started: that costs no question before a run, and hosts may differ.
    """
    return ("sh", "-c", _LEAD, own)
