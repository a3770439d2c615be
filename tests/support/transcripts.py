"""What stands in transcripts beside talk, as agents write it, and places to keep them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.sessions import jsonl
from workbench.ingest.sessions import Checkpoints, Purpose, TranscriptReading, read_new
from workbench.ingest.transcript_files import look

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


REAL_SUMMARY = """\
This session is being continued from a previous conversation that ran out of context. The conversation is \
summarized below:
Analysis:
Let me chronologically analyze the conversation:

Summary:
1. Primary Request and Intent:
   - The user asked for a nightly job that writes the invoices of the archive service to the wharf bucket.

2. Key Technical Concepts:
   - The archive service writes the invoices every night at 02:30 with PostgreSQL 17.

8. Current Work:
   The retry of the archive service was moved from three to five attempts.

If you need specific details from before compaction (like exact code snippets, error messages, or content \
you generated), read the full transcript at: /home/tessa/.claude/projects/p/c7d1.jsonl
Please continue the conversation from where we left it off without asking the user any further questions. \
Continue with the last task that you were asked to work on."""
"""What Claude Code writes when it compacts, with the words that send the agent back to work."""
ORDERS = (
    "Please continue",
    "further questions",
    "the last task",
    "being continued",
    "read the full transcript",
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


def new_in(
    path: Path, checkpoints: Checkpoints | None = None, *, purpose: Purpose = "flush"
) -> TranscriptReading:
    """What is new in a transcript."""
    reading = read_new(look(str(path)), checkpoints or Checkpoints(purpose))
    assert reading is not None
    return reading


def said(reading: TranscriptReading | None) -> list[str]:
    """The words of the turns, in order."""
    return [turn.text for part in reading.parts for turn in part.session.turns] if reading else []
