"""MPI libraries of this host, what their own files set, and the addresses of names.

Sources: Open MPI's FAQ "Tuning the run-time characteristics of MPI TCP communications" and "Running MPI jobs" (files
and variables that set parameters, what has to be in PATH), mpicc(1) of both libraries (-show).
"""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import Any

from fairlead.cluster.doctor.probing.system import content_of, find, output_of

# Daemons that mpirun starts on other hosts, looked for in PATH of a shell that nobody types into.
DAEMONS = ("orted", "prted", "hydra_pmi_proxy")
LAUNCHERS = ("mpirun", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra")
_PREFIX = "OMPI_MCA_"
_RUN_TIME_PREFIX = "PRTE_MCA_"


def tool(name: str) -> dict[str, str] | None:
    """Path and output of --version of a program, or None where it is missing."""
    path = find(name)
    if path is None:
        return None
    return {"path": path, "real": os.path.realpath(path), "output": output_of([path, "--version"])[1]}


def tools(names: list[str]) -> dict[str, dict[str, str] | None]:
    """`tool` of each of several programs."""
    return {name: tool(name) for name in names}


def family_of_flags(text: str) -> str | None:
    """Which MPI a compiler wrapper links, from ``mpicc -show``: ``openmpi``, ``mpich``, or None: it does not say."""
    if re.search(r"\bopen-?mpi\b|/ompi\b", text, re.IGNORECASE):
        return "openmpi"
    return "mpich" if re.search(r"-lmpich\b|\bmpich\b|\bimpi\b|/intel/.*mpi", text, re.IGNORECASE) else None


def compiler() -> dict[str, str | None] | None:
    """The compiler wrapper in PATH and the MPI that it links, or None where there is none."""
    path = find("mpicc")
    if path is None:
        return None
    code, text = output_of([path, "-show"])
    family = family_of_flags(text) if code == 0 else None
    return {"path": path, "family": family or family_of_flags(os.path.realpath(path))}


def parse_parameters(text: str) -> dict[str, str]:
    """Settings of a parameter file of Open MPI's: lines ``name = value``; the last one counts."""
    found = {}
    for line in text.splitlines():
        name, equals, value = line.partition("#")[0].partition("=")
        if equals and name.strip():
            found[name.strip()] = value.strip()
    return found


def parameters(mpirun: str | None) -> list[dict[str, str]]:
    """Parameters of Open MPI's that files or the environment set: name, value, and where; what counts comes last."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (Path.home() raises where there is none)
    files = [Path("/etc/openmpi/openmpi-mca-params.conf"), home / ".openmpi/mca-params.conf"]
    if mpirun:
        files.insert(0, Path(mpirun).resolve().parent.parent / "etc/openmpi-mca-params.conf")
    found = []
    for path in files:
        for name, value in parse_parameters(content_of(path) or "").items():
            found.append({"name": name, "value": value, "where": str(path)})
    for variable, value in sorted(os.environ.items()):
        for prefix in (_PREFIX, _RUN_TIME_PREFIX):
            if variable.startswith(prefix):
                found.append({"name": variable[len(prefix) :], "value": value, "where": variable})
    return found


def addresses_of_own_name(family: int) -> list[str]:
    """Addresses that this host finds for its own name; empty where it finds none."""
    try:
        return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, family)})
    except OSError:
        return []


def mpi(mpirun: str, family: int = socket.AF_INET) -> dict[str, Any]:
    """Everything about MPI but mpirun's own version."""
    path = find(mpirun)
    return {
        "compiler": compiler(),
        "daemons": [name for name in DAEMONS if find(name)],
        "launchers": tools([name for name in LAUNCHERS if name != mpirun]),
        "parameters": parameters(path),
        "own_name": addresses_of_own_name(family),
    }
