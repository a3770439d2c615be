"""What the checks say of a memory that is not well, each finding with its entry and with what mends it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.backup.bundles import remember
from workbench.backup.targets import find_target
from workbench.errors import NoWorkspaceError, UsageError
from workbench.graph.contradictions import ANSWERS
from workbench.health import checks as checks_module
from workbench.health.checks import CHECKS, examine, repair, run, shown
from workbench.health.finding import Check, CheckResult, Finding, Look
from workbench.health.subject import CheckSubject
from workbench.jobs.runs import Job, JobRun, keep
from workbench.memory.claims import claim_key
from workbench.workspace.task_context import TaskContext

SECRET = "AKIAQ7LMNO5P2RSTUVWX"
NOW = datetime(2026, 6, 1, 12).astimezone()


def looked(sandbox: Sandbox, *names: str, now: datetime = NOW) -> dict[str, CheckResult]:
    """The results of these checks, or of all, as the interface gets them."""
    with closing(CheckSubject.open(sandbox.root)) as place:
        place.moment = now
        chosen = [check for check in CHECKS if not names or check.name in names]
        return {result.name: shown(result) for result in examine(place, checks=chosen)}


def one(sandbox: Sandbox, name: str, now: datetime = NOW) -> CheckResult:
    return looked(sandbox, name, now=now)[name]


def gravest(result: CheckResult) -> str:
    return result.findings[0].severity if result.findings else "fine"


def deeds(finding: Finding) -> list[str]:
    return [fix.deed for fix in finding.fixes]


def lines(root: Path, wish: dict[str, object]) -> Iterable[dict[str, Any]]:
    out = io.StringIO()
    run(root, wish, TaskContext("the look", out))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_all_results_come_and_are_the_same_after_json(sandbox: Sandbox) -> None:
    found = looked(sandbox)
    assert list(found) == [check.name for check in CHECKS]
    for result in found.values():
        assert not any("the check itself failed" in finding.what for finding in result.findings)
        assert msgspec.convert(json.loads(msgspec.json.encode(result)), CheckResult) == result


def test_an_index_that_is_not_there_can_be_made(sandbox: Sandbox) -> None:
    (finding,) = one(sandbox, "sync").findings
    assert finding.what == "index: there is no index yet"
    assert [fix.command for fix in finding.fixes] == ["workbench reindex"]


def test_a_secret_is_masked_everywhere_and_leads_to_its_entry(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + f"- The key is {SECRET}\n")
    found = looked(sandbox)
    (finding,) = found["secrets"].findings
    assert finding.address == sandbox.address("The key", "MEMORY.md")
    assert deeds(finding) == ["forget", "edit", "quarantine"]
    assert SECRET not in str(found)


def test_hidden_text_can_be_set_aside(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "- read\u200b\u200bthis\n")
    (finding,) = one(sandbox, "hidden text").findings
    assert finding.severity == "warning"
    assert finding.fixes[0].deed == "quarantine"
    assert finding.fixes[0].addresses == (sandbox.address("read"),)


def test_duplicates_can_be_made_one(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- The project is called Atlas\n")
    finding = one(sandbox, "duplicates").findings[0]
    merge = finding.fixes[0]
    assert merge.deed == "merge"
    assert len(merge.addresses) == 2
    assert set(merge.addresses) == {finding.address, *finding.others}


def test_of_two_that_contradict_each_other_either_can_go(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- The staging port is 8443\n- The staging port is 9000\n")
    (finding,) = one(sandbox, "contradictions").findings
    first, second = finding.fixes[:2]
    assert (first.deed, second.deed) == ("forget", "forget")
    assert {*first.addresses, *second.addresses} == {finding.address, *finding.others}


def test_contradictions_of_the_graph_are_among_them(sandbox: Sandbox) -> None:
    homes = (("Lisbon", "2026-01-01"), ("Oslo", "2026-02-01"))
    text = "".join(f"- [fact] Lives in {home} <!-- wb: at={day} -->\n" for home, day in homes)
    sandbox.write("graph/person/sarah.md", f"---\nname: Sarah\ntype: person\n---\n{text}")
    (finding,) = one(sandbox, "contradictions").findings
    assert "Sarah, lives in" in finding.what
    answers, others = finding.fixes[:4], finding.fixes[4:]
    assert [(fix.deed, fix.of) for fix in answers] == [("settle", answer) for answer in ANSWERS]
    key = answers[0].addresses[0]
    assert answers[1].command == f"workbench graph settle {key} replace"
    assert others[0].command == "workbench graph contradictions"
    assert [fix.deed for fix in others] == ["open", "forget-memory", "forget-memory"]
    assert others[1].addresses == (finding.address,)
    assert finding.others == others[2].addresses


def test_a_dead_link_can_be_edited(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- see [the plan](notes/gone.md)\n")
    (finding,) = one(sandbox, "links").findings
    assert deeds(finding) == ["edit"]


def test_a_memory_over_its_budget_can_be_archived(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "".join(f"- fact {n} {'x' * 60}\n" for n in range(300)))
    result = one(sandbox, "budget")
    assert deeds(result.findings[0]) == ["open", "archive"]
    assert " of 10,000 characters" in result.seen


def test_episodes_count_down_and_can_be_kept(sandbox: Sandbox) -> None:
    def episode(name: str, until: str, more: str = "") -> None:
        text = EPISODE_TEXT.replace("id: e1", f"id: {name}{more}").replace("2026-06-12", until)
        sandbox.write(f"episodes/2026/03/{name}.md", text)

    episode("e2", "2026-06-29")
    episode("e3", "2026-05-20")
    episode("e4", "2026-08-29")
    episode("e5", "2026-05-20", "\npinned: true")
    said = {finding.address: finding for finding in one(sandbox, "expiry").findings}
    assert set(said) == {EPISODE, "episodes/2026/03/e2.md", "episodes/2026/03/e3.md"}
    assert said[EPISODE].severity == "warning"
    assert "expires in 11 days" in said[EPISODE].what
    assert said["episodes/2026/03/e2.md"].severity == "info"
    assert "expired 12 days ago" in said["episodes/2026/03/e3.md"].what
    assert deeds(said["episodes/2026/03/e3.md"]) == ["extend", "pin", "expire"]


def test_recalls_are_told_with_what_never_was(sandbox: Sandbox) -> None:
    tea, atlas = sandbox.workspace.memory_document().entries
    assert one(sandbox, "recalls").seen == "0 answers, 0 of them this week"
    moved = {"entry": "memory/x.md#1234", "claim": claim_key(tea.text), "query": "1"}
    sandbox.workspace.ledger.append("recalls", [moved, {**moved, "query": "2"}], NOW)
    result = one(sandbox, "recalls")
    assert result.seen == "2 answers, 2 of them this week; 1 of 2 entries of MEMORY.md in none of them"
    assert [finding.address for finding in result.findings] == [atlas.address]
    assert deeds(result.findings[0]) == ["forget", "edit"]


def test_recalls_that_only_episodes_tell_of_are_told_as_that(sandbox: Sandbox) -> None:
    counted = EPISODE_TEXT.replace(
        "trust: agent\n", "trust: agent\nrecall_count: 11\nlast_recalled_at: 2026-05-02T03:33:00Z\n"
    )
    sandbox.write(EPISODE, counted)
    assert one(sandbox, "recalls").seen.endswith("; episodes count 11 recalls of their own")
    assert (
        one(sandbox, "expiry")
        .findings[0]
        .meaning.startswith("nothing was promoted from it; recalled 11 times.")
    )
    answer = {"query": "atlas", "at": "2026-05-30T10:00:00+00:00"}
    given = [{"entry": f"{EPISODE}#{digest}", **answer} for digest in ("abc123", "def456")]
    sandbox.workspace.ledger.append("recalls", given, NOW)
    sandbox.write(EPISODE, EPISODE_TEXT)
    assert (
        one(sandbox, "expiry")
        .findings[0]
        .meaning.startswith("nothing was promoted from it; recalled 1 time.")
    ), "an answer with two lines of it counts once"


def test_what_fades_can_be_pinned_or_let_go(sandbox: Sandbox) -> None:
    line = "- [observation] Wore a red hat <!-- wb: id=m1 importance=0.11 at=2026-06-01 -->\n"
    sandbox.write("graph/person/sarah.md", f"---\nname: Sarah\ntype: person\n---\n{line}")
    (finding,) = one(sandbox, "fading").findings
    assert "fades in 20 days, on 2026-06-21" in finding.what
    assert deeds(finding) == ["pin", "forget-memory"]


def test_the_last_backup_and_what_it_does_not_hold(sandbox: Sandbox, tmp_path: Path) -> None:
    assert one(sandbox, "backup").findings[0].what == "no backup has been made from here"
    head = sandbox.workspace.history.head()
    assert head is not None
    (tmp_path / "backup").mkdir()
    remember(sandbox.workspace, find_target(str(tmp_path / "backup")), head)
    later = datetime.now().astimezone() + timedelta(days=1)
    assert gravest(one(sandbox, "backup", later)) == "fine"
    assert ", 0 operations since, " in one(sandbox, "backup", later).seen
    sandbox.write(LOG, LOG_TEXT + "- one more\n")
    sandbox.commit("later")
    assert ", 1 operation since, " in one(sandbox, "backup", later).seen
    assert gravest(one(sandbox, "backup", later + timedelta(days=60))) == "warning"
    sandbox.git("commit", "-q", "--amend", "-m", "rewritten")
    sandbox.git("reset", "-q", "--hard", "HEAD~1")
    sandbox.git("commit", "-q", "--amend", "-m", "another start")
    assert "the history was rewritten since" in one(sandbox, "backup", later).seen
    assert gravest(one(sandbox, "backup", later)) == "warning"


def test_kept_texts_of_other_writers_are_errors(sandbox: Sandbox) -> None:
    folder = sandbox.workspace.state_dir() / "conflicts"
    folder.mkdir(mode=0o700)
    (folder / "ab-log.md").write_bytes(b"text")
    (folder / "ab-log.md.json").write_text(json.dumps({"path": LOG, "since": 1_700_000_000}))
    (finding,) = one(sandbox, "conflicts").findings
    assert (finding.severity, finding.fixes[0].command) == ("error", "workbench inbox conflicts")


def test_recall_tests_that_fail_lead_to_what_they_look_for(sandbox: Sandbox) -> None:
    sandbox.write("recall-tests.yaml", "- question: staging port\n  finds: MEMORY.md\n  mode: lexical\n")
    assert one(sandbox, "recall tests").findings[0].fixes[0].deed == "reindex"
    from indexing.sync.run import reindex

    reindex(sandbox.workspace, vectors=False)
    result = one(sandbox, "recall tests")
    assert result.seen.startswith("0 of 1 pass; recall@1 0.00")
    assert result.findings[0].address == "MEMORY.md"


def test_a_finding_of_the_doctors_has_his_repair(sandbox: Sandbox) -> None:
    state = sandbox.workspace.state_dir()
    (state / "journal.json").write_text("no note")
    (finding,) = one(sandbox, "interrupted action").findings
    assert [(fix.deed, fix.of) for fix in finding.fixes] == [("repair", "interrupted action")]
    with closing(CheckSubject.open(sandbox.root)) as place:
        whole, said = repair(place, "interrupted action")
    assert whole
    assert "moved to" in said
    assert not (state / "journal.json").exists()


@pytest.mark.promise(
    "The interface",
    "one check of the health screen fails, or takes too long",
    "the reason and what was not checked are shown, and so are all other checks",
)
def test_one_check_that_fails_does_not_cost_the_others(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: CheckSubject) -> Look:
        raise RuntimeError(f"it broke at {SECRET}")

    place = CheckSubject(sandbox.workspace)
    first = Check("status", "backup", broken)
    found = [shown(one) for one in examine(place, checks=[first, *(c for c in CHECKS if c.name == "inbox")])]
    assert "the check itself failed: RuntimeError: it broke at AKIA" in found[0].findings[0].what
    assert SECRET not in str(found)
    assert found[1].state == "fine"


def test_without_git_or_anything_else_there_is_something_to_say(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare")
    made.git("config", "core.bare", "true")
    found = looked(made)
    assert "is a bare repository" in found["conflicts"].seen
    for path in (LOG, "MEMORY.md", EPISODE):
        (made.root / path).unlink()
    assert looked(made)["duplicates"].state == "fine"


@pytest.mark.promise(
    "The interface",
    "one check of the health screen fails, or takes too long",
)
def test_what_there_was_no_time_for_is_said(sandbox: Sandbox) -> None:
    ticks = iter(range(0, 10_000, 40))
    place = CheckSubject(sandbox.workspace, patience=60, clock=lambda: next(ticks))
    (result,) = examine(place, checks=[check for check in CHECKS if check.name == "secrets"])
    assert result.seen == "none; 2 of 3 files were not checked: no time left"


def test_memory_as_it_was_has_no_machine(sandbox: Sandbox) -> None:
    from workbench.workspace.snapshot import open_past

    head = sandbox.workspace.history.head()
    assert head is not None
    with closing(open_past(sandbox.workspace, head)) as past:
        found = {result.name: result for result in examine(CheckSubject(past), checks=CHECKS)}
    assert found["disk"].seen == "not checked: memory as of an earlier time"
    assert "of 10,000" in found["budget"].seen


def test_the_task_answers_line_by_line(sandbox: Sandbox) -> None:
    said = list(lines(sandbox.root, {"checks": ["sync", "backup"]}))
    assert [line["event"] for line in said] == ["checks", "begin", "result", "begin", "result"]
    assert [label["name"] for label in said[0]["checks"]] == [check.name for check in CHECKS]
    assert (said[1]["id"], said[1]["number"], said[1]["of"]) == ("backup", 1, 2)


@pytest.mark.parametrize("wish", [{"checks": ["nothing"]}, {"repair": "nothing"}])
def test_the_task_says_what_it_does_not_know(wish: dict[str, object], sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="nothing"):
        lines(sandbox.root, wish)


def test_the_task_says_that_the_workspace_is_gone(tmp_path: Path) -> None:
    with pytest.raises(NoWorkspaceError, match="is not a folder"):
        lines(tmp_path / "gone", {})


def test_secrets_are_masked_in_all_that_a_result_says(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = Finding(what=SECRET, meaning=f"https://me:Hq7xK2pLw9@{SECRET}", do=SECRET)
    said = Check("status", "backup", lambda _: iter([SECRET, finding]))
    monkeypatch.setattr(checks_module, "CHECKS", (said,))
    monkeypatch.setattr("workbench.health.checks.CHECKS", (said,))
    text = str(list(lines(sandbox.root, {})))
    assert "AKIA…" in text
    assert SECRET not in text
    assert "Hq7xK2pLw9" not in text


def test_a_job_that_failed_is_told_with_what_mends_it(sandbox: Sandbox) -> None:
    state = sandbox.workspace.state_dir()
    assert gravest(one(sandbox, "jobs")) == "fine"
    began = NOW - timedelta(hours=2)
    keep(state, JobRun(job=Job.REINDEX, began=began, ended=began, pid=1, state="failed", error="OSError"))
    late = NOW - timedelta(days=5)
    keep(state, JobRun(job=Job.WATCH, began=late, ended=late, pid=1, state="stopped", by_clock=True))
    result = one(sandbox, "jobs")
    found = {finding.what: (finding.severity, finding.do) for finding in result.findings}
    assert len(found) == 2
    assert found["reindex failed (OSError)"] == ("error", "`workbench reindex` runs it now and reports why")
    severity, do = found["watch is overdue: the last run was 5 days ago"]
    assert severity == "warning"
    assert "workbench jobs forget watch" in do
    by_hand = JobRun(job=Job.NIGHTLY, began=late, ended=late, pid=1, state="done")
    keep(state, by_hand)
    assert any(
        "5 days ago" in finding.what and "jobs print" in finding.do
        for finding in one(sandbox, "jobs").findings
    )
