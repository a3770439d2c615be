"""`workbench health` as a person and a program call it."""

from __future__ import annotations

from tests.cli.conftest import Run
from tests.support.workspaces import MEMORY_TEXT, Sandbox


def test_sections_are_said_with_their_figures_and_what_to_do(run: Run) -> None:
    found = run("health", "budget", "backup")
    assert found.code == 0
    assert "Backup: never" in found.out
    assert "→ `workbench backup DIR`" in found.out
    assert "of 10,000 characters" in found.out


def test_programs_get_all_of_it_and_the_commands_that_mend(run: Run) -> None:
    found = run("health", "index", "budget", "--json")
    assert found.code == 0
    assert found.json["ok"] is True
    assert found.json["sections"][0]["state"] == "warning"
    index, budget = found.json["sections"]
    assert index["concerns"][0]["fixes"][0]["command"] == "workbench reindex"
    assert budget["facts"][0][0] == "used"


def test_an_unknown_section_is_named_with_those_that_are_known(run: Run) -> None:
    found = run("health", "wellness")
    assert found.code == 2
    assert "known: index, backup" in found.err


def test_text_of_memory_cannot_steer_the_terminal(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- see [x](notes/\x1b[2Jgone.md) now\n")
    found = run("health", "links")
    assert "\x1b" not in found.out
    assert "leads nowhere" in found.out


def test_only_the_first_findings_are_said_unless_all_are_asked_for(run: Run, sandbox: Sandbox) -> None:
    links = "".join(f"- see [x](notes/gone{n}.md)\n" for n in range(12))
    sandbox.write("MEMORY.md", MEMORY_TEXT + links)
    found = run("health", "links")
    assert found.out.count("leads nowhere") == 5
    assert "7 more; --all shows them" in found.err
    assert run("health", "links", "--all").out.count("leads nowhere") == 12
