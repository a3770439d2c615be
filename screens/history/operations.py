"""Everything that was ever done to the memory, newest first: ours, agents', plain git's, found on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from screens.actions.registry import Context, FocusContext, bindings
from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown, grouped, plural, row_text, words
from screens.frames.services import Desk
from screens.history.diff import MAX_FILES, diff_rows
from screens.history.filtered_list import NarrowScreen
from screens.history.open_entry import standing
from screens.history.operation_list import EVERYTHING, Chronicle, OperationPage, OperationScope
from screens.history.operation_rows import destinations, fact_rows, is_on_one_entry, operation_row
from screens.main.copy import copy
from screens.main.request import Request
from screens.widgets.entry_list import EntryList
from workbench.workspace.operation_filter import wanted
from workbench.workspace.plan import Operation

_PAGE = 100
_SLICE = 400
"""Operations that are looked at before what was found so far is shown."""
_MORE = "more"
Travel = Callable[[Operation, bool], None]
"""Opens the whole memory as it was right after an operation, or right before it where that is True."""


class OperationsScreen(NarrowScreen):
    """The list of operations; each is shown beside it, and can be undone or done again in any order."""

    PLACE = FocusContext.OPERATIONS
    LEAVES = "operations"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.OPERATIONS)]

    class Loaded(Message):
        """Operations were read: the newest ones, up to as many as were asked for."""

        def __init__(self, chronicle: Chronicle, page: OperationPage) -> None:
            super().__init__()
            self.chronicle = chronicle
            self.page = page

    class Arrives(Message):
        """Where an operation's entry stands now; None where nothing of it is there."""

        def __init__(self, address: str | None) -> None:
            super().__init__()
            self.address = address

    def __init__(
        self, desk: Desk, travel: Travel, scope: OperationScope = EVERYTHING, *, at: str = ""
    ) -> None:
        super().__init__(words("Operations"), "by:agent action:promote path:memory/ on:2026-03 words -not")
        self._desk = desk
        self._travel = travel
        self._go_to: str | None = at or None
        self._everything = False
        self._chronicle = Chronicle(scope, everything=False)
        self._page = OperationPage()
        self._asked = 0
        self.commands |= {
            "undo": partial(self._turn, "undo"),
            "redo": partial(self._turn, "redo"),
            "go_there": self._go_there,
            "open_after": partial(self._open_past, before=False),
            "open_before": partial(self._open_past, before=True),
            "all_operations": self._all,
            "widen": self._widen,
            "copy_operation": self._copy,
        }

    def on_mount(self) -> None:
        """Read the newest ones."""
        super().on_mount()
        self.reload()

    def reload(self) -> None:
        """Begin anew, down to where the person has been."""
        scope = self._chronicle.scope
        self._chronicle = Chronicle(scope, wanted(self.input.value), everything=self._everything)
        self._asked = max(_PAGE, len(self._page.told))
        self._say_what()
        self.work(partial(self._read_on, self._chronicle), "operations", exclusive=True)

    def narrowed(self, text: str) -> None:
        """Look for what was typed, from the newest on."""
        self._page = OperationPage()
        self.reload()

    def context(self) -> Context:
        """What decides which actions are possible now."""
        why = {} if self._chronicle.scope.wider() else {"widen": "this is everything already"}
        if self._operation is None:
            why |= dict.fromkeys(("undo", "redo"), "there is no operation here")
        return Context(place=self.PLACE, row=self.list.row, refusal=self._desk.refusal(), why=why)

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the operation did."""
        operation = next((known for known in self._page.told if known.commit == row.id), None)
        if operation is None:
            return ()
        rows = list(fact_rows(operation))
        if len(operation.paths) > MAX_FILES:
            many = words(f"{plural(len(operation.paths), 'file')}: too many to be shown")
            rows.append(Row("many", many, tone="warn"))
            return rows + [
                Row(f"path:{path}", row_text(path), tone="muted", path=path)
                for path in operation.paths[:MAX_FILES]
            ]
        edits = await self._desk.historian.run(lambda workspace: workspace.operations.edits(operation.commit))
        mine = self._chronicle.scope.path
        first = sorted(edits, key=lambda edit: edit.path != mine)  # what it was asked for comes first
        return rows + await asyncio.to_thread(diff_rows, first)

    # -- reading on ------------------------------------------------------------------------------

    def on_entry_list_in_view(self, message: EntryList.InView) -> None:
        """Read on when the end comes into view."""
        if message.entry_list is self.list and any(row.id == _MORE for row in message.rows):
            self._more()

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Read on when the cursor comes near the end."""
        super().on_entry_list_moved(message)
        if message.entry_list is self.list and self.list.cursor + _PAGE // 4 > len(self._page.told):
            self._more()

    def on_operations_screen_loaded(self, message: OperationsScreen.Loaded) -> None:
        """Show them; the cursor stays on the operation that it is on."""
        if message.chronicle is not self._chronicle:
            return  # somebody typed on
        page = self._page = message.page
        rows = [operation_row(one, page.notes.get(one.commit, "")) for one in page.told]
        if not page.whole:
            looked = f"reading … {grouped(page.looked_at)} looked at" if self.input.value else "reading …"
            rows.append(Row(_MORE, words(looked), tone="faint", inert=True))
        self.list.empty = self._nothing()
        self.list.show(rows, go_to=self._go_to)
        if any(row.id == self._go_to for row in rows):
            self._go_to = None
        self._say_what()
        self.show_place()
        self.show_hints()

    def _more(self) -> None:
        page = self._page
        if page.told and not page.whole and self._asked <= len(page.told):
            self._asked = len(page.told) + _PAGE
            self.work(partial(self._read_on, self._chronicle), "operations")

    async def _read_on(self, chronicle: Chronicle) -> None:
        """A slice at a time, so that what is found is seen and other readings come in between."""
        while True:
            try:
                page = await self._desk.historian.run(partial(chronicle.read, count=self._asked, most=_SLICE))
            except Exception as error:
                if chronicle is self._chronicle:
                    self.fails(error)
                return
            sought = self._go_to
            if sought and all(one.commit != sought for one in page.told) and len(page.told) >= self._asked:
                self._asked += _PAGE
            self.post_message(self.Loaded(chronicle, page))
            if chronicle is not self._chronicle or page.whole or len(page.told) >= self._asked:
                return

    # -- keys ------------------------------------------------------------------------------------

    @property
    def _operation(self) -> Operation | None:
        row = self.list.row
        return next((known for known in self._page.told if row and known.commit == row.id), None)

    def _turn(self, action: str) -> None:
        """Undo or redo it, by its commit: another one may have copied the operation's name."""
        row, operation = self.list.row, self._operation
        if row is None or operation is None:
            return
        request = Request(action=action, operation=operation.commit)
        if is_on_one_entry(operation):
            self._desk.do(request)
        else:
            self._desk.ask(request, (row,))

    def _open_past(self, *, before: bool) -> None:
        if operation := self._operation:
            self._travel(operation, before)

    def _all(self) -> None:
        self._everything = not self._everything
        self.reload()

    def _widen(self) -> None:
        if wider := self._chronicle.scope.wider():
            self._go_to = self.list.row.id if self.list.row else None
            self._page = OperationPage()
            self._chronicle = Chronicle(wider, everything=self._everything)
            self.reload()

    def _copy(self) -> None:
        if operation := self._operation:
            copy(self.app, operation.id, row_text(operation.id))

    def _go_there(self) -> None:
        operation, line = self._operation, self.line
        if operation is not None:
            self.work(partial(self._look_up, operation, line), "going", exclusive=True)

    async def _look_up(self, operation: Operation, line: Row | None) -> None:
        places, text = destinations(operation), ""
        if line is not None and line.address:
            places = [line.address]
        elif line is not None and line.path:
            places, text = [line.path], "" if line.tone == "head" else line.text[1:]
        try:
            address = await self._desk.historian.run(lambda workspace: standing(workspace, places, text))
        except Exception as error:
            self.fails(error)
            return
        self.post_message(self.Arrives(address))

    def on_operations_screen_arrives(self, message: OperationsScreen.Arrives) -> None:
        """To the panes, or say that it is gone."""
        if message.address is None:
            self._desk.say(words("Nothing of it stands in memory now; t shows it as it was"), "warning")
        else:
            self._desk.go_to(message.address)

    # -- words -----------------------------------------------------------------------------------

    def _say_what(self) -> None:
        """What is listed, on the frame."""
        scope = self._chronicle.scope
        what = "Operations"
        if scope.of_entry:
            what = f"History of the entry {scope.address}"
        elif scope.path:
            what = f"Operations on {scope.path}"
        left_out = f" · {grouped(self._page.quiet)} of the ledger left out: a" if self._page.quiet else ""
        title: Shown = row_text(what + left_out)
        self.query_one("#browse-top").border_title = Content(title)

    def _nothing(self) -> Shown:
        if not self._page.whole:
            return words(f"reading … {grouped(self._page.looked_at)} looked at")
        if self.input.value:
            return words("no operation is like that: esc takes the filter away, F1 has the words it knows")
        if self._page.quiet:
            return words("only the ledger grew: a shows that")
        return words("nothing was ever recorded here")
