"""Which part of the lock the Debian package bundles, and the demo needs."""

from scripts.runtime_lock import needed

LOCK = """\
click==8.1 \\
    --hash=sha256:aa
    # via fairlead (pyproject.toml)
deep-one==1.0 \\
    --hash=sha256:bb \\
    --hash=sha256:bc
    # via
    #   only-tests
    #   typing_extra
only-tests==2.0 \\
    --hash=sha256:cc
    # via fairlead (pyproject.toml)
typing_extra==3.0 \\
    --hash=sha256:dd
    # via click
"""


def test_what_is_named_and_what_that_needs() -> None:
    kept = needed(LOCK, {"click"})
    assert "only-tests==" not in kept
    assert kept == LOCK.replace("only-tests==2.0 \\\n    --hash=sha256:cc\n    # via fairlead (pyproject.toml)\n", "")
    assert needed(LOCK, {"only-tests"}).startswith("deep-one==1.0") and "click==" not in needed(LOCK, {"only-tests"})
