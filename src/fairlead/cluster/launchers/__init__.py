"""MPI launchers: each turns a job into the command line of one kind of mpirun. One small class a kind."""

from fairlead.cluster.launchers.base import Launcher, Mpi, get, names, register
from fairlead.cluster.launchers.detect import ask, detect, parse_version

__all__ = ["Launcher", "Mpi", "ask", "detect", "get", "names", "parse_version", "register"]
