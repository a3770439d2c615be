"""The models that a person's settings choose: named at once, opened when they are needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing.embedding.locate import NONE, locate
from indexing.embedding.remote.provider import REMOTE, Service, service_of
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by its identity; ``open`` loads it and raises ModelUnavailableError when it cannot.

    ``ask`` opens it for questions, where that is another thing; ``service`` is what is behind a remote one.
    """

    identity: str
    open: Callable[[], Embedder]
    ask: Callable[[], Embedder] | None = None
    service: Service | None = None

    def open_for_questions(self) -> Embedder:
        """The model for texts that are searched with. Raises ModelUnavailableError."""
        return (self.ask or self.open)()

    def opened_once(self) -> ModelChoice:
        """The same for questions, held in memory once by all that share it, whichever thread asks first.

        Whoever asks meanwhile waits. A model that did not open is tried again.
        """
        opening = threading.Lock()
        held: list[Embedder] = []

        def once() -> Embedder:
            with opening:
                if not held:
                    held.append(self.open_for_questions())
                return held[0]

        return ModelChoice(self.identity, once)


@dataclass(frozen=True, slots=True)
class Choices:
    """The providers of the settings in their order: those that can be used, and why the others cannot."""

    usable: tuple[ModelChoice, ...]
    problems: tuple[tuple[str, ModelUnavailableError], ...]

    def first(self) -> ModelChoice:
        """The one to make an index with. Raises ModelUnavailableError saying what is wrong with each."""
        if self.usable:
            return self.usable[0]
        if len(self.problems) == 1:
            raise self.problems[0][1]
        why = "; ".join(f"{provider}: {error.message}" for provider, error in self.problems)
        hints = (error.hint for _, error in self.problems if error.hint)
        raise ModelUnavailableError(why, hint=next(hints, ""))

    def that_made(self, identity: str | None) -> ModelChoice | None:
        """The one whose vectors these are, if it can still be used."""
        return next((choice for choice in self.usable if choice.identity == identity), None)


def choices(settings: Settings, *, threads: int) -> Choices:
    """What the settings allow. Imports nothing heavy, reaches no network, never fails.

    A provider can be used unless something is missing: a key, a model on this machine, sound settings.
    That it does not answer today makes no other one take its place.
    """
    usable: list[ModelChoice] = []
    problems: list[tuple[str, ModelUnavailableError]] = []
    for provider in settings.embedding_providers or ("local",):
        try:
            usable.append(_choice(provider, settings, threads))
        except ModelUnavailableError as error:
            problems.append((provider, error))
            if provider == NONE:
                break
    return Choices(tuple(usable), tuple(problems))


def choose_model(setting: str, *, threads: int, device: str = "") -> ModelChoice:
    """The local model of ``setting`` (see ``locate``). Imports little. Raises ModelUnavailableError."""

    def for_bulk() -> Embedder:
        from indexing.embedding.select import open_for_bulk  # noqa: PLC0415 - what it opens is heavy

        return open_for_bulk(setting, threads=threads, device=device)

    def for_questions() -> Embedder:
        from indexing.embedding.select import open_embedder  # noqa: PLC0415 - as above

        return open_embedder(setting, threads=threads)

    return ModelChoice(locate(setting).identity, for_bulk, for_questions)


def _choice(provider: str, settings: Settings, threads: int) -> ModelChoice:
    if provider == NONE:
        raise ModelUnavailableError(
            "embedding is switched off", hint="remove `none` from embedding_providers"
        )
    if provider == "local":
        return choose_model(settings.model, threads=threads, device=settings.embedding_device)
    for name in REMOTE:
        if name == provider:
            return _remote(service_of(name, settings))
    raise ModelUnavailableError(f"there is no provider {provider!r}")


def _remote(service: Service) -> ModelChoice:
    def for_bulk() -> Embedder:
        from indexing.embedding.remote.embedder import RemoteEmbedder  # noqa: PLC0415 - imports HTTP and numpy

        return RemoteEmbedder(service)

    def for_questions() -> Embedder:
        from indexing.embedding.remote.embedder import RemoteEmbedder  # noqa: PLC0415 - as above

        return RemoteEmbedder(service, task="query")

    return ModelChoice(service.identity, for_bulk, for_questions, service)
