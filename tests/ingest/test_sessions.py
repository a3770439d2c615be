"""A transcript becomes sessions, cut where its agent compacted; what a clock asked for is left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.sessions import claw, code, jsonl, plain
from tests.support.transcripts import NOW, answer, boundary, compact_summary, compaction, new_in, said, store
from tests.support.workspaces import Sandbox
from workbench.config.settings import Settings
from workbench.errors import NotMemoryError
from workbench.ingest.sessions import Checkpoints, read_new, session_name
from workbench.ingest.transcript_files import TranscriptFile, find, look, watched
from workbench.workspace.workspace import Workspace

EXCLUDE = Settings().transcript_exclude


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def excluded(path: Path) -> str:
    reading = read_new(look(str(path)), Checkpoints("flush"), exclude=EXCLUDE)
    assert reading is not None
    return reading.excluded


def headless(data: bytes) -> bytes:
    """OpenClaw's lines without the header."""
    return data.partition(b"\n")[2]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (claw(("user", "Hello"), ("assistant", "Hi Sam")), "s91"),
        (code(("user", "Hello"), ("assistant", "Hi Sam")), "c7d1"),
    ],
)
def test_each_form_is_one_session_under_its_own_name(tmp_path: Path, data: bytes, key: str) -> None:
    (part,) = new_in(write(tmp_path / "t.jsonl", data)).parts
    session = part.session
    assert (session.key, session.cycle, session.source_id) == (key, 0, f"{key}:0")
    assert session.source == "t.jsonl"
    assert [turn.text for turn in session.turns] == ["Hello", "Hi Sam"]
    assert not part.closed


def test_a_session_without_a_name_is_called_by_its_file_and_first_line(tmp_path: Path) -> None:
    one = new_in(write(tmp_path / "a/chat.jsonl", plain(("user", "Hello")))).parts[0].session.key
    other = new_in(write(tmp_path / "b/chat.jsonl", plain(("user", "Good morning")))).parts[0].session.key
    assert one.startswith("chat-")
    assert one != other


def test_openclaw_is_cut_at_compactions_and_each_part_has_its_summary(tmp_path: Path) -> None:
    data = (
        claw(("user", "one"))
        + compaction("They spoke of one.")
        + headless(claw(("user", "two")))
        + compaction("And of two.")
        + headless(claw(("user", "three")))
    )
    parts = new_in(write(tmp_path / "s91.jsonl", data)).parts
    found = [(p.session.source_id, p.session.summary, p.closed) for p in parts]
    assert found == [
        ("s91:0", "They spoke of one.", True),
        ("s91:1", "And of two.", True),
        ("s91:2", "", False),
    ]
    assert [turn.text for p in parts for turn in p.session.turns] == ["one", "two", "three"]


def test_claude_codes_boundary_and_summary_are_one_cut(tmp_path: Path) -> None:
    data = code(("user", "one")) + boundary() + compact_summary("They spoke of one.") + code(("user", "two"))
    parts = new_in(write(tmp_path / "c.jsonl", data)).parts
    assert [(p.session.source_id, p.session.summary) for p in parts] == [
        ("c7d1:0", "They spoke of one."),
        ("c7d1:1", ""),
    ]


def test_a_summary_without_a_boundary_cuts_too(tmp_path: Path) -> None:
    data = code(("user", "one")) + compact_summary("They spoke of one.") + code(("user", "two"))
    parts = new_in(write(tmp_path / "c.jsonl", data)).parts
    assert [p.session.summary for p in parts] == ["They spoke of one.", ""]


def test_sessions_in_one_file_are_apart(tmp_path: Path) -> None:
    data = code(("user", "one"), session="aa") + code(("user", "two"), ("assistant", "ok"), session="bb")
    parts = new_in(write(tmp_path / "c.jsonl", data)).parts
    assert [(p.session.source_id, len(p.session.turns)) for p in parts] == [("aa:0", 1), ("bb:0", 2)]


def test_a_part_that_goes_on_after_it_was_read_has_a_number_of_its_own(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    path = write(tmp_path / "s91.jsonl", claw(("user", "one")))
    checkpoints = Checkpoints("episode")
    reading = new_in(path, checkpoints, purpose="episode")
    checkpoints.note(sandbox.workspace, reading.parts[-1].checkpoint, NOW)
    with path.open("ab") as file:
        file.write(compaction("So far.") + headless(claw(("user", "two"))))
    again = new_in(path, Checkpoints.read(sandbox.workspace, "episode"))
    assert [(p.session.source_id, said(again)) for p in again.parts] == [("s91:1", ["two"])]


def test_the_fill_of_the_context_is_what_the_agent_told_else_an_estimate(tmp_path: Path) -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 90_000, "output_tokens": 200}
    told = new_in(write(tmp_path / "c.jsonl", code(("user", "one")) + answer("two", usage=usage))).end
    assert told.tokens == 90_210
    data = code(("user", "x" * 4_000))
    guessed = new_in(write(tmp_path / "d.jsonl", data)).end
    assert guessed.tokens == len(data) // 4
    after = new_in(write(tmp_path / "e.jsonl", data + boundary() + code(("user", "two")))).end
    assert (after.messages, after.tokens) == (1, after.bytes // 4)
    assert after.bytes < 1_000


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("agent:main:cron:job-1:run:r1", "cron"),
        ("agent:main:cron:249ecf82-aa11", "cron"),
        ("agent:main:heartbeat", "heartbeat"),
        ("agent:main:delivered:telegram", "delivered"),
    ],
)
def test_sessions_of_clocks_and_jobs_are_excluded_by_their_key(tmp_path: Path, key: str, word: str) -> None:
    path = write(tmp_path / "s91.jsonl", claw(("user", "I live in Lisbon")))
    write(tmp_path / "sessions.json", store(**{key: {"sessionId": "s91"}}))
    assert excluded(path) == f"excluded ({word}): its key is {key}"


def test_a_key_that_only_sounds_like_it_is_not_excluded(tmp_path: Path) -> None:
    path = write(tmp_path / "s91.jsonl", claw(("user", "I live in Lisbon")))
    write(tmp_path / "sessions.json", store(**{"agent:main:chronicle": {"sessionId": "s91"}}))
    assert excluded(path) == ""


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (plain(("user", "Read HEARTBEAT.md if it exists"), ("assistant", "The disk is full")), "heartbeat"),
        (plain(("user", "[cron:j1 news] What is new?"), ("assistant", "Little")), "cron"),
        (
            jsonl({"message": {"role": "assistant", "model": "delivery-mirror", "content": "Done"}}),
            "delivered",
        ),
        (jsonl({"role": "user", "content": "Hi", "origin": {"provider": "heartbeat"}}), "heartbeat"),
        (jsonl({"role": "user", "content": "Hi", "sessionKey": "agent:main:cron:j1"}), "cron"),
    ],
)
def test_what_the_turns_show_excludes_too(tmp_path: Path, data: bytes, word: str) -> None:
    path = write(tmp_path / "s.jsonl", data)
    assert excluded(path).startswith(f"excluded ({word}): ")


def test_one_heartbeat_in_a_conversation_excludes_nothing(tmp_path: Path) -> None:
    data = plain(("user", "Hello"), ("user", "Read HEARTBEAT.md if it exists"), ("assistant", "HEARTBEAT_OK"))
    assert excluded(write(tmp_path / "s.jsonl", data)) == ""


def test_agent_user_and_a_group_are_known_from_the_store(tmp_path: Path) -> None:
    folder = tmp_path / "agents/ops/sessions"
    path = write(folder / "s91.jsonl", claw(("user", "Hello")))
    session = new_in(path).parts[0].session
    assert (session.agent, session.user, session.trust) == ("ops", "", "agent")
    write(folder / "sessions.json", store(**{"agent:ops:telegram:direct:sam": {"sessionId": "s91"}}))
    session = new_in(path).parts[0].session
    assert (session.agent, session.user, session.trust) == ("ops", "sam", "agent")
    write(folder / "sessions.json", store(**{"agent:ops:slack:channel:c7": {"sessionFile": "/x/s91.jsonl"}}))
    assert new_in(path).parts[0].session.trust == "external"


@pytest.mark.parametrize(
    "data", [b"[]", b"{", b"\xff\xfe", b'{"a": 1}', b"[" * 50_000, b'{"k": {"sessionId": 7}}']
)
def test_a_store_that_cannot_be_read_tells_nothing(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "s91.jsonl", claw(("user", "Hello")))
    write(tmp_path / "sessions.json", data)
    assert said(new_in(path)) == ["Hello"]


def test_a_name_is_fit_for_a_heading_and_a_file() -> None:
    assert session_name("agent:main:main") == "agent:main:main"
    assert session_name("../x\n# y <!-- z") == "..-x-y-z"
    assert session_name("\x1b[2J") == "2J"
    assert session_name("…") == "session"
    assert len(session_name("a" * 10_000)) == 120


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a transcript is a link, a pipe, a device",
    "refused, without blocking",
)
def test_links_pipes_and_devices_are_refused_without_waiting(tmp_path: Path) -> None:
    real = write(tmp_path / "real.jsonl", claw(("user", "Hello")))
    (tmp_path / "link.jsonl").symlink_to(real)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "dir.jsonl").mkdir()
    for name in ("link.jsonl", "pipe.jsonl", "dir.jsonl"):
        with pytest.raises(NotMemoryError):
            look(str(tmp_path / name))
    with pytest.raises(NotMemoryError):
        look("/dev/null")


def test_a_folder_gives_its_transcripts_and_says_what_is_none(tmp_path: Path, sandbox: Sandbox) -> None:
    write(tmp_path / "t/a.jsonl", claw(("user", "a")))
    write(tmp_path / "t/deep/b.jsonl", claw(("user", "b")))
    write(tmp_path / "t/notes.md", b"no")
    os.mkfifo(tmp_path / "t/pipe.jsonl")
    (tmp_path / "t/link.jsonl").symlink_to(tmp_path / "t/a.jsonl")
    places = find(sandbox.workspace, [str(tmp_path / "t"), str(tmp_path / "gone.jsonl"), "/dev/zero"])
    assert [file.name for file in places.files] == ["a.jsonl", "b.jsonl"]
    assert places.refused == {
        str(tmp_path / "gone.jsonl"): "it does not exist",
        "/dev/zero": "it is a link or not a plain file",
    }


def names(files: tuple[TranscriptFile, ...]) -> list[str]:
    return [file.name for file in files]


def test_a_setting_takes_their_place(person: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    write(person / ".openclaw/agents/main/sessions/a.jsonl", claw(("user", "a")))
    write(tmp_path / "mine/e.jsonl", claw(("user", "e")))
    (person / "settings.yaml").write_text(f"transcripts: ['{tmp_path}/mine', '{tmp_path}/gone']\n")
    workspace = Workspace.open(sandbox.root)
    places = find(workspace)
    assert names(places.files) == ["e.jsonl"]
    assert places.refused == {f"{tmp_path}/gone": "it does not exist"}
    assert watched(workspace).settings.transcripts == (f"{tmp_path}/mine", f"{tmp_path}/gone")


def test_a_group_is_no_owner_also_where_its_store_forgot_it(tmp_path: Path) -> None:
    """OpenClaw's store names only the newest session of each key."""
    told = 'Conversation info (untrusted metadata):\n```json\n{"is_group_chat": true}\n```\nHello'
    (part,) = new_in(write(tmp_path / "s91.jsonl", claw(("user", told), ("user", "More")))).parts
    assert part.session.trust == "external"
