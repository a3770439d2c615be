"""Whatever is asked, the answer is no traceback: words for people, one JSON object for programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox

PROJECT = Path(__file__).resolve().parents[2]
ESCAPE = "\x1b]0;pwn\x07"
ADDRESS = f"{LOG}#7d86a167fb18"
"""The staging port."""


@pytest.mark.parametrize(
    "arguments",
    [
        ("get", "a", f"{ESCAPE}.md"),
        ("get", f"{ESCAPE}.md"),
        ("log", "-n", "3", "x", ESCAPE),
        ("log", "-n", ESCAPE),
        (ESCAPE,),
        ("--wor" + ESCAPE,),
        ("get", "a", "\udcff\n"),
        ("undo", ESCAPE),
        ("show", ESCAPE),
        ("promote", ADDRESS, "--heading", ESCAPE),
        ("promote", ADDRESS, "--heading", "two\nlines"),
        ("promote", ADDRESS, "--heading", "bad\udcff"),
        ("promote", ADDRESS, "--heading", ""),
        ("promote", f"{ADDRESS}~" + "9" * 5000),
        ("forget", f"{ADDRESS}~" + "9" * 5000),
        ("forget", "memory/\udcff.md#7d86a167fb18"),
        ("promote", ESCAPE),
        ("undo", ""),
        ("undo", "a"),
        ("show", ""),
        ("show", "abc"),
        ("init", LOG),
    ],
)
def test_wrong_usage_is_said_safely_and_in_json(
    run: Run, sandbox: Sandbox, arguments: tuple[str, ...]
) -> None:
    before = sandbox.snapshot()
    shown = run(*arguments)
    assert shown.code in (1, 2)
    assert shown.out == ""
    assert shown.err
    assert not {"\x1b", "\x07", "\udcff"} & set(shown.err)
    if arguments[0] != "init":
        answer = run(*arguments, "--json")
        assert answer.code == shown.code
        assert set(answer.json) == {"error"}
        assert set(answer.json["error"]) == {"code", "message", "hint"}
        assert answer.err == ""
    assert sandbox.snapshot() == before


def test_an_operation_that_is_not_found_is_spoken_of_as_an_operation(run: Run) -> None:
    for command in ("undo", "show"):
        error = run(command, "0000dead", "--json").json["error"]
        assert error["code"] == "operation-not-found"
        assert "operation 0000dead" in error["message"]
        assert "workbench log" in error["hint"]


def test_settings_that_cannot_be_read_are_an_error_of_their_own(run: Run, sandbox: Sandbox) -> None:
    (sandbox.root / "workbench.yaml").symlink_to("/dev/zero")
    assert "plain file" in run("get", LOG, "--json").json["error"]["message"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_status_reports_the_rest_when_memory_is_no_plain_file(run: Run, sandbox: Sandbox, kind: str) -> None:
    path = sandbox.root / "MEMORY.md"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/etc/passwd")
    report = run("status", "--json").json
    assert report["files"] == {"episode": 1, "log": 1}
    assert report["budget"] == {"path": "MEMORY.md", "used": 0, "limit": 10000}
    assert any("MEMORY.md is not a plain file" in warning for warning in report["warnings"])
    assert run("promote", sandbox.address("staging port"), "--json").json["error"]["code"] == "not-memory"


def test_a_folder_that_is_gone_is_said_to_be_gone(
    run: Run, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for arguments in (("status", "--json"), ("-w", "x", "status", "--json"), ("undo", "--json")):
        result = run(*arguments)
        assert (result.code, result.json["error"]["code"]) == (2, "no-workspace")
    assert "no longer exists" in run("status").err
    assert run("-w", str(sandbox.root), "get", LOG).code == 0
    monkeypatch.chdir(sandbox.root)


def program(sandbox: Sandbox, command: str) -> subprocess.CompletedProcess[str]:
    """The program in a shell of its own: what this process does with its streams is another matter."""
    words = f'"$PYTHON" -m workbench {command}'
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(PROJECT)}
    return subprocess.run(
        ["bash", "-c", words], cwd=sandbox.root, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "command",
    [
        "status >/dev/full",
        "status --json >/dev/full",
        "get nothing.md --json >/dev/full",
        "get memory/long.md >/dev/full",
        "get memory/long.md --json >/dev/full",
        "status >&-",
        "status --json >&-",
        "get nothing.md --json >&-",
    ],
)
def test_output_that_cannot_be_written_is_said_and_fails(sandbox: Sandbox, command: str) -> None:
    sandbox.write("memory/long.md", "a long line of words\n" * 20_000)
    done = program(sandbox, command)
    assert done.returncode == 1
    assert done.stderr.startswith("workbench: the output could not be written: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("mcp", 0, ""),
        ("context --hook", 0, "the hook's JSON has no prompt"),
        ("flush --hook", 0, "transcript_path"),
        ("", 2, "the interface needs a terminal"),
    ],
)
def test_a_closed_stdin_is_an_empty_one(sandbox: Sandbox, command: str, code: int, told: str) -> None:
    done = program(sandbox, f"{command} <&-")
    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr
    assert told in done.stderr


def test_a_closed_stream_is_never_a_file_of_the_workspace(sandbox: Sandbox) -> None:
    """The next file that is opened would get its number, and what is printed would land in it."""
    done = program(sandbox, f"promote '{sandbox.address('staging port')}' 0<&- 1>&- 2>&-")
    assert (done.stdout, done.stderr) == ("", "")
    assert "staging port" in sandbox.read("MEMORY.md").decode()
    assert sandbox.git("status", "--porcelain") == ""
    assert program(sandbox, "undo 2>&-").returncode == 0


def test_a_reader_that_has_seen_enough_is_no_error(sandbox: Sandbox) -> None:
    sandbox.write("memory/long.md", "a long line of words\n" * 20_000)
    done = program(sandbox, "get memory/long.md | head -n 1; exit ${PIPESTATUS[0]}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_is_gone_before_the_first_word_is_no_error(sandbox: Sandbox) -> None:
    fifo = "mkfifo p; (exec 3<p; sleep 0.2) & exec 4>p; wait;"  # it is open for writing, and nobody reads
    command = f'{fifo} "$PYTHON" -m workbench get {LOG} >&4'
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(PROJECT)}
    words = ["bash", "-c", command]
    done = subprocess.run(
        words, cwd=sandbox.root, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_system_refuses_to_read_is_not_called_a_full_disk(run: Run) -> None:
    refused = run("get", f"{'a' * 300}.md")
    assert refused.code == 1
    assert "File name too long" in refused.err
    assert "disk" not in refused.err
    assert "space" not in refused.err


def test_a_folder_that_is_not_there_is_no_unknown_command(run: Run) -> None:
    result = run("./nowhere")
    assert result.code == 2
    assert "./nowhere is neither a command nor a folder" in result.err
    assert "No such command 'nowhere'" in run("nowhere").err


def test_a_group_without_a_command_shows_its_commands_and_calls_nothing_an_error(run: Run) -> None:
    result = run("model")
    assert result.code == 2
    assert "model [OPTIONS] COMMAND" in result.err.split("\n")[0]
    assert result.err.count("Usage:") == 1
    assert "Error" not in result.err


def test_a_day_that_is_none_is_told_how_days_are_written(run: Run) -> None:
    wrong = run("search", "tea", "--since", "someday")
    assert wrong.code == 2
    assert "write 2026-03-14" in wrong.err
    assert "2026-03-14" in run("search", "--help").out
