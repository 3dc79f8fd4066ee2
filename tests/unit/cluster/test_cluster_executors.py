"""Executors build command lines; compared as they are."""

import os
import pty
import pwd
import shlex
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from fairlead.benchmarks.noise.measure import chosen
from fairlead.cluster import executors
from fairlead.cluster.description import Cluster, Command, Host, Lxc, Ssh
from fairlead.cluster.executors.base import Executor, register
from fairlead.cluster.executors.shell_line import LONGEST_B
from fairlead.cluster.remote.execute import attempt, on_all, run_on
from fairlead.errors import ConfigError, HostError

HOSTS = (Host("h0", "10.0.0.1", reach="h0"), Host("h1", "10.0.0.2", reach="bob@login.example", interface="ens3"))
SSH = Cluster("c", "ssh", HOSTS, ssh=Ssh(user="ann", port=2222, identity=Path("/k/id"), options=("ForwardX11=no",)))


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_registry_knows_all_and_refuses_duplicates() -> None:
    assert executors.names() == ("command", "lab", "local", "lxc", "slurm", "ssh")
    with pytest.raises(ValueError, match="registered twice"):
        register("ssh")(type("Other", (Executor,), {}))
    with pytest.raises(ConfigError, match="executor 'rsh' is unknown"):
        executors.executor_of(replace(SSH, executor="rsh"))


def test_ssh_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with TemporaryDirectory(dir="/tmp") as short:  # a socket's path has to fit
        monkeypatch.setenv("XDG_CACHE_HOME", short)
        line = executors.executor_of(SSH).command("h0", ["echo", "a b", "$HOME"], env={"X": "1 2"}, cwd="/w d")
    assert line[0] == "ssh"
    assert line[-3:] == ["--", "ann@h0", "env '--chdir=/w d' 'X=1 2' echo 'a b' '$HOME'"]
    options = shlex.join(line[1:-3])
    assert "-o BatchMode=yes" in options
    assert "-p 2222 -i /k/id -o ForwardX11=no" in options
    assert "-o ControlMaster=auto" in options


def test_ssh_of_an_agent_has_its_own_connection_that_ends_when_the_host_is_silent() -> None:
    own = replace(SSH, ssh=replace(SSH.ssh, options=("ServerAliveInterval=60",)))
    line = executors.executor_of(own).lasting("h0", ["agent", "a b"])
    assert line[-3:] == ["--", "ann@h0", "agent 'a b'"]
    words = line[1:-3]
    assert "ControlPath=none" in words and "ServerAliveCountMax=3" in words
    # Of the two, ssh takes the first: the cluster file's.
    assert words.index("ServerAliveInterval=60") < words.index("ServerAliveInterval=5")
    said = subprocess.run(
        ["ssh", *words, "-F", "/dev/null", "-G", "h0"], capture_output=True, text=True, check=True
    ).stdout
    assert "serveraliveinterval 60\n" in said and "controlmaster false\n" in said


@pytest.mark.parametrize("shell", ["sh", "bash", "tcsh"])
@pytest.mark.parametrize("lasts", [False, True])
def test_scripts_of_several_lines_reach_every_log_in_shell(shell: str, lasts: bool) -> None:
    """csh has no line break in quotes, and replaces what follows an exclamation mark in them."""
    argv = ["sh", "-c", 'echo "it\'s" \'\\n\' "$0"!x\nexit 7', "a  b"]
    ssh = executors.executor_of(SSH)
    line = (ssh.lasting if lasts else ssh.command)("h0", argv)[-1]
    assert "\n" not in line and "!" not in line
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-c", line], capture_output=True, text=True, check=False)
    here = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (here.stdout, "", 7)


def test_ssh_user_of_the_host_wins() -> None:
    assert executors.executor_of(SSH).command("h1", ["true"])[-2] == "bob@login.example"


def test_ssh_without_multiplexing_where_the_socket_path_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/" + "x" * 80)
    assert not any("Control" in word for word in executors.executor_of(SSH).command("h0", ["true"]))


def test_unknown_host() -> None:
    with pytest.raises(ConfigError, match="no host is called 'h7'"):
        executors.executor_of(SSH).command("h7", ["true"])


def test_rsh_agent_maps_names_and_skips_options(tmp_path: Path) -> None:
    agent = executors.executor_of(SSH).rsh_agent()
    assert agent is not None
    assert agent.stat().st_mode & 0o777 == 0o700
    assert executors.executor_of(SSH).rsh_agent() == agent  # same content, same file
    fake = tmp_path / "bin" / "ssh"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\nfor word; do echo "[$word]"; done\n')
    fake.chmod(0o755)
    environment = {"PATH": f"{fake.parent}:/usr/bin:/bin"}
    done = subprocess.run(
        [agent, "-x", "h1", "orted", '"a b"'], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-4:] == ["[--]", "[bob@login.example]", "[orted]", '["a b"]']
    for words in (["-l", "user"], ["-x", "-p", "2222", "-o", "User=x", "-i", "/k", "-F", "/c", "-4"], ["-luser", "--"]):
        again = subprocess.run([agent, *words, "h1", "orted"], env=environment, capture_output=True, text=True)
        assert again.stdout.splitlines()[-3:] == ["[--]", "[bob@login.example]", "[orted]"], again.stderr
    lost = subprocess.run([agent, "h9", "orted"], env=environment, capture_output=True, text=True, check=False)
    assert lost.returncode == 255
    assert "host h9 is not in the cluster file" in lost.stderr


@pytest.mark.parametrize("executor", ["ssh", "lxc"])
def test_no_session_rides_on_the_connection_of_a_jobs_daemon(executor: str, tmp_path: Path) -> None:
    """With its job it ends by force, and other jobs' daemons on hosts that the user's ssh shares would end with it."""
    config = tmp_path / "config"
    config.write_text("Host *\nControlMaster auto\nControlPath /tmp/%C\n")
    host = Host("h0", "10.0.0.1", reach="c0@node7")
    own = Cluster("c", executor, (host,), ssh=Ssh(config=config, options=("ControlMaster=auto",)))
    agent = executors.executor_of(own).rsh_agent()
    fake = tmp_path / "bin" / "ssh"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\nexec /usr/bin/ssh -G "$@"\n')
    fake.chmod(0o755)
    done = subprocess.run(
        [str(agent), "h0", "orted"], env={"PATH": f"{fake.parent}:/usr/bin:/bin"}, capture_output=True, text=True
    )
    assert "controlmaster false\n" in done.stdout, done.stderr
    assert "controlpath /tmp/" in done.stdout, "it may ride on one that there is"


CONTAINERS = (Host("n1", "10.0.0.1", reach="c1"), Host("n2", "10.0.0.2", reach="c2@node7"))
LXC = Cluster("c", "lxc", CONTAINERS, ssh=Ssh(user="ann"), lxc=Lxc(path=Path("/srv/lxc")))
LOG_IN = 'HOME=~root; export HOME; cd; exec "$@"'


def test_lxc_command_line() -> None:
    lxc = executors.executor_of(LXC)
    attach = ["lxc-attach", "-P", "/srv/lxc", "-n", "c1", "--clear-env", "--", "sh", "-c", LOG_IN, "sh"]
    assert lxc.command("n1", ["echo", "a b"]) == [*attach, "echo", "a b"]
    assert lxc.command("n1", ["true"], env={"X": "1 2"}, cwd="/w") == [*attach, "env", "--chdir=/w", "X=1 2", "true"]
    line = lxc.command("n2", ["echo", "a b"])
    assert line[0] == "ssh"
    assert line[-2] == "ann@node7"
    attach[attach.index("c1")] = "c2"
    assert shlex.split(line[-1]) == [*attach, "echo", "a b"]
    line = lxc.lasting("n2", ["echo", "a b"])
    assert shlex.split(line[-1]) == [*attach, "echo", "a b"]
    assert "ControlPath=none" in line


def test_lxc_that_does_not_get_there_is_told_from_a_program_that_fails() -> None:
    lxc = executors.executor_of(LXC)
    stopped = b"lxc-attach: c1: attach.c: 406 Connection refused - Failed to get init pid\n"
    assert lxc.lost_by("n1", 1, stopped) == "lxc-attach"
    assert lxc.lost_by("n2", 1, b"Welcome to node7\n" + stopped) == "lxc-attach"
    assert lxc.lost_by("n1", 255, b"no luck\n") is None
    assert lxc.lost_by("n2", 255, b"ssh: connect to host node7 port 22: No route to host\n") == "ssh"
    assert lxc.lost_by("n2", 127, b"bash: line 1: lxc-attach: command not found\n") == "lxc-attach"
    assert lxc.lost_by("n1", 127, b"sh: 1: exec: prog: not found\n") is None


def test_hosts_are_told_apart_by_the_machines_that_they_are_on() -> None:
    assert [executors.executor_of(LXC).machine(name) for name in ("n1", "n2")] == ["this machine", "node7"]
    assert [executors.executor_of(SSH).machine(name) for name in ("h0", "h1")] == ["h0", "h1"]
    assert executors.executor_of(LOCAL).machine("here") == "this machine"
    third = Host("n3", "10.0.0.3", reach="c3@node7")
    assert chosen(replace(LXC, hosts=(*CONTAINERS, third)), ()) == ("n1", "n2")
    assert chosen(SSH, ()) == ("h0", "h1")


def test_lxc_rsh_agent_enters_each_container_its_way(tmp_path: Path) -> None:
    agent = executors.executor_of(LXC).rsh_agent()
    assert agent is not None
    for name in ("ssh", "lxc-attach"):
        fake = tmp_path / "bin" / name
        fake.parent.mkdir(exist_ok=True)
        fake.write_text(f'#!/bin/sh\necho "{name}"; for word; do echo "[$word]"; done\n')
        fake.chmod(0o755)
    environment = {"PATH": f"{fake.parent}:/usr/bin:/bin"}

    def says(*words: str) -> list[str]:
        done = subprocess.run([agent, *words], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert says("-l", "user", "n1", "orted") == says("n1", "orted")
    assert says("-x", "n1", "orted", '"a b"') == [
        "lxc-attach",
        *(f"[{word}]" for word in ("-P", "/srv/lxc", "-n", "c1", "--clear-env", "--", "sh", "-c", LOG_IN, "sh")),
        *("[sh]", "[-c]", '[orted "a b"]'),
    ]
    remote = says("n2", "orted", "it's", '"a b"')
    assert remote[0] == "ssh"
    assert remote[-2] == "[ann@node7]"
    assert shlex.split(remote[-1][1:-1])[-3:] == ["sh", "-c", 'orted it\'s "a b"']


def test_lxc_attach_never_finds_a_terminal(tmp_path: Path) -> None:
    """It would make one of its own, and what Open MPI's daemons say there is lost."""
    agent = executors.executor_of(LXC).rsh_agent()
    assert agent is not None
    fake = tmp_path / "lxc-attach"
    fake.write_text(
        "#!/bin/sh\nfor fd in 0 1 2; do [ -t $fd ] && echo terminal $fd; done\necho orted: not found >&2\nexit 127\n"
    )
    fake.chmod(0o755)
    ours, theirs = pty.openpty()
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(
        [agent, "n1", "orted"], env=environment, stdin=theirs, stdout=theirs, stderr=theirs, check=False
    )
    assert done.returncode == 127
    assert os.read(ours, 1000).decode().splitlines() == ["orted: not found"]
    os.close(ours)
    os.close(theirs)


PODS = (Host("n1", "10.0.0.1", reach="pod-1"), Host("n2", "10.0.0.2", reach="pod-2"))
# As podman exec does: no home, another directory. It says on which host it was.
BARE = ("env", "-u", "HOME", "-C", "/", "WHERE={reach}")


def by_command(**options: Any) -> Executor:
    return executors.executor_of(Cluster("c", "command", PODS, command=Command(**options)))


@pytest.mark.parametrize(("run", "by_shell"), [(BARE, False), ((*BARE, "sh", "-c"), True)])
def test_commands_run_behind_the_words_of_the_cluster_file(run: tuple[str, ...], by_shell: bool) -> None:
    executor = by_command(run=run, by_shell=by_shell)
    assert run_on(executor, "n2", ["sh", "-c", 'echo "$WHERE"; cat'], stdin=b"in") == "pod-2\nin"
    assert run_on(executor, "n1", ["printf", "%s|", "a b", "$HOME", "'", "{reach}"]) == "a b|$HOME|'|{reach}|"
    home = pwd.getpwuid(os.geteuid()).pw_dir
    assert run_on(executor, "n1", ["sh", "-c", 'pwd; echo "$HOME"']) == f"{home}\n{home}\n"
    elsewhere = executor.command("n1", ["sh", "-c", 'pwd; echo "$X"'], {"X": "1 2"}, cwd="/usr")
    assert subprocess.run(elsewhere, capture_output=True, text=True, check=True).stdout == "/usr\n1 2\n"
    assert attempt(executor, "n1", ["sh", "-c", "exit 125"]).returncode == 125


def test_exit_codes_of_the_words_that_get_nowhere_are_the_cluster_files() -> None:
    executor = by_command(run=("sh", "-c", "echo no container {reach} >&2; exit 125"), failed=(125,))
    with pytest.raises(HostError, match=r"n2: sh could not reach the host: no container pod-2") as told:
        attempt(executor, "n2", ["true"])
    assert told.value.hint.startswith("`sh -c 'echo no container pod-2 >&2; exit 125' true` must work")


def test_what_asks_on_a_terminal_may_have_other_words() -> None:
    run, terminal = ("podman", "exec", "-i", "{reach}"), ("podman", "exec", "-it", "{reach}")
    assert by_command(run=run, terminal=terminal).on_terminal("n1", ["sudo"])[:4] == ["podman", "exec", "-it", "pod-1"]
    assert by_command(run=run).on_terminal("n1", ["sudo"])[:4] == ["podman", "exec", "-i", "pod-1"]


@pytest.mark.parametrize(("run", "by_shell"), [(BARE, False), ((*BARE, "sh", "-c"), True)])
def test_mpirun_enters_each_host_by_the_same_words(run: tuple[str, ...], by_shell: bool) -> None:
    agent = by_command(run=run, by_shell=by_shell).rsh_agent()
    assert agent is not None
    words = [agent, "-x", "-l", "user", "n2", 'echo "$WHERE"', "it\\'s", '"a  b"', ";", "exit", "7"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("pod-2 it's a  b\n", 7), done.stderr
    lost = subprocess.run([agent, "n9", "orted"], capture_output=True, text=True, check=False)
    assert (lost.returncode, lost.stderr) == (255, "fairlead: host n9 is not in the cluster file\n")


def test_a_command_that_is_given_up_ends_with_its_children(tmp_path: Path) -> None:
    """They may hold the pipes that are read to their ends."""
    begin_s = time.monotonic()
    with pytest.raises(HostError, match=r"did not end within 2 s"):
        run_on(
            executors.executor_of(LOCAL),
            "here",
            ["sh", "-c", f"echo $$ >{tmp_path}/pid; sleep 30; true"],
            timeout_s=2.0,
        )
    assert time.monotonic() - begin_s < 20
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


LOCAL = Cluster("c", "local", (Host("here", "127.0.0.1", reach="here", interface="lo"),))


def test_local_runs_as_it_is(tmp_path: Path) -> None:
    local = executors.executor_of(LOCAL)
    assert local.command("here", ["prog", "-x"]) == ["prog", "-x"]
    assert local.rsh_agent() is None
    assert run_on(local, "here", ["sh", "-c", 'echo "$A"'], env={"A": "b c"}) == "b c\n"
    line = local.command("here", ["pwd"], cwd=str(tmp_path))
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == f"{tmp_path}\n"


def test_who_wonders_why_a_host_is_not_reached_gets_the_command_to_try() -> None:
    assert executors.executor_of(SSH).look("h1") == (
        "`ssh -o BatchMode=yes -o ConnectTimeout=10 -p 2222 -i /k/id -o ForwardX11=no -- bob@login.example true` "
        "must work without a password; see `reach` and [ssh] in the cluster file"
    )
    lxc = executors.executor_of(LXC)
    assert "`lxc-attach -P /srv/lxc -n c1 --clear-env -- true` must work, as root; see" in lxc.look("n1")
    assert "`lxc-attach -P /srv/lxc -n c2 --clear-env -- true` must work on node7, as root" in lxc.look("n2")
    assert "`ssh ann@node7 true` here" in lxc.look("n2")
    nodes = (Host("n1", "10.0.0.1", reach="node1@42"), Host("n2", "10.0.0.2", reach="node2@43+1"))
    slurm = executors.executor_of(Cluster("c", "slurm", nodes))
    tried = "srun --jobid=42 --nodelist=node1 --overlap -N1 -n1 true"
    assert f"(`squeue -j 42`)? `{tried}` must work" in slurm.look("n1")
    assert "`srun --jobid=43 --het-group=1 --nodelist=node2 --overlap -N1 -n1 true` must work" in slurm.look("n2")


def test_what_fails_on_a_host_is_told_with_the_hosts_name() -> None:
    local = executors.executor_of(LOCAL)
    with pytest.raises(HostError, match=r"here: `sh` ended with exit code 3: no luck"):
        run_on(local, "here", ["sh", "-c", "echo no luck >&2; exit 3"])
    assert attempt(local, "here", ["sh", "-c", "exit 3"]).returncode == 3
    with pytest.raises(HostError, match=r"did not end within 0\.2 s"):
        run_on(local, "here", ["sleep", "5"], timeout_s=0.2)


def test_many_hosts_at_a_time() -> None:
    assert on_all(["a", "b"], str.upper) == {"a": "A", "b": "B"}
    assert on_all([], str.upper) == {}


def test_a_line_that_is_too_long_for_one_word_is_refused_with_the_limit() -> None:
    subprocess.run(["true", "x" * LONGEST_B], check=True)
    with pytest.raises(OSError, match="Argument list too long"):
        subprocess.run(["true", "x" * (LONGEST_B + 1)], check=True)
    executor = executors.executor_of(SSH)
    executor.command("h0", ["true", "x" * (LONGEST_B - len("true "))])
    for words in (["true", "x" * LONGEST_B], ["true", "é" * (LONGEST_B // 2)], ["true", "\n" * (LONGEST_B // 4)]):
        with pytest.raises(ConfigError, match=rf"as one word, of which Linux takes at most {LONGEST_B} B") as refused:
            executor.command("h0", words)
        assert 'launch_from = "here"' in refused.value.hint
