"""How each agent lays its memory out: one declaration an agent.

To teach the workbench another agent, write one more ``AgentLayout`` and add it to ``LAYOUTS``. A queue of its
own proposals is one more declaration, in ``workbench.dreaming.proposals.agent_queues``.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from workbench.errors import UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Kind
from workbench.special_files import read_regular
from workbench.workspace.agent_rules import (
    LoadLimit,
    entries_apart,
    hermes_limits,
    keeps_first_line,
    letta_block,
    letta_limits,
    letta_page,
    one_line_entries,
)

Files = Mapping[Kind, tuple[str, ...]]
Rule = Callable[[bytes | None, bytes], str]
"""Why a file may not be changed from these bytes (None: it is new) to those; empty where it may."""
Finish = Callable[[bytes | None, bytes], bytes]
"""A file that was changed from these bytes to those, as the agent itself would have written it."""

DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
"""A day in the name of a file, as a glob; a name such as ``2026-02-31.md`` is none all the same."""
_LOOKED_AT, _HEAD = 20, 4_096
"""Files, and bytes of each, in which a sign is looked for."""


@frozen
class AgentProgram:
    """A program that runs several agents: its name, its folder, and where its main agent works by default.

    ``config`` in its folder says, as JSON, where the others work.
    """

    name: str
    home: str
    config: str
    workspace: str


@frozen_kw_only
class AgentLayout:
    """The memory of one agent. All patterns are those of ``workbench.workspace.layout``.

    ``name`` is what `layout` in workbench.yaml calls it, ``document`` where the layout is described.
    ``homes`` are the folders in which the agent keeps memory on a person's machine, ``lists`` files of JSON
    that name others, or have them for keys, each with the key under which they stand. ``signs`` are files or
    folders one of which shows that a folder is laid out so; with ``says`` the text of one of them must fit
    that, too. ``sure_signs`` count whatever they hold; ``weak_signs``, which others have as well, where they
    are no other's.

    ``files`` says of which kind each file is, by the first pattern that fits; what fits none is no memory.
    The first file of ``Kind.MEMORY`` that is there is always loaded, and promoted into; ``makes_memory``: it
    may be made where there is none. ``limits`` say how much the agent loads, ``rules`` what it requires of
    files, and ``finish`` brings a changed one that it loads into its format. ``limits_in`` are files that say
    the limits of this folder, which go before those, and how they are read. ``pending`` are the agent's own
    proposals, which wait for a decision.

    ``log`` is where the agent writes what happened on a day.

    ``programs`` run such agents and keep their transcripts; ``projects`` is the folder that has those of each
    project, under a name made of its path.
    """

    name: str
    title: str
    document: str
    files: Files
    homes: tuple[str, ...] = ()
    lists: tuple[tuple[str, str], ...] = ()
    signs: tuple[str, ...] = ()
    says: re.Pattern[bytes] | None = None
    sure_signs: tuple[str, ...] = ()
    weak_signs: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limits: tuple[LoadLimit, ...] = ()
    limits_in: tuple[tuple[str, ...], Callable[[bytes], tuple[LoadLimit, ...]]] | None = None
    pending: tuple[str, ...] = ()
    rules: tuple[tuple[str, Rule], ...] = ()
    finish: Finish | None = None
    makes_memory: bool = True
    new_memory: str = ""
    """The file that is made where none of ``Kind.MEMORY`` is there; empty: the first of them."""
    log: str = "memory/{0}.md"
    programs: tuple[AgentProgram, ...] = ()
    projects: str = ""
    keeps_notes: bool = False
    """Whether all notes are the agent's own, where it is known by its place or keeps folders of its own.

    Of others those in ``memory/`` are; all else is anybody's. What is in a file proves nothing: it may be a
    stranger's.
    """
    plans_pages: bool = False
    """Whether links to pages that nobody has written yet are usual."""
    daily_notes: tuple[tuple[str, str], ...] = ()
    """Files of JSON that say where daily notes are and how they are named, each with the key that has it."""

    def of_kind(self, kind: Kind) -> tuple[str, ...]:
        """The patterns of the files of this kind."""
        return self.files.get(kind, ())

    def places(self) -> Iterator[str | Path]:
        """Where the agent keeps memory on this machine; what a list names need not be there."""
        yield from existing(_home(), (home.removeprefix("~/") for home in self.homes))
        for name, key in self.lists:
            with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
                for called, said in json.loads(read_regular(_home() / name)).get(key, {}).items():
                    if not os.path.isabs(called):
                        yield str(said.get("path") if isinstance(said, dict) else said)
                    elif Path(called) != _home() and self.shows(Path(called)):
                        yield called  # where the agent worked there is memory or none; all of home is none

    def is_at(self, root: Path) -> bool:
        """Whether ``root`` is where this agent keeps memory, here or in a copy of a person's home."""
        return any(_is_in_home(root, Path(home.removeprefix("~/")).parts) for home in self.homes)

    def owns(self, root: Path) -> bool:
        """Whether ``root`` is the folder that this agent has in a person's home, or anywhere below it."""
        tops = {Path(home.removeprefix("~/")).parts[:1] for home in self.homes}
        return any(_is_in_home(place, top) for place in (root, *root.parents) for top in tops)

    def reaches(self, home: Path, folder: Path) -> bool:
        """Whether memory in ``folder`` is also that of the ``home`` above it."""
        name = f"{folder.relative_to(home)}/x.md"
        patterns = chain.from_iterable(self.files.values())
        within = any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        return within and not any(fnmatch.fnmatchcase(name, pattern) for pattern in self.exclude)

    def shows(self, root: Path) -> bool:
        """Whether what is in ``root`` is laid out so."""
        if any(existing(root, self.sure_signs)):
            return True
        found = existing(root, self.signs)
        if not self.says:
            return any(found)
        heads = (_head(path) for path, _ in zip(found, range(_LOOKED_AT), strict=False))
        return any(self.says.search(head) for head in heads)

    def has_formed(self, path: Path) -> bool:
        """Whether a file is in a format that this agent brings all its files into."""
        return bool(self.finish and self.says and self.says.search(_head(path)))


def found_on_this_machine() -> Iterator[tuple[AgentLayout, Path]]:
    """Every folder of this machine in which an agent keeps memory, with whose it is. Nothing is written.

    A folder above one that is found already is left out, and one below it whose memory is part of it.
    """
    seen: dict[Path, AgentLayout] = {}
    for layout in LAYOUTS:
        for place in layout.places():
            root = folder_at(place)
            if not root or root in seen or any(root in one.parents for one in seen):
                continue
            if not any(
                layout is seen[one] and layout.reaches(one, root) for one in root.parents if one in seen
            ):
                seen[root] = layout
                yield layout, root


def folder_at(place: str | Path) -> Path | None:
    """The folder at an absolute path, links followed; None without one, or where a link leads out of home."""
    home = _home()
    try:
        root = Path(os.path.realpath(place))
        is_folder = os.path.isabs(place) and os.path.isdir(root)
    except ValueError:  # a path that no file system has
        return None
    leaves = Path(os.path.abspath(place)).is_relative_to(home) and not root.is_relative_to(home)
    return root if is_folder and not leaves else None


def layouts_of(root: Path) -> tuple[AgentLayout, ...]:
    """How a folder is laid out: by where it is, else by what is in it; at least as a plain folder."""
    at_home = tuple(one for one in LAYOUTS if one.is_at(root))
    if at_home:
        return at_home
    found = [one for one in LAYOUTS if one.shows(root)]
    for agent in (one for one in LAYOUTS if one.weak_signs and one not in found):
        claimed = {pattern.partition("/")[0] for one in found for pattern in one.of_kind(Kind.MEMORY)}
        if any(path.relative_to(root).parts[0] not in claimed for path in existing(root, agent.weak_signs)):
            found.append(agent)
    # What the main file is written like tells whose it is, also beside files that another agent has.
    found.sort(key=lambda one: not one.has_formed(root / one.of_kind(Kind.MEMORY)[0]))
    return tuple(found) or (PLAIN,)


def limits_said(root: Path, agents: Iterable[AgentLayout]) -> tuple[LoadLimit, ...]:
    """The limits that a file in the folder says; none where it cannot be read, or makes no sense."""
    found: list[LoadLimit] = []
    for names, read in (agent.limits_in for agent in agents if agent.limits_in):
        for name in names:
            with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
                found += read(read_regular(root / name))
    return tuple(found)


def layouts_named(names: Iterable[str]) -> tuple[AgentLayout, ...]:
    """The layouts that a setting names. Raises UsageError for a name that there is not."""
    known = {one.name: one for one in LAYOUTS}
    try:
        return tuple(known[name] for name in names)
    except KeyError as error:
        raise UsageError(f"layout does not accept {error}", hint="known: " + ", ".join(known)) from error


def _home() -> Path:
    return Path(os.path.realpath(os.path.expanduser("~")))


def _is_in_home(root: Path, pattern: Sequence[str]) -> bool:
    """Whether ``root`` ends as ``pattern`` does, in the home of a person; hidden folders are known in any."""
    above, names = root.parts[: -len(pattern)], root.parts[-len(pattern) :]
    fits = len(names) == len(pattern) and all(map(fnmatch.fnmatchcase, names, pattern))
    return fits and (pattern[0].startswith(".") or above == _home().parts)


def existing(root: Path, signs: Iterable[str]) -> Iterator[Path]:
    """What is there of ``signs``, which are relative globs; of one glob in the order of the names."""
    for sign in signs:
        try:
            yield from sorted(root.glob(sign)) if "**" in sign else _named(root, sign.split("/"))
        except OSError:
            continue


def _named(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """The same of a glob without ``**``; no folder is read before it is its turn."""
    # Path.glob reads all folders first, and one that cannot be read would hide what is in the others.
    first, *rest = parts
    is_glob = "*" in first or "[" in first
    try:
        names = sorted(fnmatch.filter(os.listdir(folder), first)) if is_glob else [first]
    except OSError:
        return
    for name in names:
        if rest:
            yield from _named(folder / name, rest)
        elif is_glob or (folder / name).exists():
            yield folder / name


def _header(*lines: bytes) -> re.Pattern[bytes]:
    """Fits a file that begins with a header in which a line fits each of ``lines``, in any order."""
    inside = rb"(?:(?!---)[^\n]*\n)*?"
    wanted = b"".join(rb"(?=%s%s)" % (inside, line) for line in (*lines, rb"---[ \t]*\r?$"))
    return re.compile(rb"(?m)\A---[ \t]*\r?\n" + wanted)


def _head(path: Path) -> bytes:
    try:
        if not path.is_file() or path.is_symlink():
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


# -- the agents ----------------------------------------------------------------------------------------

_MEMORY = ("MEMORY.md", "memory.md")
_BOOTSTRAP = ("USER.md", "SOUL.md", "IDENTITY.md", "AGENTS.md", "HEARTBEAT.md", "TOOLS.md")
_OPENCLAW_FILES: Files = {
    Kind.MEMORY: _MEMORY,
    Kind.BOOTSTRAP: (*_BOOTSTRAP, "BOOTSTRAP.md"),
    Kind.DREAM: ("DREAMS.md", "memory/dreaming/**/*.md"),
    Kind.LOG: (f"memory/{DAY}.md", f"memory/{DAY}_*.md"),
    Kind.EPISODE: (f"memory/{DAY}-*.md",),
    Kind.NOTE: ("*.md", "memory/**/*.md"),
}
OPENCLAW = AgentLayout(
    name="openclaw",
    title="OpenClaw",
    document="https://docs.openclaw.ai/concepts/memory",
    homes=("~/.openclaw/workspace", "~/.openclaw/workspace-*", "~/.clawdbot/workspace*", "~/clawd"),
    signs=("SOUL.md", "IDENTITY.md", "HEARTBEAT.md", "DREAMS.md", f"memory/{DAY}*.md"),
    weak_signs=(*_MEMORY, "memory"),
    files=_OPENCLAW_FILES,
    exclude=("skills/**", "ref/**"),
    limits=tuple(LoadLimit(name, 12_000, cut="middle") for name in (*_MEMORY, *_BOOTSTRAP, "BOOTSTRAP.md")),
    pending=("memory/.dreams/short-term-recall.json",),
    programs=(
        AgentProgram("OpenClaw", "~/.openclaw", "openclaw.json", "~/.openclaw/workspace"),
        AgentProgram("Clawdbot", "~/.clawdbot", "clawdbot.json", "~/clawd"),
    ),
)
CLAUDE_CODE = AgentLayout(
    name="claude-code",
    title="Claude Code",
    document="https://code.claude.com/docs/en/memory#auto-memory",
    homes=("~/.claude/projects/*/memory", "~/.claude/agent-memory/*"),
    signs=("*.md",),
    says=_header(
        rb"name:[ \t]*\S",
        rb"description:[ \t]*\S",
        rb"[ \t]*type:[ \t]*(?:user|feedback|project|reference)[ \t]*\r?$",
    ),
    files={
        Kind.MEMORY: ("MEMORY.md",),
        Kind.LOG: (f"logs/**/{DAY}*.md",),
        Kind.NOTE: ("*.md", "team/**/*.md", "logs/**/*.md"),
    },
    limits=(LoadLimit("MEMORY.md", 200, "lines"), LoadLimit("MEMORY.md", 25_000, "bytes")),
    rules=(("MEMORY.md", one_line_entries),),
    log="logs/{0:%Y/%m}/{0}.md",
    projects="~/.claude/projects",
    keeps_notes=True,
    plans_pages=True,
)
_IN_PROJECT = (".claude/memory", ".memory", "memory")
"""Where people keep auto memory in the repository; CLAUDE.md imports it."""
_SUBAGENTS = (".claude/agent-memory", ".claude/agent-memory-local")
_LOGS = (f"{DAY}.md", f"logs/{DAY}*.md", f"daily/{DAY}*.md")
CLAUDE_PROJECT = AgentLayout(
    name="claude-project",
    title="Claude Code project",
    document="https://code.claude.com/docs/en/memory#claude-md-files",
    lists=((".claude.json", "projects"),),
    signs=(
        "CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/CLAUDE.md",
        ".claude/rules",
        ".claude/memory/*.md",
        *_SUBAGENTS,
    ),
    new_memory="CLAUDE.md",
    files={
        Kind.MEMORY: (*(f"{one}/MEMORY.md" for one in _IN_PROJECT), "CLAUDE.md", ".claude/CLAUDE.md"),
        Kind.BOOTSTRAP: ("**/CLAUDE.md", "**/CLAUDE.local.md", ".claude/rules/**/*.md"),
        Kind.LOG: tuple(f"{one}/{log}" for one in _IN_PROJECT for log in _LOGS),
        Kind.NOTE: tuple(f"{one}/**/*.md" for one in (*_IN_PROJECT, *_SUBAGENTS)),
    },
    rules=tuple((f"{one}/*/MEMORY.md", one_line_entries) for one in _SUBAGENTS),
    keeps_notes=True,
    plans_pages=True,
)
_BANKS = (
    "memory-bank",
    "memory_bank",
    ".memory-bank",
    "docs/memory-bank",
    "cline_docs",
    ".cursor/memory-bank",
    ".kilocode/rules/memory-bank",
)
_LASTING = ("systemPatterns.md", "architecture.md", "*.md")
"""All at the top of a bank is read when a task begins; what stays true is kept in one of the first two."""
MEMORY_BANK = AgentLayout(
    name="memory-bank",
    title="Memory Bank",
    document="https://docs.cline.bot/features/memory-bank",
    signs=tuple(f"{bank}/*.md" for bank in _BANKS),
    files={
        Kind.MEMORY: tuple(f"{bank}/{name}" for name in _LASTING for bank in _BANKS),
        Kind.NOTE: tuple(f"{bank}/**/*.md" for bank in _BANKS),
    },
    makes_memory=False,
    keeps_notes=True,
)
REPLIT = AgentLayout(
    name="replit",
    title="Replit Agent",
    document="https://docs.replit.com/features/project-setup/replit-dot-md",
    signs=(".agents/memory", "replit.md"),
    files={
        Kind.MEMORY: (".agents/memory/MEMORY.md", "replit.md"),
        Kind.BOOTSTRAP: ("replit.md", ".agents/AGENTS.md"),
        Kind.LOG: (f".agents/memory/{DAY}.md",),
        Kind.NOTE: (".agents/memory/**/*.md",),
    },
    rules=((".agents/memory/MEMORY.md", one_line_entries),),
    log=".agents/memory/{0}.md",
    keeps_notes=True,
)
SERENA = AgentLayout(
    name="serena",
    title="Serena",
    document="https://oraios.github.io/serena/02-usage/045_memories.html",
    signs=(".serena/memories",),
    files={Kind.MEMORY: _MEMORY, Kind.NOTE: (".serena/memories/**/*.md",)},
    makes_memory=False,
    keeps_notes=True,
)
OPENHANDS = AgentLayout(
    name="openhands",
    title="OpenHands",
    document="https://docs.openhands.dev/sdk/guides/persistent-memory",
    signs=(".openhands/memory",),
    files={
        Kind.MEMORY: (".openhands/memory/MEMORY.md",),
        Kind.LOG: (f".openhands/memory/{DAY}.md",),
        Kind.NOTE: (".openhands/memory/**/*.md",),
    },
    limits=(LoadLimit("**/MEMORY.md", 6_000, cut="first"),),
    log=".openhands/memory/{0}.md",
    keeps_notes=True,
)
OPENHANDS_USER = replace(
    OPENHANDS,
    name="openhands-user",
    title="OpenHands user memory",
    homes=("~/.openhands/memory",),
    signs=(),
    files={Kind.MEMORY: ("MEMORY.md",), Kind.LOG: (f"{DAY}.md",), Kind.NOTE: ("**/*.md",)},
    log="{0}.md",
)
CODEX = AgentLayout(
    name="codex",
    title="Codex",
    document="https://developers.openai.com/codex/memories",
    homes=("~/.codex/memories",),
    signs=("memory_summary.md", "raw_memories.md", "rollout_summaries"),
    files={
        Kind.MEMORY: ("memory_summary.md", "MEMORY.md"),
        Kind.BOOTSTRAP: ("AGENTS.md", "AGENTS.override.md"),
        Kind.EPISODE: ("rollout_summaries/**/*.md",),
        Kind.NOTE: ("*.md", "extensions/**/*.md"),
    },
    exclude=("skills/**",),
    limits=(
        LoadLimit("memory_summary.md", 5_000, "tokens", "middle"),
        LoadLimit("AGENTS.md", 32_768, "bytes"),
    ),
    rules=(("memory_summary.md", keeps_first_line),),
    keeps_notes=True,
)
GEMINI_CLI = AgentLayout(
    name="gemini-cli",
    title="Gemini CLI",
    document="https://geminicli.com/docs/cli/gemini-md",
    homes=("~/.gemini", "~/.gemini/tmp/*/memory"),
    signs=("GEMINI.md", ".inbox/private", ".inbox/global"),
    files={
        Kind.MEMORY: ("MEMORY.md", "GEMINI.md"),
        Kind.BOOTSTRAP: ("**/GEMINI.md",),
        Kind.NOTE: ("*.md",),
    },
    exclude=("tmp/**", "extensions/**", "antigravity*/**"),
    pending=(
        ".inbox/private/**/*.patch",
        ".inbox/global/**/*.patch",
        "tmp/*/memory/.inbox/global/**/*.patch",
    ),
)
_HERMES_FOLDERS = ("memories", "profiles/*/memories", "memory")
"""Where its entries are in its home, and often in a copy of it."""
HERMES = AgentLayout(
    name="hermes",
    title="Hermes",
    document="https://hermes-agent.nousresearch.com/docs/user-guide/features/memory",
    homes=(
        "~/.hermes",
        "~/.hermes/profiles/*",
        "~/.hermes/memories",
        "~/.hermes/profiles/*/memories",
    ),
    signs=(
        "MEMORY.md",
        "USER.md",
        "memories/MEMORY.md",
        "memories/USER.md",
        "pending/memory/*.json",
        "profiles/*/memories/MEMORY.md",
        "memory/MEMORY.md",
    ),
    says=re.compile(rb'\n\xc2\xa7\r?\n|"subsystem":\s*"memory"'),
    files={
        Kind.MEMORY: ("MEMORY.md", *(f"{one}/MEMORY.md" for one in _HERMES_FOLDERS)),
        Kind.BOOTSTRAP: ("USER.md", "SOUL.md", *(f"{one}/USER.md" for one in _HERMES_FOLDERS)),
        Kind.NOTE: ("*.md", *(f"{one}/*.md" for one in _HERMES_FOLDERS)),
    },
    limits=(LoadLimit("**/MEMORY.md", 2_200, cut="none"), LoadLimit("**/USER.md", 1_375, cut="none")),
    limits_in=(("config.yaml", "../config.yaml"), hermes_limits),
    pending=(
        "pending/memory/*.json",
        "profiles/*/pending/memory/*.json",
        "../pending/memory/*.json",
    ),
    finish=entries_apart,
)
LETTA = AgentLayout(
    name="letta",
    title="Letta",
    document="https://docs.letta.com/letta-code/memory",
    homes=("~/.letta/agents/*/memory", "~/.letta/lc-local-backend/memfs/*/memory"),
    signs=("system/*.md", "system/*/*.md"),
    says=_header(rb"description:[ \t]*\S"),
    sure_signs=(".memfs.config.json",),
    files={
        Kind.MEMORY: ("system/human.md", "system/**/*.md", "MEMORY.md"),
        Kind.NOTE: ("**/*.md",),
    },
    exclude=("skills/**",),
    limits=(LoadLimit("system/", 20_000, "tokens", "none", together=True),),
    limits_in=((".memfs.config.json",), letta_limits),
    rules=(("system/**/*.md", letta_block), ("**/*.md", letta_page)),
    makes_memory=False,
    keeps_notes=True,
)
NANOBOT = AgentLayout(
    name="nanobot",
    title="nanobot",
    document="https://github.com/HKUDS/nanobot/blob/main/docs/memory.md",
    homes=("~/.nanobot/workspace",),
    signs=("memory/history.jsonl", "memory/HISTORY.md"),
    weak_signs=("memory/MEMORY.md",),
    files={
        Kind.MEMORY: ("memory/MEMORY.md",),
        Kind.BOOTSTRAP: _BOOTSTRAP,
        Kind.LOG: (f"memory/{DAY}*.md",),
        Kind.NOTE: ("*.md", "memory/**/*.md"),
    },
    exclude=("skills/**",),
)
BASIC_MEMORY = AgentLayout(
    name="basic-memory",
    title="basic-memory",
    document="https://docs.basicmemory.com/concepts/knowledge-format",
    homes=("~/basic-memory",),
    lists=((".basic-memory/config.json", "projects"),),
    signs=("*.md", "*/*.md"),
    says=_header(rb"permalink:[ \t]*\w[\w/-]*[ \t]*\r?$"),
    files={Kind.MEMORY: _MEMORY, Kind.LOG: (f"**/{DAY}.md",), Kind.NOTE: ("**/*.md",)},
    makes_memory=False,
    plans_pages=True,
    keeps_notes=True,
)
OBSIDIAN = AgentLayout(
    name="obsidian",
    title="Obsidian vault",
    document="https://help.obsidian.md/data-storage",
    lists=(
        (".config/obsidian/obsidian.json", "vaults"),
        ("Library/Application Support/obsidian/obsidian.json", "vaults"),
    ),
    signs=(".obsidian",),
    files={
        Kind.MEMORY: _MEMORY,
        Kind.LOG: (f"**/{DAY}.md", f"**/{DAY}[-_ ]*.md"),
        Kind.NOTE: ("**/*.md",),
    },
    makes_memory=False,
    plans_pages=True,
    daily_notes=(
        (".obsidian/daily-notes.json", ""),
        (".obsidian/plugins/periodic-notes/data.json", "daily"),
    ),
)
PLAIN = AgentLayout(
    name="plain",
    title="plain folder",
    document="docs/layouts.md",
    files={
        **_OPENCLAW_FILES,
        Kind.MEMORY: (*_MEMORY, ".memory/MEMORY.md"),
        Kind.LOG: (*_OPENCLAW_FILES[Kind.LOG], f".memory/**/{DAY}*.md"),
        Kind.NOTE: (".memory/**/*.md", "**/*.md"),
    },
    exclude=("skills/**", "ref/**"),
    makes_memory=False,
)
LAYOUTS = (
    NANOBOT,
    OPENCLAW,
    CLAUDE_CODE,
    CODEX,
    HERMES,
    GEMINI_CLI,
    LETTA,
    CLAUDE_PROJECT,
    OPENHANDS,
    OPENHANDS_USER,
    MEMORY_BANK,
    REPLIT,
    SERENA,
    BASIC_MEMORY,
    OBSIDIAN,
    PLAIN,
)
"""All that are known; where several claim a file, the first one says what it is."""
