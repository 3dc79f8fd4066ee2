"""The home directory, also of a user without an account."""

from pathlib import Path

import pytest

from fairlead import home
from fairlead.cluster.cache import local_cache
from fairlead.errors import FairleadError
from fairlead.programs.workloads import registry_file


def test_directories_are_where_the_specification_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/alice")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert local_cache() == Path("/home/alice/.cache/fairlead")
    assert registry_file() == Path("/home/alice/.local/share/fairlead/workloads.json")
    monkeypatch.setenv("XDG_CACHE_HOME", "~/cache")
    assert local_cache() == Path("/home/alice/cache/fairlead")


def test_no_home_is_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)
    with pytest.raises(FairleadError, match=r"~/\.ssh/id: no home directory is known\n  set HOME"):
        home.expand(Path("~/.ssh/id"))
