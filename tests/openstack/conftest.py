"""For the tests with real OpenStack services: helpers."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "lab" / "helpers")]
