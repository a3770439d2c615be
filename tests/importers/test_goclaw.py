"""GoClaw's tables come over from a real PostgreSQL and from its dump, and both say the same."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.errors import NotCuratableError, UsageError
from workbench.graph.read import read_graph
from workbench.importers.goclaw import (
    Tables,
    array_elements,
    carried_tables,
    read_dump,
    read_lite,
    read_postgres,
)
from workbench.importers.plan import ImportSource, SourceRow, plan_import
from workbench.memory.entry import Kind
from workbench.memory.episode import read_episode
from workbench.workspace.plan import Operation

NOW = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
SCHEMA = """
CREATE TABLE agents (id UUID PRIMARY KEY, agent_key VARCHAR(100), display_name VARCHAR(255));
CREATE TABLE episodic_summaries (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id UUID, agent_id UUID NOT NULL,
    user_id VARCHAR(255) NOT NULL DEFAULT '', session_key TEXT NOT NULL, summary TEXT NOT NULL,
    l0_abstract TEXT NOT NULL DEFAULT '', key_topics TEXT[] DEFAULT '{}', embedding BYTEA,
    source_type TEXT NOT NULL DEFAULT 'session', source_id TEXT, turn_count INT NOT NULL DEFAULT 0,
    token_count INT NOT NULL DEFAULT 0, created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    expires_at TIMESTAMPTZ, promoted_at TIMESTAMPTZ, recall_count INT DEFAULT 0 NOT NULL,
    recall_score DOUBLE PRECISION DEFAULT 0 NOT NULL, last_recalled_at TIMESTAMPTZ);
CREATE TABLE kg_entities (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(), agent_id UUID NOT NULL, user_id VARCHAR(255) DEFAULT '',
    external_id VARCHAR(255), name TEXT NOT NULL, entity_type VARCHAR(100) NOT NULL,
    description TEXT DEFAULT '',
    properties JSONB DEFAULT '{}', source_id VARCHAR(255) DEFAULT '', confidence DOUBLE PRECISION DEFAULT 1.0,
    created_at TIMESTAMPTZ DEFAULT NOW(), updated_at TIMESTAMPTZ DEFAULT NOW(),
    valid_from TIMESTAMPTZ DEFAULT NOW(), valid_until TIMESTAMPTZ);
CREATE TABLE kg_relations (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(), agent_id UUID NOT NULL, user_id VARCHAR(255) DEFAULT '',
    source_entity_id UUID NOT NULL, relation_type VARCHAR(200) NOT NULL, target_entity_id UUID NOT NULL,
    confidence DOUBLE PRECISION DEFAULT 1.0, properties JSONB DEFAULT '{}',
    created_at TIMESTAMPTZ DEFAULT NOW(),
    valid_from TIMESTAMPTZ DEFAULT NOW(), valid_until TIMESTAMPTZ);
CREATE TABLE memory_documents (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(), agent_id UUID NOT NULL, user_id VARCHAR(255),
    path VARCHAR(500) NOT NULL, content TEXT NOT NULL DEFAULT '', hash VARCHAR(64) NOT NULL DEFAULT '',
    created_at TIMESTAMPTZ DEFAULT NOW(), updated_at TIMESTAMPTZ DEFAULT NOW());
CREATE TABLE something_else (note TEXT);
"""
A, B = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
AWKWARD = "Tab\there, back\\slash, line\nbreak, \\. and \\N and “quotes” ✓"
ROWS = f"""
INSERT INTO agents VALUES ('{A}', 'moss', 'Moss'), ('{B}', 'fern', 'Fern');
INSERT INTO episodic_summaries
    (id, agent_id, user_id, session_key, summary, l0_abstract, key_topics, source_id, turn_count, created_at,
     expires_at, recall_count)
VALUES ('00000000-0000-0000-0000-0000000000e1', '{A}', 'tessa', 'agent:moss:s92',
    E'The pilot dry run at Port Ellery passed.\\nWalt confirmed in 40 s.', 'The pilot dry run passed.',
    ARRAY['Port Ellery', 'Gauge 7, lifted', 'say "when"'], 'agent:moss:s92:0', 41,
    '2026-03-01 10:00:00+00', '2026-05-30 10:00:00+00', 3);
INSERT INTO kg_entities (id, agent_id, name, entity_type, description, properties, confidence, valid_from)
VALUES ('00000000-0000-0000-0000-0000000000a1', '{A}', 'Sarah Chen', 'person', 'Leads the pilot',
        '{{"role": "lead", "desk": 4, "nested": {{"x": 1}}}}', 0.9, '2026-02-01'),
       ('00000000-0000-0000-0000-0000000000a2', '{A}', 'Project Atlas', 'project', '', '{{}}', 0.8,
        '2026-02-01'),
       ('00000000-0000-0000-0000-0000000000a3', '{A}', 'Osaka', 'location', '', '{{}}', 0.8, '2026-02-01'),
       ('00000000-0000-0000-0000-0000000000a4', '{B}', 'Secret Project', 'project', 'of another agent',
        '{{}}', 0.8, '2026-02-01');
INSERT INTO kg_relations
    (id, agent_id, source_entity_id, relation_type, target_entity_id, confidence, valid_from, valid_until)
VALUES ('00000000-0000-0000-0000-0000000000b1', '{A}', '00000000-0000-0000-0000-0000000000a1', 'works_on',
        '00000000-0000-0000-0000-0000000000a2', 0.7, '2026-02-01', 'infinity'),
       ('00000000-0000-0000-0000-0000000000b2', '{A}', '00000000-0000-0000-0000-0000000000a1', 'located in',
        '00000000-0000-0000-0000-0000000000a3', 0.7, '2026-02-01', '2026-03-01'),
       ('00000000-0000-0000-0000-0000000000b3', '{A}', '00000000-0000-0000-0000-0000000000a1', 'knows',
        '00000000-0000-0000-0000-0000000000ff', 0.7, '2026-02-01', NULL);
INSERT INTO memory_documents (id, agent_id, user_id, path, content)
VALUES ('00000000-0000-0000-0000-0000000000d1', '{A}', NULL, 'memory/2026-02-01.md', $${AWKWARD}$$),
       ('00000000-0000-0000-0000-0000000000d2', '{A}', NULL, 'MEMORY.md', '- Theirs'),
       ('00000000-0000-0000-0000-0000000000d3', '{A}', 'tessa', 'memory/2026-02-01.md', '- Tessa alone'),
       ('00000000-0000-0000-0000-0000000000d4', '{A}', NULL, '{LOG}', '- Another log of that day'),
       ('00000000-0000-0000-0000-0000000000d5', '{A}', NULL, '../../outside.md', '- Out'),
       ('00000000-0000-0000-0000-0000000000d6', '{A}', NULL, 'memory/empty.md', '');
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL with GoClaw's tables."""
    pgserver = pytest.importorskip("pgserver")
    running = pgserver.get_server(tmp_path_factory.mktemp("pg"))
    try:
        running.psql(SCHEMA)
        running.psql(ROWS)
        yield running.get_uri()
    finally:
        running.cleanup()


@pytest.fixture(scope="module")
def dump(server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pg_dump makes of it."""
    import pgserver

    path = tmp_path_factory.mktemp("dump") / "plain.sql"
    program = Path(pgserver.__file__).parent / "pginstall" / "bin" / "pg_dump"
    subprocess.run([program, "-f", path, server], check=True, capture_output=True)
    return path


def carry_in(sandbox: Sandbox, carried: ImportSource) -> Operation:
    return sandbox.workspace.operations.carry_out(lambda: plan_import(sandbox.workspace, carried, now=NOW))


def of(sandbox: Sandbox, tables: Tables, agent: str = "moss") -> ImportSource:
    return carried_tables(tables, agent=agent, taken=[file.path for file in sandbox.workspace.scan()])


def test_a_server_and_its_dump_give_the_same_memory(sandbox: Sandbox, server: str, dump: Path) -> None:
    live, dumped = of(sandbox, read_postgres(server)), of(sandbox, read_dump(dump))
    assert [(item.name, item.drafts, item.episode, item.file) for item in live.items] == [
        (item.name, item.drafts, item.episode, item.file) for item in dumped.items
    ]
    assert live.left_out == dumped.left_out


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_what_came_from_a_dump_does_not_come_again_from_the_server(
    sandbox: Sandbox, server: str, dump: Path, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_in(sandbox, of(sandbox, read_dump(dump)))
    monkeypatch.setenv("PGTZ", zone)
    with pytest.raises(NotCuratableError, match="nothing new in goclaw"):
        carry_in(sandbox, of(sandbox, read_postgres(server)))


def lite_file(path: Path) -> Path:
    """GoClaw Lite: the same rows in SQLite, ids and moments as text, lists and properties as JSON."""
    schema = SCHEMA.replace("DEFAULT gen_random_uuid()", "").replace("TEXT[] DEFAULT '{}'", "TEXT")
    schema = schema.replace("DEFAULT NOW()", "")
    array = "ARRAY['Port Ellery', 'Gauge 7, lifted', 'say \"when\"']"
    text = "E'The pilot dry run at Port Ellery passed.\\nWalt confirmed in 40 s.'"
    assert array in ROWS
    assert text in ROWS
    rows = ROWS.replace(array, """'["Port Ellery", "Gauge 7, lifted", "say \\"when\\""]'""")
    rows = rows.replace(
        text, "'The pilot dry run at Port Ellery passed.' || char(10) || 'Walt confirmed in 40 s.'"
    )
    rows = rows.replace(f"$${AWKWARD}$$", f"'{AWKWARD}'")
    connection = sqlite3.connect(path)
    connection.executescript(schema + rows)
    connection.close()
    return path


def test_the_sqlite_file_of_goclaw_lite_gives_the_same_memory(
    sandbox: Sandbox, dump: Path, tmp_path: Path
) -> None:
    lite, dumped = of(sandbox, read_lite(lite_file(tmp_path / "lite.db"))), of(sandbox, read_dump(dump))
    assert [(item.name, item.digest) for item in lite.items] == [
        (item.name, item.digest) for item in dumped.items
    ]
    assert lite.left_out == dumped.left_out


def test_a_sqlite_file_of_others_is_refused_with_the_tables_it_has(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE notes (id, body); CREATE TABLE kg_entities (name)")
    connection.close()
    with pytest.raises(UsageError) as refused:
        read_lite(path)
    assert refused.value.hint == "it has kg_entities(name), notes(id, body)"


def test_each_table_becomes_what_it_is_here(sandbox: Sandbox, server: str) -> None:
    operation = carry_in(sandbox, of(sandbox, read_postgres(server)))
    place = sandbox.workspace
    paths = [file.path for file in place.scan() if file.path.startswith("episodes/2026/03/")]
    (path,) = [path for path in paths if b"agent:moss:s92" in sandbox.read(path)]
    episode = read_episode(place.document(path))
    assert (episode.session, episode.abstract) == ("agent:moss:s92", "The pilot dry run passed.")
    assert episode.topics == ("Port Ellery", "Gauge 7, lifted", 'say "when"')
    assert b"Walt confirmed in 40 s." in sandbox.read(path)
    graph = read_graph(place)
    sarah = graph.entity("Sarah Chen")
    assert sarah is not None
    assert sarah.type == "person"
    assert {memory.text for memory in sarah.memories} == {"Leads the pilot", "desk: 4", "role: lead"}
    held = {link.relation.kind: link.relation for link in graph.relations_of(sarah)}
    assert set(held) == {"works_on", "located_in"}
    assert str(held["located_in"].valid_until) == "2026-03-01"
    osaka = graph.entity("Osaka")
    assert osaka is not None
    assert osaka.type == "place"
    assert graph.entity("Secret Project") is None
    assert sandbox.read("memory/2026-02-01.md").decode() == AWKWARD
    assert sandbox.read("memory/imported/goclaw/MEMORY.md") == b"- Theirs"
    assert sandbox.read("memory/imported/goclaw/tessa/memory/2026-02-01.md") == b"- Tessa alone"
    assert sandbox.read(f"memory/imported/goclaw/{LOG}") == b"- Another log of that day"
    told = " ".join(operation.notes)
    for why in ("one of its entities is missing", "not that of a memory file", "it is empty"):
        assert why in told


def episode_row(**changes: object) -> dict[str, object]:
    said = {"id": "e1", "agent_id": A, "session_key": "s", "summary": "The pilot dry run passed."}
    return {**said, "source_id": "agent:main:1:0", "created_at": "2026-03-01", **changes}


def test_a_session_that_has_an_episode_gets_no_second_one(sandbox: Sandbox) -> None:
    rows = [
        episode_row(),
        episode_row(id="e2", source_id="other:0"),
        episode_row(id="e3", source_id="other:0", summary="Another of the same session."),
    ]
    operation = carry_in(sandbox, of(sandbox, {"episodic_summaries": list(map(SourceRow, rows))}, agent=""))
    found = [file.path for file in sandbox.workspace.scan() if file.kind is Kind.EPISODE]
    assert len(found) == 2
    told = " ".join(operation.notes)
    assert f"e1: its session already has an episode: {EPISODE}" in told
    assert "episodic_summaries/e3: its session already has an episode" in told


def test_an_episode_that_was_recalled_there_since_is_brought_up_to_date(sandbox: Sandbox) -> None:
    for count in (1, 7):
        rows = [episode_row(source_id="other:0", recall_count=count)]
        carry_in(sandbox, of(sandbox, {"episodic_summaries": list(map(SourceRow, rows))}, agent=""))
    (found,) = [file.path for file in sandbox.workspace.scan() if file.path.startswith("episodes/2026/03/e")][
        1:
    ]
    assert read_episode(sandbox.workspace.document(found)).recall_count == 7


def test_two_documents_of_one_path_are_not_both_written(sandbox: Sandbox) -> None:
    row = {"agent_id": A, "path": "memory/a.md"}
    rows = [
        {**row, "id": "1", "content": "- One"},
        {**row, "id": "2", "path": "./memory/a.md", "content": "- Two"},
    ]
    operation = carry_in(sandbox, of(sandbox, {"memory_documents": list(map(SourceRow, rows))}, agent=""))
    assert sandbox.read("memory/a.md") == b"- One"
    assert "memory_documents/2: memory/a.md belongs to another item" in " ".join(operation.notes)


def test_documents_without_an_id_are_each_taken_or_refused_for_themselves(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    path = tmp_path / "plain.sql"
    names = ("one", "two", "one", "three")
    rows = "".join(f"{A}\tmemory/{name}.md\t- Row {row}\n" for row, name in enumerate(names))
    path.write_text(f"COPY public.memory_documents (agent_id, path, content) FROM stdin;\n{rows}\\.\n")
    operation = carry_in(sandbox, of(sandbox, read_dump(path), agent=""))
    read = [sandbox.read(f"memory/{name}.md") for name in ("one", "two", "three")]
    assert read == [b"- Row 0", b"- Row 1", b"- Row 3"]
    assert operation.summary == "import: 3 from goclaw"
    written = [record["path"] for record in sandbox.workspace.ledger.read("ingested")]
    assert written == ["memory/one.md", "memory/two.md", "memory/three.md"]
    assert "memory/one.md belongs to another item" in " ".join(operation.notes)


@pytest.mark.parametrize(
    "path",
    [
        *("memory/" + "a" * 300 + ".md", "memory/first.md/x.md", f"{LOG}/x.md", "memory/link/x.md"),
        *("memory/\x1b[31m.md", "memory/a\x00.md", "MEMORY.md/../../x.md", "memory/.git/x.md"),
    ],
)
def test_a_document_that_cannot_be_written_costs_no_other(
    sandbox: Sandbox, tmp_path: Path, path: str
) -> None:
    (sandbox.root / "memory/link").symlink_to(tmp_path)
    row = {"agent_id": A, "content": "- One"}
    rows = [{**row, "id": "1", "path": "memory/first.md"}, {**row, "id": "2", "path": path}]
    operation = carry_in(sandbox, of(sandbox, {"memory_documents": list(map(SourceRow, rows))}, agent=""))
    assert sandbox.read("memory/first.md") == b"- One"
    assert "memory_documents/2: " in " ".join(operation.notes)
    assert list(tmp_path.glob("*.md")) == []


@pytest.mark.promise("Import", "the same source is imported twice, or has grown")
def test_the_same_tables_twice_change_nothing(sandbox: Sandbox, dump: Path) -> None:
    carry_in(sandbox, of(sandbox, read_dump(dump)))
    with pytest.raises(NotCuratableError, match="nothing new"):
        carry_in(sandbox, of(sandbox, read_dump(dump)))


def test_several_agents_must_be_told_apart(sandbox: Sandbox, dump: Path) -> None:
    with pytest.raises(UsageError, match="2 agents") as raised:
        of(sandbox, read_dump(dump), agent="")
    assert "moss" in raised.value.hint
    with pytest.raises(UsageError, match="no agent “ivy”"):
        of(sandbox, read_dump(dump), agent="ivy")
    assert of(sandbox, read_dump(dump), agent=B).items


def test_a_server_is_never_written(server: str) -> None:
    import psycopg

    read_postgres(server)
    with psycopg.connect(server) as connection:
        assert connection.execute("SELECT count(*) FROM kg_entities").fetchone() == (4,)


@pytest.mark.promise("Import", "PostgreSQL does not answer", "an error message, without the password")
@pytest.mark.parametrize(
    "address", ["postgresql://nobody:hunter2@127.0.0.1:9/none", "postgresql://:::/", "postgresql://?x=y"]
)
def test_a_server_that_cannot_be_read_is_said_without_its_password(address: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_postgres(address)
    assert "hunter2" not in raised.value.message + raised.value.hint


def test_dumps_of_other_forms_say_how_to_make_a_plain_one(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b"PGDMP\x01\x0e")
    with pytest.raises(UsageError) as raised:
        read_dump(path)
    assert "pg_restore" in raised.value.hint
    path.write_text("INSERT INTO public.kg_entities VALUES ('x');\n")
    with pytest.raises(UsageError, match="INSERT"):
        read_dump(path)
    path.write_text("-- nothing\n")
    with pytest.raises(UsageError, match="no memory"):
        carried_tables(read_dump(path))


@given(st.lists(st.text(alphabet='ab,"\\{} N', min_size=1, max_size=6), max_size=5))
def test_arrays_are_read_as_postgres_writes_them(elements: list[str]) -> None:
    escaped = ('"' + e.replace("\\", "\\\\").replace('"', '\\"') + '"' for e in elements)
    assert list(array_elements("{" + ",".join(escaped) + "}")) == elements


def test_the_end_of_an_array_closes_its_last_element() -> None:
    assert list(array_elements(r'{a,"b\"c,}')) == ["a", 'b"c,']
    assert list(array_elements('{"a\\}')) == ["a"]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_dump_or_an_error_with_words(data: bytes) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(b"COPY public.kg_entities (id, name) FROM stdin;\n" + data)
        file.flush()
        with contextlib.suppress(UsageError):
            assert carried_tables(read_dump(Path(file.name))).label == "goclaw"


HEAD = b"COPY public.memory_documents (id, agent_id, path, content) FROM stdin;\n"


def test_a_dump_that_was_cut_off_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "plain.sql"
    path.write_bytes(HEAD + b"1\ta\tmemory/a.md\tThe pilot st")
    with pytest.raises(UsageError, match="in the middle of a table"):
        read_dump(path)


def test_line_ends_of_windows_are_no_part_of_the_last_column(tmp_path: Path) -> None:
    path = tmp_path / "plain.sql"
    path.write_bytes((HEAD + b"1\ta\tmemory/a.md\tWords\n2\ta\tx.md\t\\N\n\\.\n").replace(b"\n", b"\r\n"))
    assert [row["content"] for row in read_dump(path)["memory_documents"]] == ["Words", None]
