"""A transcript that grows is indexed again when that is worth it, and is not called stale before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexing.sync.freshness import QUIET_NS, freshness
from indexing.sync.run import reindex
from indexing.sync.sources import IndexSources, SourceScan
from tests.indexing.conftest import Memory, Owner
from tests.support.sessions import append, claw, plain


@pytest.fixture
def growing(owner: Owner, sessions: Path) -> Memory:
    """A memory with one indexed session."""
    memory = owner.opens(transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    memory.reindex(vectors=False)
    return memory


@pytest.fixture
def session(sessions: Path) -> Path:
    return sessions / "s91.jsonl"


def lines(count: int, word: str = "heron") -> bytes:
    return plain(*(("user", f"Saw {word} number {number}") for number in range(count)))


def test_a_few_lines_wait_and_are_counted(growing: Memory, session: Path) -> None:
    append(session, lines(49))
    state = freshness(growing.workspace)
    assert (state.state, state.waiting, state.changed) == ("fresh", 1, 0)
    assert "1 growing transcript waiting" in state.summary
    report = growing.reindex(vectors=False)
    assert (report.changed, report.waiting) == (0, 1)
    assert not growing.found("heron")


def test_what_stood_there_before_answers_as_ever(growing: Memory, session: Path) -> None:
    append(session, lines(10))
    answer = growing.asked("axolotl")
    assert (answer.hits[0].path, answer.stale) == (str(session), None)


@pytest.mark.parametrize("data", [lines(50), plain(("user", "heron " * 17_000))], ids=["lines", "bytes"])
def test_enough_lines_or_bytes_are_indexed(growing: Memory, session: Path, data: bytes) -> None:
    append(session, data)
    assert freshness(growing.workspace).changed == 1
    report = growing.reindex(vectors=False)
    assert (report.changed, report.waiting) == (1, 0)
    assert growing.found("heron") == [str(session)]
    assert freshness(growing.workspace).state == "fresh"


def test_growth_adds_up_over_several_turns(growing: Memory, session: Path) -> None:
    for _ in range(4):
        append(session, lines(12))
        assert growing.reindex(vectors=False).changed == 0
    append(session, lines(2))
    assert growing.reindex(vectors=False).changed == 1
    append(session, lines(49))
    assert growing.reindex(vectors=False).changed == 0, "it counts from what was indexed last"


def test_the_owner_sets_what_is_enough(owner: Owner, sessions: Path, session: Path) -> None:
    memory = owner.opens(transcripts=[sessions], transcript_lines=2)
    memory.reindex(vectors=False)
    append(session, lines(1))
    assert freshness(memory.workspace).waiting == 1
    append(session, lines(1))
    assert freshness(memory.workspace).changed == 1


def test_a_session_that_was_quiet_for_a_while_is_indexed(
    growing: Memory, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(session, lines(1))
    assert freshness(growing.workspace).waiting == 1
    later = session.stat().st_ctime_ns + QUIET_NS + 1
    monkeypatch.setattr("indexing.sync.freshness.time.time_ns", lambda: later)
    assert freshness(growing.workspace).changed == 1
    assert growing.reindex(vectors=False).changed == 1
    assert growing.found("heron")


@pytest.mark.promise(
    "The index",
    "the clock goes backwards while a transcript grows",
    "it is indexed again",
)
def test_a_clock_that_went_backwards_makes_nothing_wait_for_ever(
    growing: Memory, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(session, lines(1))
    before = session.stat().st_ctime_ns - 3_600_000_000_000
    monkeypatch.setattr("indexing.sync.freshness.time.time_ns", lambda: before)
    assert freshness(growing.workspace).changed == 1


def test_who_asks_for_it_gets_it_at_once(growing: Memory, session: Path) -> None:
    append(session, lines(1))
    assert reindex(growing.workspace, paths=[str(session)], vectors=False).changed == 1
    assert growing.found("heron")
    append(session, lines(1, "stork"))
    assert growing.reindex(vectors=False, full=True).failed == {}
    assert growing.found("stork")


@pytest.mark.promise(
    "The index",
    "a transcript that is rotated, truncated or rewritten in place",
    "read again at once; old text is not found any more",
)
@pytest.mark.parametrize("how", ["rotated", "truncated", "rewritten"])
def test_what_did_not_only_grow_is_read_anew_at_once(growing: Memory, session: Path, how: str) -> None:
    other = claw(("user", "Where is the marmot?"), ("assistant", "On the hill"), ("user", "Thank you"))
    assert len(other) > session.stat().st_size
    if how == "rotated":
        fresh = session.with_suffix(".new")
        fresh.write_bytes(other)
        os.replace(fresh, session)
    elif how == "truncated":
        session.write_bytes(plain(("user", "Where is the marmot?")))
    else:
        with session.open("r+b") as file:
            file.write(other)
    assert freshness(growing.workspace).changed == 1
    assert not growing.found("axolotl"), "what no longer exists does not answer"
    assert growing.reindex(vectors=False).changed == 1
    assert growing.found("marmot")


def test_another_file_in_its_place_is_read_anew_however_it_ends(owner: Owner, sessions: Path) -> None:
    end = lines(60)
    old, new = plain(("user", "Where is the axolotl?")), plain(("user", "Where is the marmots?"))
    assert len(old) == len(new)
    session = sessions / "long.jsonl"
    session.write_bytes(old + end)
    memory = owner.opens(transcripts=[sessions])
    memory.reindex(vectors=False)
    fresh = session.with_suffix(".new")
    fresh.write_bytes(new + end + lines(1, "stork"))
    os.replace(fresh, session)
    assert freshness(memory.workspace).changed == 1


@pytest.mark.promise("The index", "a last line is half written", "indexed once it is complete")
def test_a_line_that_is_being_written_is_taken_when_it_is_whole(growing: Memory, session: Path) -> None:
    whole = plain(("user", "The heron came back"))
    append(session, whole[:-12])
    assert reindex(growing.workspace, paths=[str(session)], vectors=False).bad_lines == {}
    assert not growing.found("heron")
    append(session, whole[-12:])
    report = reindex(growing.workspace, paths=[str(session)], vectors=False)
    assert (report.changed, report.bad_lines) == (1, {})
    assert growing.found("heron")


@pytest.mark.promise("The index", "a transcript that grows while it is read", "the new lines count as growth")
def test_what_came_while_it_was_read_counts_as_growth(
    growing: Memory, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(session, lines(60))
    scan = IndexSources.scan

    def late(sources: IndexSources) -> SourceScan:
        found = scan(sources)
        append(session, lines(55, "stork"))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(IndexSources, "scan", late)
        assert growing.reindex(vectors=False).changed == 1
    assert growing.found("heron")
    assert not growing.found("stork")
    assert freshness(growing.workspace).changed == 1
    assert growing.reindex(vectors=False).changed == 1
    assert growing.found("stork")


def test_growth_embeds_only_what_is_new(owner: Owner, sessions: Path, session: Path) -> None:
    memory = owner.opens(transcripts=[sessions])
    memory.reindex()
    memory.model.texts.clear()
    append(session, lines(50))
    assert memory.reindex().embedded == 50
    assert len(memory.model.texts) == 50
