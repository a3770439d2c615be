"""The memory tables of GoClaw v3 (a server, its dump, or GoClaw Lite), and older memory-graph files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, TypeAlias

from workbench.errors import UsageError
from workbench.graph.drafts import EntityDraft, RelationDraft
from workbench.importers.database import Database, opened, require_plain_file
from workbench.importers.plan import (
    ImportItem,
    ImportSource,
    SourceRow,
    carried,
    digest_of,
    json_of,
    many,
    memories,
    memory_item,
    moment_of,
    word,
)
from workbench.memory.entry import Kind, RelPath, digest, is_outside
from workbench.memory.episode import EpisodeLine, EpisodePage
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.workspace.layout import USUAL

# -- the tables of a server, a dump or GoClaw Lite ---------------------------------------------------

TABLES: Mapping[str, Sequence[str]] = {
    table: columns.split()
    for table, columns in {
        "agents": "id agent_key display_name",
        "episodic_summaries": """
            id agent_id user_id session_key summary l0_abstract key_topics source_id turn_count created_at
            expires_at promoted_at recall_count last_recalled_at""",
        "kg_entities": """
            id agent_id user_id name entity_type description properties source_id confidence created_at
            valid_from valid_until""",
        "kg_relations": """
            id agent_id user_id source_entity_id relation_type target_entity_id confidence created_at
            valid_from valid_until""",
        "memory_documents": "id agent_id user_id path content updated_at",
    }.items()
}
"""The tables that are read, with the columns that are, where there are such."""

_COPY = re.compile(rb'COPY (?:"?\w+"?\.)?"?(?P<table>\w+)"? \((?P<columns>[^)]*)\) FROM stdin;\s*')
_INSERT = re.compile(rb'INSERT INTO (?:"?\w+"?\.)?"?(?P<table>\w+)"? ')
_CUSTOM = b"PGDMP"
_MOST_LINE = 64_000_000
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_ELEMENT = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*+)(?:"|\\?\Z)|(?P<plain>[^,"]+)', re.DOTALL)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SECONDS = 10
_STATEMENT_MS = 120_000


Tables: TypeAlias = dict[str, list[SourceRow]]
"""The rows of each table, as their source gives them."""


def rows_of(tables: Tables, table: str, agent: str) -> list[SourceRow]:
    """The rows of one agent, in the order of their ids."""
    own = (row for row in tables.get(table, []) if not agent or str(row.get("agent_id")) == agent)
    return sorted(own, key=lambda row: str(row.get("id")))


def read_lite(path: Path) -> Tables:
    """The rows of GoClaw's memory tables in the SQLite file at ``path``. Raises UsageError.

    They are those of a server, with lists and properties as JSON.
    """
    tables: Tables = {}
    with opened(path) as database:
        for table, wanted in TABLES.items():
            if "id" in database.columns(table):
                tables[table] = list(database.rows(table, wanted, "id"))
        if not tables.keys() - {"agents"}:
            needed = ", ".join(name for name in TABLES if name != "agents")
            raise UsageError(
                f"{path} has none of the tables {needed} with a column id",
                hint=f"it has {database.described()}",
            )
    return tables


def read_dump(path: Path) -> Tables:
    """The rows of GoClaw's memory tables in the dump at ``path``. Raises UsageError.

    Of a plain dump (`pg_dump`) the rows between ``COPY … FROM stdin;`` and ``\\.`` are read.
    """
    require_plain_file(path)
    tables: Tables = {}
    with path.open("rb") as file:
        if file.read(len(_CUSTOM)) == _CUSTOM:
            raise UsageError(
                f"{path} is a dump in PostgreSQL's own format",
                hint="convert it first: pg_restore -f plain.sql " + path.name,
            )
        file.seek(0)
        columns: list[str] | None = None
        rows: list[SourceRow] = []
        for line in iter(lambda: file.readline(_MOST_LINE), b""):
            if columns is not None:
                if line.rstrip(b"\r\n") == b"\\.":
                    columns = None
                else:
                    rows.append(_row(columns, line))
            elif (found := _COPY.fullmatch(line)) and (table := found["table"].decode()) in TABLES:
                columns = [name.strip().strip('"') for name in found["columns"].decode().split(",")]
                rows = tables.setdefault(table, [])
            elif (found := _INSERT.match(line)) and found["table"].decode() in TABLES:
                raise UsageError(
                    f"{path} writes its rows as INSERT", hint="dump it without --inserts: `pg_dump DATABASE`"
                )
    if columns is not None:
        raise UsageError(f"{path} ends in the middle of a table", hint="is it complete? dump it again")
    return tables


def _row(columns: list[str], line: bytes) -> SourceRow:
    values = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
    named = zip(columns, values, strict=False)
    return SourceRow(
        {
            name: None if value == "\\N" else _ESCAPE.sub(_unescaped, value)
            for name, value in named
            if name != "embedding"
        }
    )


def _unescaped(found: re.Match[str]) -> str:
    octal, hexadecimal, letter = found.groups()
    if octal or hexadecimal:
        return chr(int(octal, 8) if octal else int(hexadecimal, 16))
    return _LETTERS.get(letter, letter)


def read_postgres(address: str) -> Tables:
    """The rows of GoClaw's memory tables behind ``postgresql://…``. Raises UsageError.

    They are read in one transaction that may write nothing. A password belongs into ~/.pgpass or PGPASSWORD.
    No message of an error repeats the address.
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
    tables: Tables = {}
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
                    tables[table] = [_plain(row) for row in connection.execute(query)]
    except psycopg.Error as error:
        reason = (error.diag.message_primary or type(error).__name__) if error.diag else type(error).__name__
        raise UsageError(
            f"PostgreSQL cannot be read: {reason}",
            hint="check that it runs and that this user may read the tables: `psql` with the same address "
            "shows more",
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


def _plain(row: Mapping[str, Any]) -> SourceRow:
    """Identifiers as text, so that rows from a dump and from a server are the same."""
    return SourceRow(
        {
            name: str(value) if name.endswith("id") and value is not None else value
            for name, value in row.items()
        }
    )


# -- what the tables become --------------------------------------------------------------------------

LABEL = "goclaw"
FOLDER = "memory/imported/goclaw/"
_EPISODE_DAYS = 90
_TYPES = {
    "location": "place",
    "company": "organization",
    "org": "organization",
    "team": "organization",
    "tool": "technology",
}


def carried_tables(tables: Tables, *, agent: str = "", taken: Iterable[str] = ()) -> ImportSource:
    """What the tables hold of one agent, named by its id or key; ``taken`` are paths the workspace has.

    `episodic_summaries` become episodes, `kg_entities` and `kg_relations` pages of the graph with the windows
    in which they held, and `memory_documents` files: where the workspace has none of that name, else below
    `memory/imported/goclaw/`. MEMORY.md is never written; theirs comes as a note. Raises UsageError where
    there are several agents and none is named.
    """
    if not any(tables.get(name) for name in TABLES if name != "agents"):
        raise UsageError("there is no memory in these tables", hint="check that they are those of GoClaw v3")
    chosen = _agent(tables, agent)
    names = {str(row.get("id")): row for row in rows_of(tables, "kg_entities", chosen)}
    held = frozenset(taken)
    makers: Mapping[str, Callable[[SourceRow], dict[str, Any]]] = {
        "episodic_summaries": _episode,
        "kg_entities": _entity,
        "kg_relations": lambda row: _relation(row, names),
        "memory_documents": lambda row: _document(row, held),
    }

    def item(name: str, row: SourceRow) -> ImportItem:
        made = makers[name.partition("/")[0]](row)
        # A server and its dump spell the same row differently; where a file goes depends on what stands here.
        said = [row.get(key) for key in ("path", "user_id", "content")] if "file" in made else made
        return ImportItem(name, digest_of(said), **made)

    rows = ((f"{table}/{row.get('id')}", row) for table in makers for row in rows_of(tables, table, chosen))
    return carried(LABEL, rows, item)


def _agent(tables: Tables, wanted: str) -> str:
    """The id of the agent whose memory is meant."""
    ids = sorted({str(row["agent_id"]) for rows in tables.values() for row in rows if row.get("agent_id")})
    keys = {str(row.get("id")): row.word("agent_key") for row in rows_of(tables, "agents", "")}
    shown = ", ".join(keys.get(one) or one for one in ids) or "none"
    if wanted:
        for one in ids:
            if wanted in (one, keys.get(one)):
                return one
        raise UsageError(f"no agent “{wanted}” has memory there", hint=f"there are: {shown}")
    if len(ids) > 1:
        raise UsageError(
            f"the memory of {len(ids)} agents is there", hint=f"choose one with --agent: {shown}"
        )
    return ids[0] if ids else ""


def _episode(row: SourceRow) -> dict[str, Any]:
    summary = row.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        raise UsageError("it has no summary")
    made = moment_of(row.get("created_at"))
    session = row.word("session_key")
    lines = tuple(EpisodeLine(line) for line in summary.split("\n") if line.strip())
    page = EpisodePage(
        id="e" + digest(str(row.get("id")), 8),
        source_id=row.word("source_id") or f"{LABEL}:{row.get('id')}",
        session=session,
        source=f"{LABEL}:episodic_summaries/{row.get('id')}",
        user=row.word("user_id"),
        started_at=made,
        ended_at=made,
        created_at=made,
        expires_at=moment_of(row.get("expires_at"))
        or (made + timedelta(days=_EPISODE_DAYS) if made else None),
        abstract=row.word("l0_abstract") or lines[0].text,
        topics=tuple(word(topic) for topic in _list(row.get("key_topics")) if word(topic)),
        turns=_count(row.get("turn_count")),
        recall_count=_count(row.get("recall_count")),
        last_recalled_at=moment_of(row.get("last_recalled_at")),
        promoted_at=moment_of(row.get("promoted_at")),
        trust="agent",
        summary_by="goclaw",
        summary=lines,
    )
    return {"episode": page}


def _entity(row: SourceRow) -> dict[str, Any]:
    name, kind = row.word("name"), _entity_type(row)
    source = f"{LABEL}:kg_entities/{row.get('id')}"
    start, end = _window(row)
    drafts: list[Any] = [EntityDraft(name=name, type=kind, valid_from=start)]
    said = {
        "entity": name,
        "entity_type": kind,
        "confidence": row.share("confidence"),
        "valid_from": start,
        "valid_until": end,
        "sources": (source,),
        "trust": "agent",
    }
    if row.word("description"):
        drafts += memories(str(row.get("description")), type="fact", **said)
    properties = json_of(row.get("properties"))
    for key, value in sorted(properties.items()) if isinstance(properties, dict) else ():
        if isinstance(value, (str, int, float)) and word(str(value)):
            drafts += memories(f"{word(key)}: {value}", type="fact", **said)
    return {"drafts": tuple(drafts)}


def _relation(row: SourceRow, names: Mapping[str, SourceRow]) -> dict[str, Any]:
    source, target = names.get(str(row.get("source_entity_id"))), names.get(str(row.get("target_entity_id")))
    if source is None or target is None:
        raise UsageError("one of its entities is missing")
    start, end = _window(row)
    draft = RelationDraft(
        entity=source.word("name"),
        entity_type=_entity_type(source),
        kind=row.word("relation_type"),
        target=target.word("name"),
        target_type=_entity_type(target),
        confidence=row.share("confidence"),
        valid_from=start,
        valid_until=end,
        sources=(f"{LABEL}:kg_relations/{row.get('id')}",),
        trust="agent",
    )
    return {"drafts": (draft,)}


def _window(row: SourceRow) -> tuple[date | None, date | None]:
    """The days between which it holds."""
    start = row.day("valid_from") or row.day("created_at")
    end = row.day("valid_until")
    return start, max(start, end) if start and end else end


def _document(row: SourceRow, taken: frozenset[str]) -> dict[str, Any]:
    path, content = row.word("path").removeprefix("./"), row.get("content")
    if not isinstance(content, str) or not content.strip():
        raise UsageError("it is empty")
    user = row.word("user_id")
    beside = f"{FOLDER}{_part(user)}/" if user else FOLDER
    own = path.startswith("memory/") and USUAL.kind_of(path) in (Kind.LOG, Kind.EPISODE, Kind.NOTE)
    free = own and not user and path not in taken
    target = path if free else beside + path
    is_sound = path.endswith(".md") and not is_outside(path) and path.isprintable()
    if not (is_sound and USUAL.holds(target)):
        raise UsageError(f"its path is not that of a memory file: {path[:80]}")
    return {"file": (RelPath(target), content.encode("utf-8", "surrogateescape"))}


def _part(name: str) -> str:
    """A name as one folder, which no other name has."""
    kept = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:60].strip("-")
    return kept if kept == name else f"{kept or 'user'}-{digest(name, 6)}"


def _entity_type(row: SourceRow) -> str:
    kind = row.word("entity_type").casefold()
    kind = _TYPES.get(kind, kind)
    return kind if kind in ENTITY_TYPES else "concept"


def _list(value: object) -> Iterator[object]:
    """The elements of an array: a list, its JSON, or PostgreSQL's own writing of one, ``{a,"b c"}``."""
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        yield from array_elements(value)
    elif isinstance(found := json_of(value), (list, tuple)):
        yield from found


def array_elements(text: str) -> Iterator[str]:
    """The elements of ``{a,"b, c",NULL}``: quotes and backslashes as PostgreSQL writes them."""
    for found in _ELEMENT.finditer(text[1:-1]):
        if found["plain"] != "NULL":
            yield found["plain"] or re.sub(r"\\(.)", r"\1", found["quoted"], flags=re.DOTALL)


def _count(value: object) -> int:
    try:
        return max(0, int(str(value)))
    except ValueError:
        return 0


# -- memory-graph files, of older versions -----------------------------------------------------------

GRAPH_LABEL = "goclaw-graph"
_MEMORY_COLUMNS = """
    uuid content memory_type importance confidence created_at occurred_at happens_at source source_session
    username forgotten"""
_ENDING = ("updates", "supersedes")
_OF_THE_PROGRAM = {
    "feedback_metadata": ("answer about a routine", "answers about routines"),
    "anomaly_metadata": ("anomaly", "anomalies"),
    "correlation_metadata": ("correlation", "correlations"),
    "prediction_metadata": ("prediction", "predictions"),
}

_OF_ROUTINE = "memory_uuid"
_DETAILS = {
    **{"days": "", "time_start": "", "time_end": "to ", "duration_minutes": "minutes: ", "location": ""},
    **{"person": "person: ", "trigger_cron": "cron: ", "trigger_event": "on the event "},
    **{"trigger_condition": "if ", "action": "action: ", "action_entity": "", "action_extra": ""},
    "skip_dates": "not on ",
}
"""What is said of a routine beside its title: columns, in the order of the words, and what leads each in."""
_MOST_CHARACTERS = 200
"""Characters of one value that are taken."""


def read_memory_graph(path: Path) -> ImportSource:
    """All memories in the SQLite file at ``path``, with the tables ``memories`` and ``associations``.

    The thirteen types of memory there are ours. A memory that is marked as forgotten stays behind. A memory
    that another one updates or supersedes holds until the day of that one; other associations are between two
    memories, for which pages have no line, and are counted. So is what GoClaw's program keeps for its own
    work: what it observed, predicted and was told of routines, and when it is to speak next.

    The text of a routine is a title without its details (``routine_metadata``), so the memory gets when and
    where it is, and what is done then. The days on which it begins and ends become the time for which the
    memory holds. How far the agent may act by itself, and how often it did, stays behind. Raises UsageError
    where there are no such tables.
    """
    with opened(path) as database:
        if not {"content", "memory_type"} <= set(database.columns("memories")):
            raise UsageError(
                f"{path} has no table memories with a content and a memory_type",
                hint=f"it has {database.described()}",
            )
        ends, left_out = _ends(database)
        left_out += _of_the_program(database)
        columns = (_OF_ROUTINE, *_DETAILS, "starts_on", "ends_on")
        routines = {
            row.word(_OF_ROUTINE): row for row in database.rows("routine_metadata", columns, _OF_ROUTINE)
        }
        rows = database.rows("memories", _MEMORY_COLUMNS.split(), "id")
        named = ((row.word("uuid") or digest_of(row), row) for row in rows)
        found = carried(
            GRAPH_LABEL, named, lambda name, row: _memory(name, row, ends.get(name), routines.get(name))
        )
    return replace(found, left_out=(*found.left_out, *left_out))


def _of_the_program(database: Database) -> Iterator[tuple[str, str]]:
    """What of the database is for GoClaw's program alone, counted."""
    for table, what in _OF_THE_PROGRAM.items():
        if count := sum(1 for _ in database.rows(table, (_OF_ROUTINE,), _OF_ROUTINE)):
            why = "pages have no line for them; their text was imported"
            yield f"the details of {many(count, *what)}", why
    rows = database.rows("memories", ("next_trigger_at", "forgotten"), "id")
    if count := sum(bool(row.get("next_trigger_at")) and not row.get("forgotten") for row in rows):
        moments = many(count, "moment at which GoClaw is to speak", "moments at which GoClaw is to speak")
        yield moments, "it alone can"


def _memory(name: str, row: SourceRow, until: date | None, routine: SourceRow | None) -> ImportItem:
    if row.get("forgotten"):
        raise UsageError("it was forgotten there")
    kind = row.word("memory_type").casefold()
    if kind not in IMPORTANCE:
        raise UsageError(f"unknown type of memory: “{kind[:40]}”")
    occurred = row.day("occurred_at") or row.day("created_at")
    content = str(row.get("content") or "")
    start = occurred
    if routine is not None:
        new = [said for said in _details(routine) if said.casefold() not in content.casefold()]
        content = ", ".join([content.rstrip().rstrip(".,;"), *new]) if new and content.strip() else content
        start = routine.day("starts_on") or start
        until = min(filter(None, (until, routine.day("ends_on"))), default=None)
    user = row.word("username")
    return memory_item(
        name,
        content,
        [row, until, *([routine] if routine else [])],
        type=kind,
        entity=user,
        entity_type="person" if user else "",
        confidence=row.share("confidence"),
        importance=row.share("importance"),
        occurred_at=occurred,
        happens_at=row.day("happens_at"),
        valid_from=start,
        valid_until=max(until, start) if until and start else until,
        sources=(f"{GRAPH_LABEL}:{name}", *filter(None, [row.word("source")])),
        session=row.word("source_session"),
    )


def _ends(database: Database) -> tuple[dict[str, date], list[tuple[str, str]]]:
    """The days on which memories were replaced, and what other associations there are, counted."""
    ends: dict[str, date] = {}
    others: Counter[str] = Counter()
    for row in database.rows("associations", ("target_uuid", "relation_type", "created_at"), "id"):
        kind, target, day = row.word("relation_type"), row.word("target_uuid"), row.day("created_at")
        if kind in _ENDING and day is not None:
            ends[target] = min(day, ends.get(target, day))
        else:
            others[kind] += 1
    why = "pages have no line between two memories"
    told = [
        (many(count, f"association “{kind}”", f"associations “{kind}”"), why)
        for kind, count in others.items()
    ]
    return ends, told


def _details(row: SourceRow) -> Iterator[str]:
    for name, lead in _DETAILS.items():
        value = row.get(name)
        listed = json_of(value)
        said = ", ".join(map(word, listed)) if isinstance(listed, list) else word(str(value or ""))
        if said:
            yield lead + said[:_MOST_CHARACTERS]
