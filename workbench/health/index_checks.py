"""The index as a whole: its pointer, its manifest, and whether it is this workspace's own."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

from indexing.engines import RefusedError
from indexing.storage import read_json
from indexing.sync.freshness import NO_INDEX
from indexing.sync.generations import Generation, Generations
from indexing.sync.manifest import FORMAT, Manifest, words_fingerprint
from workbench.errors import WorkbenchError
from workbench.health.finding import Finding, Look
from workbench.health.lock_checks import SYNC, is_busy
from workbench.health.rebuild import REINDEX, rebuild
from workbench.health.set_aside import put_into
from workbench.health.subject import CheckSubject
from workbench.memory.names import RelPath, is_outside
from workbench.plural import plural
from workbench.workspace.locks import hold

_LOOKED_AT = 200
"""Indexed files that are compared with those on disk to tell whose index it is."""
RUNNING = "a reindex is running: the index is not judged now"


def index_manifest(place: CheckSubject) -> Look:
    """The pointer to the generation in use, and its manifest."""
    if is_busy(place, SYNC):
        return Look(RUNNING)
    generations = Generations(place.state)
    try:
        current = generations.current()
        if current is None:
            return _no_pointer(place, generations)
        manifest = current.manifest()
        suspected = current.suspected()
    except RefusedError as error:
        return Look("the index", (Finding(what=error.message, meaning="no search works", do=error.hint),))
    if manifest is None:
        what = _why_no_manifest(current.folder / "manifest.json")
        return Look(current.name, (_damaged(place, f"{current.name}/manifest.json {what}"),))
    findings = []
    if suspected:
        findings.append(_damaged(place, f"a search met damage in {current.name}"))
    if manifest.words != words_fingerprint():
        findings.append(
            Finding(
                what=f"another version of the program made {current.name} ({manifest.words})",
                meaning="its words are cut or kept differently from what this version looks for",
                do=REINDEX,
                repair=partial(rebuild, place),
            )
        )
    entries = f"{plural(manifest.entries, 'entry')} of {len(manifest.files):,} files"
    return Look(f"{current.name}, {entries}", tuple(findings))


def index_workspace(place: CheckSubject) -> Look:
    """The index is of this workspace, and not of one that its folder was copied from."""
    try:
        current = Generations(place.state).current()
        manifest = current.manifest() if current else None
    except RefusedError as error:
        return Look(error.message)
    own = sorted(path for path in manifest.files if not is_outside(path)) if manifest else []
    if current is None or manifest is None or not own or is_busy(place, SYNC):
        return Look("nothing to compare" if manifest else NO_INDEX)
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
    finding = Finding(
        what=f"the index is of another workspace, or no file is what it was: {seen}",
        meaning=".workbench was copied from elsewhere; it would answer with what is not here",
        do="--fix sets it aside and builds one of this workspace; or run `workbench reindex --full`",
        repair=partial(_replace, place, current),
    )
    return Look(seen, (finding,))


def _no_pointer(place: CheckSubject, generations: Generations) -> Look:
    if not generations.unfinished():
        return Look(f"{NO_INDEX}; `workbench reindex` makes it")
    pointer = generations.folder / "current"
    what = "names no generation" if pointer.exists() else "is missing"
    finding = Finding(
        what=f"index/current {what}, and generations are there",
        meaning="a first reindex was interrupted, or the file was damaged; no search works",
        do=REINDEX,
        repair=partial(rebuild, place),
    )
    return Look("no generation is in use", (finding,))


def _why_no_manifest(path: Path) -> str:
    if not path.exists():
        return "is missing"
    if not path.is_file():
        return "is not a file"
    if not path.stat().st_size:
        return "is empty"
    found = read_json(path)
    if found is None:
        return "is cut off or garbage"
    made = found.get("format") if isinstance(found, dict) else None
    if isinstance(made, int) and made != FORMAT:
        return f"is of the format {made}, not {FORMAT}: another version of the program made it"
    return "does not say what a manifest says"


def _damaged(place: CheckSubject, what: str) -> Finding:
    return Finding(
        what=what,
        meaning="the index is not used for anything that counts until it is made again; files are untouched",
        do=REINDEX,
        repair=partial(rebuild, place),
    )


def _is_same(place: CheckSubject, manifest: Manifest, path: RelPath) -> bool:
    try:
        return hashlib.sha256(place.workspace.read(path)).hexdigest() == manifest.files[path].sha256
    except (OSError, WorkbenchError):
        return False


def _replace(place: CheckSubject, generation: Generation) -> str:
    """Set the foreign generation aside and build one. Raises WorkbenchError and OSError."""
    with hold(place.state / SYNC, "doctor"):
        (generation.folder.parent / "current").unlink(missing_ok=True)
        where = put_into(generation.folder.parent / "set-aside", generation.folder)
    return f"moved to {where.relative_to(place.root)}; {rebuild(place)}"
