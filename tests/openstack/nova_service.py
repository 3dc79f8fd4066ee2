"""Starts a service of Nova: ``nova_service.py MODULE ARGUMENTS``. Debian has its commands in packages with daemons.

oslo.db begins transactions as reading ones. SQLite cannot turn one into a writing one when somebody else has written
meanwhile, so they begin as writing ones here, and wait for each other.
"""

import importlib
import sys
from typing import Any

import nova.cmd  # noqa: F401  # first: it puts eventlet in place
import sqlalchemy.engine
import sqlalchemy.event


@sqlalchemy.event.listens_for(sqlalchemy.engine.Engine, "before_cursor_execute", retval=True)
def begin_to_write(
    connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
) -> tuple[str, Any]:
    return ("BEGIN IMMEDIATE" if statement == "BEGIN" else statement), parameters


module = sys.argv[1]
sys.argv[:2] = [module]
sys.exit(importlib.import_module(module).main())
