"""What the half width of an error bar can be: documents print them under many names."""

from collections.abc import Callable

from fairlead.analysis.evaluations.dataset import FloatArray
from fairlead.statistics.estimates import standard_error, t_quantile

SD = "one standard deviation"
SEM = "one standard error"
THREE_SEM = "three standard errors"

DEFINITIONS: dict[str, Callable[[FloatArray], float]] = {
    SEM: standard_error,
    THREE_SEM: lambda values: 3 * standard_error(values),
    SD: lambda values: float(values.std(ddof=1)),
    "95 % normal interval": lambda values: 1.959964 * standard_error(values),
    "95 % Student t interval": lambda values: t_quantile(0.95, len(values) - 1) * standard_error(values),
    "99.7 % Student t interval": lambda values: t_quantile(0.997, len(values) - 1) * standard_error(values),
}
"""By name, the most usual first. Three standard errors are the 99.73 % interval of a normal distribution, which the
papers quote as 99.7 %."""


def bars_overlap(first: FloatArray, second: FloatArray) -> bool:
    """The papers' rule: the bars of mean and three standard errors share a point. It is no test of a difference."""
    return abs(float(first.mean() - second.mean())) <= 3 * (standard_error(first) + standard_error(second))
