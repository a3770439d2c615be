"""Pressing the new key of an action: what stands in its way is named before anything is taken."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.screen import ModalScreen
from textual.worker import Worker

from screens.actions.action import Action
from screens.actions.active import keys_of
from screens.actions.key_file_edit import with_keys
from screens.actions.keys import key_called, key_name, key_names
from screens.drawing.rows import Row, Tone
from screens.drawing.safe_text import row_text, words
from screens.widgets.change_list import ChangeList
from workbench.errors import WorkbenchError

_LEAVE, _TAKE, _ADD = "escape", "enter", "plus"


class RebindScreen(ModalScreen[tuple[str, ...]]):
    """Ends with all keys that the action shall have, or None. Every key but esc and ctrl+c can be one."""

    class Tried(Message):
        """What taking a key would mean; ``why`` says what stands in the way."""

        def __init__(self, key: str, why: str) -> None:
            super().__init__()
            self.key = key
            self.why = why

    def __init__(self, action: Action, path: Path) -> None:
        super().__init__()
        self._action = action
        self._path = path
        self._now = keys_of(action.id)
        self._free = ""
        self._list = ChangeList(id="pressed")

    def compose(self) -> ComposeResult:
        """A frame with what was pressed and what it would mean."""
        with Vertical(id="rebind") as frame:
            frame.border_title = Content(f"A key for “{self._action.label}”")
            frame.border_subtitle = Content("esc leaves")
            yield self._list

    def on_mount(self) -> None:
        """Ask for a key."""
        self._list.focus()
        self._say(("Press the key that it shall have.", "text"))

    def on_key(self, event: Key) -> None:
        """Every key is one to try; after a free one, enter takes it."""
        event.stop()
        event.prevent_default()
        if event.key == _LEAVE:
            self.dismiss(None)
        elif self._free and event.key == _TAKE:
            self.dismiss((self._free,))
        elif self._free and event.key == _ADD:
            self.dismiss((*self._now, self._free))
        else:
            self._free = ""
            _: Worker[None] = self.run_worker(
                partial(self._try, event.key), group="try", exclusive=True, exit_on_error=False
            )

    async def _try(self, key: str) -> None:
        name = key_name(key)
        if key in self._now:
            why = f"{name} is its key already"
        elif key_called(name) != key:
            why = f"{name} cannot be written in a file of keys"
        else:
            try:
                _, problems = await asyncio.to_thread(
                    with_keys, self._path, self._action.id, (*self._now, key)
                )
                why = problems[0].text if problems else ""
            except WorkbenchError as error:
                why = f"{error.message}: {error.hint}"
        self.post_message(self.Tried(key, why))

    def on_rebind_screen_tried(self, message: RebindScreen.Tried) -> None:
        """Say what stands in the way, or how to take it."""
        name = key_name(message.key)
        if message.why:
            self._say((f"! {message.why}.", "warn"), ("Press another key.", "text"))
            return
        self._free = message.key
        beside = f", + takes it beside {key_names(self._now)}" if self._now else ""
        self._say(
            (f"{name} is free.", "good"), (f"enter takes it{beside}; another key tries that one.", "text")
        )

    def _say(self, *lines: tuple[str, Tone]) -> None:
        now = f"Now: {key_names(self._now) or 'no key'}"
        rows: list[Row] = [
            Row("help", words(self._action.help), tone="muted"),
            Row("now", words(now), tone="muted"),
        ]
        rows.append(Row("gap", words(""), inert=True))
        rows += [Row(f"line:{n}", row_text(text), tone=tone) for n, (text, tone) in enumerate(lines)]
        self._list.show(rows)
