"""Who brought which line."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.errors import NotMemoryError
from workbench.history.origin import LineOrigin, blame
from workbench.operations.promote import plan_promote
from workbench.workspace.workspace import Workspace


def line(sandbox: Sandbox, words: str, path: str = "MEMORY.md") -> LineOrigin:
    return next(one for one in blame(sandbox.workspace, path) if words in one.text)


def test_each_line_names_the_operation_or_commit_that_brought_it(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_promote(place, [address]))
    brought, older = line(sandbox, "staging port"), line(sandbox, "Likes tea")
    assert (brought.deed.operation, brought.deed.action, brought.deed.who) == (done.id, "promote", "human")
    assert (older.deed.action, older.deed.who, older.deed.actor) == ("commit", "external", _author(sandbox))
    assert [one.number for one in blame(place, "MEMORY.md")] == list(
        range(1, len(blame(place, "MEMORY.md")) + 1)
    )


def _author(sandbox: Sandbox) -> str:
    return sandbox.git("log", "-1", "--format=%an", "--reverse", "HEAD").strip()


def test_lines_that_no_commit_holds_are_said_to_be_unrecorded(sandbox: Sandbox) -> None:
    text = sandbox.read("MEMORY.md")
    sandbox.write("MEMORY.md", b"- new on top\n" + text.replace(b"Likes tea", b"Likes green tea"))
    assert line(sandbox, "new on top").deed.operation is None
    assert line(sandbox, "green tea").deed.operation is None
    assert line(sandbox, "Atlas").deed.action == "commit"
    sandbox.write("memory/fresh.md", "- fresh\n")
    assert [one.deed.action for one in blame(sandbox.workspace, "memory/fresh.md")] == ["unrecorded"]


def test_a_file_without_any_commit_is_unrecorded_and_a_missing_one_is_refused(tmp_path: Path) -> None:
    bare = Sandbox(tmp_path / "w", repository=False)
    bare.git("init", "-q")
    assert {one.deed.action for one in blame(bare.workspace, LOG)} == {"unrecorded"}
    with pytest.raises(NotMemoryError):
        blame(bare.workspace, "memory/none.md")
    bare.close()


@pytest.mark.parametrize(
    "data",
    [
        b"- one\r\n- two\r\n",
        b"- caf\xe9\n- \xff\xfe\n",
        b"\xef\xbb\xbf- bom\n- two\n",
        b"- a\x0cb\x0bc\n- d\rd\n",
        b"",
    ],
)
def test_bytes_of_any_kind_are_attributed_line_by_line(sandbox: Sandbox, data: bytes) -> None:
    sandbox.git("config", "core.autocrlf", "false")
    sandbox.write("memory/odd.md", data)
    sandbox.commit("odd")
    sandbox.write("memory/odd.md", data + b"- last")
    lines = blame(sandbox.workspace, "memory/odd.md")
    assert [one.deed.action for one in lines][-1] == "unrecorded"
    assert {one.deed.action for one in lines[:-1]} <= {"commit"}
    assert len(lines) == data.count(b"\n") + 1


def test_the_session_comes_from_the_line_s_own_comment_or_the_file_s_header(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- said so <!-- wb: session=s7 -->\n")
    sandbox.commit("with a comment")
    said, page = line(sandbox, "said so").origin, line(sandbox, "on Friday", EPISODE).origin
    assert said is not None
    assert page is not None
    assert (said.session, page.session) == ("s7", "s91")


def test_nothing_that_the_workspace_configures_runs_or_matters(sandbox: Sandbox, tmp_path: Path) -> None:
    """A text converter, a pipe as a list of ignored commits, a mailmap, grafts, replaced objects."""
    canary, pipe = tmp_path / "canary", tmp_path / "pipe"
    os.mkfifo(pipe)
    program = tmp_path / "convert.sh"
    program.write_text(f"#!/bin/sh\ntouch {canary}\necho converted\n")
    program.chmod(0o755)
    sandbox.write(".gitattributes", "*.md diff=evil filter=evil\n")
    sandbox.write(".mailmap", "Somebody Else <else@localhost> <test@localhost>\n")
    for key, value in {
        "diff.evil.textconv": str(program),
        "diff.evil.command": str(program),
        "diff.external": str(program),
        "filter.evil.smudge": str(program),
        "core.pager": str(program),
        "core.fsmonitor": str(program),
        "blame.ignoreRevsFile": str(pipe),
        "mailmap.file": str(sandbox.root / ".mailmap"),
        "blame.date": "nonsense",
    }.items():
        sandbox.git("config", key, value)
    sandbox.workspace.close()
    place = Workspace.open(sandbox.root)
    found = {one.deed.actor for one in blame(place, "MEMORY.md")}
    place.close()
    assert "Somebody Else" not in found
    assert not canary.exists()


@pytest.mark.parametrize("later", [0, 1])
def test_an_entry_is_that_of_its_youngest_line_also_within_one_second(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, later: int
) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    place.operations.carry_out(lambda: plan_promote(place, [address]))
    promoted = line(sandbox, "staging port").origin
    text = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", re.sub(r"(?m)^(.*staging port.*\n)", r"\1  and theirs is 9000\n", text))
    moment = int(sandbox.git("log", "-1", "--format=%ct"))
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{moment + later} +0000")
    sandbox.commit("a second line")
    changed = line(sandbox, "staging port").origin
    assert promoted is not None
    assert changed is not None
    assert (promoted.who, changed.who) == ("human", "external")


def test_a_sha256_repository_is_attributed_too(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "w", repository=False)
    made.git("init", "-q", "--object-format=sha256")
    made.commit("start")
    assert {len(one.deed.commit or "") for one in blame(made.workspace, LOG)} == {64}
    made.close()


def test_where_a_shallow_clone_ends_is_said(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write(LOG, sandbox.read(LOG) + b"- newer\n")
    sandbox.commit("newer")
    clone = tmp_path / "clone"
    source = f"file://{sandbox.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, str(clone)], check=True)
    place = Workspace.open(clone)
    assert all(one.deed.cut_off for one in blame(place, LOG))
    place.close()
    assert not any(one.deed.cut_off for one in blame(sandbox.workspace, LOG))


def test_a_workspace_below_the_top_and_odd_names_are_found(tmp_path: Path) -> None:
    top = tmp_path / "top"
    made = Sandbox(top / "agent one", repository=False)
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    made.write("memory/- *\n[x].md", "- odd\n")
    made.commit("start")
    assert [one.deed.action for one in blame(made.workspace, "memory/- *\n[x].md")] == ["commit"]
    made.close()


def test_a_file_of_many_entries_is_read_to_its_end(sandbox: Sandbox) -> None:
    """The sessions that a file names are looked for once, not once for each of its entries."""
    sandbox.write("memory/long.md", "# Session: s7\n\n" + "".join(f"- line {n}\n" for n in range(15_000)))
    sandbox.commit("a long log")
    last = blame(sandbox.workspace, "memory/long.md")[-1]
    assert (last.number, last.text) == (15_002, "- line 14999")
    assert last.origin is not None
    assert last.origin.session == "s7"


def test_a_file_that_a_partial_clone_lacks_does_not_stop_it(sandbox: Sandbox) -> None:
    lines = [f"- line {n} of what was there before\n" for n in range(20)]
    sandbox.write("other/old.md", "".join(lines))
    sandbox.commit("old")
    blob = sandbox.git("rev-parse", "HEAD:other/old.md").strip()
    (sandbox.root / "other/old.md").unlink()
    sandbox.write("memory/new.md", "".join(lines[:15]) + "- a line of its own\n")
    sandbox.commit("new")
    (sandbox.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    found = blame(sandbox.workspace, "memory/new.md")
    assert {one.deed.commit for one in found} == {sandbox.git("rev-parse", "HEAD").strip()}
