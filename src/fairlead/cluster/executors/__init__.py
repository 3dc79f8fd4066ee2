"""Executors: how a command is run on a host. One small class each, behind one method.

An executor only builds the command line that this machine has to start; whoever starts it owns the process. A secret
never goes into a command line (others can read it there): it goes through stdin.
"""

from fairlead.cluster.executors.base import Executor, executor_of, has_launch_host, names, register

__all__ = ["Executor", "executor_of", "has_launch_host", "names", "register"]
