"""Claims about error bars: half widths, tables of them, summaries of a cell, and whether two bars overlap."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fairlead.analysis.evaluations import half_widths
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell
from fairlead.errors import StatisticsError
from fairlead.published.chosen import NoDataError, single
from fairlead.published.claims import Claim, ReadClaim
from fairlead.published.compared import bars_overlap
from fairlead.published.computation import Computation, MistakeError
from fairlead.published.printed import how_printed, number, unit_size
from fairlead.published.verdicts import HOLDS, UNDECIDABLE, Checked, decided
from fairlead.statistics import estimates

OVERLAP, SEPARATE = "overlap", "separate"
TableKey = tuple[str, str]  # data set and table
_SUMMARY = ("mean", "sd (n - 1)", "three standard errors", "n")


def half_width(
    claim: Claim, computation: Computation, data: Dataset, of_tables: Mapping[TableKey, Counter[str]]
) -> Checked:
    """Of an error bar, by the definition that fits most of its table; without a table, by one that fits it."""
    cell = _cell(data, computation)
    table = _table(claim, computation)
    fits = of_tables.get(table, Counter()) if table else Counter(_fitting(claim, computation, data))
    definition = _most(fits, computation.stated)
    value = half_widths.DEFINITIONS[definition](cell.values) / unit_size(computation, data.unit)[0]
    how = how_printed(number(claim.published), value, computation)
    checked = decided(claim, bool(how), value, definition, [cell], "cut" if how == "cut" else "")
    if computation.stated in (None, definition):
        return checked
    return checked.remarked(f"mislabelled: stated as {computation.stated}")


def summary(claim: Claim, computation: Computation, data: Dataset) -> Checked:
    """Mean, sample standard deviation, three standard errors, n; as many as are published."""
    cell = _cell(data, computation)
    published = claim.published if isinstance(claim.published, list) else [claim.published]
    if not 1 <= len(published) <= len(_SUMMARY):
        raise MistakeError(("published",), f"must be 1 to {len(_SUMMARY)} numbers: {', '.join(_SUMMARY)}")
    half = half_widths.DEFINITIONS[half_widths.THREE_SEM](cell.values)
    size, _ = unit_size(computation, data.unit)
    values = [cell.mean / size, float(cell.values.std(ddof=1)) / size, half / size, float(cell.n)][: len(published)]
    right = [how_printed(number(said), value, computation) for said, value in zip(published, values, strict=True)]
    wrong = [name for name, how in zip(_SUMMARY, right, strict=False) if not how]
    definition = ", ".join(_SUMMARY[: len(published)])
    return decided(claim, all(right), values, definition, [cell], f"not: {', '.join(wrong)}" if wrong else "")


def bars(claim: Claim, computation: Computation, data: Dataset) -> Checked:
    """Whether the bars, mean and three standard errors, of two cells overlap."""
    if not (isinstance(claim.published, bool) or claim.published in (OVERLAP, SEPARATE, None)):
        raise MistakeError(("published",), f'must be "{OVERLAP}" or "{SEPARATE}", not {claim.published!r}')
    said = claim.published
    if not isinstance(said, str):
        said = SEPARATE if said is False else OVERLAP
    of, against = single(data, computation).pairs[0]
    assert against is not None  # the figure is of pairs
    value = OVERLAP if bars_overlap(of, against) else SEPARATE
    return decided(claim, said == value, value, "mean and three standard errors", [of, against])


def of_tables(found: Iterable[tuple[ReadClaim, Dataset]]) -> dict[TableKey, Counter[str]]:
    """How many half widths of each table of a data set each definition fits.

    Args:
        found: claims of half widths with their data.
    """
    fits: dict[TableKey, Counter[str]] = {}
    for read, data in found:
        computation = read.computation
        assert computation is not None  # it is of a half width
        if (table := _table(read.claim, computation)) is None:
            continue
        try:
            fits.setdefault(table, Counter()).update(_fitting(read.claim, computation, data))
        except (MistakeError, NoDataError, StatisticsError):  # the claim's own check tells it
            continue
    return fits


def mislabelled(claims: Sequence[ReadClaim], checked: Sequence[Checked]) -> Iterable[str]:
    """Tables whose half widths are something else than they say."""
    tables: dict[tuple[TableKey, str], list[Checked]] = {}
    for read, each in zip(claims, checked, strict=True):
        computation = read.computation
        if not computation or computation.figure != "half width" or each.verdict == UNDECIDABLE:
            continue
        table = _table(read.claim, computation)
        if table and computation.stated:
            tables.setdefault((table, computation.stated), []).append(each)
    for ((_, name), stated), entries in tables.items():
        found = Counter(entry.definition for entry in entries if entry.verdict == HOLDS)
        for definition, count in found.items():
            if definition != stated:
                yield (
                    f"{name}: its half widths are stated as {stated}; {count} of {len(entries)} are {definition}: "
                    "the interval is mislabelled"
                )


def _table(claim: Claim, computation: Computation) -> TableKey | None:
    return (computation.data or claim.dataset, computation.table) if computation.table else None


def _fitting(claim: Claim, computation: Computation, data: Dataset) -> list[str]:
    """The definitions by which a half width is the published one."""
    cell, published = _cell(data, computation), number(claim.published)
    size, _ = unit_size(computation, data.unit)
    return [
        name
        for name, definition in half_widths.DEFINITIONS.items()
        if how_printed(published, definition(cell.values) / size, computation)
    ]


def _most(fits: Counter[str], stated: str | None) -> str:
    """The definition that fits most; of several what is stated, else the most usual. What is stated if none fits."""
    if not fits:
        return stated or half_widths.THREE_SEM
    return max(half_widths.DEFINITIONS, key=lambda name: (fits[name], name == stated))


def _cell(data: Dataset, computation: Computation) -> DesignCell:
    cell = single(data, computation).pairs[0][0]
    estimates.checked(cell.values, 2, "an error bar")
    return cell
