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
    "demo": ("fairlead.cli.demo", "Show on this machine what management gives a program."),
    "lab": ("fairlead.cli.lab", "Emulate a cluster on this machine."),
    "doctor": ("fairlead.cli.doctor", "Check a cluster before a run: what will fail or be slow, and the fix."),
    "characterize": ("fairlead.cli.characterize", "Measure a cluster's latencies, shared bottlenecks and detours."),
    "measure": ("fairlead.cli.measure", "Run micro-benchmarks on a cluster: MPI, TCP, InfiniBand, OS noise."),
    "profile": ("fairlead.cli.profile", "Run an MPI program and show how it communicates."),
    "predict": ("fairlead.cli.predict", "Predict what detours would gain for a profiled program."),
    "placement": ("fairlead.cli.placement", "Choose hosts for a profiled program's ranks."),
    "run": ("fairlead.cli.run", "Run an MPI program with its traffic managed."),
    "supervise": ("fairlead.cli.supervise", "Manage the traffic of a program that something else starts."),
    "workload": ("fairlead.cli.workload", "Build and list programs of a benchmark suite."),
    "compare": ("fairlead.cli.compare", "Compare runs: clean and congested, unmanaged and managed."),
    "evaluate": ("fairlead.cli.evaluate", "Run designed experiments: programs, neighbours, network configurations."),
    "net": ("fairlead.cli.net", "Show, explain and configure bonded network interfaces."),
    "report": ("fairlead.cli.report", "Write the report of stored results."),
    "export": ("fairlead.cli.export", "Export stored results as CSV or Parquet."),
    "cloud": ("fairlead.cli.cloud", "Show a cloud's servers and virtual machines; migrate one."),
    "status": ("fairlead.cli.status", "Show your managed runs on this machine and what they rerouted."),
    "clean": ("fairlead.cli.clean", "Remove what dead runs and labs left behind."),
    "completion": ("fairlead.cli.completion", "Print the shell completion script."),
}


# As help shows them.
SECTIONS: dict[str, tuple[str, ...]] = {
    "Clusters": ("lab", "doctor", "characterize", "measure", "net", "cloud"),
    "Programs": ("run", "supervise", "status", "clean", "profile", "predict", "placement", "workload"),
    "Experiments and results": ("demo", "compare", "evaluate", "report", "export"),
    "Shell": ("completion",),
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
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fairlead")
@click.option("-v", "--verbose", is_flag=True,
              help="Show tracebacks and the command lines that are executed (goes before the command).")  # fmt: skip
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
