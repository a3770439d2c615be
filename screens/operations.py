"""Everything that was ever done to the memory, newest first: ours, agents', plain git's, found on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from screens.actions import Context, Place, bindings
from screens.browse import BrowseScreen
from screens.diffing import MAX_FILES, diff_rows
from screens.historian import Historian, ago
from screens.request import Request
from screens.rows import Part, Row, Tone
from screens.shown import grouped, plural, row_text, words
from screens.widgets.entry_list import EntryList
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

_PAGE = 100
_AGE, _ACTION = 7, 11
_MORE = "more"


class OperationsScreen(BrowseScreen):
    """The list of operations; each is shown below, and can be undone in any order."""

    PLACE = Place.OPERATIONS
    LEAVES = "operations"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.OPERATIONS)]

    class Loaded(Message):
        """Operations were read: the newest ones, up to as many as were asked for."""

        def __init__(self, operations: Sequence[Operation], *, whole: bool) -> None:
            super().__init__()
            self.operations = operations
            self.whole = whole

    def __init__(self, historian: Historian, do: Callable[[Request], None], refusal: str | None) -> None:
        super().__init__(words("Operations"))
        self._historian = historian
        self._do = do
        self._refusal = refusal
        self._walk: Iterator[Operation] | None = None
        self._known: list[Operation] = []
        self._asked = 0
        self.commands["undo"] = self._undo
        self.commands["redo"] = lambda: self._do(Request(action="redo"))

    def on_mount(self) -> None:
        """Read the newest ones."""
        super().on_mount()
        self.reload()

    def reload(self) -> None:
        """Begin anew, down to where the person has been."""
        wanted = max(_PAGE, len(self._known))
        self._asked = wanted
        self._load(wanted, anew=True)

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(place=self.PLACE, row=self.list.row, refusal=self._refusal)

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the operation did."""
        operation = next((known for known in self._known if known.commit == row.id), None)
        if operation is None:
            return ()
        rows = list(_facts(operation))
        if len(operation.paths) > MAX_FILES:
            rows.append(
                Row(
                    "many",
                    words(f"{plural(len(operation.paths), 'file')}: too many to be shown"),
                    tone="warn",
                )
            )
            rows += [
                Row(f"path:{path}", row_text(path), tone="muted") for path in operation.paths[:MAX_FILES]
            ]
            return rows
        edits = await self._historian.run(lambda workspace: workspace.operations.edits(operation))
        return rows + await asyncio.to_thread(diff_rows, edits)

    def on_entry_list_in_view(self, message: EntryList.InView) -> None:
        """Read on when the end comes into view."""
        if message.entry_list is self.list and any(row.id == _MORE for row in message.rows):
            self._more()

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Read on when the cursor comes near the end."""
        super().on_entry_list_moved(message)
        if message.entry_list is self.list and self.list.cursor + _PAGE // 4 > len(self._known):
            self._more()

    def on_operations_screen_loaded(self, message: OperationsScreen.Loaded) -> None:
        """Show them; the cursor stays on the operation that it is on."""
        self._known = list(message.operations)
        rows = [operation_row(operation) for operation in self._known]
        if not message.whole:
            rows.append(Row(_MORE, words("reading …"), tone="faint", inert=True))
        else:
            self._asked = 1 << 60
        self.list.empty = words("nothing was ever recorded here")
        self.list.show(rows)
        self.show_place()
        self.show_hints()

    def _more(self) -> None:
        if self._known and self._asked <= len(self._known):
            self._asked = len(self._known) + _PAGE
            self._load(_PAGE, anew=False)

    def _load(self, count: int, *, anew: bool) -> None:
        self.work(partial(self._read_on, count, anew=anew), "operations", exclusive=anew)

    async def _read_on(self, count: int, *, anew: bool) -> None:
        try:
            loaded = await self._historian.run(lambda workspace: self._next(workspace, count, anew=anew))
        except Exception as error:
            self.list.show(self.failed(error))
            return
        self.post_message(loaded)

    def _next(self, workspace: Workspace, count: int, *, anew: bool) -> Loaded:
        """In the historian's thread: walk on, or anew."""
        before = [] if anew else self._known
        if anew or self._walk is None:
            self._walk = workspace.operations.walk()
        fresh = list(islice(self._walk, count))
        return self.Loaded([*before, *fresh], whole=len(fresh) < count)

    def _undo(self) -> None:
        row = self.list.row
        operation = next((known for known in self._known if row and known.commit == row.id), None)
        if operation is not None:
            self._do(Request(action="undo", operation=operation.id))


def operation_row(operation: Operation) -> Row:
    """One operation: when, what, about what, by whom, and whether it is taken back at present."""
    plain = operation.action == "commit"
    tone: Tone = "muted" if plain else "warn" if operation.action == "external" else "accent"
    tail = [Part(plural(len(operation.paths), "file"), "faint")] if len(operation.paths) != 1 else []
    tail.append(Part(row_text(operation.actor), "muted"))
    if operation.undone:
        tail.append(Part(words("undone"), "warn"))
    return Row(
        id=operation.commit,
        text=row_text(operation.summary.removeprefix(f"{operation.action}: ")),
        tone="muted" if operation.undone else "text",
        lead=(
            Part(words(ago(operation.when).rjust(_AGE)), "faint"),
            Part(row_text("git" if plain else operation.action).ljust(_ACTION), tone),  # type: ignore[arg-type]
        ),
        tail=tuple(tail),
    )


def _facts(operation: Operation) -> Iterator[Row]:
    """Who, when, why and which entries."""
    when = operation.when.astimezone()
    line = f"{operation.id} · {when:%a %d %b %Y %H:%M} · {operation.actor}"
    yield Row("fact:id", row_text(line + (" · undone" if operation.undone else "")), tone="head")
    if operation.reason:
        yield Row("fact:reason", row_text(f"because {operation.reason}"), tone="muted")
    if operation.undoes:
        yield Row("fact:undoes", row_text(f"takes back {operation.undoes}"), tone="muted")
    for number, entry in enumerate(operation.entries[:8]):
        became = operation.became[number] if len(operation.became) == len(operation.entries) else ""
        yield Row(
            f"fact:{number}",
            row_text(f"{entry}{' → ' + became if became not in ('', entry) else ''}"),
            tone="faint",
        )
    if len(operation.entries) > 8:
        yield Row(
            "fact:more", words(f"… and {grouped(len(operation.entries) - 8)} more entries"), tone="faint"
        )
    yield Row("fact:end", words(""), inert=True)
