"""Bringing the index up to date: words for all that changed first, then vectors, the books last.

Whatever is interrupted, wherever, is found by the next run: files that were touched are announced before
the first write, and nothing counts as done that is not in the manifest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from indexing.changes import Changes, find_changes, reason, refuse_if_vanished
from indexing.embedding.choice import ModelChoice, choose_model
from indexing.engines import UNWRITABLE, RefusedError
from indexing.generations import Generation, Generations
from indexing.index_words import compact_words, index_words
from indexing.manifest import Manifest, words_fingerprint
from indexing.report import OnProgress, Progress, Report
from indexing.storage import set_aside, shape
from workbench.errors import IndexUnavailableError, ModelUnavailableError, ReadOnlyError
from workbench.workspace.layout import STATE_DIR, MemoryFile
from workbench.workspace.locks import hold
from workbench.workspace.workspace import Workspace

CACHE_FILE = "embeddings.sqlite"
_OTHER_MODEL = "the model has changed"
_UNTOUCHED = "your files are untouched; free some space or correct the permissions, then reindex"


def reindex(
    workspace: Workspace,
    *,
    full: bool = False,
    vectors: bool = True,
    dry_run: bool = False,
    progress: OnProgress = None,
    model: ModelChoice | None = None,
    threads: int = 0,
) -> Report:
    """Make the index say what the files say; return what was done.

    ``full`` builds a new generation aside and accepts that files are gone. ``vectors=False`` leaves
    meaning for later. ``model`` stands in for the one in the settings; ``threads`` are those of the
    model (0: all cores but one). Files that cannot be read are reported, not raised.

    Raises BusyError when another sync runs, WorkspaceError when (nearly) all files have vanished,
    ReadOnlyError, IndexUnavailableError when the stores cannot be written even anew.
    """
    sync = _Sync(workspace, vectors=vectors, progress=progress, model=model, threads=threads)
    if dry_run:
        return sync.plan(full=full)
    try:
        with hold(workspace.state_dir() / "index.lock", "reindex"):
            return sync.run(full=full)
    except BrokenPipeError:
        raise  # whoever listened to the progress is gone; that is no fault of the index
    except RefusedError as error:
        if error.reason in UNWRITABLE:
            raise ReadOnlyError(error.message, hint=_UNTOUCHED) from error
        raise
    except OSError as error:
        kind = ReadOnlyError if error.errno in UNWRITABLE else IndexUnavailableError
        raise kind(f"the index cannot be written: {reason(error)}", hint=_UNTOUCHED) from error


class _Sync:
    def __init__(
        self,
        workspace: Workspace,
        *,
        vectors: bool,
        progress: OnProgress,
        model: ModelChoice | None,
        threads: int,
    ) -> None:
        self._workspace = workspace
        self._vectors = vectors
        self._progress: Callable[[Progress], None] = progress or (lambda _: None)
        self._threads = threads
        self._model = model
        self._no_model: str | None = None
        self._words = words_fingerprint()
        self._report = Report()
        self._started = time.perf_counter()
        self._generations = Generations(workspace.root / STATE_DIR)
        self._broken: Generation | None = None
        if vectors and model is None:
            self._choose_model()

    def plan(self, *, full: bool) -> Report:
        """What a run would do to which files."""
        current = self._generations.current()
        manifest = (current.manifest() if current and not full else None) or Manifest(self._words)
        files = self._workspace.scan()
        self._count(files, find_changes(files, manifest, self._workspace.read))
        self._report.entries = manifest.entries
        self._report.dry_run = True
        return self._finished(current, manifest)

    def run(self, *, full: bool) -> Report:
        """Carry a sync out, a second time in a new generation when the first one meets damage."""
        generation, manifest = self._choose_generation(full)
        try:
            return self._bring_up_to_date(generation, manifest, full)
        except RefusedError:
            raise  # another generation would be refused just the same
        except IndexUnavailableError as error:
            self._report = Report(rebuilt=str(error))
            self._broken = generation
        return self._bring_up_to_date(self._generations.begin(), Manifest(self._words), full)

    def _choose_model(self) -> None:
        from indexing.embedding.select import bulk_threads  # noqa: PLC0415

        try:
            threads = self._threads or bulk_threads()
            self._model = choose_model(self._workspace.settings.model, threads=threads)
        except ModelUnavailableError as error:
            self._no_model = error.message

    def _choose_generation(self, full: bool) -> tuple[Generation, Manifest]:
        """The generation to work on: an interrupted build, the current one, or a new one."""
        if not full:
            current = self._generations.current()
            for generation in [*self._generations.unfinished(), *([current] if current else [])]:
                manifest = generation.manifest()
                problem = self._problem(generation, manifest)
                if problem is None and manifest is not None:
                    return generation, manifest
                if generation == current:
                    self._report.rebuilt = problem
                    self._broken = None if problem == _OTHER_MODEL else generation
        return self._generations.begin(), Manifest(self._words)

    def _problem(self, generation: Generation, manifest: Manifest | None) -> str | None:
        """Why a generation cannot be continued, or None."""
        if manifest is None:
            return "the manifest was missing or damaged"
        checks: list[tuple[str, Callable[[], bool]]] = [
            ("another version of the program made it", lambda: manifest.words != self._words),
            ("a search met damage", generation.suspected),
            ("the word index was missing", lambda: not (generation.lexical / "meta.json").is_file()),
            (
                "the word index was damaged",
                lambda: generation.pending() is None and _differs(manifest, "lexical", generation.lexical),
            ),
            (_OTHER_MODEL, lambda: self._other_model(manifest)),
        ]
        return next((why for why, holds in checks if holds()), None)

    def _other_model(self, manifest: Manifest) -> bool:
        return self._model is not None and manifest.model not in (None, self._model.identity)

    def _bring_up_to_date(self, generation: Generation, manifest: Manifest, full: bool) -> Report:
        before = time.time_ns()
        current = self._generations.current()
        files = self._workspace.scan()
        self._progress(Progress("scan", len(files), len(files)))
        pending = generation.pending()
        changes = find_changes(files, manifest, self._workspace.read, pending or ())
        if not full:
            self._refuse_if_vanished(changes, manifest, current, files)
        self._count(files, changes)
        fresh = not manifest.files and generation != current
        if _differs(manifest, "vectors", generation.vectors):
            self._forget_vectors(generation, manifest)
        if changes or pending is not None or fresh:
            index_words(
                self._workspace,
                generation,
                manifest,
                changes,
                before,
                self._report,
                self._progress,
                unsure=pending or (),
            )
        for path, file in changes.touched.items():
            record = manifest.files[path]
            record.size, record.ctime_ns, record.inode = file.size, file.ctime_ns, file.inode
        hashed = bool(changes.digests)
        manifest.synced_ns = before
        if generation != current and current in (None, self._broken):
            self._generations.publish(generation)  # words now, vectors when they come
        filled = self._fill(generation, manifest)
        compacted = compact_words(generation, manifest)
        if changes or pending is not None or fresh or hashed or filled or compacted:
            manifest.shapes["lexical"] = shape(generation.lexical)
            generation.write_manifest(manifest)
        if self._generations.current() != generation:
            self._generations.publish(generation)
        if self._broken:
            self._generations.set_aside(self._broken)
        self._generations.sweep([generation])
        return self._finished(generation, manifest)

    def _refuse_if_vanished(
        self,
        changes: Changes,
        manifest: Manifest,
        current: Generation | None,
        files: list[MemoryFile],
    ) -> None:
        known = manifest
        if not known.files and current and (old := current.manifest()):
            known = old  # building anew: what matters is what was there before
            names = {file.path for file in files}
            changes = Changes(removed=[path for path in old.files if path not in names])
        refuse_if_vanished(changes, known)

    def _fill(self, generation: Generation, manifest: Manifest) -> bool:
        """Make the vectors that are missing; whether anything was written."""
        if manifest.model and generation.model() != manifest.model:
            generation.write_model(manifest.model)
        due = manifest.pending or manifest.leftover or not manifest.model
        if not self._vectors or not due:
            return False
        if self._model is None:
            self._report.vectors = self._no_model
            return False
        self._progress(Progress("prepare", 0, 1))
        try:
            embedder = self._model.open()
        except ModelUnavailableError as error:
            self._report.vectors = error.message
            return False
        self._progress(Progress("prepare", 1, 1))
        from indexing.fill import fill_vectors  # noqa: PLC0415 - imports lancedb

        cache = self._workspace.cache_dir() / CACHE_FILE
        for last in (False, True):
            manifest.shapes.pop("vectors", None)
            generation.write_manifest(manifest)
            try:
                fill_vectors(generation, manifest, embedder, cache, self._report, self._progress)
                break
            except IndexUnavailableError as error:
                if last or isinstance(error, RefusedError):
                    self._report.vectors = error.message
                    return True
                self._forget_vectors(generation, manifest)
        manifest.shapes["vectors"] = shape(generation.vectors)
        return True

    def _forget_vectors(self, generation: Generation, manifest: Manifest) -> None:
        """Set a damaged vector store aside; the words stay."""
        set_aside(generation.vectors, self._generations.folder / "set-aside")
        self._report.rebuilt = "the vectors were damaged"
        manifest.leftover.clear()
        manifest.shapes.pop("vectors", None)
        for record in manifest.files.values():
            record.vectors = False

    def _count(self, files: list[MemoryFile], changes: Changes) -> None:
        report = self._report
        report.seen = len(files)
        report.added = len(changes.added)
        report.changed = len(changes.changed)
        report.removed = len(changes.removed)
        report.unchanged = changes.unchanged
        report.failed.update(changes.failed)

    def _finished(self, generation: Generation | None, manifest: Manifest) -> Report:
        report = self._report
        if not self._vectors:
            report.vectors = "left out"
        elif self._no_model and report.vectors is None:
            report.vectors = self._no_model
        report.entries = manifest.entries
        report.generation = generation.name if generation else ""
        report.fingerprint = manifest.fingerprint
        report.seconds = time.perf_counter() - self._started
        return report


def _differs(manifest: Manifest, store: str, folder: Path) -> bool:
    """Whether the files of a store are not those that were there after the last sync."""
    return store in manifest.shapes and manifest.shapes[store] != shape(folder)
