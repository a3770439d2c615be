"""Facts about the models that a person's settings name, without loading or asking a model."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from indexing.embedding.choice import REMOTE, Service, service_of, switched_off
from indexing.embedding.local import chosen_device, prepared_folder
from indexing.embedding.model_files import NONE, ModelSource, locate
from indexing.storage import read_json
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError
from workbench.frozen import frozen_kw_only

Form = Literal["prepared", "native"]
_NO_WINDOW = 1_000_000


@frozen_kw_only
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
    folder = prepared_folder(source)
    card = folder / "prepared.json"
    if _mapping(card).get("identity") != source.identity:
        dimension, window = _dimension(source.folder), _window(source.folder)
        return Description(setting=setting, source=source, form="native", dimension=dimension, window=window)
    return Description(
        setting=setting,
        source=source,
        form="prepared",
        prepared=folder,
        dimension=_number(card, "dimension"),
        window=_number(card, "window"),
    )


@frozen_kw_only
class ProviderInfo:
    """A provider of the settings: a ``local`` model, a remote ``service``, or ``problem`` says why neither.

    ``device`` is where a local model embeds many texts, as far as can be told without loading torch.
    """

    provider: str
    local: Description | None = None
    device: str | None = None
    service: Service | None = None
    problem: ModelUnavailableError | None = None

    @property
    def usable(self) -> bool:
        """Whether an index can be made with it."""
        return self.problem is None

    def as_json(self) -> dict[str, object]:
        """The description as the command line prints it; of a key only where it is from."""
        about: dict[str, object] = {"provider": self.provider, "usable": self.usable}
        if self.service is not None:
            service = self.service
            return about | {
                "model": service.model,
                "identity": service.identity,
                "endpoint": service.endpoint.url,
                "dimension": service.dimensions or None,
                "window": service.window,
                "key": service.key.source,
                "warning": service.key.warning or None,
                "price_per_million": service.price,
                "charges": service.charges,
                "batch": service.batch,
                "concurrency": service.concurrency,
            }
        if self.local is not None:
            return about | self.local.as_json() | {"device": self.device}
        assert self.problem is not None
        return about | {"model": None, "why": self.problem.message, "hint": self.problem.hint or None}


def describe_providers(settings: Settings) -> tuple[ProviderInfo, ...]:
    """The providers of the settings in their order. Loads nothing, asks no network, never fails."""
    return tuple(_described(provider, settings) for provider in settings.embedding_providers or ("local",))


def _described(provider: str, settings: Settings) -> ProviderInfo:
    if provider == NONE:
        return ProviderInfo(provider=provider, problem=switched_off())
    if provider in REMOTE:
        try:
            return ProviderInfo(provider=provider, service=service_of(provider, settings))
        except ModelUnavailableError as error:
            return ProviderInfo(provider=provider, problem=error)
    found = describe(settings.model)
    problem = None if found.source else ModelUnavailableError(found.why or "", hint=found.hint)
    device = chosen_device(settings.embedding_device)
    return ProviderInfo(provider=provider, local=found, device=device, problem=problem)


def _dimension(folder: Path) -> int | None:
    """The length of a vector: what the last module that says so makes of it."""
    found = _number(folder / "config.json", "hidden_size")
    modules = _read(folder / "modules.json")
    for module in modules if isinstance(modules, list) else ():
        path = module.get("path") if isinstance(module, dict) else None
        if isinstance(path, str) and path and ".." not in Path(path).parts:
            config = folder / path / "config.json"
            found = _number(config, "out_features") or _number(config, "word_embedding_dimension") or found
    return found


def _window(folder: Path) -> int | None:
    """Where the model's own file does not say, its tokenizer does; a huge number there means no limit."""
    own = _number(folder / "sentence_bert_config.json", "max_seq_length")
    tokenizer = _number(folder / "tokenizer_config.json", "model_max_length")
    return own or (tokenizer if tokenizer and tokenizer < _NO_WINDOW else None)


def _number(path: Path, key: str) -> int | None:
    value = _mapping(path).get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _mapping(path: Path) -> dict[str, object]:
    found = _read(path)
    return found if isinstance(found, dict) else {}


def _read(path: Path) -> object:
    try:
        return read_json(path)
    except PermissionError:
        return None
