"""The cluster file: what is accepted, what is complained about, and where."""

from pathlib import Path

import pytest

from fairlead.cluster.cluster_file import load_cluster, parse_cluster
from fairlead.errors import ConfigError

MESH = """[cluster]
name = "mesh3"
executor = "lab"
lab = "mesh3"
interface = "eth0"

[[hosts]]
name = "h0"
address = "10.64.0.1"
slots = 2

[[hosts]]
name = "h1"
address = "10.64.0.2"

[[hosts]]
name = "r0"
address = "10.64.0.3"
role = "relay"
slots = 0

[[hosts]]
name = "n0"
address = "10.64.0.4"
role = "other"
"""


def test_hosts_and_defaults() -> None:
    cluster = parse_cluster(MESH)
    assert [host.name for host in cluster.compute_hosts()] == ["h0", "h1"]
    assert [host.name for host in cluster.managed_hosts()] == ["h0", "h1", "r0"]
    assert cluster.host("h1").slots == 1
    assert cluster.slots() == 3
    assert cluster.host("h0").reach == "h0"
    assert cluster.interfaces() == ("eth0",)
    assert cluster.cores_shared  # hosts of a lab are on one machine
    assert cluster.launch_from == "h0"
    assert cluster.nothing_to_manage() is None


def test_a_file_is_read_and_named_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "mesh3.cluster.toml"
    path.write_text(MESH)
    assert load_cluster(path).source == str(path)
    with pytest.raises(ConfigError, match=r"mesh3.cluster.toml: no host is called 'h9'\n  hosts: h0, h1"):
        load_cluster(path).host("h9")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            'executor = "lab"',
            'executor = "rsh"',
            r"c.toml:3: cluster.executor: must be one of command, lab, local, lxc, slurm, ssh",
        ),
        ('lab = "mesh3"\n', "", r"c.toml:1: cluster.lab: executor = \"lab\" needs the lab's name here"),
        ('"10.64.0.2"', '"10.64.0.1"', r"c.toml:14: hosts\[1\].address: 10.64.0.1 is already the address of h0"),
        ('"10.64.0.2"', '"10.64.0"', r"c.toml:14: hosts\[1\].address: '10.64.0' is not an IP address"),
        (
            '"10.64.0.2"',
            '"fe80::2"',
            r"c.toml:14: hosts\[1\].address: 'fe80::2' belongs to one link only; give the host's",
        ),
        ('"10.64.0.2"', '"::ffff:10.64.0.2"', r"c.toml:14: .*'::ffff:10.64.0.2' is an IPv4 address; write '10.64.0.2'"),
        (
            '"10.64.0.2"',
            '"fd00::2"',
            r"c.toml:14: hosts\[1\].address: fd00::2 is of IPv6, 10.64.0.1 of h0 is not: no packet",
        ),
        ('name = "h1"', 'name = "h0"', r"c.toml:13: hosts\[1\].name: 'h0' is already host 0"),
        ('name = "h1"', 'name = "-oProxyCommand=x"', r"c.toml:13: hosts\[1\].name: "),
        ('role = "relay"', 'role = "router"', r"c.toml:19: hosts\[2\].role: "),
        ("slots = 2", "slots = 0", r"c.toml:10: hosts\[0\].slots: a compute host needs at least one slot"),
        ("slots = 2", "slot = 2", r"c.toml:10: hosts\[0\].slot: unknown key `slot` \(did you mean `slots`\?\)"),
        ('name = "h1"', 'name = "h 1"', r"'h 1' is refused: it must begin with a letter or digit and have letters"),
        (
            'interface = "eth0"',
            'interface = "eth0"\nports = [9, 8]',
            r"c.toml:6: cluster.ports: must be \[first, last\]",
        ),
        ('interface = "eth0"', 'interface = "eth0"\nlaunch_from = "h7"', r"c.toml:6: cluster.launch_from: must be"),
        (
            'executor = "lab"',
            'executor = "lxc"\nlaunch_from = "h1"',
            r"c.toml:4: cluster.launch_from: must be \"here\" with executor = \"lxc\"",
        ),
        (
            "[[hosts]]",
            '[lxc]\npath = "containers"\n[[hosts]]',
            r"c.toml:8: lxc.path: must be an absolute path, which must exist on the servers too",
        ),
        (
            'executor = "lab"',
            'executor = "command"',
            r"c.toml:3: cluster.executor: \"command\" needs \[command\] run, the words that reach a host",
        ),
        (
            "[[hosts]]",
            '[command]\nrun = ["podman", "exec", "-i"]\n[[hosts]]',
            r"c.toml:8: command.run: must have \{reach\} in one of its words",
        ),
        (
            "[[hosts]]",
            '[command]\nrun = "podman exec {reach}"\n[[hosts]]',
            r"c.toml:8: command.run: ",
        ),
        ('interface = "eth0"', "", r"c.toml:1: cluster.interface: is missing"),
        (
            "[[hosts]]",
            "[settings]\ndetour.dwell = 1\n[[hosts]]",
            r"c.toml:7: settings: there is no setting detour.dwell;",
        ),
    ],
)
def test_mistakes_are_told_by_line_and_key(old: str, new: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        parse_cluster(MESH.replace(old, new, 1), source="c.toml")


def test_settings_of_the_agents() -> None:
    text = MESH.replace("[[hosts]]", "[settings]\ndetour.dwell_s = 1\nprobes.burst = 4\n[[hosts]]", 1)
    assert parse_cluster(text).settings == {"detour.dwell_s": 1, "probes.burst": 4}
    assert parse_cluster(MESH).settings == {}


def test_all_mistakes_are_told_at_once() -> None:
    text = MESH.replace("10.64.0.2", "x").replace('executor = "lab"', 'executor = "y"').replace("slots = 2", "slot = 2")
    text += '[ssh]\noptions = ["-x"]\n[lxc]\npath = "lxc"\n'
    with pytest.raises(ConfigError) as caught:
        parse_cluster(text, source="c.toml")
    keys = ["cluster.executor", "hosts[0].slot", "hosts[1].address", "ssh.options[0]", "lxc.path"]
    assert [line.split(": ")[1] for line in str(caught.value).splitlines()] == keys  # and in the file's order


def test_no_compute_host() -> None:
    text = '[cluster]\nname="c"\nexecutor="ssh"\ninterface="e"\n[[hosts]]\nname="a"\naddress="10.0.0.1"\nrole="relay"\n'
    with pytest.raises(ConfigError, match="no rank could run"):
        parse_cluster(text)


def test_one_and_two_hosts_are_legal_but_said_to_be_of_no_use() -> None:
    one = '[cluster]\nname="c"\nexecutor="local"\ninterface="lo"\n[[hosts]]\nname="a"\naddress="127.0.0.1"\n'
    assert "nothing to manage" in (parse_cluster(one).nothing_to_manage() or "")
    two = one + '[[hosts]]\nname="b"\naddress="127.0.0.2"\n'
    assert "no third host" in (parse_cluster(two).nothing_to_manage() or "")
    assert parse_cluster(two).nothing_to_manage(ways=1) is None
    assert "nothing to manage" in (parse_cluster(one).nothing_to_manage(ways=1) or "")


def test_paths_in_the_ssh_table_start_at_the_files_directory(tmp_path: Path) -> None:
    text = MESH.replace('"lab"\n', '"ssh"\n', 1).replace('lab = "mesh3"\n', "")
    text += '[ssh]\nuser = "ann"\nport = 2222\nidentity = "keys/id"\nconfig = "~/c"\noptions = ["ForwardX11=no"]\n'
    ssh = parse_cluster(text, directory=tmp_path).ssh
    assert ssh.identity == tmp_path / "keys/id"
    assert ssh.config == Path("~/c").expanduser()
    assert (ssh.user, ssh.port, ssh.options, ssh.shared_files) == ("ann", 2222, ("ForwardX11=no",), True)


def test_ssh_options_must_look_like_options() -> None:
    text = MESH + '[ssh]\noptions = ["-i key"]\n'
    with pytest.raises(ConfigError, match=r"ssh.options\[0\]: '-i key' is refused: it must be of the form Name=value"):
        parse_cluster(text)
