"""The embedding model: there, as it was published, prepared as it was proven, and the one of the vectors."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from functools import partial
from pathlib import Path

from indexing.embedding.choice import choices
from indexing.embedding.hub import WEIGHTS
from indexing.embedding.locate import DEFAULT_MODEL, DEFAULT_WEIGHTS, NONE
from indexing.embedding.model_info import Description, describe
from indexing.embedding.port import cache_dir
from indexing.engines import RefusedError
from indexing.sync.freshness import NO_VECTORS
from indexing.sync.generations import Generations
from workbench.errors import BusyError, ModelUnavailableError
from workbench.health.finding import Finding, Look
from workbench.health.rebuild import rebuild, suspect_and_rebuild
from workbench.health.set_aside import put_into
from workbench.health.subject import CheckSubject
from workbench.workspace.locks import held, hold

_WORDS_ONLY = "searches answer by words alone, and say so"
_PREPARING = "prepare.lock"
_HALF = ".preparing-*"


def model(place: CheckSubject) -> Look:
    """The model on this machine: found, and its weights those that were published."""
    found = _local(place)
    if found is None:
        return Look("the settings ask for none on this machine")
    if found.source is None:
        finding = Finding(what=found.why or "there is no model", meaning=_WORDS_ONLY, do=found.hint)
        return Look("none", (finding,))
    findings = []
    weights = found.source.folder / WEIGHTS
    if found.source.name == DEFAULT_MODEL and (digest := _digest(weights)) != DEFAULT_WEIGHTS:
        findings.append(
            Finding(
                what=f"{weights} is not the original (SHA-256 {digest[:12]}…), and was remembered as such",
                meaning="it changed without its date and size changing: a failing disk, or somebody's hand",
                do="install the `model` extra anew, or run `workbench model download`; "
                "--fix forgets what was remembered, so that it is not used",
                repair=_forget_digests,
            )
        )
    return Look(f"{found.source.identity}, {found.form}", tuple(findings))


def prepared(place: CheckSubject) -> Look:
    """The prepared form of the model: its digests, and its probe embedded as it was when it was proven."""
    found = _local(place)
    findings = list(_half_prepared())
    if found is None or found.source is None:
        return Look("there is no model on this machine", tuple(findings))
    if found.prepared is None or found.form != "prepared":
        shown = "there is none; it is made at the first use"
        return Look(shown, (*_other_card(found), *findings))
    if problem := _problem(found.prepared):
        findings.append(_not_usable(found.prepared, problem))
    return Look(str(found.prepared), tuple(findings))


def vectors_of_model(place: CheckSubject) -> Look:
    """The vectors of the index come from the model in the settings, and have its dimension."""
    try:
        current = Generations(place.state).current()
        manifest = current.manifest() if current else None
    except RefusedError as error:
        return Look(error.message)
    if manifest is None or manifest.model is None:
        return Look(NO_VECTORS)
    try:
        first = choices(place.workspace.settings, threads=1).first()
    except ModelUnavailableError:
        return Look(f"made by {manifest.model}; there is no model to compare with")
    found = _local(place) if first.service is None else None
    dimension = found.dimension if found else first.service.dimensions if first.service else None
    if first.identity == manifest.model and dimension in (None, 0, manifest.dimension):
        return Look(f"{manifest.dimension} dimensions by {manifest.model}")
    if first.identity == manifest.model:
        finding = Finding(
            what=f"the manifest says {manifest.dimension} dimensions, and {first.identity} has {dimension}",
            meaning="vectors of another length cannot be compared with a question",
            do="run `workbench reindex --full`: it embeds everything anew, aside",
            repair=partial(suspect_and_rebuild, place) if first.service is None else None,
        )
        return Look("another dimension", (finding,))
    what = f"the vectors are {manifest.model}'s ({manifest.dimension} dimensions)"
    what += f", the settings name {first.identity}" + (f" ({dimension} dimensions)" if dimension else "")
    # Sending a whole memory to a provider needs the person's own command, and may cost.
    mine = first.service is None
    finding = Finding(
        what=what,
        meaning="vectors of two models cannot be compared: searches answer by words alone until it is done",
        do="run `workbench reindex`: it embeds everything anew, aside; or name the former model again",
        repair=partial(rebuild, place) if mine else None,
    )
    return Look("another model", (finding,))


def _local(place: CheckSubject) -> Description | None:
    """The model on this machine that the settings lead to; None where they ask for none."""
    settings = place.workspace.settings
    if "local" not in (settings.embedding_providers or ("local",)) or settings.model == NONE:
        return None
    return describe(settings.model)


def _digest(path: Path) -> str:
    """The SHA-256 of what is there now, not of what it was when it was last looked at."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _forget_digests() -> str:
    path = cache_dir() / "digests.json"
    where = put_into(cache_dir() / "set-aside", path)
    return f"{path.name} moved to {where}"


def _problem(folder: Path) -> str | None:
    """What is wrong with a prepared model, or None. Loads it: only so its probe can be asked."""
    try:
        from indexing.embedding import onnx_model as form  # noqa: PLC0415 - loads the engine
    except ImportError as error:
        return f"{error.name or 'a library'} is not installed"
    try:
        card = form.read_card(folder)
        for name, expected in ((form.GRAPH, card.graph), (form.TOKENIZER, card.tokenizer)):
            if _digest(folder / name) != expected:
                return f"{name} is not what was prepared"
        form.PreparedEmbedder(folder)
    except (form.DamagedError, OSError) as error:
        return str(error)
    return None


def _other_card(found: Description) -> list[Finding]:
    """A folder of the prepared form whose card does not say so: it is damaged, or from another version."""
    assert found.source is not None
    folder = cache_dir() / "prepared" / found.source.digest
    if not folder.is_dir():
        return []
    return [_not_usable(folder, "prepared.json is damaged, or of another model")]


def _not_usable(folder: Path, problem: str) -> Finding:
    return Finding(
        what=f"the prepared model in {folder} cannot be used: {problem}",
        meaning="it is prepared anew at the next use, which takes half a minute",
        do="--fix sets it aside",
        repair=lambda: f"moved to {put_into(folder.parent / 'set-aside', folder)}",
    )


def _half_prepared() -> list[Finding]:
    """What a preparation left that was killed: copies of a model, each a hundred megabytes."""
    place = cache_dir() / "prepared"
    found = sorted(place.glob(_HALF)) if place.is_dir() else []
    lock = held(place / _PREPARING) if found else None
    if not found or (lock is not None and lock.held):
        return []

    def clear() -> str:
        with hold(place / _PREPARING, "doctor"):
            for folder in found:  # half a copy of what is there whole: nothing to keep
                shutil.rmtree(folder, ignore_errors=True)
        if any(folder.exists() for folder in found):
            raise BusyError("some of it could not be removed")
        return f"{len(found)} removed"

    return [
        Finding(
            what=f"{len(found)} half-prepared models in {place}",
            meaning=f"a preparation was killed; they take {_size(found) / 1e6:.0f} MB",
            do="--fix removes them",
            repair=clear,
        )
    ]


def _size(folders: list[Path]) -> int:
    total = 0
    for folder in folders:
        for path in folder.rglob("*"):
            with contextlib.suppress(OSError):
                total += path.lstat().st_size
    return total
