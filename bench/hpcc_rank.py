"""One rank of HPCC: runs it in a directory of its own, and rank 0 prints the communication parts' times as JSON.

Started by mpirun on every rank, with the hosts' own Python. Communication parts are RandomAccess over MPI (two
generators), PTRANS and the FFT over MPI. The run ends before the latency and bandwidth part (bench/shims/hpcc_end.c).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
INPUT = HERE.parent / "examples" / "evaluate" / "applications" / "hpccinf.txt"
NUMBER = r"\s*([0-9.eE+-]+)"


def parts_s(text: str) -> dict[str, float]:
    """Seconds of each communication part, from what HPCC wrote.

    Raises:
        ValueError: a part is missing; a run that was cut short gives no time.
    """
    return {
        name: _sum(_section(text, name), pattern)
        for name, pattern in {
            "MPIRandomAccess": rf"^Real time used ={NUMBER}",
            "MPIRandomAccess_LCG": rf"^Real time used ={NUMBER}",
            "PTRANS": rf"^WALL(?:\s+\d+){{6}}{NUMBER}",
            "MPIFFT": rf"^(?:Computing|Inverse FFT):{NUMBER}",
        }.items()
    }


def verified(text: str) -> bool:
    """Whether every part with a check of its own passed it."""
    updates = all("(passed)" in _section(text, name) for name in ("MPIRandomAccess", "MPIRandomAccess_LCG"))
    failed = re.findall(r"(\d+) tests completed and failed", _section(text, "PTRANS"))
    return updates and failed == ["0"]


def _section(text: str, name: str) -> str:
    found = re.search(rf"^Begin of {name} section\.$(.*?)^End of {name} section\.$", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"HPCC's output has no complete section {name}")
    return found[1]


def _sum(section: str, pattern: str) -> float:
    found = re.findall(pattern, section, re.MULTILINE)
    if not found:
        raise ValueError(f"HPCC's output has no line like {pattern}")
    return sum(float(each) for each in found)


def main() -> int:
    """Exit code of HPCC; 1 if its result is not what it should be."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(INPUT, Path(directory, "hpccinf.txt"))
        environment = {**os.environ, "LD_PRELOAD": sys.argv[1]} if len(sys.argv) > 1 else None
        code = subprocess.run(["hpcc"], cwd=directory, env=environment, check=False).returncode
        if code != 0 or os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK")) != "0":
            return code
        text = Path(directory, "hpccoutf.txt").read_text()
    times_s = parts_s(text)
    good = verified(text)
    result = {"program": "hpcc", "seconds": sum(times_s.values()), "verified": good, "parts_s": times_s}
    print(json.dumps(result), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
