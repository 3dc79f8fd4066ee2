"""``fairlead simulate``: runs the simulator, a program of its own, which also has the help of its subcommands."""

from pathlib import Path

import click


@click.command(
    "simulate",
    add_help_option=False,  # the simulator's own
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("words", metavar="COMMAND [ARGUMENT]...", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """Simulate programs, cross-traffic and management on a network of any shape.

    COMMAND is `run` (run times, reroutes and traffic per link of a scenario), `oracle` (management against the best
    routes that can be found), `contenders` (management against load balancing by switches), `trace` (write the trace
    of a communication pattern) or `settings` (list the agents' settings). Each has --help. Results are JSON on stdout.

    \b
    Examples:
      fairlead simulate run examples/simulation/mesh8.json
      fairlead simulate run --unmanaged examples/simulation/mesh8.json
      fairlead simulate contenders examples/simulation/fat-tree16.json
      fairlead simulate oracle --help
    """
    from fairlead import interrupts, native

    simulator = native.program("fairlead-sim")
    interrupts.become(simulator, ["fairlead simulate", *map(_with_example, words)])


def _with_example(word: str) -> str:
    """A scenario that is not there and is the name of an example is that example."""
    from fairlead import example_files

    example = example_files.find(word) if word.endswith(".json") and not Path(word).exists() else None
    return word if example is None else str(example)
