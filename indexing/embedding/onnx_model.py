"""The prepared form of a model: an ONNX graph with pooling and normalisation inside.

Needs onnxruntime and tokenizers, not torch; loads in a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from indexing.embedding.model_files import file_digest
from indexing.embedding.port import Embedder, Vectors, averaged, in_windows
from indexing.words import clean

GRAPH, TOKENIZER, CARD = "model.onnx", "tokenizer.json", "prepared.json"
FORM: Final = 1
"""Raised when the graph is made differently, so that models are prepared anew."""

BATCH = 32
_BLOCK = 2_048  # texts that are tokenized together


class DamagedError(Exception):
    """A prepared model is not what was prepared."""


class OnnxModelInfo(msgspec.Struct, frozen=True):
    """What is known of a prepared model: ``probe`` is a text, ``vector`` what it must become."""

    identity: str
    dimension: int
    window: int
    graph: str
    tokenizer: str
    pad: int
    probe: str
    vector: tuple[float, ...]
    form: Literal[1] = FORM


def read_card(folder: Path) -> OnnxModelInfo:
    """The card of a prepared model. Raises FileNotFoundError or DamagedError."""
    try:
        return msgspec.json.decode((folder / CARD).read_bytes(), type=OnnxModelInfo)
    except ValueError as error:  # not JSON, of another version, or not whole
        raise DamagedError(f"{folder / CARD} cannot be read: {error}") from error


class PreparedEmbedder(Embedder):
    """An ``Embedder`` over onnxruntime.

    Raises FileNotFoundError when ``folder`` holds no prepared model, DamagedError when its digests or
    its probe do not come out right. ``threads`` are those of one run of the graph.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        card = read_card(folder)
        self.identity, self.dimension, self.window = card.identity, card.dimension, card.window
        self._pad = card.pad
        for name, expected in ((GRAPH, card.graph), (TOKENIZER, card.tokenizer)):
            if file_digest(folder / name) != expected:
                raise DamagedError(f"{folder / name} has changed since it was prepared")
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
            # The file may have cutting and padding for another window baked in.
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            self._session: Any = _session(folder / GRAPH, threads)
            likeness = float(self.embed([card.probe])[0] @ np.asarray(card.vector, np.float32))
        except Exception as error:  # these engines raise bare Exception
            raise DamagedError(f"{folder} cannot be loaded: {error}") from error
        if not likeness > 0.999:
            raise DamagedError(f"{folder} embeds its test text wrongly (cosine {likeness:.4f})")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``. Batches are made of texts of similar length, so that little is padding."""
        out = np.zeros((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BLOCK):
            block = [clean(text) for text in texts[start : start + _BLOCK]]
            out[start : start + len(block)] = self._embed_block(block)
        return out

    def _embed_block(self, texts: list[str]) -> Vectors:
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        sizes = [len(ids) for ids in tokens]
        if max(sizes) <= self.window:
            return self._run(tokens)
        parts, owners = in_windows(texts, sizes, self._count, self.window)
        tokens = [encoding.ids[: self.window] for encoding in self._tokenizer.encode_batch(parts)]
        return averaged(self._run(tokens), owners, [len(ids) - 2 for ids in tokens], len(texts))

    def _run(self, tokens: list[list[int]]) -> Vectors:
        out = np.zeros((len(tokens), self.dimension), np.float32)
        order = sorted(range(len(tokens)), key=lambda at: len(tokens[at]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            longest = max(1, len(tokens[batch[-1]]))
            ids = np.full((len(batch), longest), self._pad, np.int64)
            mask = np.zeros((len(batch), longest), np.int64)
            for row, at in enumerate(batch):
                ids[row, : len(tokens[at])] = tokens[at]
                mask[row, : len(tokens[at])] = 1
            feed = {"input_ids": ids, "attention_mask": mask}
            out[batch] = self._session.run(["embedding"], feed)[0]
        return out

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text).ids)


def _session(graph: Path, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Threads that wait by spinning take the core that somebody else's work is waiting for.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
