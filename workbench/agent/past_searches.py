"""The moments of the past that a running search was asked about: laid out, indexed, searched.

Making a moment ready takes seconds where memory is large, so it is done in a thread; questions about today
are answered meanwhile. The moment that was asked for last comes first: work on another one is given up.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from indexing.search.snapshot_index import commit_named, missing_index
from indexing.sync.report import SyncProgress
from workbench.agent.search_service import SearchService
from workbench.agent.search_update import Moment
from workbench.errors import StoppedError, WorkbenchError
from workbench.workspace.snapshot import KEPT, PastWorkspace, open_past
from workbench.workspace.workspace import Workspace

Say = Callable[[dict[str, object]], None]


@dataclass(frozen=True, slots=True)
class PastSearch:
    """One moment that can be searched."""

    place: PastWorkspace
    service: SearchService
    moment: Moment


class PastSearches:
    """Moments by their commit, of the workspace that ``service`` searches; ``say`` sends an event.

    Events are ``{"event": "moment", "commit", "phase", "done", "total"}`` while one is made ready, then the
    same with ``"ready": true`` (twice: by words, then with vectors) or ``"problem"`` and ``"hint"``.
    """

    def __init__(self, service: SearchService, say: Say) -> None:
        self._service = service
        self._say = say
        self._ready: OrderedDict[str, PastSearch] = OrderedDict()
        self._wanted: str | None = None
        self._again = False
        """What was made ready is gone meanwhile."""
        self._thread: threading.Thread | None = None
        self._changed = threading.Lock()

    def at(self, moment: str) -> PastSearch | str:
        """The moment, ready to be searched; or the commit that is being made ready, to be asked for again.

        Raises what ``commit_at`` raises.
        """
        commit = commit_named(self._service.workspace, moment, date.today()).id
        with self._changed:
            found = self._ready.get(commit)
            if found is not None and found.place.root.is_dir():
                self._ready.move_to_end(commit)
                return found
            if self._ready.pop(commit, None) is not None:  # swept away by who opened other moments
                self._again = self._thread is not None
            self._wanted = commit
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
        return commit

    def forget(self, moment: PastSearch) -> None:
        """Have a moment made ready anew when it is asked for again: its index is gone or damaged."""
        with self._changed:
            if self._ready.pop(moment.place.commit, None) is not None:
                self._again = self._thread is not None

    def close(self) -> None:
        """Give up what is under way."""
        with self._changed:
            self._wanted = None

    # -- in the thread ---------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._changed:
                commit = self._wanted
                if commit is None:
                    self._thread = None
                    return
            try:
                self._make_ready(commit)
            except StoppedError:  # another one is wanted meanwhile
                continue
            except WorkbenchError as error:
                self._tell(commit, problem=error.message, hint=error.hint)
            except Exception as error:  # the last word on this moment must say what happened
                self._tell(commit, problem=f"{type(error).__name__}: {error}", hint="")
            with self._changed:
                if self._wanted == commit and not self._again:
                    self._wanted = None
                self._again = False

    def _make_ready(self, commit: str) -> None:
        # A repository is read from one thread only.
        with contextlib.closing(Workspace.open(self._service.workspace.root, lenient=True)) as own:
            self._tell(commit, phase="lay out", done=0, total=0)
            with contextlib.closing(open_past(own, commit)) as place:
                if missing_index(place, vectors=False):
                    self._index(place, vectors=False)
                self._keep(open_past(own, commit))
                self._tell(commit, ready=True)
                if missing_index(place, vectors=True):
                    self._index(place, vectors=True)
                    self._tell(commit, ready=True)

    def _index(self, place: PastWorkspace, *, vectors: bool) -> None:
        """Index a moment. Raises StoppedError where another one is wanted meanwhile."""
        from indexing.sync.run import reindex  # noqa: PLC0415 - few ask for the past

        def go_on(progress: SyncProgress) -> None:
            if self._wanted != place.commit:
                raise StoppedError("indexing")
            self._tell(place.commit, phase=progress.phase, done=progress.done, total=progress.total)

        reindex(place, vectors=vectors, progress=go_on)

    def _keep(self, place: PastWorkspace) -> None:
        service = SearchService(place, model=self._service.index.model)
        place.close()  # from now on only its files are read
        with self._changed:
            self._ready[place.commit] = PastSearch(place, service, Moment(place.moment, str(place.root)))
            while len(self._ready) > KEPT:
                self._ready.popitem(last=False)

    def _tell(self, commit: str, **said: object) -> None:
        self._say({"event": "moment", "commit": commit, **said})
