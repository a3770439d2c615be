"""What a person meets at the door: the migration, and memory that is newer than the program."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox
from workbench.format_version import FORMAT
from workbench.workspace.plan import Plan, ledger_records

PERSON = "graph/person/sarah.md"
PAGE = "---\nname: Sarah\n---\n- works_on [[Atlas]] <!-- wb: id=r1 -->\n"


class Terminal(io.StringIO):
    """A person who has typed something already."""

    def isatty(self) -> bool:
        return True


def form(run: Run, *options: str) -> Any:
    """What the doctor says of the format."""
    (found,) = [one for one in run("doctor", *options, "--json").json["checks"] if one["check"] == "format"]
    return found


def test_the_doctor_names_older_forms_and_brings_them_on_when_told_to(sandbox: Sandbox, run: Run) -> None:
    sandbox.write(PERSON, PAGE)
    sandbox.commit("as an older version wrote it")
    assert form(run)["seen"] == "format 0"
    for unasked in ((), ("--fix",)):  # there is nobody here to be asked
        (older,) = form(run, *unasked)["findings"]
        assert PERSON in older["what"]
        assert "workbench doctor --fix" in older["do"]
        assert (older["level"], older["fixed"]) == ("note", None)
    assert sandbox.read(PERSON).decode() == PAGE
    (done,) = form(run, "--fix", "--yes")["findings"]
    assert done["fixed"].startswith(f"migrate: format 0 to {FORMAT}, 1 file rewritten; `workbench undo ")
    assert b"- works_on [[Atlas]]\n  <!-- wb: id=r1 -->\n" in sandbox.read(PERSON)
    assert form(run, "--fix", "--yes") | {"seen": ""} == {
        "family": "workspace", "check": "format", "state": "fine", "seen": "", "findings": []
    }  # fmt: skip
    assert run("undo").code == 0
    assert sandbox.read(PERSON).decode() == PAGE


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_shown_the_change_and_asked(
    sandbox: Sandbox, run: Run, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    sandbox.write(PERSON, PAGE)
    sandbox.commit("as an older version wrote it")
    monkeypatch.setattr("workbench.cli.health.sys.stdin", Terminal(f"{answer}\n"))
    asked = run("doctor", "--fix")
    assert "+  <!-- wb: id=r1 -->" in asked.out
    assert f"+format: {FORMAT}" in asked.out
    assert f"format 0 to {FORMAT}, 1 file rewritten: do it?" in asked.err
    assert (sandbox.read(PERSON).decode() == PAGE) is (answer == "n")
    assert ("not repaired: you declined" in asked.out) is (answer == "n")


def test_memory_without_ours_needs_none(sandbox: Sandbox, run: Run) -> None:
    (sandbox.root / "episodes/2026/03/e1.md").unlink()
    assert form(run, "--fix", "--yes")["seen"] == "no format number, and none in an older format"
    assert not (sandbox.root / "workbench.yaml").exists()


@pytest.mark.promise(
    "Formats, and other programs",
    "memory of a newer format, also one that a pull brings while the program runs",
)
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
        assert f"this memory has format {FORMAT + 1}, and this program supports up to {FORMAT}" in told, (
            command
        )
        assert done.code == 1 or command[0] == "nightly", (command, done)
    error = run("promote", address, "--json").json["error"]
    assert error["code"] == "newer-format"
    assert "install a newer workbench" in error["hint"]
    assert form(run, "--fix", "--yes")["state"] == "finding"
    assert sandbox.git("status", "--porcelain") == ""


def test_the_doctor_tells_of_a_newer_form(sandbox: Sandbox, run: Run) -> None:
    sandbox.write("workbench.yaml", f"format: {FORMAT + 1}\n")
    newer = form(run)
    assert newer["state"] == "finding"
    assert "every change is refused" in newer["findings"][0]["meaning"]


# -- the ledger ------------------------------------------------------------------------------------

OLD = "_system/ledger/decisions-2026-03.jsonl"
RECORD = '{"at": "2026-03-01T00:00:00+00:00", "key": "k0", "decision": "rejected"}\n'
LONG = f"- Likes tea <!-- wb: id=m1 src={LOG}#L5 trust=owner pinned=2026-03-06 -->\n"


def of_ledger(run: Run, *options: str) -> list[Any]:
    """What the doctor finds about the ledger."""
    checks = run("doctor", *options, "--json").json["checks"]
    (found,) = [one["findings"] for one in checks if one["check"] == "ledger"]
    return list(found)


def decided(sandbox: Sandbox) -> list[str]:
    return [record["key"] for record in sandbox.workspace.ledger.read("decisions")]


@pytest.mark.parametrize("is_ignored", [False, True])
def test_the_doctor_moves_what_version_0_1_recorded_when_told_to(
    sandbox: Sandbox, run: Run, is_ignored: bool
) -> None:
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md").decode().replace("- Likes tea\n", LONG))
    sandbox.write(".gitignore", "_system/\n" if is_ignored else "")
    sandbox.write(OLD, RECORD)
    sandbox.commit("as version 0.1 wrote it")
    before = sandbox.read("MEMORY.md")
    (found,) = of_ledger(run, "--fix")  # nobody is here to be asked
    assert "in an older format (0.1)" in found["what"]
    assert (sandbox.root / OLD).exists()
    (done,) = of_ledger(run, "--fix", "--yes")
    assert "workbench undo" in done["fixed"]
    assert of_ledger(run) == []
    assert (sandbox.root / OLD).exists() is is_ignored
    assert b" pinned=2026-03-06 -->" in sandbox.read("MEMORY.md")
    assert b"src=" not in sandbox.read("MEMORY.md")
    (tea,) = (e for e in sandbox.workspace.memory_document().entries if "tea" in e.text)
    assert (tea.field("src"), tea.field("trust")) == (f"{LOG}#L5", "owner")
    assert decided(sandbox) == ["k0"]
    assert run("undo").code == 0
    assert sandbox.read("MEMORY.md") == before
    assert sandbox.read(OLD).decode() == RECORD
    assert decided(sandbox) == ["k0"]


def test_an_operation_of_version_0_1_is_undone_together_with_its_records_that_were_moved(
    sandbox: Sandbox, run: Run
) -> None:
    sandbox.write(OLD, RECORD)
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- of version 0.1\n")
    sandbox.commit("reject: k0\n\nOperation: abcdef123456\nAction: reject\nActor: human")
    of_ledger(run, "--fix", "--yes")
    assert decided(sandbox) == ["k0"]
    assert run("undo", "abcdef123456").code == 0
    assert b"of version 0.1" not in sandbox.read("MEMORY.md")
    assert decided(sandbox) == []


def test_the_doctor_names_a_ledger_from_elsewhere_and_takes_it_over_when_told_to(
    sandbox: Sandbox, run: Run
) -> None:
    place = sandbox.workspace
    records = ledger_records("decisions", [{"key": "k1"}], datetime(2026, 3, 14, tzinfo=UTC))
    place.operations.carry_out(lambda: Plan(action="reject", summary="k1", records=records))
    (sandbox.root / ".git/workbench/id").unlink()  # as in a clone
    assert decided(sandbox) == []
    (found,) = of_ledger(run)
    assert found["what"].startswith("1 record of a ledger that was fetched")
    (done,) = of_ledger(run, "--fix", "--yes")
    assert done["fixed"] == "1 record taken over"
    assert decided(sandbox) == ["k1"]
    assert of_ledger(run) == []


def test_the_doctor_says_how_a_missing_ledger_is_fetched(sandbox: Sandbox, run: Run) -> None:
    assert run("promote", f"{LOG}:6").code == 0
    sandbox.git("update-ref", "-d", sandbox.workspace.ledger.reference)
    (found,) = of_ledger(run)
    assert "1 mark in MEMORY.md that are not in the ledger" in found["what"]
    assert f"git fetch origin '{sandbox.workspace.ledger.reference}:" in found["do"]
