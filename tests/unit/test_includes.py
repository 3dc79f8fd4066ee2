"""Folders of `native` include each other in one direction only: what is below does not know what is built on it."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

NATIVE = Path(__file__).parents[2] / "native"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SUFFIXES = {".cpp", ".hpp", ".h", ".inc", ".S"}
ABOVE_ALL = {"tests", "fuzz"}  # they may include anything, and nothing else includes them
Graph = dict[str, set[str]]


def sources(native: Path) -> dict[PurePosixPath, str]:
    """Text of each file, by its path below `native`."""
    files = (path for path in sorted(native.rglob("*")) if path.suffix in SUFFIXES)
    return {PurePosixPath(path.relative_to(native).as_posix()): path.read_text(encoding="utf-8") for path in files}


def included(path: PurePosixPath, text: str, files: dict[PurePosixPath, str]) -> Iterator[PurePosixPath]:
    """The files that one includes: found beside it, else in its part (`native/PART`), else in another.

    Of several with that name in a part, which is for the build to choose (`abi.hpp`), each.
    """
    parts = sorted({each.parts[0] for each in files}, key=lambda part: (part != path.parts[0], part))
    folders = [path.parent, *(PurePosixPath(part, folder) for part in parts for folder in ("", "src", "include"))]
    for name in INCLUDE.findall(text):
        found = next((folder / name for folder in folders if folder / name in files), None)
        chosen = [found] if found else [each for each in files if each.parts[0] == path.parts[0] and each.match(name)]
        assert chosen, f"{path} includes {name}: nobody knows where that is"
        yield from chosen


@cache
def includes(native: Path) -> list[tuple[PurePosixPath, PurePosixPath]]:
    """Who includes whom."""
    files = sources(native)
    return [(path, other) for path, text in files.items() for other in included(path, text, files)]


def within(folder: PurePosixPath, pairs: list[tuple[PurePosixPath, PurePosixPath]]) -> Graph:
    """By folder (`NAME/`) in this one, or file that is in none (without its suffix), the others that it includes."""

    def room(path: PurePosixPath) -> str:
        first, *rest = path.relative_to(folder).parts
        return f"{first}/" if rest else PurePosixPath(first).stem

    graph: Graph = {}
    for path, other in pairs:
        if path.is_relative_to(folder) and other.is_relative_to(folder):
            graph.setdefault(room(path), set()).add(room(other))
    return graph


def circles(graph: Graph) -> set[str]:
    """The folders that include themselves by way of another one or of a file."""

    def reached(name: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(graph.get(name, set()) - {name})
        while waiting:
            if (one := waiting.pop()) not in seen:
                seen.add(one)
                waiting += graph.get(one, set())
        return seen

    return {name for name in graph if name.endswith("/") and name in reached(name)}


def all_circles(native: Path) -> dict[str, set[str]]:
    """By folder in which there is one, the folders on it."""
    pairs = [pair for pair in includes(native) if not ABOVE_ALL & {*pair[0].parts}]
    folders = {folder for path, _ in pairs for folder in path.parents}
    found = {str(folder): circles(within(folder, pairs)) for folder in folders}
    return {folder: on_it for folder, on_it in sorted(found.items()) if on_it}


def test_there_is_no_circle_between_folders() -> None:
    assert all_circles(NATIVE) == {}


def test_only_tests_include_what_is_for_tests() -> None:
    pairs = includes(NATIVE)
    assert [pair for pair in pairs if ABOVE_ALL & {*pair[1].parts} and not ABOVE_ALL & {*pair[0].parts}] == []


def test_includes_are_found_as_the_build_finds_them() -> None:
    pairs = includes(NATIVE)
    parts, rooms = within(PurePosixPath(), pairs), within(PurePosixPath("interpose"), pairs)
    assert {"core/", "relay/", "interpose/", "guardian/"} <= parts["agent/"]  # by include/fairlead/..., and by target
    assert {"relay/", "mpi/", "record/", "generated/"} <= rooms["wrap/"]
    assert rooms["mpi/"] == {"mpi/", "record/", "abi/"}
    assert PurePosixPath("interpose/abi/mpich/abi.hpp") in {other for _, other in pairs}  # one of three


@pytest.mark.parametrize(
    ("added", "on_it"),
    [
        ({"part/low/b.hpp": '#include "high/a.hpp"'}, {"part": {"high/", "low/"}}),
        ({"part/low/b.hpp": '#include "top.hpp"'}, {"part": {"high/", "low/"}}),  # by top.cpp
        ({"other/c.hpp": '#  include "high/a.hpp"'}, {".": {"part/", "other/"}}),
        ({"part/low/deep/d.hpp": '#include "low/b.hpp"', "part/low/b.hpp": '#include "deep/d.hpp"'},
         {"part/low": {"deep/"}}),
        ({"part/tests/e.hpp": '#include "high/a.hpp"', "other/tests/f.cpp": '#include "top.hpp"'}, {}),
    ],
)  # fmt: skip
def test_a_circle_would_be_found(tmp_path: Path, added: dict[str, str], on_it: dict[str, set[str]]) -> None:
    files = {
        "part/top.hpp": "", "part/top.cpp": '#include "high/a.hpp"', "part/high/a.hpp": '#include "low/b.hpp"',
        "part/high/a.cpp": '#include <vector>\n#include "fairlead/c.hpp"\n', "part/low/b.hpp": "",
        "other/include/fairlead/c.hpp": "", "other/c.hpp": "",
    }  # fmt: skip
    for name, text in (files | added).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert all_circles(tmp_path) == on_it
