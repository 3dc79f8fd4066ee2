"""sp, bt and lu against the verification values of the NAS Parallel Benchmarks."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from bundled import flavours, result, run
from mpi_libraries import LIBRARIES

pytestmark = pytest.mark.mpi


@dataclass(frozen=True)
class Published:
    """What NPB publishes of a class: root mean squares by variable after the standard number of iterations."""

    iterations: int
    residual: tuple[float, float, float, float, float]
    error: tuple[float, float, float, float, float]
    surface_integral: float | None = None


PUBLISHED = {
    ("sp", "S"): Published(
        100,
        (0.02747031545134, 0.01036074670529, 0.0162357450651, 0.01584055722446, 0.03484904060936),
        (2.728925855738e-05, 1.036444664084e-05, 1.615479828717e-05, 1.575070499448e-05, 3.417766618339e-05),
    ),
    ("sp", "W"): Published(
        400,
        (0.001893253733584, 0.0001717075447775, 0.0002778153350936, 0.0002887475409984, 0.003143611161242),
        (7.542088599534e-05, 6.512852253086e-06, 1.049092285688e-05, 1.128838671535e-05, 0.0001212845639773),
    ),
    ("sp", "A"): Published(
        400,
        (2.47998223993, 1.127633796437, 1.502897788877, 1.42178162117, 2.129211303514),
        (0.0001090014029782, 3.734395176928e-05, 5.009278540654e-05, 4.767109393953e-05, 0.0001362161339921),
    ),
    ("bt", "S"): Published(
        60,
        (0.1703428370954, 0.01297525207003, 0.03252792698949, 0.02643642127517, 0.1921178413174),
        (0.0004997691334581, 4.519566678296e-05, 7.397376517292e-05, 7.382123863244e-05, 0.0008926963098749),
    ),
    ("bt", "W"): Published(
        200,
        (112.5590409344, 11.80007595731, 27.10329767846, 24.69174937669, 263.8427874317),
        (4.419655736008, 0.4638531260002, 1.011551749967, 0.9235878729944, 10.18045837718),
    ),
    ("bt", "A"): Published(
        200,
        (108.0634671464, 11.31973090122, 25.97435451158, 23.66562254468, 252.7896321175),
        (4.234841604053, 0.44390282497, 0.9669248013635, 0.8830206303977, 9.737990177083),
    ),
    ("lu", "S"): Published(
        50,
        (0.01619634321098, 0.002197674516482, 0.00151799276534, 0.001502958443599, 0.0342640731559),
        (0.0006422331995796, 8.414434204735e-05, 5.858826961649e-05, 5.847422259516e-05, 0.001310334791411),
        7.841892886594,
    ),
    ("lu", "W"): Published(
        300,
        (12.36511638192, 1.317228477799, 2.550120713095, 2.326187750252, 28.26799444189),
        (0.4867877144216, 0.05064652880982, 0.0928181810196, 0.08570126542733, 1.084277417792),
        11.61399311023,
    ),
    ("lu", "A"): Published(
        250,
        (779.0210760669, 63.40276525969, 194.9924972729, 178.4530116042, 1838.476034946),
        (29.96408568547, 2.8194576365, 7.347341269877, 6.713922568778, 70.71531568839),
        26.03092560489,
    ),
}

PROGRAMS = ["sp", "bt", "lu"]
programs = pytest.mark.parametrize("program", PROGRAMS)


def check_published(flavour: str, program: str, name: str, ranks: int, timeout_s: float = 100) -> None:
    completed = run(flavour, ranks, program, "--class", name, timeout_s=timeout_s)
    found = result(completed)
    published = PUBLISHED[program, name]
    assert completed.returncode == 0, completed.stdout
    assert found["residual"] == pytest.approx(published.residual, rel=1e-8, abs=0)
    assert found["error"] == pytest.approx(published.error, rel=1e-8, abs=0)
    if published.surface_integral is None:
        assert "surface_integral" not in found
    else:
        assert found["surface_integral"] == pytest.approx(published.surface_integral, rel=1e-8)
    assert found["verified"] is True
    assert (found["program"], found["class"], found["ranks"]) == (program, name, ranks)
    assert found["iterations"] == published.iterations == len(found["iteration_s"])
    assert sum(found["iteration_s"]) <= found["seconds"] * (1 + 1e-9)


@flavours
@programs
@pytest.mark.parametrize("ranks", [1, 4])
def test_class_s_has_the_published_norms(flavour: str, program: str, ranks: int) -> None:
    check_published(flavour, program, "S", ranks)


@programs
@pytest.mark.parametrize("ranks", [3, 8])
def test_other_numbers_of_ranks(program: str, ranks: int) -> None:
    check_published("openmpi", program, "S", ranks)


@pytest.mark.slow
@pytest.mark.drawn
@flavours
@programs
@pytest.mark.parametrize("ranks", [2, 4, 9, 16])
@pytest.mark.timeout(400)
def test_class_w_has_the_published_norms(flavour: str, program: str, ranks: int) -> None:
    check_published(flavour, program, "W", ranks, timeout_s=380)


@pytest.mark.slow
@pytest.mark.drawn
@programs
@pytest.mark.timeout(1200)
def test_class_a_has_the_published_norms(program: str) -> None:
    check_published("openmpi", program, "A", 4, timeout_s=1100)


@pytest.mark.parametrize(
    ("program", "messages", "bytes_B"),
    [
        # Tiles of 6 x 6 x 6 points. 5 times faces (one untimed step, the norms before and after), 3 times the solves.
        ("sp", 5 * 6 + 3 * 6, 5 * 6 * 80 * 36 + 3 * 3 * (176 + 80) * 36),
        ("bt", 5 * 6 + 3 * 6, 5 * 6 * 80 * 36 + 3 * 3 * (240 + 40) * 36),
        # Pencils of 6 x 6 x 12 points, each with one neighbour in x and one in y.
        ("lu", 5 * 2 + 3 * 2 * 10, 5 * 2 * 80 * 6 * 12 + 3 * 2 * 10 * 40 * 6),
    ],
)
def test_messages_are_as_many_and_as_large_as_told(program: str, messages: int, bytes_B: int, tmp_path: Path) -> None:
    target = tmp_path / "profile.json"
    launch = [Path(sys.executable).with_name("fairlead"), "profile", "-n", "4", "--mpirun", LIBRARIES[0].need().mpirun]
    subprocess.run(
        [*launch, "--json", target, "--", program, "--class", "S", "--iterations", "2"], check=True, timeout=100
    )
    data = json.loads(target.read_text())
    assert [sum(row) for row in data["messages"]] == [messages] * 4
    assert [sum(row) for row in data["bytes_B"]] == [bytes_B] * 4


@programs
def test_a_wrong_forcing_fails(program: str) -> None:
    completed = run("openmpi", 4, program, "--perturb", "1e-3")
    assert completed.returncode == 1
    assert result(completed)["verified"] is False
    assert "verification FAILED" in completed.stdout
    assert "is NOT <=" in result(completed)["verification"]


@programs
def test_fewer_iterations_say_that_the_norms_were_not_judged(program: str) -> None:
    completed = run("openmpi", 2, program, "--iterations", "5")
    found = result(completed)
    assert completed.returncode == 0
    assert found["iterations"] == 5 == len(found["iteration_s"])
    assert "no published values" in found["verification"]


@programs
def test_more_iterations_are_judged_at_the_standard_number_and_at_the_end(program: str) -> None:
    standard = PUBLISHED[program, "S"]
    found = result(run("openmpi", 2, program, "--iterations", str(standard.iterations + 20)))
    assert found["verified"] is True
    assert found["iterations"] == standard.iterations + 20 == len(found["iteration_s"])
    assert "against the published values" in found["verification"]
    assert "final norms" in found["verification"]
    assert all(now < then for now, then in zip(found["residual"], standard.residual, strict=True))
