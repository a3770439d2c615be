"""The models: that of vectors on this machine, providers behind a network, and the language model.

What is behind a network is asked only with the person's word.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from indexing.embedding.choice import choices
from indexing.embedding.hub import WEIGHTS
from indexing.embedding.locate import DEFAULT_MODEL, DEFAULT_WEIGHTS, NONE
from indexing.embedding.model_info import Described, Description, describe, describe_providers
from indexing.embedding.port import cache_dir
from indexing.engines import RefusedError
from indexing.sync.generations import Generations
from workbench.errors import ModelUnavailableError
from workbench.health.finding import Finding, Look
from workbench.health.subject import ASIDE, CheckSubject, put_into
from workbench.llm.port import LanguageModelError, Message
from workbench.llm.provider import open_language_model
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.locks import held, hold
from workbench.workspace.workspace import Workspace

_WORDS_ONLY = "searches are keyword-only, and say so"
_WITHOUT = "sessions are summed up and memories proposed by rules alone, and it is said"
_NOT_ASKED = "not asked, as that needs --network"
_PREPARING = "prepare.lock"
_HALF = ".preparing-*"
_SECONDS = 20.0
_TOKENS = 200
"""Enough for a model that thinks before it says a word."""


def local_model(place: CheckSubject) -> Description | None:
    """The model on this machine that the settings lead to; None where they ask for none."""
    settings = place.workspace.settings
    if "local" not in (settings.embedding_providers or ("local",)) or settings.model == NONE:
        return None
    return describe(settings.model)


def is_asked(workspace: Workspace) -> bool:
    """Whether a search or a sync here may ask a provider behind a network.

    That is the first of the settings that can be used, or the one that made the index.
    """
    found = choices(workspace.settings, threads=1)
    try:
        current = Generations(workspace.root / STATE_DIR).current()
        own = found.that_made(current.model()) if current else None
    except RefusedError:
        own = None
    return any(one is not None and one.service is not None for one in (*found.usable[:1], own))


def model(place: CheckSubject) -> Look:
    """The model on this machine: found, and its weights those that were published."""
    found = local_model(place)
    if found is None:
        return Look("the settings ask for none on this machine")
    if found.source is None:
        finding = Finding(what=found.why or "there is no model", meaning=_WORDS_ONLY, do=found.hint)
        return Look("none", (finding,))
    weights = found.source.folder / WEIGHTS
    findings = []
    if found.source.name == DEFAULT_MODEL and (digest := _digest(weights)) != DEFAULT_WEIGHTS:
        findings.append(
            Finding(
                what=f"{weights} is not the original (SHA-256 {digest[:12]}…), and was remembered as such",
                meaning="it changed without its date and size changing: a failing disk, or somebody's hand",
                do="install the `model` extra anew, or run `workbench model download`; "
                "`workbench doctor --fix` forgets what was remembered, so that it is not used",
                repair=lambda: _put_aside(cache_dir() / "digests.json"),
            )
        )
    return Look(f"{found.source.identity}, {found.form}", tuple(findings))


def prepared(place: CheckSubject) -> Look:
    """The prepared form of the model: its digests, and its probe embedded as it was when it was proven."""
    found = local_model(place)
    half = tuple(_half_prepared())
    if found is None or found.source is None:
        return Look("there is no model on this machine", half)
    folder = cache_dir() / "prepared" / found.source.digest
    problem: str | None
    if found.prepared is not None and found.form == "prepared":
        folder, seen = found.prepared, str(found.prepared)
        problem = _problem(folder)
    else:
        seen = "there is none; it is made at the first use"
        problem = "prepared.json is damaged, or of another model" if folder.is_dir() else None
    if problem is None:
        return Look(seen, half)
    finding = Finding(
        what=f"the prepared model in {folder} cannot be used: {problem}",
        meaning="it is prepared anew at the next use, which takes half a minute",
        do="`workbench doctor --fix` sets it aside",
        repair=lambda: _put_aside(folder),
    )
    return Look(seen, (finding, *half))


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


def _half_prepared() -> Iterator[Finding]:
    """What a preparation left that was killed: copies of a model, each a hundred megabytes."""
    place = cache_dir() / "prepared"
    found = sorted(place.glob(_HALF))
    lock = held(place / _PREPARING) if found else None
    if not found or (lock is not None and lock.held):
        return

    def clear() -> str:
        with hold(place / _PREPARING, "doctor"):
            for folder in found:  # half a copy of what is there whole: nothing to keep
                shutil.rmtree(folder)
        return f"{len(found)} removed"

    yield Finding(
        what=f"{len(found)} half-prepared models in {place}",
        meaning="a preparation was killed; each takes about a hundred megabytes",
        do="`workbench doctor --fix` removes them",
        repair=clear,
    )


def _digest(path: Path) -> str:
    """The SHA-256 of what is there now, not of what it was when it was last looked at."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _put_aside(path: Path) -> str:
    return f"{path.name} moved to {put_into(path.parent / ASIDE, path)}"


def provider(place: CheckSubject) -> Look:
    """Each remote provider of the settings: its key, and whether it answers where that may be asked."""
    findings: list[Finding] = []
    seen = []
    for one in describe_providers(place.workspace.settings):
        if one.provider in ("local", NONE):
            continue
        if one.service is None:
            problem = one.problem or ModelUnavailableError("it is not known")
            findings.append(
                Finding(
                    what=f"{one.provider} cannot be used: {problem.message}",
                    meaning="the next provider of the settings takes its place; else words alone answer",
                    do=problem.hint,
                )
            )
            seen.append(f"{one.provider}: cannot be used")
            continue
        if one.service.key.warning:
            what = f"{one.provider}: {one.service.key.warning}"
            findings.append(Finding(what=what, severity="info"))
        asked = "asked" if place.network else _NOT_ASKED
        seen.append(f"{one.service.model} at {one.service.endpoint.host}: {asked}")
        if place.network and (error := _refusal(one)):
            what = f"{one.provider} does not answer: {error.message}"
            findings.append(Finding(what=what, meaning=_WORDS_ONLY, do=error.hint))
    return Look("; ".join(seen) or "none is named: nothing leaves this machine", tuple(findings))


def _refusal(one: Described) -> ModelUnavailableError | None:
    """Why a provider gives no vector for a word, or None. One request, which may cost next to nothing."""
    from indexing.embedding.remote.embedder import RemoteEmbedder  # noqa: PLC0415 - imports HTTP

    assert one.service is not None
    embedder = RemoteEmbedder(one.service, task="query")
    try:
        embedder.probe()
    except ModelUnavailableError as error:
        return error
    finally:
        embedder.close()
    return None


def language_model(place: CheckSubject) -> Look:
    """Whether one is named, can be used, and answers where that may be asked."""
    try:
        found = open_language_model(place.workspace.settings)
    except ModelUnavailableError as error:
        what = f"the language model cannot be used: {error.message}"
        return Look("cannot be used", (Finding(what=what, meaning=_WITHOUT, do=error.hint),))
    if found is None:
        return Look("none is named: rules do without, and nothing leaves this machine")
    if not place.network:
        return Look(f"{found.name}: {_NOT_ASKED}")
    try:
        found.complete((Message("user", "Answer with one word."),), max_tokens=_TOKENS, timeout=_SECONDS)
    except LanguageModelError as error:
        do = "look at language_endpoint and language_model in your settings, and whether it runs"
        return Look(f"{found.name}: asked", (Finding(what=str(error), meaning=_WITHOUT, do=do),))
    return Look(f"{found.name}: asked, and it answers")
