"""What a user asks to launch: which mpirun, transport and hosts it has; a launch line of the user's own says them."""

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.programs.launch_request import LaunchRequest

CLUSTER = Cluster("c", "local", (Host("a", "127.0.0.1"), Host("b", "127.0.0.2")), source="c.toml")


def test_the_cluster_has_the_mpirun_and_the_transport_that_are_asked_for() -> None:
    cluster, remark = LaunchRequest(["x"], mpirun="/opt/mpirun", transport="native").cluster_for(CLUSTER)
    assert (cluster.mpirun, cluster.transport) == ("/opt/mpirun", "native")
    assert remark is not None and remark.startswith("transport: the MPI library's choice, as asked for")
    own = LaunchRequest(["mpirun", "x"], own_mpirun=True, transport="native")
    assert own.cluster_for(CLUSTER) == (CLUSTER, None)


def test_a_launch_line_of_the_users_own_may_use_every_compute_host() -> None:
    job = Job("0123abcd", ("x",), ("b", "b"))
    assert LaunchRequest(["x"]).used_hosts(CLUSTER, job) == ("b",)
    assert LaunchRequest(["mpirun", "x"], own_mpirun=True).used_hosts(CLUSTER, job) == ("a", "b")
