"""The examples that come with fairlead: labs, plans, price books and scenarios of the source tree's examples folder."""

from pathlib import Path

FOLDER = "examples"
DIRECTORY = Path(__file__).with_name(FOLDER)
"""In the source tree a link to the folder, in the wheel its files."""


def find(name: str) -> Path | None:
    """An example by its path in the source tree, or by that without ``examples/`` or ``.toml``; None: there is none.

    For example ``examples/evaluate/small.toml``, ``evaluate/small`` or ``mesh8``.
    """
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return None
    inside = DIRECTORY.joinpath(*(parts[1:] if parts[0] == FOLDER else parts))
    return next((path for path in (inside, inside.with_name(f"{inside.name}.toml")) if path.is_file()), None)
