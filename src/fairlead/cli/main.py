"""The ``fairlead`` command: finds the commands, turns errors into one clear message."""

import importlib
import logging
import os
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

import click

from fairlead import __version__, interrupts, threads
from fairlead.cli.output import streams
from fairlead.cli.parameters.default_group import refuse_misspelt
from fairlead.errors import FairleadError, FileError, of_system


class LazyCommand(NamedTuple):
    """A command that is imported when it is first used, so that the tool starts fast."""

    module: str
    summary: str
    """One line of help."""


# By section, as help shows them, and by the name on the command line.
COMMANDS: dict[str, dict[str, LazyCommand]] = {
    "Clusters": {
        "lab": LazyCommand("fairlead.cli.lab", "Emulate a cluster on this machine."),
        "doctor": LazyCommand(
            "fairlead.cli.doctor", "Check a cluster before a run: what will fail or be slow, and the fix."
        ),
        "characterize": LazyCommand(
            "fairlead.cli.characterize", "Measure a cluster's latencies, shared bottlenecks and detours."
        ),
        "measure": LazyCommand(
            "fairlead.cli.measure", "Run micro-benchmarks on a cluster: MPI, TCP, InfiniBand, OS noise."
        ),
        "net": LazyCommand("fairlead.cli.net", "Show, predict and configure bonded network interfaces."),
        "guardian": LazyCommand("fairlead.cli.guardian", "Install, show or remove the privileged program on hosts."),
        "cloud": LazyCommand("fairlead.cli.cloud", "Show a cloud's servers and virtual machines; migrate one."),
    },
    "Programs": {
        "run": LazyCommand("fairlead.cli.run", "Run an MPI program with its traffic managed."),
        "supervise": LazyCommand(
            "fairlead.cli.supervise", "Manage the traffic of a program started by something else."
        ),
        "status": LazyCommand("fairlead.cli.status", "Show your managed runs on this machine and what they rerouted."),
        "clean": LazyCommand("fairlead.cli.clean", "Remove what dead runs and labs left behind."),
        "profile": LazyCommand("fairlead.cli.profile", "Run an MPI program and show how it communicates."),
        "predict": LazyCommand("fairlead.cli.predict", "Predict what detours would gain for a profiled program."),
        "placement": LazyCommand("fairlead.cli.placement", "Choose hosts for a profiled program's ranks."),
        "workload": LazyCommand("fairlead.cli.workload", "Build and list programs of a benchmark suite."),
    },
    "Experiments and results": {
        "demo": LazyCommand("fairlead.cli.demo", "Show on this machine what management gains for a program."),
        "compare": LazyCommand("fairlead.cli.compare", "Compare runs: clean and congested, unmanaged and managed."),
        "evaluate": LazyCommand(
            "fairlead.cli.evaluate", "Run designed experiments: programs, neighbours, network configurations."
        ),
        "simulate": LazyCommand(
            "fairlead.cli.simulate", "Simulate programs, cross-traffic and management on any network."
        ),
        "report": LazyCommand("fairlead.cli.report", "Write the report of stored results."),
        "export": LazyCommand("fairlead.cli.export", "Export stored results as CSV or Parquet."),
    },
    "Shell": {
        "completion": LazyCommand("fairlead.cli.completion", "Print the shell completion script."),
    },
}
BY_NAME = {name: each for commands in COMMANDS.values() for name, each in commands.items()}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are first used."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(BY_NAME)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in BY_NAME:
            return None
        command = importlib.import_module(BY_NAME[name].module).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        refuse_misspelt(context, args[0], BY_NAME)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(name, each.summary) for name, each in commands.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fairlead")
@click.option("-v", "--verbose", is_flag=True,
              help="Show tracebacks and the command lines being run (goes before the command).")  # fmt: skip
@click.pass_context
def command(context: click.Context, verbose: bool) -> None:
    """Make MPI programs run well on clouds and commodity Ethernet.

    \b
    First steps:
      fairlead lab up examples/mesh8.toml                emulate a cluster of 8 hosts
      fairlead doctor mesh8.cluster.toml                 check it
      fairlead characterize mesh8.cluster.toml           measure its paths
      fairlead run mesh8.cluster.toml -n 8 -- ./program  run a program, managed
      fairlead report results                            what happened
    `fairlead COMMAND --help` explains a command, with examples.
    """
    context.obj = {"verbose": verbose}
    if verbose:
        _show_what_is_executed()


def _show_what_is_executed() -> None:
    logger = logging.getLogger("fairlead")
    if not logger.handlers:
        told = logging.StreamHandler()
        told.setFormatter(logging.Formatter("fairlead: %(message)s"))
        logger.addHandler(told)
    logger.setLevel(logging.DEBUG)


def main() -> None:
    """Entry point: exit codes are 0 done, 1 failed, 2 wrong input, 128 + signal, or the program's own."""
    streams.prepare()
    os.environ.setdefault("PATH", os.defpath)  # as shells do; programs that we start look for others there, too
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # a home that is full or read-only is not worth its lines
    _main()


def _told(error: OSError | RuntimeError) -> FairleadError:
    """An error of the system in words. Of a current directory that is gone it names nothing."""
    if not isinstance(error, OSError):
        return threads.no_thread()
    if isinstance(error, FileNotFoundError) and error.filename is None:
        try:
            Path.cwd()
        except FileNotFoundError:
            return FileError("the current directory does not exist any more", hint="change to another one: cd ~")
    return of_system(error)


def _main() -> None:
    verbose = any(argument in ("-v", "--verbose") for argument in sys.argv[1:2])
    try:
        interrupts.become_exceptions()
        code = command.main(standalone_mode=False)
        streams.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort as error:
        click.echo("fairlead: interrupted", err=True)
        sys.exit(interrupts.exit_code(error.__cause__))
    except FairleadError as error:
        if verbose:
            traceback.print_exc()
        click.echo(f"fairlead: {error}", err=True)
        sys.exit(error.exit_code)
    except (OSError, RuntimeError) as error:  # a full disk, a directory that may not be written, a limit
        if not isinstance(error, OSError) and not threads.refused(error):
            raise
        if verbose:
            traceback.print_exc()
        told = _told(error)
        click.echo(f"fairlead: {told}", err=True)
        sys.exit(told.exit_code)
