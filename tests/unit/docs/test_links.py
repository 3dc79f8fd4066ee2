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
