"""A plain dump of PostgreSQL (`pg_dump`): the rows between ``COPY … FROM stdin;`` and ``\\.``"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.importers.database import require_plain_file
from workbench.importers.goclaw import TABLES, Tables

_COPY = re.compile(rb'COPY (?:"?\w+"?\.)?"?(?P<table>\w+)"? \((?P<columns>[^)]*)\) FROM stdin;\s*')
_INSERT = re.compile(rb'INSERT INTO (?:"?\w+"?\.)?"?(?P<table>\w+)"? ')
_CUSTOM = b"PGDMP"
_MOST_LINE = 64_000_000
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NUMBERS = ("confidence",)


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
