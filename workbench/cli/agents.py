"""The commands that give memory to an agent, and set up how it gets there: context, connect, mcp.

``inject`` and ``bulletin`` are the names of ``context`` in hooks of earlier versions.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from copy import copy
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.console import (
    answered,
    attributes,
    caught_up,
    command,
    flag,
    given,
    named,
    narrate,
    number,
    say,
    say_row,
    shared_option,
    word,
    workspace,
)
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.agent.context import Injection

_MOST_READ = 1_000_000
"""Bytes of stdin that are read."""
_BULLETINS = ("memory", "context")
_AGENT = re.compile(r"[\w.-]{1,60}")
_BAR = 12
_HOOK = """\b
As a hook of Claude Code, in .claude/settings.json:
  {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command",
    "command": "workbench -w /path/to/workspace context --hook --record --with-memory"}]}]}}
--hook reads the JSON of the hook from stdin, prints only what the agent should read, and its exit code never
blocks the message.
"""
_user_option = shared_option(
    "--user", metavar="NAME", default="", help="The user who asks: their own entries come first."
)
_with_memory_option = flag(
    "--with-memory", "Include MEMORY.md, for agents that do not load it themselves.", shared=True
)


@command(epilog=_HOOK)
@named("message", "[MESSAGE]")
@_user_option
@word("--session", "KEY", "The session to record, with --record.")
@flag("--record", "Record what was given, as an agent's recall.")
@_with_memory_option
@flag("--hook", "Read the JSON of a hook from stdin (see below).")
@flag("--all", "Also entries below the threshold.", "everything")
@click.option(
    "--bulletin",
    "which",
    type=click.Choice(_BULLETINS),
    is_flag=False,
    flag_value="memory",
    help="Instead, what an agent should know when a session begins: `memory` (the default: people, goals, "
    "decisions) or `context` (what is due and overdue).",
)
@flag("--loaded", "Instead, the files that an agent loads when a session begins, with their cost.")
@flag("--usage", "Instead, which memories agents were given most often.")
@number("--days", low=1, high=3650, default=30, help="With --usage: count this many days.")
@flag("--never", "With --usage: also memories that were never given in these days.")
@number("-n", "most", low=1, default=20, help="With --usage: how many to list.")
def context(
    message: str | None,
    which: str | None,
    loaded: bool,
    usage: bool,
    days: int,
    never: bool,
    most: int,
    **asked: Any,
) -> None:
    """Show what an agent is given with MESSAGE, with the reason and token cost of each line.

    If MESSAGE is -, it is read from stdin. --loaded covers MEMORY.md, the bootstrap files,
    workspace-context.md, and the logs of today and yesterday. --usage counts recorded recalls; using this
    command without --record is not counted.
    """
    instead = (which is not None) + loaded + usage
    if instead + (message is not None or (asked["hook"] and which is None)) > 1:
        raise UsageError("a message, --bulletin, --loaded or --usage: one of them")
    if which is not None:
        _say_bulletin(which)
    elif loaded:
        _say_loaded()
    elif usage:
        _say_usage(days, never=never, most=most)
    else:
        _say_given(message, **asked)


inject = copy(context)
inject.name, inject.hidden = "inject", True


@command(hidden=True)
@click.argument("which", type=click.Choice(_BULLETINS), default="memory")
@_user_option
@_with_memory_option
def bulletin(which: str) -> None:
    """The same as `context --bulletin`, for hooks."""
    _say_bulletin(which)


def _say_given(message: str | None, *, hook: bool, everything: bool, session: str, record: bool) -> None:
    """Print what an agent is given with ``message``, or with that of the hook on stdin."""
    if hook:
        _answer(hook_input(), record=record)
        return
    if message is None:
        raise UsageError(
            "with which message?", hint="give a message, - for stdin, --hook, --bulletin, --loaded or --usage"
        )
    found, problem = _given(_stdin_text() if message == "-" else message, session=session, record=record)
    if not answered({**found.as_json(), "recorded": record and problem is None}):
        _say_injection(found, everything=everything)
    if problem:
        narrate(problem)


def _answer(said: Mapping[str, Any], *, record: bool) -> None:
    """Print what an agent is given with the message of a hook."""
    text = said.get("prompt")
    if not isinstance(text, str):
        raise UsageError("the hook's JSON has no prompt")
    found, problem = _given(text, session=str(said.get("session_id") or ""), record=record)
    if found.text:
        say(found.text)
    if problem:
        narrate(problem)


def _given(message: str, *, session: str, record: bool) -> tuple[Injection, str | None]:
    """What is given with ``message``, and why that could not be recorded as it should be."""
    from workbench.agent.context import inject as injected
    from workbench.agent.search_service import SearchService
    from workbench.agent.usage import record_recalls

    user, loaded = given("user"), not given("with_memory")
    with workspace() as place:
        now = datetime.now(UTC)
        with contextlib.closing(SearchService(place)) as service:
            service.catch_up(caught_up)
            found = injected(service, message, user=user, now=now.astimezone(), memory_loaded=loaded)
        if not record:
            return found, None
        return found, record_recalls(
            place, found.given, query=message, by="inject", now=now, user=user, session=session
        )


def _stdin_text() -> str:
    """What stands on stdin, up to a bound."""
    return sys.stdin.buffer.read(_MOST_READ).decode("utf-8", "replace")


def hook_input() -> Mapping[str, Any]:
    """The JSON object that a hook gives on stdin. Raises UsageError where there is none."""
    try:
        said = json.loads(_stdin_text() or "{}")
    except (ValueError, RecursionError) as error:
        raise UsageError("the hook's input is not JSON") from error
    return said if isinstance(said, Mapping) else {}


def _say_injection(found: Injection, *, everything: bool) -> None:
    for note in found.notes:
        narrate(note)
    if found.skipped_because:
        narrate(f"nothing was searched: {found.skipped_because}")
        return
    if found.text:
        say(found.text)
    for line in found.lines:
        sources = f"; from {', '.join(line.sources)}" if line.sources else ""
        narrate(f"  {line.entry}: {line.why}; trust {line.trust}; {plural(line.tokens, 'token')}{sources}")
    for one in found.left_out:
        narrate(f"  left out ({one.score:.2f}): {one.entry}: {one.why}")
    for one in found.below if everything else ():
        narrate(f"  {one.entry}: {one.why}")
    if found.match_count:
        count = "1 entry matches" if found.match_count == 1 else f"{found.match_count} entries match"
        said = f"{count}, {len(found.lines)} given"
    else:
        said = "all that matches is left out" if found.left_out else "nothing reaches the threshold"
    narrate(f"{said}; top score {found.top_score:.2f}; {plural(found.tokens, 'token')}")


def _say_bulletin(which: str) -> None:
    """Print what an agent should know when a session begins.

    memory: who this is about, goals, preferences, events, decisions; those of the owner (``--user``, else the
    name in USER.md) come first. context: what is due.
    """
    from workbench.agent.bulletin import bulletin as made
    from workbench.agent.bulletin import owner_page
    from workbench.graph.read import read_graph

    user = given("user")
    with workspace() as place:
        graph = read_graph(place)
        owner = owner_page(place, graph, user)
    found = made(
        graph,
        "context" if which == "context" else "memory",
        date.today(),
        memory_loaded=not given("with_memory"),
        owner=owner,
    )
    if user and owner is None:
        narrate(f"there is no page of {user!r} in the graph; the others are listed")
    if answered(found):
        return
    if found.text:
        say(found.text)
    for section in found.sections:
        if section.more:
            narrate(f"  {section.title}: {section.more} more, which did not fit")
    for why, count in found.withheld:
        narrate(f"  {count} left out: {why}")
    lines = sum(len(section.lines) for section in found.sections)
    hint = (
        ""
        if graph.of_pages or graph.entities
        else "; the graph has no pages yet: `workbench ingest` fills it"
    )
    narrate(f"{plural(lines, 'line')}; {plural(found.tokens, 'token')}{hint}")


def _say_loaded() -> None:
    """Print the files that an agent loads when a session begins, each with its cost in tokens."""
    from workbench.agent.bulletin import loaded as read

    with workspace() as place:
        found = read(place, date.today(), memory_loaded=not given("with_memory"))
    total = sum(one.tokens for one in found)
    if answered({"files": found, "tokens": total}):
        return
    for one in found:
        state = "" if one.state == "loaded" else f" ({one.state})"
        say_row(f"{one.tokens:>7}  {one.path}  {one.why}{state}")
    narrate(f"{plural(len(found), 'file')}; about {plural(total, 'token')}" if found else "nothing is loaded")


def _say_usage(days: int, *, never: bool, most: int) -> None:
    """Print which memories dominate what agents were given, by the record of recalls."""
    from workbench.agent.usage import dominance, never_given

    with workspace() as place:
        found = dominance(place, datetime.now(UTC), days)
        missed, count = never_given(place, found, most=most) if never else ((), 0)
    told: dict[str, Any] = {**attributes(found, "days", "answers"), "entries": found.shares[:most]}
    if never:
        told["never_given"] = {"count": count, "entries": [entry.address for entry in missed]}
    if answered(told):
        return
    for share in found.shares[:most]:
        filled = max(1, round(share.share * _BAR))
        bar = "#" * filled + "." * (_BAR - filled)
        last = share.last.date().isoformat() if share.last else ""
        questions = plural(share.questions, "question")
        say_row(f"{bar} {share.share:>4.0%} {share.count:>5}x  {questions}, last {last}  {share.entry}")
    if found.shares:
        more = len(found.shares) - most
        rest = f", {more} more entries" if more > 0 else ""
        narrate(f"{plural(found.answers, 'answer')} in the last {days} days{rest}")
    else:
        narrate(f"nothing was given to agents in the last {days} days")
    for entry in missed:
        say_row(f"never  {entry.address}  {entry.plain_title[:80]}")
    if never:
        narrate(f"{plural(count, 'entry')} were not given in the last {days} days")


@click.command()
@word("--name", "AGENT", "The agent's name, recorded with what it stores.", default="agent")
@word("--user", "NAME", "The user on whose behalf the agent asks: their own entries rank higher.")
def mcp(name: str, user: str) -> None:
    """Run an MCP server (Model Context Protocol) on stdin and stdout, for agents.

    It ends when its client disconnects. `workbench connect` prints how to add it to an agent.
    """
    from workbench.agent.mcp_server import serve

    if not _AGENT.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid agent name", hint="letters, digits, dots and hyphens")
    with workspace() as place:
        serve(place, agent=name, user=user)


NAMES = (
    *("claude-code", "openclaw", "codex", "gemini-cli", "hermes", "cursor", "vscode", "windsurf", "zed"),
    "mcp.json",
)
_FILES = {
    "codex": "~/.codex/config.toml",
    "gemini-cli": "~/.gemini/settings.json",
    "hermes": "~/.hermes/config.yaml",
    "cursor": ".cursor/mcp.json in your project, or ~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json in your project",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
    "zed": "~/.config/zed/settings.json",
}
"""Where each snippet goes."""


@click.command()
@click.argument("which", type=click.Choice(NAMES), required=False)
def connect(which: str | None) -> None:
    """Print how to add this memory to an agent: a command to run, or lines for its settings file.

    mcp.json is for any other program that reads such a file. Nothing is run or written by this command.
    """
    from workbench.workspace.agent_layouts import CLAUDE_CODE, layouts_of

    with workspace() as place:
        root, loads_memory = str(place.root), CLAUDE_CODE in layouts_of(place.root)
    command = _program()
    for name in NAMES if which is None else (which,):
        if which is None:
            say(f"# {name}" + (f": {_FILES[name]}" if name in _FILES else ""), bold=True)
        elif name in _FILES:
            narrate(f"add this to {_FILES[name]}, beside what is already there:")
        say(_how_to_add(name, command, root))
        if name == "claude-code":
            narrate(
                "add this to .claude/settings.json: bulletins when a session starts, relevant memory with"
            )
            narrate("each message, facts saved before compaction:")
            say(_claude_hooks(f"{shlex.quote(command)} -w {shlex.quote(root)}", loads_memory=loads_memory))


def _program() -> str:
    """The absolute path of this program, for what starts it later without this shell's PATH.

    Raises UsageError where only Python knows how to start it.
    """
    beside = Path(sys.executable).with_name("workbench")
    for path in (sys.argv[0], beside, shutil.which("workbench")):
        if path and Path(path).suffix != ".py" and Path(path).is_file() and os.access(path, os.X_OK):
            return str(Path(path).resolve())
    raise UsageError(
        "the command `workbench` was not found on PATH",
        hint="reinstall it with pip, or add its folder to PATH",
    )


def _how_to_add(name: str, command: str, root: str) -> str:
    """What adds this workspace to one program; nothing of it is run.

    ``command`` is a whole path: what an agent starts knows nothing of the shell that this was printed in.
    """
    args = ["-w", root, "mcp", *(() if name == "mcp.json" else ("--name", name))]
    server: dict[str, Any] = {"command": command, "args": args}
    listed = ", ".join(map(_quoted, args))
    match name:
        case "claude-code":
            return f"claude mcp add memory -- {shlex.join((command, *args))}"
        case "openclaw":
            return f"openclaw mcp set memory {shlex.quote(json.dumps(server))}"
        case "codex":
            return f"[mcp_servers.memory]\ncommand = {_quoted(command)}\nargs = [{listed}]"
        case "hermes":
            return f"mcp_servers:\n  memory:\n    command: {_quoted(command)}\n    args: [{listed}]"
        case "vscode":
            settings = {"servers": {"memory": {"type": "stdio", **server}}}
        case "zed":
            settings = {"context_servers": {"memory": {"source": "custom", **server, "env": {}}}}
        case _:
            settings = {"mcpServers": {"memory": server}}
    return json.dumps(settings, indent=2)


def _claude_hooks(here: str, *, loads_memory: bool) -> str:
    """The hooks of Claude Code as its settings write them; ``loads_memory``: it reads MEMORY.md itself."""
    context = f"{here} context --hook" + ("" if loads_memory else " --with-memory")
    hooks = {
        "SessionStart": _hook(f"{context} --bulletin memory", f"{here} context --hook --bulletin context"),
        "UserPromptSubmit": _hook(f"{context} --record"),
        "PreCompact": _hook(f"{here} flush --hook"),
    }
    return json.dumps({"hooks": hooks}, indent=2)


def _hook(*commands: str) -> list[dict[str, Any]]:
    """One event's hooks, as Claude Code's settings write them."""
    return [{"hooks": [{"type": "command", "command": command} for command in commands]}]


def _quoted(text: str) -> str:
    """A basic string of TOML or a double-quoted one of YAML: JSON's, where only what must be is escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
