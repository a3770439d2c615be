"""How often a provider is asked again, and how long one waits in between."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class Patience:
    """Exponential backoff with full jitter (after “Exponential Backoff and Jitter”, M. Brooker, AWS, 2015).

    ``attempts`` are those for one request; waits begin at ``first`` seconds, double up to ``longest``, and
    all requests together may wait ``total`` seconds between two answers. ``sleep`` and ``chance`` (in
    [0, 1)) can be given, so that nobody has to wait for a test.
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = 60.0
    total: float = 600.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def delay(self, failures: int, told: float | None) -> float:
        """Seconds to wait after so many failures; ``told`` is what the server asked for, the least of it."""
        most = min(self.longest, self.first * 2.0 ** (failures - 1))
        return (told or 0.0) + self.chance() * most


ONCE = Patience(attempts=1)
"""For a question: whoever asked has words already and waits for nothing."""


def retry_after(header: str | None, *, now: Callable[[], float] = time.time) -> float | None:
    """The seconds that a Retry-After header asks for, given in seconds or as a date (RFC 9110, 10.2.3)."""
    if not header:
        return None
    value = header.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now())
    except (ValueError, TypeError, OverflowError):
        return None
