"""Many texts on a device: only where it pays and gives the same vectors, never to the harm of an index."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from indexing.embedding import local as device
from indexing.embedding.local import BulkLocal, NativeEmbedder, open_embedder, open_for_bulk
from indexing.embedding.model_files import locate
from indexing.embedding.port import vectors_among
from tests.support.hashing import HashingEmbedder
from workbench.errors import ModelUnavailableError

Vectors: TypeAlias = NDArray[np.float32]

PROBES = ["door code", "harbour", "a longer text about the harbour and the code of its door"]
TEXTS = [f"note {number} about the harbour" for number in range(600)]


class Gpu:
    """A device that makes what ``model`` makes, and has memory for ``room`` texts at a time."""

    def __init__(self, model: HashingEmbedder, room: int = 1_000, *, noise: float = 0.0) -> None:
        self.model = model
        self.room = room
        self.noise = noise
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str], *, batch: int) -> Vectors:
        import torch

        self.batches.append(batch)
        if batch > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
        found = self.model.embed(texts)
        found[:, 1] += self.noise
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def everything(embedder: BulkLocal, texts: list[str]) -> Vectors:
    found: dict[str, Vectors] = {}
    for portion in embedder.portions(texts):
        found.update(vectors_among(portion))
    return np.stack([found[text] for text in texts])


def bulk(gpu: Gpu) -> tuple[BulkLocal, list[str]]:
    """An embedder over ``gpu`` that pays from 500 texts on, and a list that grows when it is loaded."""
    loads: list[str] = []

    def load() -> Gpu:
        loads.append("cuda")
        return gpu

    return BulkLocal(HashingEmbedder(), "cuda", load, PROBES, worth_it=500), loads


def test_a_few_texts_are_not_worth_loading_a_device() -> None:
    embedder, loads = bulk(Gpu(HashingEmbedder()))
    everything(embedder, TEXTS[:100])
    assert embedder.embed(["door code"]).shape == (1, 64)
    assert loads == []


def test_many_texts_go_to_the_device_also_when_they_come_in_parts() -> None:
    gpu = Gpu(HashingEmbedder())
    embedder, loads = bulk(gpu)
    for start in range(0, 600, 100):
        everything(embedder, TEXTS[start : start + 100])
    assert loads == ["cuda"]
    assert len(gpu.batches) == 1 + 2  # the proof that it is the same model, then what was left
    assert list(embedder.notes) == ["embedded on cuda"]


@pytest.mark.promise(
    "Embedding providers",
    "a GPU has too little memory, is broken, or makes different vectors",
    "smaller batches, then the CPU, with a note",
)
def test_a_device_without_memory_gets_smaller_batches_and_loses_nothing() -> None:
    gpu = Gpu(HashingEmbedder(), room=20)
    embedder, _ = bulk(gpu)
    assert np.allclose(everything(embedder, TEXTS), HashingEmbedder().embed(TEXTS))
    assert gpu.batches == [8, 256, 128, 64, 32, 16]
    assert embedder.notes[-1] == "out of memory on cuda: batches of 16 from then on"
    assert len(embedder.notes) == 2


def test_without_memory_for_a_single_text_the_cpu_goes_on_and_that_is_said() -> None:
    gpu = Gpu(HashingEmbedder(), room=8)
    embedder, _ = bulk(gpu)
    everything(embedder, TEXTS)
    gpu.room = 0
    assert np.allclose(everything(embedder, TEXTS), HashingEmbedder().embed(TEXTS))
    assert "continuing on the CPU" in embedder.notes[-1]
    tries = len(gpu.batches)
    everything(embedder, TEXTS)
    assert len(gpu.batches) == tries


@pytest.mark.promise(
    "Embedding providers", "a GPU has too little memory, is broken, or makes different vectors"
)
def test_a_device_that_breaks_is_not_used_again() -> None:
    class Broken(Gpu):
        def embed(self, texts: Sequence[str], *, batch: int) -> Vectors:
            if len(texts) > len(PROBES):
                raise RuntimeError("CUDA error: device-side assert triggered\nmore")
            return super().embed(texts, batch=batch)

    embedder, _ = bulk(Broken(HashingEmbedder()))
    assert np.allclose(everything(embedder, TEXTS), HashingEmbedder().embed(TEXTS))
    assert (
        embedder.notes[-1] == "cuda failed, continuing on the CPU: CUDA error: device-side assert triggered"
    )


@pytest.mark.promise(
    "Embedding providers", "a GPU has too little memory, is broken, or makes different vectors"
)
@pytest.mark.parametrize("noise", [0.05, float("nan")])
def test_a_device_that_makes_other_vectors_is_not_used(noise: float) -> None:
    embedder, _ = bulk(Gpu(HashingEmbedder(), noise=noise))
    assert np.allclose(everything(embedder, TEXTS), HashingEmbedder().embed(TEXTS))
    assert "its vectors differ" in embedder.notes[0]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelUnavailableError("the driver is too old"), "the driver is too old"),
        (PermissionError(13, "Permission denied", "/lib/gpu"), "/lib/gpu: Permission denied"),
    ],
)
def test_a_device_that_cannot_be_loaded_is_named_with_the_reason(error: Exception, reason: str) -> None:
    def load() -> Gpu:
        raise error

    embedder = BulkLocal(HashingEmbedder(), "mps", load, PROBES, worth_it=1)
    assert everything(embedder, TEXTS).shape == (600, 64)
    assert embedder.notes == [f"mps is not used: {reason}"]


@pytest.mark.skipif(device.likely_device() != "cpu", reason="there is a device")
def test_a_device_that_is_asked_for_and_not_there_is_said_and_the_cpu_used(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"text {number}" for number in range(1_000)]
    monkeypatch.setenv("WORKBENCH_DEVICE", "cuda")
    embedder = open_for_bulk(str(tiny), device="cpu")  # the environment is stronger than the setting
    assert isinstance(embedder, BulkLocal)
    assert everything(embedder, texts).shape == (1_000, 16)
    assert embedder.notes == ["cuda is not used: torch cannot use it here"]
    monkeypatch.setenv("WORKBENCH_DEVICE", "warp")
    unknown = open_for_bulk(str(tiny))
    assert isinstance(unknown, BulkLocal)
    everything(unknown, texts)
    assert "there is no such device" in unknown.notes[0]
    monkeypatch.setenv("WORKBENCH_DEVICE", "cpu")
    assert type(open_for_bulk(str(tiny))) is type(open_embedder(str(tiny)))


def test_signs_of_a_device_are_believed_unless_it_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(device, "_CUDA_SIGNS", (str(tmp_path / "nvidia[0-9]*"),))
    assert device.likely_device() == "cpu"
    (tmp_path / "nvidia0").touch()
    assert device.likely_device() == "cuda"
    for hidden in ("", "-1"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        assert device.likely_device() == "cpu"
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert device.likely_device() == "mps"


@pytest.mark.parametrize(
    ("name", "known"), [("cpu", True), ("cuda", True), ("cuda:1", True), ("mps", True), ("cuda:x", False)]
)
def test_names_of_devices(name: str, known: bool) -> None:
    assert device.is_device(name) is known
    assert not device.is_device(name + ";rm")


def test_looking_for_a_device_imports_no_torch() -> None:
    code = (
        "import sys; from indexing.embedding.local import chosen_device, likely_device\n"
        "likely_device(), chosen_device('')\n"
        "print(sorted({'torch', 'numpy', 'ctypes'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_texts_too_long_for_the_window_are_told_from_the_others_in_one_step(tiny: Path) -> None:
    native = NativeEmbedder(locate(str(tiny)))
    texts = ["door code", "one two three " * 40, "", "x" * 300]
    together = native.embed(texts, batch=2)
    alone = np.stack([native.embed([text])[0] for text in texts])
    assert np.abs(together - alone).max() < 1e-5


@pytest.mark.skipif(device.likely_device() != "cuda", reason="there is no CUDA device")
def test_cuda_makes_the_vectors_of_the_cpu(tiny: Path) -> None:
    ours, theirs = NativeEmbedder(locate(str(tiny)), device="cuda"), NativeEmbedder(locate(str(tiny)))
    assert (ours.embed(TEXTS) * theirs.embed(TEXTS)).sum(axis=1).min() >= 0.9999
