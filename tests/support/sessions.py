"""Session transcripts as three sorts of agents write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def claw(*said: tuple[str, str], session: str = "s91", day: str = "2026-03-14") -> bytes:
    """OpenClaw: a header, then one message a line, its content in blocks."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": session, "timestamp": f"{day}T10:00:00.000Z"}
    ]
    for number, (role, text) in enumerate(said):
        content = [{"type": "text", "text": text}]
        message = {"role": role, "content": content, "timestamp": 1_773_482_400_000 + number}
        lines.append(
            {
                "type": "message",
                "id": f"m{number}",
                "timestamp": f"{day}T10:00:{number % 60:02}Z",
                "message": message,
            }
        )
    return jsonl(*lines)


def code(*said: tuple[str, str], session: str = "c7d1", day: str = "2026-03-15") -> bytes:
    """Claude Code: every line names the session and itself."""
    return jsonl(
        *(
            {
                "type": role,
                "sessionId": session,
                "uuid": f"u{number}",
                "isSidechain": False,
                "timestamp": f"{day}T09:00:{number % 60:02}.000Z",
                "message": {
                    "role": role,
                    "content": text if role == "user" else [{"type": "text", "text": text}],
                },
            }
            for number, (role, text) in enumerate(said)
        )
    )


def plain(*said: tuple[str, str], day: str = "2026-03-16") -> bytes:
    """Nothing but who said what, and when."""
    return jsonl(*({"role": role, "content": text, "timestamp": f"{day}T08:00:00Z"} for role, text in said))


def jsonl(*records: object) -> bytes:
    """One JSON value a line."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def append(path: Path, data: bytes) -> None:
    """What an agent does when somebody said something."""
    with path.open("ab") as file:
        file.write(data)
