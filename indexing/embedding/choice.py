"""The model that a workspace's settings choose: named at once, opened when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing.embedding.locate import locate

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by its identity; ``open`` loads it and raises ModelUnavailableError when it cannot."""

    identity: str
    open: Callable[[], Embedder]


def choose_model(setting: str, *, threads: int) -> ModelChoice:
    """The model of ``setting`` (see ``locate``). Imports nothing heavy. Raises ModelUnavailableError."""

    def opened() -> Embedder:
        from indexing.embedding.select import open_embedder  # noqa: PLC0415 - imports numpy

        return open_embedder(setting, threads=threads)

    return ModelChoice(locate(setting).identity, opened)
