"""Proof that every entry has its one vector, and that it is the vector of its text and neighbours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from indexing.document import Stored, entry_key, file_key, kind_code
from indexing.embedding.cache import EmbeddingCache
from indexing.embedding.choice import ModelChoice, choices
from indexing.engines import engine
from indexing.sync.embed_missing import sections, with_context
from indexing.sync.freshness import without_vector
from indexing.sync.generations import Generation
from indexing.sync.manifest import Manifest
from indexing.sync.run import CACHE_FILE
from indexing.vectors import VectorReader, open_table, vectors_in
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.history.flaw import Check, Flaw
from workbench.memory.names import RelPath
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

COMPARED = 2_000
"""Entries whose vectors are compared with new ones; in a larger memory whole files all over it are chosen."""
ALIKE = 0.999
"""Cosine from which two vectors of one text are the same; a quantised model rounds by what it runs beside."""
_SHOWN = 10
_ANEW = "run `workbench reindex --full`: it builds the index anew"


def verify_vectors(
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
    flaws: list[Flaw] = []
    if manifest.pending:
        what = without_vector(manifest.pending)
        flaws.append(Flaw("stale", what, "run `workbench reindex`"))
    if manifest.lacking:
        what = f"{manifest.lacking} entries have no vector: the model made none of their texts"
        flaws.append(Flaw("stale", what, "words find them; `workbench reindex --full` tries again"))
    try:
        table = _read(generation)
    except IndexUnavailableError as error:
        return Check("vectors", "the vectors", (*flaws, Flaw("vectors", error.message, _ANEW)))
    flaws += _counted(table, covered, {file_key(entry.path) for entry in entries}, manifest)
    flaws += _searched(generation, table)
    chosen = _chosen(covered)
    compared, wrong = _compared(workspace, manifest, table, chosen, model)
    flaws += wrong
    sample = "all" if len(chosen) == len(covered) else f"a sample of {len(chosen):,}"
    looked = f"{len(table.keys):,} vectors for {len(covered):,} entries; {compared:,} compared of {sample}"
    if compared < len(chosen):
        looked += " (the others are not in the cache, and their model cannot be opened)"
    return Check("vectors", looked, tuple(flaws))


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns of the vector table (vectors: (n, d)), and at which row each key stands last."""

    keys: list[int]
    files: list[str]
    kinds: list[int]
    days: list[int]
    vectors: Vectors
    at: dict[int, int]


def _read(generation: Generation) -> _Table:
    table = open_table(generation.vectors)
    with engine("the vectors cannot be read"):
        found = table.to_arrow()
        keys, files, kinds, days = (found.column(name).to_pylist() for name in ("key", "file", "kind", "day"))
        vectors = vectors_in(found)
    return _Table(keys, files, kinds, days, vectors, {key: at for at, key in enumerate(keys)})


def _counted(table: _Table, covered: list[Stored], files: set[str], manifest: Manifest) -> list[Flaw]:
    """Every entry has exactly one vector, with its kind and day."""
    addresses = {entry_key(entry.address): entry.address for entry in covered}
    counts = Counter(table.keys)
    allowed = Counter({path: record.lacking for path, record in manifest.files.items()})
    said = []
    for entry in covered:
        if entry_key(entry.address) not in counts:
            allowed[RelPath(entry.path)] -= 1  # the books say how many could not be made
            if allowed[RelPath(entry.path)] < 0:
                said.append(f"{entry.address} has no vector")
    said += [f"{addresses[key]} has {n} vectors" for key, n in counts.items() if n > 1 and key in addresses]
    known = {file_key(path) for path in manifest.files} - {file_key(path) for path in manifest.leftover}
    foreign = [
        key
        for key, file in zip(table.keys, table.files, strict=True)
        if key not in addresses and (file in files or file not in known)
    ]
    if foreign and not manifest.leftover:
        said.append(f"{len(foreign)} vectors belong to no entry")
    for entry in covered:
        at = table.at.get(entry_key(entry.address))
        if at is None:
            continue
        wanted = (file_key(entry.path), kind_code(entry.kind), entry.date.toordinal() if entry.date else 0)
        if (table.files[at], table.kinds[at], table.days[at]) != wanted:
            said.append(f"the vector of {entry.address} is filed under another file, kind or day")
    return _findings(said)


def _searched(generation: Generation, table: _Table) -> list[Flaw]:
    """An index that holds the vectors a second time finds each as it is stored."""
    if not table.keys:
        return []
    asked = table.vectors.mean(axis=0)
    asked = asked / max(float(np.linalg.norm(asked)), 1e-12)
    try:
        reader = VectorReader(generation.vectors)
        if reader.approximate:
            return []
        found = reader.nearest(asked, len(table.keys))
    except IndexUnavailableError as error:
        return _findings([f"the index of the vectors is damaged: {error.message}"])
    keys = found.keys.tolist()
    if sorted(keys) == sorted(table.keys):
        expected = table.vectors[[table.at[key] for key in keys]] @ asked
        if np.allclose(found.cosines, expected, atol=1e-5):
            return []
    return _findings(["the index of the vectors answers otherwise than the vectors themselves"])


def _chosen(entries: list[Stored]) -> list[Stored]:
    """All entries when they are few; else those of whole files (neighbours matter) all over the memory."""
    if len(entries) <= COMPARED:
        return entries
    files = [list(group) for _, group in groupby(entries, key=lambda entry: entry.path)]
    step = max(1, -(-len(entries) // COMPARED))
    return [entry for file in files[::step] for entry in file]


def _compared(
    workspace: Workspace, manifest: Manifest, table: _Table, entries: list[Stored], model: ModelChoice | None
) -> tuple[int, list[Flaw]]:
    texts = list(dict.fromkeys(entry.text for entry in entries))
    known = _embedded(workspace, manifest, texts, model)
    usable: list[Stored] = []
    for _, group in groupby(entries, key=lambda entry: entry.path):
        file = list(group)
        if all(entry.text in known for entry in file):
            usable += file
    if not usable:
        return 0, []
    wanted = with_context(np.stack([known[entry.text] for entry in usable]), sections(usable))
    said = []
    for entry, expected in zip(usable, wanted, strict=True):
        at = table.at.get(entry_key(entry.address))
        if at is None:
            continue
        vector = table.vectors[at]
        is_unit = bool(abs(float(np.linalg.norm(vector)) - 1.0) < 1e-3)
        if len(vector) != len(expected) or not is_unit or float(vector @ expected) < ALIKE:
            said.append(f"the vector of {entry.address} is not that of its text")
    return len(usable), _findings(said)


def _embedded(
    workspace: Workspace, manifest: Manifest, texts: list[str], model: ModelChoice | None
) -> dict[str, Vectors]:
    """(d,) for each text: from the cache, else from the model that made the vectors, if it is a local one."""
    known: dict[str, Vectors] = {}
    path = workspace.root / STATE_DIR / CACHE_FILE
    identity = manifest.model or ""
    if path.is_file():
        cache = EmbeddingCache(path)
        known.update(cache.get(identity, texts, manifest.dimension))
        cache.close()
    missing = [text for text in texts if text not in known]
    if missing:
        try:
            choice = model or choices(workspace.settings, threads=1).that_made(identity)
            if choice is not None and choice.identity == identity and choice.service is None:
                known.update(zip(missing, choice.open().embed(missing), strict=True))
        except ModelUnavailableError:
            return known
    return known


def _findings(said: list[str]) -> list[Flaw]:
    flaws = [Flaw("vectors", what, _ANEW) for what in said[:_SHOWN]]
    if len(said) > _SHOWN:
        flaws.append(Flaw("vectors", f"and {len(said) - _SHOWN} more", _ANEW))
    return flaws
