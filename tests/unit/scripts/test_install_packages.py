"""scripts/install-packages.sh with an imitated package manager: what it installs, and that it leaves no daemon on."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "install-packages.sh"
# `installed` has a file for each installed package, `units` one for each enabled unit, `files` what packages bring.
FAKES = {
    "id": "echo 1000",
    "dpkg-query": """
        case $# in
          2) for package in "$SITE"/installed/*; do echo "installed ${package##*/}"; done ;;
          3) [ -e "$SITE/installed/$3" ] && printf installed ;;
        esac""",
    "dpkg": 'shift; for package; do cat "$SITE/files/$package"; done',
    "systemctl": '[ "$1" = is-enabled ] && [ -e "$SITE/units/$2" ] && echo enabled || echo static',
    "sudo": """
        shift
        echo "$*" >>"$SITE/log"
        case "$*" in
          sh*) cat >/dev/null ;;
          *apt-get\\ install*) touch "$SITE/installed/openssh-server" "$SITE/installed/epmd" ; exit "$FAILS" ;;
        esac""",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("installed", "units", "files", "scripts", "bin"):
        (tmp_path / name).mkdir()
    for name, body in FAKES.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    brings = {
        "nginx": ["/lib/systemd/system/nginx.service"],
        "openssh-server": ["/usr/sbin/sshd", "/lib/systemd/system/ssh.service", "/lib/systemd/system/ssh.socket"],
        "epmd": ["/usr/lib/systemd/system/epmd.socket"],
    }
    for package, paths in brings.items():
        (tmp_path / "files" / package).write_text("".join(f"{path}\n" for path in paths))
    for unit in ("nginx.service", "ssh.service", "epmd.socket"):
        (tmp_path / "units" / unit).touch()
    (tmp_path / "installed" / "nginx").touch()
    (tmp_path / "list.txt").write_text("# what\nnginx  is there\nopenssh-server  is not\n")
    shutil.copy(SCRIPT, tmp_path / "scripts")
    return tmp_path


def install(site: Path, *, fails: int = 0) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """What the script said, and what it did by sudo."""
    environment = {**os.environ, "PATH": f"{site}/bin:{os.environ['PATH']}", "SITE": str(site), "FAILS": str(fails)}
    done = subprocess.run(
        [site / "scripts" / SCRIPT.name, "list.txt"], env=environment, capture_output=True, text=True, check=False
    )
    log = site / "log"
    return done, log.read_text().splitlines() if log.exists() else []


def test_what_is_missing_is_installed_and_its_daemons_stay_off_at_the_next_boot(site: Path) -> None:
    done, by_sudo = install(site)
    assert done.returncode == 0, done.stderr
    assert "env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openssh-server" in by_sudo
    # Those of what came along, too; not what was there before, nor what no boot would start.
    assert [line for line in by_sudo if "systemctl" in line] == ["systemctl --quiet disable epmd.socket ssh.service"]
    assert "epmd.socket ssh.service" in done.stdout


def test_daemons_stay_off_also_where_the_installation_breaks_off(site: Path) -> None:
    done, by_sudo = install(site, fails=1)
    assert done.returncode == 1
    assert "apt-get failed" in done.stderr
    assert "systemctl --quiet disable epmd.socket ssh.service" in by_sudo


def test_nothing_is_done_where_nothing_is_missing(site: Path) -> None:
    (site / "installed" / "openssh-server").touch()
    done, by_sudo = install(site)
    assert (done.returncode, done.stdout, by_sudo) == (0, "", [])
