"""Every command by its name, and what is said of it before it is loaded.

The program starts anew for each answer, so a command's module is imported when that command is asked for, and
``workbench --help`` imports none. The one line that is said of each command stands here.

A new command needs one line here; a new operation none (``workbench.operations.registry``).
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import NamedTuple

import click

from workbench.operations.registry import OPERATIONS


class Listed(NamedTuple):
    """A command that is not loaded yet."""

    name: str
    place: str
    """``module:name`` in this package; empty for an operation."""
    summary: str
    hidden: bool = False


_CHOSEN_OTHERWISE = {"forget": "bulk_selection:forget", "quarantine": "quarantine:quarantine"}
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
            "init:open_interface",
            "Open the interface on FOLDER, or on the nearest workspace.",
            hidden=True,
        ),
        Listed("status", "status:status", "What is in this memory, and whether the index is up to date."),
        Listed("search", "search:search", "Search memory by keywords and by meaning; the hits, best first."),
        Listed("get", "status:get", "A memory file, or part of it."),
        Listed("log", "history:log", "Operations, newest first, also those of agents and plain git."),
        Listed("show", "status:show", "One operation with its diff, or one entry with its origin."),
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
        Listed("context", "context:context", "What an agent is given with MESSAGE, and why."),
        Listed("inject", "context:inject", "The same as `context`, for hooks.", hidden=True),
        Listed("bulletin", "context:bulletin", "The same as `context --bulletin`, for hooks.", hidden=True),
        Listed(
            "connect", "connect:connect", "How to add this memory to Claude Code, Codex, Cursor and others."
        ),
        Listed("mcp", "context:mcp", "An MCP server (Model Context Protocol) on stdio, for agents."),
    ),
    "Keep": (
        Listed("doctor", "health:doctor", "Check this machine, the workspace, its repository and its index."),
        Listed("check", "health:check", "Recall tests, duplicates, dead links, secrets, hidden text."),
        Listed("verify", "backup:verify", "Prove that no text is lost and that the index matches the files."),
        Listed("backup", "backup:backup", "Save this memory, and prove that it can be had back."),
        Listed("reindex", "reindex:reindex", "Bring the index up to date with the files."),
    ),
    "Set up": (
        Listed("init", "init:init", "Set a workspace up: its repository and the files it lacks."),
        Listed("demo", "init:demo", "Make a sample workspace and open it."),
        Listed("import", "importers:import_", "Bring memory over from OpenClaw, GoClaw or basic-memory."),
        Listed("workspaces", "workspaces:workspaces", "Your workspaces by name: add, list, remove."),
        Listed("fleet", "fleet:fleet", "Thousands of workspaces at once: one index of them all."),
        Listed("serve", "serve:serve", "The interface in a browser, on this machine only."),
        Listed("jobs", "jobs:jobs", "What a clock runs: run it, how it ran, and templates for it."),
        Listed("config", "config:config", "Every setting, and where it comes from; change one."),
        Listed("keys", "config:keys", "Every key of the interface; whether yours make sense."),
        Listed("themes", "themes:themes", "The themes of the interface, and your own."),
        Listed("model", "models:model", "Which model and provider make vectors; try it, fetch one."),
        Listed("completion", "completion:completion", "Print what lets your shell complete what you type."),
    ),
}
"""Under what they are for, in the order of ``--help``."""


class Commands(MutableMapping[str, click.Command]):
    """The commands of the program by name; one is imported when it is first looked up."""

    def __init__(self) -> None:
        self._listed = {listed.name: listed for group in COMMANDS.values() for listed in group}
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        """The command of this name. Raises KeyError where there is none."""
        if name not in self._loaded:
            self._loaded[name] = self._command(name)
        return self._loaded[name]

    def _command(self, name: str) -> click.Command:
        listed = self._listed[name]
        module, _, attribute = listed.place.partition(":")
        if not module:
            from workbench.cli.operation_command import command_of

            return command_of(OPERATIONS[name])
        found = getattr(import_module(f"workbench.cli.{module}"), attribute)
        assert isinstance(found, click.Command)
        found.short_help = listed.summary
        return found

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command
        self._listed.setdefault(name, Listed(name, "", command.get_short_help_str()))

    def __delitem__(self, name: str) -> None:
        del self._listed[name]
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        """Whether there is such a command; loads nothing."""
        return name in self._listed

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
