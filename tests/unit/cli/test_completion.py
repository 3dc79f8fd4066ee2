"""What the shell is told to complete."""

import pytest
from click.shell_completion import ShellComplete

from fairlead.cli.main import command


@pytest.mark.parametrize(
    "words",
    [
        "run",
        "doctor",
        "characterize measure",
        "measure",
        "clean",
        "net show",
        "placement p.json",
        "profile run --cluster",
    ],
)
def test_a_cluster_is_completed_as_a_file(words: str) -> None:
    completion = ShellComplete(command, {}, "fairlead", "_FAIRLEAD_COMPLETE")
    assert [(each.type, each.value) for each in completion.get_completions(words.split(), "mes")] == [("file", "mes")]
