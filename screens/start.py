"""The start of the interface: what is checked before Textual and the screens are loaded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from screens.main.garbage_collection import GarbageCollection

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_FRAMES = "120"
"""How often Textual looks in a second whether something is to be painted; nothing is, mostly.

What is done is seen after several such looks, a toast after three: at Textual's own 60 each costs 17 ms.
"""


def run(workspace: Workspace, proposed: int = 0) -> int:
    """Show the interface on ``workspace`` until the person leaves: the exit code. Needs a terminal: see
    ``terminal``.

    ``proposed`` are the proposals that a dream just made, which is then told.
    """
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES)
    tidying = GarbageCollection()
    tidying.begin()
    try:
        from screens.app import WorkbenchApp  # noqa: PLC0415 - after what counts for loading it

        app = WorkbenchApp(workspace, tidying=tidying, proposed=proposed)
        app.run()
        return app.return_code or 0
    finally:
        tidying.end()
