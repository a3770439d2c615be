"""Filters give just what would be left of everything, whichever way is searched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.query.question import Filters, Question
from indexing.search.answer import Query
from tests.indexing.conftest import Memory
from workbench.memory.entry import Kind

WORDS = "harbor broker port release planning tea".split()  # noqa: SIM905
FILES = ("MEMORY.md", "memory/2026-03-14.md", "memory/2026-03-15-standup.md", "memory/projects/atlas.md")
MORE = ("memory/users/ada/notes.md", "graph/person/sarah.md", "episodes/2026/03/e1.md")


@dataclass(frozen=True)
class Known:
    """What the files say of an entry."""

    text: str
    path: str
    kind: Kind
    day: date | None
    type: str
    trust: str
    pinned: bool
    user: str
    source: str


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Memory, dict[str, Known]]:
    """Entries with every combination of what can be asked for, and what is known of each by its address."""
    memory = Memory(tmp_path_factory.mktemp("filters") / "agent")
    number = 0
    for path in (*FILES, *MORE):
        lines = []
        for _ in range(9):
            number += 1
            said = {"id": f"x{number}", "src": f"s{number % 4}"}
            if number % 3:
                said["trust"] = ("owner", "agent")[number % 2]
            if number % 4 == 0:
                said["pinned"] = "2026-03-01"
            if number % 5 == 0:
                said["user"] = "ada"
            lead = ("", "[decision] ", "[todo] ")[number % 3]
            comment = " ".join(f"{key}={value}" for key, value in said.items())
            text = f"{lead}{WORDS[number % 6]} {WORDS[number % 5]} item{number}x"
            lines.append(f"- {text} <!-- wb: {comment} -->")
        target = memory.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("# Notes\n\n" + "\n".join(lines) + "\n")
    memory.reindex()
    known = {}
    for stored, _, _ in memory.lexical()._snapshot().everything():
        facets = stored.facets
        known[stored.address] = Known(
            *(stored.text, stored.path, stored.kind, stored.date, facets.type, facets.trust),
            *(facets.pinned, facets.user, facets.sources[0]),
        )
    assert len(known) == number
    return memory, known


def holds(one: Known, asked: Filters, of: Callable[[Iterable[bool]], bool] = all) -> bool:
    """Whether an entry meets all of the conditions, or any, by what they say."""
    conditions: list[tuple[object, Callable[[], bool]]] = [
        (asked.kinds, lambda: one.kind in asked.kinds),
        (asked.since, lambda: one.day is not None and one.day >= (asked.since or date.min)),
        (asked.until, lambda: one.day is not None and one.day <= (asked.until or date.max)),
        (asked.types, lambda: any(one.type and one.type.startswith(part) for part in asked.types)),
        (asked.sources, lambda: any(part in one.source for part in asked.sources)),
        (asked.paths, lambda: any(_in_path(part, one.path.lower()) for part in asked.paths)),
        (asked.trusts, lambda: one.trust in asked.trusts),
        (asked.users, lambda: one.user in asked.users),
        (asked.pinned is not None, lambda: one.pinned == asked.pinned),
    ]
    return of(test() for said, test in conditions if said)


def _in_path(part: str, path: str) -> bool:
    if "*" not in part and "?" not in part:
        return part in path
    pattern = "".join({"*": ".*", "?": "."}.get(one, re.escape(one)) for one in part)
    return re.fullmatch(pattern, path) is not None


def some(*values: str) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(values), max_size=2)


_DAYS = st.none() | st.integers(-2, 3).map(lambda days: date(2026, 3, 14) + timedelta(days))
FILTERS = st.builds(
    Filters,
    kinds=st.frozensets(st.sampled_from(list(Kind)), max_size=3),
    since=_DAYS,
    until=_DAYS,
    types=some("decision", "to", "nothing"),
    sources=some("s1", "s", "s3", "zz"),
    paths=some("memory", "a", "*.md", "memory/*", "*/2026-03-1?*", "[m]*", "atlas"),
    trusts=some("owner", "agent", "unknown", "external"),
    users=some("", "ada", "sam"),
    pinned=st.none() | st.booleans(),
)
SETTINGS = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SETTINGS
@given(within=FILTERS, without=FILTERS)
def test_what_is_allowed_is_what_meets_the_conditions(
    mixed: tuple[Memory, dict[str, Known]], within: Filters, without: Filters
) -> None:
    memory, known = mixed
    without = replace(without, since=None, until=None)  # the language has none: -since: is until:
    snapshot = memory.lexical()._snapshot()
    question = Question(text="", within=within, without=without)
    if not question.narrows:
        return
    found = {snapshot.load(match).address for match in snapshot.search(question, 500)}
    left = {address for address, one in known.items() if holds(one, within)}
    assert found == {address for address in left if not holds(known[address], without, any)}


@settings(SETTINGS, max_examples=40)
@given(within=FILTERS, words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_filtering_first_and_filtering_last_are_the_same(
    mixed: tuple[Memory, dict[str, Known]], mode: str, within: Filters, words: list[str]
) -> None:
    memory, known = mixed
    search = memory.hybrid()
    text = " ".join(words)
    everything = search.search(Query(text, 500, mode)).hits  # type: ignore[arg-type]
    narrowed = search.search(Query(text, 500, mode, within)).hits  # type: ignore[arg-type]
    expected = [hit.entry for hit in everything if holds(known[hit.entry], within)]
    assert {hit.entry for hit in narrowed} == set(expected)
    if mode == "lexical":
        assert [hit.entry for hit in narrowed] == expected


def test_two_sets_of_conditions_are_one() -> None:
    one = Filters(kinds=frozenset({Kind.LOG}), since=date(2026, 3, 1), until=date(2026, 3, 9))
    two = Filters(kinds=frozenset({Kind.NOTE}), since=date(2026, 3, 5), pinned=True)
    both = one.also(two)
    assert both == Filters(
        kinds=frozenset({Kind.LOG, Kind.NOTE}), since=date(2026, 3, 5), until=date(2026, 3, 9), pinned=True
    )
    assert not Filters()
    assert Filters(pinned=False)
