"""GoClaw Lite: the tables of GoClaw v3 in one SQLite file, with lists and properties as JSON."""

from __future__ import annotations

from pathlib import Path

from workbench.errors import UsageError
from workbench.importers.database import opened
from workbench.importers.goclaw import TABLES, Tables


def read_lite(path: Path) -> Tables:
    """The rows of GoClaw's memory tables in the SQLite file at ``path``. Raises UsageError."""
    tables = Tables()
    with opened(path) as database:
        for table, wanted in TABLES.items():
            if table in database.tables and "id" in database.columns(table):
                tables.rows[table] = list(database.rows(table, wanted, "id"))
        if not tables.rows.keys() - {"agents"}:
            needed = ", ".join(name for name in TABLES if name != "agents")
            raise UsageError(
                f"{path} has none of the tables {needed} with a column id",
                hint=f"it has {database.described()}",
            )
    return tables
