"""Where published measurements are, which are not part of the repository: FAIRLEAD_PUBLISHED, or beside it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DIRECTORY = Path(os.environ.get("FAIRLEAD_PUBLISHED", ROOT.parent / "shared" / "data"))
MAPS = ROOT / "examples" / "published"

needs_published = pytest.mark.skipif(
    not (DIRECTORY / "published_claims.json").is_file(), reason=f"published measurements are not in {DIRECTORY}"
)
