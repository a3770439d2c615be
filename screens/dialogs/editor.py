"""A dialog to write in: the text above, what it would change beneath; nothing that was typed is lost."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import TextArea

from screens.actions.registry import Context, FocusContext, bindings, hints
from screens.dialogs.dialog import ConfirmScreen, Dialog, advice, in_keys
from screens.drawing.safe_text import GAP, Row, Tone, line_rows, line_text, row_text, words
from screens.history.diff import changed_rows
from screens.main.copy import copy
from screens.main.drafts import Drafts
from screens.main.request import Request
from screens.widgets.entry_list import ChangeList
from screens.widgets.lines import HintLine, edit_at_once
from workbench.errors import WorkbenchError
from workbench.memory.provenance import words_end
from workbench.safety.terminal import hidden, visible
from workbench.workspace.plan import Plan

_PAUSE_SECONDS = 0.15
"""Quiet time after a key before the change is worked out anew."""
_KEEP_SECONDS = 2.0
"""What is typed within is lost to a program that is killed, and nothing to one that is ended."""


class TextBox(TextArea):
    """Several lines of text; a tab goes on to what is next instead of being typed."""

    def __init__(self, text: str, *, id: str) -> None:
        super().__init__(text, id=id, soft_wrap=True, show_line_numbers=False, theme="css", compact=True)

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: also what is pasted reaches the terminal through one door."""
        return Text(visible(self.document.get_line(line_index)), end="", no_wrap=True)

    async def on_key(self, event: events.Key) -> None:
        """Edit: Textual lets these keys go up to the application first, where letters overtake them."""
        await edit_at_once(self, event, TextArea.BINDINGS)


class WritingScreen(Dialog[None]):
    """Ends when it is left, or by whoever opened it when the action is done."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.WRITING)]

    def __init__(
        self,
        request: Request,
        title: str,
        *,
        think: Callable[[Request], Awaitable[Plan]],
        save: Callable[[Request], None],
        thing: str,
        drafts: Drafts,
        original: str | None = None,
    ) -> None:
        """``request.text`` is what the box begins with, or what was left unsaved of a ``thing`` before.

        ``original`` is what counts as nothing typed, where the person has written elsewhere already.
        """
        super().__init__()
        start = ((request.text if original is None else original) or "").removesuffix("\n")
        self._draft = drafts.of(request) if original is None else None
        if self._draft:
            request = replace(request, text=self._draft)
        self._spelling = spelled(start)
        self._start = self._spelling.text
        self.request = request
        self.box = TextBox(spelled((request.text or "").removesuffix("\n")).text, id="text")
        self.change = ChangeList(empty="nothing is changed yet", id="change")
        self._title = title
        self._think, self._save, self._thing = think, save, thing
        self._drafts = drafts
        self._keeping: Timer | None = None
        self.over = False
        """Whether it was left, or what was typed is saved."""
        self._hints = HintLine()
        self._below: list[Row] = []

    def compose(self) -> ComposeResult:
        """A frame with the text over its change."""
        with Vertical(id="writing") as frame:
            frame.border_title = Content(row_text(self._title))
            yield self.box
            yield self.change
            yield self._hints

    def on_mount(self) -> None:
        """Ready to type, at the end of the words: before the comment that says where they are from."""
        self.box.focus()
        lines = (self.box.text[: words_end(self.box.text)] + ".").splitlines()
        self.box.move_cursor((len(lines) - 1, len(lines[-1]) - 1))
        self._drafts.open.append(self)
        if self._draft:
            self.app.notify("Your unsaved text is here again", markup=False)
        self._hints.hints = hints(Context(place=FocusContext.WRITING))
        self._consider()

    @property
    def place(self) -> FocusContext:
        """In a text."""
        return FocusContext.WRITING

    @property
    def text(self) -> str:
        """What is in the box, hidden characters as themselves."""
        return self._spelling.restored(self.box.text)

    @property
    def changed(self) -> bool:
        """Whether something was typed that is not saved."""
        return self.box.text != self._start

    def keep(self) -> bool:
        """Keep what was typed for the next time; whether it outlives the program."""
        self._keeping = None
        return self.over or self._drafts.keep(self.request, self.text if self.changed else None)

    def close(self, *, keep: bool) -> None:
        """Close it; what was typed is here again the next time, or it is saved."""
        if self.over:
            return
        if keep:
            self.keep()
        else:
            self._drafts.keep(self.request, None)
        self.over = True
        self.dismiss()

    def _leave(self) -> None:
        """Close it where nothing was typed; else ask, and copy the words."""
        if not self.changed:
            self.close(keep=False)
            return

        def agreed(_: bool) -> None:
            copy(self.app, self.text, words("what you typed"))
            self.close(keep=True)

        title, answers = "Leave what you typed unsaved?", ("leave", "go on writing")
        self.ask(ConfirmScreen(title, self._question(), answers=answers), agreed)

    def on_unmount(self) -> None:
        """Whatever took the dialog away, its words stay."""
        self.keep()
        if self in self._drafts.open:
            self._drafts.open.remove(self)

    def _question(self) -> list[Row]:
        """What leaving means for the words that were typed, and the words."""
        kept = self.keep()
        if kept:
            said = [f"It is copied to the clipboard, and offered again when you edit this {self._thing}."]
        else:
            said = ["It is copied to the clipboard, and kept only until this program ends:"]
            said.append(self._drafts.problem)
        tone: Tone = "muted" if kept else "warn"
        return [
            *line_rows([*((line, tone) for line in said), GAP], "kept"),
            *(Row(f"line:{n}", line_text(line)) for n, line in enumerate(self.text.split("\n"))),
        ]

    def action_perform(self, action_id: str, _key: str) -> None:
        """Save, leave, or look further down the change."""
        match action_id:
            case "save":
                self._save(replace(self.request, text=self.text))
            case "leave_text":
                self._leave()
            case "page_down":
                self.change.page(1)
            case "page_up":
                self.change.page(-1)

    def stands_now(self, address: str | None, source: str) -> None:
        """How the entry reads on disk: saving puts what was typed in its place. None: it is gone."""
        self._below = []
        if address is None:
            said = "The entry is no longer in its file. Your text stays here; leaving copies it."
            self._below = [Row("now", words(said), tone="bad")]
        else:
            self._drafts.keep(self.request, None)  # it goes on under the entry's new address
            self.request = replace(self.request, addresses=(address,), expected=source)
            self.keep()
            if source.removesuffix("\n") != self._spelling.restored(self._start):
                said = "The entry was changed on disk in the meantime. It now says:"
                self._below = [
                    Row("now", words(said), tone="bad"),
                    *(
                        Row(f"now:{number}", line_text(line), depth=1)
                        for number, line in enumerate(source.removesuffix("\n").split("\n"))
                    ),
                    Row("now:end", words("Saving replaces it with yours:"), tone="bad"),
                ]
        self._consider()

    @on(TextBox.Changed)
    def _typed(self) -> None:
        self._consider()
        if self._keeping is None:
            self._keeping = self.set_timer(_KEEP_SECONDS, self.keep)

    def _consider(self) -> None:
        self.work(partial(self._work_out, self.text), "change", exclusive=True)

    async def _work_out(self, text: str) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            plan = await self._think(replace(self.request, text=text))
            notes = line_rows(((in_keys(note), "warn") for note in plan.notes), "note")
            rows: Sequence[Row] = [*notes, *changed_rows(plan.edits)]
        except Exception as error:
            rows = self._why_not(error)
        self.call_later(self._show_change, text, rows)

    def _show_change(self, text: str, rows: Sequence[Row]) -> None:
        """Show what saving would change, unless somebody typed on."""
        if text == self.text:
            self.change.show([*self._below, *rows])

    def _why_not(self, error: Exception) -> Sequence[Row]:
        if not self.changed and not self._below:
            return ()
        lines = (error.message, advice(error)) if isinstance(error, WorkbenchError) else (str(error),)
        return line_rows([(line, "warn") for line in lines], "why")


_SPELLED = re.compile(r"<U\+([0-9A-F]{4,6})>")
_LESS_THAN = "<"


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text with nothing hidden in it, and which characters stand spelled out."""

    text: str
    characters: frozenset[str] = frozenset()

    def restored(self, text: str) -> str:
        """``text``, which a person may have changed, with these characters as themselves again."""

        def back(match: re.Match[str]) -> str:
            character = chr(code) if (code := int(match[1], 16)) < 0x110000 else ""
            return character if character in self.characters else match[0]

        return _SPELLED.sub(back, text)


def spelled(text: str) -> Spelled:
    """``text`` as it can be shown and edited; line ends and tabs stay."""
    characters = {chr(int(name[2:], 16)) for name in hidden(text)} - {"\n", "\t"}
    if not characters:
        return Spelled(text)
    spelling = frozenset(characters)
    if _SPELLED.search(text):  # what reads like a spelled character must not become one
        spelling |= {_LESS_THAN}
        text = _SPELLED.sub(lambda match: _name(_LESS_THAN) + match[0][1:], text)
    pattern = re.compile("[" + "".join(map(re.escape, sorted(characters))) + "]")
    return Spelled(pattern.sub(lambda match: _name(match[0]), text), spelling)


def _name(character: str) -> str:
    return f"<U+{ord(character):04X}>"
