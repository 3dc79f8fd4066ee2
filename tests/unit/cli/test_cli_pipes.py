"""Where what `fairlead` says goes: streams that are closed, that nobody reads, of other encodings, full."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys
from fairlead.cli import main
main._main = lambda: sys.{stream}.write("nobody reads this")
main.main()
sys.exit(3)
"""
MAIN = "from fairlead.cli.main import main; main()"
CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'


def environment(**more: str) -> dict[str, str]:
    """As most have it: with buffers."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | more


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_nobody_reads_does_not_change_the_exit_code(stream: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as closed:
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: closed}
        code = CODE.format(stream=stream)
        done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False, env=environment(), **streams)  # type: ignore[call-overload]
    assert done.returncode == 3


def shell(redirected: str, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    line = ["bash", "-c", f'"$@" {redirected}', "bash", sys.executable, "-c", MAIN, *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False, env=environment(**more))


@pytest.mark.parametrize("buffered", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("words", [("--help",), ("completion", "bash")], ids=["help", "completion"])
def test_a_reader_that_goes_away_is_no_failure(words: tuple[str, ...], buffered: dict[str, str]) -> None:
    done = shell("| true; exit ${PIPESTATUS[0]}", *words, **buffered)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_change_the_exit_code(closed: str, tmp_path: Path) -> None:
    cluster, script = tmp_path / "c.toml", "echo said; echo said >&2; exit 3"
    cluster.write_text(CLUSTER)
    words = ["run", str(cluster), "--results", str(tmp_path / "r"), "--no-agents", "--own-mpirun"]
    done = shell(closed, *words, "--", "sh", "-c", script)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "said" in done.stdout + done.stderr or closed.count("&-") == 3


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "h0→h2 −3.4\u00a0µs 1\u2009000 × 2 ☃"),
        ("iso-8859-1", "h0->h2 -3.4\u00a0µs 1 000 × 2 \\u2603"),
        ("ascii:strict", "h0->h2 -3.4 us 1 000 x 2 \\u2603"),
    ],
)
def test_an_encoding_without_a_character_gets_one_that_says_the_same(encoding: str, expected: str) -> None:
    code = CODE.replace('"nobody reads this"', '"h0→h2 −3.4\u00a0µs 1\u2009000 × 2 ☃"')
    for stream in ("stdout", "stderr"):
        line = [sys.executable, "-c", code.format(stream=stream)]
        env = environment(PYTHONIOENCODING=encoding)
        done = subprocess.run(line, capture_output=True, timeout=60, check=False, env=env)
        assert getattr(done, stream).decode(encoding.removesuffix(":strict")) == expected
        assert done.returncode == 3


def test_a_full_disk_is_told() -> None:
    done = shell("> /dev/full", "completion", "bash")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "fairlead: standard output: the file system is full"
    done = shell("2> /dev/full", "nosuch")
    assert done.returncode == 2  # there is nowhere to tell it
