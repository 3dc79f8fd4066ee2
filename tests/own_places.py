"""Places for what tests with other machines run and cache, which nobody else sees."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def own_places(kind: str, runtime: Path) -> Iterator[None]:
    """Runs are registered in ``runtime``; the cache's path is short enough for ssh's sockets, which are closed."""
    cache = Path(f"/tmp/fl-{kind}-{os.getpid()}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(runtime))
        patch.setenv("XDG_CACHE_HOME", str(cache))
        yield
    for path in (cache / "fairlead" / "ssh").glob("*"):
        closing = ["ssh", "-F", "/dev/null", "-o", f"ControlPath={path}", "-O", "exit", "x"]
        subprocess.run(closing, capture_output=True, check=False)
    shutil.rmtree(cache, ignore_errors=True)
