"""For the tests of the Debian package: a tree without it, in which nothing of an earlier test is left."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bare_tree import Tree

sys.path.insert(0, str(Path(__file__).parents[1] / "wheel"))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def package() -> Path:
    found = sorted((ROOT / "build/dist").glob("fairlead_*.deb"))
    if not found:
        pytest.skip("there is no package: `make deb` builds it")
    return found[-1]


@pytest.fixture(scope="session")
def tree(package: Path) -> Iterator["Tree"]:
    """With an ordinary user, and with the package's file as /root/fairlead.deb."""
    import bare_tree

    named = os.environ.get("FAIRLEAD_DEB_TREE")
    if named is None:
        pytest.skip("`make test-deb` makes a tree and names it")
    root = ROOT / named
    shutil.rmtree(root / "home/user", ignore_errors=True)
    shutil.copy(package, root / "root/fairlead.deb")
    with bare_tree.running(root) as tree:
        tree.as_root("dpkg", "--purge", "fairlead")
        yield tree
