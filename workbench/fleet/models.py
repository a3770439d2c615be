"""The model of a fleet: that of the person who runs it, opened by every worker for itself."""

from __future__ import annotations

import os
from pathlib import Path

from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.port import Distant, Embedder
from workbench.config.settings import Settings, load
from workbench.errors import ModelUnavailableError, UsageError
from workbench.fleet.worker import Recipe


def recipe(*, vectors: bool, full: bool, spend: bool) -> Recipe:
    """How rows are made by the person's own settings.

    Raises ModelUnavailableError where there is no model, UsageError for a provider that costs money unless
    ``spend``.
    """
    if not vectors:
        return Recipe(full=full)
    choice = _choice(_own_settings())
    if choice.service is not None and choice.service.charges and not spend:
        raise UsageError(
            f"{choice.identity} costs money, and all texts of the fleet would be sent to it",
            hint="--yes agrees; `embedding_providers: local` in your settings takes a model of this machine",
        )
    embedder = choice.open()
    if isinstance(embedder, Distant):
        embedder.probe()
    return Recipe(choice.identity, embedder.dimension, open_own_model, full)


def open_own_model() -> Embedder:
    """The model of the settings of whoever runs this process. Raises ModelUnavailableError."""
    return _choice(_own_settings()).open()


def model_for_questions(identity: str, dimension: int) -> tuple[Embedder | None, str]:
    """The model that made a table, for questions; or None and why."""
    if not identity:
        return None, "there are no vectors"
    try:
        found = choices(_own_settings(), threads=1).that_made(identity)
        if found is None:
            return None, f"the vectors are those of {identity}, which your settings do not name"
        embedder = found.open_for_questions()
    except ModelUnavailableError as error:
        return None, error.message
    if isinstance(embedder, Distant):
        embedder.expect(dimension)
    return embedder, ""


def _own_settings() -> Settings:
    """The person's own settings alone: no workspace of a fleet says which model is used."""
    return load(Path(os.devnull, "workbench.yaml"))


def _choice(settings: Settings) -> ModelChoice:
    try:
        return choices(settings, threads=1).first()
    except ModelUnavailableError as error:
        raise ModelUnavailableError(error.message, hint="--no-vectors goes by keyword only") from error
