"""What workers tell the screen. A worker never touches a widget: it posts one of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.message import Message

from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown
from screens.jobs.progress import Stage
from screens.loading.snapshots import (
    Contents,
    EpisodesView,
    FilteredEntries,
    GraphView,
    MemoryView,
    Overview,
    Preview,
    QuarantineView,
    Summary,
)
from screens.main.request import Request
from screens.panes.filter_matches import KeptFiles
from screens.panes.pane import Unfolded
from screens.search.hits import HitList
from screens.widgets.preview_pane import Beneath
from workbench.errors import SecretFoundError, WorkbenchError
from workbench.jobs.job_status import JobStatus
from workbench.workspace.plan import Operation, Plan

if TYPE_CHECKING:
    from workbench.agent.related import Related


class OverviewRead(Message):
    """The list of files was read; ``changed`` names those that are not as they were."""

    def __init__(self, overview: Overview, changed: frozenset[str]) -> None:
        super().__init__()
        self.overview = overview
        self.changed = changed


class JobsRead(Message):
    """How the jobs stand was read: ``wrong`` are those that somebody should look at."""

    def __init__(self, wrong: tuple[JobStatus, ...]) -> None:
        super().__init__()
        self.wrong = wrong


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


class WorkspaceThere(Message):
    """The folder is gone, or there again."""

    def __init__(self, *, there: bool) -> None:
        super().__init__()
        self.there = there


class KeptRead(Message):
    """Some more files were looked through for what a filter keeps; so many of all of them by now."""

    def __init__(self, wanted: KeptFiles, found: Mapping[str, FilteredEntries], looked: int) -> None:
        super().__init__()
        self.wanted = wanted
        self.found = found
        self.looked = looked


class QuarantineRead(Message):
    """What is set aside was read."""

    def __init__(self, view: QuarantineView) -> None:
        super().__init__()
        self.view = view


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


class BelongingRead(Message):
    """Who recalled the entry of this row id, or what belongs to it; None for what is not told now."""

    def __init__(
        self, key: str, recalled: tuple[Beneath, ...] | None, related: tuple[Related, ...] | None
    ) -> None:
        super().__init__()
        self.key = key
        self.recalled = recalled
        self.related = related


class Answered(Message):
    """An engine answered the question number ``seq``."""

    def __init__(self, seq: int, found: HitList, *, final: bool) -> None:
        super().__init__()
        self.seq = seq
        self.found = found
        self.final = final


class WordsFailed(Message):
    """The question number ``seq`` has no answer, why, and what helps."""

    def __init__(self, seq: int, reason: str, hint: str = "") -> None:
        super().__init__()
        self.seq = seq
        self.reason = reason
        self.hint = hint


class MeaningFailed(Message):
    """Semantic search has no answer to the question number ``seq``; the keyword hits stay."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__()
        self.seq = seq
        self.reason = reason


class MomentChanged(Message):
    """How far the index of a moment of the past is: the one of ``commit``.

    ``seq`` is the question that waits for it, where that is told; ``problem`` is why it is not coming.
    """

    def __init__(
        self,
        commit: str,
        *,
        seq: int | None = None,
        phase: str = "",
        done: int = 0,
        total: int = 0,
        ready: bool = False,
        problem: str = "",
        hint: str = "",
    ) -> None:
        super().__init__()
        self.commit = commit
        self.seq = seq
        self.phase, self.done, self.total = phase, done, total
        self.ready = ready
        self.problem, self.hint = problem, hint


class MeaningChanged(Message):
    """Semantic search is ready, or gone and why."""

    def __init__(self, *, ready: bool, reason: str = "") -> None:
        super().__init__()
        self.ready = ready
        self.reason = reason


class IndexProgress(Message):
    """How far the index is: ``text`` while it is being built, None when it is done; ``stage`` has figures."""

    def __init__(
        self, text: Shown | None, *, searchable: bool, problem: str = "", stage: Stage | None = None
    ) -> None:
        super().__init__()
        self.text = text
        self.stage = stage
        self.searchable = searchable
        self.problem = problem


class FilesChanged(Message):
    """Something below the workspace changed on disk, or may have."""


class SourcesChanged(Message):
    """An extra path or a transcript changed by as much as is worth a run of the index."""


class Polling(Message):
    """The system does not tell of changes any more: files are looked at now and then."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class WritableChecked(Message):
    """Whether anything can be written here, the error when not, and how many conflicts wait.

    ``found`` is what a person should know of an interrupted action that was finished.
    """

    def __init__(self, error: WorkbenchError | None, conflicts: int = 0, found: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.error = error
        self.conflicts = conflicts
        self.found = found


class Planned(Message):
    """An action was thought through and waits for a yes."""

    def __init__(self, request: Request, plan: Plan, targets: tuple[Row, ...]) -> None:
        super().__init__()
        self.request = request
        self.plan = plan
        self.targets = targets


class SourceRead(Message):
    """The text of an entry, in the request that is to change it; ``outside`` in the person's own editor."""

    def __init__(self, request: Request, *, outside: bool) -> None:
        super().__init__()
        self.request = request
        self.outside = outside


class StandsNow(Message):
    """How an entry reads that was changed while somebody wrote: where it stands, or None where it is gone."""

    def __init__(self, address: str | None, source: str) -> None:
        super().__init__()
        self.address = address
        self.source = source


class Done(Message):
    """An action was carried out; so many conflicts wait since then."""

    def __init__(self, operation: Operation, request: Request, conflicts: int) -> None:
        super().__init__()
        self.operation = operation
        self.request = request
        self.conflicts = conflicts


class Discarded(Message):
    """A conflict is off the list, its text in the git object ``blob``; so many are left."""

    def __init__(self, blob: str, conflicts: int) -> None:
        super().__init__()
        self.blob = blob
        self.conflicts = conflicts


class Refused(Message):
    """An action was refused, or failed; with ``agreed`` and its ``plan`` where a yes is all it needs.

    ``secret``: what else the yes is to, where the plan would put a secret into git's history.
    """

    def __init__(
        self,
        request: Request,
        error: Exception,
        *,
        agreed: Request | None = None,
        plan: Plan | None = None,
        targets: tuple[Row, ...] = (),
        secret: SecretFoundError | None = None,
    ) -> None:
        super().__init__()
        self.request = request
        self.error = error
        self.secret = secret
        self.agreed = agreed
        self.plan = plan
        self.targets = targets
