"""Which path is what: the one place that knows how a workspace is laid out."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.memory.dated_name import dated_name
from workbench.memory.entry import Kind
from workbench.memory.names import RelPath

STATE_DIR = ".workbench"
SETTINGS_FILE = "workbench.yaml"
RECALL_TESTS = "recall-tests.yaml"
"""Questions of the person's own, and what each must find; see ``workbench.health.recall_tests``."""
QUARANTINE = "_system/quarantine/"
"""Entries and pages that are set aside: outside of everything that is searched or given to an agent."""
ARCHIVE = "_system/archive/"
"""Entries that left curated memory to keep it within its budget: searched, never loaded."""
LEDGER = "_system/ledger/"
"""Records that cannot be derived from memory; see ``workbench.workspace.ledger``."""
MEMORY_FILES = ("MEMORY.md", "memory.md")
BOOTSTRAP_FILES = ("USER.md", "SOUL.md", "IDENTITY.md", "AGENTS.md", "HEARTBEAT.md", "TOOLS.md")
_KIND_OF_FILE = {
    **dict.fromkeys(MEMORY_FILES, Kind.MEMORY),
    **dict.fromkeys(BOOTSTRAP_FILES, Kind.BOOTSTRAP),
    "DREAMS.md": Kind.DREAM,
    "workspace-context.md": Kind.CONTEXT,
}
_KIND_OF_FOLDER = (
    ("episodes/", Kind.EPISODE),
    ("graph/", Kind.ENTITY),
    ("_system/dreaming/", Kind.DREAM),
    ("memory/dreaming/", Kind.DREAM),
)
_GLOB = re.compile(r"\[!?\]?[^\]]*\]|.", re.DOTALL)
"""What a glob consists of: sets of characters, and single ones."""
_SPECIAL = re.compile(r"[]\\\[^&~|]")
_LOGS = "memory/"
_TEMPLATE_FOLDERS = frozenset({"template", "templates"})
INCLUDE = (
    "*.md",
    "memory/**/*.md",
    "episodes/**/*.md",
    "graph/**/*.md",
    "_system/dreaming/**/*.md",
    "_system/archive/**/*.md",
)
EXCLUDE = (
    "**/.*",
    "**/.*/**",
    "**/node_modules/**",
    "skills/**",
    "ref/**",
    f"{QUARANTINE}**",
    f"{LEDGER}**",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A memory file as the file system describes it; ``size`` in bytes.

    ``ctime_ns`` is when it last changed, in nanoseconds: unlike mtime, no program can set it back.
    """

    path: RelPath
    kind: Kind
    size: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The include and exclude patterns of one workspace. Excluding wins.

    ``**`` crosses folders; ``*``, ``?`` and ``[...]`` do not. A pattern means whole paths, which count from
    the workspace, or absolute ones beside it. One that ends with ``/`` means all that is below that folder.
    """

    include: tuple[str, ...] = INCLUDE
    exclude: tuple[str, ...] = EXCLUDE
    _included: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _excluded: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_included", _compile(self.include))
        object.__setattr__(self, "_excluded", _compile(self.exclude))

    def holds(self, path: str) -> bool:
        """Whether ``path`` is memory that is shown and indexed."""
        return bool(self._included.fullmatch(path)) and not self._excluded.fullmatch(path)

    def leaves_out(self, path: str) -> bool:
        """Whether a pattern excludes ``path``."""
        return bool(self._excluded.fullmatch(path))

    def may_curate(self, path: str) -> bool:
        """Whether a person may act on ``path``: memory, and what is set aside in quarantine."""
        return self.holds(path) or is_quarantined(path)

    def prunes(self, folder: str) -> bool:
        """Whether nothing below ``folder`` can be memory, so that it need not be entered."""
        if self._excluded.fullmatch(folder + "/x"):
            return True
        parts = folder.split("/")
        return not any(_can_lead_to(parts, _parts(pattern)) for pattern in self.include)


def is_quarantined(path: str) -> bool:
    """Whether ``path`` is a page of the quarantine."""
    return SET_ASIDE.holds(path)


def kind_of(path: str) -> Kind:
    """What sort of memory ``path`` holds, by its place alone."""
    if path in _KIND_OF_FILE:
        return _KIND_OF_FILE[path]
    if path.rpartition("/")[0] + "/" == _LOGS and dated_name(path):
        return Kind.LOG
    return next((kind for folder, kind in _KIND_OF_FOLDER if path.startswith(folder)), Kind.NOTE)


def is_template(path: str) -> bool:
    """Whether ``path`` is a form to be filled in: a note that is listed, but never searched or learnt from.

    Notes called `template*.md` and those in a folder `templates` are; a page or log about templates is none.
    """
    *parents, name = path.casefold().split("/")
    named = name.startswith("template") or not _TEMPLATE_FOLDERS.isdisjoint(parents)
    return named and kind_of(path) is Kind.NOTE


def scan(root: Path, layout: Layout) -> list[MemoryFile]:
    """The memory files below ``root``, sorted by path. Links and special files are not memory."""
    walked = _walk(root, layout)
    return sorted(
        (file for _, prefix, items in walked for file in _files(items, prefix, layout)),
        key=lambda file: file.path,
    )


def folders(root: Path, layout: Layout) -> Iterator[str]:
    """Every folder below ``root``, itself first, in which there can be memory. No link is followed."""
    return (folder for folder, _, _ in _walk(root, layout))


def _walk(root: Path, layout: Layout) -> Iterator[tuple[str, str, list[os.DirEntry[str]]]]:
    """Each such folder, its path below ``root`` with a slash at the end, and what is in it.

    A folder that vanished or may not be read holds nothing for us.
    """
    left = [(os.fspath(root), "")]
    while left:
        folder, prefix = left.pop()
        items: list[os.DirEntry[str]] = []
        with contextlib.suppress(OSError):
            items = list(os.scandir(folder))
        yield folder, prefix, items
        left += [(item.path, f"{prefix}{item.name}/") for item in items if _enters(item, prefix, layout)]


def _enters(item: os.DirEntry[str], prefix: str, layout: Layout) -> bool:
    try:
        return item.is_dir(follow_symlinks=False) and not layout.prunes(prefix + item.name)
    except OSError:
        return False


def _files(entries: list[os.DirEntry[str]], prefix: str, layout: Layout) -> Iterator[MemoryFile]:
    for item in entries:
        path = prefix + item.name
        try:
            if item.is_file(follow_symlinks=False) and layout.holds(path):
                status = item.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield MemoryFile(
                        path=RelPath(path),
                        kind=kind_of(path),
                        size=status.st_size,
                        ctime_ns=status.st_ctime_ns,
                        inode=status.st_ino,
                    )
        except OSError:
            continue


def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_glob(pattern) for pattern in patterns) or r"(?!)", re.DOTALL)


def _glob(pattern: str) -> str:
    """A regular expression for a glob in which ``**`` crosses folders and nothing else does."""
    parts = _parts(pattern)
    out = [
        "(?:[^/]+/)*" if part == "**" else "".join(map(_of_glob, _GLOB.findall(part))) + "/" for part in parts
    ]
    text = "".join(out).removesuffix("/")
    return text + "[^/]+" if parts[-1] == "**" else text


def _parts(pattern: str) -> list[str]:
    return (pattern + "**" if pattern.endswith("/") else pattern).split("/")


def _of_glob(piece: str) -> str:
    if piece in ("*", "?"):
        return "[^/]*" if piece == "*" else "[^/]"
    if len(piece) == 1:
        return re.escape(piece)
    negated = "^" if piece[1] == "!" else ""
    text = f"(?!/)[{negated}" + _SPECIAL.sub(r"\\\g<0>", piece[1 + len(negated) : -1]) + "]"
    try:
        re.compile(text)
    except re.error:  # such as `[z-a]`, which then is a name
        return re.escape(piece)
    return text


def _can_lead_to(parts: list[str], pattern: list[str]) -> bool:
    for part, wanted in zip(parts, pattern[:-1], strict=False):
        if wanted == "**":
            return True
        if not re.fullmatch(_glob(wanted), part):
            return False
    return len(parts) < len(pattern) or "**" in pattern


SET_ASIDE = Layout(include=(f"{QUARANTINE}**/*.md",), exclude=("**/.*", "**/.*/**"))
"""The pages of the quarantine."""
