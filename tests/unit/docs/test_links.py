"""Links of the documentation lead somewhere, and every page that the tree names exists."""

from pathlib import Path

import pytest
from scripts import links

GONE, OTHER = "docs/" + "gone.md", "docs/" + "other.md"


def test_the_tree_has_no_broken_link(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(links.documents()) > 90
    assert links.main() == 0, capsys.readouterr().out


def test_what_is_broken_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.md").write_text("# Other\n\n## A `key`, two\n\n## Same\n\n## Same\n")
    page = tmp_path / "page.md"
    page.write_text(
        f"[good]({OTHER}#a-key-two) [second]({OTHER}#same-1) [web](https://example.org/x)\n"
        f"[file]({GONE}) `[code](gone.md)`\n"
        f"[anchor]({OTHER}#gone)\n"
        "```\n[block](gone.md)\n```\n"
        "[here](#gone) and [a text\nof two lines](gone.md)\n"
    )
    assert list(links.broken_links(page)) == [
        f"page.md:2: {GONE}: there is no such file",
        f"page.md:3: {OTHER}#gone: there is no such heading",
        "page.md:7: #gone: there is no such heading",
        "page.md:8: gone.md: there is no such file",
    ]
    source = tmp_path / "source.py"
    source.write_text(f"See {OTHER}\n\nand {GONE}.\n")
    assert list(links.broken_mentions(source)) == [f"source.py:3: {GONE}: there is no such page"]


def test_paths_of_the_tree_that_are_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "ROOT", tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "there.py").touch()
    source = tmp_path / "source.cpp"
    source.write_text("`src/" + "there.py` in `src`, as `src/NAME.py`\n" + "see `src/" + "gone.py`\n")
    assert list(links.broken_mentions(source)) == ["source.cpp:2: src/gone.py: there is no such file or folder"]
    page = tmp_path / "page.md"
    page.write_text("`there.py` has two, `there/there.py` has none\n\n`NAME.py`, `here.py`\n")
    assert list(links.broken_names(page, ["src/there.py", "src/elsewhere.py"])) == [
        "page.md:1: there/there.py: there is no such file",
        "page.md:3: here.py: there is no such file",
    ]
