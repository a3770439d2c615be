"""The native form of a model: sentence-transformers itself, on a CPU, CUDA or MPS."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

from indexing.embedding.model_files import ModelSource
from indexing.embedding.port import Embedder, Vectors, averaged, in_windows
from indexing.words import clean
from workbench.errors import ModelUnavailableError, reason_of

_BATCH = 32
_INSTALL = "install the extra `model` (README, Install); keyword search works until then"


def load_model(source: ModelSource, *, device: str = "cpu", eager: bool = False) -> Any:
    """The sentence-transformers model in ``source``: local files, safetensors, no foreign code.

    Raises ModelUnavailableError when the library or the model cannot be loaded.
    """
    # Read by the libraries at import: a local model must not make them ask the hub.
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TQDM_DISABLE", "1")
    options: dict[str, object] = {"use_safetensors": True}
    if eager:
        options["attn_implementation"] = "eager"
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds

        return SentenceTransformer(
            str(source.folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs=options,
        )
    except ModuleNotFoundError as missing:
        raise ModelUnavailableError(
            f"{source.folder} cannot be loaded: {missing.name} is not installed", hint=_INSTALL
        ) from missing
    except Exception as error:  # the library raises whatever its parts raise
        raise ModelUnavailableError(
            f"{source.folder} cannot be loaded: {reason_of(error, where=True)}",
            hint="keyword search works until then",
        ) from error


class NativeEmbedder(Embedder):
    """An ``Embedder`` over sentence-transformers. Raises ModelUnavailableError."""

    def __init__(self, source: ModelSource, *, device: str = "cpu", threads: int = 0) -> None:
        self._model = load_model(source, device=device)
        self.identity = source.identity
        self.dimension = dimension_of(self._model)
        self.window = window_of(self._model)
        self._turn = threading.Lock()
        if threads and device == "cpu":
            import torch  # noqa: PLC0415 - loaded by the model already

            torch.set_num_threads(threads)

    def embed(self, texts: Sequence[str], *, batch: int = _BATCH) -> Vectors:
        """See ``Embedder``; ``batch`` texts run together."""
        import numpy as np  # noqa: PLC0415 - heavy for those who only want the class

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        usable = [clean(text) for text in texts]
        parts, owners = in_windows(usable, self._counts(usable), self._count, self.window)
        weights = [tokens - 2 for tokens in self._counts(parts)]
        with self._turn:  # its tokenizer keeps state
            vectors = self._model.encode(
                parts,
                batch_size=batch,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return averaged(np.asarray(vectors, np.float32), owners, weights, len(texts))

    def _counts(self, texts: list[str]) -> list[int]:
        with self._turn:
            found = self._model.tokenizer(texts, verbose=False)["input_ids"] if texts else []
        return [len(ids) for ids in found]

    def _count(self, text: str) -> int:
        return self._counts([text])[0]


def dimension_of(model: Any) -> int:
    """Length of the vectors of a sentence-transformers model."""
    return int(model.get_embedding_dimension())


def window_of(model: Any) -> int:
    """Word pieces that a sentence-transformers model takes, its marks included."""
    return int(model.max_seq_length or 512)
