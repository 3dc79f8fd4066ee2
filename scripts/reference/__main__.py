"""Writes the pages, and removes those of commands and files that are gone."""

from pathlib import Path

from scripts.reference import benchmarks, commands, files, protocol

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = (commands.FOLDER, files.FOLDER)


def pages() -> dict[str, str]:
    """Every generated page, by its path below docs."""
    texts = {name: (DOCS / name).read_text(encoding="utf-8") for name in (benchmarks.PAGE, protocol.PAGE)}
    return {
        **commands.pages(),
        **files.pages(),
        benchmarks.PAGE: benchmarks.written(texts[benchmarks.PAGE]),
        **protocol.pages(texts[protocol.PAGE]),
    }


def stale() -> list[str]:
    """Pages that are not as they would be written, by their paths below docs; those to be removed among them."""
    current = pages()
    there = {str(path.relative_to(DOCS)): path for folder in FOLDERS for path in (DOCS / folder).glob("*.md")}
    there |= {
        name: DOCS / name for name in (benchmarks.PAGE, protocol.PAGE, protocol.SETTINGS) if (DOCS / name).exists()
    }
    texts = {name: path.read_text(encoding="utf-8") for name, path in there.items()}
    return sorted(name for name in current.keys() | texts if current.get(name) != texts.get(name))


def write() -> None:
    """Bring all of them up to date."""
    current = pages()
    for name in stale():
        path = DOCS / name
        if name in current:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(current[name], encoding="utf-8")
        else:
            path.unlink()


if __name__ == "__main__":
    write()
