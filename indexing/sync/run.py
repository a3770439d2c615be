"""A sync of the index with the files: keyword data of changed files, then vectors, the manifest last.

An interrupted sync is found by the next one: files are announced before the first write, and only the
manifest says that something is done.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from indexing.document import Stamp, stored_entries
from indexing.embedding.choice import Choices, ModelChoice, choices
from indexing.embedding.local import bulk_threads
from indexing.embedding.port import Embedder
from indexing.lexical.index import LexicalReader, LexicalWriter, deleted_share
from indexing.storage import REINDEX_HINT, UNWRITABLE, RefusedError, link_in, remove, shape
from indexing.sync.freshness import EVERYTHING, Changes, Scope, find_changes, refuse_if_vanished, scope_of
from indexing.sync.generations import (
    CACHE_FILE,
    RACY_NS,
    FileRecord,
    Generation,
    Generations,
    Manifest,
    words_fingerprint,
)
from indexing.sync.report import (
    Agree,
    DisabledEmbedder,
    OnProgress,
    SpendingGuard,
    SyncProgress,
    SyncReport,
    backfill,
)
from indexing.sync.sources import IndexSources, SourceScan
from workbench.errors import (
    IndexUnavailableError,
    ModelUnavailableError,
    ReadOnlyError,
    WorkbenchError,
    reason_of,
)
from workbench.memory.entry import RelPath
from workbench.workspace.locks import hold
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace

COMPACT_ALWAYS = 2_000
COMPACT_SHARE = 0.05
"""Smaller indexes are rewritten after every deletion, larger ones from this share of deleted entries on.

Rewriting takes about 70 µs of the processor for each entry that there is; below this share, scores are off by
less than 1 % on average and the first hit stays the first (299 of 300 questions, 50,000 entries). It is so
little because no entry is counted over and over: a file that is edited again is in a small segment, which
goes as a whole.
"""

_FILES_A_REPORT = 50


def index_words(
    sources: IndexSources,
    generation: Generation,
    manifest: Manifest,
    changes: Changes,
    before: int,
    report: SyncReport,
    progress: Callable[[SyncProgress], None],
    unsure: Iterable[str] = (),
) -> None:
    """Apply ``changes`` to the keyword index and the manifest of ``generation``.

    The files are announced first, written in one commit of the index, and then noted in the manifest.
    ``before`` is when the files were looked at, in nanoseconds; ``unsure`` names files that an unfinished
    sync may have touched. Raises IndexUnavailableError when the store fails or its count does not come out,
    and OSError.
    """
    due = {**changes.added, **changes.changed}
    touched = [*changes.removed, *(RelPath(path) for path in unsure if path not in manifest.files)]
    gone = [path for path in touched if path not in due]
    generation.announce([*due, *gone])
    with closing(LexicalWriter(generation.lexical)) as writer:
        for path in gone:
            writer.replace(path, ())
            _forget(path, manifest, report)
        for number, file in enumerate(due.values()):
            if number % _FILES_A_REPORT == 0:
                progress(SyncProgress("words", number, len(due)))
            try:
                loaded = sources.load(file.path, file.size)
            except (OSError, WorkbenchError) as error:
                # It keeps what was indexed of it, and is tried again next time.
                report.failed[file.path] = reason_of(error)
                report.changed -= file.path in manifest.files
                report.added -= file.path not in manifest.files
                continue
            size = loaded.size if loaded.tail else file.size
            racy = file.ctime_ns > before - RACY_NS
            stamp = Stamp(size, file.ctime_ns, file.inode, loaded.sha256, racy)
            writer.replace(file.path, stored_entries(loaded.document, stamp))
            _forget(file.path, manifest, report)
            entries = len(loaded.document.entries)
            report.entries_added += entries
            if loaded.bad:
                report.bad_lines[file.path] = loaded.bad
            manifest.files[file.path] = FileRecord(
                size,
                file.ctime_ns,
                file.inode,
                loaded.sha256,
                entries,
                lines=loaded.lines,
                tail=loaded.tail,
                read_as=sources.read_as(file),
            )
        writer.commit()
        if writer.count() != manifest.entries:
            raise IndexUnavailableError("the keyword index did not match its manifest")
    progress(SyncProgress("words", len(due), len(due)))
    manifest.shapes.pop("vectors", None)
    _finish(generation, manifest)


def _forget(path: RelPath, manifest: Manifest, report: SyncReport) -> None:
    """Take a file out of the books; its vectors are still to be removed."""
    if record := manifest.files.pop(path, None):
        report.entries_removed += record.entries
        if path not in manifest.leftover:
            manifest.leftover.append(path)


def compact_words(generation: Generation, manifest: Manifest) -> bool:
    """Rewrite the words where deleted entries would show in the scores; whether that was done.

    Raises IndexUnavailableError and OSError.
    """
    share = deleted_share(generation.lexical)
    if not share or (manifest.entries > COMPACT_ALWAYS and share < COMPACT_SHARE):
        return False
    generation.announce(())
    with closing(LexicalWriter(generation.lexical)) as writer:
        writer.compact()
    _finish(generation, manifest)
    return True


def _finish(generation: Generation, manifest: Manifest) -> None:
    manifest.shapes["lexical"] = shape(generation.lexical)
    generation.write_manifest(manifest)
    generation.finish()


_OTHER_MODEL = "the model has changed"
_VECTORS_DAMAGED = "the vectors were damaged"
_FILES_AT_ONCE = 256
_UNTOUCHED = "your files are not affected; free some space or correct the permissions, then reindex"


def reindex(
    workspace: Workspace,
    *,
    paths: Sequence[str] = (),
    full: bool = False,
    vectors: bool = True,
    dry_run: bool = False,
    progress: OnProgress = None,
    model: ModelChoice | None = None,
    agree: Agree | None = None,
    rebuild: bool = True,
) -> SyncReport:
    """Bring the index up to date with the files; returns what was done.

    Only files at or below ``paths`` are looked at (see ``scope_of``); without any, all. ``full`` builds a new
    generation aside, or reads all of ``paths`` anew, and accepts that files are gone. ``vectors=False``
    leaves meaning for later. ``model`` stands in for the one in the settings. ``agree`` is asked before much
    is sent to a provider that costs money; without it, what the cache does not hold is left.
    ``rebuild=False`` only adds to the index that is searched, as long as it is whole: no other generation is
    begun or published, and no vectors are dropped. Files that cannot be read are reported, not raised.

    Raises BusyError when another sync runs, UsageError for paths that are in no source, WorkspaceError when
    (nearly) all files have vanished, ReadOnlyError, IndexUnavailableError when the stores cannot be written
    even anew, or would have to be written anew without ``rebuild``.
    """
    try:
        sync = _Sync(workspace, paths, full, vectors, progress or (lambda _: None), model, agree, rebuild)
        if dry_run:
            return sync.plan()
        if agree is not None:
            sync.ask()
        with hold(workspace.state_dir() / "index.lock", "reindex"):
            return sync.run()
    except BrokenPipeError:
        raise  # whoever listened to the progress is gone; that is no fault of the index
    except RefusedError as error:
        if error.reason in UNWRITABLE:
            raise ReadOnlyError(error.message, hint=_UNTOUCHED) from error
        raise
    except OSError as error:
        kind = ReadOnlyError if error.errno in UNWRITABLE else IndexUnavailableError
        raise kind(f"the index cannot be written: {reason_of(error)}", hint=_UNTOUCHED) from error


def run(root: Path, _: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """``reindex`` as a task of the worker, without parameters; see ``workbench.worker``."""

    def tell(progress: SyncProgress) -> None:
        context.progress(progress.phase, progress.done, progress.total)

    with closing(Workspace.open(root)) as workspace:
        return {"report": reindex(workspace, progress=tell).as_json()}


class _StayError(Exception):
    """Another model could not take the index over after all; it says with which the index goes on."""


class _Sync:
    def __init__(
        self,
        workspace: Workspace,
        paths: Sequence[str],
        full: bool,
        vectors: bool,
        progress: Callable[[SyncProgress], None],
        model: ModelChoice | None,
        agree: Agree | None,
        rebuild: bool,
    ) -> None:
        self._workspace = workspace
        self._paths, self._full = paths, full
        self._sources = IndexSources(workspace)
        self._scope = EVERYTHING
        self._vectors = vectors
        self._progress = progress
        self._rebuild = rebuild
        self._given = self._model = model
        self._own: ModelChoice | None = None
        self._no_model: str | None = None
        if vectors and model is None:
            try:
                self._model = self._choices.first()
            except ModelUnavailableError as error:
                self._no_model = error.message
        self._cache = workspace.cache_dir() / CACHE_FILE
        self._purse = SpendingGuard(self._cache, workspace.settings.embedding_ask_above, agree)
        self._words = words_fingerprint()
        self._report = SyncReport()
        self._started = time.perf_counter()
        self._generations = Generations(workspace.state_path)
        self._broken: Generation | None = None

    def plan(self) -> SyncReport:
        """What a run would do to which files."""
        current, manifest, changes, found = self._planned()
        self._count(found, changes)
        if self._model is not None:
            texts = self._texts_due(self._model, current, manifest, changes)
            self._report.backfill = backfill(self._model, self._cache, texts)
        self._report.dry_run = True
        return self._finished(current, manifest)

    def ask(self) -> None:
        """Ask what a run would have to, before it holds the lock that others wait for."""
        if self._model is not None and self._model.charges:
            current, manifest, changes, _ = self._planned()
            self._purse.ask(self._model, self._texts_due(self._model, current, manifest, changes))

    def run(self) -> SyncReport:
        """Carry a sync out, a second time in a new generation when the first one meets damage."""
        self._generations.require_in_place()
        self._prefer_own_model()
        try:
            return self._carried_out()
        except _StayError as stay:
            self._report = SyncReport(notes=[str(stay)])
        self._full = False
        return self._carried_out()

    def _carried_out(self) -> SyncReport:
        generation, manifest = self._choose_generation()
        self._scope = self._scope_of(manifest)
        try:
            return self._bring_up_to_date(generation, manifest)
        except RefusedError:
            raise  # another generation would be refused just the same
        except IndexUnavailableError as error:
            if not self._rebuild:
                raise
            self._report = SyncReport(rebuilt=str(error))
            self._broken = generation
        self._scope = EVERYTHING
        return self._bring_up_to_date(self._generations.begin(), Manifest(self._words))

    def _planned(self) -> tuple[Generation | None, Manifest, Changes, SourceScan]:
        """What a run would begin with."""
        current = self._generations.current()
        known = current.manifest() if current and (self._paths or not self._full) else None
        manifest = known or Manifest(self._words)
        self._scope = self._scope_of(manifest)
        found = self._sources.scan()
        changes = find_changes(self._sources, found, manifest, scope=self._scope, believe=self._full)
        return current, manifest, changes, found

    def _scope_of(self, manifest: Manifest) -> Scope:
        """The part to look at: all of it where there is nothing to add a part to."""
        if not self._paths:
            return EVERYTHING
        scope = scope_of(self._paths, self._sources, manifest.files, here=os.getcwd())
        if manifest.files:
            return scope
        self._report.rebuilt = self._report.rebuilt or "there was no index to add to"
        return EVERYTHING

    # -- the model -------------------------------------------------------------------------------

    @cached_property
    def _choices(self) -> Choices:
        return choices(self._workspace.settings, threads=bulk_threads())

    def _prefer_own_model(self) -> None:
        """Go on with the model of the index where another one cannot take it over: it costs, or is silent."""
        current = self._generations.current()
        if self._given or self._model is None or current is None:
            return
        own = self._choices.that_made(current.model())
        if own is None and (lost := self._choices.lost(current.model())):
            self._report.notes.append(f"{self._model.identity} replaces {current.model()}: {lost}")
        if own is None or own.identity == self._model.identity:
            return
        self._own, model = own, self._model
        manifest = current.manifest()
        if model.service is None or manifest is None:
            return
        texts = self._texts_indexed(current, manifest, manifest.files)
        why, self._report.backfill = self._purse.refusal(model, manifest.entries, texts)
        try:
            embedder = model.open()
            if why is None:
                embedder.probe()
        except ModelUnavailableError as error:
            why = error.message
        if why is not None:
            self._report.notes.append(self._stay(own, why))

    def _stay(self, own: ModelChoice, why: str) -> str:
        """Go on with the model of the index; the sentence that says so."""
        self._model, self._own = own, None
        return f"the index keeps {own.identity}: {why}"

    # -- the generation --------------------------------------------------------------------------

    def _choose_generation(self) -> tuple[Generation, Manifest]:
        """The generation to work on: an interrupted build, the current one, or a new one.

        Raises IndexUnavailableError where a new one would be needed, and none is to be begun.
        """
        current, unfinished = self._generations.current(), self._generations.unfinished()
        problem: str | None = "there is none"
        if unfinished and not self._rebuild:
            self._refuse("a full reindex was interrupted")
        known = [*unfinished, *([current] if current else [])]
        for generation in known if self._paths or not self._full else ():
            manifest = generation.manifest()
            problem = next(self._problems(generation, manifest), None)
            if problem is None and manifest is not None:
                return generation, manifest
            if generation == current:
                self._report.rebuilt = problem
                self._broken = None if problem == _OTHER_MODEL else generation
        if not self._rebuild:
            self._refuse(problem)
        return self._generations.begin(), Manifest(self._words)

    def _refuse(self, problem: str | None) -> NoReturn:
        raise IndexUnavailableError(f"the index cannot be updated: {problem}", hint=REINDEX_HINT)

    def _problems(self, generation: Generation, manifest: Manifest | None) -> Iterator[str]:
        """Why a generation cannot be continued. A check may rely on those before it: ask for no more."""
        if manifest is None:
            yield "the manifest was missing or damaged"
            return
        if link_in(generation.folder):
            yield "it contained a link"
        if manifest.words != self._words:
            yield "another version of the program made it"
        if generation.suspected():
            yield "a search found damage"
        if not (generation.lexical / "meta.json").is_file():
            yield "the keyword index was missing"
        if generation.pending() is None and _differs(manifest, "lexical", generation.lexical):
            yield "files of the keyword index are not as the last sync left them: damaged, or new copies"
        if self._model and manifest.model not in (None, self._model.identity):
            yield _OTHER_MODEL

    def _bring_up_to_date(self, generation: Generation, manifest: Manifest) -> SyncReport:
        before = time.time_ns()
        current = self._generations.current()
        found = self._sources.scan()
        self._progress(SyncProgress("scan", len(found.files), len(found.files)))
        pending = generation.pending()
        changes = find_changes(
            self._sources,
            found,
            manifest,
            again=[*(pending or ()), *(self._in_scope(found) if self._full and self._scope else ())],
            scope=self._scope,
            believe=self._full,
        )
        if not self._full:
            # Building anew, what matters is what was there before.
            old = None if manifest.files or current is None else current.manifest()
            refuse_if_vanished(found, (old or manifest).files, self._scope)
        self._count(found, changes)
        fresh = not manifest.files and generation != current
        if _differs(manifest, "vectors", generation.vectors):
            if not self._rebuild:
                self._refuse(_VECTORS_DAMAGED)
            self._forget_vectors(generation, manifest)
        remove(generation.folder / "flat")  # a copy of the vectors that version 0.1 kept
        if not self._scope:
            manifest.synced_ns = before
        written = bool(changes) or pending is not None or fresh
        if written:
            index_words(
                self._sources,
                generation,
                manifest,
                changes,
                before,
                self._report,
                self._progress,
                pending or (),
            )
        for path, file in changes.touched.items():
            record = manifest.files[path]
            record.size, record.ctime_ns, record.inode = file.size, file.ctime_ns, file.inode
        if generation != current and current in (None, self._broken):
            self._generations.publish(generation)  # words now, vectors when they come
        filled = self._fill(generation, manifest)
        if self._own is not None and manifest.pending:
            why = self._report.vectors or "not everything could be embedded"
            raise _StayError(self._stay(self._own, why))
        compacted = compact_words(generation, manifest)
        if written or changes.hashed or filled or compacted:
            manifest.shapes["lexical"] = shape(generation.lexical)
            generation.write_manifest(manifest)
        if self._generations.current() != generation:
            self._generations.publish(generation)
        if self._broken:
            self._broken.set_aside(self._broken.folder)
        self._generations.sweep([generation])
        return self._finished(generation, manifest)

    def _in_scope(self, found: SourceScan) -> list[str]:
        return [file.path for file in found.files if self._scope.holds(file.path)]

    # -- vectors ---------------------------------------------------------------------------------

    def _fill(self, generation: Generation, manifest: Manifest) -> bool:
        """Make the vectors that are missing; whether anything was written."""
        report = self._report
        if manifest.model and generation.model() != manifest.model:
            generation.write_model(manifest.model)
        due = manifest.pending or manifest.leftover or not manifest.model
        if not self._vectors or not due:
            return False
        report.vectors = self._no_model
        if self._model is None:
            return False
        self._progress(SyncProgress("prepare", 0, 1))
        try:
            embedder = self._embedder(self._model, generation, manifest)
        except ModelUnavailableError as error:
            report.vectors = error.message
            return False
        self._progress(SyncProgress("prepare", 1, 1))
        from indexing.sync.embed_missing import fill_vectors  # noqa: PLC0415 - imports lancedb

        for last in (False, True):
            manifest.shapes.pop("vectors", None)
            generation.write_manifest(manifest)
            try:
                fill_vectors(generation, manifest, embedder, self._cache, report, self._progress)
                break
            except ModelUnavailableError as error:
                report.vectors = error.message
                break
            except IndexUnavailableError as error:
                if last or isinstance(error, RefusedError):
                    report.vectors = error.message
                    return True
                self._forget_vectors(generation, manifest)
            finally:
                report.notes += [note for note in embedder.notes if note not in report.notes]
        manifest.shapes["vectors"] = shape(generation.vectors)
        return True

    def _forget_vectors(self, generation: Generation, manifest: Manifest) -> None:
        """Set a damaged vector store aside; the words stay."""
        generation.set_aside(generation.vectors)
        self._report.rebuilt = _VECTORS_DAMAGED
        manifest.leftover.clear()
        manifest.shapes.pop("vectors", None)
        for record in manifest.files.values():
            record.vectors = 0

    def _embedder(self, model: ModelChoice, generation: Generation, manifest: Manifest) -> Embedder:
        """The model, or where it costs more than the person agreed to, what the cache remembers of it."""
        due = [path for path, record in manifest.files.items() if not record.vectors]
        texts = self._texts_indexed(generation, manifest, due)
        why, counted = self._purse.refusal(model, manifest.pending, texts)
        self._report.backfill = counted or self._report.backfill
        return DisabledEmbedder(model.identity, why) if why else model.open()

    def _texts_due(
        self, model: ModelChoice, current: Generation | None, manifest: Manifest, changes: Changes
    ) -> Iterator[str]:
        """The texts whose vectors a run would need: of files that changed, or that wait for theirs."""
        due = {**changes.added, **changes.changed}
        gone = due.keys() | set(changes.removed)
        anew = manifest.model not in (None, model.identity)
        known = (path for path, record in manifest.files.items() if anew or not record.vectors)
        waiting = [path for path in known if path not in gone]
        if current is not None and waiting:
            yield from self._texts_indexed(current, manifest, waiting)
        yield from self._texts_on_disk(due)

    def _texts_indexed(
        self, generation: Generation, manifest: Manifest, paths: Iterable[RelPath]
    ) -> Iterator[str]:
        """The texts of those files as the index has them, or as they are where it is damaged.

        What the index has is what would be sent, also of files that are not there now.
        """
        due = [path for path in paths if manifest.files[path].entries]
        try:
            words = LexicalReader(generation.lexical).snapshot()
            for start in range(0, len(due), _FILES_AT_ONCE):
                some = due[start : start + _FILES_AT_ONCE]
                most = sum(manifest.files[path].entries for path in some)
                yield from (entry.text for entry in words.under(some, most))
        except IndexUnavailableError:
            yield from self._texts_on_disk(due)

    def _texts_on_disk(self, paths: Iterable[RelPath]) -> Iterator[str]:
        for path in paths:
            with contextlib.suppress(OSError, WorkbenchError):  # a run would name what cannot be read
                yield from (entry.text for entry in self._sources.document(path).entries)

    # -- the report ------------------------------------------------------------------------------

    def _count(self, found: SourceScan, changes: Changes) -> None:
        report = self._report
        report.seen = len(self._in_scope(found))
        report.waiting = len(changes.waiting)
        absent = {source.name: source.absent for source, _ in found.counts if source.absent}
        report.absent.update({**absent, **changes.kept})
        report.added = len(changes.added)
        report.changed = len(changes.changed)
        report.removed = len(changes.removed)
        report.unchanged = changes.unchanged
        report.failed.update(changes.failed)

    def _finished(self, generation: Generation | None, manifest: Manifest) -> SyncReport:
        report = self._report
        if not self._vectors:
            report.vectors = "vectors were left out"
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
