"""Plans of earlier versions are refused with what their keys are called today, and where these stand."""

import pytest

from fairlead.config import Model, parse
from fairlead.config_changes import ConfigChange
from fairlead.config_former_names import PRESENT_KEYS
from fairlead.errors import ConfigError
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.plans.plan import Plan

STREAMS = 'kind = "streams"\nbetween = ["leaf0", "leaf1"]\n'
COMPARISON = '[comparison]\nname = "p"\nlab = "l.toml"\n[[programs]]\nname = "x"\ncommand = ["cg"]\nranks = 2\n'
CASES = COMPARISON.replace('lab = "l.toml"\n', "") + (
    '[labs]\nmesh = "l.toml"\n[[cases]]\nprograms = ["x"]\nlabs = ["mesh"]\ncongestions = ["busy"]\n'
)
EVALUATION = (
    '[evaluation]\nname = "e"\nlab = "l.toml"\n[factors]\nnetwork = ["clean", "busy"]\n[run]\ncommand = ["true"]\n'
    '[congestion]\nfactor = "network"\n[congestion.levels]\nclean = "none"\n'
)
PLACES = "`places` was renamed: write `bottlenecks`"
TOLD: dict[str, list[tuple[type[Model], str, str]]] = {
    "places": [
        (ComparisonPlan, f"{COMPARISON}[[congestion.places]]\n{STREAMS}", f"f.toml:8: congestion.places: {PLACES}"),
        (ComparisonPlan, f"{COMPARISON}[congestion]\nplaces = []\n", f"f.toml:9: congestion.places: {PLACES}"),
        (
            ComparisonPlan,
            f"{CASES}[congestions.busy]\nslowdown = 2\n[[congestions.busy.places]]\n{STREAMS}",
            f"f.toml:15: congestions.busy.places: {PLACES}",
        ),
        (
            Plan,
            f"{EVALUATION}[[congestion.levels.busy.places]]\n{STREAMS}",
            f"f.toml:12: congestion.levels.busy.places: {PLACES}",
        ),
    ],
}


def test_every_former_key_has_its_cases() -> None:
    assert set(TOLD) == set(PRESENT_KEYS)


@pytest.mark.parametrize(("model", "text", "told"), [case for cases in TOLD.values() for case in cases])
def test_a_former_key_is_told_with_its_present_name_and_nothing_that_follows(
    model: type[Model], text: str, told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, model, source="f.toml")
    assert str(caught.value) == told
    (former,) = [name for name, cases in TOLD.items() if (model, text, told) in cases]
    header = text.replace(f".{former}]]", f".{PRESENT_KEYS[former]}]]")
    if header != text:  # the value has its old form
        parse(header, model, source="f.toml")


def test_a_change_by_a_former_key_is_told_as_such() -> None:
    with pytest.raises(ConfigError, match=rf"^--set congestion\.places: {PLACES}$"):
        text = f"{COMPARISON}[[congestion.bottlenecks]]\n{STREAMS}"
        parse(text, ComparisonPlan, source="f.toml", changes=[ConfigChange.parse("congestion.places=[]")])


def test_elsewhere_the_name_is_an_unknown_key_as_any_other() -> None:
    with pytest.raises(ConfigError, match=r"f\.toml:1: places: unknown key `places` "):
        parse(f"places = 1\n{COMPARISON}", ComparisonPlan, source="f.toml")
