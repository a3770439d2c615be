"""Which memories dominate what agents are given, and which were never given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.agent.usage import GivenEntry, dominance, never_given, record_recalls

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
PORT = "The staging port is 8443"
TEA = "We decided to use tantivy for search"


def give(sandbox: Sandbox, *texts: str, query: str = "q", ago: int = 0, by: str = "inject") -> None:
    given = [GivenEntry(sandbox.address(text), text, 0.5) for text in texts]
    record_recalls(sandbox.workspace, given, query=query, by=by, now=NOW - timedelta(days=ago))


def test_counts_are_answers_and_questions_count_once(sandbox: Sandbox) -> None:
    give(sandbox, PORT, TEA, query="one", ago=3)
    give(sandbox, PORT, query="one", ago=2)
    give(sandbox, PORT, query="two", ago=1, by="mcp")
    found = dominance(sandbox.workspace, NOW)
    first, second = found.shares
    assert (first.entry, first.count, first.questions, first.share) == (sandbox.address(PORT), 3, 2, 1.0)
    assert first.by == ("inject", "mcp")
    assert first.last == NOW - timedelta(days=1)
    assert (second.count, round(second.share, 2)) == (1, 0.33)
    assert found.answers == 3


def test_an_entry_that_was_moved_keeps_its_count_under_its_newest_address(sandbox: Sandbox) -> None:
    give(sandbox, PORT, ago=2)
    elsewhere = "memory/notes.md#123456789abc"
    record_recalls(sandbox.workspace, [GivenEntry(elsewhere, PORT, 1)], query="q", by="inject", now=NOW)
    (share,) = dominance(sandbox.workspace, NOW).shares
    assert (share.entry, share.count) == (elsewhere, 2)


def test_only_what_lies_within_the_days_counts(sandbox: Sandbox) -> None:
    give(sandbox, PORT, ago=40)
    give(sandbox, TEA, ago=5)
    assert [one.entry for one in dominance(sandbox.workspace, NOW).shares] == [sandbox.address(TEA)]
    assert len(dominance(sandbox.workspace, NOW, 60).shares) == 2


def test_records_without_a_moment_and_from_the_future_are_left_out(sandbox: Sandbox) -> None:
    give(sandbox, PORT, ago=-30)
    sandbox.workspace.ledger.append(
        "recalls", [{"entry": "x#1", "at": "never"}, {"at": 7}, {"entry": 3}], NOW
    )
    assert dominance(sandbox.workspace, NOW).shares == ()
    assert dominance(sandbox.workspace, NOW).answers == 0


def test_what_was_never_given_is_what_could_have_been(sandbox: Sandbox) -> None:
    found = dominance(sandbox.workspace, NOW)
    sandbox.write(
        "memory/notes.md",
        "# A heading alone\n\n- ghp_0123456789abcdefghijABCDEFGHIJ012345\n- A note nobody met\n",
    )
    never, count = never_given(sandbox.workspace, found, most=1)
    assert (len(never), count) == (1, 3)
    texts = [one.text for one in never_given(sandbox.workspace, found, most=10)[0]]
    assert "A note nobody met" in texts
    assert not any("ghp_" in text or "heading alone" in text for text in texts)
    assert not any(one.path == LOG for one in never_given(sandbox.workspace, found, most=10)[0])


def test_what_was_given_is_not_among_them_wherever_it_stands_now(sandbox: Sandbox) -> None:
    friday = "The release is on Friday"
    entry = sandbox.address(friday, EPISODE)
    record_recalls(sandbox.workspace, [GivenEntry(entry, friday, 1)], query="q", by="inject", now=NOW)
    never, _ = never_given(sandbox.workspace, dominance(sandbox.workspace, NOW), most=10)
    assert friday not in [one.text for one in never]


def test_a_long_reading_can_be_stopped(sandbox: Sandbox) -> None:
    told: list[tuple[int, int]] = []

    def going(done: int, total: int) -> bool:
        told.append((done, total))
        return False

    assert never_given(sandbox.workspace, dominance(sandbox.workspace, NOW), most=5, going=going) == ((), 0)
    assert told == [(0, 1)]
