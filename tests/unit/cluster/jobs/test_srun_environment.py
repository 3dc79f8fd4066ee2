"""What mpirun's own srun is told in a Slurm job, and what a person is told of it."""

from dataclasses import replace

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.srun_environment import changes, remark
from fairlead.cluster.launchers import get

CLUSTER = Cluster("slurm-1", "ssh", (Host("n1", "10.1.0.1"), Host("n2", "10.1.0.2")))
JOB = Job("0a0b0c0d", ("./program",), ("n1", "n2"))
OPEN_MPI = (get("openmpi4")(), get("openmpi5")())
SCRIPT = {"SLURM_JOB_ID": "1", "PATH": "/opt/mpi/bin:/usr/bin"}
ALL = {"SLURM_EXPORT_ENV": "ALL"}


@pytest.mark.parametrize("withheld", ["NONE", "NIL", "HOME,TERM", "FOO=ALL"])
def test_open_mpi_s_daemons_have_the_environment_of_a_job_that_hands_none_on(withheld: str) -> None:
    environment = {**SCRIPT, "SLURM_EXPORT_ENV": withheld}
    for launcher in OPEN_MPI:
        assert changes(CLUSTER, launcher, JOB, environment) == ALL
        assert remark(CLUSTER, launcher, JOB, environment) == (
            f"SLURM_EXPORT_ENV={withheld} (sbatch --export) would keep this environment from mpirun's daemons: it is "
            "ALL for mpirun"
        )


@pytest.mark.parametrize("handed_on", [{}, ALL, {"SLURM_EXPORT_ENV": "FOO=1,all"}])
def test_where_the_job_hands_all_of_it_on_nothing_changes(handed_on: dict[str, str]) -> None:
    for launcher in (*OPEN_MPI, get("custom")()):
        assert changes(CLUSTER, launcher, JOB, SCRIPT | handed_on) == {}
        assert remark(CLUSTER, launcher, JOB, SCRIPT | handed_on) is None


def test_daemons_that_come_by_ssh_are_no_matter_of_srun() -> None:
    environment = {**SCRIPT, "SLURM_EXPORT_ENV": "NONE"}
    for cluster, launcher, job in (
        (replace(CLUSTER, launch_from="n1"), OPEN_MPI[0], JOB),
        (CLUSTER, OPEN_MPI[0], replace(JOB, by_agent_alone=True)),
        (CLUSTER, get("mpich4")(), JOB),
        (CLUSTER, get("intelmpi2021")(), JOB),
    ):
        assert changes(cluster, launcher, job, environment) == {}
        assert remark(cluster, launcher, job, environment) is None
    outside = {"SLURM_EXPORT_ENV": "NONE"}
    assert changes(CLUSTER, OPEN_MPI[0], JOB, outside) == {}


def test_on_one_host_there_are_no_daemons_to_speak_of() -> None:
    assert (
        remark(CLUSTER, OPEN_MPI[0], replace(JOB, hosts=("n1", "n1")), {**SCRIPT, "SLURM_EXPORT_ENV": "NONE"}) is None
    )


def test_a_launch_line_of_the_user_s_own_is_left_alone_with_the_way_out() -> None:
    environment = {**SCRIPT, "SLURM_EXPORT_ENV": "NONE"}
    line = ("srun", "--mpi=pmix", "./program")
    own = replace(JOB, argv=line)
    assert changes(CLUSTER, get("custom")(), own, environment) == {}
    told = remark(CLUSTER, get("custom")(), own, environment)
    assert told is not None
    assert told.startswith("SLURM_EXPORT_ENV=NONE (sbatch --export): an srun in your launch line")
    assert "begin the line with `env SLURM_EXPORT_ENV=ALL`" in told
    for decided in (("env", "SLURM_EXPORT_ENV=ALL", *line), ("srun", "--export=ALL", "./program")):
        assert remark(CLUSTER, get("custom")(), replace(JOB, argv=decided), environment) is None


def test_a_managed_job_s_srun_manages_nothing_itself() -> None:
    option = "SLURM_SPANK__SLURM_SPANK_OPTION_fairlead_fairlead"
    assert changes(CLUSTER, OPEN_MPI[0], JOB, {**SCRIPT, option: "plane=relay"}) == {option: "off"}
    assert changes(CLUSTER, get("custom")(), JOB, {**SCRIPT, option: "plane=relay"}) == {option: "off"}
