"""Published measurements, which belong to their authors and are not part of the repository."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DIRECTORY = Path(os.environ.get("FAIRLEAD_PUBLISHED", ROOT.parent / "shared" / "data"))
MAPS = ROOT / "examples" / "published"
FILES = ("iccsa.csv", "iscc.csv", "iscc_intel.csv", "published_claims.json")

_missing = [name for name in FILES if not (DIRECTORY / name).is_file()]
needs_published = pytest.mark.skipif(
    bool(_missing),
    reason=f"needs published measurements, which are not in the repository: {', '.join(_missing)}. Set "
    "FAIRLEAD_PUBLISHED to a directory that has them. The invented example covers the same code",
)
