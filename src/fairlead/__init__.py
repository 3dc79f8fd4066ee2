"""fairlead measures a cluster's network, evaluates MPI programs on it, and manages their traffic while they run."""

__version__ = "0.1.0"
