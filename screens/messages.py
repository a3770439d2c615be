"""What workers tell the screen. A worker never touches a widget: it posts one of these."""

from __future__ import annotations

from collections.abc import Mapping

from textual.message import Message

from screens.hits import Found
from screens.panes.pane import Unfolded
from screens.rows import Row
from screens.shown import Shown
from screens.snapshots import (
    Contents,
    EpisodesView,
    GraphView,
    MemoryView,
    Overview,
    Preview,
    Summary,
)
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation, Plan


class OverviewRead(Message):
    """The list of files was read; ``changed`` names those that are not as they were."""

    def __init__(self, overview: Overview, changed: frozenset[str]) -> None:
        super().__init__()
        self.overview = overview
        self.changed = changed


class MemoryRead(Message):
    """Long-term memory was read."""

    def __init__(self, view: MemoryView) -> None:
        super().__init__()
        self.view = view


class SummariesRead(Message):
    """Days and notes were summed up."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        super().__init__()
        self.summaries = summaries


class ContentsRead(Message):
    """One file's entries were read, for the pane of this name."""

    def __init__(self, pane: str, unfolded: Unfolded, contents: Contents, rows: tuple[Row, ...]) -> None:
        super().__init__()
        self.pane = pane
        self.unfolded = unfolded
        self.contents = contents
        self.rows = rows


class EpisodesRead(Message):
    """More episodes were read."""

    def __init__(self, view: EpisodesView) -> None:
        super().__init__()
        self.view = view


class GraphRead(Message):
    """More entities were read."""

    def __init__(self, view: GraphView) -> None:
        super().__init__()
        self.view = view


class PreviewRead(Message):
    """What the preview shows was read."""

    def __init__(self, preview: Preview | None) -> None:
        super().__init__()
        self.preview = preview


class HistoryRead(Message):
    """What was done to the entry of this row id."""

    def __init__(self, key: str, lines: tuple[Shown, ...]) -> None:
        super().__init__()
        self.key = key
        self.lines = lines


class Answered(Message):
    """An engine answered the question number ``seq``."""

    def __init__(self, seq: int, found: Found, *, final: bool) -> None:
        super().__init__()
        self.seq = seq
        self.found = found
        self.final = final


class WordsFailed(Message):
    """Words cannot be searched now, and why."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__()
        self.seq = seq
        self.reason = reason


class MeaningChanged(Message):
    """The meaning half of the search is ready, or gone and why."""

    def __init__(self, *, ready: bool, reason: str = "") -> None:
        super().__init__()
        self.ready = ready
        self.reason = reason


class IndexProgress(Message):
    """How far the index is: ``text`` while it is being built, None when it is done."""

    def __init__(self, text: Shown | None, *, searchable: bool, problem: str = "") -> None:
        super().__init__()
        self.text = text
        self.searchable = searchable
        self.problem = problem


class FilesChanged(Message):
    """Something below the workspace changed on disk, or may have."""


class WritableChecked(Message):
    """Whether anything can be written here; the error when not."""

    def __init__(self, error: WorkbenchError | None) -> None:
        super().__init__()
        self.error = error


class Planned(Message):
    """An action on many entries was thought through and waits for a yes."""

    def __init__(self, plan: Plan, targets: tuple[Row, ...]) -> None:
        super().__init__()
        self.plan = plan
        self.targets = targets


class Done(Message):
    """An action was carried out."""

    def __init__(self, operation: Operation) -> None:
        super().__init__()
        self.operation = operation


class Refused(Message):
    """An action was refused, or failed."""

    def __init__(self, action: str, error: Exception) -> None:
        super().__init__()
        self.action = action
        self.error = error
