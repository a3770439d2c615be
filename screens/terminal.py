"""The check of the terminal: whether it can show the interface, and how many colours it has."""

from __future__ import annotations

import os
import sys

_CANNOT = ("", "dumb", "unknown")
_ALL = 1 << 24


def moves_cursor() -> bool:
    """Whether this terminal can write over what it shows."""
    return os.environ.get("TERM", "") not in _CANNOT


def problem() -> str | None:
    """Why the interface cannot be shown here, or None when it can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "the interface needs a terminal; every action is also a command: `workbench --help`"
    if not moves_cursor():
        term = os.environ.get("TERM", "")
        said = f"TERM={term}" if term else "TERM is not set, which"
        return (
            f"{said} means that this terminal cannot move its cursor; "
            "set TERM (TERM=xterm-256color fits most), or use the commands: `workbench --help`"
        )
    return None


def colors() -> int:
    """How many colours the terminal has, as COLORTERM or the terminal's description tells."""
    if os.environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return _ALL
    try:
        import curses  # noqa: PLC0415 - not on every system

        curses.setupterm(os.environ.get("TERM"), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        return max(0, curses.tigetnum("colors"))
    except (ImportError, OSError, ValueError, AttributeError, RuntimeError):
        return 16
    except Exception as error:  # curses.error, which cannot be named where curses cannot be imported
        if type(error).__name__ != "error":
            raise
        return 16
