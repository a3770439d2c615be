"""Lines that a program writes into a log after it was replaced are in the log, whatever is done next."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.workspace import seal
from workbench.workspace.late_writes import LateLines

PROJECT = Path(__file__).resolve().parents[2]
LATE = b"- late words of the agent\n"
YEARS = 10 * 365 * 86_400.0


@pytest.fixture(autouse=True)
def words_only(person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")


@pytest.fixture
def agent(run: Run, sandbox: Sandbox) -> Iterator[FileIO]:
    """An agent that opened the log before something was forgotten in it, and holds it open."""
    with (sandbox.root / LOG).open("ab", buffering=0) as log:
        assert run("forget", sandbox.address("weather in Lisbon"), "--yes").code == 0
        yield log


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """``later(seconds)`` moves the clock on the wall; the system's own goes on by as much, or an hour."""

    def move(seconds: float) -> None:
        wall, system = time.time, time.clock_gettime
        monkeypatch.setattr(time, "time", lambda: wall() + seconds)
        monkeypatch.setattr(time, "clock_gettime", lambda clock: system(clock) + max(seconds, 3600.0))

    return move


def kept(sandbox: Sandbox) -> list[str]:
    return sorted(os.listdir(sandbox.root / ".workbench/displaced"))


def plant(sandbox: Sandbox, path: str, text: bytes = b"- planted words\n", known: int = 0) -> Path:
    """What an archive may bring: a replaced file and a note, as 0.1 wrote it."""
    folder = sandbox.workspace.state_dir() / "displaced"
    folder.mkdir(exist_ok=True)
    note = {"path": path, "known": known, "digest": hashlib.sha256(text[:known]).hexdigest(), "since": 0.0}
    (folder / ".wb-0123456789ab-0.tmp.json").write_text(
        json.dumps({**note, "adding": 0, "target": 0, "target_digest": ""})
    )
    planted = folder / ".wb-0123456789ab-0.tmp"
    planted.write_bytes(text)
    return planted


def elsewhere(sandbox: Sandbox, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    command = [sys.executable, "-m", "workbench", "-w", str(sandbox.root), *arguments]
    return subprocess.run(
        command, cwd=PROJECT, env=os.environ | environment, capture_output=True, text=True, check=False
    )


@pytest.mark.promise(
    "Two writers",
    "a program writes into a replaced file hours later, after the clock jumped, or from a child process "
    "that inherited it",
    "the lines are carried over; the old file is kept as long as the kernel reports a process that has it "
    "open for writing, whatever the clock says",
    by="the clock is moved by hours and years",
)
@pytest.mark.parametrize("seconds", [2 * 3600.0, -YEARS, 9 * YEARS])
def test_an_agent_that_holds_its_log_open_loses_no_line_hours_later_or_after_a_jump_of_the_clock(
    run: Run, sandbox: Sandbox, agent: FileIO, later: Callable[[float], None], seconds: float
) -> None:
    agent.write(b"- soon after\n")
    assert run("status").code == 0
    later(seconds)
    for words in ("staging port", "async reviews"):
        assert run("pin", sandbox.address(words)).code == 0
    agent.write(LATE)
    assert run("pin", sandbox.address("tantivy")).code == 0
    assert run("status").code == 0
    assert sandbox.read(LOG).count(LATE) == 1
    assert sandbox.read(LOG).count(b"- soon after\n") == 1


@pytest.mark.promise(
    "Two writers",
    "late lines exist, and somebody reads before the next action",
    "every command, the MCP server and the interface (within two seconds) carry the late lines over first",
    by="a file that is held open",
)
@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("get", LOG),
        ("log",),
        ("show", "HEAD"),
        ("blame", LOG),
        ("search", "late words"),
        ("doctor",),
        ("verify",),
        ("check",),
        ("reindex", "--no-vectors"),
        ("context", "what did the agent say"),
        (
            "context",
            "--bulletin",
        ),
        ("check", "--history"),
        ("graph", "stats"),
        ("watch", "--once"),
        (
            "inbox",
            "conflicts",
        ),
        (
            "status",
            "--commit",
        ),
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_reads_has_the_late_lines(
    run: Run, sandbox: Sandbox, agent: FileIO, command: tuple[str, ...]
) -> None:
    run("reindex", "--no-vectors")
    agent.write(LATE)
    done = run(*command)
    assert "Traceback" not in done.err
    assert sandbox.read(LOG).endswith(LATE)
    if command[0] == "get":
        assert LATE.decode() in done.out


def test_a_run_over_a_fleet_has_the_late_lines(
    run: Run, sandbox: Sandbox, agent: FileIO, tmp_path: Path
) -> None:
    (tmp_path / "fleet.txt").write_text(f"{sandbox.root}\n")
    agent.write(LATE)
    options = (
        "--workspaces",
        str(tmp_path / "fleet.txt"),
        "--uri",
        str(tmp_path / "table"),
        "--workers",
        "0",
    )
    assert run("fleet", "reindex", *options, "--no-vectors").code == 0
    assert sandbox.read(LOG).endswith(LATE)


@pytest.mark.promise("Two writers", "late lines exist, and somebody reads before the next action")
@pytest.mark.parametrize("command", [("reindex", "--watch", "--no-vectors"), ("watch",)])
def test_a_command_that_watches_carries_late_lines_over_while_it_runs(
    sandbox: Sandbox, agent: FileIO, command: tuple[str, ...]
) -> None:
    arguments = [sys.executable, "-m", "workbench", "-w", str(sandbox.root), *command]
    with subprocess.Popen(arguments, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as watching:
        try:
            for number in range(2):  # the second one is written when it has long begun
                line = b"- late line %d\n" % number
                agent.write(line)
                deadline = time.monotonic() + 60
                while line not in sandbox.read(LOG):
                    assert time.monotonic() < deadline
                    assert watching.poll() is None
                    time.sleep(0.05)
        finally:
            watching.terminate()
            watching.communicate()


@pytest.mark.promise(
    "Two writers",
    "late lines exist, and another action runs, a merge is unfinished, or nothing is writable",
    "`status` reports the waiting lines; nothing is changed",
    by="a lock that is held, a merge, a program that only looks, the past",
)
@pytest.mark.parametrize("reason", ["another action", "looking only", "a merge", "the past"])
def test_lines_that_have_to_wait_are_named_and_nothing_is_written(
    run: Run, sandbox: Sandbox, agent: FileIO, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    agent.write(LATE)
    before, waiting = sandbox.read(LOG), kept(sandbox)
    asked = ["status"]
    if reason == "looking only":
        monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    elif reason == "a merge":
        (sandbox.root / ".git/MERGE_HEAD").write_text(sandbox.git("rev-parse", "HEAD"))
    elif reason == "the past":
        asked = ["--as-of", sandbox.git("rev-parse", "HEAD").strip(), "status"]
    with (sandbox.root / ".workbench/operations.lock").open("rb") as lock:
        if reason == "another action":
            fcntl.flock(lock, fcntl.LOCK_EX)
        found = run(*asked, "--json").json
        said = run(*asked).out
    assert found["late"] == [{"path": LOG, "why": "late lines", "lines": 1, "bytes": len(LATE)}]
    assert "workbench inbox conflicts --late" in said
    assert sandbox.read(LOG) == before
    assert kept(sandbox) == waiting


@pytest.mark.promise(
    "Two writers",
    "a program writes into a replaced file hours later, after the clock jumped, or from a child process "
    "that inherited it",
)
def test_a_file_that_a_program_has_open_is_named_and_kept_and_gone_when_it_ends(
    run: Run, sandbox: Sandbox, agent: FileIO, later: Callable[[float], None]
) -> None:
    later(3600.0)
    assert run("status", "--json").json["late"] == [{"path": LOG, "why": "held open", "lines": 0, "bytes": 0}]
    agent.write(LATE)
    agent.close()
    assert run("status", "--json").json["late"] == []
    assert sandbox.read(LOG).count(LATE) == 1
    assert kept(sandbox) == []


@pytest.mark.promise(
    "Two writers",
    "a program writes into a replaced file hours later, after the clock jumped, or from a child process "
    "that inherited it",
)
def test_a_child_that_inherited_the_log_still_loses_nothing(
    run: Run, sandbox: Sandbox, agent: FileIO, later: Callable[[float], None]
) -> None:
    child = subprocess.Popen(
        ["sh", "-c", "read _; printf -- '- of the child\\n'"], stdin=subprocess.PIPE, stdout=agent
    )
    agent.close()
    later(7200.0)
    assert run("pin", sandbox.address("staging port")).code == 0
    child.communicate(b"go\n")
    assert run("status").code == 0
    assert sandbox.read(LOG).count(b"- of the child\n") == 1


@pytest.mark.promise(
    "Two writers",
    "many actions on a long log, whose old versions are kept for late writers",
    "old copies are deleted once no process has them open",
    by="the size of what is kept",
)
def test_actions_leave_no_copies_behind_once_nobody_has_the_file_open(
    run: Run, sandbox: Sandbox, later: Callable[[float], None]
) -> None:
    sandbox.write(LOG, sandbox.read(LOG) + b"- a line of a long log\n" * 1_000)
    size = len(sandbox.read(LOG))
    for _ in range(4):
        for words in ("staging port", "tantivy"):
            assert run("pin", sandbox.address(words)).code == 0
            assert run("undo").code == 0
            later(10.0)
            folder = sandbox.root / ".workbench/displaced"
            assert sum(path.stat().st_size for path in folder.iterdir()) < 4 * size
    run("status")
    assert kept(sandbox) == []


@pytest.mark.promise(
    "Two writers",
    "a replaced file was unpacked, copied or kept by an older version",
    "reported, and nothing is done before `workbench inbox conflicts --late --append`; never for a file "
    "that is not memory",
    by="notes without a seal that fits",
)
@pytest.mark.parametrize("path", ["MEMORY.md", "workbench.yaml", ".bashrc", "memory/.hidden.md", "../out.md"])
def test_a_note_that_was_unpacked_does_nothing_and_is_named(run: Run, sandbox: Sandbox, path: str) -> None:
    planted = plant(sandbox, path)
    target = sandbox.root / path
    assert run("pin", sandbox.address("staging port")).code == 0
    assert run("status").code == 0
    assert not target.exists() or target.read_bytes() == MEMORY_TEXT.encode()
    assert planted.read_bytes() == b"- planted words\n"
    (late,) = run("status", "--json").json["late"]
    assert (late["why"], late["lines"]) == ("unknown origin", 1)
    assert late["path"] == (path if path == "MEMORY.md" else None)
    assert "workbench inbox conflicts --late" in run("doctor").out
    assert run("verify").code != 0
    taken = run("inbox", "conflicts", "--late", "--append", "--yes")
    assert taken.code == 0
    assert (b"planted" in sandbox.read("MEMORY.md")) == (path == "MEMORY.md")
    if path != "MEMORY.md":
        assert not target.exists()
        assert "- planted words" in run("inbox", "conflicts", "--late", "--show", "1").out
        done = run("inbox", "conflicts", "--late", "--discard", "1", "--yes", "--json")
        sandbox.git("gc", "-q", "--prune=now")
        assert sandbox.git("cat-file", "blob", done.json["discarded"]) == "- planted words\n"
    assert run("inbox", "conflicts", "--late", "--json").json == []


@pytest.mark.promise("Two writers", "a replaced file was unpacked, copied or kept by an older version")
def test_words_that_an_older_version_kept_are_taken_in_by_one_command(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.read(LOG)
    plant(sandbox, LOG, before + LATE, known=len(before))
    assert run("status", "--json").json["late"][0]["lines"] == 1
    assert sandbox.read(LOG) == before
    assert run("inbox", "conflicts", "--late", "--append", "--yes").code == 0
    assert sandbox.read(LOG) == before + LATE
    assert run("status", "--json").json["late"] == []


@pytest.mark.promise("Two writers", "a replaced file was unpacked, copied or kept by an older version")
def test_what_was_kept_is_not_believed_in_a_copy_of_the_folder(
    run: Run, sandbox: Sandbox, agent: FileIO
) -> None:
    agent.write(LATE)
    copy = sandbox.root.parent / "copy"
    shutil.copytree(sandbox.root, copy, symlinks=True)
    found = run("-w", str(copy), "status", "--json").json["late"]
    assert [(one["why"], one["lines"]) for one in found] == [("unknown origin", 1)]
    assert LATE not in (copy / LOG).read_bytes()


@pytest.mark.promise(
    "Two writers",
    "the key for seals cannot be stored (a read-only home)",
    "everything works; late lines wait until you add them",
    by="a state folder that cannot be made",
)
def test_where_no_key_can_be_kept_late_lines_wait_for_the_persons_word(sandbox: Sandbox) -> None:
    nowhere = {"XDG_STATE_HOME": "/dev/null/state"}
    with (sandbox.root / LOG).open("ab", buffering=0) as log:
        done = elsewhere(sandbox, "forget", sandbox.address("weather in Lisbon"), "--yes", **nowhere)
        assert done.returncode == 0, done.stderr
        log.write(LATE)
        (late,) = json.loads(elsewhere(sandbox, "status", "--json", **nowhere).stdout)["late"]
        assert (late["why"], late["lines"], late["path"]) == ("unknown origin", 1, LOG)
        taken = elsewhere(sandbox, "inbox", "conflicts", "--late", "--append", "--yes", **nowhere)
        assert taken.returncode == 0, taken.stderr
    assert sandbox.read(LOG).count(LATE) == 1


def test_the_key_is_for_its_owner_alone(run: Run, sandbox: Sandbox) -> None:
    assert run("pin", sandbox.address("staging port")).code == 0
    assert seal.key_path().stat().st_mode & 0o777 == 0o600


@pytest.mark.promise(
    "Two writers",
    "a conflict is discarded while its writer continues",
    "what it adds is carried over",
    by="a file that is held open",
)
def test_a_conflict_that_is_discarded_while_its_writer_goes_on_loses_nothing(
    run: Run, sandbox: Sandbox
) -> None:
    with (sandbox.root / "MEMORY.md").open("r+b", buffering=0) as log:
        assert run("promote", sandbox.address("staging port")).code == 0
        log.truncate(0)
        log.write(b"- rewritten\n")
        assert len(run("inbox", "conflicts", "--json").json) == 1
        assert run("inbox", "conflicts", "--discard", "1", "--yes").code == 0
        log.write(LATE)
        assert run("inbox", "conflicts", "--json").json == []
    assert sandbox.read("MEMORY.md").count(LATE) == 1


@pytest.mark.promise(
    "Two writers",
    "an agent appends, rewrites in place or by rename, deletes, renames away or holds open, before the plan, "
    "after it, at and after the exchange, during actions of each sort",
)
@pytest.mark.parametrize("goes_on", [False, True], ids=["each command looks", "a program that goes on looks"])
def test_a_replaced_log_that_is_rewritten_to_the_same_length_is_a_conflict(
    run: Run, sandbox: Sandbox, later: Callable[[float], None], goes_on: bool
) -> None:
    late = LateLines(sandbox.root)
    with (sandbox.root / LOG).open("r+b", buffering=0) as log:
        text = log.read().upper()
        assert run("forget", sandbox.address("weather in Lisbon"), "--yes").code == 0
        replaced = sandbox.read(LOG)
        later(3600.0)
        late.carry()
        assert run("status", "--json").json["late"][0]["why"] == "held open"
        log.seek(0)
        log.write(text)
        with (sandbox.root / ".workbench/operations.lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            (waiting,) = run("status", "--json").json["late"]
        assert (waiting["why"], waiting["bytes"]) == ("rewritten", len(text))
        if goes_on:
            late.carry()
            assert kept(sandbox) == []
        assert len(run("inbox", "conflicts", "--json").json) == 1
        assert "STAGING PORT" in run("inbox", "conflicts", "--show", "1").out
    assert sandbox.read(LOG) == replaced
    late.close()


@pytest.mark.parametrize(
    "options", [("--append",), ("--late", "--show", "1"), ("--late", "--append", "--show", "1")]
)
def test_wrong_use_of_late_says_what_to_do(run: Run, options: tuple[str, ...]) -> None:
    result = run("inbox", "conflicts", *options, "--json")
    assert result.code == 2
    assert result.json["error"]["hint"]


def test_a_late_line_begins_a_line_where_the_file_that_took_its_place_ends_without_one(
    run: Run, sandbox: Sandbox, agent: FileIO
) -> None:
    (sandbox.root / LOG).write_bytes(sandbox.read(LOG).rstrip(b"\n"))  # as some editors leave a file
    last = sandbox.read(LOG).splitlines()[-1]
    agent.write(LATE)
    assert run("status").code == 0
    assert sandbox.read(LOG).endswith(last + b"\n" + LATE)
