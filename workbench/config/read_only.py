"""Programs that were started to look only: they and what they start write no memory and no settings."""

from __future__ import annotations

import os

from workbench.errors import ReadOnlyError

VARIABLE = "WORKBENCH_READ_ONLY"
"""Set to anything, it keeps a program from writing memory, settings and keys, and from repairs.

The index, the vectors and moments of the past, which are derived, are still laid down in ``.workbench/``.
"""


def require_more_than_looking() -> None:
    """Raise ReadOnlyError where this program was started to look only."""
    if os.environ.get(VARIABLE):
        raise ReadOnlyError(
            "this program is running read-only; nothing was changed",
            hint=f"restart it without --read-only and without {VARIABLE} in the environment",
        )
