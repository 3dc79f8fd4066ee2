"""The manifests of deploy/kubernetes, against the published schema of MPIJobs, and the chart against the manifests.

`mpijob.schema.json` is a part of the operator's own schema; where that came from stands in it.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from fairlead import native
from fairlead.cli.run import command as run
from fairlead.cluster.guardian.places import INSTALLED
from fairlead.cluster.guardian.state import CAPABILITY
from fairlead.programs.launch_request import LaunchRequest

DIRECTORY = Path(__file__).parents[3] / "deploy" / "kubernetes"
SCHEMA = json.loads(Path(__file__).with_name("mpijob.schema.json").read_text(encoding="utf-8"))
RELAY, ROUTE = DIRECTORY / "mpijob.yaml", DIRECTORY / "mpijob-route.yaml"
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": int | float,
}


def mistakes(value: Any, schema: dict[str, Any], at: str = "") -> Iterator[str]:
    """Where a value is not as a structural schema of Kubernetes says. A key that it does not have is a mistake, too."""
    if schema.get("x-kubernetes-int-or-string"):
        kinds: Any = int | str
    else:
        kinds = TYPES[schema["type"]]
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
        yield f"{at}: {value!r} is no {schema.get('type', 'number or text')}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], str(value)):
        yield f"{at}: {value!r} does not match"
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from mistakes(item, schema["items"], f"{at}[{index}]")
    elif isinstance(value, dict) and (schema.keys() & {"properties", "additionalProperties"}):
        for key in schema.get("required", ()):
            if key not in value:
                yield f"{at}: {key} is missing"
        for key, item in value.items():
            of_key = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if of_key is None:
                yield f"{at}.{key}: unknown"
            else:
                yield from mistakes(item, of_key, f"{at}.{key}")


def job(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read


def pod(manifest: dict[str, Any], kind: str) -> dict[str, Any]:
    """The container of launcher or workers."""
    (container,) = manifest["spec"]["mpiReplicaSpecs"][kind]["template"]["spec"]["containers"]
    found: dict[str, Any] = container
    return found


@pytest.mark.parametrize("path", [RELAY, ROUTE], ids=lambda path: path.stem)
def test_manifests_are_as_the_operators_schema_says(path: Path) -> None:
    manifest = job(path)
    assert (manifest["apiVersion"], manifest["kind"]) == ("kubeflow.org/v2beta1", "MPIJob")
    assert list(mistakes(manifest, SCHEMA)) == []


@pytest.mark.parametrize(
    ("keys", "value", "cause"),
    [
        (("spec", "mpiImplementation"), "OpenMpi", ".spec.mpiImplementation: 'OpenMpi' is none of ['OpenMPI', 'Intel'"),
        (("spec", "slotsPerWorker"), "2", ".spec.slotsPerWorker: '2' is no integer"),
        (("spec", "slotsPerWorker"), True, ".spec.slotsPerWorker: True is no integer"),
        (("spec", "slots"), 2, ".spec.slots: unknown"),
        (("spec", "mpiReplicaSpecs", "Worker", "replica"), 2, ".spec.mpiReplicaSpecs.Worker.replica: unknown"),
        (("spec", "mpiReplicaSpecs", "Worker", "template", "spec"), {}, "Worker.template.spec: containers is missing"),
        (("spec",), {}, ".spec: mpiReplicaSpecs is missing"),
    ],
)
def test_mistakes_are_found(keys: tuple[str, ...], value: object, cause: str) -> None:
    manifest = copy.deepcopy(job(RELAY))
    table = manifest
    for key in keys[:-1]:
        table = table[key]
    table[keys[-1]] = value
    (found,) = mistakes(manifest, SCHEMA)
    assert cause in found


@pytest.mark.parametrize(("path", "plane"), [(RELAY, "relay"), (ROUTE, "route")])
def test_the_launcher_runs_fairlead_in_mpiruns_place(path: Path, plane: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = pod(job(path), "Launcher")
    program, subcommand, *words = launcher["command"] + launcher["args"]
    assert (program, subcommand) == ("fairlead", "run")
    asked: dict[str, Any] = {}

    def started(cluster: Path, request: LaunchRequest, **options: Any) -> int:
        asked.update(options, cluster=cluster, argv=request.argv)
        return 0

    monkeypatch.setattr("fairlead.manage.run.run", started)
    monkeypatch.setattr("fairlead.cluster.inventory.choose.cluster_file", Path)
    done = CliRunner().invoke(run, words)
    assert done.exception is None, done.output
    # Where the operator mounts the hostfile.
    assert asked["cluster"] == Path("hostfile:/etc/mpi/hostfile")
    assert (asked["plane"], asked["argv"]) == (plane, ("/home/mpiuser/pi",))
    # A place that the pod's user may write to: the image's own may be none, and the cluster file is written there.
    assert launcher["workingDir"] == str(Path(job(path)["spec"]["sshAuthMountPath"]).parent)


@pytest.mark.parametrize("path", [RELAY, ROUTE], ids=lambda path: path.stem)
def test_what_the_operator_says_no_to(path: Path) -> None:
    """What its schema leaves open and its validation does not, and the names that pods get."""
    manifest = job(path)
    replicas = manifest["spec"]["mpiReplicaSpecs"]
    assert set(replicas) == {"Launcher", "Worker"}
    assert replicas["Launcher"]["replicas"] == 1
    assert {each["restartPolicy"] for each in replicas.values()} <= {"Never", "OnFailure"}
    assert manifest["spec"]["runPolicy"]["cleanPodPolicy"] in {"None", "Running", "All"}
    assert manifest["spec"]["launcherCreationPolicy"] in {"AtStartup", "WaitForWorkersReady"}
    last = f"{manifest['metadata']['name']}-worker-{replicas['Worker']['replicas'] - 1}"
    assert re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", last)


def test_only_workers_of_the_route_plane_have_a_privilege() -> None:
    context = {"runAsUser": 1000, "runAsNonRoot": True, "allowPrivilegeEscalation": False}
    assert pod(job(RELAY), "Launcher")["securityContext"] == context
    assert pod(job(RELAY), "Worker")["securityContext"] == context
    assert pod(job(ROUTE), "Launcher")["securityContext"] == context
    assert pod(job(ROUTE), "Worker")["securityContext"] == {
        **context,
        "allowPrivilegeEscalation": True,  # the guardian's file capability counts only then
        "capabilities": {"add": ["NET_ADMIN"]},
    }


def test_the_image_has_the_guardian_where_runs_look_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = (DIRECTORY / "Dockerfile").read_text(encoding="utf-8")
    found = re.search(r'install -m 0755 "\$\(\S+ -c \'(.*?)\'\)" \\\s+(\S+)', text)
    assert found is not None
    exec(found[1])
    assert capsys.readouterr().out.strip() == str(native.program("fairlead-guardian"))
    assert found[2] == INSTALLED
    assert f"setcap {CAPABILITY}+ep {INSTALLED}" in text


FILTERS: dict[str, Callable[[Any], str]] = {"": str, "toJson": json.dumps, "int64": lambda value: str(int(value))}
IF = re.compile(
    r"\{\{- if \.Values\.(\w+) \}\}\n(.*?)(?:\n\{\{- else \}\}\n((?:(?!\{\{- if).)*?))?\n\{\{- end \}\}", re.S
)
VALUE = re.compile(r"\{\{ \.(Values|Release)\.(\w+)(?: \| (\w+))? \}\}")


def rendered(values: dict[str, Any], name: str) -> dict[str, Any]:
    """The chart's template, in the part of Go's template language that it keeps to; anything else is an error."""
    tables = {"Values": values, "Release": {"Name": name}}
    text = (DIRECTORY / "chart" / "templates" / "mpijob.yaml").read_text(encoding="utf-8")
    text = IF.sub(lambda found: (found[2] if values[found[1]] else found[3]) or "", text)
    text = VALUE.sub(lambda found: FILTERS[found[3] or ""](tables[found[1]][found[2]]), text)
    assert "{{" not in text and "}}" not in text, text
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def values() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DIRECTORY / "chart" / "values.yaml").read_text(encoding="utf-8"))
    return read


@pytest.mark.parametrize(("net_admin", "path"), [(False, RELAY), (True, ROUTE)])
def test_the_chart_makes_the_manifests(net_admin: bool, path: Path) -> None:
    assert values()["netAdmin"] is False
    assert rendered({**values(), "netAdmin": net_admin}, "solver") == job(path)


def test_what_a_chart_is_given_is_in_the_job() -> None:
    given = {
        "image": 'a:"1"',
        "command": ["/bin/x", "--text", "a: b # c"],
        "workers": 7,
        "slots": 3,
        "netAdmin": False,
        "mpiImplementation": "MPICH",
        "userId": 1000650000,
        "home": "/home/ann",
        "sshPort": 22,
    }
    assert given.keys() == values().keys()
    made = rendered(given, "run-1")
    assert list(mistakes(made, SCHEMA)) == []
    assert made["metadata"]["name"] == "run-1"
    assert (made["spec"]["slotsPerWorker"], made["spec"]["mpiImplementation"]) == (3, "MPICH")
    assert made["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] == 7
    assert made["spec"]["sshAuthMountPath"] == "/home/ann/.ssh"
    assert pod(made, "Launcher")["args"] == given["command"]
    worker = pod(made, "Worker")
    assert (worker["image"], worker["securityContext"]["runAsUser"]) == ('a:"1"', 1000650000)
    assert worker["command"][-1] == "/home/ann/.sshd_config"
    assert worker["readinessProbe"] == {"tcpSocket": {"port": 22}}


def test_helm_refuses_values_of_another_kind() -> None:
    """By the chart's schema: the text "false" would pass for true and give the privilege, the text "two" for 0."""
    schema = json.loads((DIRECTORY / "chart" / "values.schema.json").read_text(encoding="utf-8"))
    assert schema["properties"].keys() == values().keys() | {"global"}
    assert set(schema["required"]) == values().keys() and schema["additionalProperties"] is False
    checked = {key: value for key, value in schema.items() if key != "additionalProperties"}
    assert list(mistakes(values(), checked)) == []
    wrong = [("netAdmin", "false"), ("slots", "two"), ("workers", 2.5), ("command", "/bin/x"), ("home", 'a"b')]
    wrong += [("mpiImplementation", "openmpi"), ("userId", True)]
    for key, value in wrong:
        assert list(mistakes({**values(), key: value}, checked)), key


def test_the_chart_is_one_of_helm_3() -> None:
    chart = yaml.safe_load((DIRECTORY / "chart" / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["apiVersion"], chart["type"]) == ("v2", "application")
    assert re.fullmatch(r"[a-z][-a-z0-9]*", chart["name"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", chart["version"])
