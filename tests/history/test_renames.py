"""The log of a file over its names."""

from __future__ import annotations

from tests.support.workspaces import LOG, Sandbox
from workbench.history.lineage import file_log


def told(sandbox: Sandbox, path: str) -> list[tuple[str, str | None]]:
    return [(step.operation.summary, step.renamed_from) for step in file_log(sandbox.workspace, path)]


def test_a_file_is_followed_over_several_renames_with_edits(sandbox: Sandbox) -> None:
    sandbox.git("mv", LOG, "memory/b.md")
    sandbox.commit("same bytes")
    sandbox.write("memory/b.md", sandbox.read("memory/b.md") + b"- more\n")
    sandbox.commit("more")
    sandbox.git("mv", "memory/b.md", "memory/c.md")
    sandbox.write("memory/c.md", sandbox.read("memory/c.md") + b"- and more\n")
    sandbox.commit("most lines")
    assert told(sandbox, "memory/c.md") == [
        ("most lines", "memory/b.md"),
        ("more", None),
        ("same bytes", LOG),
        ("start", None),
    ]


def test_another_file_of_few_common_lines_is_no_rename(sandbox: Sandbox) -> None:
    sandbox.git("rm", "-q", LOG)
    sandbox.write("memory/new.md", "# 2026-03-14\n\n- quite other\n- words\n- are here\n")
    sandbox.commit("replaced")
    assert told(sandbox, "memory/new.md") == [("replaced", None)]


def test_a_file_takes_its_history_along_and_its_old_name_keeps_its_own(sandbox: Sandbox) -> None:
    sandbox.git("mv", LOG, "memory/old.md")
    sandbox.commit("away")
    sandbox.write(LOG, "- a fresh start\n")
    sandbox.commit("fresh")
    assert told(sandbox, "memory/old.md") == [("away", LOG), ("start", None)]
    assert told(sandbox, LOG) == [("fresh", None), ("away", None), ("start", None)]


def test_a_rename_there_and_back_ends(sandbox: Sandbox) -> None:
    for old, new in ((LOG, "memory/b.md"), ("memory/b.md", LOG)):
        sandbox.git("mv", old, new)
        sandbox.commit(f"to {new}")
    assert [summary for summary, _ in told(sandbox, LOG)] == [f"to {LOG}", "to memory/b.md", "start"]
