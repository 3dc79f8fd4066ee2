"""MPI launchers: each turns a job into the command line of one kind of mpirun. One small class a kind."""

from fairlead.cluster.launchers import custom, intelmpi, mpich, openmpi
from fairlead.cluster.launchers.base import Launcher, get, names, register
from fairlead.cluster.launchers.detect import Mpi, ask, detect, parse_version

__all__ = [
    "Launcher",
    "Mpi",
    "ask",
    "custom",
    "detect",
    "get",
    "intelmpi",
    "mpich",
    "names",
    "openmpi",
    "parse_version",
    "register",
]
