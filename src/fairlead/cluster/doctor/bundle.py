"""The probe as one text: a host has no fairlead, so what the probe imports comes with it."""

from functools import cache
from pathlib import Path

from fairlead.cluster.doctor import probing

_HERE = Path(__file__).parent
# In the order in which they need each other.
MODULES = ("system", "links", "firewalls", "storage", "kernel", "libraries", "programs", "paths")
LEAST_PYTHON = (3, 7)

# Modules are made by hand under their own names; what looks for one of them finds it in sys.modules.
_LOADER = """
import sys
import types
package = types.ModuleType({package!r})
sys.modules[{package!r}] = package
for name, source in {modules!r}:
    module = types.ModuleType(name)
    sys.modules[name] = module
    setattr(package, name.rpartition(".")[2], module)
    exec(compile(source, name, "exec"), module.__dict__)
exec(compile({main!r}, "fairlead-probe", "exec"), {{"__name__": "__main__"}})
"""


@cache
def script() -> bytes:
    """Python source that is the whole probe."""
    package = probing.__name__
    modules = [(f"{package}.{name}", (_HERE / "probing" / f"{name}.py").read_text()) for name in MODULES]
    main = (_HERE / "probe.py").read_text()
    return _LOADER.format(package=package, modules=modules, main=main).encode()
