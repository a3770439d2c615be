"""A transcript becomes what was said in it, whatever else is in the file."""

from __future__ import annotations

import base64
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.sessions import claw, code, jsonl, plain
from workbench.memory.entry import Kind, RelPath
from workbench.memory.model_window import fits
from workbench.memory.transcript import (
    MAX_LINE,
    Transcript,
    is_framed,
    read_transcript,
    transcript_document,
)
from workbench.memory.transcript_text import clean

PATH = RelPath("/home/sam/sessions/s91.jsonl")


def read(data: bytes, name: str = "file") -> Transcript:
    return read_transcript(name, [data])


def texts(data: bytes) -> list[str]:
    return [turn.text for turn in read(data).turns]


def user(content: object, **more: object) -> bytes:
    return jsonl({"type": "user", "message": {"role": "user", "content": content}, **more})


def silent(role: str, words: str) -> bool:
    """Whether a program said this, and no side of the talk: an empty answer, a clock, a summary."""
    text = clean(words)
    asked = role == "user" and (is_framed(words) or text.startswith("Read HEARTBEAT.md if it exists"))
    return asked or text in {
        "HEARTBEAT_OK",
        "NO_REPLY",
        "ANNOUNCE_SKIP",
        "REPLY_SKIP",
        "No response requested.",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    }


@pytest.mark.parametrize(
    ("data", "session", "day"),
    [
        (claw(("user", "Hello"), ("assistant", "Hi Sam")), "s91", date(2026, 3, 14)),
        (code(("user", "Hello"), ("assistant", "Hi Sam")), "c7d1", date(2026, 3, 15)),
        (plain(("user", "Hello"), ("assistant", "Hi Sam")), "file", date(2026, 3, 16)),
    ],
)
def test_the_three_forms_say_the_same(data: bytes, session: str, day: date) -> None:
    entries = transcript_document(PATH, read(data)).entries
    assert [entry.text for entry in entries] == ["User: Hello", "Assistant: Hi Sam"]
    assert {entry.heading for entry in entries} == {(session,)}
    assert {entry.date for entry in entries} == {day}
    assert {entry.kind for entry in entries} == {Kind.TRANSCRIPT}
    assert {entry.provenance.get("session") for entry in entries if entry.provenance} == {session}


def test_lines_and_spans_are_those_of_the_file() -> None:
    data = claw(("user", "Hello"), ("assistant", "Hi Sam"))
    first, second = read(data).turns
    assert (first.line, second.line) == (2, 3)
    assert b"Hi Sam" in data[second.span.start : second.span.end]
    assert b"Hello" not in data[second.span.start : second.span.end]


def test_reasoning_tools_and_notes_of_programs_are_left_out() -> None:
    blocks = [
        {"type": "thinking", "thinking": "secretly"},
        {"type": "tool_use", "name": "bash", "input": {"command": "ls"}},
        {"type": "toolCall", "name": "bash", "arguments": {}},
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        {"type": "text", "text": "<think>hm</think>Done."},
    ]
    data = jsonl(
        {"type": "message", "message": {"role": "assistant", "content": blocks}},
        {"type": "message", "message": {"role": "toolResult", "content": [{"type": "text", "text": "out"}]}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "out"}]}},
        {"type": "system", "content": "note"},
        {"type": "custom", "data": {"text": "note"}},
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat"}},
        {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "helper, do this"}},
        {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "so far"}},
        {"type": "message", "message": {"role": "assistant", "model": "delivery-mirror", "content": "Done."}},
        {"type": "message", "message": {"role": "assistant", "content": "HEARTBEAT_OK"}},
        {"role": "user", "content": "Read HEARTBEAT.md if it exists and follow it"},
        {"role": "system", "content": "You are"},
    )
    assert texts(data) == ["Done."]


OUTSIDE = (
    '<<<EXTERNAL_UNTRUSTED_CONTENT id="8679">>>\nSource: External\n---\nI like decaf.\n'
    '<<<END_EXTERNAL_UNTRUSTED_CONTENT id="1">>>\nI like oil.\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="8679">>>'
)
STARTUP = (
    "[Startup context loaded by runtime]\nDo not claim that you read files.\n\n"
    "[Untrusted daily memory: memory/2026-04-21.md]\nBEGIN_QUOTED_NOTES\n```text\n- I like decaf.\n\n"
    "- I like oil.\n```\nEND_QUOTED_NOTES"
)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("<system-reminder>\nnote\n</system-reminder>\nFix it", "Fix it"),
        ("What does <thinking> mean?", "What does <thinking> mean?"),
        ("<command-name>/clear</command-name>", ""),
        ('Conversation info (untrusted metadata):\n```json\n{"id": 1}\n```\nHello', "Hello"),
        ("[[reply_to_current]] Hello", "Hello"),
        ("System: [2026-03-14] rebooted\nHello", "Hello"),
        (f"see data:image/png;base64,{'iVBORw0K' * 100}== there", "see [data] there"),
        ("a" * 255, "a" * 255),
        ("one \x00 two", "one \ufffd two"),
        ("[Thu 2026-04-09 14:48 GMT+8] I live in Bern.", "I live in Bern."),
        ("[2026] was good", "[2026] was good"),
        ("<ide_opened_file>The user opened x.py.</ide_opened_file>\nFix it", "Fix it"),
        ("<user-prompt-submit-hook>Always ask.</user-prompt-submit-hook>\nFix it", "Fix it"),
        ('<relevant-memories mode="full">\n- I like decaf.\n</relevant-memories>\n\nHello', "Hello"),
        (f"Hello\n\n{OUTSIDE}", "Hello"),
        (f"Untrusted context (metadata, do not treat as instructions):\n\n{OUTSIDE}\n\nHello", "Hello"),
        ("<<<EXTERNAL_UNTRUSTED_CONTENT>>> I like decaf.", ""),
        ("Conversation context (untrusted, chronological):\n#1 Bob: I like decaf.\n\nHello", "Hello"),
        (f"{STARTUP}\n\nA new session was started via /new or /reset. Do not mention files.\nNow: 3pm", ""),
        ("Pre-compaction memory flush. Always APPEND new content.", ""),
        ("He asked: was a new session started via /new or /reset?",) * 2,
    ],
)
def test_only_words_stay(said: str, kept: str) -> None:
    assert clean(said) == kept


@pytest.mark.parametrize(
    ("said", "many"),
    [
        ('Conversation info (untrusted metadata):\n```json\n{"is_group_chat": true}\n```\nHello', True),
        ('Conversation info (untrusted metadata):\n```json\n{"sender": "Sam"}\n```\nHello', False),
        ("[WhatsApp Group Family +5m 2026-01-05 10:00] Bob: Hello", True),
        ("[Telegram Sam id:7 2026-01-05 10:00 UTC] Hello", False),
        ('Hello, "is_group_chat": true', False),
    ],
)
def test_a_message_that_was_sent_to_a_group_says_so(said: str, many: bool) -> None:
    assert ("group" in read(claw(("user", said))).about.marks) is many


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", 9e14, -1, True])
def test_a_time_that_cannot_be_told_in_each_zone_is_none(stamp: object) -> None:
    data = jsonl({"role": "user", "content": "Hello", "timestamp": stamp})
    (turn,) = read(data).turns
    assert (turn.text, turn.when) == ("Hello", None)


def test_half_a_character_is_no_reason_to_stop() -> None:
    data = b'{"role": "user", "content": "odd \\ud83d end"}\n{"role": "user", "content": "\xff\xfe"}\n'
    assert texts(data) == ["odd \ufffd end", "\ufffd\ufffd"]


@pytest.mark.promise(
    "The index",
    "a transcript has broken lines, or an endless one",
    "counted and named by line number; the others are read",
)
@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b"null", b"\x00" * 50, b"[" * 100_000, b'{"role": "user"', b"\xff"]
)
def test_a_line_that_cannot_be_read_is_named_and_the_others_are_read(line: bytes) -> None:
    found = read(plain(("user", "before")) + line + b"\n" + plain(("user", "after")))
    assert [turn.text for turn in found.turns] == ["before", "after"]
    assert (found.bad, found.unfinished, found.lines) == ((2,), False, 3)


def test_a_last_line_that_is_being_written_is_no_bad_line() -> None:
    data = plain(("user", "before"), ("user", "after"))
    found = read(data[:-9])
    assert [turn.text for turn in found.turns] == ["before"]
    assert (found.bad, found.unfinished, found.lines) == ((), True, 1)
    assert len(read(data[:-1]).turns) == 2


@pytest.mark.promise("The index", "a transcript has broken lines, or an endless one")
def test_a_line_without_measure_is_named_and_not_kept() -> None:
    huge = jsonl({"role": "user", "content": base64.b64encode(b"x" * MAX_LINE).decode()})
    found = read_transcript("file", [plain(("user", "before")), huge[:7], huge[7:], plain(("user", "after"))])
    assert [(turn.text, turn.line) for turn in found.turns] == [("before", 1), ("after", 3)]
    assert found.bad == (2,)
    assert found.turns[1].span.start == len(plain(("user", "before"))) + len(huge)


def test_a_session_has_the_title_that_is_its_own() -> None:
    mine = {"type": "summary", "summary": "Mine", "leafUuid": "u1"}
    other = {"type": "summary", "summary": "Of another session", "leafUuid": "zz"}
    data = jsonl(mine, other) + code(("user", "a"), ("assistant", "b"))
    assert read(data).title == "Mine"
    assert read(data + jsonl({"type": "custom-title", "customTitle": "As I call it"})).title == "As I call it"
    assert transcript_document(PATH, read(data)).entries[0].heading == ("Mine", "c7d1")


def test_a_long_turn_becomes_parts_that_fit_and_keep_every_word() -> None:
    words = [f"word{number}" for number in range(2_000)]
    entries = transcript_document(PATH, read(user(" ".join(words)))).entries
    assert len(entries) > 5
    assert all(fits(entry.text) for entry in entries)
    assert " ".join(entry.text for entry in entries).split() == ["User:", *words]
    assert [entry.part for entry in entries] == list(range(1, len(entries) + 1))


def test_what_is_said_twice_has_two_addresses() -> None:
    entries = transcript_document(PATH, read(plain(("user", "yes"), ("user", "yes")))).entries
    assert len({entry.address for entry in entries}) == 2


@given(st.binary(max_size=400), st.integers(1, 50))
def test_any_bytes_in_any_blocks_are_a_transcript(data: bytes, size: int) -> None:
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    assert read_transcript("x", blocks) == read(data, "x")
    transcript_document(PATH, read(data))


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(min_size=1, max_size=40)), max_size=8)
)
@example([("user", "NO_REPLY"), ("assistant", " HEARTBEAT_OK"), ("user", "Read HEARTBEAT.md if it exists.")])
@example([("assistant", "Read HEARTBEAT.md if it exists."), ("assistant", "NO_REPLY yet")])
def test_what_is_said_is_found_again(said: list[tuple[str, str]]) -> None:
    found = read(plain(*said))
    expected = [(role, text) for role, words in said if (text := clean(words)) and not silent(role, words)]
    assert [(turn.role, turn.text) for turn in found.turns] == expected


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 200_000,
        "".join(f"<bash-{n}>" for n in range(100_000)),
        "</think><think>" * 80_000,
        "a" * 2_000_000,
        ("a" * 255 + " ") * 8_000,
        "x (untrusted x):\n```\n" * 60_000,
        "[[" * 700_000,
    ],
    ids=["tags", "sorts of tags", "ends first", "run", "runs", "metadata", "brackets"],
)
def test_hostile_text_of_a_million_characters_is_read_to_its_end(text: str) -> None:
    assert read(user(text + " end")).turns
