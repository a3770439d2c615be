"""proposals from the command line: list, show, accept, edit, reject, defer, withdraw."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.cli.conftest import Run
from tests.support.proposals import entry, of_log, proposal, put
from tests.support.workspaces import LOG, Sandbox
from workbench.dreaming.proposals.inbox import propose
from workbench.memory.proposal import Proposal


@pytest.fixture
def waits(sandbox: Sandbox) -> tuple[Proposal, Proposal]:
    """Two proposals that wait."""
    one, two = (
        of_log(sandbox, "staging port"),
        of_log(sandbox, "tantivy", section="Key Decisions", run="d9e8"),
    )
    propose(sandbox.workspace, [one, two], datetime.now(UTC))
    return one, two


def keys(run: Run, *options: str) -> list[str]:
    return [one["key"] for one in run("inbox", "list", "--json", *options).json]


def test_the_list_says_what_where_how_sure_and_from_where(run: Run, waits: tuple[Proposal, ...]) -> None:
    result = run("inbox", "list")
    assert result.code == 0
    head, text, bar, gates, source, *_ = result.out.splitlines()
    assert head.startswith(f"{waits[0].key[:8]}  add to Project Facts ")
    assert head.endswith("score 0.78")
    assert text == f"          {waits[0].text}"
    assert "█" in bar
    assert "salience 0.52 · recurrence 1.5" in bar
    assert gates == "          gates score 0.78 (min 0.75) · signals 4 (min 3)"
    assert source == f"          {LOG}#L6 · trust agent · said on 3 days"
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert "2 proposals; long-term memory has" in result.err


def test_a_proposal_of_several_lines_is_printed_in_as_many(run: Run, sandbox: Sandbox) -> None:
    put(sandbox, proposal("Portal errors\nCause: the enum\nSolution: cast it"))
    lines = [line.strip() for line in run("inbox", "list").out.splitlines()]
    assert lines[1:4] == ["Portal errors", "Cause: the enum", "Solution: cast it"]


def test_the_best_of_a_run_is_first_and_equals_stay_in_their_order(run: Run, sandbox: Sandbox) -> None:
    scores = {"one": 0.5, "two": 0.9, "three": 0.5, "four": 0.7}
    ones = [proposal(f"The {word} gate opens at noon", score=score) for word, score in scores.items()]
    older = [proposal("The lid is red", score=0.1, run="older")]
    leaves = [proposal("x", action="archive", target=entry(sandbox, "tea", "MEMORY.md").address, score=0.99)]
    put(sandbox, *older)
    put(sandbox, *leaves, *ones)
    listed = [one["text"].split()[1:2] for one in run("inbox", "list", "--json").json]
    assert listed == [["lid"], [], ["two"], ["four"], ["one"], ["three"]]


def test_a_gate_that_is_missed_says_by_how_much(run: Run, sandbox: Sandbox) -> None:
    propose(sandbox.workspace, [proposal("A claim", score=0.5)], datetime.now(UTC))
    assert "score 0.5 (min 0.75), 0.25 missing" in run("inbox", "list").out


def test_no_part_of_a_score_is_cut_off(run: Run, sandbox: Sandbox) -> None:
    names = ("salience", "recurrence", "novelty", "actionability", "user model")
    scored = replace(proposal("A claim"), parts=dict.fromkeys(names, 0.5))
    propose(sandbox.workspace, [scored], datetime.now(UTC))
    out = run("inbox", "list").out
    assert " · ".join(f"{name} 0.5" for name in names) in " ".join(out.split())
    assert all(len(line) <= 80 for line in out.splitlines())


def test_show_has_every_part_and_the_diff(run: Run, waits: tuple[Proposal, ...]) -> None:
    result = run("inbox", "show", waits[0].key[:5])
    assert "  recurrence   1.50 of 2.00  ██████████" in result.out
    said = " ".join(result.out.split())  # what a line is about may stand in its heading alone
    assert f"source {LOG}#L6: 10:00 planning with Sarah: The staging port is 8443" in said
    assert "gate score 0.78 (min 0.75)" in result.out
    assert "+- The staging port is 8443 <!-- wb:" in result.out
    said = run("inbox", "show", waits[0].key, "--json").json
    assert said["problem"] == ""
    assert "MEMORY.md" in said["diff"]


def test_accept_says_where_it_stands_and_how_to_take_it_back(run: Run, waits: tuple[Proposal, ...]) -> None:
    one, two = waits
    result = run("inbox", "accept", one.key[:6], two.key)
    assert result.code == 0
    assert "accept: 2 proposals: 2 add" in result.out
    assert "→ Key Decisions" in result.out
    assert "workbench undo" in result.err
    assert keys(run) == []
    assert run("undo").code == 0
    assert keys(run) == [one.key, two.key]


def test_a_dry_run_shows_the_diff_and_decides_nothing(
    run: Run, waits: tuple[Proposal, ...], sandbox: Sandbox
) -> None:
    before = sandbox.snapshot()
    for command in (("accept",), ("reject",), ("withdraw",), ("defer", "--until", "2w")):
        shown = run("inbox", command[0], waits[0].key, *command[1:], "--dry-run")
        assert shown.code == 0
        assert "ledger:decisions.jsonl" in shown.out
    assert sandbox.snapshot() == before
    assert len(keys(run)) == 2


def test_all_or_those_of_a_run_can_be_accepted_at_once(run: Run, waits: tuple[Proposal, ...]) -> None:
    assert run("inbox", "accept", "--run", "d9e8", "--json").json["action"] == "accept"
    assert keys(run) == [waits[0].key]
    assert run("inbox", "accept", "--all").code == 0
    assert keys(run) == []
    assert run("inbox", "accept", "--all").code == 2
    assert run("inbox", "accept").code == 2
    assert run("inbox", "accept", "--all", "--run", "d9e8").code == 2


def test_edit_accepts_other_words(run: Run, waits: tuple[Proposal, ...], sandbox: Sandbox) -> None:
    done = run("inbox", "edit", waits[0].key, "--text", "Staging listens on 8443", "--json")
    assert done.code == 0
    assert b"- Staging listens on 8443 <!--" in sandbox.read("MEMORY.md")
    assert keys(run) == [waits[1].key]


def test_edit_opens_the_editor_and_what_it_saved_counts(
    run: Run, waits: tuple[Proposal, ...], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/8443/9443/")
    monkeypatch.delenv("VISUAL", raising=False)
    assert run("inbox", "edit", waits[0].key).code == 0
    assert b"- The staging port is 9443 <!--" in sandbox.read("MEMORY.md")


def test_an_archive_takes_no_words(run: Run, sandbox: Sandbox) -> None:
    target = entry(sandbox, "tea", "MEMORY.md").address
    one = proposal("Likes tea", action="archive", target=target)
    propose(sandbox.workspace, [one], datetime.now(UTC))
    assert run("inbox", "edit", one.key, "--text", "x").code == 2
    assert run("inbox", "accept", one.key).code == 0
    assert b"tea" not in sandbox.read("MEMORY.md")


def test_reject_defer_and_withdraw_are_undoable_words(run: Run, waits: tuple[Proposal, ...]) -> None:
    one, two = (each.key for each in waits)
    assert run("inbox", "reject", one, "--reason", "not true").code == 0
    assert run("inbox", "defer", two, "--until", "3d").code == 0
    assert keys(run) == []
    assert keys(run, "--all") == [two]
    assert "1 more are deferred or stale" in run("inbox", "list").err
    day = date.today() + timedelta(days=3)
    assert f"deferred until {day}" in run("inbox", "list", "--all").out
    assert run("undo").code == 0
    assert keys(run) == [two]
    assert run("inbox", "withdraw", one).code == 0
    assert run("inbox", "withdraw", two).code == 0
    assert keys(run, "--all") == []
    assert [row["action"] for row in run("log", "--json").json][:4] == [
        "withdraw",
        "withdraw",
        "undo",
        "defer",
    ]


def test_a_key_that_was_decided_says_so(run: Run, waits: tuple[Proposal, ...]) -> None:
    run("inbox", "reject", waits[0].key, "--reason", "not true")
    refused = run("inbox", "accept", waits[0].key, "--json")
    assert refused.code == 2
    assert "not true" in refused.json["error"]["hint"]


def test_a_secret_needs_two_words(run: Run, sandbox: Sandbox) -> None:
    one = proposal("The token is ghp_" + "q7Zk2Vx9Lm4T" * 3)
    propose(sandbox.workspace, [one], datetime.now(UTC))
    assert run("inbox", "accept", one.key, "--json").json["error"]["code"] == "flagged"
    refused = run("inbox", "accept", one.key, "--allow-flagged", "--json")
    assert refused.json["error"]["code"] == "secret"
    assert run("inbox", "accept", one.key, "--allow-flagged", "--allow-secret").code == 0


def test_a_stale_one_is_shown_with_its_reason(
    run: Run, waits: tuple[Proposal, ...], sandbox: Sandbox
) -> None:
    sandbox.write(LOG, "# emptied\n")
    assert keys(run) == []
    assert "stale: its source no longer exists" in run("inbox", "list", "--all").out
    said = run("inbox", "show", waits[0].key, "--json").json
    assert said["problem"] == said["stale"]
    assert run("inbox", "accept", waits[0].key).code == 2


def test_the_first_words_of_help_need_nothing_heavy(run: Run) -> None:
    assert "withdraw" in run("inbox", "--help").out
    assert "--rollback" in run("dream", "--help").out


def test_all_and_a_run_take_two_that_are_about_the_same_words(
    run: Run, sandbox: Sandbox, waits: tuple[Proposal, ...]
) -> None:
    target = entry(sandbox, "Atlas", "MEMORY.md").address
    let_go = proposal(waits[0].text, action="archive", target=target, run="d0a1")
    propose(sandbox.workspace, [let_go], datetime.now(UTC))
    assert run("inbox", "accept", "--all").code == 0
    assert keys(run) == []


def test_what_was_decided_is_listed_with_what_was_said(run: Run, waits: tuple[Proposal, ...]) -> None:
    run("inbox", "accept", waits[0].key)
    run("inbox", "reject", waits[1].key, "--reason", "not ours")
    result = run("inbox", "decided")
    assert f"{waits[0].key[:8]}  add to Project Facts: accepted on" in result.out
    assert ": not ours" in result.out
    assert "2 decided proposals" in result.err
    (one,) = run("inbox", "decided", "--run", "d9e8", "--json").json
    assert (one["key"], one["decision"]) == (waits[1].key, "rejected")
