"""Recomputes stated figures from the data: which hold, which do not follow, and which no data can decide.

A number holds if the data's unrounded number, rounded or cut to as many digits as were printed, is the published one.
Figures (`Computation.figure`) are in a document's own units, gains in percent: docs/guides/published-results.md.
A claim that names what the data do not know is a mistake of the file: it is told, and the others are checked.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from fairlead.analysis.evaluations import dataset
from fairlead.analysis.evaluations.aside import kinds_of
from fairlead.analysis.evaluations.dataset import Dataset
from fairlead.errors import ConfigError, StatisticsError, StoreError
from fairlead.published import claims as claim_files
from fairlead.published import compared, error_bars, reduced
from fairlead.published.chosen import NoDataError, hint
from fairlead.published.claims import Claim, ClaimMistake, ReadClaim
from fairlead.published.computation import WORDS, Computation, MistakeError
from fairlead.published.verdicts import FAILS, HOLDS, UNDECIDABLE, Checked, CheckedClaims, Verdict
from fairlead.store import Store

__all__ = ["FAILS", "HOLDS", "UNDECIDABLE", "Checked", "CheckedClaims", "Data", "Verdict", "check", "read_and_check"]


class Data:
    """The evaluations of a store by name, each read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names = dataset.names(store)
        self._read: dict[tuple[str, str | None, tuple[str, ...]], Dataset] = {}

    def of(self, claim: Claim, computation: Computation, aside: tuple[str, ...] = ()) -> Dataset:
        """The data that decide a claim.

        Args:
            aside: kinds of rows that count though they were set aside.

        Raises:
            NoDataError: they are not there, and the claim says why.
            MistakeError: they are not there, or have no such value.
        """
        name, series = computation.data or claim.dataset, computation.value
        if name not in self._names:
            place = ("computation", "data") if computation.data else ("dataset",)
            self._refuse(computation, place, f"{name!r} is not a data set here{hint(name, self._names)}")
        if (name, series, aside) not in self._read:
            record = dataset.find(self._store, name)
            if series is not None and series not in record.facts["series"]:
                known = hint(series, record.facts["series"])
                self._refuse(computation, ("computation", "value"), f"{name}: {series!r} is not a value{known}")
            self._read[name, series, aside] = dataset.load(self._store, record, series, aside)
        return self._read[name, series, aside]

    @staticmethod
    def _refuse(computation: Computation, place: tuple[str, ...], reason: str) -> None:
        if computation.no_data is not None:
            raise NoDataError(computation.no_data)
        raise MistakeError(place, reason)


def check(store: Store, claims: Sequence[ReadClaim]) -> CheckedClaims:
    """Check every claim against the newest evaluation of its data set's name."""
    data = Data(store)
    of_tables = error_bars.of_tables(_half_widths(data, claims))
    checked: list[Checked] = []
    read: list[ReadClaim] = []
    mistakes: list[ClaimMistake] = []
    for each in claims:
        try:
            checked.append(_checked(data, each, of_tables))
            read.append(each)
        except MistakeError as error:
            mistakes.append(each.mistake(error))
    return CheckedClaims(tuple(checked), tuple(error_bars.mislabelled(read, checked)), tuple(mistakes))


def read_and_check(
    store: Store, stated: claim_files.Claims | Sequence[Claim], readings: Sequence[claim_files.ComputationRule]
) -> CheckedClaims:
    """`check` of claims as they stand in a file; the result also has the mistakes that were found when reading it."""
    result = check(store, claim_files.read(stated, readings))
    if not isinstance(stated, claim_files.Claims):
        return result
    mistakes = sorted((*stated.mistakes, *result.mistakes), key=lambda each: each.line)
    return CheckedClaims(result.checked, result.findings, tuple(mistakes))


def _checked(data: Data, read: ReadClaim, of_tables: Mapping[error_bars.TableKey, Counter[str]]) -> Checked:
    claim, computation = read.claim, read.computation
    try:
        if computation is None:
            data.of(claim, Computation(figure="mean"))  # a misspelt data set is told first
            return Checked(claim, UNDECIDABLE, remark="no reading matches this statement, and it has no `computation`")
        found = data.of(claim, computation)
        checked = _figure(claim, computation, found, of_tables)
        kinds = kinds_of(found)
        if checked.verdict != FAILS or not kinds:
            return checked
        again = _figure(claim, computation, data.of(claim, computation, kinds), of_tables)
        return checked.remarked(f"it holds with {' and '.join(kinds)} rows" if again.verdict == HOLDS else "")
    except NoDataError as error:
        return Checked(claim, UNDECIDABLE, remark=str(error))
    except (StatisticsError, StoreError, ConfigError) as error:  # too few samples, none at all, no prices
        return Checked(claim, UNDECIDABLE, remark=error.message)


def _figure(
    claim: Claim, computation: Computation, data: Dataset, of_tables: Mapping[error_bars.TableKey, Counter[str]]
) -> Checked:
    if computation.figure in WORDS:
        return compared.judge(claim, computation, data)
    match computation.figure:
        case "half width":
            return error_bars.half_width(claim, computation, data, of_tables)
        case "summary":
            return error_bars.summary(claim, computation, data)
        case "bars":
            return error_bars.bars(claim, computation, data)
        case "order":
            return compared.order(claim, computation, data)
        case _:
            return reduced.judge(claim, computation, data)


def _half_widths(data: Data, claims: Sequence[ReadClaim]) -> list[tuple[ReadClaim, Dataset]]:
    found = []
    for each in claims:
        if each.computation is None or each.computation.figure != "half width":
            continue
        try:
            found.append((each, data.of(each.claim, each.computation)))
        except (MistakeError, NoDataError, StoreError):  # the claim's own check tells it
            continue
    return found
