"""Opening the best form of the model that this machine has. Never over a network."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.embedding.device import asked_device, has_device, is_device, likely_device
from indexing.embedding.locate import ModelSource, locate
from indexing.embedding.port import cache_dir
from workbench.errors import ModelUnavailableError, WorkbenchError
from workbench.workspace.locks import hold

if TYPE_CHECKING:
    from indexing.embedding.bulk import OnDevice
    from indexing.embedding.native import NativeEmbedder
    from indexing.embedding.port import Embedder

_LOG = logging.getLogger(__name__)
_PREPARE_SECONDS = 600.0
_KEPT_DAMAGED = 1


def open_embedder(setting: str = "", *, threads: int = 1) -> Embedder:
    """The model of ``setting`` (see ``locate``) in its prepared form, else in its native one.

    What is not prepared yet is prepared first, in a child process; a damaged preparation is set aside
    and made again. A model that cannot be prepared runs on a device where there is one.
    Raises ModelUnavailableError when no form can be used.
    """
    return _opened(locate(setting), threads, asked_device("") or likely_device())


def open_for_bulk(setting: str = "", *, threads: int = 1, device: str = "") -> Embedder:
    """The model of ``setting`` for many texts: prepared, and on a device as soon as that pays.

    ``device`` is that of the settings; WORKBENCH_DEVICE is stronger, and without either what the machine has
    is used. Raises ModelUnavailableError.
    """
    source = locate(setting)
    wanted = asked_device(device) or likely_device()
    cpu = _opened(source, threads, wanted)
    if wanted == "cpu" or cpu.__class__.__name__ == "NativeEmbedder":
        return cpu
    from indexing.embedding.bulk import BulkLocal  # noqa: PLC0415 - wanted by few
    from indexing.embedding.onnx_export import PROBES  # noqa: PLC0415

    return BulkLocal(cpu, wanted, lambda: _on_device(source, wanted), PROBES)


def _opened(source: ModelSource, threads: int, device: str) -> Embedder:
    target = prepared_folder(source)
    try:
        return _prepared(target, threads)
    except _NotUsableError:
        pass
    try:
        _prepare_in_child(source, target)
        return _prepared(target, threads)
    except (WorkbenchError, OSError, _NotUsableError) as error:
        _LOG.warning("the model is used unprepared, which is slower: %s", error)
        return _native(source, device if has_device(device) else "cpu", threads)


def prepared_folder(source: ModelSource) -> Path:
    """Where the prepared form of a model is kept."""
    return cache_dir() / "prepared" / source.digest


def bulk_threads() -> int:
    """Threads for work beside a person: one core stays free."""
    return max(1, (os.cpu_count() or 1) - 1)


class _NotUsableError(Exception):
    """There is no prepared form, or it had to be set aside."""


def _prepared(folder: Path, threads: int) -> Embedder:
    if not folder.is_dir():
        raise _NotUsableError("it is not prepared yet")
    try:
        from indexing.embedding.onnx_model import DamagedError, PreparedEmbedder  # noqa: PLC0415
    except ImportError as error:
        raise _NotUsableError(str(error)) from error
    try:
        return PreparedEmbedder(folder, threads=threads)
    except (DamagedError, OSError) as error:
        _set_aside(folder)
        raise _NotUsableError(str(error)) from error


def _set_aside(folder: Path) -> None:
    """Move a damaged preparation out of the way; the newest is kept for whoever wants to look."""
    with contextlib.suppress(OSError):
        os.rename(folder, folder.with_name(f"{folder.name}.damaged-{time.time_ns()}"))
        older = sorted(folder.parent.glob(f"{folder.name}.damaged-*"))[:-_KEPT_DAMAGED]
        for path in older:
            shutil.rmtree(path, ignore_errors=True)


def _prepare_in_child(source: ModelSource, target: Path) -> None:
    """Raises ModelUnavailableError with the child's last words."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with hold(target.parent / "prepare.lock", "preparing a model", wait=_PREPARE_SECONDS):
        if target.is_dir():
            return  # somebody else made it while we waited
        names = [str(source.folder), source.identity, str(target)]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        root = str(Path(__file__).resolve().parents[2])
        paths = (root, environment.get("PYTHONPATH", ""))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        try:
            done = subprocess.run(
                [sys.executable, "-m", "indexing.embedding.onnx_export", *names],
                env=environment,
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
    return _native(source, device, 0)


def _native(source: ModelSource, device: str, threads: int) -> NativeEmbedder:
    from indexing.embedding.native import NativeEmbedder  # noqa: PLC0415 - imports torch when used

    return NativeEmbedder(source, device=device, threads=threads)
