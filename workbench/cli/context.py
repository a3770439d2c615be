"""What an agent is given, as it is given: context, mcp; ``inject`` and ``bulletin`` answer in hooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.hook import answer_hook, stdin_text
from workbench.cli.output import json_option, narrate, say, say_json
from workbench.cli.progress import first_index_shown
from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.agent.bulletin import Bulletin
    from workbench.agent.context import Injection
    from workbench.workspace.workspace import Workspace

_BULLETINS = ("memory", "context")
_AGENT = re.compile(r"[\w.-]{1,60}")
_HOOK = """\b
As a hook of Claude Code, in .claude/settings.json:
  {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command",
    "command": "workbench -w /path/to/workspace context --hook --record --with-memory"}]}]}}
--hook reads the hook's JSON from stdin, prints what the agent is to read and nothing else, and never ends
with an exit code that would keep the message from the agent.
"""


def _given_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is given with a message: the options of ``context`` and of ``inject``."""
    options = (
        click.argument("message", required=False),
        click.option("--user", default="", metavar="NAME", help="Who it is for: their own comes first."),
        click.option("--session", default="", metavar="KEY", help="The session, for the record."),
        click.option("--record", is_flag=True, help="Record what was given, as an agent's recall."),
        click.option(
            "--with-memory", is_flag=True, help="Also from MEMORY.md: the agent does not load it itself."
        ),
        click.option("--hook", is_flag=True, help="Read a hook's JSON from stdin; see below."),
        click.option("--all", "everything", is_flag=True, help="Also what stays below the threshold."),
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(epilog=_HOOK)
@_given_options
@click.option(
    "--bulletin",
    "which",
    type=click.Choice(_BULLETINS),
    is_flag=False,
    flag_value="memory",
    help="Instead, what it should know when a session begins; `context`: what is due.",
)
@click.option(
    "--loaded", is_flag=True, help="Instead, the files it loads when a session begins, with their cost."
)
@click.option("--usage", is_flag=True, help="Instead, which memories dominate what agents were given.")
@click.option(
    "--days", type=click.IntRange(1, 3650), default=30, show_default=True, help="Of --usage: how far back."
)
@click.option("--never", is_flag=True, help="Of --usage: also what was never given in these days.")
@click.option(
    "-n", "most", type=click.IntRange(1), default=20, show_default=True, help="Of --usage: how many."
)
def context(
    message: str | None,
    which: str | None,
    loaded: bool,
    usage: bool,
    days: int,
    never: bool,
    most: int,
    user: str,
    with_memory: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """What an agent is given with MESSAGE, with the reason and cost of each line.

    MESSAGE is - to read it from stdin. --loaded: MEMORY.md, the bootstrap files, workspace-context.md, and
    the logs of today and yesterday. --usage goes by the record of recalls; looking here is not recorded.
    """
    from workbench.cli.usage import say_loaded, say_usage

    instead = (which is not None) + loaded + usage
    if instead + (message is not None or given["hook"]) > 1:
        raise UsageError("a message, --bulletin, --loaded or --usage: one of them")
    if which is not None:
        say_bulletin(which, user=user, with_memory=with_memory, as_json=as_json)
    elif loaded:
        say_loaded(with_memory=with_memory, as_json=as_json)
    elif usage:
        say_usage(days, never=never, most=most, as_json=as_json)
    else:
        say_given(message, user=user, with_memory=with_memory, as_json=as_json, **given)


@click.command(hidden=True)
@_given_options
def inject(**given: Any) -> None:
    """The same as `context`, for hooks."""
    say_given(**given)


@click.command(hidden=True)
@click.argument("which", type=click.Choice(_BULLETINS), default="memory")
@click.option("--user", default="", metavar="NAME")
@click.option("--with-memory", is_flag=True)
@json_option
def bulletin(which: str, user: str, with_memory: bool, as_json: bool) -> None:
    """The same as `context --bulletin`, for hooks."""
    say_bulletin(which, user=user, with_memory=with_memory, as_json=as_json)


def say_given(
    message: str | None,
    *,
    user: str,
    session: str,
    record: bool,
    with_memory: bool,
    hook: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Print what an agent is given with ``message``, or with that of the hook on stdin."""
    if hook:
        answer_hook(lambda said: _answer(said, user=user, record=record, with_memory=with_memory))
        return
    if message is None:
        raise UsageError(
            "with which message?", hint="give a message, - for stdin, --hook, --bulletin, --loaded or --usage"
        )
    text = stdin_text() if message == "-" else message
    with workspace() as place:
        found = _injected(place, text, user=user, with_memory=with_memory)
        unrecorded = _record(place, found, text, user, session) if record else None
    if as_json:
        say_json({**found.as_json(), "recorded": record and unrecorded is None})
    else:
        _print_injection(found, everything=everything)
    if unrecorded:
        narrate(unrecorded)


def _answer(said: Mapping[str, Any], *, user: str, record: bool, with_memory: bool) -> None:
    """Print what an agent is given with the message of a hook."""
    text = said.get("prompt")
    if not isinstance(text, str):
        raise UsageError("the hook's JSON has no prompt")
    with workspace() as place:
        found = _injected(place, text, user=user, with_memory=with_memory)
        session = str(said.get("session_id") or "")
        unrecorded = _record(place, found, text, user, session) if record else None
    if found.text:
        say(found.text)
    if unrecorded:
        narrate(unrecorded)


def _injected(place: Workspace, message: str, *, user: str, with_memory: bool) -> Injection:
    from workbench.agent.context import inject as given
    from workbench.agent.scopes import open_leader, open_scopes

    leader = open_leader(place)
    return given(
        open_scopes(place, leader, first=first_index_shown(place)),
        message,
        settings=place.settings,
        user=user,
        now=datetime.now(UTC).astimezone(),
        memory_loaded=not with_memory,
    )


def _record(place: Workspace, found: Injection, message: str, user: str, session: str) -> str | None:
    from workbench.agent.usage import record_recalls

    now = datetime.now(UTC)
    return record_recalls(place, found.given, query=message, by="inject", now=now, user=user, session=session)


def _print_injection(found: Injection, *, everything: bool) -> None:
    for note in found.notes:
        narrate(note)
    if found.skipped_because:
        narrate(f"nothing is looked up: {found.skipped_because}")
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
    count = "1 entry matches" if found.match_count == 1 else f"{found.match_count} entries match"
    narrate(
        f"{count}, {len(found.lines)} given; top score {found.top_score:.2f}; {plural(found.tokens, 'token')}"
    )


def say_bulletin(which: str, *, user: str, with_memory: bool, as_json: bool) -> None:
    """Print what an agent should know when a session begins.

    memory: who this is about, goals, preferences, events, decisions; those of the owner (``user``, else the
    name in USER.md) come first. context: what is due.
    """
    from workbench.agent.bulletin import bulletin as made
    from workbench.agent.bulletin import owner_page
    from workbench.graph.read import read_graph

    with workspace() as place:
        graph = read_graph(place)
        owner = owner_page(place, graph, user)
        found = made(
            graph,
            "context" if which == "context" else "memory",
            date.today(),
            memory_loaded=not with_memory,
            owner=owner,
        )
    if user and owner is None:
        narrate(f"there is no page of {user!r} in the graph; the others are listed")
    if as_json:
        say_json(found.as_json())
    else:
        _print_bulletin(found)


def _print_bulletin(found: Bulletin) -> None:
    if found.text:
        say(found.text)
    for section in found.sections:
        if section.more:
            narrate(f"  {section.title}: {section.more} more, for which there is no room")
    for why, count in found.withheld:
        narrate(f"  {count} not given: {why}")
    lines = sum(len(section.lines) for section in found.sections)
    narrate(f"{plural(lines, 'line')}; {plural(found.tokens, 'token')}")


@click.command()
@click.option(
    "--name", default="agent", show_default=True, metavar="AGENT", help="Who writes, in the record."
)
@click.option("--user", default="", metavar="NAME", help="On whose behalf: their own memory counts for more.")
def mcp(name: str, user: str) -> None:
    """An MCP server (Model Context Protocol) on stdin and stdout, for agents.

    It ends with its client. `workbench connect` prints how to add it to an agent.
    """
    from workbench.agent.mcp_server.stdio import serve

    if not _AGENT.fullmatch(name):
        raise UsageError(f"{name!r} is no name for an agent", hint="letters, digits, dots and hyphens")
    with workspace() as place:
        serve(place, agent=name, user=user)
