"""What commands on hosts read, and what is heard of them."""

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote import execute


def test_a_command_that_reads_late_gets_all_of_its_input() -> None:
    """Later than it is looked whether the command was given up, and more than a pipe holds."""
    here = executor_of(Cluster("c", "local", (Host("here", "127.0.0.1"),)))
    content = b"0123456789abcdef" * (1 << 16)
    reads = ["sh", "-c", f"sleep {3 * execute.LOOK_S}; wc -c"]
    assert execute.run_on(here, "here", reads, stdin=content, timeout_s=20.0).split() == [str(len(content))]
    assert execute.run_on(here, "here", ["wc", "-c"], timeout_s=20.0).split() == ["0"]
