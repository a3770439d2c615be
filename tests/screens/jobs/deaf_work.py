"""Stands for work in the middle of something: it says how far it is, and does not heed when asked to stop."""

from __future__ import annotations

import signal
import sys
from threading import Event

from tests.screens.jobs.slow_work import say


def main() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdin.readline()
    say({"event": "progress", "phase": "transcripts", "done": 19, "total": 40})
    Event().wait(60)


if __name__ == "__main__":
    main()
