"""The history of one entry, wherever it stood."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.errors import AmbiguousEntryError, EntryNotFoundError
from workbench.history.lineage import LineageStep, lineage
from workbench.memory.edit import replaced
from workbench.memory.entry import Entry, Kind, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import parse_document
from workbench.operations.archive import plan_archive
from workbench.operations.edit import plan_edit
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.move import plan_move
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.snapshot import open_past
from workbench.workspace.workspace import Workspace

MEMORY = "MEMORY.md"


def told(sandbox: Sandbox, address: str) -> list[str]:
    return [step.what for step in lineage(sandbox.workspace, address)]


def promote(sandbox: Sandbox, *addresses: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, addresses))


def forget(sandbox: Sandbox, *addresses: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_forget(place, addresses))


def change(sandbox: Sandbox, old: str, new: str, path: str = MEMORY, message: str = "edit") -> None:
    sandbox.write(path, sandbox.read(path).replace(old.encode(), new.encode()))
    sandbox.commit(message)


def test_a_memory_is_followed_through_edits_and_renames_back_to_its_first_log_line(sandbox: Sandbox) -> None:
    log = sandbox.address("staging port")
    promote(sandbox, log)
    change(sandbox, "port is 8443", "port is now 9000")
    forget(sandbox, log)
    sandbox.git("mv", MEMORY, "memory.md")
    sandbox.commit("rename")
    steps = lineage(sandbox.workspace, sandbox.address("staging port", "memory.md"))
    assert [step.what for step in steps] == ["rename", "forget", "edit", "promote", "add"]
    assert [step.deed.who for step in steps] == ["external", "human", "external", "human", "external"]
    assert steps[-1].after == (log,)
    assert steps[3].before == (log,)
    assert steps[1] == LineageStep(
        deed=steps[1].deed, what="forget", before=(log,), after=(), text=steps[1].text
    )


def test_what_became_of_a_log_line_is_told_from_the_line_itself(sandbox: Sandbox) -> None:
    log = sandbox.address("staging port")
    promote(sandbox, log)
    copy = sandbox.address("staging port", MEMORY)
    forget(sandbox, copy)
    steps = lineage(sandbox.workspace, log)
    assert [step.what for step in steps] == ["forget", "promote", "add"]
    assert steps[1].after == (copy,)


@pytest.mark.parametrize("spelling", ["{}", "{}~1"])
def test_an_entry_that_is_gone_is_found_by_its_old_address(sandbox: Sandbox, spelling: str) -> None:
    address = sandbox.address("staging port")
    forget(sandbox, address)
    assert told(sandbox, spelling.format(address)) == ["forget", "add"]
    assert told(sandbox, address[: -len("0000")]) == ["forget", "add"]


def test_an_entry_that_plain_git_removed_is_found_by_its_old_address(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    change(sandbox, "- The staging port is 8443\n", "", LOG)
    assert told(sandbox, address) == ["remove", "add"]


def test_an_address_that_never_was_or_fits_several_is_refused(sandbox: Sandbox) -> None:
    for address in (f"{LOG}#0123456789ab", "memory/none.md#0123456789ab"):
        with pytest.raises(EntryNotFoundError):
            lineage(sandbox.workspace, address)
    entries = sandbox.workspace.document(LOG).entries
    shared = entries[0].hash[:4]
    with pytest.raises((AmbiguousEntryError, EntryNotFoundError)):
        lineage(sandbox.workspace, f"{LOG}#{shared[:2]}")


def test_undo_and_redo_are_steps_of_the_entry_that_they_bring_and_take(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    forget(sandbox, address)
    place.operations.carry_out(lambda: plan_undo(place))
    assert told(sandbox, address) == ["undo", "forget", "add"]
    place.operations.carry_out(lambda: plan_redo(place))
    assert told(sandbox, address) == ["redo", "undo", "forget", "add"]


def test_a_move_by_plain_git_is_found_by_the_same_text_in_the_same_commit(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    sandbox.write(LOG, sandbox.read(LOG).replace(b"- The staging port is 8443\n", b""))
    sandbox.write("memory/ports.md", "# Ports\n\n- The staging port is 8443\n")
    sandbox.commit("agent tidies up")
    moved = sandbox.address("staging port", "memory/ports.md")
    assert told(sandbox, moved) == ["move", "add"]
    steps = lineage(sandbox.workspace, address)
    assert (steps[0].before, steps[0].after) == ((address,), (moved,))


def carry(sandbox: Sandbox, action: str, olds: list[str], new: str) -> Operation:
    """One operation of ours that makes one entry of several, as a merge or an edit does."""
    place = sandbox.workspace

    def plan() -> Plan:
        document = place.document(LOG)
        spans = [place.find(old).span for old in olds]
        after = replaced(document.data, ((span, b"") for span in spans)) + f"- {new}\n".encode()
        became = next(entry.address for entry in _parsed(after) if entry.text == new)
        return Plan(
            action=action,
            summary=new,
            edits=(FileEdit(document.path, document.data, after),),
            entries=tuple(olds),
            became=(became,),
        )

    return place.operations.carry_out(plan)


def _parsed(data: bytes) -> Sequence[Entry]:
    return parse_document(RelPath(LOG), data, Kind.LOG).entries


def test_a_merge_leads_to_all_that_went_into_it_however_different_the_words(sandbox: Sandbox) -> None:
    one, two = sandbox.address("staging port"), sandbox.address("tantivy")
    carry(sandbox, "merge", [one, two], "Completely other words")
    merged = sandbox.address("Completely other")
    steps = lineage(sandbox.workspace, merged)
    assert [step.what for step in steps] == ["merge", "add"]
    assert set(steps[0].before) == {one, two}
    assert set(steps[1].after) == {one, two}
    assert lineage(sandbox.workspace, one)[0].after == (merged,)


def test_an_edit_of_ours_is_followed_by_its_trailers_not_by_likeness(sandbox: Sandbox) -> None:
    old = sandbox.address("staging port")
    carry(sandbox, "edit", [old], "xyzzy")
    assert told(sandbox, sandbox.address("xyzzy")) == ["edit", "add"]
    assert told(sandbox, old) == ["edit", "add"]


def test_text_that_shares_too_few_words_is_another_entry(sandbox: Sandbox) -> None:
    change(sandbox, "The staging port is 8443", "Lisbon was sunny and warm", LOG)
    assert told(sandbox, sandbox.address("Lisbon was sunny")) == ["add"]


def test_a_copy_without_history_leads_by_its_comment_to_its_source(sandbox: Sandbox) -> None:
    log = sandbox.workspace.find(sandbox.address("staging port"))
    comment = f"<!-- wb: src={LOG}#L{log.start_line} entry={log.hash} -->"
    sandbox.write(MEMORY, sandbox.read(MEMORY) + f"- The staging port is 8443 {comment}\n".encode())
    sandbox.write(
        MEMORY, sandbox.read(MEMORY) + f"- Ports: one <!-- wb: src={LOG}#L{log.start_line} -->\n".encode()
    )
    sandbox.commit("squashed")
    steps = lineage(sandbox.workspace, sandbox.address("staging port", MEMORY))
    assert [step.what for step in steps] == ["copy", "add"]
    assert steps[0].before == (log.address,)
    assert told(sandbox, sandbox.address("Ports: one", MEMORY)) == ["derive", "add"]


def test_what_is_on_disk_only_is_a_step_that_is_not_recorded(sandbox: Sandbox) -> None:
    sandbox.write(MEMORY, sandbox.read(MEMORY).replace(b"Likes tea", b"Likes green tea"))
    steps = lineage(sandbox.workspace, sandbox.address("green tea", MEMORY))
    assert [(step.what, step.deed.operation is None) for step in steps] == [("edit", True), ("add", False)]


def test_white_space_comments_and_line_ends_are_no_steps(sandbox: Sandbox) -> None:
    change(sandbox, "- Likes tea", "*   Likes  tea <!-- wb: id=m1 pin=1 -->")
    sandbox.write(MEMORY, sandbox.read(MEMORY).replace(b"\n", b"\r\n"))
    sandbox.commit("windows")
    assert told(sandbox, sandbox.address("tea", MEMORY)) == ["add"]


def test_of_equal_texts_each_has_the_history_of_its_place_in_the_count(sandbox: Sandbox) -> None:
    first = sandbox.address("same words")
    change(sandbox, "- same words\n- same words\n", "- same words\n", LOG)
    assert told(sandbox, f"{first}~2") == ["remove", "add"]
    assert told(sandbox, first) == ["add"]


def test_where_a_shallow_clone_ends_is_said(sandbox: Sandbox, tmp_path: Path) -> None:
    change(sandbox, "Likes tea", "Likes black tea")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{sandbox.root}", str(clone)], check=True)
    place = Workspace.open(clone)
    steps = lineage(place, sandbox.address("black tea", MEMORY))
    assert [step.what for step in steps] == ["boundary"]
    place.close()


def test_an_entry_of_many_lines_that_is_gone_is_found_too(sandbox: Sandbox) -> None:
    nested = "- top <!-- wb: id=m1 -->\n" + "".join(f"  - nested {number}\n" for number in range(12))
    sandbox.write("memory/n.md", "# N\n\n" + nested)
    sandbox.commit("came")
    address = sandbox.address("nested 11", "memory/n.md")
    change(sandbox, nested, "", "memory/n.md")
    assert told(sandbox, address) == ["remove", "add"]


def test_the_quarantine_of_the_past_is_not_told_as_removed(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_quarantine(place, [address]))
    then = open_past(place, done.id)
    assert [step.what for step in lineage(then, address)] == ["quarantine", "add"]
    then.close()


def test_a_merge_of_branches_is_no_step_of_what_one_of_them_brought(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "-b", "side")
    sandbox.write("memory/side.md", "- from the side\n")
    change(sandbox, "Likes tea", "Likes black tea", message="side")
    sandbox.git("checkout", "-q", "main")
    sandbox.write(LOG, sandbox.read(LOG) + b"- on main\n")
    sandbox.commit("main")
    sandbox.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert told(sandbox, sandbox.address("black tea", MEMORY)) == ["edit", "add"]
    assert told(sandbox, sandbox.address("from the side", "memory/side.md")) == ["add"]


def _do(sandbox: Sandbox, planner: Callable[[], Plan]) -> tuple[str, ...]:
    return sandbox.workspace.operations.carry_out(planner).became


def test_every_action_of_ours_is_a_step_in_the_life_of_one_entry(sandbox: Sandbox) -> None:
    """Promoted, edited, pinned, moved, merged, archived, set aside, released: one thread to the log line."""
    place, log = sandbox.workspace, sandbox.address("staging port")
    promote(sandbox, log)
    at = sandbox.address("staging port", MEMORY)
    (at,) = _do(sandbox, lambda: plan_edit(place, at, "- The staging port is 9000\n"))
    _do(sandbox, lambda: plan_pin(place, [at]))
    (at,) = _do(sandbox, lambda: plan_move(place, [at], section="User Preferences"))
    other = sandbox.address("Likes tea", MEMORY)
    (at,) = _do(sandbox, lambda: plan_merge(place, [at, other], text="- Tea on port 9000\n"))
    (at,) = _do(sandbox, lambda: plan_archive(place, [at]))
    (at,) = _do(sandbox, lambda: plan_quarantine(place, [at]))
    (at,) = _do(sandbox, lambda: plan_release(place, [at]))
    steps = lineage(place, at)
    done = [step.what for step in steps if step.what != "add"]
    assert done == [
        "release",
        "quarantine",
        "archive",
        "merge",
        "move",
        "pin",
        "edit",
        "promote",
    ]
    first = steps[-1]
    assert log in first.after
    assert other in first.after
    assert [step.what for step in lineage(place, log) if step.what == "release"] == ["release"]


def test_what_was_restored_from_an_earlier_moment_keeps_its_history(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    commit = sandbox.git("rev-parse", "HEAD").strip()
    forget(sandbox, address)
    place.operations.carry_out(lambda: plan_restore(place, address, commit))
    assert told(sandbox, address) == ["restore", "forget", "add"]


def test_a_clock_that_was_ahead_hides_no_step(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2090-01-01T00:00:00Z")
    sandbox.write(LOG, sandbox.read(LOG) + b"- The harbour clock is ahead\n")
    sandbox.commit("append")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    place, address = sandbox.workspace, sandbox.address("harbour clock")
    place.operations.carry_out(lambda: plan_pin(place, [address]))
    forget(sandbox, sandbox.address("Likes tea", MEMORY))  # git looks ahead where a file stayed the same
    sandbox.write(LOG, sandbox.read(LOG) + b"- One line more\n")
    sandbox.commit("more")
    assert told(sandbox, address) == ["pin", "add"]
    actions = [operation.action for operation in place.operations.walk(path=RelPath(LOG))]
    assert actions == ["commit", "pin", "commit", "commit"]


def test_what_stood_at_the_same_place_before_in_another_spelling_is_part_of_the_history(
    sandbox: Sandbox,
) -> None:
    place, first = sandbox.workspace, sandbox.address("Likes tea", MEMORY)
    place.operations.carry_out(lambda: plan_move(place, [first], to="memory/tea.md"))
    promote(sandbox, sandbox.address("Likes tea", "memory/tea.md"))
    assert sandbox.address("Likes tea", MEMORY) == first
    assert told(sandbox, first) == ["promote", "move", "add"]


def test_one_of_two_equal_lines_that_was_edited_is_followed(sandbox: Sandbox) -> None:
    twin = sandbox.address("same words")
    sandbox.write(LOG, sandbox.read(LOG).replace(b"- same words\n", b"- same words, and a port\n", 1))
    sandbox.commit("edit")
    steps = lineage(sandbox.workspace, sandbox.address("and a port"))
    assert [step.what for step in steps] == ["edit", "add"]
    assert twin in steps[0].before


def test_a_first_commit_of_many_files_is_not_read_through(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can have moved in a commit that brought everything; else bytes are looked at, not parsed."""
    for n in range(60):
        sandbox.write(f"memory/notes-{n}.md", f"# Notes {n}\n\n- The pump {n} was oiled in spring\n")
    subprocess.run(["git", "checkout", "-q", "--orphan", "new"], cwd=sandbox.root, check=True)
    sandbox.commit("everything at once")
    address = sandbox.address("The pump 7 was", "memory/notes-7.md")
    parsed: list[str] = []

    def counted(path: RelPath, *rest: Any) -> object:
        parsed.append(path)
        return parse_document(path, *rest)

    monkeypatch.setattr("workbench.memory.markdown.parse_document", counted)
    assert told(sandbox, address) == ["add"]
    change(sandbox, "The pump 7 was", "Pump 7 was", "memory/notes-7.md")
    assert told(sandbox, sandbox.address("Pump 7 was", "memory/notes-7.md")) == ["edit", "add"]
    assert set(filter(None, parsed)) == {"memory/notes-7.md"}
