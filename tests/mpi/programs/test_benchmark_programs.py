"""The programs of ``fairlead measure``, asked by hand."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fairlead.benchmarks.collectives.measure import OPERATIONS
from fairlead.native import mpi_program

pytestmark = pytest.mark.mpi
MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def asked(program: str, ranks: int, requests: list[dict[str, Any]], **environment: str) -> list[dict[str, Any]]:
    """The answers, without the introduction."""
    if shutil.which(MPIRUN[0]) is None:
        pytest.skip("Open MPI is not installed")
    exported = [word for name in environment for word in ("-x", name)]
    done = subprocess.run(
        [*MPIRUN, *exported, "-n", str(ranks), mpi_program("openmpi", program)],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, **AS_ROOT, **environment},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines[0]["program"] == program and len(lines[0]["ranks"]) == ranks
    return lines[1:]


def test_every_rank_tells_the_times_of_every_collective_call() -> None:
    requests = [
        {"collective": operation, "ranks": ranks, "size_B": 1000, "most": 4, "warmup": 1}
        for operation in OPERATIONS
        for ranks in (2, 3)
    ]
    answers = asked("mpi-collectives", 3, [*requests, {"pairs": [[0, 1]], "size_B": 1}])
    for request, answer in zip(requests, answers, strict=False):
        assert [len(row) for row in answer["samples_s"]] == [4] * request["ranks"]
        assert all(0 <= sample < 60 for row in answer["samples_s"] for sample in row)
    assert answers[-1] == {"failed": "request: this program measures something else"}


def test_calls_at_agreed_moments_tell_how_late_each_rank_began() -> None:
    of = {"ranks": 2, "size_B": 8, "warmup": 1, "agreed": True}
    requests = [{"collective": "allreduce", **of, "most": 5}, {"collective": "bcast", **of, "most": 9, "limit_s": 0.0}]
    first, second = asked("mpi-collectives", 2, requests)
    assert [len(row) for row in first["samples_s"]] == [1 + 2 * 5] * 2
    assert [len(row) for row in second["samples_s"]] == [1 + 2 * 1] * 2  # the limit is over: as few as there must be
    clock, other = first["samples_s"]
    assert clock[0] == 0 and 0 < other[0] < 1  # the first rank's clock is the one that counts
    for row in first["samples_s"]:
        assert all(0 <= late <= ended for late, ended in zip(row[1::2], row[2::2], strict=True))


def test_victims_measure_alone_and_beside_every_congestor() -> None:
    of = {"size_B": 8, "window": 2, "least": 5, "most": 5, "exchanges_before": 1}
    requests = [
        {**of, "victims": [3, 1], "victim": victim, "congestors": [{"kind": congestor, "ranks": [0, 2]}]}
        for victim in ("latency", "bandwidth", "allreduce")
        for congestor in ("alltoall", "incast", "bcast")
    ]
    requests.append({**of, "victims": [0, 3, 2, 1], "victim": "bandwidth"})
    answers = asked("mpi-impact", 4, requests)
    assert [[len(row) for row in answer["samples_s"]] for answer in answers] == [[5, 5]] * 9 + [[5] * 4]


def test_victims_measure_beside_several_congestors_at_once_while_others_rest() -> None:
    kinds = [{"kind": "alltoall", "ranks": [0, 2]}, {"kind": "incast", "ranks": [4, 5]}]
    of = {"size_B": 8, "least": 5, "most": 5, "congestors": kinds, "congestor_size_B": 4096}
    requests = [{**of, "victims": [3, 1], "victim": victim} for victim in ("latency", "allreduce")]
    answers = asked("mpi-impact", 7, requests)
    assert [[len(row) for row in answer["samples_s"]] for answer in answers] == [[5, 5]] * 2


def test_trains_and_watched_round_trips() -> None:
    pair = {"pairs": [[0, 1]], "size_B": 100, "warmup": 1}
    (trains,) = asked("mpi-loggp", 2, [{**pair, "train": 4, "pauses_s": [0.002], "most": 3}])
    assert len(trains["samples_s"][0]) == 3
    assert all(sample >= 3 * 0.002 for sample in trains["samples_s"][0])
    (watched,) = asked("mpi-noise-effect", 2, [{**pair, "least": 50, "most": 50}])
    row = watched["samples_s"][0]
    messages, near, far = (int(count) for count in row[2:5])
    assert messages == 50 and len(row) == 5 + 2 * messages + 3 * near + 3 * far
    starts, lengths = row[5 : 5 + 2 * messages : 2], row[6 : 5 + 2 * messages : 2]
    assert all(b >= a + length for a, b, length in zip(starts, starts[1:], lengths, strict=False))


def test_the_first_window_does_not_wait_for_the_buffers_of_the_receiver(tmp_path: Path) -> None:
    slow = preloaded(
        tmp_path,
        """
        #include <stddef.h>
        #include <unistd.h>
        extern void* __libc_malloc(size_t);
        /* A buffer takes 0.15 s to come; the receiver has one for each message of a window. */
        void* malloc(size_t size) {
            if (size == 1000003) usleep(150000);
            return __libc_malloc(size);
        }
        """,
    )
    request = {"pairs": [[0, 1]], "size_B": 1000003, "window": 20, "least": 2, "most": 2}
    (answer,) = asked("mpi-throughput", 2, [request], LD_PRELOAD=str(slow))
    first_s, _ = answer["samples_s"][0]
    assert first_s < 1.5, "all buffers take 3 s"


def test_the_first_watched_round_trip_does_not_wait_for_the_peer_to_get_ready(tmp_path: Path) -> None:
    late = preloaded(
        tmp_path,
        """
        #include <mpi.h>
        #include <unistd.h>
        /* The second rank gets ready 2 s later: this is what it does last. */
        int MPI_Cancel(MPI_Request* request) {
            int rank = 0;
            PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 1) usleep(2000000);
            return PMPI_Cancel(request);
        }
        """,
    )
    request = {"pairs": [[0, 1]], "size_B": 8, "least": 3, "most": 3}
    (answer,) = asked("mpi-noise-effect", 2, [request], LD_PRELOAD=str(late))
    first_length_s = answer["samples_s"][0][6]
    assert first_length_s < 1.0


def test_a_burst_is_of_the_pause_before_it(tmp_path: Path) -> None:
    asleep = preloaded(
        tmp_path,
        """
        #include <mpi.h>
        #include <unistd.h>
        static double before_s;
        /* A path that falls asleep within 0.5 s and takes 0.3 s to wake up. */
        int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
            if (count > 0 && MPI_Wtime() - before_s > 0.5) usleep(300000);
            int code = PMPI_Send(data, count, type, to, tag, comm);
            if (count > 0) before_s = MPI_Wtime();
            return code;
        }
        """,
    )
    pauses = {"pauses_s": [0.0, 1.0, 0.0], "most": 3, "warmup": 1, "asleep": True, "both_pause": True}
    (answer,) = asked("mpi-burst", 2, [{"pairs": [[0, 1]], "size_B": 100, **pauses}], LD_PRELOAD=str(asleep))
    slow = [sample >= 0.3 for sample in answer["samples_s"][0]]
    assert slow == [False] * 3 + [True] * 3 + [False] * 3


def preloaded(directory: Path, source: str) -> Path:
    """A library for LD_PRELOAD."""
    path, library = directory / "preloaded.c", directory / "preloaded.so"
    path.write_text(source)
    subprocess.run(["mpicc.openmpi", "-shared", "-fPIC", "-o", library, path], check=True)
    return library


def test_a_wrong_result_is_no_measurement(tmp_path: Path) -> None:
    library = preloaded(
        tmp_path,
        "#include <mpi.h>\n"
        "int MPI_Gather(const void* out, int n, MPI_Datatype t, void* in, int m, MPI_Datatype u, int r, MPI_Comm c)\n"
        "{ return MPI_SUCCESS; }\n",
    )
    of = {"ranks": 2, "size_B": 8, "most": 2}
    answers = asked(
        "mpi-collectives",
        2,
        [{"collective": "gather", **of}, {"collective": "scatter", **of}],
        LD_PRELOAD=str(library),
    )
    assert answers[0] == {"failed": "the result of the collective operation is wrong"}
    assert [len(row) for row in answers[1]["samples_s"]] == [2, 2]
