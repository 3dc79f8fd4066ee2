"""Messages are watched unasked only where that harms no program; where they are not, one line says why."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import preload
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import HostError, MissingToolError
from fairlead.manage import monitor
from fairlead.manage.components import FULL
from fairlead.manage.management import Management
from fairlead.programs import trial
from fairlead.programs.linkage import Linkage

CLUSTER = Cluster("c", "local", tuple(Host(f"h{k}", f"10.0.0.{k + 1}") for k in range(3)), source="c.toml")
JOB = Job("0123abcd", ("./program", "-x"), ("h0", "h0", "h1"), env={"OMP_NUM_THREADS": "2"})
PLAIN = Management(FULL, {}, HostBinaries("/agent", ("/guardian",)))
MPI = Linkage("openmpi", wrapped="openmpi")
SHIM = "/lib/fairlead/libfairlead.so"


class Hosts:
    """Hosts where everything works, but for what a test changes.

    Attributes:
        tried: libraries that were tried to be loaded.
        made: hosts that got a directory for rings.
        told: lines for the user.
    """

    def __init__(self) -> None:
        self.tried: list[str] = []
        self.made: list[str] = []
        self.told: list[str] = []
        self.hindrance: str | None = None
        self.no_libraries: Exception | None = None
        self.no_directory: Exception | None = None

    def bring(self, cluster: Cluster, hosts: object) -> str:
        if self.no_libraries:
            raise self.no_libraries
        return SHIM

    def tries(self, cluster: Cluster, job: Job, libraries: list[str]) -> str | None:
        self.tried += libraries
        return self.hindrance

    @contextmanager
    def directory(
        self, cluster: Cluster, hosts: tuple[str, ...], kind: str, job_id: str, limit: EndLimit | None
    ) -> Iterator[str]:
        if self.no_directory:
            raise self.no_directory
        self.made += hosts
        yield f"/dev/shm/fairlead-{kind}-{job_id}"

    def unasked(self, linkages: Mapping[str, Linkage], why_not: str | None = None, job: Job = JOB) -> Management:
        return monitor.unasked(CLUSTER, job, linkages, PLAIN, self.told.append, why_not=why_not)


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> Hosts:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    found = Hosts()
    monkeypatch.setattr(preload, "bring", found.bring)
    monkeypatch.setattr(preload, "directory", found.directory)
    monkeypatch.setattr(trial, "hindrance", found.tries)
    return found


def only(why: str) -> list[str]:
    return [f"only connections are watched, not single messages: {why}"]


def test_a_program_that_is_linked_with_mpi_is_watched(hosts: Hosts) -> None:
    management = hosts.unasked({"h0": MPI, "h1": MPI})
    assert (management.components, hosts.told) == (replace(FULL, monitor=True), [])
    assert hosts.tried == [SHIM, "/lib/fairlead/libfairlead-openmpi.so"]
    with monitor.monitored(CLUSTER, JOB, management) as (job, watching):
        assert job.env == {
            "OMP_NUM_THREADS": "2",
            "LD_PRELOAD": SHIM,
            "FAIRLEAD_RINGS": "/dev/shm/fairlead-rings-0123abcd",
        }
        assert watching.rings == "/dev/shm/fairlead-rings-0123abcd"
        assert watching.job_options().rings == watching.rings
    assert hosts.made == ["h0", "h1"]  # h2 has no rank
    assert hosts.told == []


@pytest.mark.parametrize(
    ("linkage", "why"),
    [
        (Linkage("openmpi", static=True), "./program is linked statically"),
        (Linkage(foreign=True), "./program was built for another processor or word length than that of h1"),
        (replace(MPI, sanitizer="ThreadSanitizer"),
         "./program is built with ThreadSanitizer, beside which nothing should be preloaded"),
        (replace(MPI, missing=("libgone.so.1",)), "./program needs libgone.so.1, which the loader does not find"),
        (Linkage(),
         "./program itself is not linked with a supported MPI library on h1 (--monitor if what it starts is)"),
        (replace(MPI, preloaded="libjemalloc.so.2"),
         "LD_PRELOAD is set on h1: libjemalloc.so.2 (--monitor adds libfairlead)"),
    ],
)  # fmt: skip
def test_one_host_where_it_may_do_harm_is_enough(hosts: Hosts, linkage: Linkage, why: str) -> None:
    assert hosts.unasked({"h0": MPI, "h1": linkage}) == PLAIN
    assert hosts.told == only(why)
    assert hosts.tried == []


def test_scripts_and_launchers_get_nothing_loaded(hosts: Hosts) -> None:
    """They may start a program in a container, whose libraries are others."""
    assert hosts.unasked({"h0": Linkage(), "h1": Linkage()}) == PLAIN
    assert hosts.told == only(
        "./program itself is not linked with a supported MPI library (--monitor if what it starts is)"
    )


def test_of_several_programs_all_would_get_it_loaded(hosts: Hosts) -> None:
    """Hydra gives its -genv to all; the second may be a sanitizer's, or no MPI program."""
    several = replace(JOB, argv=("./program", "-x", ":", "-n", "1", "./other"))
    assert hosts.unasked({"h0": MPI, "h1": MPI}, job=several) == PLAIN
    assert hosts.told == only("`:` starts several programs, of which only the first was looked at")
    assert hosts.tried == []


def test_what_the_user_preloads_is_left_alone(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/opt/libown.so")
    assert hosts.unasked({"h0": MPI}) == PLAIN
    assert hosts.told == only("LD_PRELOAD is set: /opt/libown.so (--monitor adds libfairlead)")


def test_a_reason_that_is_known_already_comes_first(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/opt/libown.so")
    assert hosts.unasked({}, why_not="your own launch line") == PLAIN
    assert hosts.told == only("your own launch line")


def test_a_host_that_cannot_load_it_is_named(hosts: Hosts) -> None:
    hosts.hindrance = "h1: version `GLIBC_2.38' not found (required by libfairlead.so)"
    assert hosts.unasked({"h0": MPI, "h1": MPI}) == PLAIN
    assert hosts.told == only(hosts.hindrance)


@pytest.mark.parametrize("error", [MissingToolError("libfairlead.so was not built"), HostError("h1: no room")])
def test_libraries_that_do_not_come_to_the_hosts(hosts: Hosts, error: Exception) -> None:
    hosts.no_libraries = error
    assert hosts.unasked({"h0": MPI, "h1": MPI}) == PLAIN
    assert hosts.told == only(str(error))


def test_the_way_out_is_in_the_line(hosts: Hosts) -> None:
    hosts.no_libraries = MissingToolError("libfairlead.so was not built", hint="run `make setup`")
    assert hosts.unasked({"h0": MPI, "h1": MPI}) == PLAIN
    assert hosts.told == only("libfairlead.so was not built (run `make setup`)")


def test_hosts_without_a_place_for_rings(hosts: Hosts) -> None:
    """The program runs as it would have without; who asked for the monitor is told by an error."""
    hosts.no_directory = HostError("h1: no directory for the ranks: mkdir: No space left on device")
    management = hosts.unasked({"h0": MPI, "h1": MPI})
    assert hosts.told == []
    with monitor.monitored(CLUSTER, JOB, management) as (job, plain):
        assert job is JOB
        assert (plain.components, plain.rings, plain.in_ranks) == (FULL, None, False)
    assert hosts.told == only("h1: no directory for the ranks: mkdir: No space left on device")

    asked = replace(PLAIN, components=replace(FULL, monitor=True))
    with pytest.raises(HostError, match="no directory for the ranks"), monitor.monitored(CLUSTER, JOB, asked):
        pass


def test_an_error_of_the_run_itself_is_none_of_the_monitor(hosts: Hosts) -> None:
    management = hosts.unasked({"h0": MPI, "h1": MPI})
    with pytest.raises(HostError, match="h0: gone"), monitor.monitored(CLUSTER, JOB, management):
        raise HostError("h0: gone")
    assert hosts.told == []


def test_who_asks_for_it_gets_it_on_all_hosts_beside_what_is_preloaded(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/opt/libown.so")
    asked = replace(PLAIN, components=replace(FULL, monitor=True))
    with monitor.monitored(CLUSTER, JOB, asked) as (job, _):
        assert job.env["LD_PRELOAD"] == f"{SHIM}:/opt/libown.so"
    assert hosts.made == ["h0", "h1", "h2"]
