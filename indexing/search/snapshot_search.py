"""The moments of the past that a running search was asked about: laid out, indexed, searched.

Making a moment ready takes seconds where memory is large, so it is done in a thread, the indexing itself in a
process of its own; questions about today are answered meanwhile. The moment that was asked for last comes
first: work on another one is given up.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from indexing.search.hybrid import HybridSearch
from indexing.search.snapshot_index import commit_named, last_day, missing_index
from workbench.errors import IndexUnavailableError, WorkbenchError
from workbench.workspace.exit_status import ended
from workbench.workspace.snapshot import KEPT, PastWorkspace, open_past
from workbench.workspace.workspace import Workspace

Say = Callable[[dict[str, object]], None]


@dataclass(frozen=True, slots=True)
class PastSearch:
    """One moment that can be searched."""

    place: PastWorkspace
    search: HybridSearch
    when: str

    def as_json(self) -> dict[str, object]:
        """When it was, and where its files lie to be read."""
        return {"when": self.when, "commit": self.place.commit, "root": os.fspath(self.place.root)}


class Lookback:
    """Moments by their commit. ``search`` makes the search of a place and its day, ``say`` sends an event.

    Events are ``{"event": "moment", "commit", "phase", "done", "total"}`` while one is made ready, then the
    same with ``"ready": true`` (twice: by words, then with vectors) or ``"problem"`` and ``"hint"``.
    """

    def __init__(
        self,
        workspace: Workspace,
        search: Callable[[PastWorkspace, Callable[[], date]], HybridSearch],
        say: Say,
        *,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._workspace = workspace
        self._search = search
        self._say = say
        self._today = today
        self._ready: OrderedDict[str, PastSearch] = OrderedDict()
        self._wanted: str | None = None
        self._again = False
        """What was made ready is gone meanwhile."""
        self._run: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._changed = threading.Lock()

    def at(self, moment: str) -> PastSearch | str:
        """The moment, ready to be searched; or the commit that is being made ready, to be asked for again.

        Raises what ``commit_at`` raises.
        """
        commit = commit_named(self._workspace, moment, self._today()).id
        with self._changed:
            found = self._ready.get(commit)
            if found is not None and found.place.root.is_dir():
                self._ready.move_to_end(commit)
                return found
            if self._ready.pop(commit, None) is not None:  # swept away by who opened other moments
                self._again = self._thread is not None
            if self._wanted != commit:
                self._wanted = commit
                if self._run is not None:
                    self._run.terminate()
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
            if self._run is not None:
                self._run.terminate()

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
            except WorkbenchError as error:
                self._tell(commit, problem=error.message, hint=error.hint)
            except Exception as error:  # the last word on this moment must say what happened
                self._tell(commit, problem=f"{type(error).__name__}: {error}", hint="")
            with self._changed:
                if self._wanted == commit and not self._again:
                    self._wanted = None
                self._again = False

    def _make_ready(self, commit: str) -> None:
        own = Workspace.open(self._workspace.root, lenient=True)  # a repository is read from one thread only
        try:
            self._tell(commit, phase="lay out", done=0, total=0)
            place = open_past(own, commit)
        finally:
            own.close()
        if missing_index(place, vectors=False) and not self._index(place, vectors=False):
            return
        self._keep(place)
        self._tell(commit, ready=True)
        if missing_index(place, vectors=True) and self._index(place):
            self._tell(commit, ready=True)

    def _index(self, place: PastWorkspace, *, vectors: bool = True) -> bool:
        """Index a moment; False where another one is wanted meanwhile. Raises IndexUnavailableError."""
        command = (sys.executable, "-P", "-m", "workbench.worker", "reindex", os.fspath(place.root))
        with self._changed:
            if self._wanted != place.commit:
                return False
            self._run = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": _with_home(os.environ.get("PYTHONPATH", ""))},
            )
        problem = ""
        with self._run as run:
            assert run.stdin is not None
            assert run.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                run.stdin.write(json.dumps({"vectors": vectors}).encode() + b"\n")
                run.stdin.close()
            for line in run.stdout:
                said = _said(line)
                if said.get("event") == "progress":
                    shown = {name: said.get(name) for name in ("phase", "done", "total")}
                    self._tell(place.commit, **shown)
                elif said.get("event") == "error":
                    problem = str(said.get("message"))
        with self._changed:
            code, self._run = run.returncode, None
            if self._wanted != place.commit:
                return False
        if code:
            raise IndexUnavailableError(
                problem or f"indexing that moment {ended(code)}", hint="ask again to try again"
            )
        return True

    def _keep(self, place: PastWorkspace) -> None:
        moment = PastSearch(place, self._search(place, last_day(place)), place.moment)
        place.close()  # from now on only its files are read
        with self._changed:
            self._ready[place.commit] = moment
            while len(self._ready) > KEPT:
                self._ready.popitem(last=False)

    def _tell(self, commit: str, **said: object) -> None:
        self._say({"event": "moment", "commit": commit, **said})


def _said(line: bytes) -> dict[str, object]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _with_home(paths: str) -> str:
    """Where modules are looked for: here first."""
    home = os.fspath(Path(__file__).resolve().parent.parent)
    return os.pathsep.join(filter(None, (home, paths)))
