"""The stores of the index: words, vectors and the cache, as they lie on the disk."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from indexing.engines import RefusedError
from indexing.lexical.reader import LexicalReader
from indexing.lexical.schema import open_index
from indexing.storage import read_json, shape
from indexing.sync.freshness import NO_INDEX
from indexing.sync.generations import Generation, Generations
from indexing.sync.manifest import Manifest, words_fingerprint
from indexing.sync.run import CACHE_FILE
from indexing.vectors.flat_card import INDEX_ROWS, fitting_card, newest_version
from workbench.errors import IndexUnavailableError
from workbench.health.finding import Finding, Look
from workbench.health.index_checks import RUNNING
from workbench.health.lock_checks import SYNC, is_busy
from workbench.health.rebuild import REINDEX, rebuild, suspect_and_rebuild
from workbench.health.set_aside import put_aside
from workbench.health.subject import CheckSubject
from workbench.plural import plural
from workbench.temporary import scratch
from workbench.workspace.locks import hold

_READ = 20_000
"""An index of so many entries is read in full; more would take longer than anybody waits here."""
_NAMED = 3


def words(place: CheckSubject) -> Look:
    """The word index: its files as they were left, its fields, its count, and its entries readable."""
    found = _at_rest(place)
    if isinstance(found, str):
        return Look(found)
    generation, manifest = found
    if manifest.words != words_fingerprint():
        return Look("another version made it")
    findings = [
        _damaged(place, f"{generation.name}/lexical: {what}")
        for what in _changed(generation.lexical, manifest, "lexical", generation.pending() is not None)
    ]
    if findings:
        return Look(generation.name, tuple(findings[:_NAMED]))
    try:
        seen, problem = _read_words(generation, manifest)
    except RefusedError as error:
        return Look(generation.name, (Finding(what=error.message, do=error.hint),))
    except IndexUnavailableError as error:
        seen, problem = generation.name, error.message
    return Look(seen, (_read_damaged(place, problem),) if problem else ())


def _read_words(generation: Generation, manifest: Manifest) -> tuple[str, str]:
    """What was read of the word index, and what is wrong with it. Raises IndexUnavailableError."""
    if fields := _other_fields(generation.lexical):
        return generation.name, f"the word index has other fields: {fields}"
    snapshot = LexicalReader(generation.lexical).snapshot()
    count = snapshot.count()
    if generation.pending() is None and count != manifest.entries:
        return (
            generation.name,
            f"the word index has {plural(count, 'entry')}, its manifest says {manifest.entries}",
        )
    if count > _READ:
        return f"{plural(count, 'entry')}; `workbench verify` reads them all", ""
    return f"{plural(len(snapshot.everything()), 'entry')}, all of them read", ""


def vectors(place: CheckSubject) -> Look:
    """The vectors: their files as they were left, and by one model."""
    found = _at_rest(place)
    if isinstance(found, str):
        return Look(found)
    generation, manifest = found
    if manifest.model is None and not generation.vectors.exists():
        return Look("none were made")
    pending = generation.pending() is not None
    findings = [
        _damaged(place, f"{generation.name}/vectors: {what}")
        for what in _changed(generation.vectors, manifest, "vectors", pending)
    ]
    made_by = generation.model()
    if manifest.model is not None and made_by != manifest.model:
        what = f"{generation.name}/model.json says {made_by or 'nothing'}, the manifest says {manifest.model}"
        findings.append(_damaged(place, what))
    if not findings and "vectors" not in manifest.shapes and manifest.model is not None:
        findings += _opened(place, generation, manifest)
    about = f"{plural(manifest.entries - manifest.pending, 'vector')} of {manifest.dimension} dimensions"
    return Look(f"{about} by {manifest.model}", tuple(findings[:_NAMED]))


def flat(place: CheckSubject) -> Look:
    """The copy of the vectors that searches read: of the table as it is, and every byte as it was written."""
    found = _at_rest(place)
    if isinstance(found, str):
        return Look(found)
    generation, manifest = found
    due = manifest.pending or manifest.leftover or not manifest.model or manifest.entries > INDEX_ROWS
    if due or newest_version(generation.vectors) is None:
        return Look("none is due")
    card = fitting_card(generation.flat, generation.vectors)
    if card is None:
        finding = Finding(
            what="the copy of the vectors that searches read is missing, or of another state of them",
            meaning="searches by meaning read the vectors themselves, which takes longer",
            do=REINDEX,
            severity="info",
            repair=partial(rebuild, place),
        )
        return Look(generation.name, (finding,))
    from indexing.vectors.flat import intact  # noqa: PLC0415 - imports numpy

    if not intact(generation.flat, card):
        finding = Finding(
            what=f"{generation.name}/flat: the copy of the vectors is not what was written",
            meaning="searches by meaning may find the wrong entries: a failing disk, or somebody's hand",
            do="--fix sets it aside and copies the vectors anew",
            repair=partial(_without_copy, place, generation),
        )
        return Look(generation.name, (finding,))
    return Look(f"{card.base.rows + (card.later.rows if card.later else 0):,} rows")


def cache(place: CheckSubject) -> Look:
    """The vectors that were computed before, by text."""
    path = place.state / CACHE_FILE
    if not path.is_file():
        return Look("there is none")
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1.0)) as base:
            (count,) = base.execute("SELECT COUNT(*) FROM vectors").fetchone()
            (said,) = base.execute("PRAGMA quick_check(1)").fetchone()
            problem = "" if said == "ok" else str(said).partition("\n")[0]
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            return Look(f"not to be read now: {error}")
        count, problem = 0, str(error)
    except sqlite3.Error as error:
        count, problem = 0, str(error)
    findings = []
    if problem:
        findings.append(
            Finding(
                what=f"{CACHE_FILE} is damaged: {problem}",
                meaning="what was embedded before would be embedded once more; no answer depends on it",
                do="--fix sets it aside; a new one fills by itself",
                repair=partial(_without_cache, place, path),
            )
        )
    return Look(f"{plural(count, 'text')}", tuple(findings))


def _at_rest(place: CheckSubject) -> tuple[Generation, Manifest] | str:
    """The generation in use and its manifest, or why there is nothing to judge."""
    if is_busy(place, SYNC):
        return RUNNING
    try:
        generation = Generations(place.state).current()
        manifest = generation.manifest() if generation else None
    except RefusedError as error:
        return error.message
    if generation is None or manifest is None:
        return NO_INDEX
    return generation, manifest


def _changed(folder: Path, manifest: Manifest, store: str, pending: bool) -> Iterator[str]:
    """What is different from how the last sync left a store; after an unfinished one only what is empty."""
    if not folder.is_dir():
        if manifest.entries and (store == "lexical" or manifest.model is not None):
            yield "is missing"
        return
    now = shape(folder)
    then = manifest.shapes.get(store)
    for name in sorted(now):
        if not now[name][0] and then is not None and then.get(name, [1])[0]:
            yield f"{name} is empty"
    if pending or then is None or then == now:
        return
    for name in sorted(then.keys() - now.keys()):
        yield f"{name} is missing"
    for name in sorted(now.keys() - then.keys()):
        yield f"{name} is not from the last sync"
    for name in sorted(now.keys() & then.keys()):
        if now[name][0] != then[name][0] and now[name][0]:
            yield f"{name} has {plural(now[name][0], 'byte')}, not {then[name][0]}"
        elif now[name][1] != then[name][1] and now[name][0]:
            yield f"{name} was changed since the last sync"


def _other_fields(folder: Path) -> str:
    """How the fields of the word index differ from those of this version, in words; empty: not at all."""
    with scratch("doctor") as fresh:
        open_index(fresh, create=True)
        wanted = _fields(fresh)
    found = _fields(folder)
    if found == wanted:
        return ""
    names = sorted(found.keys() ^ wanted.keys()) or sorted(n for n in found if found[n] != wanted[n])
    return ", ".join(names[:_NAMED])


def _fields(folder: Path) -> dict[str, str]:
    meta = read_json(folder / "meta.json")
    rows = meta.get("schema", ()) if isinstance(meta, dict) else ()
    return {str(row.get("name")): json.dumps(row, sort_keys=True) for row in rows if isinstance(row, dict)}


def _opened(place: CheckSubject, generation: Generation, manifest: Manifest) -> list[Finding]:
    """Without a note of their files only opening them tells; that needs the engine."""
    from indexing.vectors.table import open_table  # noqa: PLC0415 - imports lancedb

    try:
        table = open_table(generation.vectors)
        width = int(table.schema.field("vector").type.list_size)
    except RefusedError as error:
        return [Finding(what=error.message, do=error.hint)]
    except IndexUnavailableError as error:
        return [_read_damaged(place, error.message)]
    except (KeyError, AttributeError) as error:
        return [_read_damaged(place, f"the vectors have no column of vectors: {error}")]
    if width != manifest.dimension:
        return [_read_damaged(place, f"the vectors have {width} dimensions, not {manifest.dimension}")]
    return []


def _damaged(place: CheckSubject, what: str) -> Finding:
    return Finding(what=what, meaning=_MEANING, do=REINDEX, repair=partial(rebuild, place))


def _read_damaged(place: CheckSubject, what: str) -> Finding:
    return Finding(what=what, meaning=_MEANING, do=REINDEX, repair=partial(suspect_and_rebuild, place))


_MEANING = "answers may be missing or wrong; the files are untouched, and the next reindex makes it again"


def _without_copy(place: CheckSubject, generation: Generation) -> str:
    with hold(place.state / SYNC, "doctor"):
        where = put_aside(place, generation.flat)
    return f"moved to {where.relative_to(place.root)}; {rebuild(place)}"


def _without_cache(place: CheckSubject, path: Path) -> str:
    for end in ("-wal", "-shm"):
        if os.path.exists(f"{path}{end}"):
            put_aside(place, Path(f"{path}{end}"))
    return f"moved to {put_aside(place, path).relative_to(place.root)}"
