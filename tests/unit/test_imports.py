"""Packages import each other in one direction only: what is below does not know what is built on it."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import fairlead

ROOT = Path(fairlead.__file__).parent
FILES = {".".join(("fairlead", *path.relative_to(ROOT).with_suffix("").parts)): path for path in ROOT.rglob("*.py")}
MODULES = {name.removesuffix(".__init__"): path for name, path in FILES.items()}
Graph = dict[str, set[str]]


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The modules of fairlead that import statements among these nodes name."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def packages() -> Graph:
    """By package, the others that it imports: at the top of a file or later, those for types alone, too."""
    found: Graph = {path.parent.name: set() for path in ROOT.glob("*/__init__.py")}
    for name, others in modules().items():
        package = name.split(".")[1] if "." in name else ""
        if package in found:
            found[package] |= {f"{other}.".split(".")[1] for other in others} & found.keys() - {package}
    return found


@cache
def modules() -> Graph:
    """By module, the others that it imports, as in `packages`."""
    return {name: set(imported(ast.walk(syntax(path)))) & MODULES.keys() - {name} for name, path in MODULES.items()}


def at_once() -> Graph:
    """By module, those that are imported when it is."""
    return {name: set(imported(syntax(path).body)) & MODULES.keys() - {name} for name, path in MODULES.items()}


def rooms(package: str, graph: Graph) -> Graph:
    """By room of a package, or module that is in none, the others that it imports."""
    within = f"fairlead.{package}."
    found: Graph = {}
    for name, others in graph.items():
        if name.startswith(within):
            room, *imported = (
                each.removeprefix(within).split(".")[0] for each in (name, *others) if each.startswith(within)
            )
            found.setdefault(room, set()).update(set(imported) - {room})
    return found


def circle(graph: Graph) -> list[str]:
    """What is left when all that imports nothing that is left is taken away, again and again."""
    left = dict(graph)
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def test_there_is_no_circle_between_packages() -> None:
    graph = packages()
    assert {"cluster", "report", "benchmarks"} <= graph["cli"]
    assert circle(graph) == []


def test_there_is_no_circle_between_modules() -> None:
    graph = modules()
    assert "fairlead.cluster.launchers.base" in graph["fairlead.cluster.launchers.openmpi"]
    assert "fairlead.cluster.job" in graph["fairlead.manage.data_planes.base"]  # for types
    assert "fairlead.cluster.jobs.preload" in graph["fairlead.manage.data_planes.relay"]  # later
    assert circle(at_once()) == []
    checks, plan = "fairlead.experiment.plans.complaints", "fairlead.experiment.plans.plan"
    assert plan in graph[checks]  # a plan calls its own checks, which name it for their types: that is all there is
    assert circle({**graph, checks: graph[checks] - {plan}}) == []


@pytest.mark.parametrize("package", sorted(path.parent.name for path in ROOT.glob("*/__init__.py")))
def test_there_is_no_circle_between_rooms(package: str) -> None:
    # What registers benchmarks names for its types what is made of them.
    assert circle(rooms(package, at_once() if package == "benchmarks" else modules())) == []


def test_rooms_are_the_folders_of_a_package() -> None:
    graph = rooms("experiment", modules())
    assert graph.keys() == {"factors", "plans", "running", "comparisons", "evaluations"}
    assert graph["comparisons"] == {"factors", "plans", "running"}
    assert graph["factors"] == set()


def test_a_circle_would_be_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def test_a_run_starts_without_libraries_that_few_runs_need() -> None:
    """They would take longer to import than all the rest."""
    code = "import sys, fairlead.manage.run\nprint({'scipy', 'matplotlib', 'pyarrow'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
