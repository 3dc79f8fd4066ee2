"""The ``fairlead`` command: finds the commands, turns errors into one clear message."""

import importlib
import logging
import sys
import traceback

import click

from fairlead import __version__, interrupts
from fairlead.cli import streams
from fairlead.cli.default_group import refuse_misspelt
from fairlead.errors import FairleadError, of_system

# Name on the command line -> (module, one-line help). Modules are loaded only when used, so that the tool starts fast.
COMMANDS: dict[str, tuple[str, str]] = {
    "lab": ("fairlead.cli.lab", "Emulate a cluster on this machine."),
    "doctor": ("fairlead.cli.doctor", "Say what will go wrong or slow before a run."),
    "characterize": ("fairlead.cli.characterize", "Measure latencies, shared bottlenecks and detours of a cluster."),
    "measure": ("fairlead.cli.measure", "Measure a cluster by micro-benchmarks: MPI, TCP, noise."),
    "profile": ("fairlead.cli.profile", "Run an MPI program and show how it communicates."),
    "predict": ("fairlead.cli.predict", "Say what detours would give a profiled program, without running it."),
    "placement": ("fairlead.cli.placement", "Place a profiled program's ranks so that those that talk are near."),
    "run": ("fairlead.cli.run", "Run an MPI program with its traffic managed."),
    "workload": ("fairlead.cli.workload", "Build and know programs of a benchmark suite that you have."),
    "compare": ("fairlead.cli.compare", "Run a program clean and congested, plain and managed, and report."),
    "evaluate": ("fairlead.cli.evaluate", "Evaluate programs under neighbours and network configurations."),
    "net": ("fairlead.cli.net", "Explain what aggregated network interfaces do with flows."),
    "report": ("fairlead.cli.report", "Make the report of stored results again."),
    "export": ("fairlead.cli.export", "Write stored results as CSV or Parquet."),
    "cloud": ("fairlead.cli.cloud", "Show a cloud's servers and virtual machines; move one."),
    "status": ("fairlead.cli.status", "Show your managed runs on this machine, and what they moved."),
    "clean": ("fairlead.cli.clean", "Remove what dead runs and labs left behind."),
    "completion": ("fairlead.cli.completion", "Print the completion script for a shell."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are first used."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[name][0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        refuse_misspelt(context, args[0], COMMANDS)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fairlead")
@click.option("-v", "--verbose", is_flag=True,
              help="Show tracebacks, and command lines as they are executed. Stands before the command.")  # fmt: skip
@click.pass_context
def command(context: click.Context, verbose: bool) -> None:
    """Make MPI programs run well on clouds and commodity Ethernet.

    \b
    First steps:
      fairlead lab up examples/mesh8.toml       emulate a cluster of 8 hosts
      fairlead characterize mesh8.cluster.toml  learn its paths
      fairlead run mesh8.cluster.toml -n 8 -- ./program
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
    _main()


def _main() -> None:
    interrupts.become_exceptions()
    verbose = any(argument in ("-v", "--verbose") for argument in sys.argv[1:2])
    try:
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
    except OSError as error:  # a full disk, a directory that may not be written
        if verbose:
            traceback.print_exc()
        told = of_system(error)
        click.echo(f"fairlead: {told}", err=True)
        sys.exit(told.exit_code)
