"""Registries; and one more launcher, executor, check, ... is the new files alone that CONTRIBUTING names."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import fairlead
from fairlead.errors import ConfigError
from fairlead.registry import Registry

from .added_kinds import KINDS

PACKAGE = "fairlead.statistics"  # any that registers nothing


def test_a_registry_refuses_a_name_that_is_taken() -> None:
    colours: Registry[str] = Registry("colour", PACKAGE)
    assert colours.register("red")("#f00") == "#f00"
    with pytest.raises(ValueError, match="colour 'red' is registered twice: '#f00' and '#e00'"):
        colours.register("red")("#e00")


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    colours: Registry[str] = Registry("colour", PACKAGE)
    colours.register("red")("#f00")
    colours.register("blue")("#00f")
    assert colours.get("red") == "#f00"
    assert "green" not in colours
    with pytest.raises(ConfigError, match=r"^paint\.toml: colour 'green' is unknown") as caught:
        colours.get("green", where="paint.toml: ")
    assert caught.value.hint == "use one of blue, red"


def test_the_order_is_by_name_unless_another_is_given() -> None:
    by_name: Registry[int] = Registry("number", PACKAGE)
    by_value: Registry[int] = Registry("number", PACKAGE, order=lambda _, value: value)
    for registry in (by_name, by_value):
        for name, value in (("one", 1), ("two", 2), ("three", 3)):
            registry.register(name)(value)
    assert (by_name.names(), list(by_name)) == (("one", "three", "two"), [1, 3, 2])
    assert by_value.names() == ("one", "two", "three")


@pytest.mark.parametrize("kind", KINDS)
def test_one_more_of_a_kind_is_new_files_alone(kind: str, tmp_path: Path) -> None:
    package = tmp_path / "fairlead"
    shutil.copytree(Path(fairlead.__file__).parent, package, ignore=shutil.ignore_patterns("_native"))
    KINDS[kind].write(package)
    # Without site, what an editable installation does to imports is not there; its packages are.
    path = os.pathsep.join([str(tmp_path), sysconfig.get_paths()["purelib"]])
    code = f"import fairlead; assert fairlead.__file__.startswith({str(tmp_path)!r})\n{KINDS[kind].there}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
