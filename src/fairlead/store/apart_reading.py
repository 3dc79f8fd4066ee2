"""What readers of a results directory see of the stores of single runs that are not in the main store yet."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlead.errors import NoSuchResultsError, StoreError, of_system
from fairlead.store import apart
from fairlead.store.connection import FILE_NAME, LOCK_NAME, translated
from fairlead.store.lock import holder_session
from fairlead.store.reading import ReadConnection, fetch


@dataclass(frozen=True)
class StoreApart:
    """The store of a run that was not in the main store when a reader looked.

    Attributes:
        session: its id in ``sessions``, as the parameters of a query.
    """

    directory: Path
    connection: ReadConnection
    session: tuple[str]

    @classmethod
    def of(cls, results: Path) -> "list[StoreApart]":
        """Those of a results directory in which a run has begun.

        Raises:
            StoreError: one cannot be read; it is named.
        """
        found: list[StoreApart] = []
        try:
            for directory in apart.stores(results):
                try:
                    connection = ReadConnection(directory)
                    with translated(directory / FILE_NAME):
                        sessions = connection.fetch("SELECT id FROM sessions", ())
                except NoSuchResultsError:
                    continue  # it is just being made
                except (OSError, StoreError) as error:
                    if not (directory / FILE_NAME).is_file():
                        continue  # it was taken in meanwhile
                    what = error.message if isinstance(error, StoreError) else str(of_system(error, directory))
                    raise StoreError(what, hint=f"move {directory} elsewhere to read the others") from error
                if sessions:
                    found.append(cls(directory, connection, sessions[0]))
                else:
                    connection.close()
        except BaseException:
            for each in found:
                each.connection.close()
            raise
        return found


def fetch_from(
    directory: Path,
    connection: sqlite3.Connection | ReadConnection,
    sql: str,
    parameters: Sequence[Any] | Mapping[str, Any],
) -> list[Any]:
    """Rows of one store. ``:session`` in a query stands for the session that writes it now; empty where none does."""
    if isinstance(parameters, Mapping):
        parameters = {**parameters, "session": holder_session(directory / LOCK_NAME) or ""}
    return fetch(connection, sql, parameters)
