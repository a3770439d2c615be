"""Settings, each declared once: the person's own, then the workspace's, over the defaults.

A workspace's ``workbench.yaml`` is untrusted text: it may shape what is shown and indexed, never name a
command, an endpoint, a model to download or a key.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Iterable, Mapping, Set
from dataclasses import field, fields
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from workbench.config.safe_yaml import MAX_BYTES, MappingError, read_mapping
from workbench.errors import UsageError
from workbench.format_version import FORMAT, KEY, format_in
from workbench.frozen import frozen, frozen_kw_only
from workbench.special_files import read_regular

_T = TypeVar("_T")


@frozen_kw_only
class Declaration:
    """What is declared of a setting. Its type is that of its default: a number, a word or a list of words."""

    default: object
    doc: str
    unit: str = ""
    """What its number counts; empty for weights, words and lists."""
    minimum: float | None = None
    """The least number; None: it must be above zero."""
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    """The words that it may be; those of themes are known to whoever has loaded them."""
    pattern: str = ""
    """A regular expression of further words beside the choices."""
    members: tuple[str, ...] = ()
    """The words that a list may hold; empty for any."""
    unset: str = ""
    """What the negative number means that stands for none."""
    user_only: bool = False
    """Only the person's own file may say it."""
    secret: bool = False
    """It is never shown, also not in a message about what is wrong with it."""
    strict: bool = False
    """It says which words stay private, and who may have the others: no default stands in for it."""


def setting(default: _T, doc: str, **more: Any) -> _T:
    """The field of a setting, with all that is to know of it; ``more`` are further fields of Declaration."""
    declared = Declaration(default=default, doc=doc, **more)
    return field(default=default, repr=not declared.secret, metadata={"declared": declared})


def personal(default: _T, doc: str, **more: Any) -> _T:
    """The field of a setting that only the person's own file may say."""
    return setting(default, doc, user_only=True, **more)


PROVIDERS = ("local", "openai", "gemini", "none")
"""Who can turn text into vectors; `openai` is every endpoint that speaks OpenAI's API."""
MAX_CONCURRENCY = 64
"""Requests at the same time that anybody may ask for."""
MAX_PATTERNS = 200
"""Patterns that one key may have."""
MAX_CROSSINGS = 2
"""How often a pattern may say ``**``: each multiplies the ways in which a path can be matched."""
_WHOLE_NUMBER = re.compile(r"[0-9][0-9_]{0,11}")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_SHOWN = 80
_ALIKE = 0.75
"""How alike an unknown name and the known one must be for a slip of the fingers, from 0 to 1."""
_DROPPED_GATES = frozenset({"dream_score", "dream_signals", "dream_context"})
"""Thresholds of dreaming that older versions had in place of a rank."""


@frozen
class Settings:
    """What can be set, each setting declared once."""

    memory_budget: int = setting(10_000, "Maximum characters of MEMORY.md.", unit="characters")
    include: tuple[str, ...] = setting((), "Patterns of additional files that are memory.")
    exclude: tuple[str, ...] = setting((), "Patterns of files to leave out.", strict=True)
    extra_paths: tuple[str, ...] = personal(
        (),
        "Markdown files and folders outside of the workspace that are searched too; relative paths "
        "start at the workspace.",
    )
    transcripts: tuple[str, ...] = personal(
        (),
        "Folders or patterns of session transcripts (JSON lines) to read; or `{WORKSPACE: FOLDER}`.",
    )
    transcript_bytes: int = setting(
        100_000,
        "Bytes a transcript grows before it is indexed again and its new facts are saved.",
        unit="bytes",
    )
    transcript_lines: int = setting(
        50, "Lines a transcript grows before it is indexed again and its new facts are saved.", unit="lines"
    )
    model: str = personal(
        "",
        "A sentence-transformers model: a folder, a Hugging Face name or `none`. Default: the installed one.",
    )
    embedding_providers: tuple[str, ...] = personal(
        (),
        "Embedding providers in the order of preference: `local` (the default), `openai`, `gemini`, `none`.",
        members=PROVIDERS,
        strict=True,
    )
    embedding_endpoint: str = personal(
        "",
        "Address of the remote provider, including the API version. Default: the public one.",
        strict=True,
    )
    embedding_model: str = personal("", "The model of the remote provider.")
    embedding_dimensions: int = personal(
        0,
        "Length of the vectors that the remote provider makes; 0 leaves it to the model.",
        unit="numbers",
        maximum=65_536,
    )
    embedding_key: str = personal(
        "",
        "The key for the embedding endpoint; it is sent to no other.",
        secret=True,
        strict=True,
    )
    embedding_key_env: str = personal(
        "",
        "The environment variable with that key. Default: OPENAI_API_KEY or GEMINI_API_KEY.",
        strict=True,
    )
    embedding_price: float = personal(
        -1.0,
        "Price of a million tokens of the remote provider, in your currency; negative: unknown.",
        unit="for a million tokens",
        minimum=0,
        unset="not known",
    )
    embedding_ask_above: int = personal(
        500,
        "How many texts may be sent to a provider that costs money without asking you.",
        unit="texts",
        strict=True,
    )
    embedding_batch: int = personal(64, "Texts per request.", unit="texts", maximum=2_048)
    embedding_concurrency: int = personal(
        4, "Maximum requests at the same time.", unit="requests", maximum=MAX_CONCURRENCY
    )
    embedding_timeout: float = personal(60.0, "Timeout of a request when indexing.", unit="seconds")
    embedding_query_timeout: float = personal(
        3.0,
        "How long a search waits for the vector of the query before it searches by keyword only.",
        unit="seconds",
    )
    embedding_device: str = personal(
        "",
        "Where the local model runs when indexing: `cpu`, `cuda`, `mps`. Default: a GPU, if one is found.",
        choices=("", "cpu", "cuda", "mps"),
        pattern="cuda:[0-9]{1,3}",
    )
    language_endpoint: str = personal(
        "",
        "Address of a language model (an API like OpenAI's), including the API version. Empty: none is used.",
        strict=True,
    )
    language_model: str = personal(
        "", "The name of the language model; required if `language_endpoint` is set."
    )
    language_key: str = personal(
        "",
        "The key for the language endpoint; it is sent to no other.",
        secret=True,
        strict=True,
    )
    language_key_env: str = personal(
        "", "The environment variable with the key of the language model.", strict=True
    )
    language_timeout: float = personal(30.0, "Timeout of a request to the language model.", unit="seconds")
    transcript_exclude: tuple[str, ...] = setting(
        ("heartbeat", "cron", "delivered"),
        "Sessions whose key or origin contains one of these words are never read.",
        strict=True,
    )
    flush_messages: int = setting(
        50, "Messages in a session after which its facts are saved, before it is compacted.", unit="messages"
    )
    context_window: int = setting(200_000, "Size of the agent's context window.", unit="tokens")
    episode_days: int = setting(90, "How long an episode is kept.", unit="days")
    agent_writes: str = personal(
        "propose",
        "What happens with what an agent stores: `propose` makes it wait for you, `store` writes it at once, "
        "except what would change a pinned memory or gives orders to an agent.",
        choices=("propose", "store"),
        strict=True,
    )
    team_leader: str = personal(
        "",
        "The workspace of the team's leader, which is searched too. Agents cannot write here then.",
    )
    inject_threshold: float = setting(
        0.3,
        "Minimum score of an entry that is given to an agent with a message.",
        unit="of 1",
        minimum=0,
        maximum=1,
    )
    inject_tokens: int = setting(200, "Maximum tokens that are given with a message.", unit="tokens")
    inject_entries: int = setting(5, "Maximum entries that are given with a message.", unit="entries")
    dream_limit: int = setting(10, "Maximum additions and changes that one dream proposes.", unit="proposals")
    layout: tuple[str, ...] = setting(
        (), "Agent layouts of the workspace, such as `openclaw` or `obsidian`. Default: detected."
    )
    search_preset: str = setting(
        "default",
        "Ranking weights: default, openclaw, goclaw, mostly `keyword` or mostly `semantic`.",
        choices=("default", "openclaw", "goclaw", "keyword", "semantic"),
    )
    theme: str = personal("dark", "Theme of the interface.")


DECLARED: Mapping[str, Declaration] = {one.name: one.metadata["declared"] for one in fields(Settings)}
"""Every setting by its name, in the order in which they are declared."""
FORMER_PRESETS = {"words": "keyword", "meaning": "semantic"}
"""What 0.1 called these presets."""
USER_ONLY = frozenset(name for name, one in DECLARED.items() if one.user_only)
SECRET = frozenset(name for name, one in DECLARED.items() if one.secret)
STRICT = frozenset(name for name, one in DECLARED.items() if one.strict)


def user_settings_path() -> Path:
    """Where the person's own settings live."""
    override = os.environ.get("WORKBENCH_CONFIG")
    return Path(override) if override else platformdirs.user_config_path("memory-workbench") / "settings.yaml"


@frozen
class SettingsFile:
    """What one file says, each setting by itself: what is wrong with one leaves the others.

    ``values`` has those whose value can be read. Also ``wrong`` are those among them with a word that is none
    of those to choose from. ``misplaced`` are names that mean nothing in this file. ``text`` is what stands
    in it.
    """

    path: Path
    allowed: Set[str]
    """The settings that it may say."""
    text: str = ""
    said: Mapping[str, object] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    misplaced: tuple[str, ...] = ()
    wrong: Mapping[str, UsageError] = field(default_factory=dict)


_CORRECT = "correct or remove the file; for example `memory_budget: 10000`"


class SettingsFileError(UsageError):
    """A file of settings cannot be read at all, for this ``reason``.

    ``line`` is where, from 1, or 0 where that is not known.
    """

    def __init__(self, path: Path, reason: str, line: int = 0, *, hint: str = _CORRECT) -> None:
        super().__init__(f"{path} {reason}", hint=hint)
        self.reason = reason
        self.line = line


def load(workspace_file: Path, *, lenient: bool = False, skipped: list[str] | None = None) -> Settings:
    """The settings for one workspace. Raises UsageError naming the file and the key that is wrong.

    A name that there is not is skipped, and put into ``skipped``; ``lenient`` so is a wrong value, whose
    default counts then. What is strict is skipped in no case, nor is what looks like its misspelt name.
    """
    left_out = skipped if skipped is not None else []
    root = workspace_file.parent
    files = (
        read_settings(user_settings_path(), root, trusted=True),
        read_settings(workspace_file, root, trusted=False),
    )
    try:
        newer = format_in(files[1].said) > FORMAT
    except ValueError as error:
        hint = f"`{KEY}: {FORMAT}` is what this version writes"
        raise UsageError(f"{workspace_file}: {error}", hint=hint) from error
    return combined(
        _counting(files[0], lenient=lenient, newer=False, skipped=left_out),
        _counting(files[1], lenient=lenient or newer, newer=newer, skipped=left_out),
    )


def own_settings() -> Settings:
    """What the person's own settings say; no workspace has a say in it. Raises as ``load`` does."""
    return load(Path(os.devnull, "workbench.yaml"))


def read_settings(path: Path, root: Path | None, *, trusted: bool) -> SettingsFile:
    """What the file at ``path`` says in the workspace at ``root``; nothing where there is none.

    The person's own file is ``trusted``, a workspace's is not. Raises SettingsFileError.
    """
    allowed = DECLARED.keys() if trusted else DECLARED.keys() - USER_ONLY
    try:
        text = read_file(path, trusted=trusted).decode("utf-8")
        said = flat(read_mapping(text), root)
    except (FileNotFoundError, NotADirectoryError):
        return SettingsFile(path, allowed)
    except OSError as error:
        raise SettingsFileError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsFileError(path, "is not UTF-8") from error
    except MappingError as error:
        raise SettingsFileError(path, f"is not a YAML mapping: {short(error)}", error.line) from error
    values: dict[str, object] = {}
    wrong: dict[str, UsageError] = {}
    misplaced: list[str] = []
    for name, value in said.items():
        if name not in allowed:
            if trusted or name != KEY:  # that says in which format the memory is
                misplaced.append(name)
            continue
        try:
            values[name] = checked(name, value)
            refuse_unfit(name, values[name])
        except UsageError as error:
            wrong[name] = error
    return SettingsFile(path, allowed, text, said, values, tuple(misplaced), wrong)


def combined(own: Mapping[str, object], shared: Mapping[str, object]) -> Settings:
    """The workspace's values over the person's own over the defaults."""
    # What the person leaves out, no workspace takes in.
    excluded = (*own.get("exclude", ()), *shared.get("exclude", ()))  # type: ignore[misc]
    return Settings(**{**own, **shared, "exclude": tuple(dict.fromkeys(excluded))})  # type: ignore[arg-type]


def _counting(file: SettingsFile, *, lenient: bool, newer: bool, skipped: list[str]) -> dict[str, object]:
    """What of a file counts. Raises UsageError for what must not be left out: it would be misread."""
    for name in file.misplaced:
        if newer and not name.startswith("exclude"):
            continue  # what a newer program sets means nothing here
        _refuse_misplaced(file, name)
        skipped.append(name)
    left_out = [name for name in file.wrong if lenient and name not in STRICT]
    skipped += left_out
    for name, error in file.wrong.items():
        if name not in left_out and name not in file.values:
            raise UsageError(f"{file.path}: {error.message}", hint=error.hint) from error
    return {name: value for name, value in file.values.items() if name not in left_out}


def similar(name: str, known: Iterable[str]) -> list[str]:
    """Up to three known names that ``name`` may be a misspelling of, the likeliest first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where somebody mistyped

    return get_close_matches(name[:_SHOWN], sorted(known), 3, _ALIKE)


def hint_for_unknown(name: str) -> str:
    """What to do about a name that no setting has."""
    if name in _DROPPED_GATES:
        return "use dream_limit, the number of proposals of a dream"
    if name == "dream_days":
        return "remove it: every dream reads the whole history"
    near = similar(name, DECLARED)
    if not near and name.startswith("search_"):  # older versions let a file set each weight
        return "search_preset chooses the weights of a search"
    return f"did you mean {' or '.join(near)}?" if near else "`workbench config` lists them"


def refuse_unfit(name: str, value: object) -> None:
    """Raises UsageError where a setting with a few words to choose from is none of them."""
    declared = DECLARED[name]
    known = declared.choices
    if known and value not in known and not re.fullmatch(declared.pattern or "(?!)", str(value)):
        words = ", ".join(word or "nothing" for word in known)
        raise UsageError(f"{name} cannot be {short(value)}", hint=f"allowed: {words}")


def _refuse_misplaced(file: SettingsFile, name: str) -> None:
    """Raises UsageError for a name that may not be skipped: only the person may say it, or it is misspelt."""
    if name in USER_ONLY:
        raise UsageError(
            f"{file.path} cannot set {short(name)} (only your own settings file may)",
            hint=f"set it in {user_settings_path()}, or remove it",
        )
    near = [one for one in STRICT & file.allowed if name.startswith(one)] or similar(name, file.allowed)[:1]
    if near and near[0] in STRICT:
        raise UsageError(
            f"{file.path} cannot set {short(name)}, which looks like a misspelled setting that matters",
            hint=f"did you mean {near[0]}?",
        )


def read_file(path: Path, *, trusted: bool) -> bytes:
    """What the file holds, up to one byte more than settings may have; waits for nobody.

    A person's own file may be a link or a device. A workspace's must be a plain file: a link in it
    could lead anywhere.
    """
    if trusted:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    try:
        return read_regular(path, MAX_BYTES + 1)
    except ValueError as error:
        hint = "write the settings into it directly, or remove it"
        raise SettingsFileError(path, "is not a plain file", hint=hint) from error


def flat(found: Mapping[str, object], root: Path | None = None) -> dict[str, object]:
    """``memory: {budget: 1}`` and ``memory_budget: 1`` say the same.

    `transcripts` may say for each workspace which are its own; then those of ``root`` count.
    """
    said: dict[str, object] = {}
    for key, value in found.items():
        if key == "transcripts" and isinstance(value, Mapping):
            own = [paths for place, paths in value.items() if root is not None and same_place(place, root)]
            said |= {key: own[0]} if own else {}
        elif isinstance(value, Mapping) and key != KEY:
            said.update({f"{key}_{inner}": deep for inner, deep in value.items()})
        else:
            said[key] = value
    return said


def same_place(one: str, other: str | Path) -> bool:
    """Whether two paths, also with ``~``, lead to the same folder."""
    return os.path.realpath(os.path.expanduser(one)) == os.path.realpath(os.path.expanduser(other))


def checked(name: str, value: object) -> object:
    """The value that a file gives to a setting, in its type. Raises UsageError naming the setting."""
    declared = DECLARED[name]
    default, most = declared.default, declared.maximum
    if isinstance(default, (int, float)):
        pattern, sort = (
            (_WHOLE_NUMBER, "a positive whole number")
            if isinstance(default, int)
            else (_NUMBER, "a number such as 0.5")
        )
        number = type(default)(value) if isinstance(value, str) and pattern.fullmatch(value) else -1
        if number < 0 or (number == 0 and declared.minimum is None):
            raise UsageError(f"{name} must be {sort}, not {short(value)}")
        if most is not None and number > most:
            bounds = f"between 0 and {most:g}" if declared.minimum is not None else f"{most:,} at most"
            raise UsageError(f"{name} must be {bounds}, not {short(value)}")
        return number
    if isinstance(default, tuple):
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) and item for item in items):
            if not declared.members:
                return _patterns(name, items)
            for word in items:
                if word not in declared.members:
                    known = ", ".join(declared.members)
                    raise UsageError(f"{name} does not accept {short(word)}", hint=f"known: {known}")
            return tuple(dict.fromkeys(items))
        raise UsageError(f"{name} must be a list of patterns, not {short(value)}")
    if isinstance(value, str):
        return FORMER_PRESETS.get(value, value) if name == "search_preset" else value
    shown = "" if declared.secret else f", not {short(value)}"
    raise UsageError(f"{name} must be a word{shown}")


def _patterns(name: str, patterns: list[str]) -> tuple[str, ...]:
    """The patterns, as long as matching a path against all of them stays quick."""
    if len(patterns) > MAX_PATTERNS:
        raise UsageError(f"{name} has {len(patterns)} patterns; {MAX_PATTERNS} are allowed")
    for pattern in patterns:
        if pattern.split("/").count("**") > MAX_CROSSINGS:
            raise UsageError(
                f"{name} has a pattern with more than {MAX_CROSSINGS} `**`: {short(pattern)}",
                hint="one `**` matches folders at any depth",
            )
    return tuple(patterns)


def short(value: object) -> str:
    """A value for an error message, which stays a line whatever the file holds."""
    text = str(value) if isinstance(value, Exception) else reprlib.repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
