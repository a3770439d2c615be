"""The models: that of vectors on this machine, providers behind a network, and the language model.

What is behind a network is asked only with the person's word.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from indexing.embedding.choice import choices
from indexing.embedding.model_files import DEFAULT_MODEL, DEFAULT_WEIGHTS, NONE, WEIGHTS
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
        current = Generations(workspace.root / STATE_DIR).current()
        own = found.that_made(current.model()) if current else None
    except RefusedError:
        own = None
    return any(one is not None and one.service is not None for one in (*found.usable[:1], own))


def model(subject: CheckSubject) -> Look:
    """The model on this machine: found, and its weights those that were published."""
    found = local_model(subject)
    if found is None:
        yield "the settings ask for none on this machine"
    elif found.source is None:
        yield "none"
        yield Finding(found.why or "there is no model", _WORDS_ONLY, found.hint)
    else:
        yield f"{found.source.identity}, {found.form}"
        weights = found.source.folder / WEIGHTS
        if found.source.name == DEFAULT_MODEL and (digest := _digest(weights)) != DEFAULT_WEIGHTS:
            yield Finding(
                f"{weights} is not the original (SHA-256 {digest[:12]}…), and was remembered as such",
                "it changed without its date and size changing: a failing disk, or somebody's hand",
                "install the `model` extra anew, or run `workbench model download`; "
                "`workbench doctor --fix` forgets what was remembered, so that it is not used",
                repair=partial(_put_aside, cache_dir() / "digests.json"),
            )


def prepared_form(subject: CheckSubject) -> Look:
    """The prepared form of the model: its digests, and its probe embedded as it was when it was proven."""
    found = local_model(subject)
    if found is None or found.source is None:
        yield "there is no model on this machine"
    elif found.prepared is not None and found.form == "prepared":
        yield str(found.prepared)
        yield from _unusable(found.prepared, _problem(found.prepared))
    else:
        yield "there is none; it is made at the first use"
        folder = cache_dir() / "prepared" / found.source.digest
        if folder.is_dir():
            yield from _unusable(folder, "prepared.json is damaged, or of another model")
    prepared = cache_dir() / "prepared"
    half = sorted(prepared.glob(_HALF))
    lock = held(prepared / _PREPARING) if half else None
    if half and not (lock and lock.held):
        yield Finding(
            f"{len(half)} half-prepared models in {prepared}",
            "a preparation was killed; each takes about a hundred megabytes",
            "`workbench doctor --fix` removes them",
            repair=partial(_clear, half),
        )


def _unusable(folder: Path, problem: str) -> Iterator[Finding]:
    if problem:
        yield Finding(
            f"the prepared model in {folder} cannot be used: {problem}",
            "it is prepared anew at the next use, which takes half a minute",
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
                return f"{name} is not what was prepared"
        form.PreparedEmbedder(folder)
    except (form.DamagedError, OSError) as error:
        return str(error)
    return ""


def _clear(half: Sequence[Path]) -> str:
    """Remove what a preparation left that was killed: half a copy of what is there whole."""
    with hold(half[0].parent / _PREPARING, "doctor"):
        for folder in half:
            shutil.rmtree(folder)
    return f"{len(half)} removed"


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
        yield "none is named: nothing leaves this machine"
    for one in remote:
        if one.service is None:
            yield f"{one.provider}: cannot be used"
            problem = one.problem or ModelUnavailableError("it is not known")
            what = f"{one.provider} cannot be used: {problem.message}"
            meaning = "the next provider of the settings takes its place; else searches are keyword-only"
            yield Finding(what, meaning, problem.hint)
            continue
        asked = "asked" if subject.network else _NOT_ASKED
        yield f"{one.service.model} at {one.service.endpoint.host}: {asked}"
        if one.service.key.warning:
            yield Finding(f"{one.provider}: {one.service.key.warning}", severity="info")
        if subject.network and (error := _refusal(one)):
            yield Finding(f"{one.provider} does not answer: {error.message}", _WORDS_ONLY, error.hint)


def _refusal(one: Described) -> ModelUnavailableError | None:
    """Why a provider gives no vector for a word, or None. One request, which may cost next to nothing."""
    from indexing.embedding.remote import RemoteEmbedder  # noqa: PLC0415 - imports HTTP

    assert one.service is not None
    embedder = RemoteEmbedder(one.service, questions=True)
    try:
        embedder.probe()
    except ModelUnavailableError as error:
        return error
    finally:
        embedder.close()
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
        yield "none is named: rules do without, and nothing leaves this machine"
    elif not subject.network:
        yield f"{found.name}: {_NOT_ASKED}"
    else:
        try:
            found.complete((Message("user", "Answer with one word."),), max_tokens=_TOKENS, timeout=_SECONDS)
        except LanguageModelError as error:
            yield f"{found.name}: asked"
            do = "look at language_endpoint and language_model in your settings, and whether it runs"
            yield Finding(str(error), _WITHOUT, do)
        else:
            yield f"{found.name}: asked, and it answers"
