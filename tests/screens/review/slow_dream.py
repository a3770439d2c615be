"""Stands for a dream that takes long: it tells how far it is and goes on until it is stopped."""

from __future__ import annotations

import json
import signal
import sys
from threading import Event


def main() -> int:
    stopped = Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    sys.stdin.readline()
    for done in (1_200, 2_400):
        say({"event": "progress", "phase": "reading", "done": done, "total": 4_800})
    stopped.wait(60)
    say({"event": "error", "code": "stopped", "message": "stopped", "hint": ""})
    return 130


def say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
