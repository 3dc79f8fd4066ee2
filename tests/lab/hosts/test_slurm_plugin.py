"""Slurm's plugin (native/spank): `srun --fairlead` in a real Slurm, whose nodes have a trunk between any two."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import managed_runs
import pytest
import slurm_cluster
from managed_runs import Command
from slurm_cluster import FAIRLEAD, NODES

from fairlead import lab as labs
from fairlead import native
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.store import Store

SOURCES = Path(__file__).parents[3] / "native/spank"
HEADER = Path("/usr/include/slurm/spank.h")
pytestmark = [
    *slurm_cluster.MARKS,
    pytest.mark.skipif(not HEADER.is_file(), reason="not installed: libslurm-dev; `make verify` installs it"),
]
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
TRAFFIC = ["--bytes", "16384", "--interval", "0.1", "--seed", "1"]
OURS = ("fairlead-agent", "fairlead-guardian", "random-traffic", "sleep")
# `fairlead` as plugstack.conf names it; that it was called is noted.
WRAPPER = """#!/bin/sh
echo "$@" >>{shared}/calls
exec {python} -c "from fairlead.cli.main import main; main()" "$@"
"""
# Prolog and epilog with places of the node's own: the hosts of a lab share this machine's other directories.
NODE_SCRIPT = """#!/bin/sh
export FAIRLEAD_LIB={programs} FAIRLEAD_LENT=/run/fairlead/guardians FAIRLEAD_JOBS=/run/fairlead/jobs
exec {sources}/nodes/{name} >>/run/scripts.log 2>&1
"""
NOBODY = 65534
LENT = f"/run/fairlead/guardians/{NOBODY}"


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    with managed_runs.mesh("spank", tmp_path_factory.getbasetemp(), trunk="40mbit") as lab:
        yield lab


@pytest.fixture(scope="module")
def shared(lab: labs.Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all nodes see: Slurm's files, the user's home, and the plugin, built by the guide's line."""
    shared = tmp_path_factory.mktemp("slurm")
    plugin = shared / "spank_fairlead.so"
    build = ["g++", "-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-o", str(plugin)]
    subprocess.run([*build, *map(str, SOURCES.glob("*.cpp"))], check=True)
    wrapper = shared / "fairlead"
    wrapper.write_text(WRAPPER.format(shared=shared, python=sys.executable))
    wrapper.chmod(0o755)
    (shared / "plugstack.conf").write_text(f"optional {plugin} fairlead={wrapper}\n")
    configuration = ""
    for kind in ("Prolog", "Epilog"):
        script = shared / kind
        programs = native.program("fairlead-guardian").parent
        script.write_text(NODE_SCRIPT.format(programs=programs, sources=SOURCES, name=f"{kind.lower()}.sh"))
        script.chmod(0o755)
        configuration += f"{kind}={script}\n"
    slurm_cluster.files(lab, shared, configuration)
    return shared


@pytest.fixture(scope="module")
def slurm(lab: labs.Lab, shared: Path) -> Iterator[labs.Lab]:
    with slurm_cluster.running(lab, shared):
        yield lab


@pytest.fixture(autouse=True)
def nothing_stays(slurm: labs.Lab) -> Iterator[None]:
    """After each test no node has a job, a process or anything in its kernel that is ours."""
    yield
    managed_runs.wait_for(lambda: not any(_processes(slurm, host) for host in NODES), "the end of all processes")
    managed_runs.wait_for(lambda: not any(managed_runs.kernel_state(slurm, host) for host in NODES), "the clean-up")
    slurm_cluster.wait_until_idle(slurm)


def _processes(lab: labs.Lab, host: str) -> list[int]:
    return [pid for name in OURS for pid in managed_runs.processes(lab, host, name)]


def start(slurm: labs.Lab, shared: Path, *words: str, directory: str = "work", **env: str) -> Command:
    """Start a command on h0, in a directory of the user's home; results are in ``results`` there."""
    place = shared / "home" / directory
    place.mkdir(exist_ok=True)
    script = f'cd ~/{directory} && exec "$@"'
    process = subprocess.Popen(
        slurm.enter_command("h0", ["sh", "-c", script, "sh", *words]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )
    return Command(process, place / "results")


def done(slurm: labs.Lab, shared: Path, *words: str, directory: str = "work", **env: str) -> Command:
    """The same to its end."""
    with start(slurm, shared, *words, directory=directory, **env) as command:
        command.end(60)
    return command


def srun(*words: str, nodes: int = 3) -> list[str]:
    return ["srun", f"-N{nodes}", f"-n{nodes}", *words]


def traffic(seconds: float = 60) -> list[str]:
    """The program of `managed_runs.traffic`, by its path: srun knows no names of ours."""
    return [str(native.mpi_program("openmpi", "random-traffic")), "--seconds", str(seconds), *TRAFFIC]


def hosts_named(command: Command) -> list[str]:
    return sorted(line.strip() for line in command.output if re.fullmatch(r"h\d", line.strip()))


def test_a_steps_traffic_leaves_a_congested_trunk(slurm: labs.Lab, shared: Path) -> None:
    options = "--fairlead=plane=route,report"
    with (
        congestion.make(slurm, FOREIGN),
        start(slurm, shared, *srun("--mpi=pmix", options, *traffic()), directory="rerouted") as command,
    ):
        command.wait_to_hear("rerouted over h2")
        assert any(managed_runs.rerouted_routes(slurm, host) for host in ("h0", "h1"))
        managed_runs.finish(slurm)
        assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    run, _ = command.record()
    assert run.status == "ok"
    assert run.labels["program"] == "random-traffic"
    first = command.events("rerouted")[0].data
    assert {first["source"], first["destination"]} == {"h0", "h1"}
    assert "random-traffic" in (command.results / "report.html").read_text()
    assert not command.heard("died"), command.text()


def test_agents_carry_messages_where_the_relay_plane_is_asked_for(slurm: labs.Lab, shared: Path) -> None:
    options = "--fairlead=plane=relay,no-detection,reroute=h0:h1:h2"
    command = done(slurm, shared, *srun("--mpi=pmix", options, *traffic(3)))
    assert command.process.returncode == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    assert re.search(r"1 reroute, [1-9]\d* messages relayed", command.text())


def test_without_the_option_nothing_happens(slurm: labs.Lab, shared: Path) -> None:
    calls = shared / "calls"
    calls.unlink(missing_ok=True)
    command = done(slurm, shared, *srun("sh", "-c", "hostname; env"), directory="plain")
    assert command.process.returncode == 0
    assert hosts_named(command) == ["h0", "h1", "h2"]
    assert not command.heard("fairlead")
    assert not [line for line in command.output if line.startswith(("LD_PRELOAD", "FAIRLEAD_RELAY"))]
    assert not calls.exists()
    assert not (shared / "home/plain/results").exists()


def test_the_exit_code_and_the_output_are_the_programs(slurm: labs.Lab, shared: Path) -> None:
    command = done(slurm, shared, *srun("--fairlead=quiet", "sh", "-c", "hostname; exit 7"))
    assert command.process.returncode == 7
    assert hosts_named(command) == ["h0", "h1", "h2"]
    assert not command.heard("fairlead")
    assert (command.record()[0].status, command.record()[0].exit_code) == ("failed", 7)
    killed = done(slurm, shared, *srun("--fairlead=quiet", "sh", "-c", "kill -KILL $$"))
    assert killed.process.returncode == 137


def test_a_mistake_is_answered_before_anything_runs(slurm: labs.Lab, shared: Path) -> None:
    for line in (srun("--fairlead=plan=relay", "hostname"), ["sbatch", "--fairlead=plan=relay", "--wrap", "hostname"]):
        command = done(slurm, shared, *line)
        assert command.process.returncode != 0
        assert command.heard("unknown option 'plan'; known options: plane=auto|route|relay, results=DIRECTORY")
        assert command.output == []


def test_help_has_the_option(slurm: labs.Lab, shared: Path) -> None:
    text = " ".join("".join(done(slurm, shared, "srun", "--help").output).split())
    assert "--fairlead=options Have fairlead manage the program's traffic between nodes" in text


def test_what_fails_in_fairlead_is_said_and_the_program_runs(slurm: labs.Lab, shared: Path) -> None:
    command = done(slurm, shared, *srun("--fairlead", "hostname"), FAIRLEAD_NATIVE_DIR="/nowhere")
    assert command.process.returncode == 0
    assert hosts_named(command) == ["h0", "h1", "h2"]
    (line,) = [line for _, line in command.told if "unmanaged" in line]
    assert "fairlead's native programs are not in /nowhere" in line
    late = done(slurm, shared, *srun("--fairlead=wait=0", "hostname"))
    assert late.process.returncode == 0
    assert late.heard("fairlead: the agents were not ready within 0 s (--fairlead=wait=SECONDS); the program runs")
    single = done(slurm, shared, *srun("--fairlead", "hostname", nodes=1))
    assert single.process.returncode == 0
    assert single.heard("fairlead: the step has one node: there is no traffic between nodes to manage")


def test_a_node_that_does_not_start_its_agent(slurm: labs.Lab, shared: Path) -> None:
    """The program runs on all nodes; the others are managed."""
    agent = str(native.program("fairlead-agent"))
    subprocess.run(slurm.enter_command("h1", ["mount", "--bind", "/bin/false", agent]), check=True)
    try:
        command = done(slurm, shared, *srun("--fairlead=no-detection", "hostname"))
    finally:
        subprocess.run(slurm.enter_command("h1", ["umount", agent]), check=True)
    assert command.process.returncode == 0, command.text()
    assert hosts_named(command) == ["h0", "h1", "h2"]
    assert command.heard("the agent of h1 did not start; the run continues without it")


def test_the_program_outlives_its_supervisor(slurm: labs.Lab, shared: Path) -> None:
    with start(slurm, shared, *srun("--mpi=pmix", "--fairlead=no-detection", *traffic())) as command:
        managed_runs.talking(slurm)
        (supervisor,) = _supervisors()
        os.kill(supervisor, signal.SIGKILL)
        managed_runs.wait_for(
            lambda: not any(managed_runs.processes(slurm, host, "fairlead-agent") for host in NODES), "the agents' end"
        )
        managed_runs.finish(slurm)
        assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)


def _supervisors() -> list[int]:
    """Processes that run `fairlead supervise`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"supervise" in words and b"from fairlead.cli.main import main; main()" in words:
            found.append(int(path.parent.name))
    return found


def test_ctrl_c_ends_the_step_and_the_management(slurm: labs.Lab, shared: Path) -> None:
    with start(slurm, shared, *srun("--fairlead=no-detection,reroute=h0:h1:h2", "sleep", "120")) as command:
        command.wait_to_hear("rerouted over h2")
        managed_runs.wait_for(lambda: all(managed_runs.processes(slurm, h, "sleep") for h in NODES), "the tasks' start")
        (pid,) = managed_runs.processes(slurm, "h0", "srun")[:1]
        for _ in range(2):
            os.kill(pid, signal.SIGINT)
            time.sleep(0.3)
        assert command.end() != 0
    assert not command.heard("died")


def test_scancel_ends_a_batch_job_and_its_management(slurm: labs.Lab, shared: Path) -> None:
    script = "#!/bin/sh\n#SBATCH -N3\n#SBATCH --fairlead=no-detection,reroute=h0:h1:h2\nsrun -n3 sleep 120\n"
    job, told = batch(slurm, shared, script)
    managed_runs.wait_for(lambda: "rerouted over h2" in told(), "the reroute")
    done(slurm, shared, "scancel", job)
    slurm_cluster.wait_until_idle(slurm)
    assert "died" not in told()


def batch(slurm: labs.Lab, shared: Path, script: str, *options: str) -> tuple[str, "Told"]:
    """Submit a batch script: the job's id, and what reads its output."""
    (shared / "home/batch").mkdir(exist_ok=True)
    (shared / "home/batch/job.sh").write_text(script)
    submitted = done(
        slurm,
        shared,
        "sbatch",
        "--parsable",
        "--open-mode=append",
        "-o",
        "%A.out",
        *options,
        "job.sh",
        directory="batch",
    )
    assert submitted.process.returncode == 0, submitted.text()
    job = submitted.output[0].strip()
    return job, Told(shared / f"home/batch/{job}.out")


class Told:
    """The text of a file so far; empty while it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self) -> str:
        return self._path.read_text() if self._path.exists() else ""


def test_each_step_of_a_batch_job_is_managed_but_those_that_say_off(slurm: labs.Lab, shared: Path) -> None:
    shutil.rmtree(shared / "home/batch", ignore_errors=True)
    script = """#!/bin/sh
#SBATCH -N3 --fairlead=no-detection
srun -n3 echo alpha
srun --fairlead=off -n3 echo beta
srun --fairlead=no-detection,results=other -n3 echo gamma
echo all done
"""
    _, told = batch(slurm, shared, script)
    managed_runs.wait_for(lambda: "all done" in told(), "the job's end")
    assert [told().count(word) for word in ("alpha", "beta", "gamma")] == [3, 3, 3]
    assert [len(_runs(shared / "home/batch" / name)) for name in ("results", "other")] == [1, 1]


def _runs(results: Path) -> list[str]:
    with Store.read(results) as store:
        return [run.status for run in store.runs("run")]


def test_a_batch_job_without_its_submitters_environment(slurm: labs.Lab, shared: Path) -> None:
    shutil.rmtree(shared / "home/batch", ignore_errors=True)
    script = "#!/bin/sh\n#SBATCH -N3 --fairlead=no-detection\nsrun -n3 /bin/echo alpha\necho all done\n"
    _, told = batch(slurm, shared, script, "--export=NONE")
    managed_runs.wait_for(lambda: "all done" in told(), "the job's end")
    assert told().count("alpha") == 3
    assert "program ended" in told()


def test_tasks_of_an_array(slurm: labs.Lab, shared: Path) -> None:
    shutil.rmtree(shared / "home/batch", ignore_errors=True)
    script = "#!/bin/sh\n#SBATCH -N3 --fairlead=no-detection\nsrun -n3 echo task $SLURM_ARRAY_TASK_ID\n"
    _, told = batch(slurm, shared, script, "--array=1-2")
    managed_runs.wait_for(lambda: told().count("recorded as run") == 2, "the end of both tasks")
    assert [told().count(f"task {number}") for number in (1, 2)] == [3, 3]
    assert _runs(shared / "home/batch/results") == ["ok", "ok"]


def test_salloc_hands_the_option_on_and_the_jobs_other_node_may_relay(slurm: labs.Lab, shared: Path) -> None:
    options = "--fairlead=no-detection,reroute=h0:h1:h2"
    line = ["salloc", "-Q", "-N3", options, "srun", "-N2", "-n2", "-w", "h0,h1", "hostname"]
    command = done(slurm, shared, *line)
    assert command.process.returncode == 0, command.text()
    assert hosts_named(command) == ["h0", "h1"]
    assert command.heard("h0→h1 rerouted over h2: by hand")


def test_fairlead_run_in_a_job_with_the_option_manages_alone(slurm: labs.Lab, shared: Path) -> None:
    """Its mpirun calls srun, which has the option from the job."""
    (shared / "calls").unlink(missing_ok=True)
    shutil.rmtree(shared / "home/batch", ignore_errors=True)
    run = f"{FAIRLEAD} run slurm --mpirun mpirun.openmpi --no-detection -- hostname; echo all done"
    _, told = batch(slurm, shared, f"#!/bin/sh\n#SBATCH -N3 --ntasks-per-node=1 --fairlead=no-detection\n{run}\n")
    managed_runs.wait_for(lambda: "all done" in told(), "the job's end")
    assert sorted(re.findall(r"^h\d$", told(), re.MULTILINE)) == ["h0", "h1", "h2"]
    assert not (shared / "calls").exists()
    assert _runs(shared / "home/batch/results") == ["ok"]


def test_mpirun_in_a_batch_job_is_managed_by_its_own_srun(slurm: labs.Lab, shared: Path) -> None:
    shutil.rmtree(shared / "home/batch", ignore_errors=True)
    mpirun = "mpirun.openmpi --allow-run-as-root -np 3 --map-by node"
    script = f"#!/bin/sh\n#SBATCH -N3 --fairlead=no-detection,reroute=h0:h1:h2\n{mpirun} {' '.join(traffic(3))}\n"
    _, told = batch(slurm, shared, script)
    managed_runs.wait_for(lambda: "verification passed" in told(), "the program's end")
    slurm_cluster.wait_until_idle(slurm)
    with Store.read(shared / "home/batch/results") as store:  # mpirun hides what its srun says
        (run,) = store.runs("run")
        rerouted = [(event.data["source"], event.data["destination"]) for event in store.events(run.id, "rerouted")]
    assert (run.status, run.labels["program"], rerouted) == ("ok", "orted", [("h0", "h1")])


def test_a_heterogeneous_step(slurm: labs.Lab, shared: Path) -> None:
    options = "--fairlead=no-detection,reroute=h0:h1:h2"
    line = ["srun", "-N1", "-n1", options, "hostname", ":", "-N2", "-n2", "hostname"]
    command = done(slurm, shared, *line)
    assert command.process.returncode == 0, command.text()
    assert hosts_named(command) == ["h0", "h1", "h2"]
    assert command.heard("h0→h1 rerouted over h2: by hand")


def test_the_epilog_removes_what_killed_guardians_left(slurm: labs.Lab, shared: Path) -> None:
    line = ["salloc", "-Q", "-N3", "srun", "-n3", "--fairlead=no-detection,reroute=h0:h1:h2", "sleep", "120"]
    with start(slurm, shared, *line) as command:
        command.wait_to_hear("rerouted over h2")
        managed_runs.wait_for(lambda: all(managed_runs.processes(slurm, h, "sleep") for h in NODES), "the tasks' start")
        (job,) = done(slurm, shared, "squeue", "-h", "-o", "%A").output
        for host in NODES:
            for name in ("fairlead-guardian", "fairlead-agent"):
                for pid in managed_runs.processes(slurm, host, name):
                    os.kill(pid, signal.SIGKILL)
        os.kill(_supervisors()[0], signal.SIGKILL)
        assert managed_runs.kernel_state(slurm, "h0")
        done(slurm, shared, "scancel", job.strip())
        command.end()
    slurm_cluster.wait_until_idle(slurm)
    assert not any(managed_runs.kernel_state(slurm, host) for host in NODES)


def test_the_prolog_lends_a_guardian_for_as_long_as_the_user_has_a_job(slurm: labs.Lab, shared: Path) -> None:
    check = f"stat -c '%U %a' {LENT}/fairlead-guardian; {LENT}/fairlead-guardian --check; id -u"
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", "HOME=/"]
    command = done(slurm, shared, *as_nobody, "srun", "--chdir=/", "-N1", "-n1", "-w", "h1", "sh", "-c", check)
    text = "".join(command.output)
    assert text.startswith("nobody 500\n"), command.text()
    assert '"ok":true' in text.replace(" ", "")
    assert text.endswith(f"{NOBODY}\n")
    slurm_cluster.wait_until_idle(slurm)
    left, log = (
        subprocess.run(slurm.enter_command("h1", ["sh", "-c", ask]), capture_output=True, text=True, check=True).stdout
        for ask in ("ls /run/fairlead/guardians /run/fairlead/jobs", "cat /run/scripts.log")
    )
    assert str(NOBODY) not in left
    assert log == ""
