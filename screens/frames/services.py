"""What a screen over the panes may use: memory to read, a hand to act with, and the way back to the panes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from screens.drawing.safe_text import Row, Shown
from screens.history.history_reader import Historian
from screens.jobs.running_jobs import Works
from screens.main.drafts import Drafts
from screens.main.request import Request
from workbench.workspace.workspace import Workspace


class Ask(Protocol):
    """Shows a question; ``targets`` are the rows that it is about, listed over the diff."""

    def __call__(self, request: Request, targets: tuple[Row, ...] = ()) -> None:
        """Ask it."""


class BackgroundState(Protocol):
    """What goes on while its screen is closed."""

    async def close(self) -> None:
        """The program ends: end it too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The same for every screen; nothing of it is a widget."""

    workspace: Workspace
    """For its settings and its root. What touches the disk is read by ``historian``, off the event loop."""
    historian: Historian
    """Runs readings in a thread of its own: ``await historian.run(lambda workspace: …)``."""
    do: Callable[[Request], None]
    """Carry it out as one operation, in the order of the keys; a toast says what was done, or why not.

    When it was done, ``reload`` of every open screen is called.
    """
    allows: Callable[[str, str | None], bool]
    """Whether the key of an action does something; else says the reason why not.

    An undo right behind one that was to write shows first what it would undo.
    """
    ask: Ask
    """Show what it would do, and do it on a yes."""
    refusal: Callable[[], str | None]
    """Why nothing can be written here, or None."""
    go_to: Callable[[str], None]
    """Leave all screens and put the cursor of the panes on this address (``path#hash``) or path."""
    say: Callable[[Shown, str], None]
    """A toast, with its severity: information, warning or error."""
    drafts: Drafts
    """What was typed and left unsaved."""
    changed: Callable[[], None]
    """Something was done to the memory beside ``do``: read it again, here and in the panes."""
    edit: Callable[[str], None]
    """Open the entry at this address in the dialog to write in."""
    reindex: Callable[[], None]
    """Bring the index up to date, as `r` in the panes does."""
    indexing: Callable[[], bool]
    """Whether it is being brought up to date."""
    works: Works
    """The long work that is under way, which every screen shows in its last lines."""
    kept: dict[str, BackgroundState] = field(default_factory=dict, compare=False)
    """What a screen wants to find again when it is opened the next time, by its name."""
