"""For the tests of the wheel: it is installed in a bare Debian tree, by an ordinary user and without a network."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bare_tree import Tree

sys.path.insert(0, str(Path(__file__).parent))
BUILD = Path(__file__).parents[2] / "build"


@pytest.fixture(scope="session")
def wheel() -> Path:
    found = sorted((BUILD / "dist").glob("fairlead-*_x86_64.whl"))
    if not found:
        pytest.skip("there is no wheel: `make wheel` builds it")
    return found[0]


SUITES = os.environ.get("FAIRLEAD_WHEEL_SUITES", "bookworm").split()


@pytest.fixture(scope="session", params=SUITES)
def tree(request: pytest.FixtureRequest, wheel: Path) -> Iterator["Tree"]:
    """With the wheel in a virtual environment of the user's, and nothing else of this project."""
    with _installed(wheel, request.param, BUILD / "trees" / request.param) as tree:
        yield tree


@pytest.fixture(scope="session", params=SUITES)
def slurm_tree(request: pytest.FixtureRequest, wheel: Path) -> Iterator["Tree"]:
    """The same where Slurm is installed, too."""
    with _installed(wheel, request.param, BUILD / "trees" / f"{request.param}-slurm") as tree:
        yield tree


@contextmanager
def _installed(wheel: Path, suite: str, root: Path) -> Iterator["Tree"]:
    import bare_tree

    if not root.is_dir():
        pytest.skip(f"there is no {root}: `make test-wheel` makes it")
    with bare_tree.running(root) as tree:
        shutil.rmtree(tree.home)
        packages = tree.home / "packages"
        shutil.copytree(BUILD / "wheelhouse" / suite, packages)
        shutil.copy(wheel, packages)
        for path in [tree.home, *tree.home.rglob("*")]:
            os.chown(path, bare_tree.USER, bare_tree.USER)
        tree.output("python3", "-m", "venv", "venv")
        tree.output("pip", "install", "--quiet", "--no-index", "--find-links", "packages", "fairlead[demo]")
        yield tree
