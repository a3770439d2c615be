"""Which path is what: the one place that knows how a workspace is laid out."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

from workbench.memory.dated_name import DatedName, dated_name
from workbench.memory.entry import Kind
from workbench.memory.names import RelPath
from workbench.workspace.agent_layouts import DAY, OPENCLAW, PLAIN, AgentLayout, Files, LoadLimit, Unit
from workbench.workspace.daily_notes import DailyNotes

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
_OWN: Files = (
    (Kind.LOG, (f"memory/{DAY}.md",)),
    (Kind.EPISODE, ("episodes/**/*.md",)),
    (Kind.ENTITY, ("graph/**/*.md",)),
    (Kind.DREAM, ("_system/dreaming/**/*.md",)),
    (Kind.NOTE, (f"{ARCHIVE}**/*.md",)),
    (Kind.CONTEXT, ("workspace-context.md",)),
)
"""What the workbench itself adds to any memory."""
_NEVER = ("**/node_modules/**", f"{QUARANTINE}**", f"{LEDGER}**")
HIDDEN = ("**/.*", "**/.*/**")
"""Files and folders whose name begins with a dot: memory only where a layout names them."""
_GLOB = re.compile(r"\[!?\]?[^\]]*\]|.", re.DOTALL)
"""What a glob consists of: sets of characters, and single ones."""
_SPECIAL = re.compile(r"[]\\\[^&~|]")
_TEMPLATE_FOLDERS = frozenset({"template", "templates"})
_OF_A_DAY = (Kind.LOG, Kind.EPISODE)
_DATED = re.compile(rf"{DAY}[-_.]")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A memory file as the file system describes it; ``size`` in bytes.

    ``ctime_ns`` is when it last changed, in nanoseconds: unlike mtime, no program can set it back. ``named``
    is the day in its name.
    """

    path: RelPath
    kind: Kind
    size: int
    ctime_ns: int
    inode: int
    named: DatedName | None = None

    @property
    def is_template(self) -> bool:
        """Whether it is a form to be filled in."""
        return is_template(self.path, self.kind)


class _Patterns(NamedTuple):
    """What a layout says, as it is asked.

    ``named`` are the hidden files that are memory all the same. ``claims`` say for each pattern in
    ``included`` whose files those are and of which kind. ``folders`` are the parts of all patterns, and of
    those for hidden files.
    """

    included: re.Pattern[str]
    excluded: re.Pattern[str]
    hidden: re.Pattern[str]
    named: re.Pattern[str]
    claims: list[tuple[AgentLayout | None, Kind]]
    folders: tuple[list[list[str]], list[list[str]]]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which files are memory, and of which kind, by the layouts of ``agents`` and further patterns.

    Excluding wins.

    ``**`` crosses folders; ``*``, ``?`` and ``[...]`` do not. A pattern means whole paths, which count from
    the workspace, or absolute ones beside it. One that ends with ``/`` means all that is below that folder.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    agents: tuple[AgentLayout, ...] = ()
    daily: tuple[DailyNotes, ...] = ()
    limits: tuple[LoadLimit, ...] = ()
    """Those that a file in the folder says, beside those of all memory of an agent."""
    _patterns: _Patterns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        said = [(None, _OWN), *((agent, agent.files) for agent in self.agents)] if self.agents else []
        known = [(agent, kind, one) for agent, files in said for kind, patterns in files for one in patterns]
        known.sort(key=lambda one: one[1] is Kind.NOTE)  # a note is what no other agent knows better
        patterns = (*(pattern for _, _, pattern in known), *self.include)
        dotted = tuple(one for _, _, one in known if any(part.startswith(".") for part in _parts(one)))
        further = [pattern for agent in self.agents for pattern in agent.exclude]
        compiled = _Patterns(
            included=_compile(patterns),
            excluded=_compile((*self.exclude, *further, *(_NEVER if self.agents else ()))),
            hidden=_compile(HIDDEN if self.agents else ()),
            named=_compile(dotted),
            claims=[(agent, kind) for agent, kind, _ in known] + [(None, Kind.NOTE)] * len(self.include),
            folders=([_parts(one) for one in patterns], [_parts(one) for one in dotted]),
        )
        object.__setattr__(self, "_patterns", compiled)

    def holds(self, path: str) -> bool:
        """Whether ``path`` is memory that is shown and indexed."""
        return bool(self._patterns.included.fullmatch(path)) and not self.leaves_out(path)

    def leaves_out(self, path: str) -> bool:
        """Whether a pattern excludes ``path``."""
        if self._patterns.hidden.fullmatch(path) and not self._patterns.named.fullmatch(path):
            return True
        return bool(self._patterns.excluded.fullmatch(path))

    def kind_of(self, path: str) -> Kind:
        """What sort of memory ``path`` holds, by its place alone; a note where nothing says more."""
        kind = self._claim(path)[1]
        if kind in (Kind.NOTE, Kind.LOG) and self.daily_note(path):
            return Kind.LOG
        name = path.rpartition("/")[2]
        is_no_day = kind in _OF_A_DAY and _DATED.match(name) and not dated_name(name)
        return Kind.NOTE if is_no_day else kind

    def named(self, path: str) -> DatedName | None:
        """The day in the name of a file, and what else its name says; None where it begins with no day."""
        return self.daily_note(path) or dated_name(path)

    def daily_note(self, path: str) -> DatedName | None:
        """What the name of a daily note of the person says; None for any other file."""
        return next(filter(None, (one.named(path) for one in self.daily)), None)

    def log_path(self, day: date, files: Iterable[MemoryFile]) -> RelPath:
        """Where what happens on a day is written down, with these memory files beside it.

        An agent that keeps its memory in the same folder finds its logs where it keeps them, also in a vault.
        Elsewhere it is the log of that day, else the daily note that a file names, or one beside the newest.
        """
        if agent := next((one for one in self.agents if one.makes_memory), None):
            return RelPath(agent.log.format(day))
        logs = dict(daily_logs(files))
        if day in logs:
            return logs[day]
        for notes in self.daily:
            own = notes.path_on(day, logs.values())
            if (notes.said_in or not logs) and self.holds(own):
                return RelPath(own)
        newest = max(logs, default=day)
        moved = {f"{newest:{part}}": f"{day:{part}}" for part in ("%Y", "%m", "%Y-%m")}
        parts = logs.get(newest, "memory/").split("/")[:-1]
        return RelPath("/".join([*(moved.get(part, part) for part in parts), f"{day}.md"]))

    def agent_of(self, path: str) -> AgentLayout | None:
        """The agent whose file ``path`` is, by the patterns of its layout; None for what is nobody's."""
        return self._claim(path)[0]

    def limits_of(self, path: str) -> tuple[LoadLimit, ...]:
        """How much of ``path`` the agent whose file it is loads; nothing where it has no limit."""
        agent = self.agent_of(path)
        if agent is None:
            return ()
        found: dict[Unit, LoadLimit] = {}
        for one in (*agent.limits, *(self.limits if agent.limits_in else ())):
            if one.unit not in found and fits(one.pattern, path):
                found[one.unit] = one
        return tuple(one for one in found.values() if one.most)

    def _claim(self, path: str) -> tuple[AgentLayout | None, Kind]:
        found = self._patterns.included.fullmatch(path)
        return self._patterns.claims[found.lastindex - 1] if found and found.lastindex else (None, Kind.NOTE)

    @property
    def memory_files(self) -> tuple[str, ...]:
        """Patterns of what an agent always loads and a person curates, the first that is there before all."""
        return tuple(pattern for agent in self.agents for pattern in agent.of_kind(Kind.MEMORY))

    def may_curate(self, path: str) -> bool:
        """Whether a person may act on ``path``: memory, and what is set aside in quarantine."""
        return self.holds(path) or is_quarantined(path)

    def is_queue(self, path: str) -> bool:
        """Whether an agent lets its own proposals wait in ``path``."""
        return any(fits(pattern, path) for agent in self.agents for pattern in agent.pending)

    def prunes(self, folder: str) -> bool:
        """Whether nothing below ``folder`` can be memory, so that it need not be entered."""
        if self._patterns.excluded.fullmatch(folder + "/x"):
            return True
        parts = folder.split("/")
        patterns = self._patterns.folders[bool(self._patterns.hidden.fullmatch(folder + "/x"))]
        return not any(_can_lead_to(parts, pattern) for pattern in patterns)


def daily_logs(files: Iterable[MemoryFile]) -> Iterator[tuple[date, RelPath]]:
    """The logs that are of a whole day, each with its day."""
    for file in files:
        if file.kind is Kind.LOG and file.named and not file.named.title:
            yield file.named.day, file.path


def fits(pattern: str, path: str) -> bool:
    """Whether ``path`` is one of the files that ``pattern`` means."""
    return re.fullmatch(_glob(pattern), path, re.DOTALL) is not None


def is_quarantined(path: str) -> bool:
    """Whether ``path`` is a page of the quarantine."""
    return SET_ASIDE.holds(path)


def is_template(path: str, kind: Kind) -> bool:
    """Whether a file of this kind is a form to be filled in: listed, but never searched or learnt from.

    Notes called `template*.md` and those in a folder `templates` are; a page or log about templates is none.
    """
    *parents, name = path.casefold().split("/")
    named = name.startswith("template") or not _TEMPLATE_FOLDERS.isdisjoint(parents)
    return named and kind is Kind.NOTE


def scan(root: Path, layout: Layout) -> list[MemoryFile]:
    """The memory files below ``root``, sorted by path. Links and special files are not memory."""
    return sorted(walk(root, layout), key=lambda file: file.path)


def walk(root: Path, layout: Layout) -> Iterator[MemoryFile]:
    """The memory files below ``root`` as they are found."""
    for _, prefix, items in _walk(root, layout):
        yield from _files(items, prefix, layout)


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
                        kind=layout.kind_of(path),
                        size=status.st_size,
                        ctime_ns=status.st_ctime_ns,
                        inode=status.st_ino,
                        named=layout.named(path),
                    )
        except OSError:
            continue


def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One expression for all of them; its last group says which one fits, from 1."""
    return re.compile("|".join(f"({_glob(pattern)})" for pattern in patterns) or r"(?!)", re.DOTALL)


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


SET_ASIDE = Layout(include=(f"{QUARANTINE}**/*.md",), exclude=HIDDEN)
"""The pages of the quarantine."""
NOTES = Layout(agents=(PLAIN,))
"""What is memory in a folder of notes."""
USUAL = Layout(agents=(OPENCLAW,))
"""What is memory where nothing else is known of a folder."""
