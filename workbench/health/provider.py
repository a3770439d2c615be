"""Model providers behind a network: as the settings name them, and asked only with the person's word."""

from __future__ import annotations

from indexing.embedding.choice import choices
from indexing.embedding.locate import NONE
from indexing.embedding.model_info import Described, describe_providers
from indexing.engines import RefusedError
from indexing.sync.generations import Generations
from workbench.errors import ModelUnavailableError
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

_WORDS_ONLY = "searches answer by words alone until it is there again, and say so"


def provider(place: CheckSubject) -> Look:
    """Each remote provider of the settings: its key, and whether it answers where that may be asked."""
    named = [
        one for one in describe_providers(place.workspace.settings) if one.provider not in ("local", NONE)
    ]
    findings: list[Finding] = []
    seen = []
    for one in named:
        service = one.service
        if service is None:
            findings.append(_unusable(one))
            seen.append(f"{one.provider}: cannot be used")
            continue
        where = f"{service.model} at {service.endpoint.host}"
        if service.key.warning:
            findings.append(Finding(what=f"{one.provider}: {service.key.warning}", severity="info"))
        if not place.network:
            seen.append(f"{where}: not asked, as that needs --network")
            continue
        seen.append(f"{where}: asked")
        if error := _asked(one):
            what = f"{one.provider} does not answer: {error.message}"
            findings.append(Finding(what=what, meaning=_WORDS_ONLY, do=error.hint))
    return Look("; ".join(seen) or "none is named: nothing leaves this machine", tuple(findings))


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


def _unusable(one: Described) -> Finding:
    problem = one.problem or ModelUnavailableError("it is not known")
    return Finding(
        what=f"{one.provider} cannot be used: {problem.message}",
        meaning="the next provider of the settings takes its place; where there is none, words alone answer",
        do=problem.hint,
    )


def _asked(one: Described) -> ModelUnavailableError | None:
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
