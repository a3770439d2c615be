"""What a person meets at the door: the migration, and memory that is newer than the program."""

from __future__ import annotations

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox
from workbench.format import FORMAT

PERSON = "graph/person/sarah.md"
PAGE = "---\nname: Sarah\n---\n- works_on [[Atlas]] <!-- wb: id=r1 -->\n"


def test_migrate_shows_does_and_says_so(sandbox: Sandbox, run: Run) -> None:
    sandbox.write(PERSON, PAGE)
    shown = run("migrate", "--dry-run")
    assert "+  <!-- wb: id=r1 -->" in shown.out
    assert f"+format: {FORMAT}" in shown.out
    assert sandbox.read(PERSON).decode() == PAGE
    done = run("migrate")
    assert done.code == 0
    assert done.out.splitlines()[0] == f"migrate: format 0 to {FORMAT}, 1 file rewritten"
    assert "takes it back" in done.err
    assert b"- works_on [[Atlas]]\n  <!-- wb: id=r1 -->\n" in sandbox.read(PERSON)
    again = run("migrate")
    assert (again.code, again.out) == (0, f"this memory has format {FORMAT} already\n")
    assert run("migrate", "--json").json == {"operation": None, "format": FORMAT, "newest": FORMAT}
    assert run("undo").code == 0
    assert sandbox.read(PERSON).decode() == PAGE


def test_memory_without_ours_needs_none(sandbox: Sandbox, run: Run) -> None:
    (sandbox.root / "episodes/2026/03/e1.md").unlink()
    assert "needs no format" in run("migrate").out


def test_what_is_newer_is_read_and_every_change_refused(sandbox: Sandbox, run: Run) -> None:
    sandbox.write("workbench.yaml", f"format: {FORMAT + 1}\n")
    sandbox.commit("a newer program")
    address = sandbox.address("staging port")
    assert run("get", LOG).code == 0
    status = run("status", "--json")
    assert any(f"has format {FORMAT + 1}" in warning for warning in status.json["warnings"])
    for command in (
        ("promote", address),
        ("forget", address),
        ("pin", address),
        ("archive", sandbox.address("Likes tea", "MEMORY.md")),
        ("undo",),
        (
            "status",
            "--commit",
        ),
        ("init",),
        ("migrate",),
        ("config", "set", "memory_budget", "9000", "--workspace-file"),
        ("graph", "store", "likes", "tea"),
        (
            "jobs",
            "run",
            "nightly",
        ),
    ):
        done = run(*command, "--json") if command[0] not in ("nightly", "init") else run(*command)
        told = done.out + done.err
        assert f"this memory has format {FORMAT + 1}, and this program knows up to {FORMAT}" in told, command
        assert done.code == 1 or command[0] == "nightly", (command, done)
    error = run("promote", address, "--json").json["error"]
    assert error["code"] == "newer-format"
    assert "install a newer workbench" in error["hint"]
    assert sandbox.git("status", "--porcelain") == ""


def test_the_doctor_tells_of_both(sandbox: Sandbox, run: Run) -> None:
    sandbox.write(PERSON, PAGE)
    (older,) = [one for one in run("doctor", "--json").json["checks"] if one["check"] == "format"]
    assert older["seen"] == "format 0"
    assert PERSON in older["findings"][0]["what"]
    assert "workbench migrate" in older["findings"][0]["do"]
    assert older["findings"][0]["level"] == "note"
    sandbox.write("workbench.yaml", f"format: {FORMAT + 1}\n")
    (newer,) = [one for one in run("doctor", "--json").json["checks"] if one["check"] == "format"]
    assert newer["state"] == "finding"
    assert "every change is refused" in newer["findings"][0]["meaning"]
