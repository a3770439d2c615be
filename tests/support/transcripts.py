"""What stands in transcripts beside talk, as agents write it, and places to keep them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.sessions import jsonl
from workbench.consolidation.checkpoints import Checkpoints, Purpose
from workbench.consolidation.sessions import Reading, read_new
from workbench.consolidation.transcript_files import look

NOW = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)


def compaction(summary: str, *, day: str = "2026-03-14") -> bytes:
    """OpenClaw: what was said so far, in short."""
    return jsonl(
        {
            "type": "compaction",
            "id": "c1",
            "parentId": "m1",
            "timestamp": f"{day}T11:00:00.000Z",
            "summary": summary,
            "firstKeptEntryId": "m1",
            "tokensBefore": 180_000,
        }
    )


def boundary(*, session: str = "c7d1", day: str = "2026-03-15") -> bytes:
    """Claude Code: where it compacted."""
    return jsonl(
        {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "sessionId": session,
            "uuid": "b1",
            "timestamp": f"{day}T10:00:00.000Z",
            "compactMetadata": {"trigger": "auto", "preTokens": 155_000},
        }
    )


def compact_summary(text: str, *, session: str = "c7d1", day: str = "2026-03-15") -> bytes:
    """Claude Code: the summary that follows the boundary, in a line like a person's."""
    return jsonl(
        {
            "type": "user",
            "isCompactSummary": True,
            "isVisibleInTranscriptOnly": True,
            "sessionId": session,
            "uuid": "b2",
            "timestamp": f"{day}T10:00:01.000Z",
            "message": {"role": "user", "content": text},
        }
    )


def answer(text: str, *, usage: dict[str, Any] | None = None, session: str = "c7d1") -> bytes:
    """Claude Code: an answer that tells how full its context is."""
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], "usage": usage or {}}
    stamp = "2026-03-15T09:30:00.000Z"
    return jsonl(
        {"type": "assistant", "sessionId": session, "uuid": "a9", "timestamp": stamp, "message": message}
    )


def store(**entries: dict[str, Any]) -> bytes:
    """OpenClaw: ``sessions.json``, which says under which key each session is kept."""
    return jsonl({key: {"updatedAt": 1_773_482_400_000, **entry} for key, entry in entries.items()})


def new_in(path: Path, checkpoints: Checkpoints | None = None, *, purpose: Purpose = "flush") -> Reading:
    """What is new in a transcript."""
    reading = read_new(look(str(path)), checkpoints or Checkpoints(purpose))
    assert reading is not None
    return reading


def said(reading: Reading | None) -> list[str]:
    """The words of the turns, in order."""
    return [turn.text for part in reading.parts for turn in part.session.turns] if reading else []
