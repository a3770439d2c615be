"""Models of the hub: found in its local cache, and fetched there when the person asks for it.

``fetch`` and ``listing`` use a network, and nothing else does for a local model.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexing.embedding.digest import file_digest
from workbench.errors import ModelUnavailableError

WEIGHTS = "model.safetensors"
_WANTED = ("*.json", "*.txt", "*.model", WEIGHTS, f"*/{WEIGHTS}")
_UNWANTED = ("onnx/*", "openvino/*")
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_]|[.-](?![.-]))*"
_NAME = re.compile(f"{_PART}/{_PART}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DEFAULT_ENDPOINT = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Listing:
    """What ``fetch`` would get: from which server, how many files, how many bytes are not here yet."""

    name: str
    endpoint: str
    files: tuple[str, ...]
    missing: int
    bytes: int


def is_hub_name(text: str) -> bool:
    """Whether ``text`` is an ``owner/name`` of the hub."""
    return len(text) <= 96 and bool(_NAME.fullmatch(text))


def endpoint() -> str:
    """The hub's address: HF_ENDPOINT, else the public one."""
    return (os.environ.get("HF_ENDPOINT") or _DEFAULT_ENDPOINT).rstrip("/")


def cache_folder() -> Path:
    """The hub's local cache, where its own tools look too."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    home = Path(os.environ.get("HF_HOME") or base / "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()


def snapshots(name: str) -> Iterator[Path]:
    """The snapshots of a model in the local cache that have safetensors weights, the current one first."""
    model = cache_folder() / f"models--{name.replace('/', '--')}"
    try:
        names = os.listdir(model / "snapshots")
    except OSError:
        return
    current = ""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        current = (model / "refs" / "main").read_text(encoding="ascii").strip()
    for found in sorted(names, key=lambda snapshot: (snapshot != current, snapshot)):
        if os.path.isfile(model / "snapshots" / found / WEIGHTS):
            yield model / "snapshots" / found


def listing(name: str) -> Listing:
    """Ask the hub what there is to fetch. Raises ModelUnavailableError."""
    files = _from_hub(name, dry_run=True)
    names = tuple(sorted(str(file.filename) for file in files))
    if WEIGHTS not in names:
        raise ModelUnavailableError(
            f"{name} has no {WEIGHTS}", hint="only safetensors models are loaded; choose another one"
        )
    missing = [file for file in files if file.will_download]
    size = sum(int(file.file_size or 0) for file in missing)
    return Listing(name, endpoint(), names, len(missing), size)


def fetch(name: str, told: Callable[[int, int], None]) -> Path:
    """The folder of the model ``name``, fetched into the local cache; only after the person agreed.

    ``told`` hears how many bytes of how many are here. Weights whose SHA-256 is not what the hub says are
    removed again. Raises ModelUnavailableError.
    """
    folder = Path(_from_hub(name, told=told))
    for path in sorted(folder.rglob("*")):
        blob = Path(os.path.realpath(path))  # the cache names large files by their SHA-256
        if path.is_file() and _SHA256.fullmatch(blob.name) and file_digest(blob) != blob.name:
            path.unlink()
            blob.unlink(missing_ok=True)
            raise _failed(name, f"{path.name} arrived damaged")
    return folder


def _from_hub(name: str, *, dry_run: bool = False, told: Callable[[int, int], None] | None = None) -> Any:
    if not is_hub_name(name):
        raise ModelUnavailableError(f"{name!r} is no model's name", hint="names are owner/name")
    # Read at import, which is here: plain requests to one server, and nothing about whoever asks.
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_DISABLE_XET"] = "1"
    try:
        from huggingface_hub import snapshot_download  # noqa: PLC0415 - needed by nobody else

        return snapshot_download(
            name,
            cache_dir=cache_folder(),
            endpoint=endpoint(),
            allow_patterns=list(_WANTED),
            ignore_patterns=list(_UNWANTED),
            tqdm_class=_bar(told),
            dry_run=dry_run,
        )
    except Exception as error:  # whatever the network or the hub comes up with
        raise _failed(name, _reason(error)) from error


def _failed(name: str, why: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"{name} could not be fetched from {endpoint()}: {why}",
        hint="nothing changed here; check the name and the connection, and try again",
    )


def _reason(error: BaseException) -> str:
    """Why, in one line; the hub wraps what really happened."""
    from huggingface_hub import errors  # noqa: PLC0415 - loaded already

    cause: BaseException = error
    while cause.__cause__ is not None and not isinstance(cause, errors.HfHubHTTPError):
        cause = cause.__cause__
    if isinstance(cause, errors.GatedRepoError):
        return "its owner wants to be asked first"
    if isinstance(cause, errors.RepositoryNotFoundError):
        return "there is no such model, or it is private"
    if isinstance(cause, errors.OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set"
    if isinstance(cause, errors.HfHubHTTPError) and cause.response is not None:
        return f"the server answered {cause.response.status_code}"
    return str(cause).partition("\n")[0] or type(cause).__name__


def _bar(told: Callable[[int, int], None] | None) -> Any:
    """A progress bar that draws nothing itself and tells its bytes."""
    from tqdm.auto import tqdm  # type: ignore[import-untyped]  # noqa: PLC0415 - the hub's library needs it

    class Told(tqdm):  # type: ignore[misc]
        def __init__(self, *given: Any, **named: Any) -> None:
            named.pop("name", None)
            super().__init__(*given, **{**named, "file": io.StringIO(), "disable": False})

        def display(self, *_: Any, **__: Any) -> bool:
            if told is not None and self.unit == "B" and self.desc.startswith("Reconstructing"):
                told(int(self.n), int(self.total or 0))
            return True

        def update(self, n: float | None = 1) -> bool | None:
            moved = super().update(n)
            self.display()
            return bool(moved)

    return Told
