"""The list of all operations on the memory, the newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from screens.actions.registry import FocusContext
from screens.drawing.safe_text import (
    GAP,
    Lines,
    Row,
    RowPart,
    Tone,
    grouped,
    line_rows,
    piece,
    plural,
    row_text,
    safe_piece,
    words,
)
from screens.frames.overlay_screen import NarrowScreen, Services
from screens.history.diff import MAX_FILES, diff_rows
from screens.history.history_reader import HistoryReader, day_or_time
from screens.main.copy import copy
from screens.main.request import Request
from screens.widgets.entry_list import EntryList
from workbench.history.lineage import file_log, lineage
from workbench.memory.entry import RelPath, path_of
from workbench.memory.episode import FOLDER
from workbench.repository.objects import CommitId
from workbench.workspace import ledger
from workbench.workspace.plan import Operation
from workbench.workspace.revisions import RevisionQuery, wanted
from workbench.workspace.workspace import Workspace

_WHEN, _ACTION = 7, 11
_ENTRIES = 8
_FOREIGN = frozenset({"commit", "external", ledger.ACTION})
_FACTS = {"Session": "session", "Source": "from", "Section": "under", "Model": "by model"}
"""Trailers that are worth a line, and how it begins."""


def operation_row(operation: Operation, note: str = "") -> Row:
    """One operation: when, what, about what, by whom, and whether it is undone."""
    plain = operation.action == "commit"
    quiet = plain or operation.action == "ledger"
    tone: Tone = "muted" if quiet else "warn" if operation.action == "external" else "accent"
    tail = [RowPart(plural(len(operation.paths), "file"), "faint")] if len(operation.paths) != 1 else []
    if note:
        tail.append(safe_piece(note, "faint"))
    tail.append(safe_piece(operation.actor))
    if operation.undone:
        tail.append(piece("undone", "warn"))
    return Row(
        id=operation.commit,
        text=row_text(operation.summary.removeprefix(f"{operation.action}: ")),
        tone="muted" if operation.undone else "text",
        lead=(
            piece(day_or_time(operation.when).rjust(_WHEN), "faint"),
            piece(row_text("git" if plain else operation.action).ljust(_ACTION), tone),
        ),
        tail=tuple(tail),
        of=operation,
    )


def is_on_one_entry(operation: Operation) -> bool:
    """Whether an action of ours did it to a single entry or episode; anything else may reach far."""
    if operation.action in _FOREIGN or len(operation.entries) != 1 or len(operation.became) > 1:
        return False
    address = operation.entries[0]
    return "#" in address or address.startswith(FOLDER)


def _facts(operation: Operation) -> Lines:
    line = f"{operation.id} · {operation.when.astimezone():%a %d %b %Y %H:%M} · {operation.actor}"
    yield f"{line} · undone" if operation.undone else line, "head"
    yield operation.summary, "text"
    yield f"because {operation.reason}" if operation.reason else "", "muted"
    yield f"takes back {operation.undoes}" if operation.undoes else "", "muted"
    for key, value in operation.trailers:
        yield f"{_FACTS[key]} {value}" if key in _FACTS and value else "", "muted"


def _entry_rows(operation: Operation) -> Iterator[Row]:
    for number, entry in enumerate(operation.entries[:_ENTRIES]):
        became = operation.became[number] if len(operation.became) == len(operation.entries) else ""
        text = row_text(f"{entry}{' → ' + became if became not in ('', entry) else ''}")
        yield Row(f"entry:{number}", text, tone="faint", address=became or entry)
    if len(operation.entries) > _ENTRIES:
        more = grouped(len(operation.entries) - _ENTRIES)
        yield Row("entry:more", words(f"… and {more} more entries"), tone="faint")


async def change_rows(history_reader: HistoryReader, commit: CommitId | None, path: str) -> list[Row]:
    """What a commit did, the file ``path`` first; nothing for what no commit holds yet."""
    if commit is None:
        return []
    edits = await history_reader.run(lambda workspace: workspace.operations.edits(commit))
    return await asyncio.to_thread(diff_rows, sorted(edits, key=lambda edit: edit.path != path))


_PAGE = 100
_SLICE = 400
"""Operations that are looked at before what was found so far is shown."""
_MORE = "more"


class OperationsReader:
    """Reads the operations on the entry at ``address``, else on the file ``path``, else all, newest first.

    ``read`` runs in the history_reader's thread alone, and only adds to what was read.
    """

    def __init__(
        self, path: str = "", address: str = "", wanted: RevisionQuery | None = None, *, everything: bool
    ) -> None:
        self.path = path
        self.address = address if "#" in address else ""
        self.told: list[Operation] = []
        self.looked_at = 0
        self.quiet = 0
        """How many were left out that only add to the ledger."""
        self.whole = False
        """Whether there are no more."""
        self.notes: dict[CommitId, str] = {}
        """What is worth telling of one, by its commit."""
        self._wanted = wanted or RevisionQuery()
        self._everything = everything
        self._walk: Iterator[Operation] | None = None

    def read(self, workspace: Workspace, count: int, *, most: int) -> None:
        """Have ``count`` operations; looks at no more than ``most`` further ones for that.

        Raises WorkbenchError; what was read stays.
        """
        if self._walk is None:
            self._walk = self._of(workspace)
        until = self.looked_at + most
        while len(self.told) < count and self.looked_at < until and not self.whole:
            operation = next(self._walk, None)
            if operation is None:
                self.whole = True
                break
            self.looked_at += 1
            if operation.action == ledger.ACTION and not self._everything:
                self.quiet += 1
            elif self._wanted.holds(operation):
                self.told.append(operation)

    def _of(self, workspace: Workspace) -> Iterator[Operation]:
        if self.address:
            return self._of_entry(workspace)
        return self._of_file(workspace) if self.path else workspace.operations.walk()

    def _of_file(self, workspace: Workspace) -> Iterator[Operation]:
        for step in file_log(workspace, self.path):
            if step.renamed_from:
                self.notes[step.operation.commit] = f"renamed from {step.renamed_from}"
            yield step.operation

    def _of_entry(self, workspace: Workspace) -> Iterator[Operation]:
        steps = [step for step in lineage(workspace, self.address) if step.deed.commit]
        paths = {path_of(address) for step in steps for address in (*step.before, *step.after)}
        known: dict[CommitId, Operation] = {}
        for path in paths:  # whether each stands or is undone is known from the history of its file alone
            known |= {one.commit: one for one in workspace.operations.walk(path=RelPath(path))}
        for step in steps:
            commit = step.deed.commit
            assert commit
            if not step.deed.ours or step.what != step.deed.action:
                self.notes[commit] = f"{step.what}: {step.text}"
            yield known.get(commit) or workspace.operations.of(commit)


class OperationsScreen(NarrowScreen):
    """The list of operations; each is shown beside it, and can be undone or done again in any order."""

    PLACES = (FocusContext.OPERATIONS,)
    LEAVES = "operations"

    def __init__(
        self, services: Services, path: str = "", address: str = "", *, at: str | None = None
    ) -> None:
        """``path`` and ``address`` as of ``OperationsReader``; the cursor begins on the commit ``at``."""
        super().__init__(services, "History", "by:agent action:promote path:memory/ on:2026-03 words -not")
        self._go_to = at
        self._everything = False
        self._reader = OperationsReader(path, address, everything=False)
        self._asked = 0
        self.commands |= {
            "undo": lambda: self._turn("undo"),
            "redo": lambda: self._turn("redo"),
            "open_after": lambda: self._open_past(before=False),
            "open_before": lambda: self._open_past(before=True),
        }

    def reload(self) -> None:
        """Begin anew, down to where the person has been."""
        reader = self._reader
        self._begin_anew(reader.path, reader.address, max(_PAGE, self._asked))

    def narrowed(self) -> None:
        """Look for what was typed, from the newest on."""
        self._begin_anew(self._reader.path, self._reader.address)

    def _begin_anew(self, path: str, address: str, count: int = _PAGE) -> None:
        self._asked = count
        only = wanted(self.input.value)
        self._reader = OperationsReader(path, address, only, everything=self._everything)
        self._say_what()
        self.work(partial(self._read_on, self._reader), "operations", exclusive=True)

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        why = {} if self._reader.path else {"widen": "this is everything already"}
        if self.list.of is None:
            why |= dict.fromkeys(("undo", "redo"), "there is no operation here")
        return why

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the operation did."""
        operation: Operation | None = row.of
        if operation is None:
            return ()
        rows = [*line_rows(_facts(operation)), *_entry_rows(operation), *line_rows([GAP], "end")]
        if len(operation.paths) > MAX_FILES:
            many = f"{plural(len(operation.paths), 'file')}: too many to show"
            paths = operation.paths[:MAX_FILES]
            return [
                *rows,
                *line_rows([(many, "warn")], "many"),
                *(Row(f"path:{path}", row_text(path), tone="muted", path=path) for path in paths),
            ]
        return rows + await change_rows(self.history_reader, operation.commit, self._reader.path)

    # -- reading on ------------------------------------------------------------------------------

    def on_entry_list_in_view(self, message: EntryList.InView) -> None:
        """Read on when the end comes into view."""
        if message.entry_list is self.list and any(row.id == _MORE for row in message.rows):
            self._more()

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Read on when the cursor comes near the end."""
        if message.entry_list is self.list and self.list.cursor + _PAGE // 4 > len(self._reader.told):
            self._more()

    def _loaded(self, reader: OperationsReader) -> None:
        """Show what was read; the cursor stays on the operation that it is on."""
        if reader is not self._reader:
            return  # somebody typed on
        rows = [operation_row(one, reader.notes.get(one.commit, "")) for one in reader.told]
        if not reader.whole:
            looked = f"reading … {grouped(reader.looked_at)} looked at" if self.input.value else "reading …"
            rows.append(Row(_MORE, words(looked), tone="faint", inert=True))
        go_to = self._go_to
        at_top = self.list.scroll_offset.y == 0 and self.list.in_view()
        if go_to is None and self.row and at_top:
            go_to = self.row.id  # who looks at the newest ones sees the newer ones come
        if any(row.id == go_to for row in rows):
            self._go_to = None
        self._say_what()
        self.show_rows(rows, go_to=go_to, empty=self._nothing())

    def _more(self) -> None:
        reader, count = self._reader, len(self._reader.told)
        if count and not reader.whole and self._asked <= count:
            self._asked = count + _PAGE
            self.work(partial(self._read_on, reader), "operations")

    async def _read_on(self, reader: OperationsReader) -> None:
        """A slice at a time, so that what is found is seen and other readings come in between."""
        while reader is self._reader:
            try:
                await self.history_reader.run(reader.read, self._asked, most=_SLICE)
            except Exception as error:
                if reader is self._reader:
                    self.fails(error)
                return
            self.call_later(self._loaded, reader)
            if reader.whole:
                return
            if len(reader.told) >= self._asked:
                if not self._go_to or any(one.commit == self._go_to for one in reader.told):
                    return
                self._asked += _PAGE

    # -- keys ------------------------------------------------------------------------------------

    def _turn(self, action: str) -> None:
        """By its commit: another one may have copied the operation's name."""
        row = self.row
        operation: Operation | None = self.list.of
        if row is None or operation is None:
            return
        request = Request(action=action, operation=operation.commit)
        if is_on_one_entry(operation):
            self.services.do(request)
        else:
            self.services.ask(request, (row,))

    def _open_past(self, *, before: bool) -> None:
        if operation := self.list.of:
            self.services.travel(operation, before)

    def action_all_operations(self) -> None:
        """Also what only added records to the ledger, or no more."""
        self._everything = not self._everything
        self.reload()

    def action_widen(self) -> None:
        """From an entry to its file, and to everything."""
        reader = self._reader
        if reader.path:
            self._go_to = self.row.id if self.row else None
            self._begin_anew(reader.path if reader.address else "", "")

    def action_copy_operation(self) -> None:
        """Copy its id."""
        if operation := self.list.of:
            copy(self.app, operation.id, row_text(operation.id))

    def action_go_there(self) -> None:
        """To the entry of the line under the cursor, else to what the operation left."""
        operation: Operation | None = self.list.of
        line = self.line
        if operation is None:
            return
        every = (*operation.became, *operation.entries, *operation.paths)  # the likeliest first
        places, text = list(dict.fromkeys(every)), ""
        if line and line.address:
            places = [line.address]
        elif line and line.path:
            places, text = [line.path], "" if line.tone == "head" else line.text[1:]
        self.go_to_first(places, "It is no longer in memory; t shows memory as it was", line=text)

    # -- words -----------------------------------------------------------------------------------

    def _say_what(self) -> None:
        """What is listed, on the frame."""
        path, address, quiet = self._reader.path, self._reader.address, self._reader.quiet
        of = f" of the entry {address}" if address else f" of {path}" if path else ""
        hidden = f" · {grouped(quiet)} of the ledger hidden: a" if quiet else ""
        self.entitle(f"History{of}{hidden}")

    def _nothing(self) -> str:
        if not self._reader.whole:
            return f"reading … {grouped(self._reader.looked_at)} looked at"
        if self.input.value:
            return "no operation matches: esc clears the filter, F1 lists its words"
        quiet = self._reader.quiet
        return "only the ledger changed: a shows it" if quiet else "nothing has been recorded here"
