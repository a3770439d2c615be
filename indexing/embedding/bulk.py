"""Many texts through the local model: on a device where there is one and it pays, else on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from indexing.embedding.port import Embedder, Portion
from workbench.errors import ModelUnavailableError

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

WORTH_IT = 1_000
"""Texts from which loading the model onto a device, which takes seconds, is made up for."""
LIKENESS = 0.9999
"""Least cosine between a vector of the device and one of the CPU: one index holds both."""
_CPU_STEP = 512
_DEVICE_STEP = 2_048
_FIRST_BATCH = 256


class OnDevice(Protocol):
    """A model on a device: fails with what torch raises."""

    def embed(self, texts: Sequence[str], *, batch: int) -> Vectors:
        """(n, d) float32 of length 1 each, ``batch`` texts at a time."""


class BulkLocal:
    """A ``BulkEmbedder`` and ``Narrator`` over the form on the CPU, and over a device from WORTH_IT texts on.

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
        self._cpu = cpu
        self._device = device
        self._load: Callable[[], OnDevice] | None = load
        self._on_device: OnDevice | None = None
        self._probes = probes
        self._worth_it = worth_it
        self._batch = _FIRST_BATCH
        self._seen = 0
        self.notes: list[str] = []

    @property
    def identity(self) -> str:
        """See ``Embedder``."""
        return self._cpu.identity

    @property
    def dimension(self) -> int:
        """See ``Embedder``."""
        return self._cpu.dimension

    @property
    def window(self) -> int:
        """See ``Embedder``."""
        return self._cpu.window

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        while self._on_device is not None:
            try:
                return self._on_device.embed(texts, batch=self._batch)
            except Exception as error:  # whatever a driver comes up with must not end an index
                self._failed(error)
        return self._cpu.embed(texts)

    def portions(self, texts: Sequence[str]) -> Iterator[Portion]:
        """See ``BulkEmbedder``."""
        self._seen += len(texts)
        if self._load is not None and self._seen >= self._worth_it:
            self._move()
        at = 0
        while at < len(texts):
            some = texts[at : at + (_DEVICE_STEP if self._on_device else _CPU_STEP)]
            yield Portion(dict(zip(some, self.embed(some), strict=True)))
            at += len(some)

    def _move(self) -> None:
        """Use the device if what it makes is what the CPU makes."""
        load, self._load = self._load, None
        assert load is not None
        try:
            moved = load()
            alike = (moved.embed(self._probes, batch=8) * self._cpu.embed(self._probes)).sum(axis=1)
        except ModelUnavailableError as error:
            self.notes.append(f"{self._device} is not used: {error.message}")
            return
        except Exception as error:  # as above
            self.notes.append(f"{self._device} is not used: {_first_line(error)}")
            return
        if not float(alike.min()) >= LIKENESS:
            self.notes.append(f"{self._device} is not used: its vectors differ (cosine {alike.min():.5f})")
            return
        self._on_device = moved
        self.notes.append(f"embedded on {self._device}")

    def _failed(self, error: Exception) -> None:
        if not is_out_of_memory(error) or self._batch == 1:
            self._on_device = None
            self.notes.append(f"{self._device} failed, the CPU goes on: {_first_line(error)}")
            return
        self._batch = max(1, self._batch // 2)
        self.notes[:] = [note for note in self.notes if not note.startswith(_SMALLER)]
        self.notes.append(f"{_SMALLER} {self._device}: batches of {self._batch} from then on")
        free_memory()


_SMALLER = "out of memory on"


def is_out_of_memory(error: Exception) -> bool:
    """Whether a device had too little memory, as CUDA and MPS say it."""
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "out of memory" in str(error).lower()
    )


def free_memory() -> None:
    """Give back what torch keeps for later."""
    import torch  # noqa: PLC0415 - a device was in use, so it is loaded

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
