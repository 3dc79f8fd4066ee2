"""The lab as a cloud: what a migration that comes to nothing says of its machine, and what a lab cannot do."""

from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.cloud import lab as driver_module
from fairlead.cloud.lab import LabDriver, LabMigration
from fairlead.errors import CloudError, CreationRefusedError, LabError


class Failing:
    """A migration in a lab whose carrier has died."""

    def __init__(self, lab: Any, vm: str, server: str) -> None:
        pass

    def poll(self) -> None:
        raise LabError("h0 to s1: the process that carried it out died")


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ({"s0": ["switch", "h0"], "s1": ["switch"]}, "h0 runs on s0: h0 to s1: the process that carried it out died"),
        ({"s0": ["switch"], "s1": ["switch", "h0"]}, "h0 runs on s1: h0 to s1: the process that carried it out died"),
        ({"s0": ["switch"], "s1": ["switch"]}, "h0 is being migrated right now: h0 to s1: the process"),
        ({"s0": ["switch"]}, "where h0 runs is not known (s1 of lab l did not answer): h0 to s1: the process"),
    ],
)
def test_a_failure_says_where_the_kernel_sees_the_machine(
    monkeypatch: pytest.MonkeyPatch, links: dict[str, list[str]], told: str
) -> None:
    def counters(lab: Any, server: str) -> dict[str, None]:
        if server not in links:
            raise CloudError(f"{server} of lab l did not answer")
        return dict.fromkeys(links[server])

    monkeypatch.setattr(driver_module, "Migration", Failing)
    monkeypatch.setattr(driver_module, "_counters", counters)
    lab: Any = SimpleNamespace(plan=SimpleNamespace(host_by_name={"h0": SimpleNamespace(server="s0")}))
    with pytest.raises(CloudError) as failed:
        LabMigration(lab, "h0", "s1").poll()
    assert str(failed.value).startswith(told)


def test_a_lab_makes_no_machines_and_one_that_is_not_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CloudError, match=r"no lab 'nolab' of yours is running"):
        LabDriver("nolab").create("h9", "h0", "server0")
    monkeypatch.setattr(LabDriver, "_lab", lambda self: SimpleNamespace(name="up"))
    with pytest.raises(CreationRefusedError, match=r"lab up has the machines of its description and no others"):
        LabDriver("up").create("h9", "h0", "server0")
