"""The choice of a destination: a heading, an entry or a file, from the existing ones or typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from screens.actions.availability import Context
from screens.actions.keys import key_names, keys_of
from screens.actions.registry import by_id
from screens.dialogs.dialog import ChooseScreen, PickScreen
from screens.drawing.safe_text import (
    Row,
    Tone,
    inline,
    piece,
    plural,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import MemoryView
from screens.main.operation_commands import OperationCommands, addresses_of
from screens.main.request import Request
from workbench.memory.entry import Kind, heading_path
from workbench.operations.registry import OPERATIONS
from workbench.workspace.layout import MemoryFile

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_TYPED = {op.name for op in OPERATIONS.values() if any(one.name == "text" for one in op.parameters)}
_LOOKABLE = tuple(
    name
    for op in OPERATIONS.values()
    if op.key and op.name not in _TYPED
    for name in ((op.name, "promote_to") if op.name == "promote" else (op.name,))
)
"""What can be previewed: all that does not have to be written first."""
_TAKES = (Kind.LOG, Kind.NOTE, Kind.CONTEXT, Kind.ENTITY, Kind.BOOTSTRAP)
_KEY = 4


class DestinationCommands:
    """Promote to, move to, and the look before an action."""

    def __init__(self, screen: MainScreen, operations: OperationCommands) -> None:
        self._screen = screen
        self._operations = operations

    def action_promote_to(self, *, look: bool = False) -> None:
        """Choose a heading of long-term memory, or the entry to be merged into."""
        view = self._screen.memory_view
        rows = [*heading_rows(view), *entry_rows(view)]
        self._choose("Promote", "promote", rows, new_heading, look=look)

    def action_move(self, *, look: bool = False) -> None:
        """Choose a heading of long-term memory, or a file."""
        targets = self._screen.context().targets
        here = {row.path for row in targets}
        files = [row for row in self._file_rows() if here != {row.path}]
        rows = [*heading_rows(self._screen.memory_view), *files]
        self._choose("Move", "move", rows, new_place, look=look)

    def _choose(
        self,
        what: str,
        action: str,
        rows: Sequence[Row],
        typed: Callable[[str], Sequence[Row]],
        *,
        look: bool,
    ) -> None:
        targets = self._screen.context().targets
        request = Request(action=action, addresses=addresses_of(targets))

        def chosen(answer: str) -> None:
            wanted = aimed(request, answer, self._screen.memory_view.path)
            self._operations.carry_out_or_ask(wanted, targets, look=look)

        count = plural(len(request.addresses), "entry")
        title, placeholder = f"{what} {count} to …", "type to narrow, or a new name"
        self._screen.show_dialog(ChooseScreen(title, rows, typed, placeholder=placeholder), chosen)

    def action_look(self) -> None:
        """Choose an action, and see what it would do."""

        def chosen(action: str) -> None:
            if action == "promote_to":
                self.action_promote_to(look=True)
            elif action == "move":
                self.action_move(look=True)
            else:
                self._operations.act(action, look=True)

        rows, picks = look_rows(self._screen.context())
        keys = "a key shows the change · esc leaves"
        self._screen.show_dialog(PickScreen("look", "Preview which action?", keys, rows, picks), chosen)

    def _file_rows(self) -> Iterator[Row]:
        """The files that can take entries up, the newest first."""
        files = sorted(self._screen.files.items(), key=lambda item: recency(item[1]), reverse=True)
        for path, file in files:
            if file.kind in _TAKES:
                yield replace(_place("to", path, "file"), path=path)


def look_rows(context: Context) -> tuple[list[Row], dict[str, str | None]]:
    """The actions that can be previewed, or why one cannot; and which of them each key means."""
    rows: list[Row] = []
    picks: dict[str, str | None] = {"full_stop": None}
    for name in _LOOKABLE:
        action, keys = by_id()[name], keys_of(name)
        why = action.reason(context)
        tail = (safe_piece(why, "faint"),) if why else ()
        lead = (piece(key_names(keys[:1]).ljust(_KEY), "match"),)
        tone: Tone = "faint" if why else "text"
        rows.append(Row(name, words(action.label), tone, lead=lead, tail=tail, inert=bool(why)))
        picks |= dict.fromkeys(() if why is not None else keys, name)
    return rows, picks


def recency(file: MemoryFile) -> tuple[date, bool]:
    """How new a file is: a log by its day, which a clone does not change, any other by its last change."""
    named = file.named if file.kind is Kind.LOG else None
    return named.day if named else date.fromtimestamp(file.ctime_ns / 1e9), named is not None


def aimed(request: Request, answer: str, memory: str) -> Request:
    """The request with the place that was chosen."""
    sort, _, place = answer.partition(":")
    if sort == "into":
        return replace(request, into=place)
    if sort == "to":
        return replace(request, to=place)
    return replace(request, section=place, to=memory if request.action == "move" else None)


def heading_rows(view: MemoryView) -> list[Row]:
    """The headings of long-term memory, but for the one title above all of them."""
    paths = list(dict.fromkeys(view.headings))
    if len(paths) > 1 and len({path[0] for path in paths}) == 1:
        paths = [path for path in paths if len(path) > 1]
    return [_place("section", path[-1], "heading", name=heading_path(path[1:] or path)) for path in paths]


def entry_rows(view: MemoryView) -> list[Row]:
    """The entries of long-term memory."""
    rows = []
    for entry in view.entries:
        text, emphasis = inline(row_text(entry.title))
        rows.append(replace(_place("into", entry.address, "into"), text=text, emphasis=emphasis))
    return rows


def new_heading(typed: str) -> list[Row]:
    """A heading that is not there yet."""
    return [_place("section", typed, "new heading", "accent")]


def new_place(typed: str) -> list[Row]:
    """A heading, or a file where it is named like one, that is not there yet."""
    return [_place("to", typed, "file", "accent")] if typed.endswith(".md") else new_heading(typed)


def _place(sort: str, place: str, label: str, tone: Tone = "muted", *, name: str = "") -> Row:
    """A place to choose: ``section``, ``into`` or ``to`` of a request."""
    lead = piece(label.ljust(8), tone)
    return Row(f"{sort}:{place}", row_text(name or place), lead=(lead,))
