"""Remote embedders for tests: services at a loopback provider, and retries that cost no time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from indexing.embedding.choice import Service, service_of
from indexing.embedding.remote import RemoteEmbedder
from tests.support.provider import Provider
from workbench.config.settings import Settings


class Waits:
    """Seconds that somebody would have waited; nobody does."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Note it."""
        self.seconds.append(seconds)

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        """Let the client wait for nothing, and leave nothing to chance."""
        patch.setattr("openai._base_client.anyio.sleep", self.sleep)
        patch.setattr("openai._base_client.random", lambda: 0.0)


class Opener:
    """Opens embedders that never wait, and closes them."""

    def __init__(self) -> None:
        self.waits = Waits()
        self._made: list[RemoteEmbedder] = []

    def __call__(self, service: Service, **options: object) -> RemoteEmbedder:
        self._made.append(RemoteEmbedder(service, **options))  # type: ignore[arg-type]
        return self._made[-1]

    def close(self) -> None:
        """Close what was opened."""
        for embedder in self._made:
            embedder.close()


@contextmanager
def opening() -> Iterator[Opener]:
    """An opener for one test."""
    opener = Opener()
    with pytest.MonkeyPatch.context() as patch:
        opener.waits.patch(patch)
        try:
            yield opener
        finally:
            opener.close()


def openai(provider: Provider, **more: object) -> Service:
    """``provider`` by OpenAI's API; ``more`` are settings."""
    return service_of("openai", settings_for(provider, **more))


def gemini(provider: Provider, **more: object) -> Service:
    """``provider`` as Gemini by OpenAI's API; ``more`` are settings."""
    given = {"embedding_providers": ("gemini",), "embedding_endpoint": provider.gemini, **more}
    return service_of("gemini", Settings(**given))  # type: ignore[arg-type]


def settings_for(provider: Provider, **more: object) -> Settings:
    """Settings that name ``provider`` by OpenAI's API, with 8 texts a request."""
    given = {
        "embedding_providers": ("openai",),
        "embedding_endpoint": provider.openai,
        "embedding_model": "a-model",
        "embedding_batch": 8,
        **more,
    }
    return Settings(**given)  # type: ignore[arg-type]
