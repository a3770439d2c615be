"""Preparing a model: exported once, proven equal to the original, used from then on.

Run as ``python -m indexing.embedding.onnx_export FOLDER IDENTITY TARGET`` in a process of its own: it imports
torch, and a crash or a full memory there must not take anything else along.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import msgspec

from indexing.embedding.model_files import ModelSource, file_digest
from indexing.embedding.native import dimension_of, load_model, window_of
from indexing.embedding.onnx_model import (
    CARD,
    GRAPH,
    TOKENIZER,
    DamagedError,
    OnnxModelInfo,
    PreparedEmbedder,
)
from workbench.errors import ModelUnavailableError, WorkbenchError, reason_of
from workbench.workspace.locks import hold

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
    """Prepare one model; the reason of a failure goes to stderr."""
    folder, identity, target = arguments
    try:
        prepare(ModelSource(Path(folder), identity), Path(target))
    except WorkbenchError as error:
        sys.stderr.write(error.message + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
