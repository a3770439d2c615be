"""Whether this terminal can show the interface at all."""

from __future__ import annotations

import os
import sys


def problem() -> str | None:
    """Why the interface cannot be shown here, or None when it can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "the interface needs a terminal; every action is also a command: `workbench --help`"
    if os.environ.get("TERM", "") in ("", "dumb"):
        return "TERM says this terminal cannot move its cursor; set TERM, or use `workbench --help`"
    return None
