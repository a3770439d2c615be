"""The local embedding model for what reads what people said: opened when the first text comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from indexing.embedding.choice import choices
from indexing.embedding.local import prepared_folder
from indexing.embedding.model_files import locate
from indexing.embedding.port import Embedder, Vectors
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError

_KEPT = 5_000
"""Vectors that are kept, of 1.5 KB each with the usual model."""


def why_no_model(settings: Settings, *, prepares: bool = False) -> str:
    """Why there is no local model for what people said; empty where there is one.

    Nothing is sent to a provider, and nobody waits until a model is prepared, unless it ``prepares`` one at
    its first use: indexing and searching do that.
    """
    try:
        if choices(settings, threads=2).first().service is not None:
            return "names are not sent to a provider"
        if not prepares and not prepared_folder(locate(settings.model)).is_dir():
            return "the model is not prepared yet: `workbench reindex` does that"
    except ModelUnavailableError as error:
        return error.message
    return ""


def local_model(settings: Settings, *, prepares: bool = False) -> Embedder | None:
    """The model of the settings where ``why_no_model`` says nothing against it, else None."""
    if why_no_model(settings, prepares=prepares):
        return None
    return _WhenNeeded(choices(settings, threads=2).first().open_for_questions)


class _WhenNeeded(Embedder):
    """An embedder that is opened by its first use. Each use raises ModelUnavailableError as opening does.

    Vectors are kept: each source that is taken in is compared with the pages that the one before it wrote.
    """

    def __init__(self, opens: Callable[[], Embedder]) -> None:
        self._opens = opens
        self._kept: dict[str, Vectors] = {}

    @cached_property
    def _opened(self) -> Embedder:
        return self._opens()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) float32, each row of length 1."""
        import numpy as np  # noqa: PLC0415

        if not texts:
            return self._opened.embed(texts)
        if len(self._kept) + len(texts) > _KEPT:
            self._kept.clear()
        if new := [text for text in dict.fromkeys(texts) if text not in self._kept]:
            self._kept |= zip(new, self._opened.embed(new), strict=True)
        return np.stack([self._kept[text] for text in texts])
