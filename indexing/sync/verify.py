"""Proof that the index equals a clean build of the files: all keywords, and all vectors or a sample."""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from indexing.document import Stamp, Stored, file_key, kind_code
from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.port import TextVectors, Vectors
from indexing.lexical.index import LexicalReader, Snapshot, deleted_share
from indexing.query.question import Question
from indexing.ranking.order import Candidate
from indexing.storage import RefusedError, engine
from indexing.sync.entry_vectors import known_vectors, vectors_of
from indexing.sync.freshness import OTHER_VERSION, find_changes, freshness, without_vector
from indexing.sync.generations import Generation, Generations, Manifest
from indexing.sync.report import OnProgress, SyncReport
from indexing.sync.run import index_words
from indexing.sync.sources import IndexSources
from indexing.vectors import VectorReader, open_table, vectors_in
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.history.verify import Check, IntegrityProblem
from workbench.memory.entry import RelPath
from workbench.plural import first_few, plural
from workbench.workspace.workspace import Workspace

QUESTIONS = 50
"""Questions that are asked of both; each must find the same entries with the same scores."""
COMPARED = 2_000
"""Entries whose vectors are compared with new ones; in a larger memory whole files all over it are chosen."""
ALIKE = 0.999
"""Cosine from which two vectors of one text are the same; a quantised model rounds by what it runs beside."""
_ANSWERS = 500
_SHOWN = 10
_WORD = re.compile(r"\w+")
_REINDEX = "run `workbench reindex`"
_ANEW = "run `workbench reindex --full`: it rebuilds the index"


def verify_index(
    workspace: Workspace, *, model: ModelChoice | None = None, progress: OnProgress = None
) -> list[Check]:
    """Compare the index with a clean build of the files in a temporary folder. Writes nothing else.

    The manifest, the entries, and the answers to QUESTIONS questions are compared. Every entry must have one
    vector, which is that of its text and its neighbours.

    That it is behind the files is a flaw of the kind ``stale``; what it says of unchanged files is compared
    all the same. No index is no flaw: it can be made at any time. ``model`` stands in for the one in the
    settings.
    """
    fresh = freshness(workspace)
    if fresh.state == "missing":
        return [Check("words", fresh.summary)]
    if fresh.state in ("damaged", "unreadable"):
        return [Check("words", fresh.summary, (IntegrityProblem("index", fresh.summary, _REINDEX),))]
    generation = Generations(workspace.state_path).current()
    manifest = generation.manifest() if generation else None
    if generation is None or manifest is None or fresh.state == "outdated":
        return [Check("words", OTHER_VERSION, (IntegrityProblem("stale", OTHER_VERSION, _REINDEX),))]
    flaws = [IntegrityProblem("stale", fresh.behind, _REINDEX)] if fresh.behind else []
    try:
        entries, check = _verify_words(workspace, generation, manifest, flaws, progress)
    except RefusedError:
        raise
    except IndexUnavailableError as error:
        return [
            Check("words", "the keyword index", (*flaws, IntegrityProblem("index", error.message, _ANEW)))
        ]
    if manifest.model is None:
        return [check, Check("vectors", "none were made")]
    return [check, _verify_vectors(workspace, generation, manifest, entries, model)]


def _verify_words(
    workspace: Workspace,
    generation: Generation,
    manifest: Manifest,
    flaws: list[IntegrityProblem],
    progress: OnProgress,
) -> tuple[list[Stored], Check]:
    """The indexed entries of files that did not change, and how they compare."""
    snapshot = LexicalReader(generation.lexical).snapshot()
    with TemporaryDirectory(prefix="workbench-verify-") as place:
        before, sources = time.time_ns(), IndexSources(workspace)
        clean, books = Generation(Path(place)), Manifest(manifest.words)
        changes = find_changes(sources, sources.scan(), books)
        said: Callable[..., None] = progress or (lambda _: None)
        index_words(sources, clean, books, changes, before, SyncReport(), said)
        rebuilt = LexicalReader(clean.lexical).snapshot()
        same = {
            path
            for path, record in books.files.items()
            if path in manifest.files and manifest.files[path].sha256 == record.sha256
        }
        skipped = (manifest.files.keys() | books.files.keys()) - same
        found = sorted(snapshot.everything(), key=lambda row: (row[0].path, row[1]))
        wanted = rebuilt.everything()
        flaws += _books(manifest, books, same, snapshot)
        flaws += _differences(_rows(found, skipped), _rows(wanted, skipped))
        asked = 0
        if not skipped and not flaws:
            asked, wrong = _ask_both(snapshot, rebuilt, [row[0] for row in wanted], generation)
            flaws += wrong
    looked = f"{plural(len(found), 'entry')} of {plural(len(same), 'file')}"
    looked += f" and {plural(asked, 'test query')}" if asked else ""
    looked += ", compared with a clean build"
    looked += f"; {plural(len(skipped), 'changed file')} left out" if skipped else ""
    return [entry for entry, _, _ in found if entry.path in same], Check("words", looked, tuple(flaws))


def _rows(
    found: Iterable[tuple[Stored, int, Candidate]], skipped: Collection[str]
) -> Counter[tuple[str, object]]:
    """Every entry with all that the index says of it, but for when its file was looked at."""
    return Counter(
        (
            entry.address,
            (
                at,
                replace(entry, stamp=Stamp(0, 0, 0, entry.stamp.digest)),
                (match.key, match.day, match.kind, match.marks),
            ),
        )
        for entry, at, match in found
        if entry.path not in skipped
    )


def _books(
    manifest: Manifest, books: Manifest, same: Collection[RelPath], snapshot: Snapshot
) -> list[IntegrityProblem]:
    said = [
        f"the manifest says {manifest.files[path].entries} entries of {path}, not {record.entries}"
        for path, record in books.files.items()
        if path in same and manifest.files[path].entries != record.entries
    ]
    if manifest.entries != snapshot.count():
        indexed = f"the keyword index has {snapshot.count()}"
        said.append(f"the manifest says {plural(manifest.entries, 'entry')}, {indexed}")
    return _flaws("index", said)


def _differences(
    found: Counter[tuple[str, object]], wanted: Counter[tuple[str, object]]
) -> list[IntegrityProblem]:
    extra, missing = {address for address, _ in found - wanted}, {address for address, _ in wanted - found}
    said = [f"{address} differs from its file" for address in sorted(extra & missing)]
    said += [
        f"{address} is in the index but not in its file, or twice" for address in sorted(extra - missing)
    ]
    said += [f"{address} is missing from the index" for address in sorted(missing - extra)]
    return _flaws("index", said)


def _flaws(kind: str, said: Sequence[str]) -> list[IntegrityProblem]:
    """The first of what was found, and how many more there are."""
    return [IntegrityProblem(kind, what, _ANEW) for what in first_few(said, _SHOWN)]


def _ask_both(
    snapshot: Snapshot, rebuilt: Snapshot, entries: list[Stored], generation: Generation
) -> tuple[int, list[IntegrityProblem]]:
    """Terms are in no stored field: ask for the longest word of entries all over the memory.

    Scores are compared where no deleted entry counts in their statistics.
    """
    entries.sort(key=lambda entry: (entry.path, entry.start_line))
    step = max(1, -(-len(entries) // QUESTIONS))
    words = {max(_WORD.findall(entry.text), key=len, default="") for entry in entries[::step]} - {""}
    exact = not deleted_share(generation.lexical)
    wrong = [
        f"asked for “{word}”, the index and a clean build give different results"
        for word in sorted(words)
        if _answer(snapshot, word, exact) != _answer(rebuilt, word, exact)
    ]
    return len(words), _flaws("index", wrong)


def _answer(snapshot: Snapshot, word: str, exact: bool) -> object:
    """All that is found with its score; of very many the best scores, as equals among them have no order."""
    found = snapshot.search(Question(text=word), _ANSWERS)
    if len(found) == _ANSWERS:
        return sorted(round(match.bm25, 2) for match in found) if exact else len(found)
    return {match.key: round(match.bm25, 2) if exact else 0.0 for match in found}


def _verify_vectors(
    workspace: Workspace,
    generation: Generation,
    manifest: Manifest,
    entries: list[Stored],
    model: ModelChoice | None,
) -> Check:
    """Compare the vectors of one generation with its ``entries``, each file's in its order.

    Texts that are not in the cache are embedded anew where the model that made the vectors can be opened.
    """
    covered = [entry for entry in entries if manifest.files[RelPath(entry.path)].vectors]
    flaws: list[IntegrityProblem] = []
    if manifest.pending:
        flaws.append(IntegrityProblem("stale", without_vector(manifest.pending), _REINDEX))
    if manifest.lacking:
        what = f"{manifest.lacking} entries have no vector: the model made none of their texts"
        flaws.append(
            IntegrityProblem(
                "stale", what, "keyword search finds them; `workbench reindex --full` tries again"
            )
        )
    try:
        table = open_table(generation.vectors)
        with engine("the vectors cannot be read"):
            rows = table.to_arrow()
    except IndexUnavailableError as error:
        return Check("vectors", "the vectors", (*flaws, IntegrityProblem("vectors", error.message, _ANEW)))
    stored = dict(zip(rows["key"].to_pylist(), vectors_in(rows), strict=True))
    flaws += _counted(rows, covered, {file_key(entry.path) for entry in entries}, manifest)
    flaws += _searched(generation, rows["key"].to_pylist(), stored)
    chosen = _chosen(covered)
    compared, wrong = _compared(workspace, manifest, stored, chosen, model)
    flaws += wrong
    sample = "all" if len(chosen) == len(covered) else f"a sample of {len(chosen):,}"
    looked = f"{len(rows):,} vectors for {len(covered):,} entries; {compared:,} compared of {sample}"
    if compared < len(chosen):
        looked += " (the others are not in the cache, and their model cannot be opened)"
    return Check("vectors", looked, tuple(flaws))


def _counted(rows: Any, covered: list[Stored], files: set[str], manifest: Manifest) -> list[IntegrityProblem]:
    """Every entry has exactly one vector, with its kind and day. ``rows`` is the table as Arrow has it."""
    columns = (rows[name].to_pylist() for name in ("key", "file", "kind", "day"))
    filed: dict[int, list[list[object]]] = {}
    for key, *label in zip(*columns, strict=True):
        filed.setdefault(key, []).append(label)
    allowed = Counter({path: record.lacking for path, record in manifest.files.items()})
    said = []
    for entry in {entry.key: entry for entry in covered}.values():
        labels = filed.pop(entry.key, [])
        if not labels:
            allowed[RelPath(entry.path)] -= 1  # the books say how many could not be made
            if allowed[RelPath(entry.path)] < 0:
                said.append(f"{entry.address} has no vector")
        elif len(labels) > 1:
            said.append(f"{entry.address} has {len(labels)} vectors")
        elif labels != [[file_key(entry.path), kind_code(entry.kind), entry.day]]:
            said.append(f"the vector of {entry.address} is stored under another file, kind or day")
    known = {file_key(path) for path in manifest.files}
    foreign = sum(file in files or file not in known for labels in filed.values() for file, *_ in labels)
    if foreign and not manifest.leftover:
        said.append(f"{foreign} vectors belong to no entry")
    return _flaws("vectors", said)


def _searched(
    generation: Generation, keys: list[int], stored: Mapping[int, Vectors]
) -> list[IntegrityProblem]:
    """An index that holds the vectors a second time finds each as it is stored."""
    if not keys:
        return []
    asked = np.mean(list(stored.values()), axis=0)
    asked = asked / max(float(np.linalg.norm(asked)), 1e-12)
    try:
        reader = VectorReader(generation.vectors)
        if reader.approximate:
            return []
        found = reader.nearest(asked, len(keys))
    except IndexUnavailableError as error:
        return _flaws("vectors", [f"the vector index is damaged: {error.message}"])
    answered = found.keys.tolist()
    if sorted(answered) == sorted(keys):
        expected = np.stack([stored[key] for key in answered]) @ asked
        if np.allclose(found.cosines, expected, atol=1e-5):
            return []
    return _flaws("vectors", ["the vector index and the vectors give different results"])


def _chosen(entries: list[Stored]) -> list[Stored]:
    """All entries when they are few; else those of whole files (neighbours matter) all over the memory."""
    if len(entries) <= COMPARED:
        return entries
    files = [list(group) for _, group in groupby(entries, key=lambda entry: entry.path)]
    step = max(1, -(-len(entries) // COMPARED))
    return [entry for file in files[::step] for entry in file]


def _compared(
    workspace: Workspace,
    manifest: Manifest,
    stored: Mapping[int, Vectors],
    entries: list[Stored],
    model: ModelChoice | None,
) -> tuple[int, list[IntegrityProblem]]:
    texts = list(dict.fromkeys(entry.text for entry in entries))
    known = _embedded(workspace, manifest, texts, model)
    incomplete = {entry.path for entry in entries if entry.text not in known}
    usable = [entry for entry in entries if entry.path not in incomplete]
    if not usable:
        return 0, []
    said = []
    wanted = vectors_of(usable, known, manifest.dimension)
    for entry, expected in zip(usable, wanted, strict=True):
        vector = stored.get(entry.key)
        if vector is None:
            continue
        is_unit = bool(abs(float(np.linalg.norm(vector)) - 1.0) < 1e-3)
        if len(vector) != len(expected) or not is_unit or float(vector @ expected) < ALIKE:
            said.append(f"the vector of {entry.address} is not that of its text")
    return len(usable), _flaws("vectors", said)


def _embedded(
    workspace: Workspace, manifest: Manifest, texts: list[str], model: ModelChoice | None
) -> TextVectors:
    """(d,) for each text: from the cache, else from the model that made the vectors, if it is a local one."""
    known: TextVectors = known_vectors(workspace, texts) or {}
    identity = manifest.model or ""
    missing = [text for text in texts if text not in known]
    if missing:
        with contextlib.suppress(ModelUnavailableError):
            choice = model or choices(workspace.settings, threads=1).that_made(identity)
            if choice is not None and choice.identity == identity and choice.service is None:
                known.update(zip(missing, choice.open().embed(missing), strict=True))
    return known
