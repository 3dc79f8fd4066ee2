"""Commands that re-configure hosts, or this machine: run to their end, their output kept."""

import subprocess
from collections.abc import Sequence

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote import executed
from fairlead.cluster.remote.execute import on_all, run_on
from fairlead.errors import LaunchError, MissingToolError

TIMEOUT_S = 300.0


def run(cluster: Cluster, commands: Sequence[Sequence[str]], on: str) -> dict[str, list[str]]:
    """Output of each command by host; ``on`` = "here": of this machine, under an empty name. Nothing without commands.

    Raises:
        HostError, LaunchError, MissingToolError: a host was not reached, or a command failed or did not end.
    """
    if not commands:
        return {}
    if on == "here":
        return {"": run_here(commands)}
    executor = executor_of(cluster)
    names = cluster.managed_names()
    return on_all(
        names,
        lambda host: [run_on(executor, host, line, timeout_s=TIMEOUT_S) for line in commands],
        to_the_end=True,
    )


def run_here(commands: Sequence[Sequence[str]]) -> list[str]:
    """Output of each command on this machine.

    Raises:
        LaunchError, MissingToolError: one failed or did not end.
    """
    return [_here(line) for line in commands]


def _here(line: Sequence[str]) -> str:
    executed.tell(line)
    try:
        done = subprocess.run(
            list(line), capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False
        )
    except FileNotFoundError as error:
        raise MissingToolError(f"{line[0]} is not on this machine", hint="the plan names it") from error
    except subprocess.TimeoutExpired as error:
        raise LaunchError(f"{' '.join(line)}: not done within {TIMEOUT_S:g} s") from error
    if done.returncode != 0:
        said = done.stderr.strip() or done.stdout.strip()
        raise LaunchError(f"{' '.join(line)}: exit code {done.returncode}: {said}")
    return done.stdout
