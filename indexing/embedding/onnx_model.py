"""The prepared form of a model: its export to an ONNX graph with pooling and normalisation inside, and the
embedder that runs this graph. ``PreparedEmbedder`` needs onnxruntime and tokenizers but not torch, and loads
in a fraction of a second.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from indexing.embedding.local import dimension_of, load_model, window_of
from indexing.embedding.model_files import ModelSource, file_digest
from indexing.embedding.port import Embedder, Vectors, averaged, in_windows
from indexing.words import clean
from workbench.errors import ModelUnavailableError, WorkbenchError, reason_of
from workbench.workspace.locks import hold

GRAPH, TOKENIZER, CARD = "model.onnx", "tokenizer.json", "prepared.json"
FORM: Final = 1
"""Raised when the graph is made differently, so that models are prepared anew."""

BATCH = 32
_BLOCK = 2_048  # texts that are tokenized together


class DamagedError(Exception):
    """The files of a prepared model were changed or damaged since it was prepared."""


class OnnxModelInfo(msgspec.Struct, frozen=True):
    """The card of a prepared model. ``probe`` is a text, and ``vector`` the vector that it must get."""

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
            some = [tokens[at] for at in batch]
            mask = np.arange(max(1, len(some[-1]))) < np.array([len(ids) for ids in some])[:, None]
            ids = np.full(mask.shape, self._pad, np.int64)
            ids[mask] = np.concatenate(some)
            feed = {"input_ids": ids, "attention_mask": mask.astype(np.int64)}
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


# -- the export --------------------------------------------------------------------------------------
# A model is exported once, and used only if its vectors equal those of the original.

LIKENESS = 0.9999
"""Least cosine between a prepared and a native vector of the same text."""
_PATIENCE_SECONDS = 300.0
"""For how long another process may prepare a model before ours does without."""

PROBES = (
    "a",
    "The deploy key for staging lives under the Harbor project.",
    "Prefers async reviews over meetings; never schedules anything before ten.",
    "**Sarah Chen:** moved the launch to 14 March 2026, see https://example.org/plan?id=7",
    "ERR_CONNECTION_REFUSED while running `make test` in /srv/app (exit code 137)",
    "今天修复了登录模块的超时问题",
    "会議の議事録を共有しました",
    "데이터베이스 백업을 완료했다",
    "Größe, façade, naïve, smørrebrød, здравствуйте, שלום, مرحبا",
    "🙂 done ✅",
    "| day | who |\n| --- | --- |\n| Monday | Priya |",
    "word " * 60,
    "A longer note that goes on for a while, so that batches hold texts of different lengths. " * 5,
)


def prepare(source: ModelSource, target: Path) -> None:
    """Export ``source`` into the folder ``target``, atomically, unless another process does so meanwhile.

    The lock is held here, where the work is done: whoever asked for it may be killed before it is over.
    Raises BusyError when another process is at it for too long, ModelUnavailableError when the model cannot
    be exported or the export is not its equal.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with hold(target.parent / "prepare.lock", "preparing a model", wait=_PATIENCE_SECONDS):
        if target.is_dir():
            return
        for left in target.parent.glob(".preparing-*"):  # by one that was killed: half a copy of a model
            shutil.rmtree(left, ignore_errors=True)
        _prepare(source, target)


def _prepare(source: ModelSource, target: Path) -> None:
    building = Path(tempfile.mkdtemp(dir=target.parent, prefix=".preparing-"))
    try:
        model = load_model(source, eager=True)
        probes = [probe for probe in PROBES if len(model.tokenizer(probe)["input_ids"]) <= window_of(model)]
        expected = model.encode(probes, normalize_embeddings=True, show_progress_bar=False)
        _export(model, building / GRAPH)
        if (original := source.folder / TOKENIZER).is_file():
            shutil.copyfile(original, building / TOKENIZER)
        else:
            model.tokenizer.backend_tokenizer.save(str(building / TOKENIZER))
        card = OnnxModelInfo(
            identity=source.identity,
            dimension=dimension_of(model),
            window=window_of(model),
            graph=file_digest(building / GRAPH),
            tokenizer=file_digest(building / TOKENIZER),
            pad=int(model.tokenizer.pad_token_id or 0),
            probe=probes[-1],
            vector=tuple(map(float, expected[-1])),
        )
        (building / CARD).write_bytes(msgspec.json.encode(card))
        likeness = (PreparedEmbedder(building).embed(probes) * expected).sum(axis=1)
        if not float(likeness.min()) >= LIKENESS:
            raise ModelUnavailableError(
                f"the export of {source.identity} differs from the original (cosine {likeness.min():.5f})"
            )
        _put_in_place(building, target)
    except (DamagedError, OSError) as error:
        raise ModelUnavailableError(f"{source.identity} cannot be prepared: {error}") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _export(model: Any, graph: Path) -> None:
    import torch  # noqa: PLC0415 - loaded by the model already

    class Sentence(torch.nn.Module):  # type: ignore[misc]
        """Token ids to one normalised vector a text, through all modules of the model."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            vector = self.model(features)["sentence_embedding"]
            return torch.nn.functional.normalize(vector, p=2, dim=1)

    example = (torch.ones(2, 16, dtype=torch.long), torch.ones(2, 16, dtype=torch.long))
    texts, tokens = {0: "texts"}, {0: "texts", 1: "tokens"}
    try:
        with warnings.catch_warnings(), torch.no_grad(), contextlib.redirect_stdout(sys.stderr):
            warnings.simplefilter("ignore")
            torch.onnx.export(
                Sentence().eval(),
                example,
                str(graph),
                input_names=["input_ids", "attention_mask"],
                output_names=["embedding"],
                dynamic_axes={"input_ids": tokens, "attention_mask": tokens, "embedding": texts},
                opset_version=17,
                dynamo=False,  # the newer exporter came out slower
            )
    except Exception as error:  # an exporter fails in as many ways as there are models
        why = reason_of(error, where=True)
        raise ModelUnavailableError(f"the model cannot be exported: {why}") from error


def _put_in_place(building: Path, target: Path) -> None:
    for name in (GRAPH, TOKENIZER, CARD):
        descriptor = os.open(building / name, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    if target.exists():
        shutil.rmtree(target)
    os.rename(building, target)


def main(arguments: list[str]) -> int:
    """Prepare one model: ``python -m indexing.embedding.onnx_model FOLDER IDENTITY TARGET``.

    It runs in a process of its own: it imports torch, and a crash or full memory must end nothing else.
    The reason of a failure goes to stderr; returns the exit code.
    """
    folder, identity, target = arguments
    try:
        prepare(ModelSource(Path(folder), identity), Path(target))
    except WorkbenchError as error:
        sys.stderr.write(error.message + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
