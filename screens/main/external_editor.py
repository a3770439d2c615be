"""The person's own editor, with the terminal to itself while it runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from textual.app import App, SuspendNotSupported

from workbench.errors import EditorError, UsageError


def edited_outside(
    app: App[None],
    source: str,
    *,
    away_from: Path,
    name: str = "entry.md",
    otherwise: str = "i edits it here",
    save: Callable[[str], None] | None = None,
) -> str:
    """What the person made of ``source`` in $VISUAL or $EDITOR, in a file ``name``.

    ``save`` is called with it where it was changed. ``otherwise`` says what to do where no editor can run.
    The interface stands still meanwhile: the terminal is the editor's. Raises UsageError where there is no
    editor or no terminal to lend, EditorError, WriteFailedError and what ``save`` raises; what was written
    by then is kept in a file that the hint names.
    """
    from workbench.editor import drafted, editor_command  # noqa: PLC0415 - not before the first paint

    try:
        command = editor_command(os.environ)
    except UsageError as error:
        raise UsageError(error.message, hint=f"set VISUAL or EDITOR before you start; {otherwise}") from error
    try:
        with drafted(source, away_from=away_from, name=name) as draft:
            failed: EditorError | None = None
            with app.suspend():  # which takes the terminal back only where nothing is raised in it
                try:
                    draft.run_editor(command)
                except EditorError as error:
                    failed = error
            if failed is not None:
                raise failed
            text = draft.text()
            if save is not None and text != source:
                save(text)
            return text
    except SuspendNotSupported as error:
        raise UsageError("this terminal cannot be lent to another program", hint=otherwise) from error
