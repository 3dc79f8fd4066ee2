"""``fairlead measure CLUSTER plan``: several benchmarks with their options, from a file."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from pydantic import Field

from fairlead import config, config_former_names
from fairlead.benchmarks.options import between_option, mpi_options
from fairlead.benchmarks.registration import Asked
from fairlead.cli.measuring.options import (
    OUTPUT_OPTIONS,
    BenchmarkCommand,
    Lost,
    Output,
    cost,
    measuring,
    output_options,
)
from fairlead.cli.parameters.example_file import ExampleFile
from fairlead.errors import ConfigError


class PlanFile(config.Model):
    """A whole plan: benchmarks that are run one after the other."""

    title: str
    """Title of the plan."""
    steps: tuple[str, ...] = Field(min_length=1)
    """Benchmarks with their options, as written after ``fairlead measure CLUSTER``."""


@dataclass(frozen=True)
class PlanStep:
    """A benchmark of a plan."""

    words: str
    asked: Asked

    @property
    def name(self) -> str:
        """Of the benchmark."""
        return self.words.split()[0]


@click.command("plan")
@click.argument("plan_file", metavar="FILE", type=ExampleFile())
@between_option
@mpi_options
@click.option("--dry-run", is_flag=True, help="Print what would be measured and how long it takes; measure nothing.")
@output_options
@click.pass_context
def plan(context: click.Context, plan_file: Path, dry_run: bool, output: Output, **shared: Any) -> int:
    """Run the benchmarks of a plan, one after the other; print first how long they take.

    FILE is a TOML file with a `title` and `steps`, each a benchmark with its options, or the name of an example that
    comes with fairlead. A benchmark that fails is reported; the others continue. InfiniBand is skipped where a host
    has no device.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml plan examples/measure/small.toml
      fairlead measure cloud.toml plan examples/measure/noise-thesis.toml --prices prices.toml --results results/cloud
    """
    from fairlead.benchmarks.measuring import suite
    from fairlead.cluster.cluster_file import load_cluster

    file = config.load(plan_file, PlanFile)
    assert context.parent is not None
    steps = read(context.parent, plan_file, file, shared)
    lasts_s = sum(step.asked.lasts_s for step in steps)
    at_least = any(step.asked.at_least for step in steps)
    for step in steps:
        click.echo(f"{_span(step.asked.lasts_s):>10}  {step.words}{_more(step)}", err=True)
    click.echo(f"{_span(lasts_s):>10}  {'at least' if at_least else 'about'}, for all: {file.title}", err=True)
    if dry_run:
        if output.prices is not None:
            click.echo(cost(load_cluster(context.obj), output.prices, lasts_s, at_least=at_least), err=True)
        return 0
    lost = Lost()
    with measuring(context.obj, output, lasts_s, at_least=at_least) as (cluster, store, progress):
        for step in steps:
            measure = step.asked.measure

            def say(what: str, done: int, total: int, name: str = step.name) -> None:
                progress(f"{name}: {what}", done, total)

            with suite.told(step.name, lost):
                measure(cluster, store, say)
    return lost.exit_code()


def _span(lasts_s: float) -> str:
    from fairlead.display import words

    return "unknown" if math.isinf(lasts_s) else words.span(lasts_s)


def _more(step: PlanStep) -> str:
    return " (at least)" if step.asked.at_least else ""


def read(group: click.Context, path: Path, file: PlanFile, shared: dict[str, Any]) -> list[PlanStep]:
    """The steps of a plan, with options that hold for all of them unless a step has its own.

    Args:
        group: context of ``fairlead measure``, whose subcommands the steps are.

    Raises:
        ConfigError: a step is no benchmark, or an option is wrong; with file and line.
    """
    return [PlanStep(step, _asked(group, path, number, step, shared)) for number, step in enumerate(file.steps)]


def _asked(group: click.Context, path: Path, number: int, step: str, shared: dict[str, Any]) -> Asked:
    assert isinstance(group.command, click.Group)
    try:
        name, *arguments = shlex.split(step)
        command = group.command.get_command(group, name)
        if not isinstance(command, BenchmarkCommand):
            raise _wrong(path, number, step, "is not a benchmark")
        context = command.make_context(name, arguments, parent=group)
    except click.NoSuchOption as error:
        raise _wrong(path, number, step, _unknown(error)) from error
    except click.UsageError as error:
        raise _wrong(path, number, step, error.format_message()) from error
    except click.exceptions.Exit as error:
        raise _wrong(path, number, step, "--help cannot be used in a plan") from error
    except ValueError as error:
        raise _wrong(path, number, step, "is not a benchmark with options") from error
    own = _given(context, command)
    if misplaced := [each for each in OUTPUT_OPTIONS if each in own]:
        raise _wrong(path, number, step, f"--{misplaced[0]} applies to the whole plan; give it after the file's name")
    options = {option: value for option, value in context.params.items() if option not in OUTPUT_OPTIONS}
    return command.prepare(**options | {key: shared[key] for key in shared if key in options and key not in own})


def _unknown(error: click.NoSuchOption) -> str:
    known = [name for each in (error.ctx.command.params if error.ctx else ()) for name in each.opts]
    present = config_former_names.present_option(error.option_name, known)
    return error.format_message() if present is None else config_former_names.told(error.option_name, present)


def _given(context: click.Context, command: click.Command) -> Sequence[str]:
    source = click.core.ParameterSource.COMMANDLINE
    return [str(each.name) for each in command.params if context.get_parameter_source(str(each.name)) == source]


def _wrong(path: Path, number: int, step: str, why: str) -> ConfigError:
    text = path.read_text(encoding="utf-8-sig")
    line = next((k for k, each in enumerate(text.splitlines(), 1) if step in each), config.line_of(text, ("steps",)))
    return ConfigError(f"{path}:{line}: steps[{number}]: {step}: {why}")
