"""An entry named by the line that it stands at, as `Y` copies it and as sources are written."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox


def line_of(sandbox: Sandbox, words: str, path: str = LOG) -> int:
    rows = sandbox.read(path).decode().split("\n")
    return next(number for number, row in enumerate(rows, 1) if words in row)


@pytest.mark.parametrize("form", ["{path}:{line}", "{path}#L{line}", "{path}#L{line}-L{line}"])
def test_every_command_that_takes_an_entry_takes_its_line(run: Run, sandbox: Sandbox, form: str) -> None:
    address = sandbox.address("staging port")
    named = form.format(path=LOG, line=line_of(sandbox, "staging port"))
    shown = run("show", named)
    assert shown.code == 0
    assert address in shown.out
    for command in ("promote", "forget", "pin", "quarantine", "merge"):
        both = (named, sandbox.address("Likes tea", "MEMORY.md")) if command == "merge" else (named,)
        done = run(command, *both, "--dry-run", "--json")
        assert done.code == 0, done.err
        assert address in done.json["entries"]
    for command in ("move", "edit"):
        more = ("--text", "The port is 9000") if command == "edit" else ("--heading", "Ports")
        done = run(command, named, *more, "--dry-run", "--json")
        assert done.code == 0, done.err
        assert address in done.json["entries"]
    for command in ("related", "blame", "log"):
        assert run(command, named, "--json").json == run(command, address, "--json").json
    added = run("check", "--add", "which port has staging", named)
    assert added.code == 0
    assert address in sandbox.read("recall-tests.yaml").decode()


def test_the_answer_names_the_content_that_was_meant(run: Run, sandbox: Sandbox) -> None:
    named = f"{LOG}:{line_of(sandbox, 'staging port')}"
    done = run("promote", named)
    assert done.code == 0
    assert f"{named} is {sandbox.address('staging port')}" in done.err


def test_an_entry_to_merge_into_may_be_named_by_its_line(run: Run, sandbox: Sandbox) -> None:
    assert run("promote", sandbox.address("staging port")).code == 0
    into = f"MEMORY.md:{line_of(sandbox, 'staging port', 'MEMORY.md')}"
    done = run("promote", sandbox.address("use tantivy"), "--into", into, "--dry-run")
    assert done.code == 0, done.err


def test_a_line_without_an_entry_names_the_nearest(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    sandbox.write(LOG, b"\n\n\n" + sandbox.read(LOG))
    done = run("forget", f"{LOG}:1", "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "entry-not-found"
    assert f"line 1 of {LOG} holds no entry" in done.json["error"]["message"]
    assert f"{LOG}#" in done.json["error"]["hint"]
    sandbox.write(LOG, sandbox.read(LOG)[3:])
    assert "ends at line" in run("forget", f"{LOG}:999").err
    assert "memory/1999-01-01.md is not a memory file" in run("forget", "memory/1999-01-01.md:3").err
    assert sandbox.snapshot() == before


def test_lines_that_hold_several_entries_are_told_apart(run: Run, sandbox: Sandbox) -> None:
    sandbox.write(LOG, b"# Day\n\n- first thing to keep\n- second thing to keep\n")
    done = run("forget", f"{LOG}#L3-L4", "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "entry-ambiguous"
    assert done.json["error"]["hint"].count(f"{LOG}#") == 2


def test_what_is_no_address_is_not_called_an_entry_that_went_away(run: Run) -> None:
    refused = run("edit", "the port", "--text", "x")
    assert refused.code == 2
    assert "PATH#HASH" in refused.err
    assert "edited or removed" not in refused.err
