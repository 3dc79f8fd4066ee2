"""Every command tells what is wrong with a file that it takes: file, line and key, exit code 2, no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
CLUSTER = (
    '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
)
PLAN = '[comparison]\nname = "p"\nlab = "l.toml"\n\n[congestion]\nplaces = []\n\n[[programs]]\nname = "x"\n'
EVALUATION = '[evaluation]\nname = "e"\ncluster = "c"\n[factors]\nf = [1]\n[run]\ncommand = ["true"]\n'
COLUMNS = '[dataset]\nname = "d"\n[factors]\nf = "f"\n[values.time_s]\ncolumn = "t"\nunit = "s"\n'
LAB = '[lab]\nname = "l"\ntopology = "star"\nhosts_per_leaf = 2\n\n[host_link]\nrate = "1gbit"\n'
TAKES_A_CLUSTER = [
    ("run", "FILE", "--", "true"),
    ("characterize", "FILE"),
    ("doctor", "FILE"),
    ("clean", "FILE"),
]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        *((words, CLUSTER) for words in TAKES_A_CLUSTER),
        (("compare", "FILE"), PLAN),
        (("evaluate", "FILE"), EVALUATION),
        (("evaluate", "import", "x.csv", "--columns", "FILE"), COLUMNS),
        (("lab", "up", "FILE"), LAB),
        (("report", "r", "--prices", "FILE"), 'currency = "EUR"\n'),
        (("profile", "--settings", "FILE", "--", "true"), "[groups]\nlow = 0.2\n"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_bad_toml_and_unknown_keys_are_located(arguments: tuple[str, ...], text: str, tmp_path: Path) -> None:
    file = tmp_path / "f.toml"
    line = text.count("\n") + 1
    for mistake, complaint in (("key = ", f"{file}:{line}: not valid TOML: "), ("surprise = 1", f"{file}:{line}: ")):
        file.write_text(text + mistake)
        words = [str(file) if word == "FILE" else word for word in arguments]
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 2, done.stderr
        assert complaint in done.stderr
        assert "Traceback" not in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["f.toml"]  # nothing was begun
    assert "surprise: unknown key `surprise`" in done.stderr
