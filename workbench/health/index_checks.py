"""Checks of the index (its pointer, manifest and stores, and how far it is behind) and of the models.

The models are that of vectors on this machine, providers behind a network, and the language model. A provider
behind a network is asked only with the person's word.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from indexing.embedding.choice import choices
from indexing.embedding.model_files import (
    DEFAULT_MODEL,
    DEFAULT_WEIGHTS,
    NONE,
    WEIGHTS,
    reads_english_only,
)
from indexing.embedding.model_info import Description, ProviderInfo, describe, describe_providers
from indexing.embedding.port import cache_dir
from indexing.lexical.index import LexicalReader
from indexing.storage import RefusedError, read_json, shape
from indexing.sync.freshness import NO_INDEX, NO_VECTORS, freshness
from indexing.sync.generations import CACHE_FILE, FORMAT, Generation, Generations, Manifest, words_fingerprint
from indexing.sync.run import reindex
from indexing.words import beyond_english
from workbench.errors import IndexUnavailableError, ModelUnavailableError, WorkbenchError
from workbench.health.finding import Finding, Fix, Look, SkippedError
from workbench.health.subject import ASIDE, SYNC, CheckSubject, few, put_into
from workbench.llm.endpoint import require_client
from workbench.llm.language_model import LanguageModelError, Message, open_language_model
from workbench.memory.entry import RelPath, is_outside
from workbench.plural import plural
from workbench.workspace.locks import hold
from workbench.workspace.workspace import Workspace

_WORDS_ONLY = "searches are keyword-only"
_WITHOUT = "sessions are summarized and memories proposed by rules alone"
_NOT_ASKED = "not asked: that requires --network"
_BEGINNING = 10_000
"""Bytes of a page that tell its language."""
_SECONDS = 20.0
_TOKENS = 200
"""Enough for a model that thinks before it says a word."""


# -- the models --------------------------------------------------------------------------------------


def local_model(subject: CheckSubject) -> Description | None:
    """The model on this machine that the settings lead to; None where they ask for none."""
    settings = subject.workspace.settings
    if "local" not in (settings.embedding_providers or ("local",)) or settings.model == NONE:
        return None
    return describe(settings.model)


def is_asked(workspace: Workspace) -> bool:
    """Whether a search or a sync here may ask a provider behind a network.

    That is the first of the settings that can be used, or the one that made the index.
    """
    found = choices(workspace.settings, threads=1)
    try:
        current = Generations(workspace.state_path).current()
        own = found.that_made(current.model()) if current else None
    except RefusedError:
        own = None
    return any(one is not None and one.service is not None for one in (*found.usable[:1], own))


def model(subject: CheckSubject) -> Look:
    """The model on this machine: found, and its weights those that were published."""
    found = local_model(subject)
    if found is None:
        yield "the settings turn off the local model"
    elif found.source is None:
        yield "none"
        yield Finding(found.why or "no model is installed", _WORDS_ONLY, found.hint)
    else:
        yield f"{found.source.identity}, {found.form}"
        weights = found.source.folder / WEIGHTS
        if found.source.name == DEFAULT_MODEL and (digest := _digest(weights)) != DEFAULT_WEIGHTS:
            yield Finding(
                f"{weights} is not the original (SHA-256 {digest[:12]}…), but was recorded as verified",
                "its content changed, but not its date and size: a failing disk, or tampering",
                "reinstall the `model` extra, or run `workbench model download`; "
                "`workbench doctor --fix` removes that record, so that it is not used",
                repair=partial(_put_aside, cache_dir() / "digests.json"),
            )
        if reads_english_only(found.source.identity) and _is_in_other_languages(subject):
            yield Finding(
                f"{found.source.name} reads English, and most of memory is in other languages",
                "search and `context` go by keyword there",
                "`workbench model download OWNER/NAME` fetches a multilingual model: name it as `model` in "
                "your settings",
                severity="info",
            )


def _is_in_other_languages(subject: CheckSubject) -> bool:
    """Whether more than half of the pages are, by how they begin."""
    pages = [page.data[:_BEGINNING].decode("utf-8", "ignore") for page in subject.corpus.documents]
    return sum(beyond_english(text) > 0.5 for text in pages) > len(pages) / 2


def prepared_form(subject: CheckSubject) -> Look:
    """The prepared form of the model: its digests, and its probe embedded as it was when it was proven."""
    found = local_model(subject)
    if found is None or found.source is None:
        yield "no model is installed on this machine"
    elif found.prepared is not None and found.form == "prepared":
        yield str(found.prepared)
        yield from _unusable(found.prepared, _problem(found.prepared))
    else:
        yield "none yet; it is prepared at the first use"
        folder = cache_dir() / "prepared" / found.source.digest
        if folder.is_dir():
            yield from _unusable(folder, "prepared.json is damaged, or belongs to another model")


def _unusable(folder: Path, problem: str) -> Iterator[Finding]:
    if problem:
        yield Finding(
            f"the prepared model in {folder} cannot be used: {problem}",
            "it is prepared again at the next use, which takes half a minute",
            "`workbench doctor --fix` sets it aside",
            repair=partial(_put_aside, folder),
        )


def _problem(folder: Path) -> str:
    """What is wrong with a prepared model, or nothing. Loads it: only so its probe can be asked."""
    try:
        from indexing.embedding import onnx_model as form  # noqa: PLC0415 - loads the engine
    except ImportError as error:
        return f"{error.name or 'a library'} is not installed"
    try:
        card = form.read_card(folder)
        for name, expected in ((form.GRAPH, card.graph), (form.TOKENIZER, card.tokenizer)):
            if _digest(folder / name) != expected:
                return f"{name} differs from what was prepared"
        form.PreparedEmbedder(folder)
    except (form.DamagedError, OSError) as error:
        return str(error)
    return ""


def _digest(path: Path) -> str:
    """The SHA-256 of what is there now, not of what it was when it was last looked at."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _put_aside(path: Path) -> str:
    return f"{path.name} moved to {put_into(path.parent / ASIDE, path)}"


def provider(subject: CheckSubject) -> Look:
    """Each remote provider of the settings: its key, and whether it answers where that may be asked."""
    remote = [
        one for one in describe_providers(subject.workspace.settings) if one.provider not in ("local", NONE)
    ]
    if not remote:
        yield "none is configured: nothing leaves this machine"
    for one in remote:
        if one.service is None:
            yield f"{one.provider}: cannot be used"
            problem = one.problem or ModelUnavailableError("it is not known")
            what = f"{one.provider} cannot be used: {problem.message}"
            meaning = "the next provider in the settings is used, or searches are keyword-only"
            yield Finding(what, meaning, problem.hint)
            continue
        asked = "asked" if subject.network else _NOT_ASKED
        yield f"{one.service.model} at {one.service.endpoint.host}: {asked}"
        if one.service.key.warning:
            yield Finding(f"{one.provider}: {one.service.key.warning}", severity="info")
        if subject.network and (error := _refusal(one)):
            yield Finding(f"{one.provider} does not answer: {error.message}", _WORDS_ONLY, error.hint)


def _refusal(one: ProviderInfo) -> ModelUnavailableError | None:
    """Why a provider gives no vector for a word, or None. One request, which may cost next to nothing."""
    assert one.service is not None
    try:
        require_client()
        from indexing.embedding.remote import RemoteEmbedder  # noqa: PLC0415 - imports HTTP

        with closing(RemoteEmbedder(one.service, questions=True)) as embedder:
            embedder.probe()
    except ModelUnavailableError as error:
        return error
    return None


def language_model(subject: CheckSubject) -> Look:
    """Whether one is named, can be used, and answers where that may be asked."""
    try:
        found = open_language_model(subject.workspace.settings)
    except ModelUnavailableError as error:
        yield "cannot be used"
        yield Finding(f"the language model cannot be used: {error.message}", _WITHOUT, error.hint)
        return
    if found is None:
        yield "none is configured: rules are used, and nothing leaves this machine"
    elif not subject.network:
        yield f"{found.name}: {_NOT_ASKED}"
    else:
        try:
            found.complete((Message("user", "Answer with one word."),), max_tokens=_TOKENS, timeout=_SECONDS)
        except LanguageModelError as error:
            yield f"{found.name}: asked"
            do = "check language_endpoint and language_model in your settings, and that the server runs"
            yield Finding(str(error), _WITHOUT, do)
        else:
            yield f"{found.name}: answers"


# -- the index ---------------------------------------------------------------------------------------

REINDEX = "run `workbench reindex`"
_RUNNING = "a reindex is running"
_MEANING = (
    "search results may be missing or wrong; the files are not affected, and the next reindex rebuilds the "
    "index"
)
_LOOKED_AT = 200
"""Indexed files that are compared with those on disk to tell whose index it is."""
_READ = 20_000
"""An index of so many entries is read in full; more would take longer than anybody waits here."""


def rebuild(subject: CheckSubject, *, suspect: bool = False) -> str:
    """Reindex, with vectors only where there were some; what was done, in words.

    Sync itself sets aside what is damaged; ``suspect`` has it not believe the manifest, where only reading
    shows the damage. Texts go to a provider behind a network only with the person's word, and none that costs
    more than was agreed. Raises WorkbenchError.
    """
    if suspect and (current := Generations(subject.state).current()):
        current.suspect()
    vectors = _had_vectors(subject) and (subject.network or not is_asked(subject.workspace))
    report = reindex(subject.workspace, vectors=vectors, progress=subject.progress)
    done = f"reindexed: {plural(report.entries, 'entry')}, {report.embedded:,} of them embedded now"
    return f"{done}; rebuilt because {report.rebuilt}" if report.rebuilt else done


def _had_vectors(subject: CheckSubject) -> bool:
    """Whether any generation had vectors, by its manifest, or by what lies there where that is damaged."""
    for folder in subject.state.glob("index/gen-*"):
        found = Generation(folder).manifest()
        if any((folder / "vectors").glob("*")) if found is None else found.model is not None:
            return True
    return False


def _damaged(subject: CheckSubject, what: str, meaning: str = _MEANING, *, unseen: bool = False) -> Finding:
    """``unseen`` where the manifest does not show the damage."""
    return Finding(what, meaning, REINDEX, repair=partial(rebuild, subject, suspect=unseen))


def manifest(subject: CheckSubject) -> Look:
    """The pointer to the generation in use, and its manifest."""
    subject.require_rest(SYNC, _RUNNING)
    generations = Generations(subject.state)
    try:
        current = generations.current()
        found = current.manifest() if current else None
        suspected = current is not None and current.suspected()
    except RefusedError as error:
        yield "the index"
        yield Finding(error.message, "no search works", error.hint)
        return
    if current is None and not generations.unfinished():
        yield f"{NO_INDEX}; `workbench reindex` creates it"
    elif current is None:
        yield "no generation is active"
        what = "names no generation" if (generations.folder / "current").exists() else "is missing"
        meaning = "the first reindex was interrupted, or the file was damaged; search does not work"
        yield _damaged(subject, f"index/current {what}, but there are generations", meaning)
    elif found is None:
        yield current.name
        what = _why_no_manifest(current.folder / "manifest.json")
        yield _damaged(subject, f"{current.name}/manifest.json {what}")
    else:
        yield f"{current.name}, {plural(found.entries, 'entry')} of {len(found.files):,} files"
        if suspected:
            yield _damaged(subject, f"a search found damage in {current.name}")
        if found.words != words_fingerprint():
            what = f"another version of the program made {current.name} ({found.words})"
            meaning = "its words are split or stored differently from what this version expects"
            yield _damaged(subject, what, meaning)


def _why_no_manifest(path: Path) -> str:
    found = read_json(path)
    if not path.is_file():
        return "is missing"
    if not isinstance(found, dict):
        return "is truncated or invalid"
    if (made := found.get("format")) != FORMAT:
        return f"is of the format {made}, not {FORMAT}: another version of the program made it"
    return "lacks required fields"


def workspace(subject: CheckSubject) -> Look:
    """The index is of this workspace, and not of one that its folder was copied from."""
    current, manifest = subject.index_in_use()
    own = sorted(path for path in manifest.files if not is_outside(path))
    if not own:
        raise SkippedError("nothing to compare")
    here = {file.path: file.inode for file in subject.workspace.scan()}
    sample = own[:: max(1, len(own) // _LOOKED_AT)]
    there = [path for path in sample if path in here]
    known = sum(_is_same(subject, manifest, path) for path in there)
    seen = f"{known} of {len(sample)} files match the index"
    yield seen
    if not here:
        yield Finding(
            f"{plural(len(own), 'file')} {'is' if len(own) == 1 else 'are'} indexed but missing",
            "the folder may not be mounted, or another branch may be checked out",
            "mount it or switch back; if they were removed on purpose, run `workbench reindex --full`",
        )
        return
    edited = any(here[path] == manifest.files[path].inode for path in there)
    if known or edited or (len(sample) == 1 and there):
        return

    def replace() -> str:
        with hold(subject.state / SYNC, "doctor"):
            (current.folder.parent / "current").unlink(missing_ok=True)
            where = put_into(current.folder.parent / ASIDE, current.folder)
        return f"moved to {where.relative_to(subject.root)}; {rebuild(subject)}"

    yield Finding(
        f"the index belongs to another workspace, or all files changed: {seen}",
        ".workbench was copied from elsewhere; results would not match the files here",
        "`workbench doctor --fix` sets it aside and builds a new index; or run `workbench reindex --full`",
        repair=replace,
    )


def _is_same(subject: CheckSubject, manifest: Manifest, path: RelPath) -> bool:
    try:
        return hashlib.sha256(subject.workspace.read(path)).hexdigest() == manifest.files[path].sha256
    except (OSError, WorkbenchError):
        return False


def model_of_vectors(subject: CheckSubject) -> Look:
    """The vectors of the index come from the model in the settings, and have its dimension."""
    _, manifest = subject.index_in_use()
    if manifest.model is None:
        raise SkippedError(NO_VECTORS)
    try:
        first = choices(subject.workspace.settings, threads=1).first()
    except ModelUnavailableError as error:
        raise SkippedError(f"made by {manifest.model}; no model to compare with") from error
    repair = None
    if first.service is None:
        # Sending a whole memory to a provider needs the person's own command, and may cost.
        repair = partial(rebuild, subject, suspect=first.identity == manifest.model)
        found = local_model(subject)
        dimension = found.dimension if found else None
    else:
        dimension = first.service.dimensions
    made, named = f"{manifest.model} ({manifest.dimension} dimensions)", first.identity
    if first.identity == manifest.model and dimension in (None, 0, manifest.dimension):
        yield f"made by {made}"
        return
    if dimension:
        named += f" ({dimension} dimensions)"
    yield "another model"
    yield Finding(
        f"the vectors are by {made}, the settings have {named}",
        "vectors of two models cannot be compared: until then, searches are keyword-only",
        "run `workbench reindex --full`: it embeds everything again in the background; or set the former "
        "model again",
        repair=repair,
    )


def words(subject: CheckSubject) -> Look:
    """The word index: its files as they were left, its fields, its count, and its entries readable."""
    generation, manifest = subject.index_in_use()
    if manifest.words != words_fingerprint():
        raise SkippedError("another version created it")
    if what := _changed(generation, generation.lexical, manifest, due=bool(manifest.entries)):
        yield generation.name
        yield _damaged(subject, what)
        return
    try:
        seen, problem = _read_words(generation, manifest)
    except RefusedError as error:
        yield generation.name
        yield Finding(error.message, do=error.hint)
        return
    except IndexUnavailableError as error:
        seen, problem = generation.name, error.message
    yield seen
    if problem:
        yield _damaged(subject, problem, unseen=True)


def _read_words(generation: Generation, manifest: Manifest) -> tuple[str, str]:
    """What was read of the word index, and what is wrong with it. Raises IndexUnavailableError."""
    snapshot = LexicalReader(generation.lexical).snapshot()
    if not snapshot.is_current:
        return generation.name, "the keyword index has other fields than this version's"
    count = snapshot.count()
    entries = plural(count, "entry")
    if generation.pending() is None and count != manifest.entries:
        return generation.name, f"the keyword index has {entries}, its manifest has {manifest.entries}"
    if count > _READ:
        return f"{entries}; `workbench verify` reads them all", ""
    return f"{plural(len(snapshot.everything()), 'entry')}, all of them read", ""


def _changed(generation: Generation, folder: Path, manifest: Manifest, *, due: bool) -> str:
    """What is different from how the last sync left a store; empty after one that did not finish."""
    store = f"{generation.name}/{folder.name}"
    if not folder.is_dir():
        return f"{store} is missing" if due else ""
    now, then = shape(folder), manifest.shapes.get(folder.name)
    if then is None or now == then or generation.pending() is not None:
        return ""
    names = sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
    return f"{store}: {few(names)} changed since the last sync"


def vectors(subject: CheckSubject) -> Look:
    """The vectors: their files as they were left, and by one model."""
    generation, manifest = subject.index_in_use()
    if manifest.model is None and not generation.vectors.exists():
        raise SkippedError("none were made")
    about = f"{plural(manifest.entries - manifest.pending, 'vector')} of {manifest.dimension} dimensions"
    yield f"{about} by {manifest.model}"
    due = bool(manifest.entries) and manifest.model is not None
    if what := _changed(generation, generation.vectors, manifest, due=due):
        yield _damaged(subject, what)
    made_by = generation.model()
    if manifest.model is not None and made_by != manifest.model:
        what = f"{generation.name}/model.json says {made_by or 'nothing'}, the manifest says {manifest.model}"
        yield _damaged(subject, what)


def embedding_cache(subject: CheckSubject) -> Look:
    """The vectors that were computed before, by text."""
    path = subject.state / CACHE_FILE
    if not path.is_file():
        raise SkippedError("there is none")
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1.0)) as base:
            (count,) = base.execute("SELECT COUNT(*) FROM vectors").fetchone()
            (problem,) = base.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.OperationalError) and "no such table" not in str(error):
            raise SkippedError(f"cannot be read now: {error}") from error
        count, problem = 0, error

    def put_aside() -> str:
        for beside in (path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            if beside.exists():
                subject.put_aside(beside)
        return subject.put_aside(path)

    yield plural(count, "text")
    if problem != "ok":
        yield Finding(
            f"{CACHE_FILE} is damaged: {str(problem).partition(chr(10))[0]}",
            "texts would be embedded again; search results are not affected",
            "`workbench doctor --fix` sets it aside; a new one is filled automatically",
            repair=put_aside,
        )


def sync(subject: CheckSubject) -> Look:
    """The last reindex came to its end, and how far it is behind now."""
    subject.require_rest(SYNC, _RUNNING)
    fresh = freshness(subject.workspace)
    generations = Generations(subject.state)
    try:
        current = generations.current()
        touched = current.pending() if current else None
        later = generations.unfinished() if current else []
    except RefusedError as error:
        raise SkippedError(error.message) from error
    yield fresh.summary
    if touched is not None or later:
        what = "the last reindex was interrupted"
        what += f" while it wrote {plural(len(touched), 'file')}" if touched else ""
        yield _damaged(subject, what, "these files may have old results; the next reindex finishes it")
    elif fresh.state in ("missing", "stale", "outdated") or (fresh.pending and not fresh.keywords_only):
        # What is broken is found by the other checks of the index.
        again = Fix("reindex", "bring the index up to date")
        yield Finding(f"index: {fresh.summary}", "", REINDEX, "info", fixes=(again,))
