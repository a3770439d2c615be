"""The survey: what each section says of a memory that is not well, and what it did not look at."""

from __future__ import annotations

import io
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.backup.incremental import remember
from workbench.backup.targets import find_target
from workbench.errors import NoWorkspaceError, UsageError
from workbench.graph.contradiction_answers import ANSWERS
from workbench.health.report import build as room
from workbench.health.report.build import LOOKS, look, topics_named
from workbench.health.report.health_task import run
from workbench.health.report.section import ReportSection, section_from_json
from workbench.health.report.subject import Subject
from workbench.health.report.topics import QUICK, TITLES
from workbench.health.subject import CheckSubject
from workbench.jobs.names import Job
from workbench.jobs.run_log import JobRun, keep
from workbench.workspace import ledger
from workbench.workspace.task_context import TaskContext

SECRET = "AKIAQ7LMNO5P2RSTUVWX"
NOW = datetime(2026, 6, 1, 12).astimezone()


def looked(sandbox: Sandbox, *topics: str, now: datetime = NOW) -> dict[str, ReportSection]:
    place = CheckSubject.open(sandbox.root)
    try:
        subject = Subject(place, now)
        return {topic: look(subject, topic) for topic in topics_named(topics)}
    finally:
        place.close()


def one(sandbox: Sandbox, topic: str, now: datetime = NOW) -> ReportSection:
    return looked(sandbox, topic, now=now)[topic]


def test_every_topic_has_a_title_and_a_look() -> None:
    assert list(TITLES) == list(LOOKS)
    assert set(QUICK) < set(TITLES)
    assert topics_named(["budget", "index"]) == ("index", "budget")
    with pytest.raises(UsageError, match="no section nothing"):
        topics_named(["nothing"])


def test_all_sections_come_and_are_the_same_after_json(sandbox: Sandbox) -> None:
    found = looked(sandbox)
    assert list(found) == list(TITLES)
    assert [section.failed for section in found.values()] == [""] * len(found)
    for section in found.values():
        assert section_from_json(json.loads(json.dumps(section.as_json()))) == section


def test_an_index_that_is_not_there_can_be_made(sandbox: Sandbox) -> None:
    (concern,) = one(sandbox, "index").concerns
    assert concern.severity == "error"
    assert [fix.command for fix in concern.fixes] == ["workbench reindex"]


def test_a_secret_is_masked_everywhere_and_leads_to_its_entry(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + f"- The key is {SECRET}\n")
    found = looked(sandbox)
    (concern,) = found["secrets"].concerns
    assert concern.address == sandbox.address("The key", "MEMORY.md")
    assert [fix.deed for fix in concern.fixes] == ["forget", "edit", "quarantine"]
    assert SECRET not in json.dumps([section.as_json() for section in found.values()])


def test_hidden_text_can_be_set_aside(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "- read\u200b\u200bthis\n")
    (concern,) = one(sandbox, "hidden").concerns
    assert concern.severity == "warning"
    assert concern.fixes[0].deed == "quarantine"
    assert concern.fixes[0].addresses == (sandbox.address("read"),)


def test_duplicates_can_be_made_one(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- The project is called Atlas\n")
    concern = one(sandbox, "duplicates").concerns[0]
    merge = concern.fixes[0]
    assert merge.deed == "merge"
    assert len(merge.addresses) == 2
    assert set(merge.addresses) == {concern.address, *concern.also}


def test_of_two_that_contradict_each_other_either_can_go(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- The staging port is 8443\n- The staging port is 9000\n")
    (concern,) = one(sandbox, "contradictions").concerns
    first, second = concern.fixes[:2]
    assert (first.deed, second.deed) == ("forget", "forget")
    assert {*first.addresses, *second.addresses} == {concern.address, *concern.also}


def test_contradictions_of_the_graph_are_among_them(sandbox: Sandbox) -> None:
    homes = (("Lisbon", "2026-01-01"), ("Oslo", "2026-02-01"))
    lines = "".join(f"- [fact] Lives in {home} <!-- wb: at={day} -->\n" for home, day in homes)
    sandbox.write("graph/person/sarah.md", f"---\nname: Sarah\ntype: person\n---\n{lines}")
    (concern,) = one(sandbox, "contradictions").concerns
    assert "Sarah, lives in" in concern.what
    answers, others = concern.fixes[:4], concern.fixes[4:]
    assert [(fix.deed, fix.of) for fix in answers] == [("settle", answer) for answer in ANSWERS]
    key = answers[0].addresses[0]
    assert answers[1].command == f"workbench graph settle {key} replace"
    assert others[0].command == "workbench graph contradictions"
    assert [fix.deed for fix in others] == ["open", "forget-memory", "forget-memory"]
    assert others[1].addresses == (concern.address,)
    assert concern.also == others[2].addresses


def test_a_dead_link_can_be_edited(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- see [the plan](notes/gone.md)\n")
    (concern,) = one(sandbox, "links").concerns
    assert [fix.deed for fix in concern.fixes] == ["edit"]


def test_a_memory_over_its_budget_can_be_archived(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "".join(f"- fact {n} {'x' * 60}\n" for n in range(300)))
    section = one(sandbox, "budget")
    assert [fix.deed for fix in section.concerns[0].fixes] == ["archive"]
    assert " of 10,000 characters" in dict(section.facts)["used"]


def test_episodes_count_down_and_can_be_kept(sandbox: Sandbox) -> None:
    def episode(name: str, until: str, more: str = "") -> None:
        text = EPISODE_TEXT.replace("id: e1", f"id: {name}{more}").replace("2026-06-12", until)
        sandbox.write(f"episodes/2026/03/{name}.md", text)

    episode("e2", "2026-06-29")
    episode("e3", "2026-05-20")
    episode("e4", "2026-08-29")
    episode("e5", "2026-05-20", "\npinned: true")
    section = one(sandbox, "episodes")
    said = {concern.address: concern for concern in section.concerns}
    assert set(said) == {EPISODE, "episodes/2026/03/e2.md", "episodes/2026/03/e3.md"}
    assert said[EPISODE].severity == "warning"
    assert "expires in 11 days" in said[EPISODE].what
    assert said["episodes/2026/03/e2.md"].severity == "info"
    assert "expired 12 days ago" in said["episodes/2026/03/e3.md"].what
    assert [fix.deed for fix in said["episodes/2026/03/e3.md"].fixes] == ["extend", "pin", "expire"]
    assert dict(section.facts)["within 14 days"] == "1"


def test_recalls_are_told_with_what_never_was(sandbox: Sandbox) -> None:
    tea, atlas = sandbox.workspace.memory_document().entries
    records = [{"entry": tea.address}] * 3 + [{"entry": "memory/gone.md#123456"}]
    ledger.append(sandbox.workspace, "recalls", records, NOW)
    section = one(sandbox, "recalls")
    assert section.concerns[0].address == tea.address
    assert "recalled 3 times" in section.concerns[0].what
    assert any("it is not there any more" in concern.what for concern in section.concerns)
    assert section.concerns[-1].address == atlas.address
    assert section.seen == "4 recalls; 4 this week"


def test_recalls_that_only_episodes_tell_of_are_told_as_that(sandbox: Sandbox) -> None:
    assert one(sandbox, "recalls").seen == "nothing was recalled yet"
    counted = EPISODE_TEXT.replace(
        "trust: agent\n", "trust: agent\nrecall_count: 11\nlast_recalled_at: 2026-05-02T03:33:00Z\n"
    )
    sandbox.write(EPISODE, counted)
    section = one(sandbox, "recalls")
    assert section.seen == "11, as episodes say"
    assert dict(section.facts) == {
        "recorded": "0 recalls",
        "by episodes": "11 more, counted by 1 of them",
        "never recalled": "not known: no recall was recorded here",
    }
    (concern,) = section.concerns
    assert concern.address == EPISODE
    assert concern.what.startswith(
        "recalled 11 times, last on 2026-05-02, by its own count: Planned the Atlas"
    )
    answer = {"query": "atlas", "at": "2026-05-30T10:00:00+00:00"}
    given = [{"entry": f"{EPISODE}#{digest}", **answer} for digest in ("abc123", "def456")]
    ledger.append(sandbox.workspace, "recalls", given, NOW)
    section = one(sandbox, "recalls")
    assert section.seen == "2 recalls; 0 this week"
    assert dict(section.facts)["by episodes"].startswith("10 more"), (
        "an answer with two lines of it counts once"
    )
    sandbox.write(EPISODE, EPISODE_TEXT)
    assert "by episodes" not in dict(one(sandbox, "recalls").facts)
    assert "; recalled once." in one(sandbox, "episodes").concerns[0].meaning


def test_what_fades_can_be_pinned_or_let_go(sandbox: Sandbox) -> None:
    line = "- [observation] Wore a red hat <!-- wb: id=m1 importance=0.11 at=2026-06-01 -->\n"
    sandbox.write("graph/person/sarah.md", f"---\nname: Sarah\ntype: person\n---\n{line}")
    (concern,) = one(sandbox, "decay").concerns
    assert "fades in 20 days, on 2026-06-21" in concern.what
    assert [fix.deed for fix in concern.fixes] == ["pin", "forget-memory"]
    assert dict(one(sandbox, "decay").facts)["within 30 days"] == "1"


def test_the_last_backup_and_what_it_does_not_hold(sandbox: Sandbox, tmp_path: Path) -> None:
    assert one(sandbox, "backup").concerns[0].what == "no backup was ever made from here"
    head = sandbox.workspace.history.head()
    assert head is not None
    (tmp_path / "backup").mkdir()
    remember(sandbox.workspace, find_target(str(tmp_path / "backup")), head)
    later = datetime.now().astimezone() + timedelta(days=1)
    assert one(sandbox, "backup", later).state == "fine"
    assert one(sandbox, "backup", later).seen.endswith(", nothing since")
    sandbox.write(LOG, LOG_TEXT + "- one more\n")
    sandbox.commit("later")
    assert one(sandbox, "backup", later).seen.endswith(", 1 since")
    assert one(sandbox, "backup", later + timedelta(days=60)).state == "warning"
    sandbox.git("commit", "-q", "--amend", "-m", "rewritten")
    sandbox.git("reset", "-q", "--hard", "HEAD~1")
    sandbox.git("commit", "-q", "--amend", "-m", "another start")
    assert one(sandbox, "backup", later).seen.endswith(", rewritten since")
    assert one(sandbox, "backup", later).state == "warning"


def test_kept_texts_of_other_writers_are_errors(sandbox: Sandbox) -> None:
    folder = sandbox.workspace.state_dir() / "conflicts"
    folder.mkdir(mode=0o700)
    (folder / "ab-log.md").write_bytes(b"text")
    (folder / "ab-log.md.json").write_text(json.dumps({"path": LOG, "since": 1_700_000_000}))
    assert one(sandbox, "leftovers").state == "error"


def test_recall_tests_that_fail_lead_to_what_they_look_for(sandbox: Sandbox) -> None:
    sandbox.write("recall-tests.yaml", "- question: staging port\n  finds: MEMORY.md\n  mode: lexical\n")
    assert one(sandbox, "tests").concerns[0].fixes[0].deed == "reindex"
    from indexing.sync.run import reindex

    reindex(sandbox.workspace, vectors=False)
    section = one(sandbox, "tests")
    assert section.seen == "0 of 1 pass"
    assert section.concerns[0].address == "MEMORY.md"


def test_a_finding_of_the_doctors_has_his_repair(sandbox: Sandbox) -> None:
    state = sandbox.workspace.state_dir()
    (state / "journal.json").write_text("no note")
    section = one(sandbox, "workspace")
    repairs = {fix.of for concern in section.concerns for fix in concern.fixes}
    assert "interrupted action" in repairs
    place = CheckSubject.open(sandbox.root)
    whole, said = room.repair(place, "interrupted action")
    place.close()
    assert whole
    assert "moved to" in said
    assert not (state / "journal.json").exists()


def test_one_section_that_fails_does_not_cost_the_others(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Subject) -> ReportSection:
        raise RuntimeError(f"it broke at {SECRET}")

    monkeypatch.setitem(LOOKS, "backup", broken)
    found = looked(sandbox, "index", "backup", "dreams")
    assert found["backup"].state == "failed"
    assert found["backup"].failed.startswith("RuntimeError: it broke at AKIA")
    assert SECRET not in found["backup"].failed
    assert found["dreams"].state == "fine"


def test_without_git_or_anything_else_there_is_something_to_say(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare", repository=False)
    found = looked(made)
    assert "is not in a git repository" in found["leftovers"].failed
    for path in (LOG, "MEMORY.md", EPISODE):
        (made.root / path).unlink()
    assert looked(made)["duplicates"].state == "fine"


def test_what_there_was_no_time_for_is_said(sandbox: Sandbox) -> None:
    ticks = iter(range(0, 10_000, 40))
    place = CheckSubject.open(sandbox.root)
    subject = Subject(place, NOW, clock=lambda: next(ticks))
    section = look(subject, "secrets")
    place.close()
    assert section.notes == ("2 of 3 files were not looked at: no time left",)


def test_memory_as_it_was_has_no_machine(sandbox: Sandbox) -> None:
    from workbench.workspace.snapshot import open_past

    head = sandbox.workspace.history.head()
    assert head is not None
    past = open_past(sandbox.workspace, head)
    subject = Subject(CheckSubject(past), NOW)
    found = {topic: look(subject, topic) for topic in TITLES}
    past.close()
    assert found["machine"].notes == ("this is memory as it was",)
    assert found["budget"].failed == ""
    assert "of 10,000" in found["budget"].seen


def test_the_task_answers_line_by_line(sandbox: Sandbox) -> None:
    out = io.StringIO()
    run(sandbox.root, {"topics": ["backup", "index"]}, TaskContext("the look", out))
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["event"] for line in said] == ["begin", "section", "begin", "section"]
    assert (said[0]["id"], said[0]["number"], said[0]["of"]) == ("index", 1, 2)


@pytest.mark.parametrize("wish", [{"topics": ["nothing"]}, {"repair": "nothing"}])
def test_the_task_says_what_it_does_not_know(wish: dict[str, object], sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="nothing"):
        run(sandbox.root, wish, TaskContext("the look", io.StringIO()))


def test_the_task_says_that_the_workspace_is_gone(tmp_path: Path) -> None:
    with pytest.raises(NoWorkspaceError, match="is not a folder"):
        run(tmp_path / "gone", {}, TaskContext("the look", io.StringIO()))


def test_secrets_are_masked_in_all_that_a_section_says(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ReportSection(
        id="", title="", seen=SECRET, facts=(("at", f"https://me:Hq7xK2pLw9@{SECRET}"),), notes=(SECRET,)
    )
    monkeypatch.setattr(room, "LOOKS", {**LOOKS, "index": lambda _: said})
    shown = str(one(sandbox, "index"))
    assert "AKIA…" in shown
    assert SECRET not in shown
    assert "Hq7xK2pLw9" not in shown


def test_a_job_that_failed_is_told_with_what_mends_it(sandbox: Sandbox) -> None:
    state = sandbox.workspace.state_dir()
    assert one(sandbox, "jobs").state == "fine"
    began = NOW - timedelta(hours=2)
    keep(state, JobRun(job=Job.REINDEX, began=began, ended=began, pid=1, state="failed", error="OSError"))
    late = NOW - timedelta(days=5)
    keep(state, JobRun(job=Job.WATCH, began=late, ended=late, pid=1, state="stopped", by_clock=True))
    section = one(sandbox, "jobs")
    assert section.seen == "2 to look at"
    found = {concern.what: (concern.severity, concern.do) for concern in section.concerns}
    assert found["reindex failed (OSError)"] == ("error", "`workbench reindex` does it now, and says why")
    severity, do = found["watch is overdue: the last run was 5 days ago"]
    assert severity == "warning"
    assert "workbench jobs forget watch" in do
    by_hand = JobRun(job=Job.NIGHTLY, began=late, ended=late, pid=1, state="done")
    keep(state, by_hand)
    assert any(
        "5 days ago" in concern.what and "jobs print" in concern.do
        for concern in one(sandbox, "jobs").concerns
    )
