"""move, quarantine, release, archive and restore from the command line."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox


def test_move_says_where_to_and_undo_takes_it_back(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    address = sandbox.address("staging port")
    done = run("move", address, "--to", "memory/ports.md", "--heading", "Ports", "--reason", "tidy", "--json")
    assert done.code == 0
    assert done.json["entries"] == [address]
    assert done.json["became"] == ["memory/ports.md#" + address.rpartition("#")[2]]
    assert done.json["reason"] == "tidy"
    assert "+- The staging port is 8443" in done.json["diff"]
    assert run("undo").code == 0
    assert sandbox.snapshot() == before
    assert run("move", address).code == 2


def test_quarantine_list_and_release_tell_one_story(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    done = run("quarantine", sandbox.address("tantivy"), EPISODE, "--json").json
    assert sorted(row["entry"] for row in run("quarantine", "--list", "--json").json) == sorted(
        done["became"]
    )
    listed = run("quarantine", "--list").out
    assert f"from {LOG} since " in listed
    assert f"from {EPISODE}" in listed
    assert run("quarantine", "--release", *done["became"]).code == 0
    assert sandbox.snapshot() == before
    assert run("quarantine", "--list").out == ""


def test_the_list_sends_nothing_to_the_terminal_that_steers_it(run: Run, sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- evil \x1b]52;c;aGk=\x07 \u202e\n")
    assert run("quarantine", sandbox.address("evil")).code == 0
    for arguments in (("--list",), ("--list", "--json")):
        result = run("quarantine", *arguments)
        assert "evil" in result.out
        assert not {"\x1b", "\x07", "\u202e"} & set(result.out + result.err)


def test_archive_with_dry_run_says_what_would_go_and_why(run: Run, sandbox: Sandbox) -> None:
    over = "- The sprint ends on Friday <!-- wb: valid_until=2020-01-31 -->\n"
    sandbox.write("MEMORY.md", MEMORY_TEXT + over)
    before = sandbox.snapshot()
    shown = run("archive", "--budget", "100", "--dry-run")
    assert "-- The sprint ends on Friday" in shown.out
    raising, why = [line for line in shown.err.splitlines() if line.startswith("note: ")]
    assert "`workbench config set memory_budget 1000`" in raising
    assert why == "note: “The sprint ends on Friday”: it ended on 2020-01-31"
    assert sandbox.snapshot() == before
    done = run("archive", "--budget", "100", "--json").json
    assert done["notes"]
    assert all(address.startswith("_system/archive/") for address in done["became"])
    assert "nothing to archive" in run("archive").err


@pytest.mark.parametrize(
    "arguments",
    [("quarantine",), ("quarantine", "--list", "x#0000dead"), ("archive", "x#0000dead", "--budget", "5")],
)
def test_what_contradicts_itself_is_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).code == 2


def test_restore_from_history_shows_or_does_it(run: Run, sandbox: Sandbox) -> None:
    start = sandbox.git("rev-parse", "HEAD").strip()
    run("forget", sandbox.address("staging port"))
    shown = run("restore", LOG, "--at", start, "--dry-run")
    assert "+- The staging port is 8443" in shown.out
    done = run("restore", LOG, "--at", start, "--reason", "back", "--json")
    assert done.json["action"] == "restore"
    assert sandbox.read(LOG).decode() == LOG_TEXT


def test_the_list_tells_why_each_was_set_aside_and_the_action_what_it_is_called_now(
    run: Run, sandbox: Sandbox
) -> None:
    done = run("quarantine", sandbox.address("staging port"), "--reason", "not ours")
    run("quarantine", sandbox.address("We decided"))
    listed = run("quarantine", "--list")
    items = run("quarantine", "--list", "--json").json
    assert [item["reason"] for item in items] == ["not ours", None]
    assert f"  as {items[0]['entry']}\n" in done.out
    assert "    because not ours" in listed.out
    assert run("quarantine", "--release", items[0]["entry"]).code == 0
