"""Who wrote each line of an entry or file, and when (blame)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from screens.actions.registry import FocusContext
from screens.drawing.safe_text import (
    GAP,
    Lines,
    Row,
    RowPart,
    line_rows,
    line_text,
    piece,
    row_text,
    words,
)
from screens.frames.overlay_screen import NarrowScreen, Services
from screens.history.history_reader import HistoryReader, day_or_time
from screens.history.operations import OperationsScreen, change_rows
from screens.main.copy import copy
from screens.widgets.entry_list import clipped
from workbench.frozen import frozen
from workbench.history.lineage import file_log
from workbench.history.origin import Attribution, LineOrigin, blame
from workbench.memory.entry import RelPath
from workbench.repository.objects import CommitId
from workbench.workspace.plan import Operation, OperationId
from workbench.workspace.revisions import wanted
from workbench.workspace.workspace import Workspace

_WHEN, _WHO, _WHAT, _NUMBER = 7, 9, 10, 5
MAX_LINES = 20_000
_COMPACT_BELOW = 90
_LINE_LIMIT = 2_000


@frozen
class BlamedVersion:
    """A file as it is on disk (``at`` is None), or was in a commit; and the line that the cursor is on."""

    path: str
    line: int
    at: CommitId | None = None
    title: str = ""


class BlameScreen(NarrowScreen):
    """The lines of a file; below, the operation that brought the one under the cursor."""

    PLACES = (FocusContext.BLAME,)
    LEAVES = "blame"
    BESIDE = False

    def __init__(
        self, services: Services, history_reader: Callable[[], HistoryReader], path: str, line: int
    ) -> None:
        """``history_reader`` is asked for each time: the panes below may get to another moment meanwhile."""
        super().__init__(services, path, "words of a line, by:agent action:promote on:2026-03")
        self._history_reader = history_reader
        self._version = BlamedVersion(path, line)
        self._later: list[BlamedVersion] = []
        self._lines: Sequence[LineOrigin] = ()

    def reload(self) -> None:
        """Read it again."""
        self._show_version(self._version)

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        why = {} if self._later else {"blame_after": "this is the version that you came from"}
        if self._committed is None:
            why |= dict.fromkeys(("open", "blame_before"), "this line is not committed yet")
        return why

    @property
    def _committed(self) -> LineOrigin | None:
        """The line under the cursor, if a commit holds it."""
        line: LineOrigin | None = self.list.of
        return line if line and line.deed.commit else None

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the operation did that brought the line."""
        facts = line_rows(_line_facts(row.of))
        return facts + await change_rows(self._history_reader(), row.of.deed.commit, self._version.path)

    # -- reading ---------------------------------------------------------------------------------

    def _show_version(self, version: BlamedVersion) -> None:
        """Read the lines of a version; the cursor goes to the one that the person came from."""

        def shown(lines: Sequence[LineOrigin]) -> None:
            self._lines, self._version = lines, version
            self.draw(go_to=str(min(version.line, max(1, len(lines)))))
            self.entitle(version.path + (f" · {version.title}" if version.title else ""))

        read = partial(self._history_reader().run, blame, version.path, at=version.at)
        self.load(read, shown, "blame")

    def on_resize(self) -> None:
        """With or without all of the gutter, as there is room."""
        if self._lines:
            self.draw()

    def draw(self, go_to: str | None = None) -> None:
        """The lines that the filter lets through behind their gutter; a run of one operation says it once."""
        only = wanted(self.input.value)
        compact = self.app.size.width < _COMPACT_BELOW
        rows: list[Row] = []
        last: object = None
        for line in self._lines[:MAX_LINES]:
            if only.terms and not only.holds(_as_operation(line)):
                continue
            rows.append(blame_row(line, same=line.deed == last, compact=compact))
            last = line.deed
        if len(self._lines) > MAX_LINES:
            rows.append(Row("0", words("… the rest is not shown"), tone="warn", inert=True))
        no_line = "no line matches: esc clears the filter"
        self.show_rows(rows, go_to=go_to, empty=no_line if only.terms else "the file is empty")

    # -- keys ------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """The operation that brought the line, among those on the file."""
        if line := self._committed:
            self.app.push_screen(OperationsScreen(self.services, self._version.path, at=line.deed.commit))

    def action_copy_operation(self) -> None:
        """Copy the operation's id."""
        line: LineOrigin | None = self.list.of
        if line and line.deed.operation:
            copy(self.app, line.deed.operation, row_text(line.deed.operation))

    def action_go_there(self) -> None:
        """To where the line came from, else to its entry, else to the file."""
        if line := self.list.of:
            source = line.origin.source if line.origin else None
            places = [place for place in (source, line.entry, self._version.path) if place]
            self.go_to_first(places, "It is no longer in memory")

    def action_blame_before(self) -> None:
        """The file as it was before the change that brought the line."""
        line, here = self._committed, self._version
        if line is None:
            return
        find = partial(self._history_reader().run, version_before, here.path, line.deed, line.number)

        def found(version: BlamedVersion | None) -> None:
            if version is None:
                self.warn("This change created the file: there is no earlier version")
                return
            self._later.append(replace(here, line=line.number))
            self._show_version(version)

        self.load(find, found, "blame", failed=self.say_failure)

    def action_blame_after(self) -> None:
        """From a version before to the one after it."""
        if self._later:
            self._show_version(self._later.pop())


def version_before(workspace: Workspace, path: str, deed: Attribution, line: int) -> BlamedVersion | None:
    """The file as it was before what ``deed`` did, under the name of then; None where there was none."""
    assert deed.commit
    commit = workspace.history.commit(deed.commit)
    if not commit.parents:
        return None
    parent = commit.parents[0]
    steps = (step for step in file_log(workspace, path) if step.operation.commit == deed.commit)
    step = next(steps, None)
    for name in filter(None, (step.path, step.renamed_from) if step else (RelPath(path),)):
        if workspace.history.blob_id(parent, name) is not None:
            return BlamedVersion(name, line, parent, f"before {deed.operation}: {deed.summary}")
    return None


def blame_row(line: LineOrigin, *, same: bool, compact: bool = False) -> Row:
    """A line behind its gutter: when, who, what, and its number; without the last two where it is narrow."""
    deed = line.deed
    told = (day_or_time(deed.when), row_text(deed.actor), row_text(deed.action))
    when, who, what = ("", "", "") if same else told
    lead = [piece(when.rjust(_WHEN), "faint"), piece(clipped(who, _WHO))]
    if not compact:
        number = words(str(line.number).rjust(_NUMBER))
        lead += [piece(clipped(what, _WHAT), "accent"), RowPart(number, "faint")]
    return Row(id=str(line.number), text=line_text(line.text[:_LINE_LIMIT]), lead=tuple(lead), of=line)


def _line_facts(line: LineOrigin) -> Lines:
    """Who brought the line, when and why, and where it came from."""
    deed, origin = line.deed, line.origin
    yield f"{deed.operation or ''} {deed.summary} · {deed.actor}", "head"
    yield f"{deed.when.astimezone():%a %d %b %Y %H:%M}" if deed.when else "", "muted"
    said = (
        f"because {deed.reason}" if deed.reason else "",
        f"session {deed.session}" if deed.session else "",
        f"trust {origin.trust}" if origin else "",
        f"from {origin.source}" if origin and origin.source else "",
    )
    yield " · ".join(filter(None, said)), "muted"
    yield GAP


def _as_operation(line: LineOrigin) -> Operation:
    """A line as a filter looks at operations: its words are the summary."""
    deed = line.deed
    return Operation(
        id=deed.operation or OperationId(""),
        commit=deed.commit or CommitId(""),
        action=deed.action,
        summary=line.text,
        when=deed.when or datetime.now(UTC),
        actor=deed.actor,
        reason=deed.reason,
    )
