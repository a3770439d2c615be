"""The memory tables of GoClaw v3 as rows: from PostgreSQL, from its dump, or from GoClaw Lite's SQLite file.

A server is read in one transaction that may write nothing. Of a plain dump (`pg_dump`) the rows between
``COPY … FROM stdin;`` and ``\\.`` are read. GoClaw Lite has the same tables, with lists and properties as
JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.importers.database import opened, require_plain_file
from workbench.importers.records import SourceRow

TABLES: Mapping[str, tuple[str, ...]] = {
    "agents": ("id", "agent_key", "display_name"),
    "episodic_summaries": (
        *("id", "agent_id", "user_id", "session_key", "summary", "l0_abstract", "key_topics", "source_id"),
        *("turn_count", "created_at", "expires_at", "promoted_at", "recall_count", "last_recalled_at"),
    ),
    "kg_entities": (
        *("id", "agent_id", "user_id", "name", "entity_type", "description", "properties", "source_id"),
        *("confidence", "created_at", "valid_from", "valid_until"),
    ),
    "kg_relations": (
        *("id", "agent_id", "user_id", "source_entity_id", "relation_type", "target_entity_id"),
        *("confidence", "created_at", "valid_from", "valid_until"),
    ),
    "memory_documents": ("id", "agent_id", "user_id", "path", "content", "updated_at"),
}
"""The tables that are read, with the columns that are, where there are such."""

_COPY = re.compile(rb'COPY (?:"?\w+"?\.)?"?(?P<table>\w+)"? \((?P<columns>[^)]*)\) FROM stdin;\s*')
_INSERT = re.compile(rb'INSERT INTO (?:"?\w+"?\.)?"?(?P<table>\w+)"? ')
_CUSTOM = b"PGDMP"
_MOST_LINE = 64_000_000
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NUMBERS = ("confidence",)
_SECONDS = 10
_STATEMENT_MS = 120_000


@dataclass(slots=True)
class Tables:
    """The rows of each table, as their source gives them."""

    rows: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)

    def of(self, table: str, agent: str) -> list[SourceRow]:
        """The rows of one agent, in the order of their ids."""
        own = (row for row in self.rows.get(table, []) if not agent or str(row.get("agent_id")) == agent)
        return [SourceRow(row) for row in sorted(own, key=lambda row: str(row.get("id")))]


def read_lite(path: Path) -> Tables:
    """The rows of GoClaw's memory tables in the SQLite file at ``path``. Raises UsageError."""
    tables = Tables()
    with opened(path) as database:
        for table, wanted in TABLES.items():
            if table in database.tables and "id" in database.columns(table):
                tables.rows[table] = [row.values for row in database.rows(table, wanted, "id")]
        if not tables.rows.keys() - {"agents"}:
            needed = ", ".join(name for name in TABLES if name != "agents")
            raise UsageError(
                f"{path} has none of the tables {needed} with a column id",
                hint=f"it has {database.described()}",
            )
    return tables


def read_dump(path: Path) -> Tables:
    """The rows of GoClaw's memory tables in the dump at ``path``. Raises UsageError."""
    require_plain_file(path)
    tables = Tables()
    with path.open("rb") as file:
        if file.read(len(_CUSTOM)) == _CUSTOM:
            raise UsageError(
                f"{path} is a dump in PostgreSQL's own format",
                hint="make it plain first: pg_restore -f plain.sql " + path.name,
            )
        file.seek(0)
        columns: list[str] | None = None
        rows: list[Mapping[str, Any]] = []
        for line in iter(lambda: file.readline(_MOST_LINE), b""):
            if columns is not None:
                if line.rstrip(b"\r\n") == b"\\.":
                    columns = None
                else:
                    rows.append(_row(columns, line))
            elif (found := _COPY.fullmatch(line)) and (table := found["table"].decode()) in TABLES:
                columns = [name.strip().strip('"') for name in found["columns"].decode().split(",")]
                rows = tables.rows.setdefault(table, [])
            elif (found := _INSERT.match(line)) and found["table"].decode() in TABLES:
                raise UsageError(
                    f"{path} writes its rows as INSERT", hint="make it without --inserts: `pg_dump DATABASE`"
                )
    if columns is not None:
        raise UsageError(f"{path} ends in the middle of a table", hint="is it whole? make it anew")
    return tables


def _row(columns: list[str], line: bytes) -> Mapping[str, Any]:
    values = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
    return {
        name: _value(name, value) for name, value in zip(columns, values, strict=False) if name != "embedding"
    }


def _value(name: str, text: str) -> object:
    if text == "\\N":
        return None
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
    if name in _NUMBERS:
        try:
            return float(text)
        except ValueError:
            return None
    return text


def _unescaped(found: re.Match[str]) -> str:
    octal, hexadecimal, letter = found.groups()
    if octal or hexadecimal:
        return chr(int(octal, 8) if octal else int(hexadecimal, 16))
    return _LETTERS.get(letter, letter)


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
