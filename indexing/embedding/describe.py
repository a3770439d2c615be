"""What is known of a model without loading it, and fetching one that is not here."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from indexing.embedding.hub import fetch
from indexing.embedding.locate import DEFAULT_MODEL, ModelSource, locate, original, source_of
from indexing.embedding.select import prepared_folder
from indexing.storage import read_json
from workbench.errors import ModelUnavailableError

Form = Literal["prepared", "native"]
_NO_WINDOW = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The model that a setting leads to. ``source`` is None where there is none, ``why`` says so.

    ``dimension`` is the length of a vector, ``window`` the word pieces of one run; None where the model's
    files do not tell.
    """

    setting: str
    source: ModelSource | None = None
    form: Form | None = None
    prepared: Path | None = None
    dimension: int | None = None
    window: int | None = None
    why: str | None = None
    hint: str = ""

    def as_json(self) -> dict[str, object]:
        """The description as the command line prints it."""
        return {
            "setting": self.setting or None,
            "model": self.source.name if self.source else None,
            "identity": self.source.identity if self.source else None,
            "form": self.form,
            "dimension": self.dimension,
            "window": self.window,
            "folder": str(self.source.folder) if self.source else None,
            "prepared": str(self.prepared) if self.prepared else None,
            "why": self.why,
            "hint": self.hint or None,
        }


def describe(setting: str) -> Description:
    """The model of ``setting`` (see ``locate``). Loads nothing, asks no network, never fails."""
    try:
        source = locate(setting)
    except ModelUnavailableError as error:
        return Description(setting=setting, why=error.message, hint=error.hint)
    device = os.environ.get("WORKBENCH_DEVICE", "cpu") or "cpu"
    folder = prepared_folder(source)
    card = _mapping(folder / "prepared.json") if device == "cpu" else {}
    if card.get("identity") == source.identity:
        return Description(
            setting=setting,
            source=source,
            form="prepared",
            prepared=folder,
            dimension=_number(card.get("dimension")),
            window=_number(card.get("window")),
        )
    return Description(
        setting=setting,
        source=source,
        form="native",
        dimension=_dimension(source.folder),
        window=_window(source.folder),
    )


def download(name: str, told: Callable[[int, int], None]) -> ModelSource:
    """Fetch the model ``name`` (see ``hub.fetch``). Raises ModelUnavailableError.

    The default model must arrive with its original weights.
    """
    folder = fetch(name, told)
    return original([folder]) if name == DEFAULT_MODEL else source_of(folder, name=name)


def _dimension(folder: Path) -> int | None:
    """The length of a vector: what the last module that says so makes of it."""
    found = _number(_mapping(folder / "config.json").get("hidden_size"))
    modules = _read(folder / "modules.json")
    for module in modules if isinstance(modules, list) else ():
        path = module.get("path") if isinstance(module, dict) else None
        if isinstance(path, str) and path and ".." not in Path(path).parts:
            config = _mapping(folder / path / "config.json")
            told = (config.get(key) for key in ("out_features", "word_embedding_dimension"))
            found = next((number for number in map(_number, told) if number), found)
    return found


def _window(folder: Path) -> int | None:
    """Where the model's own file does not say, its tokenizer does; a huge number there means no limit."""
    own = _number(_mapping(folder / "sentence_bert_config.json").get("max_seq_length"))
    tokenizer = _number(_mapping(folder / "tokenizer_config.json").get("model_max_length"))
    return own or (tokenizer if tokenizer and tokenizer < _NO_WINDOW else None)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _mapping(path: Path) -> dict[str, object]:
    found = _read(path)
    return found if isinstance(found, dict) else {}


def _read(path: Path) -> object:
    try:
        return read_json(path)
    except PermissionError:
        return None
