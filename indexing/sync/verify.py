"""Proof that the index is what a clean build would be: words in full, meaning for all or a stated sample.

The clean build happens in a temporary folder. Nothing of the index is written, and none of it is believed:
the books are compared as well as the entries, and questions are asked of both.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from indexing.document import Stored
from indexing.embedding.choice import ModelChoice
from indexing.engines import RefusedError
from indexing.lexical.reader import KeywordMatch, LexicalReader, Snapshot
from indexing.lexical.writer import deleted_share
from indexing.query.question import Question
from indexing.sync.changes import find_changes
from indexing.sync.freshness import freshness
from indexing.sync.generations import Generation, Generations
from indexing.sync.index_keywords import index_words
from indexing.sync.manifest import Manifest, words_fingerprint
from indexing.sync.report import OnProgress, SyncReport
from indexing.sync.sources import Sources
from workbench.errors import IndexUnavailableError
from workbench.history.flaw import Check, Flaw
from workbench.plural import plural
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

QUESTIONS = 50
"""Questions that are asked of both; each must find the same entries with the same scores."""
_ANSWERS = 500
_SHOWN = 10
_WORD = re.compile(r"\w+")
_REINDEX = "run `workbench reindex`"
_ANEW = "run `workbench reindex --full`: it builds the index anew"
_Row = tuple[object, ...]


def verify_index(
    workspace: Workspace, *, model: ModelChoice | None = None, progress: OnProgress = None
) -> list[Check]:
    """Compare the index with a clean build of what is on disk. Writes nothing.

    That it is behind the files is a flaw of the kind ``stale``; what it says of unchanged files is compared
    all the same. No index is no flaw: it can be made at any time. ``model`` stands in for the one in the
    settings.
    """
    fresh = freshness(workspace)
    generation = _generation(workspace)
    if fresh.state == "missing":
        return [Check("words", fresh.summary)]
    if fresh.state in ("damaged", "unreadable") or generation is None:
        return [Check("words", fresh.summary, (Flaw("index", fresh.summary, _REINDEX),))]
    manifest = generation.manifest()
    if manifest is None or manifest.words != words_fingerprint():
        what = "another version of the program made the index"
        return [Check("words", what, (Flaw("stale", what, _REINDEX),))]
    flaws = [Flaw("stale", fresh.behind, _REINDEX)] if fresh.behind else []
    try:
        entries, check = _verify_words(workspace, generation, manifest, flaws, progress)
    except RefusedError:
        raise
    except IndexUnavailableError as error:
        return [Check("words", "the word index", (*flaws, Flaw("index", error.message, _ANEW)))]
    if manifest.model is None:
        return [check, Check("vectors", "none were made")]
    from indexing.sync.verify_vectors import verify_vectors  # noqa: PLC0415 - imports lancedb

    return [check, verify_vectors(workspace, generation, manifest, entries, model)]


def _generation(workspace: Workspace) -> Generation | None:
    try:
        return Generations(workspace.root / STATE_DIR).current()
    except RefusedError:
        return None


def _verify_words(
    workspace: Workspace,
    generation: Generation,
    manifest: Manifest,
    flaws: list[Flaw],
    progress: OnProgress,
) -> tuple[list[Stored], Check]:
    """The indexed entries of files that did not change, and how they compare."""
    snapshot = LexicalReader(generation.lexical).snapshot()
    with TemporaryDirectory(prefix="workbench-verify-") as place:
        clean = Generation(Path(place))
        books = Manifest(manifest.words)
        _build(workspace, clean, books, progress)
        rebuilt = LexicalReader(clean.lexical).snapshot()
        same: set[str] = {
            path
            for path, record in books.files.items()
            if path in manifest.files and manifest.files[path].sha256 == record.sha256
        }
        found, wanted = snapshot.everything(), rebuilt.everything()
        there = {path for path in manifest.files if path in books.files and path not in same}
        gone = set(manifest.files) - set(books.files)
        skipped: set[str] = there | gone | (set(books.files) - set(manifest.files))
        flaws += _books(manifest, books, same, snapshot)
        entries = _rows(found, skipped)
        flaws += _differences(entries, _rows(wanted, skipped))
        asked = 0
        if not skipped and not flaws:
            asked, wrong = _ask_both(snapshot, rebuilt, [row[0] for row in wanted], generation)
            flaws += wrong
    kept = [stored for stored, _, _ in sorted(found, key=lambda row: (row[0].path, row[1]))]
    looked = f"{plural(len(found), 'entry')} of {len(same):,} files beside a clean build"
    looked += f", {plural(asked, 'question')} asked of both" if asked else ""
    looked += f"; {len(skipped)} changed files left out" if skipped else ""
    return [entry for entry in kept if entry.path in same], Check("words", looked, tuple(flaws))


def _build(workspace: Workspace, clean: Generation, books: Manifest, progress: OnProgress) -> None:
    before = time.time_ns()
    clean.folder.mkdir(exist_ok=True)
    sources = Sources(workspace)
    changes = find_changes(sources, sources.scan(), books)
    said: Callable[..., None] = progress or (lambda _: None)
    index_words(sources, clean, books, changes, before, SyncReport(), said)


def _rows(found: Iterable[tuple[Stored, int, KeywordMatch]], skipped: set[str]) -> Counter[tuple[str, _Row]]:
    """Every entry with all that the index says of it, but for when its file was looked at."""
    rows: Counter[tuple[str, _Row]] = Counter()
    for entry, at, match in found:
        if entry.path in skipped:
            continue
        said: _Row = (
            at,
            entry.kind,
            entry.date,
            entry.start_line,
            entry.end_line,
            entry.heading,
            entry.text,
            entry.stamp.digest,
            match.key,
            match.day,
            match.kind,
        )
        rows[entry.address, said] += 1
    return rows


def _books(manifest: Manifest, books: Manifest, same: set[str], snapshot: Snapshot) -> list[Flaw]:
    flaws = [
        Flaw(
            "index",
            f"the manifest says {manifest.files[path].entries} entries of {path}, not {record.entries}",
            _ANEW,
        )
        for path, record in books.files.items()
        if path in same and manifest.files[path].entries != record.entries
    ]
    if manifest.entries != snapshot.count():
        what = f"the manifest says {plural(manifest.entries, 'entry')}, the word index has {snapshot.count()}"
        flaws.append(Flaw("index", what, _ANEW))
    return flaws


def _differences(found: Counter[tuple[str, _Row]], wanted: Counter[tuple[str, _Row]]) -> list[Flaw]:
    more, fewer = found - wanted, wanted - found
    extra, missing = {address for address, _ in more}, {address for address, _ in fewer}
    said = [(address, "is not what its file says") for address in sorted(extra & missing)]
    said += [
        (address, "is in the index, not in its file, or there twice") for address in sorted(extra - missing)
    ]
    said += [(address, "is missing from the index") for address in sorted(missing - extra)]
    flaws = [Flaw("index", f"{address} {what}", _ANEW) for address, what in said[:_SHOWN]]
    if len(said) > _SHOWN:
        flaws.append(Flaw("index", f"and {len(said) - _SHOWN} entries more differ", _ANEW))
    return flaws


def _ask_both(
    snapshot: Snapshot, rebuilt: Snapshot, entries: list[Stored], generation: Generation
) -> tuple[int, list[Flaw]]:
    """Terms are in no stored field: ask for the longest word of entries all over the memory.

    Scores are compared where no deleted entry counts in their statistics.
    """
    entries.sort(key=lambda entry: (entry.path, entry.start_line))
    step = max(1, -(-len(entries) // QUESTIONS))
    words = {max(_WORD.findall(entry.text), key=len, default="") for entry in entries[::step]} - {""}
    exact = not deleted_share(generation.lexical)
    wrong = [
        word for word in sorted(words) if _answer(snapshot, word, exact) != _answer(rebuilt, word, exact)
    ]
    return len(words), [
        Flaw("index", f"asked for “{word}”, the index answers otherwise than a clean build", _ANEW)
        for word in wrong[:_SHOWN]
    ]


def _answer(snapshot: Snapshot, word: str, exact: bool) -> object:
    """All that is found with its score; of very many the best scores, as equals among them have no order."""
    found = snapshot.search(Question(text=word), _ANSWERS)
    if len(found) == _ANSWERS:
        return sorted(round(match.score, 2) for match in found) if exact else len(found)
    return {match.key: round(match.score, 2) if exact else 0.0 for match in found}
