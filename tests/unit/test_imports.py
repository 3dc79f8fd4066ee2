"""Packages import each other in one direction only: what is below does not know what is built on it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import fairlead

ROOT = Path(fairlead.__file__).parent


def imported(path: Path) -> Iterator[str]:
    """Modules of fairlead that a file imports, at its top or later; those for types alone, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def packages() -> dict[str, set[str]]:
    """By package, the others that it imports."""
    names = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    found: dict[str, set[str]] = {name: set() for name in names}
    for name in names:
        for path in (ROOT / name).rglob("*.py"):
            words = [module.split(".") for module in imported(path) if module.startswith("fairlead.")]
            found[name] |= {word[1] for word in words if word[1] in names} - {name}
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """What is left when all that imports nothing that is left is taken away, again and again."""
    left = dict(graph)
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def test_there_is_no_circle_between_packages() -> None:
    graph = packages()
    assert {"cluster", "errors", "report"} - graph.keys() == {"errors"}
    assert "cluster" in graph["cli"]
    assert circle(graph) == []


def test_a_circle_would_be_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
