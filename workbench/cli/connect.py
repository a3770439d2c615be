"""How to add this memory to an agent: what to run or to paste, in each program's own form."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from workbench.cli.output import narrate, say
from workbench.cli.workspace_options import program, workspace

NAMES = ("claude-code", "openclaw", "codex", "cursor", "vscode", "windsurf", "zed", "mcp.json")
_FILES = {
    "codex": "~/.codex/config.toml",
    "cursor": ".cursor/mcp.json in your project, or ~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json in your project",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
    "zed": "~/.config/zed/settings.json",
}
"""Where each snippet goes."""


@click.command()
@click.argument("which", type=click.Choice(NAMES), required=False)
def connect(which: str | None) -> None:
    """How to add this memory to an agent: what to run or to paste, in its own file's format.

    mcp.json is for any other program that reads such a file. Nothing is run or written.
    """
    with workspace() as place:
        root = str(place.root)
    command = program()
    for name in NAMES if which is None else (which,):
        if which is None:
            say(f"# {name}" + (f": {_FILES[name]}" if name in _FILES else ""), bold=True)
        elif name in _FILES:
            narrate(f"put this into {_FILES[name]}; what is there already stays beside it:")
        say(_how_to_add(name, command, root))


def _how_to_add(name: str, command: str, root: str) -> str:
    """What adds this workspace to one program; nothing of it is run.

    ``command`` is a whole path: what an agent starts knows nothing of the shell that this was printed in.
    """
    args = ["-w", root, "mcp", *(() if name == "mcp.json" else ("--name", name))]
    server: dict[str, Any] = {"command": command, "args": args}
    match name:
        case "claude-code":
            return _for_claude_code(f"{shlex.quote(command)} -w {shlex.quote(root)}")
        case "openclaw":
            return f"openclaw mcp set memory {shlex.quote(json.dumps(server))}"
        case "codex":
            return f"[mcp_servers.memory]\ncommand = {_toml(command)}\nargs = [{', '.join(map(_toml, args))}]"
        case "vscode":
            return _json({"servers": {"memory": {"type": "stdio", **server}}})
        case "zed":
            return _json({"context_servers": {"memory": {"source": "custom", **server, "env": {}}}})
        case _:
            return _json({"mcpServers": {"memory": server}})


def _for_claude_code(here: str) -> str:
    hooks = {
        "SessionStart": _hook(
            f"{here} context --bulletin memory --with-memory", f"{here} context --bulletin context"
        ),
        "UserPromptSubmit": _hook(f"{here} context --hook --record --with-memory"),
        "PreCompact": _hook(f"{here} flush --hook"),
    }
    return f"""claude mcp add memory -- {here} mcp --name claude-code
# and in .claude/settings.json, so that a session begins with the bulletins, each message brings what may
# matter for it (without --with-memory where CLAUDE.md loads MEMORY.md), and what was said is saved before
# it is compacted:
{_json({"hooks": hooks})}"""


def _hook(*commands: str) -> list[dict[str, Any]]:
    """One event's hooks, as Claude Code's settings write them."""
    return [{"hooks": [{"type": "command", "command": command} for command in commands]}]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)


def _toml(text: str) -> str:
    """A basic string of TOML, which JSON's is where only what must be is escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
