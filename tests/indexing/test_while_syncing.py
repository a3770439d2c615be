"""Searches while files change, syncs go on and generations replace each other: only what is there answers."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import threading
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from indexing.lexical.index import deleted_share
from indexing.search.answer import Query
from indexing.search.build_answer import HitValidator
from indexing.search.index_search import IndexSearch
from indexing.search.modes import Mode
from indexing.sync.freshness import freshness
from indexing.sync.report import SyncProgress
from indexing.sync.run import COMPACT_SHARE, reindex
from tests.indexing.conftest import Memory
from workbench.errors import WorkbenchError

WORDS = ("launch", "worker", "parser", "retry", "door", "april", "atlas", "deploy")
ROUNDS = 16


@dataclass
class Version:
    """Lines of a file, and when they may have stood there."""

    lines: list[str]
    since: float
    until: float = float("inf")


@dataclass
class Agent:
    """Writes, moves and removes files whole, and remembers what stood where and when."""

    memory: Memory
    random: random.Random
    files: dict[str, list[str]] = field(default_factory=dict)
    _versions: dict[str, list[Version]] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def item(self) -> str:
        first, second = self.random.sample(WORDS, 2)
        return f"number{next(self._numbers)} {first} {second} memo"

    def write(self, path: str, items: list[str]) -> None:
        target = self.memory.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        version = Version([f"- {item}" for item in items], time.monotonic())
        self._versions.setdefault(path, []).append(version)
        target.with_suffix(".new").write_text("\n".join(version.lines) + "\n")
        os.replace(target.with_suffix(".new"), target)
        self._end(path, keep=version)
        self.files[path] = items

    def remove(self, path: str) -> None:
        (self.memory.root / path).unlink()
        self._end(path)
        del self.files[path]

    def act(self) -> None:
        """One change of any sort."""
        path = self.random.choice(list(self.files))
        items = self.files[path]
        new = f"memory/notes/{next(self._numbers)}.md"
        chosen = self.random.randrange(5)
        if chosen == 0 and len(self.files) > 4:
            self.remove(path)
        elif chosen == 1:
            self.write(path, [*items, self.item()])
        elif chosen == 2:
            self.write(path, [self.item(), *items[:-1]])
        elif chosen == 3:
            self.write(new, items)
            self.remove(path)
        else:
            self.write(new, [self.item() for _ in range(self.random.randint(1, 12))])

    def stood(self, path: str, line: int, text: str, since: float, until: float) -> bool:
        """Whether ``text`` was that line of ``path`` at some time between."""
        return any(
            version.lines[line - 1 : line] == [f"- {text}"]
            for version in list(self._versions.get(path, ()))
            if version.since <= until and since <= version.until
        )

    def _end(self, path: str, keep: Version | None = None) -> None:
        now = time.monotonic()
        for version in self._versions[path]:
            if version is not keep and version.until == float("inf"):
                version.until = now


def ask(agent: Agent, search: IndexSearch, query: Query) -> tuple[int, list[str]]:
    """How many hits there were, and those that stood nowhere while it was asked."""
    since = time.monotonic()
    answer = search.search(query)
    until = time.monotonic()
    return len(answer.hits), [
        f"{hit.path}:{hit.start_line} {hit.snippet}"
        for hit in answer.hits
        if not agent.stood(hit.path, hit.start_line, hit.snippet, since, until)
    ]


@pytest.mark.promise(
    "The index",
    "searches while files change, move and go, and syncs and full rebuilds go on",
    "no search fails, shows text that is gone, or mistakes a sync for damage",
)
def test_a_search_across_many_syncs_never_fails_and_shows_nothing_that_is_not_there(memory: Memory) -> None:
    agent = Agent(memory, random.Random(4))
    for number in range(12):
        agent.write(f"memory/2026-03-{number + 1:02}.md", [agent.item() for _ in range(number + 1)])
    memory.reindex()
    wrong: list[str] = []
    hits: list[int] = []
    stop = threading.Event()

    def keep_asking(search: IndexSearch, modes: tuple[Mode, ...]) -> None:
        questions = itertools.cycle(itertools.product(WORDS, modes))
        while not stop.is_set():
            word, mode = next(questions)
            try:
                count, strange = ask(agent, search, Query(f"{word} memo", k=12, mode=mode))
            except Exception as error:  # whatever it is, it is a failure of the search
                count, strange = 0, [f"{type(error).__name__}: {error}"]
            hits.append(count)
            wrong.extend(strange)

    threads = [
        threading.Thread(target=keep_asking, args=(memory.lexical(), ("lexical",))),
        threading.Thread(target=keep_asking, args=(memory.hybrid(), ("hybrid", "vector"))),
    ]
    for thread in threads:
        thread.start()
    try:
        for round_ in range(ROUNDS):
            for _ in range(agent.random.randrange(4)):
                agent.act()
            report = memory.reindex(full=round_ % 4 == 3, vectors=round_ % 5 != 4)
            assert report.rebuilt is None, "a search took a sync for damage"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert sum(hits) > 0
    memory.reindex()
    assert freshness(memory.workspace).state == "fresh"


@pytest.mark.promise(
    "The index",
    "a folder moved away, with a link in its place",
    "its files are not found",
)
def test_an_entry_in_a_folder_that_became_a_link_does_not_answer(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moving a folder leaves its files as they were: their stamps alone would vouch for them."""
    monkeypatch.setattr("indexing.sync.run.RACY_NS", 0)
    filled.reindex(full=True)
    assert filled.found("PostgreSQL") == ["memory/projects/atlas.md"]
    folder: Path = filled.root / "memory/projects"
    moved = folder.rename(filled.root.parent / "moved")
    folder.symlink_to(moved)
    answer = filled.asked("PostgreSQL")
    assert not answer.hits
    assert answer.stale
    assert filled.reindex().removed == 1


@pytest.mark.promise(
    "The index",
    "a file changes twice within one tick of the clock",
    "both changes are indexed",
)
def test_what_changes_twice_in_one_tick_of_the_clock_is_read_twice(filled: Memory) -> None:
    path = filled.write("MEMORY.md", "The door code is 1000")
    recheck = HitValidator(filled.workspace)
    status = path.lstat()
    seen = (status.st_size, status.st_ctime_ns, status.st_ino)
    for code in (b"1000", b"1001"):  # where the clock is coarse, both look the same
        path.write_bytes(path.read_bytes().replace(b"1000", code))
        digest = recheck.digest("MEMORY.md", seen, seen[0], racy=False)
        assert digest == sha256(path.read_bytes()).hexdigest(), f"{code!r} is not what was seen there"


@pytest.mark.promise(
    "The index",
    "`.workbench` is removed during a sync",
    "the sync fails with a message; no file appears where git would see it; the next sync rebuilds the index",
)
@pytest.mark.parametrize("phase", ["words", "embed"])
def test_a_state_folder_that_is_removed_under_a_sync_does_not_come_back_where_git_would_see_it(
    filled: Memory, phase: str
) -> None:
    state = filled.root / ".workbench"

    def take_away(progress: SyncProgress) -> None:
        if progress.phase == phase:
            shutil.rmtree(state, ignore_errors=True)

    with pytest.raises(WorkbenchError):
        reindex(filled.workspace, full=True, model=filled.model.choice, progress=take_away)
    assert not state.exists() or (state / ".gitignore").is_file()
    filled.reindex()
    assert (state / ".gitignore").read_text() == "*\n"
    assert filled.found("PostgreSQL") == ["memory/projects/atlas.md"]


def test_words_of_a_larger_memory_are_not_rewritten_after_each_edit(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexing.sync.run.COMPACT_ALWAYS", 100)
    for day in range(1, 29):
        memory.write(f"memory/2026-03-{day:02}.md", *(f"item {n} of day {day}" for n in range(10)))
    memory.reindex(vectors=False)
    shares = []
    for edit in range(40):
        day = 1 if edit < 12 else edit % 28 + 1
        memory.write(f"memory/2026-03-{day:02}.md", *(f"item {n} of edit {edit}" for n in range(10)))
        memory.reindex(vectors=False)
        shares.append(deleted_share(memory.generation / "lexical"))
        assert shares[-1] < COMPACT_SHARE
        assert len(memory.asked(f"edit {edit}").hits) == 10
    assert max(shares[:12]) < 0.04, "a file that is edited again and again is not counted again and again"
    assert 0.0 in shares
    assert len([share for share in shares if share]) > len(shares) // 2
