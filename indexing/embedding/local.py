"""The local embedding model, in its prepared form (ONNX, CPU) or its native one (sentence-transformers on a
CPU, CUDA or MPS). It is read from local files only. Torch takes seconds to import, so it stays unimported
where the prepared form runs on a machine without a device.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import os
import platform
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from indexing.embedding.choice import choices
from indexing.embedding.model_files import ModelSource, locate
from indexing.embedding.port import (
    EmbeddedTexts,
    Embedder,
    TextVectors,
    Vectors,
    averaged,
    cache_dir,
    in_windows,
)
from indexing.storage import set_aside_here
from indexing.words import clean
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError, WorkbenchError, reason_of
from workbench.processes import program_environment

WORTH_IT = 1_000
"""Texts from which loading the model onto a device, which takes seconds, is made up for."""
LIKENESS = 0.9999
"""Least cosine between a vector of the device and one of the CPU: one index holds both."""

_LOG = logging.getLogger(__name__)
_PREPARE_SECONDS = 600.0
_DEVICE_STEP = 2_048
_FIRST_BATCH = 256
_SMALLER = "out of memory on"
_CUDA_SIGNS = ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""Device files of NVIDIA's driver, Windows' for Linux guests, and AMD's (torch says cuda to it too)."""
_DEVICE = re.compile(r"cpu|cuda(:[0-9]{1,3})?|mps")
_HIDDEN = frozenset({"", "-1", "none", "NoDevFiles"})
_BATCH = 32
_INSTALL = "install the extra `model` (README, Install); keyword search works until then"
_KEPT = 5_000
"""Vectors of what people said that are kept, of 1.5 KB each with the usual model."""


def open_embedder(setting: str = "", *, threads: int = 1) -> Embedder:
    """The model of ``setting`` (see ``locate``) in its prepared form, else in its native one.

    What is not prepared yet is prepared first, in a child process; a damaged preparation is set aside
    and made again. A model that cannot be prepared runs on a device where there is one.
    Raises ModelUnavailableError when no form can be used.
    """
    return _opened(locate(setting), threads, chosen_device(""))


def open_for_bulk(setting: str = "", *, threads: int = 1, device: str = "") -> Embedder:
    """The model of ``setting`` for many texts: prepared, and on a device as soon as that pays.

    ``device`` is that of the settings. Raises ModelUnavailableError.
    """
    source, wanted = locate(setting), chosen_device(device)
    cpu = _opened(source, threads, wanted)
    if wanted == "cpu" or isinstance(cpu, NativeEmbedder):
        return cpu
    from indexing.embedding.onnx_model import PROBES  # noqa: PLC0415 - wanted by few

    return BulkLocal(cpu, wanted, lambda: _on_device(source, wanted), PROBES)


def prepared_folder(source: ModelSource) -> Path:
    """Where the prepared form of a model is kept."""
    return cache_dir() / "prepared" / source.digest


def bulk_threads() -> int:
    """Threads for work beside a person: one core stays free."""
    return max(1, (os.cpu_count() or 1) - 1)


# -- devices -------------------------------------------------------------------------------------


def chosen_device(setting: str) -> str:
    """The device that WORKBENCH_DEVICE names, else the ``setting``, else the one that there seems to be."""
    return os.environ.get("WORKBENCH_DEVICE", "").strip() or setting.strip() or likely_device()


def is_device(name: str) -> bool:
    """Whether ``name`` is one that a model can be put on."""
    return bool(_DEVICE.fullmatch(name))


def likely_device() -> str:
    """``cuda`` or ``mps`` where the machine shows signs of it, else ``cpu``. Opens nothing."""
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return "mps"
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in _HIDDEN:
        return "cpu"
    return "cuda" if any(glob.glob(sign) for sign in _CUDA_SIGNS) else "cpu"


def has_device(name: str) -> bool:
    """Whether torch can use the device. Imports torch; never fails."""
    if name == "cpu":
        return True
    try:
        import torch  # noqa: PLC0415 - takes seconds

        kind, _, number = name.partition(":")
        if kind == "mps":
            return bool(torch.backends.mps.is_available())
        return bool(torch.cuda.is_available()) and int(number or 0) < int(torch.cuda.device_count())
    except Exception:  # a driver that does not fit fails in its own ways
        return False


class OnDevice(Protocol):
    """A model on a device: fails with what torch raises."""

    def embed(self, texts: Sequence[str], *, batch: int) -> Vectors:
        """(n, d) float32 of length 1 each, ``batch`` texts at a time."""


class BulkLocal(Embedder):
    """The form on the CPU, and over a device from WORTH_IT texts on.

    ``device`` is its name, ``load`` puts the model there and may raise ModelUnavailableError. A device that
    runs out of memory gets smaller batches; one that fails is not used again, and that is said.
    """

    def __init__(
        self,
        cpu: Embedder,
        device: str,
        load: Callable[[], OnDevice],
        probes: Sequence[str],
        *,
        worth_it: int = WORTH_IT,
    ) -> None:
        self.identity = cpu.identity
        self.dimension = cpu.dimension
        self.window = cpu.window
        self.notes: list[str] = []
        self._cpu = cpu
        self._device = device
        self._load: Callable[[], OnDevice] | None = load
        self._on_device: OnDevice | None = None
        self._probes = probes
        self._worth_it = worth_it
        self._batch = _FIRST_BATCH
        self._seen = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        while self._on_device is not None:
            try:
                return self._on_device.embed(texts, batch=self._batch)
            except Exception as error:  # whatever a driver comes up with must not end an index
                self._failed(error)
        return self._cpu.embed(texts)

    def portions(self, texts: Sequence[str]) -> Iterator[EmbeddedTexts]:
        """See ``Embedder``."""
        self._seen += len(texts)
        if self._load is not None and self._seen >= self._worth_it:
            self._move(self._load)
            self._load = None
        yield from super().portions(texts)

    def _move(self, load: Callable[[], OnDevice]) -> None:
        """Use the device if what it makes is what the CPU makes."""
        try:
            moved = load()
            alike = (moved.embed(self._probes, batch=8) * self._cpu.embed(self._probes)).sum(axis=1).min()
        except Exception as error:  # as above
            self.notes.append(f"{self._device} is not used: {reason_of(error, where=True)}")
            return
        if not float(alike) >= LIKENESS:
            self.notes.append(f"{self._device} is not used: its vectors differ (cosine {alike:.5f})")
            return
        self._on_device, self.step = moved, _DEVICE_STEP
        self.notes.append(f"embedded on {self._device}")

    def _failed(self, error: Exception) -> None:
        if not _is_out_of_memory(error) or self._batch == 1:
            self._on_device, self.step = None, Embedder.step
            why = reason_of(error, where=True)
            self.notes.append(f"{self._device} failed, continuing on the CPU: {why}")
            return
        self._batch = max(1, self._batch // 2)
        self.notes[:] = [note for note in self.notes if not note.startswith(_SMALLER)]
        self.notes.append(f"{_SMALLER} {self._device}: batches of {self._batch} from then on")
        _free_memory()


def _is_out_of_memory(error: Exception) -> bool:
    """Whether a device had too little memory, as CUDA and MPS say it."""
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "out of memory" in str(error).lower()
    )


def _free_memory() -> None:
    """Give back what torch keeps for later."""
    import torch  # noqa: PLC0415 - a device was in use, so it is loaded

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


# -- forms ---------------------------------------------------------------------------------------


def _opened(source: ModelSource, threads: int, device: str) -> Embedder:
    target = prepared_folder(source)
    try:
        found = _prepared(target, threads)
        if found is None:
            _prepare_in_child(source, target)
            found = _prepared(target, threads)
        if found is not None:
            return found
        why = "the prepared model cannot be used"
    except (WorkbenchError, OSError) as error:
        why = str(error)
    _LOG.warning("the model is used unprepared, which is slower: %s", why)
    return NativeEmbedder(source, device=device if has_device(device) else "cpu", threads=threads)


def _prepared(folder: Path, threads: int) -> Embedder | None:
    """None where there is no prepared form, or it had to be set aside."""
    if not folder.is_dir():
        return None
    try:
        from indexing.embedding.onnx_model import DamagedError, PreparedEmbedder  # noqa: PLC0415

        return PreparedEmbedder(folder, threads=threads)
    except ImportError:
        return None
    except (DamagedError, OSError):
        with contextlib.suppress(OSError):
            set_aside_here(folder)
        return None


def _prepare_in_child(source: ModelSource, target: Path) -> None:
    """Raises ModelUnavailableError with the child's last words."""
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    named = (str(source.folder), source.identity, str(target))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "indexing.embedding.onnx_model", *named],
            env=program_environment() | offline,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PREPARE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailableError("preparing the model took too long") from error
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ModelUnavailableError(words or f"preparing ended with {done.returncode}")


def _on_device(source: ModelSource, device: str) -> OnDevice:
    if not is_device(device):
        raise ModelUnavailableError("there is no such device; known: cpu, cuda, cuda:1, mps")
    if not has_device(device):
        raise ModelUnavailableError("torch cannot use it here")
    return NativeEmbedder(source, device=device)


# -- the native form -----------------------------------------------------------------------------


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


# -- for what reads what people said ---------------------------------------------------------------


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
        self._kept: TextVectors = {}

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
