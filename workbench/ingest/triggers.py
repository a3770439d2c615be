"""When a session is taken up, and when its facts are saved before it is compacted: numbers in, words out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from workbench.config.settings import Settings

USER_MESSAGES = 15
"""New messages of the person after which a session is taken up."""
INTERVAL_SECONDS = 120.0
"""How long a few new messages wait at most."""
LEAST_MESSAGES = 5
"""New messages that are worth it then."""
BATCH = 50
"""Messages that are taken up at a time."""
QUIET_SECONDS = 300.0
"""After how long without a word a session counts as completed."""
NEARLY_FULL = 0.85
"""Share of the context window from which an agent may compact at any moment."""
RESERVE_TOKENS = 20_000
SOFT_TOKENS = 4_000
"""What OpenClaw keeps free for an answer, and how far before that it flushes."""
BYTES_A_TOKEN = 4

TakeUp = Literal["messages", "bytes", "lines", "interval", "quiet", "compacted"]
FlushWhy = Literal["messages", "window", "reserve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What came since a session was taken up last. ``lines`` and ``bytes`` are those of the file.

    Times are in seconds: ``quiet`` since the last word, ``waited`` since the first that is new.
    """

    user_messages: int = 0
    messages: int = 0
    bytes: int = 0
    lines: int = 0
    quiet: float = 0.0
    waited: float = 0.0
    compacted: bool = False


def take_up(growth: Growth, settings: Settings) -> TakeUp | None:
    """Why the new part of a session is taken up now; None while it may wait."""
    reasons: tuple[tuple[TakeUp, bool], ...] = (
        ("compacted", growth.compacted),
        ("messages", growth.user_messages >= USER_MESSAGES),
        ("bytes", growth.bytes >= settings.transcript_bytes),
        ("lines", growth.lines >= settings.transcript_lines),
        ("quiet", growth.bytes > 0 and growth.quiet >= QUIET_SECONDS),
        ("interval", growth.messages >= LEAST_MESSAGES and growth.waited >= INTERVAL_SECONDS),
    )
    return next((why for why, holds in reasons if holds), None)


def nearly_full(messages: int, tokens: int, settings: Settings) -> FlushWhy | None:
    """Why a session of so many messages and tokens may be compacted at any moment; None where it may not yet.

    Both count from the last compaction on. A window that is smaller than what is kept free has only the share
    to go by.
    """
    if messages > settings.flush_messages:
        return "messages"
    if tokens >= NEARLY_FULL * settings.context_window:
        return "window"
    soft = settings.context_window - RESERVE_TOKENS - SOFT_TOKENS
    return "reserve" if 0 < soft <= tokens else None


def estimated_tokens(size: int) -> int:
    """What ``size`` bytes of transcript come to where it tells no count: four bytes a token.

    The JSON around the words makes this too many, the prompts that no transcript holds too few; a text in
    a script of several bytes a letter has up to twice as many. It is asked for only where nothing is told.
    """
    return size // BYTES_A_TOKEN


def quiet_seconds(changed: float, now: datetime) -> float:
    """How long nobody wrote a file that changed at ``changed`` (seconds since 1970), by this clock.

    A file from the future is as quiet as one from the past: whoever writes now would leave the time of now.
    """
    return abs(now.astimezone(UTC).timestamp() - changed)
