"""What belongs to an entry, and who recalled it, told from the files and the ledger alone."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.agent.related import Related, kin, like, merged, named
from workbench.agent.search_update import FoundHit, SearchUpdate
from workbench.agent.usage import GivenEntry, UsageIndex, record_recalls

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
PORT = "The staging port is 8443"


def test_recalls_are_counted_by_answer_question_and_who(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    for hour, query, by in ((1, "port?", "mcp"), (2, "PORT? ", "mcp"), (3, "where", "cli")):
        record_recalls(
            sandbox.workspace,
            [GivenEntry(address, PORT, 0.5)],
            query=query,
            by=by,
            now=NOW.replace(hour=hour),
        )
    found = UsageIndex(sandbox.workspace).of(address, PORT)
    assert (found.times, found.questions, found.by) == (3, 2, ("mcp", "cli"))
    assert found.last == NOW.replace(hour=3)


def test_an_entry_that_moved_keeps_its_recalls(sandbox: Sandbox) -> None:
    record_recalls(
        sandbox.workspace, [GivenEntry("memory/old.md#1", PORT, 0.5)], query="q", by="mcp", now=NOW
    )
    assert UsageIndex(sandbox.workspace).of("MEMORY.md#2", PORT).times == 1
    assert UsageIndex(sandbox.workspace).of("MEMORY.md#2", "Other words").times == 0


def test_a_page_is_recalled_by_its_lines_once_an_answer(sandbox: Sandbox) -> None:
    given = [GivenEntry(f"{EPISODE}#1", "a", 0.5), GivenEntry(f"{EPISODE}#2", "b", 0.4)]
    record_recalls(sandbox.workspace, given, query="q", by="mcp", now=NOW)
    assert UsageIndex(sandbox.workspace).of(EPISODE).times == 1


def test_lines_of_the_ledger_that_are_none_are_passed_over(sandbox: Sandbox) -> None:
    sandbox.write(
        "_system/ledger/recalls-2026-03.jsonl", '{"entry": 7}\n[]\nnot json\n{"entry": "a#1", "at": 9}\n'
    )
    recalls = UsageIndex(sandbox.workspace)
    assert recalls.of("a#1").times == 1
    assert recalls.of("a#1").last is None


def test_new_recalls_are_seen(sandbox: Sandbox) -> None:
    recalls = UsageIndex(sandbox.workspace)
    assert recalls.of("a#1").times == 0
    record_recalls(sandbox.workspace, [GivenEntry("a#1", PORT, 0.5)], query="q", by="mcp", now=NOW)
    assert recalls.of("a#1").times == 1


def test_source_and_copy_belong_to_each_other(sandbox: Sandbox) -> None:
    memory = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", memory + f"- The port is 8443 <!-- wb: id=m1 src={LOG}#L6 -->\n")
    log = sandbox.workspace.find(sandbox.address("staging port"))
    copy = sandbox.workspace.find(sandbox.address("The port is", "MEMORY.md"))
    assert [(one.entry, one.why) for one in kin(sandbox.workspace, log)] == [
        (copy.address, "was created from it")
    ]
    assert [(one.entry, one.why) for one in kin(sandbox.workspace, copy)] == [
        (log.address, "is where it came from")
    ]


def test_a_source_outside_or_gone_leads_nowhere(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- Odd <!-- wb: src=../../etc/passwd#L1 src=memory/gone.md#L2 -->\n")
    assert list(kin(sandbox.workspace, sandbox.workspace.find(sandbox.address("Odd", "MEMORY.md")))) == []


def test_pages_are_named_as_whole_words(sandbox: Sandbox) -> None:
    entry = sandbox.workspace.find(sandbox.address("async reviews"))
    names = [("Sarah", "p/s.md"), ("Sara", "p/x.md"), ("Reviews", "p/r.md")]
    assert [one.entry for one in named(entry, names)] == ["p/s.md", "p/r.md"]


def test_what_is_like_it_shares_words_and_is_not_itself(sandbox: Sandbox) -> None:
    entry = sandbox.workspace.find(sandbox.address("staging port"))
    said = (
        (entry.address, entry.text, 1.0),
        ("a#1", "Which staging port is it?", 0.5),
        ("b#1", "Nothing in common", 0.9),
    )
    hits = tuple(FoundHit(one, "a", 1, "log", None, text, score) for one, text, score in said)
    assert [one.entry for one in like(SearchUpdate("port", hits, "lexical"), entry)] == ["a#1"]
    assert list(like(None, entry)) == []


def test_each_is_told_once_with_its_first_reason() -> None:
    one, other = Related("a#1", "t", "first"), Related("a#1", "t", "second")
    assert merged([one], [other, Related("b#1", "t", "third")], most=2) == (one, Related("b#1", "t", "third"))
