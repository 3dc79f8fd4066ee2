"""The schema and its versions.

`VERSION` is kept in ``PRAGMA user_version``. A change of the schema adds one entry to `MIGRATIONS`: the statements that
turn the version before it into it. Migrations only add tables, columns or indices; they never touch rows, because
results are append only. A writer migrates what it opens, inside one transaction. A reader refuses an older version (it
may not write) and names the command that migrates. Everybody refuses a newer one.
"""

import sqlite3

APPLICATION_ID = 0x464C5253  # "FLRS": file(1) and other tools can tell the file from any SQLite file

_TABLES = """
CREATE TABLE sessions (        -- one per opening for writing
  id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, started_s REAL NOT NULL
) STRICT;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id), parent INTEGER REFERENCES runs(id),
  kind TEXT NOT NULL, plan TEXT NOT NULL, seed INTEGER, position INTEGER, facts TEXT NOT NULL, started_s REAL NOT NULL
) STRICT;
CREATE INDEX runs_parent ON runs(parent);
CREATE TABLE labels (
  run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value ANY NOT NULL, PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE endings (         -- a run without a row here is running or was interrupted
  run INTEGER PRIMARY KEY REFERENCES runs(id), ended_s REAL NOT NULL, status TEXT NOT NULL, exit_code INTEGER,
  error TEXT
) STRICT;
CREATE TABLE series (          -- data: the array's bytes in C order, little endian
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, unit TEXT NOT NULL,
  dtype TEXT NOT NULL, shape TEXT NOT NULL, labels TEXT NOT NULL, data BLOB NOT NULL, stored_s REAL NOT NULL
) STRICT;
CREATE INDEX series_run ON series(run, name);
CREATE TABLE events (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), t_s REAL NOT NULL, kind TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_run ON events(run, kind, t_s);
CREATE TABLE attachments (
  run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, data BLOB NOT NULL, stored_s REAL NOT NULL,
  PRIMARY KEY (run, name)
) STRICT;
"""


def _append_only(table: str) -> str:
    return "".join(
        f"CREATE TRIGGER {table}_no_{action} BEFORE {action} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'the results store is append only'); END;\n"
        for action in ("update", "delete")
    )


_TRIGGERS = "".join(
    _append_only(table) for table in ("sessions", "runs", "labels", "endings", "series", "events", "attachments")
)

MIGRATIONS: tuple[str, ...] = (_TABLES + _TRIGGERS,)
"""Entry k turns version k into version k + 1; version 0 is the empty file."""

VERSION = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """Schema version of an open file; 0 when it is empty."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to `VERSION` in one transaction; nothing happens when it is there already."""
    start = version_of(connection)
    if start == VERSION:
        return
    script = "".join(MIGRATIONS[start:])
    connection.executescript(
        f"BEGIN EXCLUSIVE;\n{script}PRAGMA application_id = {APPLICATION_ID};\n"
        f"PRAGMA user_version = {VERSION};\nCOMMIT;"
    )
