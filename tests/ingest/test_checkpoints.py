"""Each turn of a transcript is taken up once, whatever becomes of its file and of us."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support.sessions import append, claw, code, jsonl, plain
from tests.support.transcripts import NOW, new_in, said
from tests.support.workspaces import Sandbox
from workbench.ingest.sessions import Checkpoint, Checkpoints, checkpoint, read_new
from workbench.ingest.transcript_files import look
from workbench.workspace.workspace import Workspace

pytestmark = [
    pytest.mark.promise(
        "From sessions to long-term memory",
        "a transcript is renamed, rotated, emptied, truncated, rewritten, or half written",
        "each turn is read exactly once",
        by="Hypothesis state machines",
    ),
]


class Reader:
    """Takes up what is new, notes it in the ledger of a workspace, and can be started again."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.checkpoints = Checkpoints.read(workspace, "flush")

    def restart(self) -> None:
        self.checkpoints = Checkpoints.read(self.workspace, "flush")

    def take(self, path: Path) -> list[str]:
        reading = read_new(look(str(path)), self.checkpoints)
        if reading is None:
            return []
        self.checkpoints.note(self.workspace, reading.end, NOW)
        return said(reading)

    def lines(self, path: Path) -> list[int]:
        reading = read_new(look(str(path)), self.checkpoints)
        return [turn.line for turn in reading.transcript.turns] if reading else []


@pytest.fixture
def reader(sandbox: Sandbox) -> Reader:
    return Reader(sandbox.workspace)


def test_only_what_is_new_is_read_also_after_a_restart(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, claw(("user", "one")))
    assert reader.take(path) == ["one"]
    assert reader.take(path) == []
    reader.restart()
    append(path, plain(("user", "two")))
    assert reader.lines(path) == [3]
    assert reader.take(path) == ["two"]


def test_the_name_in_a_header_is_known_when_the_first_words_come_later(
    reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "chat.jsonl"
    append(path, claw())
    assert reader.take(path) == []
    append(path, plain(("user", "one")))
    assert new_in(path, reader.checkpoints).parts[0].session.source_id == "s91:0"


@pytest.mark.parametrize("apart", [timedelta(days=-1), timedelta(0), timedelta(days=1)])
def test_files_that_begin_with_the_same_line_are_read_each_by_itself(
    reader: Reader, tmp_path: Path, apart: timedelta
) -> None:
    """Claude Code begins files with a title that others have too, plain ones with a prompt."""
    title = jsonl({"type": "summary", "summary": "Atlas", "leafUuid": "x"})
    day = datetime(2026, 3, 15, tzinfo=UTC)
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    append(one, title + code(("user", "one"), session="aa", day=f"{day:%Y-%m-%d}"))
    append(other, title + code(("user", "other"), session="bb", day=f"{day + apart:%Y-%m-%d}"))
    assert reader.take(one) == ["one"]
    found = new_in(other, reader.checkpoints)
    assert [part.session.source_id for part in found.parts] == ["bb:0"]
    assert reader.take(other) == ["other"]
    append(one, code(("user", "more"), session="aa", day="2026-03-14"))
    assert reader.take(one) == ["more"]
    assert (reader.take(one), reader.take(other)) == ([], [])


def test_a_clock_that_was_ahead_hides_nothing_of_a_file_that_is_written_anew(
    reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    append(path, claw(("user", "one")) + plain(("user", "ahead"), day="2099-01-01"))
    assert reader.take(path) == ["one", "ahead"]
    path.write_bytes(claw(("user", "new")) + plain(("user", "and more")))
    assert reader.take(path) == ["new", "and more"]


def test_files_without_a_session_that_begin_with_the_same_line_are_not_one_session(
    reader: Reader, tmp_path: Path
) -> None:
    prompt = jsonl({"role": "system", "content": "You are helpful."})
    keys = []
    for name in ("one", "other"):
        path = tmp_path / name / "chat.jsonl"
        path.parent.mkdir()
        append(path, prompt + plain(("user", name)))
        keys.append(new_in(path, reader.checkpoints).parts[0].session.key)
        assert reader.take(path) == [name]
        append(path, plain(("user", "more")))
        assert new_in(path, reader.checkpoints).parts[0].session.key == keys[-1]
    assert len(set(keys)) == 2


def test_a_half_written_line_waits_for_its_end(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = plain(("user", "two"))
    append(path, plain(("user", "one")) + whole[:20])
    assert reader.take(path) == ["one"]
    assert reader.take(path) == []
    append(path, whole[20:])
    assert reader.take(path) == ["two"]


def test_the_first_line_too_may_be_half_written(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = plain(("user", "one"))
    append(path, b"")
    assert reader.take(path) == []
    append(path, whole[:10])
    assert reader.take(path) == []
    append(path, whole[10:])
    assert reader.take(path) == ["one"]


def test_a_last_line_without_an_end_is_read_once_and_numbers_stay_right(
    reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one"), ("user", "two")).rstrip(b"\n"))
    assert reader.take(path) == ["one", "two"]
    append(path, b"\n" + plain(("user", "three")))
    assert reader.lines(path) == [3]
    assert reader.take(path) == ["three"]


def test_a_renamed_file_is_the_same_and_its_successor_is_another(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one")))
    assert reader.take(path) == ["one"]
    append(path, plain(("user", "two")))
    old = path.rename(tmp_path / "old.jsonl")
    append(path, plain(("user", "three")))
    assert reader.take(path) == ["three"]
    assert reader.take(old) == ["two"]
    keys = {new_in(file).parts[0].session.key.rpartition("-")[2] for file in (path, old)}
    assert len(keys) == 2


def test_a_plain_session_keeps_its_name_when_its_file_is_renamed(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one")))
    first = new_in(path, reader.checkpoints).parts[0].session.key
    reader.take(path)
    old = path.rename(tmp_path / "old.jsonl")
    append(old, plain(("user", "two")))
    assert new_in(old, reader.checkpoints).parts[0].session.key == first


def test_a_file_that_was_emptied_and_begun_anew_is_read_from_its_start(
    reader: Reader, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one"), ("user", "two")))
    reader.take(path)
    path.write_bytes(b"")
    assert reader.take(path) == []
    append(path, plain(("user", "three")))
    assert reader.take(path) == ["three"]


def test_a_file_that_was_cut_goes_on_at_what_is_still_there(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one")))
    reader.take(path)
    kept = path.read_bytes()
    append(path, plain(("user", "two")))
    reader.take(path)
    path.write_bytes(kept)
    assert reader.take(path) == []
    append(path, plain(("user", "three")))
    assert reader.take(path) == ["three"]


def test_a_transcript_that_its_agent_shortened_is_not_read_again(reader: Reader, tmp_path: Path) -> None:
    lines = claw(*(("user", f"said {number}") for number in range(9))).splitlines(keepends=True)
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(lines))
    assert len(reader.take(path)) == 9
    fresh = tmp_path / "fresh"
    fresh.write_bytes(b"".join((lines[0], *lines[7:])) + plain(("user", "and on"), day="2026-03-15"))
    os.replace(fresh, path)
    assert reader.take(path) == ["said 8", "and on"]  # the last one may have been said with others


def test_a_line_that_cannot_be_read_is_told_once_and_read_over(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one")) + b"{broken\n\xff\n" + plain(("user", "two")))
    assert new_in(path, reader.checkpoints).bad == (2, 3)
    assert reader.take(path) == ["one", "two"]
    append(path, plain(("user", "three")))
    assert new_in(path, reader.checkpoints).bad == ()


def test_blank_first_lines_and_windows_line_ends_are_no_trouble(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, b"\r\n" + plain(("user", "one")).replace(b"\n", b"\r\n"))
    assert reader.take(path) == ["one"]
    append(path, plain(("user", "two")).replace(b"\n", b"\r\n"))
    assert reader.take(path) == ["two"]


def test_what_is_written_while_it_is_read_waits(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one")))
    seen = look(str(path))
    append(path, plain(("user", "two")))
    reading = read_new(seen, reader.checkpoints)
    assert said(reading) == ["one"]
    assert reading is not None
    reader.checkpoints.note(reader.workspace, reading.end, NOW)
    assert reader.take(path) == ["two"]


def test_records_that_are_no_checkpoints_are_passed_over(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    append(path, plain(("user", "one")))
    head = new_in(path).end.head
    good = new_in(path).end.as_record()
    wrong = [{}, {"kind": "flush"}, {**good, "offset": -1}, {**good, "offset": "9"}, {**good, "line": True},
             {**good, "head": None}, {**good, "kind": "graph"}]  # fmt: skip
    reader.workspace.ledger.append("ingested", wrong, NOW)
    reader.restart()
    assert reader.take(path) == ["one"]
    assert checkpoint(good) == new_in(path).end
    assert head == good["head"]


def test_the_ledger_does_not_name_the_persons_home(person: Path) -> None:
    path = person / "s.jsonl"
    append(path, plain(("user", "one")))
    assert new_in(path).end.as_record()["source"] == "~/s.jsonl"


def test_a_checkpoint_comes_back_from_the_ledger_as_it_was(sandbox: Sandbox) -> None:
    one = Checkpoint(
        kind="episode", source="/a/s.jsonl", head="h", digest="t", offset=10, line=2, session="s", cycle=3,
        messages=4, bytes=5, tokens=6, flushed=True, until="2026-03-14T10:00:00+00:00", memories=7,
    )  # fmt: skip
    sandbox.workspace.ledger.append("ingested", [one.as_record()], NOW)
    (record,) = sandbox.workspace.ledger.read("ingested")
    found = checkpoint(record)
    assert found is not None
    assert found.as_record() == one.as_record()


class Histories(RuleBasedStateMachine):
    """An agent that appends, log rotation in both manners, restarts of ours: in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.sandbox = Sandbox(self.root / "w", repository=False)
        self.reader = Reader(self.sandbox.workspace)
        self.folder = self.root / "t"
        self.folder.mkdir()
        self.path = self.folder / "chat.jsonl"
        self.taken: Counter[str] = Counter()
        self.written: list[str] = []
        self.rest = b""
        self.number = 0

    def teardown(self) -> None:
        self.sandbox.close()
        shutil.rmtree(self.root)

    @initialize(header=st.booleans())
    def begin(self, header: bool) -> None:
        self.header = header
        self.start()

    def start(self) -> None:
        """A new file; its first line is like that of no other."""
        self.number += 1
        first = jsonl({"type": "session", "id": f"s{self.number}"}) if self.header else self.line()
        append(self.path, first)

    def line(self) -> bytes:
        text = f"turn {len(self.written)}"
        when = datetime(2026, 3, 14, tzinfo=UTC) + timedelta(seconds=len(self.written))
        self.written.append(text)
        return jsonl({"role": "user", "content": text, "timestamp": when.isoformat()})

    @rule(count=st.integers(1, 4))
    def says(self, count: int) -> None:
        append(self.path, self.rest + b"".join(self.line() for _ in range(count)))
        self.rest = b""

    @rule(share=st.floats(0.0, 1.0))
    def says_half(self, share: float) -> None:
        line = self.rest or self.line()
        at = int(len(line) * share)
        append(self.path, line[:at])
        self.rest = line[at:]

    @rule()
    def scribbles(self) -> None:
        append(self.path, self.rest + b"{ no\n")
        self.rest = b""

    @rule()
    def is_renamed(self) -> None:
        append(self.path, self.rest)
        self.rest = b""
        self.path.rename(self.folder / f"chat-{self.number}.jsonl")
        self.start()

    @rule()
    def is_copied_and_emptied(self) -> None:
        append(self.path, self.rest)
        self.rest = b""
        shutil.copyfile(self.path, self.folder / f"chat-{self.number}.jsonl")
        os.truncate(self.path, 0)
        self.start()

    @rule()
    def restarts(self) -> None:
        self.reader.restart()

    @rule()
    def looks(self) -> None:
        for path in sorted(self.folder.iterdir()):
            self.taken.update(self.reader.take(path))

    @rule()
    def dies_before_it_could_note(self) -> None:
        for path in sorted(self.folder.iterdir()):
            read_new(look(str(path)), self.reader.checkpoints)
        self.reader.restart()

    @invariant()
    def none_is_taken_twice(self) -> None:
        assert not self.taken or max(self.taken.values()) == 1

    @rule()
    def comes_to_rest(self) -> None:
        append(self.path, self.rest)
        self.rest = b""
        self.looks()
        assert set(self.taken) == set(self.written)


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
