"""GoClaw's tables in a running PostgreSQL: read in one transaction that may write nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.errors import UsageError
from workbench.importers.goclaw import TABLES, Tables

_SECONDS = 10
_STATEMENT_MS = 120_000


def read_postgres(address: str) -> Tables:
    """The rows of GoClaw's memory tables behind ``postgresql://…``. Raises UsageError.

    A password belongs into ~/.pgpass or PGPASSWORD. No message of an error repeats the address.
    """
    try:
        import psycopg  # noqa: PLC0415 - for those who ask for it
        from psycopg import sql  # noqa: PLC0415
        from psycopg.rows import dict_row  # noqa: PLC0415
        from psycopg.types.string import TextLoader  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            "reading PostgreSQL needs the package psycopg",
            hint="install the extra `postgres` (README, Install), or import a plain dump: pg_dump DATABASE",
        ) from error
    tables = Tables()
    options = f"-c default_transaction_read_only=on -c datestyle=ISO -c statement_timeout={_STATEMENT_MS}"
    try:
        with psycopg.connect(
            address, connect_timeout=_SECONDS, options=options, row_factory=dict_row
        ) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            for kind in ("timestamptz", "timestamp"):  # as a dump has them: Python knows no `infinity`
                connection.adapters.register_loader(kind, TextLoader)
            have = _columns(connection)
            for table, wanted in TABLES.items():
                columns = [name for name in wanted if name in have.get(table, ())]
                if columns:
                    query = sql.SQL("SELECT {} FROM {}").format(
                        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table)
                    )
                    tables.rows[table] = [_plain(row) for row in connection.execute(query)]
    except psycopg.Error as error:
        reason = (error.diag.message_primary or type(error).__name__) if error.diag else type(error).__name__
        raise UsageError(
            f"PostgreSQL cannot be read: {reason}",
            hint="does it run, and may this user read the tables? `psql` with the same address tells more",
        ) from None
    return tables


def _columns(connection: Any) -> dict[str, set[str]]:
    """The columns of the tables that the search path finds first."""
    query = (
        "SELECT c.relname AS name, a.attname AS field "
        "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)"
    )
    found: dict[str, set[str]] = {}
    for row in connection.execute(query):
        found.setdefault(row["name"], set()).add(row["field"])
    return found


def _plain(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Identifiers as text, so that rows from a dump and from a server are the same."""
    return {
        name: str(value) if name.endswith("id") and value is not None else value
        for name, value in row.items()
    }
