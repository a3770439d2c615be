"""A provider as the person's settings describe it: everything but the network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from indexing.embedding.remote.api_format import Dialect, Gemini, OpenAI
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError
from workbench.llm.endpoint import Endpoint, Key, endpoint_of, find_key

Name = Literal["openai", "gemini"]
REMOTE: tuple[Name, ...] = ("openai", "gemini")

_PUBLIC = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
}
_VARIABLES = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
_MODELS = {"openai": "text-embedding-3-small", "gemini": "gemini-embedding-001"}
_MODEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_:@+-]|[./](?![./])){0,199}")
_GEMINI_BATCH = 100
"""Texts that a batchEmbedContents request may have."""
_WINDOWS = {"text-embedding-": 8_000, "gemini-": 2_000}
_CAUTIOUS_WINDOW = 512


@dataclass(frozen=True, slots=True)
class Service:
    """One model at one endpoint. ``price`` is that of a million tokens, None where nobody said it.

    ``dimensions`` are those to ask for (0: as the model has it), ``window`` the tokens that surely fit.
    """

    provider: Name
    endpoint: Endpoint
    model: str
    dialect: Dialect
    key: Key
    dimensions: int
    price: float | None
    batch: int
    concurrency: int
    timeout: float
    query_timeout: float
    window: int = field(default=_CAUTIOUS_WINDOW)

    @property
    def identity(self) -> str:
        """Names all that shapes a vector and can be known without asking; no key, no credentials."""
        length = self.dimensions or "own"
        return (
            f"{self.provider}/{self.model}@{self.endpoint.url} dimension={length} tasks={self.dialect.rule}"
        )

    @property
    def charges(self) -> bool:
        """Whether what is sent may cost money: a price was said, or somebody far away may have one."""
        return self.price is None or self.price > 0


def service_of(provider: Name, settings: Settings) -> Service:
    """The service that ``provider`` stands for. Raises ModelUnavailableError when it cannot be used at all.

    Endpoint, model, dimensions, key and price speak of the first remote provider in the list: a second one
    has its public address, its usual model and its usual variable, so that no key goes to the wrong place.
    """
    described = provider == _first(settings.embedding_providers)
    public = endpoint_of(_PUBLIC[provider])
    endpoint = (
        endpoint_of(settings.embedding_endpoint) if described and settings.embedding_endpoint else public
    )
    model = (settings.embedding_model if described else "") or _MODELS[provider]
    model = model.removeprefix("models/") if provider == "gemini" else model
    if not _MODEL.fullmatch(model):
        raise ModelUnavailableError(
            "embedding_model in your settings is no model's name", hint=f"for example {_MODELS[provider]}"
        )
    key = find_key(
        _VARIABLES[provider],
        endpoint,
        public,
        own=settings.embedding_key if described else "",
        variable=settings.embedding_key_env if described else "",
    )
    dimensions = settings.embedding_dimensions if described else 0
    dialect: Dialect
    if provider == "gemini":
        dialect = Gemini(model, dimensions)
    else:
        dialect = OpenAI(model, dimensions, packed=endpoint.host == public.host)
    price = settings.embedding_price if described and settings.embedding_price >= 0 else None
    return Service(
        provider=provider,
        endpoint=endpoint,
        model=model,
        dialect=dialect,
        key=key,
        dimensions=dimensions,
        price=0.0 if endpoint.private and price is None else price,
        batch=min(settings.embedding_batch, _GEMINI_BATCH)
        if provider == "gemini"
        else settings.embedding_batch,
        concurrency=settings.embedding_concurrency,
        timeout=settings.embedding_timeout,
        query_timeout=settings.embedding_query_timeout,
        window=next((size for name, size in _WINDOWS.items() if model.startswith(name)), _CAUTIOUS_WINDOW),
    )


def _first(providers: Iterable[str]) -> str | None:
    return next((provider for provider in providers if provider in REMOTE), None)
