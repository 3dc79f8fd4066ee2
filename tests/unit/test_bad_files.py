"""Every command tells what is wrong with a file that it takes: file, line and key, exit code 2, no traceback."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command, main
from fairlead.errors import ConfigError

COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
CLUSTER = (
    '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
)
PLAN = '[comparison]\nname = "p"\nlab = "l.toml"\n\n[congestion]\nbottlenecks = []\n\n[[programs]]\nname = "x"\n'
EVALUATION = '[evaluation]\nname = "e"\ncluster = "c"\n[factors]\nf = [1]\n[run]\ncommand = ["true"]\n'
COLUMNS = '[dataset]\nname = "d"\n[factors]\nf = "f"\n[values.time_s]\ncolumn = "t"\nunit = "s"\n'
LAB = '[lab]\nname = "l"\ntopology = "star"\nhosts_per_leaf = 2\n\n[host_link]\nrate = "1gbit"\n'
STEPS = 'title = "m"\nsteps = [\n    "timer",\n]\n'
PRICES = 'currency = "EUR"\nextends = ["others.toml"]\n'
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
def test_bad_toml_and_unknown_keys_are_located(
    arguments: tuple[str, ...],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "f.toml"
    line = text.count("\n") + 1
    words = [str(file) if word == "FILE" else word for word in arguments]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["fairlead", *words])
    for mistake, complaint in (("key = ", "not valid TOML: "), ("surprise = 1", "surprise: unknown key `surprise`")):
        file.write_text(text + mistake)
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        told = capsys.readouterr().err
        assert f"{file}:{line}: " in told
        assert complaint in told
        assert [path.name for path in tmp_path.iterdir()] == ["f.toml"]  # nothing was begun


def test_a_process_ends_with_code_2_and_without_traceback(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(CLUSTER + "surprise = 1")
    words = ["run", "f.toml", "--", "true"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2, done.stderr
    assert "f.toml:9: " in done.stderr
    assert "surprise: unknown key `surprise`" in done.stderr
    assert "Traceback" not in done.stderr


KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "cluster": (("run", "FILE", "--", "true"), CLUSTER),
    "comparison": (("compare", "FILE"), PLAN),
    "evaluation": (("evaluate", "FILE"), EVALUATION),
    "columns": (("evaluate", "import", "x.csv", "--columns", "FILE"), COLUMNS),
    "lab": (("lab", "up", "FILE"), LAB),
    "steps": (("measure", "c.toml", "plan", "FILE"), STEPS),
    "prices": (("report", "r", "--prices", "FILE"), PRICES),
    "prices of a plan": (("evaluate", "plan", "p.toml", "--prices", "FILE"), PRICES),
}
FIRST_KEYS = {"steps": "title", "prices": "currency", "prices of a plan": "currency"}
"""By kind; `name` of the others."""


def first_key(text: str, becomes: str) -> bytes:
    """With the first `key = value` written otherwise."""
    return re.sub(r"^(\w+) = (.+)$", becomes, text, count=1, flags=re.MULTILINE).encode()


SPOILT: dict[str, tuple[Callable[[str], bytes], str]] = {
    "a value is missing": (lambda text: (text + "key = ").encode(), "not valid TOML"),
    "cut within a text": (lambda text: text[: text.rindex('"')].encode(), "not valid TOML"),
    "a key stands twice": (lambda text: first_key(text, r"\g<0>\n\g<0>"), "not valid TOML"),
    "a table stands twice": (lambda text: (text + text).encode(), "not valid TOML"),
    "an open bracket": (lambda text: text.replace("]", "", 1).encode(), "not valid TOML"),
    "no quotes": (lambda text: first_key(text, r"\1 = some words"), "not valid TOML"),
    "a zero byte": (lambda text: text.encode() + b"# \0", "not valid TOML"),
    "JSON": (lambda text: b'{"name": "x"}', "not valid TOML"),
    "not UTF-8": (lambda text: text.encode() + b"# \xf6", "is not UTF-8 text"),
    "empty": (lambda text: b"", "is missing"),
    "an unknown key": (lambda text: b"surprise = 1\n" + text.encode(), "surprise: unknown key `surprise`"),
    "a misspelt key": (lambda text: first_key(text, r"\1e = \2"), "(did you mean `KEY`?)"),
    "a number for a text": (lambda text: first_key(text, r"\1 = 5"), "KEY: must be a string"),
    "a table for a text": (lambda text: first_key(text, r"\1 = { a = 1 }"), "KEY: must be a string"),
}


@pytest.mark.parametrize("way", SPOILT)
@pytest.mark.parametrize("kind", KINDS)
def test_a_spoilt_file_is_told_by_line_and_nothing_is_begun(
    kind: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, text = KINDS[kind]
    spoil, complaint = SPOILT[way]
    file = tmp_path / "f.toml"
    file.write_bytes(spoil(text))
    (tmp_path / "c.toml").write_text(CLUSTER)
    (tmp_path / "p.toml").write_text(EVALUATION.replace('"c"', '"c.toml"'))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, [str(file) if word == "FILE" else word for word in words])
    assert isinstance(done.exception, ConfigError), (done.output, done.exception)  # the command ends with code 2
    told = str(done.exception)
    assert complaint.replace("KEY", FIRST_KEYS.get(kind, "name")) in told
    assert re.match(rf"{re.escape(str(file))}:" + (" " if way == "not UTF-8" else r"\d+: "), told), told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.toml", "f.toml", "p.toml"]
