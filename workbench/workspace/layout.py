"""Which path is what: the one place that knows how a workspace is laid out."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Kind, RelPath
from workbench.memory.moment import DatedName, dated_name
from workbench.special_files import read_regular
from workbench.workspace.agent_layouts import DAY, OPENCLAW, PLAIN, AgentLayout, Files
from workbench.workspace.agent_rules import LoadLimit, Unit

# -- daily notes whose names a person chose ----------------------------------------------------------
# ``2026/03/14``, ``14.03.2026``, ``March 14th, 2026``

DEFAULT_FORMAT = "YYYY-MM-DD"
_TOKEN = re.compile(
    r"\[(?P<literal>[^]]*)\]|\\(?P<escaped>.)|(?P<token>Mo|MM?M?M?|Do|DDDo|DD?D?D?|do|ddd?d?|wo|ww?|Wo|WW?|Qo?"
    r"|YYYY|YY|gggg|gg|GGGG|GG|HH?|hh?|kk?|mm?|ss?|S+|[aAeEXx])|(?P<other>.)",
    re.DOTALL,
)
"""The tokens of moment.js, https://momentjs.com/docs/#/displaying/format/, less those of a locale."""
_LONGEST, _MOST_WORDS = 100, 3
_WORD, _ORDINAL = r"[^\d/]+?", r"[^\d/\s,]{0,3}?"
_PARTS = {
    "YYYY": ("year", r"\d{4}"),
    "YY": ("year", r"\d{2}"),
    "MM": ("month", r"\d{2}"),
    "M": ("month", r"\d{1,2}"),
    "Mo": ("month", r"\d{1,2}" + _ORDINAL),
    "MMMM": ("month", _WORD),
    "MMM": ("month", _WORD),
    "DD": ("day", r"\d{2}"),
    "D": ("day", r"\d{1,2}"),
    "Do": ("day", r"\d{1,2}" + _ORDINAL),
    **dict.fromkeys(("dd", "ddd", "dddd"), ("weekday", _WORD)),
}
_WRITTEN = {
    "YYYY": "{0:%Y}",
    "YY": "{0:%y}",
    "MM": "{0:%m}",
    "DD": "{0:%d}",
    "M": "{0.month}",
    "D": "{0.day}",
}
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
"""The names of moment.js where no locale is set; in a format with a number of the month any name will do."""


@frozen
class DailyNotes:
    """Daily notes anywhere in ``folder``, named by ``format``; ``said_in``: the file that says so, or empty.

    ``problem`` says what is wrong with that file, and why the default counts.
    """

    folder: str
    format: str
    said_in: str
    pattern: re.Pattern[str]
    problem: str = ""

    def named(self, path: str) -> DatedName | None:
        """The day that the name of a file is of; None where it is no daily note."""
        said: dict[str, set[int]] = {"year": set(), "month": set(), "day": set()}
        for token, text in self._tokens(path):
            part = _PARTS.get(token, ("",))[0]
            digits = re.match(r"\d+", text)
            number = int(digits[0]) if digits else _month(text)
            if part in said and (digits or number):  # a name in another language is explained by a number
                said[part].add(number + 2000 if (part, len(text)) == ("year", 2) else number)
        try:
            (year,), (month,), (day,) = said.values()
            return DatedName(date(year, month, day))
        except ValueError:  # a part is missing or said in two ways, or there is no such day
            return None

    def path_on(self, day: date, known: Iterable[str]) -> str:
        """The note of a day: names of months and weekdays are those of the notes that are ``known``.

        Where none of them has a name that is needed, it is called ``2026-03-14``, which is read everywhere.
        """
        tokens = {found["token"] for found in _TOKEN.finditer(self.format)}
        words = {
            _word(token, named.day): text
            for path in (known if tokens & (_PARTS.keys() - _WRITTEN.keys()) else ())
            if (named := self.named(path))
            for token, text in self._tokens(path)
            if token in _PARTS
        }
        name = ""
        for found in _TOKEN.finditer(self.format):
            token = found["token"]
            if not token:
                name += _literal(found)
            elif token in _WRITTEN:
                name += _WRITTEN[token].format(day)
            elif token in _PARTS and (word := words.get(_word(token, day))):
                name += word
            else:
                name = day.isoformat()
                break
        return "/".join(filter(None, (self.folder.strip("/"), f"{name}.md")))

    def _tokens(self, path: str) -> Iterator[tuple[str, str]]:
        """Each token of the format with what the path has in its place; nothing where it is no daily note."""
        found = self.pattern.fullmatch(path)
        tokens = [one["token"] for one in _TOKEN.finditer(self.format) if one["token"]]
        return zip(tokens, found.groups(), strict=True) if found else iter(())


def _word(token: str, day: date) -> tuple[str, int]:
    """What the text of a token that is no number depends on."""
    part, _ = _PARTS[token]
    return token, day.weekday() if part == "weekday" else getattr(day, part)


def _literal(found: re.Match[str]) -> str:
    return found["literal"] or found["escaped"] or found["other"] or ""


def daily_notes(folder: str, wanted: str, said_in: str = "") -> DailyNotes:
    """Daily notes of a format of moment.js. Raises ValueError where it does not say which day it is."""
    if len(wanted) > _LONGEST:
        raise ValueError(f"a format of more than {_LONGEST} characters")
    pattern, parts = "", set[str]()
    for found in _TOKEN.finditer(wanted):
        token = found["token"]
        if not token:
            pattern += re.escape(_literal(found))
        else:
            part, form = _PARTS.get(token, ("", _WORD if token in {"a", "A"} else r"\d+" + _ORDINAL))
            parts.add(part)
            pattern += f"({form})"
    if pattern.count(_WORD) > _MOST_WORDS:  # each could end anywhere in a name of letters
        raise ValueError(f"{wanted} has more than {_MOST_WORDS} names of months and days")
    if not parts >= {"year", "month", "day"}:
        raise ValueError(f"{wanted} does not say year, month and day")
    top = re.escape(folder.strip("/") + "/") if folder.strip("/") else ""
    return DailyNotes(folder, wanted, said_in, re.compile(rf"{top}(?:[^/]+/)*{pattern}\.md"))


def daily_notes_of(root: Path, agents: Iterable[AgentLayout]) -> tuple[DailyNotes, ...]:
    """The daily notes of a folder that is laid out so, by what its files say; at least the default."""
    wanted = [one for agent in agents for one in agent.daily_notes]
    found = tuple(notes for name, key in wanted for notes in _said_in(root, name, key))
    return found or tuple([daily_notes("", DEFAULT_FORMAT)] if wanted else [])


def _said_in(root: Path, name: str, key: str) -> Iterator[DailyNotes]:
    why = "it cannot be read"
    try:
        said = json.loads(read_regular(root / name))
        if (said := said.get(key) if key else said) is None:
            return
        folder, wanted = str(said.get("folder") or ""), str(said.get("format") or DEFAULT_FORMAT)
        why = f"the format “{wanted}” does not say year, month and day"
        yield daily_notes(folder, wanted, name)
    except FileNotFoundError:
        return
    except (OSError, ValueError, AttributeError, RecursionError):
        yield replace(
            daily_notes("", DEFAULT_FORMAT, name), problem=f"{name}: {why}, so {DEFAULT_FORMAT} is used"
        )


def _month(name: str) -> int:
    """The number of a month by its English name, or the beginning of it; 0 for any other word."""
    word = name.casefold().rstrip(".")
    fits = [number for number, month in enumerate(_MONTHS, 1) if month.startswith(word)]
    return fits[0] if len(fits) == 1 else 0


# -- the paths of a workspace ------------------------------------------------------------------------

STATE_DIR = ".workbench"
SETTINGS_FILE = "workbench.yaml"
RECALL_TESTS = "recall-tests.yaml"
"""Questions of the person's own, and what each must find; see ``workbench.health.recall_tests``."""
SYSTEM = "_system/"
"""What the workbench keeps beside memory; its text is also in files that an action changes with it."""
QUARANTINE = f"{SYSTEM}quarantine/"
"""Entries and pages that are set aside: outside of everything that is searched or given to an agent."""
ARCHIVE = f"{SYSTEM}archive/"
"""Entries that left curated memory to keep it within its budget: searched, never loaded."""
LEDGER = f"{SYSTEM}ledger/"
"""Records that cannot be derived from memory; see ``workbench.workspace.ledger``."""
_OWN: Files = {
    Kind.LOG: (f"memory/{DAY}.md",),
    Kind.EPISODE: ("episodes/**/*.md",),
    Kind.ENTITY: ("graph/**/*.md",),
    Kind.DREAM: (f"{SYSTEM}dreaming/**/*.md",),
    Kind.NOTE: (f"{ARCHIVE}**/*.md",),
    Kind.CONTEXT: ("workspace-context.md",),
}
"""What the workbench itself adds to any memory."""
_NEVER = ("**/node_modules/**", f"{QUARANTINE}**", f"{LEDGER}**")
HIDDEN = ("**/.*", "**/.*/**")
"""Files and folders whose name begins with a dot: memory only where a layout names them."""
_GLOB = re.compile(r"\[!?\]?[^\]]*\]|.", re.DOTALL)
"""What a glob consists of: sets of characters, and single ones."""
_SPECIAL = re.compile(r"[]\\\[^&~|]")
_TEMPLATE_FOLDERS = frozenset({"template", "templates"})
_DATED_FOLDERS = ("/%Y/%m/", "/%Y/%m-%B/", "/%Y-%m/", "/%Y/")
_NEWEST_LOGS = 20
"""Logs by which it is told where a person keeps them: they may have moved."""
_DATED_KINDS = (Kind.LOG, Kind.EPISODE)
_DATED = re.compile(rf"{DAY}[-_.]")


@frozen_kw_only
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
    named: re.Pattern[str]
    claims: list[tuple[AgentLayout | None, Kind]]
    folders: tuple[list[list[str]], list[list[str]]]


@frozen
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
        known = [
            (agent, kind, pattern)
            for agent, files in said
            for kind, patterns in files.items()
            for pattern in patterns
        ]
        known.sort(key=lambda one: one[1] is Kind.NOTE)  # a note is what no other agent knows better
        patterns = (*(pattern for _, _, pattern in known), *self.include)
        dotted = tuple(one for _, _, one in known if any(part.startswith(".") for part in _parts(one)))
        further = [pattern for agent in self.agents for pattern in agent.exclude]
        compiled = _Patterns(
            included=_compile(patterns),
            excluded=_compile((*self.exclude, *further, *(_NEVER if self.agents else ()))),
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
        if self._is_hidden(path) and not self._patterns.named.fullmatch(path):
            return True
        return bool(self._patterns.excluded.fullmatch(path))

    def _is_hidden(self, path: str) -> bool:
        return bool(self.agents) and "/." in f"/{path}"

    def kind_of(self, path: str) -> Kind:
        """What sort of memory ``path`` holds, by its place alone; a note where nothing says more."""
        kind = self._claim(path)[1]
        if kind in (Kind.NOTE, Kind.LOG) and self.daily_note(path):
            return Kind.LOG
        name = path.rpartition("/")[2]
        is_no_day = kind in _DATED_KINDS and _DATED.match(name) and not dated_name(name)
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
        Elsewhere it is the daily note that a file names, whatever other logs there are. Without such a file
        it is where most of the newest logs are, or where that of the day is there already among others; a
        vault with one note of a day somewhere has its daily notes at the top.
        """
        if agent := next((one for one in self.agents if one.makes_memory), None):
            return RelPath(agent.log.format(day))
        logs = [one for one in daily_logs(files) if one[0] <= day]
        usual = _usual_path(day, logs, least=2 if self.daily else 1)
        for notes in self.daily:
            # In a folder of their own notes may be sorted further; in all of a vault they are of anything.
            own = [path for on, path in logs if on == day and notes.folder.strip("/") and notes.named(path)]
            note = min(own, key=_depth, default="") or notes.path_on(day, (path for _, path in logs))
            if (notes.said_in or not usual) and self.holds(note):
                return RelPath(note)
        if not usual or any(notes.said_in for notes in self.daily):
            return RelPath(f"memory/{day}.md")
        return RelPath(usual)

    def agent_of(self, path: str) -> AgentLayout | None:
        """The agent whose memory ``path`` is, by the patterns of its layout; None for what is nobody's."""
        return self._claim(path)[0] if self.holds(path) else None

    def is_own_note(self, path: str, root: Path) -> bool:
        """Whether ``path`` in ``root`` is where only the agent itself keeps notes."""
        agent = self.agent_of(path)
        return agent is not None and agent.keeps_notes and (not agent.homes or agent.is_at(root))

    def limits_of(self, path: str) -> tuple[LoadLimit, ...]:
        """How much of ``path`` the agent whose file it is loads; nothing where it has no limit."""
        agent = self.agent_of(path)
        if not agent:
            return ()
        found: dict[tuple[Unit, bool], LoadLimit] = {}
        for one in (*(self.limits if agent.limits_in else ()), *agent.limits):
            if fits(one.pattern, path):
                found.setdefault((one.unit, one.together), one)
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
        patterns = self._patterns.folders[self._is_hidden(folder)]
        return not any(_can_lead_to(parts, pattern) for pattern in patterns)


def _depth(path: str) -> int:
    return path.count("/")


def _usual_path(day: date, logs: Iterable[tuple[date, str]], least: int) -> str:
    """The log of a day in the place that has most of the newest logs; empty where none has so many.

    A place is a folder with those of its years. One that has the log of the day, among others, comes first;
    of several with as many it is that with the newest.
    """
    ordered = sorted(logs, key=lambda one: (one[0], -_depth(one[1])))
    since = min((on for on, _ in ordered[-_NEWEST_LOGS:]), default=day)
    places: dict[str, list[tuple[date, str]]] = defaultdict(list)
    for on, path in ordered:
        folder = f"/{path}".rpartition("/")[0]
        places[folder.split(f"/{on:%Y}")[0]].append((on, path))
    found = max(
        (place for place in places.values() if len(place) >= least),
        key=lambda place: (
            len(place) > 1 and place[-1][0] == day,
            sum(on >= since for on, _ in place),
            place[-1][0],
            -_depth(place[-1][1]),
        ),
        default=None,
    )
    if not found:
        return ""
    on, path = found[-1]
    if on == day:
        return path
    folder = f"/{path}".rpartition("/")[0] + "/"
    for part in _DATED_FOLDERS:
        folder = folder.replace(f"{on:{part}}", f"{day:{part}}")
    return f"{folder}{day}.md".lstrip("/")


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
        for item in items:
            path = prefix + item.name
            with contextlib.suppress(OSError):
                if not item.is_file(follow_symlinks=False) or not layout.holds(path):
                    continue
                status = item.stat(follow_symlinks=False)
                yield MemoryFile(
                    path=RelPath(path),
                    kind=layout.kind_of(path),
                    size=status.st_size,
                    ctime_ns=status.st_ctime_ns,
                    inode=status.st_ino,
                    named=layout.named(path),
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
        for item in items:
            with contextlib.suppress(OSError):
                if item.is_dir(follow_symlinks=False) and not layout.prunes(prefix + item.name):
                    left.append((item.path, f"{prefix}{item.name}/"))


def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One expression for all of them; its last group says which one fits, from 1."""
    return re.compile("|".join(f"({_glob(pattern)})" for pattern in patterns) or r"(?!)", re.DOTALL)


@functools.lru_cache(1024)
def _glob(pattern: str) -> str:
    """A regular expression for a glob in which ``**`` crosses folders and nothing else does."""
    parts = _parts(pattern)

    def of(part: str) -> str:
        return _with_gaps(_GLOB.findall(part), "*", "[^/]*", _of_piece) + "/"

    text = _with_gaps(parts, "**", "(?:[^/]+/)*", of).removesuffix("/")
    return text + "[^/]+" if parts[-1] == "**" else text


def _with_gaps(pieces: Iterable[str], gap: str, anything: str, of: Callable[[str], str]) -> str:
    """The expression of what pieces are, with anything where a ``gap`` is."""
    runs = [""]
    for piece in pieces:
        if piece == gap:
            runs.append("")
        else:
            runs[-1] += of(piece)
    first, *others = runs
    # What is between two gaps is where it is found first, and tried nowhere else: many gaps take no longer.
    between = "".join(f"(?>{anything}?{run})" for run in others[:-1])
    return first + between + "".join(anything + run for run in others[-1:])


def _parts(pattern: str) -> list[str]:
    return (pattern + "**" if pattern.endswith("/") else pattern).split("/")


def _of_piece(piece: str) -> str:
    if len(piece) == 1:
        return "[^/]" if piece == "?" else re.escape(piece)
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
