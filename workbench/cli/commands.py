"""Every command by its name, and what is said of it before it is loaded.

The program starts anew for each answer, so a command's module is imported when that command is asked for, and
``workbench --help`` imports none. The one line that is said of each command stands here.

A new command needs one line here; a new operation none (``workbench.operations.registry``).
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any, NamedTuple

import click

from workbench.errors import UsageError
from workbench.operations.registry import OPERATIONS


class Listed(NamedTuple):
    """A command that is not loaded yet."""

    name: str
    place: str
    """``module:name`` in this package; empty for an operation."""
    summary: str
    hidden: bool = False


_CHOSEN_OTHERWISE = {"forget": "curate:forget", "quarantine": "curate:quarantine"}
"""Operations whose commands have options of their own to say what they are done to."""


def _operations(group: str) -> tuple[Listed, ...]:
    """The commands of the operations of this group, which are made from their declarations."""
    return tuple(
        Listed(operation.name, _CHOSEN_OTHERWISE.get(operation.name, ""), operation.help)
        for operation in OPERATIONS.values()
        if operation.group == group
    )


COMMANDS: dict[str, tuple[Listed, ...]] = {
    "Look": (
        Listed(
            "open",
            "setup:open_interface",
            "Open the interface on FOLDER, or on the nearest workspace.",
            hidden=True,
        ),
        Listed("status", "status:status", "What is in this memory, and whether the index is up to date."),
        Listed("search", "search:search", "Search memory by keywords and by meaning; the hits, best first."),
        Listed("get", "history:get", "A memory file, or part of it."),
        Listed("log", "history:log", "Operations, newest first, also those of agents and plain git."),
        Listed("recent", "history:recent", "What was written since yesterday, by whom, from which session."),
        Listed("show", "history:show", "One operation with its diff, or one entry with its origin."),
        Listed("blame", "history:blame", "When each line came, and who brought it."),
    ),
    "Curate": (
        *_operations("Curate"),
        Listed("restore", "backup:restore", "Bring a backup back, or one file or entry from history."),
    ),
    "Inbox": (
        Listed("dream", "dream:dream", "Find what is worth keeping, and propose it."),
        Listed("inbox", "inbox:inbox", "What waits for you: show, accept, edit, reject, defer it."),
    ),
    "Sessions and graph": (
        Listed("ingest", "sessions:ingest", "Sessions become episodes; episodes and logs teach the graph."),
        Listed("flush", "sessions:flush", "Save the durable facts of a session before it is compacted."),
        Listed("watch", "sessions:watch", "Follow transcripts and logs as they grow, until interrupted."),
        Listed("episodes", "episodes:episodes", "Session summaries, and how long each is kept."),
        Listed("graph", "graph:graph", "What is known of people, projects and things; how they connect."),
    ),
    "Agents": (
        Listed("context", "agents:context", "What an agent is given with MESSAGE, and why."),
        Listed("inject", "agents:inject", "The same as `context`, for hooks.", hidden=True),
        Listed("bulletin", "agents:bulletin", "The same as `context --bulletin`, for hooks.", hidden=True),
        Listed(
            "connect", "agents:connect", "How to add this memory to Claude Code, Codex, Cursor and others."
        ),
        Listed("mcp", "agents:mcp", "An MCP server (Model Context Protocol) on stdio, for agents."),
    ),
    "Keep": (
        Listed("doctor", "health:doctor", "Check this machine, the workspace, its repository and its index."),
        Listed("check", "health:check", "Recall tests, duplicates, dead links, secrets, hidden text."),
        Listed("audit", "health:audit", "How much of a memory is junk, stale or secret."),
        Listed("verify", "health:verify", "Prove that no text is lost and that the index matches the files."),
        Listed("backup", "backup:backup", "Save this memory, and prove that it can be had back."),
        Listed("reindex", "reindex:reindex", "Bring the index up to date with the files."),
    ),
    "Set up": (
        Listed("init", "setup:init", "Set a workspace up: its repository and the files it lacks."),
        Listed("demo", "setup:demo", "Make a sample workspace and open it."),
        Listed("import", "importers:import_", "Bring memory over from OpenClaw, GoClaw or basic-memory."),
        Listed("workspaces", "setup:workspaces", "Your workspaces by name: add, list, remove."),
        Listed("fleet", "fleet:fleet", "Thousands of workspaces at once: one index of them all."),
        Listed("serve", "setup:serve", "The interface in a browser, on this machine only."),
        Listed("jobs", "jobs:jobs", "What a clock runs: run it, how it ran, and templates for it."),
        Listed("config", "config:config", "Every setting, and where it comes from; change one."),
        Listed("keys", "config:keys", "Every key of the interface; whether yours make sense."),
        Listed("themes", "config:themes", "The themes of the interface, and your own."),
        Listed("model", "reindex:model", "Which model and provider make vectors; try it, fetch one."),
        Listed("completion", "setup:completion", "Print what lets your shell complete what you type."),
    ),
}
"""Under what they are for, in the order of ``--help``."""
_LISTED = {listed.name: listed for group in COMMANDS.values() for listed in group}


class Commands(UserDict[str, click.Command]):
    """The commands of the program by name; one is imported when it is first looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.data: dict[str, Any] = dict.fromkeys(_LISTED)

    def __getitem__(self, name: str) -> click.Command:
        """The command of this name. Raises KeyError where there is none."""
        command: click.Command = self.data[name] or _loaded(_LISTED[name])
        self.data[name] = command
        return command


def _loaded(listed: Listed) -> click.Command:
    module, _, attribute = listed.place.partition(":")
    if not module:
        from workbench.cli.operation_command import command_of

        return command_of(OPERATIONS[listed.name])
    found: click.Command = getattr(import_module(f"workbench.cli.{module}"), attribute)
    found.short_help = listed.summary
    return found


RENAMED = {
    "agents": "connect",
    "conflicts": "inbox conflicts",
    "flagged": "check",
    "graph ask": "graph search",
    "health": "doctor",
    "loaded": "context --loaded",
    "migrate": "doctor --fix",
    "nightly": "jobs run nightly",
    "proposals": "inbox",
    "recalls": "context --usage",
    "record": "status --commit",
    "related": "show --related",
    "release": "quarantine --release",
}
"""What was typed after ``workbench``, and what is typed now."""


def refuse_renamed(ctx: click.Context, name: str) -> None:
    """Raises UsageError where ``name``, typed behind the command of ``ctx``, is called otherwise now."""
    old, group = name, ctx
    while group.parent is not None:
        old, group = f"{group.info_name} {old}", group.parent
    if old in RENAMED and not ctx.resilient_parsing:
        new = RENAMED[old]
        raise UsageError(f"`{old}` is called `{new}` now", hint=f"`workbench {new} --help` tells more")
