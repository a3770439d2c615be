"""Every command by its name, with the line of help that is printed before it is loaded.

The program starts anew for each answer, so a command's module is imported when that command is asked for, and
``workbench --help`` imports none. A new command needs one line here; a new operation none
(``workbench.operations.registry``).
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any, NamedTuple

import click

from workbench.errors import UsageError
from workbench.operations.registry import OPERATIONS


class LazyCommand(NamedTuple):
    """A command that is not loaded yet."""

    name: str
    place: str
    """``module:name`` in this package; empty for an operation."""
    summary: str
    hidden: bool = False


COMMANDS: dict[str, tuple[LazyCommand, ...]] = {
    "Look": (
        LazyCommand(
            "open",
            "setup:open_interface",
            "Open the interface on FOLDER, or on the nearest workspace.",
            hidden=True,
        ),
        LazyCommand("status", "status:status", "Show what is in this memory, and the state of its index."),
        LazyCommand("search", "search:search", "Search memory by keyword and meaning, best hits first."),
        LazyCommand("get", "history:get", "Print a memory file, or part of it."),
        LazyCommand("log", "history:log", "List operations (also of agents and plain git), newest first."),
        LazyCommand("recent", "history:recent", "List what was written since yesterday, and by whom."),
        LazyCommand(
            "show", "history:show", "Show one operation with its diff, or one entry with its origin."
        ),
        LazyCommand("blame", "history:blame", "Show when each line was written, and by whom."),
    ),
    "Curate": (
        *(
            LazyCommand(operation.name, "", operation.help)
            for operation in OPERATIONS.values()
            if operation.group == "Curate"
        ),
        LazyCommand("restore", "backup:restore", "Restore a backup, or one file or entry from history."),
    ),
    "Inbox": (
        LazyCommand("dream", "dream:dream", "Propose what should become long-term memory."),
        LazyCommand("inbox", "inbox:inbox", "Pending proposals: list, show, accept, edit, reject, defer."),
    ),
    "Sessions and graph": (
        LazyCommand(
            "ingest",
            "sessions:ingest",
            "Ingest sessions, episodes and logs into memory.",
        ),
        LazyCommand("flush", "sessions:flush", "Save the durable facts of a session before it is compacted."),
        LazyCommand(
            "watch", "sessions:watch", "Follow transcripts and logs as they grow, until interrupted."
        ),
        LazyCommand(
            "episodes", "episodes:episodes", "Episodes (session summaries): list, pin, extend, expire."
        ),
        LazyCommand(
            "graph", "graph:graph", "The graph of people, projects and things: search, show, change."
        ),
    ),
    "Agents": (
        LazyCommand("context", "agents:context", "Show what an agent is given with MESSAGE, and why."),
        LazyCommand("inject", "agents:inject", "The same as `context`, for hooks.", hidden=True),
        LazyCommand(
            "bulletin", "agents:bulletin", "The same as `context --bulletin`, for hooks.", hidden=True
        ),
        LazyCommand(
            "connect", "agents:connect", "Show how to connect Claude Code, Codex, Cursor and others."
        ),
        LazyCommand("mcp", "agents:mcp", "Run the MCP server (Model Context Protocol) on stdio."),
    ),
    "Maintain": (
        LazyCommand(
            "doctor", "health:doctor", "Check this machine, the workspace, its repository and its index."
        ),
        LazyCommand("check", "health:check", "Check recall tests, duplicates, links, secrets, hidden text."),
        LazyCommand("audit", "health:audit", "Report how much of a memory is junk, stale or secret."),
        LazyCommand(
            "verify", "health:verify", "Prove that no text is lost and that the index matches the files."
        ),
        LazyCommand("backup", "backup:backup", "Back up this memory, and prove that the backup restores."),
        LazyCommand("reindex", "reindex:reindex", "Update the search index."),
    ),
    "Set up": (
        LazyCommand("init", "setup:init", "Set up a workspace: git repository and missing files."),
        LazyCommand("demo", "setup:demo", "Make a sample workspace and open it."),
        LazyCommand("import", "importers:import_", "Import memory from OpenClaw, GoClaw or basic-memory."),
        LazyCommand("workspaces", "setup:workspaces", "Registered workspaces: add, list, remove."),
        LazyCommand("fleet", "fleet:fleet", "Index and search thousands of workspaces."),
        LazyCommand("serve", "setup:serve", "Serve the interface to a browser on this machine."),
        LazyCommand("jobs", "jobs:jobs", "Scheduled jobs: run them, see how they ran, print templates."),
        LazyCommand("config", "config:config", "Show all settings and where each comes from; change one."),
        LazyCommand("keys", "config:keys", "List all keys of the interface; check your own."),
        LazyCommand("model", "reindex:model", "Show, test or download the embedding model."),
        LazyCommand("completion", "setup:completion", "Print the completion script for your shell."),
        LazyCommand("uninstall", "setup:uninstall", "Remove what the program wrote outside of workspaces."),
    ),
}
"""Under what they are for, in the order of ``--help``."""
LISTED = {listed.name: listed for group in COMMANDS.values() for listed in group}
"""All of them by name, in the same order."""


class Commands(UserDict[str, Any]):
    """The commands of the program by name; one is imported when it is first looked up."""

    def __getitem__(self, name: str) -> click.Command:
        """The command of this name. Raises KeyError where there is none."""
        if isinstance(self.data[name], LazyCommand):
            self.data[name] = _loaded(self.data[name])
        found: click.Command = self.data[name]
        return found


def _loaded(listed: LazyCommand) -> click.Command:
    module, _, attribute = listed.place.partition(":")
    if not module:
        from workbench.cli.operation_command import SELECTIONS, command_of

        return command_of(OPERATIONS[listed.name], SELECTIONS.get(listed.name))
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
    "themes": "config themes",
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
