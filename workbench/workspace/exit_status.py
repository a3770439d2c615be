"""How a process of ours came to its end, in words: by itself, or ended by somebody else."""

from __future__ import annotations

import signal


def killed_by(status: int) -> str:
    """The signal that ended a process, such as ``SIGKILL``; empty where it ended by itself.

    ``status`` is as Python counts it: the signal's number below zero.
    """
    if status >= 0:
        return ""
    try:
        return signal.Signals(-status).name
    except ValueError:  # real-time signals have numbers, but no names
        return f"signal {-status}"


def ended(status: int) -> str:
    """Its end behind the name of the work: ``was ended from outside by SIGKILL``, ``ended with status 7``."""
    if name := killed_by(status):
        return f"was ended from outside by {name}"
    return f"ended with status {status}"
