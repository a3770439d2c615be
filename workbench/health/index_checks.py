"""The index: its pointer and manifest, whose it is, its stores on the disk, and how far it is behind."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from indexing.embedding.choice import choices
from indexing.engines import RefusedError
from indexing.lexical.reader import LexicalReader
from indexing.lexical.schema import open_index
from indexing.storage import read_json, shape
from indexing.sync.freshness import NO_INDEX, NO_VECTORS, Freshness, freshness
from indexing.sync.generations import Generation, Generations
from indexing.sync.manifest import FORMAT, Manifest, words_fingerprint
from indexing.sync.run import CACHE_FILE, reindex
from indexing.vectors.flat_card import INDEX_ROWS, fitting_card, newest_version
from workbench.errors import IndexUnavailableError, ModelUnavailableError, WorkbenchError
from workbench.health.finding import Figure, Finding, Fix, Look
from workbench.health.models import is_asked, local_model
from workbench.health.subject import ASIDE, SYNC, CheckSubject, put_into
from workbench.memory.names import RelPath, is_outside
from workbench.plural import plural
from workbench.temporary import scratch
from workbench.workspace.locks import hold

REINDEX = "run `workbench reindex`"
_RUNNING = "a reindex is running: the index is not judged now"
_MEANING = "answers may be missing or wrong; the files are untouched, and the next reindex makes it again"
_LOOKED_AT = 200
"""Indexed files that are compared with those on disk to tell whose index it is."""
_READ = 20_000
"""An index of so many entries is read in full; more would take longer than anybody waits here."""
_NAMED = 3
_HALF_WRITTEN = ("index/.current-*", "index/gen-*/.manifest.json-*", "index/gen-*/.pending.json-*")


def rebuild(place: CheckSubject) -> str:
    """Reindex, with vectors only where there were some; what was done, in words.

    Sync itself sets aside what is damaged. Texts go to a provider behind a network only with the person's
    word, and none that costs more than was agreed. Raises WorkbenchError.
    """
    vectors = _had_vectors(place) and (place.network or not is_asked(place.workspace))
    report = reindex(place.workspace, vectors=vectors, progress=place.progress)
    done = f"reindexed: {plural(report.entries, 'entry')}"
    if report.rebuilt:
        done += f", built anew because {report.rebuilt}"
    if report.embedded or report.from_cache:
        done += f"; {report.embedded:,} embedded, {report.from_cache:,} from the cache"
    if report.vectors and report.vectors != "left out":
        done += f"; no vectors: {report.vectors}"
    return done


def _suspect_and_rebuild(place: CheckSubject) -> str:
    """The same where only reading shows the damage: sync is told not to believe the manifest."""
    if current := Generations(place.state).current():
        current.suspect()
    return rebuild(place)


def _had_vectors(place: CheckSubject) -> bool:
    """Whether any generation had vectors, by its manifest, or by what lies there where that is damaged."""
    for folder in place.state.glob("index/gen-*"):
        manifest = Generation(folder).manifest()
        if manifest is None and next((folder / "vectors").glob("*"), None) is not None:
            return True
        if manifest is not None and manifest.model is not None:
            return True
    return False


def _damaged(place: CheckSubject, what: str, meaning: str = _MEANING, *, unseen: bool = False) -> Finding:
    """``unseen`` where the manifest does not show the damage."""
    repair = partial(_suspect_and_rebuild if unseen else rebuild, place)
    return Finding(what=what, meaning=meaning, do=REINDEX, repair=repair)


Judge = Callable[[CheckSubject, Generation, Manifest], Look]


def at_rest(judge: Judge) -> Callable[[CheckSubject], Look]:
    """A check of the generation in use, where there is one and no sync is at it."""

    def look(place: CheckSubject) -> Look:
        if place.is_busy(SYNC):
            return Look(_RUNNING)
        try:
            generation = Generations(place.state).current()
            manifest = generation.manifest() if generation else None
        except RefusedError as error:
            return Look(error.message)
        if generation is None or manifest is None:
            return Look(NO_INDEX)
        return judge(place, generation, manifest)

    return look


def index_manifest(place: CheckSubject) -> Look:
    """The pointer to the generation in use, and its manifest."""
    if place.is_busy(SYNC):
        return Look(_RUNNING)
    generations = Generations(place.state)
    try:
        current = generations.current()
        manifest = current.manifest() if current else None
        suspected = current is not None and current.suspected()
    except RefusedError as error:
        return Look("the index", (Finding(what=error.message, meaning="no search works", do=error.hint),))
    if current is None:
        if not generations.unfinished():
            return Look(f"{NO_INDEX}; `workbench reindex` makes it")
        what = "names no generation" if (generations.folder / "current").exists() else "is missing"
        meaning = "a first reindex was interrupted, or the file was damaged; no search works"
        finding = _damaged(place, f"index/current {what}, and generations are there", meaning)
        return Look("no generation is in use", (finding,))
    if manifest is None:
        what = _why_no_manifest(current.folder / "manifest.json")
        return Look(current.name, (_damaged(place, f"{current.name}/manifest.json {what}"),))
    findings = []
    if suspected:
        findings.append(_damaged(place, f"a search met damage in {current.name}"))
    if manifest.words != words_fingerprint():
        what = f"another version of the program made {current.name} ({manifest.words})"
        meaning = "its words are cut or kept differently from what this version looks for"
        findings.append(_damaged(place, what, meaning))
    entries = f"{plural(manifest.entries, 'entry')} of {len(manifest.files):,} files"
    return Look(f"{current.name}, {entries}", tuple(findings))


def _why_no_manifest(path: Path) -> str:
    if not path.is_file():
        return "is missing"
    found = read_json(path)
    if not isinstance(found, dict):
        return "is cut off or garbage"
    if (made := found.get("format")) != FORMAT:
        return f"is of the format {made}, not {FORMAT}: another version of the program made it"
    return "does not say what a manifest says"


def index_workspace(place: CheckSubject, current: Generation, manifest: Manifest) -> Look:
    """The index is of this workspace, and not of one that its folder was copied from."""
    own = sorted(path for path in manifest.files if not is_outside(path))
    if not own:
        return Look("nothing to compare")
    here = {file.path: file.inode for file in place.workspace.scan()}
    sample = own[:: max(1, len(own) // _LOOKED_AT)]
    there = [path for path in sample if path in here]
    known = sum(_is_same(place, manifest, path) for path in there)
    seen = f"{known} of {len(sample)} files are those that were indexed"
    if not here:
        finding = Finding(
            what=f"{plural(len(own), 'file')} {'is' if len(own) == 1 else 'are'} indexed and none is there",
            meaning="a folder that is not mounted, or another branch, looks like this",
            do="mount it or switch back; if they are meant to be gone, run `workbench reindex --full`",
        )
        return Look(seen, (finding,))
    edited = any(here[path] == manifest.files[path].inode for path in there)
    if known or edited or (len(sample) == 1 and there):
        return Look(seen)

    def replace() -> str:
        with hold(place.state / SYNC, "doctor"):
            (current.folder.parent / "current").unlink(missing_ok=True)
            where = put_into(current.folder.parent / ASIDE, current.folder)
        return f"moved to {where.relative_to(place.root)}; {rebuild(place)}"

    finding = Finding(
        what=f"the index is of another workspace, or no file is what it was: {seen}",
        meaning=".workbench was copied from elsewhere; it would answer with what is not here",
        do="`workbench doctor --fix` sets it aside and builds one of this workspace; "
        "or run `workbench reindex --full`",
        repair=replace,
    )
    return Look(seen, (finding,))


def _is_same(place: CheckSubject, manifest: Manifest, path: RelPath) -> bool:
    try:
        return hashlib.sha256(place.workspace.read(path)).hexdigest() == manifest.files[path].sha256
    except (OSError, WorkbenchError):
        return False


def vectors_of_model(place: CheckSubject, _: Generation, manifest: Manifest) -> Look:
    """The vectors of the index come from the model in the settings, and have its dimension."""
    if manifest.model is None:
        return Look(NO_VECTORS)
    try:
        first = choices(place.workspace.settings, threads=1).first()
    except ModelUnavailableError:
        return Look(f"made by {manifest.model}; there is no model to compare with")
    found = local_model(place) if first.service is None else None
    dimension = found.dimension if found else first.service.dimensions if first.service else None
    # Sending a whole memory to a provider needs the person's own command, and may cost.
    mine = first.service is None
    if first.identity != manifest.model:
        what = f"the vectors are {manifest.model}'s ({manifest.dimension} dimensions)"
        what += f", the settings name {first.identity}" + (f" ({dimension} dimensions)" if dimension else "")
        finding = Finding(
            what=what,
            meaning="vectors of two models cannot be compared: until it is done searches go by keyword only",
            do="run `workbench reindex`: it embeds everything anew, aside; or name the former model again",
            repair=partial(rebuild, place) if mine else None,
        )
        return Look("another model", (finding,))
    if dimension in (None, 0, manifest.dimension):
        return Look(f"{manifest.dimension} dimensions by {manifest.model}")
    finding = Finding(
        what=f"the manifest says {manifest.dimension} dimensions, and {first.identity} has {dimension}",
        meaning="vectors of another length cannot be compared with a question",
        do="run `workbench reindex --full`: it embeds everything anew, aside",
        repair=partial(_suspect_and_rebuild, place) if mine else None,
    )
    return Look("another dimension", (finding,))


def words(place: CheckSubject, generation: Generation, manifest: Manifest) -> Look:
    """The word index: its files as they were left, its fields, its count, and its entries readable."""
    if manifest.words != words_fingerprint():
        return Look("another version made it")
    if what := _changed(generation, generation.lexical, manifest, due=bool(manifest.entries)):
        return Look(generation.name, (_damaged(place, what),))
    try:
        seen, problem = _read_words(generation, manifest)
    except RefusedError as error:
        return Look(generation.name, (Finding(what=error.message, do=error.hint),))
    except IndexUnavailableError as error:
        seen, problem = generation.name, error.message
    return Look(seen, (_damaged(place, problem, unseen=True),) if problem else ())


def _read_words(generation: Generation, manifest: Manifest) -> tuple[str, str]:
    """What was read of the word index, and what is wrong with it. Raises IndexUnavailableError."""
    with scratch("doctor") as fresh:
        open_index(fresh, create=True)
        if _fields(fresh) != _fields(generation.lexical):
            return generation.name, "the word index has other fields than this version's"
    snapshot = LexicalReader(generation.lexical).snapshot()
    count = snapshot.count()
    if generation.pending() is None and count != manifest.entries:
        what = f"the word index has {plural(count, 'entry')}, its manifest says {manifest.entries}"
        return generation.name, what
    if count > _READ:
        return f"{plural(count, 'entry')}; `workbench verify` reads them all", ""
    return f"{plural(len(snapshot.everything()), 'entry')}, all of them read", ""


def _fields(folder: Path) -> list[str]:
    meta = read_json(folder / "meta.json")
    rows = meta.get("schema", ()) if isinstance(meta, dict) else ()
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def _changed(generation: Generation, folder: Path, manifest: Manifest, *, due: bool) -> str:
    """What is different from how the last sync left a store; empty after one that did not finish."""
    store = f"{generation.name}/{folder.name}"
    if not folder.is_dir():
        return f"{store} is missing" if due else ""
    now, then = shape(folder), manifest.shapes.get(folder.name)
    if then is None or now == then or generation.pending() is not None:
        return ""
    names = sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{store}: {', '.join(names[:_NAMED])}{more} changed, came or went since the last sync"


def vectors(place: CheckSubject, generation: Generation, manifest: Manifest) -> Look:
    """The vectors: their files as they were left, and by one model."""
    if manifest.model is None and not generation.vectors.exists():
        return Look("none were made")
    due = bool(manifest.entries) and manifest.model is not None
    findings = []
    if what := _changed(generation, generation.vectors, manifest, due=due):
        findings.append(_damaged(place, what))
    made_by = generation.model()
    if manifest.model is not None and made_by != manifest.model:
        what = f"{generation.name}/model.json says {made_by or 'nothing'}, the manifest says {manifest.model}"
        findings.append(_damaged(place, what))
    about = f"{plural(manifest.entries - manifest.pending, 'vector')} of {manifest.dimension} dimensions"
    return Look(f"{about} by {manifest.model}", tuple(findings))


def flat(place: CheckSubject, generation: Generation, manifest: Manifest) -> Look:
    """The copy of the vectors that searches read: of the table as it is, and every byte as it was written."""
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

    if intact(generation.flat, card):
        return Look(f"{card.base.rows + (card.later.rows if card.later else 0):,} rows")

    def copy_anew() -> str:
        with hold(place.state / SYNC, "doctor"):
            done = place.put_aside(generation.flat)
        return f"{done}; {rebuild(place)}"

    finding = Finding(
        what=f"{generation.name}/flat: the copy of the vectors is not what was written",
        meaning="searches by meaning may find the wrong entries: a failing disk, or somebody's hand",
        do="`workbench doctor --fix` sets it aside and copies the vectors anew",
        repair=copy_anew,
    )
    return Look(generation.name, (finding,))


def cache(place: CheckSubject) -> Look:
    """The vectors that were computed before, by text."""
    path = place.state / CACHE_FILE
    if not path.is_file():
        return Look("there is none")
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1.0)) as base:
            (count,) = base.execute("SELECT COUNT(*) FROM vectors").fetchone()
            (problem,) = base.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.OperationalError) and "no such table" not in str(error):
            return Look(f"not to be read now: {error}")
        count, problem = 0, error
    if problem == "ok":
        return Look(f"{plural(count, 'text')}")

    def put_aside() -> str:
        for end in ("-wal", "-shm"):
            if (beside := path.with_name(path.name + end)).exists():
                place.put_aside(beside)
        return place.put_aside(path)

    finding = Finding(
        what=f"{CACHE_FILE} is damaged: {str(problem).partition(chr(10))[0]}",
        meaning="what was embedded before would be embedded once more; no answer depends on it",
        do="`workbench doctor --fix` sets it aside; a new one fills by itself",
        repair=put_aside,
    )
    return Look(f"{plural(count, 'text')}", (finding,))


def sync(place: CheckSubject) -> Look:
    """The last reindex came to its end, and how far it is behind now."""
    fresh = freshness(place.workspace)
    figures = tuple(_figures(fresh))
    if place.is_busy(SYNC):
        return Look("a reindex is running", figures=figures)
    generations = Generations(place.state)
    try:
        current = generations.current()
        touched = current.pending() if current else None
        later = generations.unfinished() if current else []
    except RefusedError as error:
        return Look(error.message, figures=figures)
    findings = list(_half_written(place))
    if touched is not None or later:
        what = "the last reindex was interrupted"
        what += f" while it wrote {plural(len(touched), 'file')}" if touched else ""
        meaning = "its words may be those of before; the next one finishes it"
        findings.append(_damaged(place, what, meaning))
    elif fresh.state in ("missing", "stale") or (fresh.pending and not fresh.keywords_only):
        # What is broken is found by the other checks of the index.
        findings.append(
            Finding(
                what=f"index: {fresh.summary}",
                do=REINDEX,
                severity="info",
                fixes=(Fix(deed="reindex", label="bring the index up to date"),),
            )
        )
    return Look(fresh.summary, tuple(findings), figures)


def _figures(fresh: Freshness) -> Iterator[Figure]:
    yield Figure("files", "Memory files, those beside the workspace included.", fresh.files)
    usable = fresh.state in ("fresh", "stale")
    if usable:
        stale = fresh.added + fresh.changed + fresh.removed
        yield Figure("index_entries", "Entries in the index.", fresh.entries)
        yield Figure("index_stale_files", "Files that the index is behind by.", stale)
        yield Figure(
            "index_entries_without_vector", "Entries without a vector, found by keyword only.", fresh.pending
        )
    yield Figure("index_usable", "1 where there is an index that answers.", float(usable))


def _half_written(place: CheckSubject) -> Iterator[Finding]:
    """Files that are written under another name first, and stayed there."""
    found = [path for pattern in _HALF_WRITTEN for path in place.state.glob(pattern)]
    if not found:
        return

    def clear() -> str:
        with hold(place.state / SYNC, "doctor"):
            return "; ".join([place.put_aside(path) for path in found])

    names = ", ".join(path.name for path in found[:_NAMED])
    yield Finding(what=f"half-written files of the index: {names}", severity="info", repair=clear)
