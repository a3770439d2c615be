"""What is known of an entry besides its words."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.document import (
    Facets,
    FacetsOf,
    Stamp,
    Stored,
    importance_in,
    packed,
    pinned_in,
    unpacked,
    user_code,
    user_in,
)
from indexing.search.answer import Query
from tests.indexing.conftest import Memory
from workbench.history.origin import origin_of
from workbench.memory.entry import EntryHash, Kind, RelPath
from workbench.memory.markdown import parse_document

PAGE = """---
id: ent-4b1c
name: Sarah Chen
type: person
aliases: [Sarah, Saz]
valid_from: 2026-03-02
---
- [preference] Prefers async reviews over meetings <!-- wb: id=m7f3a confidence=0.9 importance=0.75 \
src=episodes/2026/03/e12.md#L8 src=memory/2026-03-01.md#L4 trust=owner pinned=2026-03-20 user=Sam -->
- works_on [[Project Atlas]] <!-- wb: id=r91b valid_from=2026-03-02 -->
- [todo] Send the contract <!-- wb: id=m80aa happens_at=2026-04-01 by=human -->
"""
EPISODE = """---
id: e12
source_id: agent:main:3
session: s91
agent: main
user: sam
trust: agent
pinned: true
key_topics: [Broker Migration]
---
## Facts

- The broker moved to port 8443 (turn 4)
- It listens on all hosts <!-- wb: trust=owner -->
- A stranger said so <!-- wb: trust=external -->
"""
LOG = """# Session: 2026-03-14 10:00:00 UTC

- **Session ID**: 0c9e2f

Talked about tea <!-- wb: trust=owner -->

# Session: 2026-03-14 15:00:00 UTC

- **Session ID**: 77aa01

Talked about coffee
"""


def facets(text: str, path: str, kind: Kind) -> list[Facets]:
    document = parse_document(RelPath(path), text.encode(), kind)
    of = FacetsOf(document)
    return [of.of(entry) for entry in document.entries]


def test_a_graph_page_tells_types_names_ids_and_sources() -> None:
    preference, relation, todo = facets(PAGE, "graph/person/sarah-chen.md", Kind.ENTITY)
    assert (preference.type, relation.type, todo.type) == ("preference", "", "todo")
    assert (preference.importance, relation.importance, todo.importance) == (75, None, 80)
    assert (preference.pinned, todo.pinned) == (True, False)
    assert (preference.trust, relation.trust) == ("owner", "unknown")
    assert (preference.user, todo.user) == ("Sam", "")
    assert preference.names == ("Sarah Chen", "Sarah", "Saz", "sarah chen")
    assert preference.ids == ("m7f3a", "ent-4b1c")
    assert preference.sources == ("episodes/2026/03/e12.md#L8", "memory/2026-03-01.md#L4")
    assert todo.sources == ("human",)


def test_an_episode_speaks_for_its_lines_and_none_louder_than_it() -> None:
    first, louder, quieter = facets(EPISODE, "episodes/2026/03/e12.md", Kind.EPISODE)
    assert (first.trust, louder.trust, quieter.trust) == ("agent", "agent", "external")
    assert first.pinned
    assert first.user == "sam"
    assert first.sources == ("agent:main:3", "s91", "main")
    assert "Broker Migration" in first.names
    assert first.ids == ("e12",)


def test_sessions_of_one_log_are_told_apart_and_a_log_is_the_agents() -> None:
    found = facets(LOG, "memory/2026-03-14.md", Kind.LOG)
    assert [one.sources for one in found] == [("0c9e2f",)] * 2 + [("77aa01",)] * 2
    assert {one.trust for one in found} == {"agent"}


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        (PAGE, "graph/person/sarah-chen.md", Kind.ENTITY),
        (EPISODE, "episodes/2026/03/e12.md", Kind.EPISODE),
        (LOG, "memory/2026-03-14.md", Kind.LOG),
        ("---\ntrust: nonsense\n---\n- a\n", "memory/a.md", Kind.NOTE),
        ("---\nsecret: [\n---\n- a <!-- wb: trust=agent -->\n", "memory/a.md", Kind.NOTE),
    ],
)
def test_trust_is_that_which_show_tells_from_the_files(text: str, path: str, kind: Kind) -> None:
    document = parse_document(RelPath(path), text.encode(), kind)
    of = FacetsOf(document)
    for entry in document.entries:
        assert of.of(entry).trust == origin_of(document, entry).trust


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("memory/2026-03-14.md", ()),
        ("memory/2026-03-14-standup-notes.md", ("standup notes",)),
        ("memory/projects/atlas_plan.md", ("atlas plan",)),
        ("memory/2026-03-14-2012.md", ()),
        ("memory/2026-03-14_STANDUP.md", ("STANDUP",)),
    ],
)
def test_a_file_is_found_by_its_name_but_not_by_its_day(path: str, names: tuple[str, ...]) -> None:
    assert facets("- a\n", path, Kind.NOTE)[0].names == names


def test_names_of_bootstrap_files_are_no_words() -> None:
    assert facets("- a\n", "MEMORY.md", Kind.MEMORY)[0].names == ()


def test_a_folder_of_users_says_whose_memory_it_is() -> None:
    assert facets("- a\n", "memory/users/ada/notes.md", Kind.NOTE)[0].user == "ada"


_TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" "), min_size=1, max_size=9
)


@given(
    st.builds(
        Facets,
        type=_TEXT,
        importance=st.none() | st.integers(0, 100),
        pinned=st.booleans(),
        trust=st.sampled_from(["owner", "unknown"]),
        user=_TEXT,
        names=st.lists(_TEXT, max_size=3).map(tuple),
        ids=st.lists(_TEXT, max_size=3).map(tuple),
        sources=st.lists(_TEXT, max_size=3).map(tuple),
    )
)
def test_facets_survive_the_index(one: Facets) -> None:
    stamp = Stamp(10, 1, 2, "digest", racy=True)
    stored = Stored(
        path=RelPath("a\udcff.md"),
        kind=Kind.LOG,
        date=date(2026, 3, 14),
        start_line=1,
        end_line=2,
        heading=("A", "B"),
        hash=EntryHash("0a"),
        text="text",
        stamp=stamp,
        facets=one,
    )
    assert unpacked(packed(stored, 7)) == (stored, 7)
    expected = None if one.importance is None else one.importance / 100
    assert (importance_in(one.marks), pinned_in(one.marks)) == (expected, one.pinned)
    assert user_in(one.marks) == user_code(one.user)


@pytest.mark.parametrize("data", [None, b"", b"a", b"\x1f" * 14, b"\x92\x80\x01", b"\xc1"])
def test_what_another_version_stored_is_refused(data: bytes | None) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpacked(data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A workspace with a graph page, an episode and a log of two sessions."""
    memory = Memory(tmp_path_factory.mktemp("facets") / "agent")
    for path, text in (
        ("graph/person/sarah-chen.md", PAGE),
        ("episodes/2026/03/e12.md", EPISODE),
        ("memory/2026-03-14.md", LOG),
    ):
        (memory.root / path).parent.mkdir(parents=True, exist_ok=True)
        (memory.root / path).write_text(text)
    memory.reindex()
    return memory


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("type:pref", [8]),
        ("type:todo,preference", [8, 10]),
        ("-type:todo kind:entity", [8, 9]),
        ("from:e12", [8]),
        ("from:2026-03-01", [8]),
        ("from:s91", [13, 14, 15]),
        ("from:main", [13, 14, 15]),
        ("from:77aa01", [9, 11]),
        ("from:human", [10]),
        ("trust:owner", [8]),
        ("trust:agent", [3, 5, 9, 11, 13, 14]),
        ("trust:external", [15]),
        ("pinned:yes", [8, 13, 14, 15]),
        ("user:sam kind:episode", [13, 14, 15]),
        ("path:graph", [8, 9, 10]),
        ("path:*/2026-*.md", [3, 5, 9, 11]),
        ('user:"" path:graph', [9, 10]),
        ("m7f3a", [8]),
        ("r91b", [9]),
        ("saz path:graph", [8, 9, 10]),
    ],
)
def test_a_condition_finds_what_it_says(pages: Memory, asked: str, lines: list[int]) -> None:
    hits = pages.lexical().search(Query(asked, 50)).hits
    assert sorted(hit.start_line for hit in hits) == lines


def test_conditions_without_words_list_the_newest(filled: Memory) -> None:
    for search in (filled.lexical(), filled.hybrid()):
        hits = search.search(Query("kind:log")).hits
        assert [hit.date for hit in hits] == [date(2026, 3, 15)] * 2 + [date(2026, 3, 14)] * 3
