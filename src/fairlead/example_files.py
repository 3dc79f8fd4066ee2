"""The examples that come with fairlead: labs, plans, price books and scenarios of the source tree's examples folder."""

import difflib
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


def similar(name: str) -> str | None:
    """The example, by its path in the source tree, whose path or file name is nearly this; None: there is none."""
    paths = sorted(path.relative_to(DIRECTORY) for path in DIRECTORY.rglob("*") if path.is_file())
    names = {key: f"{FOLDER}/{path}" for path in reversed(paths) for key in (str(path.with_suffix("")), path.stem)}
    wanted = Path(name).with_suffix("") if name.endswith(".toml") else Path(name)
    wanted = Path(*wanted.parts[1:]) if wanted.parts[:1] == (FOLDER,) else wanted
    near = difflib.get_close_matches(str(wanted), names, n=1, cutoff=0.8)
    return names[near[0]] if near else None
