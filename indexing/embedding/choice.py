"""The embedding models that the settings allow, named without opening any of them.

Imports no heavy library and opens no connection: a model is loaded when ``ModelChoice.open`` is called.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial

from indexing.embedding.model_files import NONE, locate
from indexing.embedding.port import Embedder
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError
from workbench.frozen import frozen
from workbench.llm.endpoint import Endpoint, Key, endpoint_of, find_key, require_client

_PUBLIC = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
}
REMOTE = tuple(_PUBLIC)
"""The providers behind a network."""
_VARIABLES = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
_MODELS = {"openai": "text-embedding-3-small", "gemini": "gemini-embedding-001"}
_MODEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_:@+-]|[./](?![./])){0,199}")
_GEMINI_BATCH = 100
"""Texts that one request to Gemini may have."""
_WINDOWS = {"text-embedding-": 8_000, "gemini-": 2_000}
_CAUTIOUS_WINDOW = 512


@frozen
class Service:
    """One model at one endpoint that speaks OpenAI's API. ``price`` is that of a million tokens, if known.

    ``dimensions`` are those to ask for (0: as the model has it), ``window`` the tokens that surely fit.
    ``packed`` asks for base64, which halves what travels; not every server knows it.
    """

    provider: str
    endpoint: Endpoint
    model: str
    key: Key
    dimensions: int
    price: float | None
    batch: int
    concurrency: int
    timeout: float
    query_timeout: float
    window: int
    packed: bool

    @property
    def identity(self) -> str:
        """Names all that shapes a vector and can be known without asking; no key, no credentials."""
        length = self.dimensions or "own"
        rule = "prefixes" if self._prefixes else "plain"
        return f"{self.provider}/{self.model}@{self.endpoint.url} dimension={length} tasks={rule}"

    @property
    def charges(self) -> bool:
        """Whether what is sent may cost money: a price was said, or somebody far away may have one."""
        return self.price is None or self.price > 0

    def prefix(self, question: bool) -> str:
        """What tells a model of Gemini what a text is for (ai.google.dev/gemini-api/docs/embeddings)."""
        if not self._prefixes:
            return ""
        return "task: search result | query: " if question else "title: none | text: "

    @property
    def _prefixes(self) -> bool:
        return self.model.startswith("gemini-embedding-") and self.model != _MODELS["gemini"]


@frozen
class ModelChoice:
    """A model by its identity; ``open`` loads it and raises ModelUnavailableError when it cannot.

    ``ask`` opens it for questions, where that is another thing; ``service`` is what is behind a remote one.
    """

    identity: str
    open: Callable[[], Embedder]
    ask: Callable[[], Embedder] | None = None
    service: Service | None = None

    @property
    def charges(self) -> bool:
        """Whether asking it may cost money."""
        return self.service is not None and self.service.charges

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


@frozen
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

    def lost(self, identity: str | None) -> str:
        """What is wrong with the provider whose vectors these are; empty where nothing is."""
        maker = (identity or "").partition("/")[0]
        return next((f"{name}: {error.message}" for name, error in self.problems if name == maker), "")


def choices(settings: Settings, *, threads: int) -> Choices:
    """What the settings allow. Never fails.

    A provider can be used unless something is missing: a key, the client that asks it, a model on this
    machine, sound settings. That it does not answer today makes no other one take its place.
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


def service_of(provider: str, settings: Settings) -> Service:
    """What ``provider``, one of REMOTE, stands for. Raises ModelUnavailableError where it is unusable.

    Endpoint, model, dimensions, key and price speak of the first remote provider in the list: a second one
    has its public address, its usual model and its usual variable, so that no key goes to the wrong place.
    """
    require_client()
    first = next((one for one in settings.embedding_providers if one in REMOTE), None)
    own = settings if provider == first else Settings()
    public = endpoint_of(_PUBLIC[provider])
    endpoint = endpoint_of(own.embedding_endpoint) if own.embedding_endpoint else public
    model = own.embedding_model or _MODELS[provider]
    model = model.removeprefix("models/") if provider == "gemini" else model
    if not _MODEL.fullmatch(model):
        raise ModelUnavailableError(
            "embedding_model in your settings is not a model name", hint=f"for example {_MODELS[provider]}"
        )
    price = own.embedding_price if own.embedding_price >= 0 else None
    batch = settings.embedding_batch
    return Service(
        provider=provider,
        endpoint=endpoint,
        model=model,
        key=find_key(
            _VARIABLES[provider], endpoint, public, own=own.embedding_key, variable=own.embedding_key_env
        ),
        dimensions=own.embedding_dimensions,
        price=0.0 if endpoint.private and price is None else price,
        batch=min(batch, _GEMINI_BATCH) if provider == "gemini" else batch,
        concurrency=settings.embedding_concurrency,
        timeout=settings.embedding_timeout,
        query_timeout=settings.embedding_query_timeout,
        window=next((size for begun, size in _WINDOWS.items() if model.startswith(begun)), _CAUTIOUS_WINDOW),
        packed=provider == "openai" and endpoint.host == public.host,
    )


def switched_off() -> ModelUnavailableError:
    """Why there is no model where the settings say ``none``."""
    return ModelUnavailableError("embedding is turned off", hint="remove `none` from embedding_providers")


def _choice(provider: str, settings: Settings, threads: int) -> ModelChoice:
    if provider == NONE:
        raise switched_off()
    if provider in REMOTE:
        service = service_of(provider, settings)

        def opened(*, questions: bool = False) -> Embedder:
            from indexing.embedding.remote import RemoteEmbedder  # noqa: PLC0415 - imports HTTP and numpy

            return RemoteEmbedder(service, questions=questions)

        return ModelChoice(service.identity, opened, partial(opened, questions=True), service)

    def opened_here(*, questions: bool = False) -> Embedder:
        from indexing.embedding.local import open_embedder, open_for_bulk  # noqa: PLC0415 - `status` needs none

        if questions:
            return open_embedder(settings.model, threads=threads)
        return open_for_bulk(settings.model, threads=threads, device=settings.embedding_device)

    return ModelChoice(locate(settings.model).identity, opened_here, partial(opened_here, questions=True))
