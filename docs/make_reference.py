"""Generates the pages of the reference from the program: ``python docs/make_reference.py``.

``reference/commands.md`` from the command line, ``reference/settings.md`` from the settings, and
``reference/tools.md`` from the tools for agents. ``make_keys.py`` generates the page of keys.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from workbench.agent.tools.tool import TOOLS  # noqa: E402
from workbench.cli import program  # noqa: E402 - after the path
from workbench.config.settings import DECLARED  # noqa: E402
from workbench.config.settings_report import value_text  # noqa: E402

MADE = "<!-- made by docs/make_reference.py, checked by a test -->\n"

COMMANDS_HEAD = """# Commands

`workbench` without a command opens the interface on the nearest workspace. `-w DIR` (or the variable
`WORKBENCH_WORKSPACE`) before the command's name selects another one. Data goes to standard output,
messages and progress to standard error.

Exit codes: 0 done, 1 failed, 2 wrong usage, not found or nothing to do, 3 busy (try again), 4 a check
failed, 130 interrupted. With `--json` an error is `{"error": {"code", "message", "hint"}}` on standard
output, with the same exit code.
[JSON](json.md) describes the other answers.

ENTRY is an address as `search` prints it, `path#hash`; a unique beginning of the hash is enough.
"""
SETTINGS_HEAD = """# Settings

Your own settings are in one YAML file (`~/.config/memory-workbench/settings.yaml` on Linux;
`WORKBENCH_CONFIG` names another one). A workspace may have its own `workbench.yaml`, which takes
precedence. That file comes with the memory and is untrusted, so it can only change what is shown and
indexed: settings marked *yours alone* are refused there.

`workbench config` shows every setting with its value and the file and line it comes from, `workbench
config --check` reports errors, and `workbench config set NAME VALUE` sets one and keeps the comments of
the file. `memory: {budget: 1000}` and `memory_budget: 1000` mean the same.
"""
SETTINGS_NOTES = """## Notes

- `include`, `exclude`: in a pattern, `*`, `?` and `[...]` stay within a folder, `**` crosses folders, and
  a pattern that ends with `/` means everything below it.
- `extra_paths`: Markdown files, folders or patterns, such as `~/notes`. A relative path starts at the
  workspace.
- `transcripts`: folders or patterns of JSON lines, written by OpenClaw or Claude Code or as plain
  `{"role", "content"}`. `{WORKSPACE: FOLDER}` sets them for each workspace.
- `transcript_bytes`, `transcript_lines`: a transcript without changes for five minutes is indexed anyway.
- `flush_messages`, `context_window`: a session is flushed when it has more messages than this, or when it
  comes near the end of its context window.
- `model`: a path starts with `/`, `~/` or `./`; a name such as `owner/name` must have been downloaded.
- `embedding_model`: the defaults are `text-embedding-3-small` (openai) and `gemini-embedding-001`
  (gemini).
- `team_leader`: makes every workspace that you open a member of the team.
- [Search](../search.md#embedding-providers) explains the embedding providers.

## Environment variables

| variable | what it sets |
| --- | --- |
| `WORKBENCH_CONFIG` | the file of your settings |
| `WORKBENCH_KEYS` | the file of your keys |
| `WORKBENCH_CACHE` | the folder of prepared models and computed vectors |
| `WORKBENCH_DEVICE` | where the embedding model runs, such as `cpu` or `cuda` |
| `WORKBENCH_WORKSPACE` | the workspace, as `-w` does |
| `WORKBENCH_TODAY` | the day that the interface takes for today |
"""
TOOLS_HEAD = """# Tools for agents

The tools that `workbench mcp` offers over the Model Context Protocol. Arguments and results are checked
against these JSON Schemas (draft 2020-12). [Connect an agent](../howto/connect.md) shows how to add them
to an agent. A *writing* tool creates a proposal that waits for you, unless your settings say
`agent_writes: store`. No tool writes MEMORY.md.

The memory files are also available as read-only resources: `memory://` addresses, listed page by page.
"""
_GROUPS = {
    "memory": "Memory",
    "embedding": "Embedding providers",
    "language": "Language model",
    "inject": "Context for agents",
    "dream": "Dreaming",
    "search": "Ranking",
    "transcript": "Transcripts",
}


def pages() -> Mapping[str, str]:
    """The text of each page by its path below ``docs/``."""
    made: Mapping[str, Callable[[], str]] = {
        "reference/commands.md": commands_page,
        "reference/settings.md": settings_page,
        "reference/tools.md": tools_page,
    }
    return {path: MADE + page() for path, page in made.items()}


def commands_page() -> str:
    """Every command with its options, in the order of ``workbench --help``."""
    parts = [COMMANDS_HEAD, *_options(program.workbench)]
    for title, commands in program.COMMANDS.items():
        parts.append(f"## {title}\n")
        for listed in commands:
            if not listed.hidden:
                parts += _command(program.workbench.commands[listed.name], f"workbench {listed.name}", 3)
    return "\n".join(parts)


def settings_page() -> str:
    """Every setting with its default, its unit and what it means."""
    groups: dict[str, list[str]] = {}
    for name in DECLARED:
        groups.setdefault(_GROUPS.get(name.partition("_")[0], "Others"), []).append(name)
    parts = [SETTINGS_HEAD]
    for title, members in sorted(groups.items(), key=lambda item: item[0] == "Others"):
        parts.append(f"## {title}\n\n| setting | default | meaning |\n| --- | --- | --- |")
        parts.append("\n".join(_setting(name) for name in members) + "\n")
    return "\n".join([*parts, SETTINGS_NOTES])


def tools_page() -> str:
    """Every tool with the schemas of what it takes and gives."""
    parts = [TOOLS_HEAD]
    for tool in TOOLS.values():
        sort = "writing" if tool.writes else "reading"
        parts.append(f"## {tool.name}\n\n*{tool.title}; {sort}.* {_prose(tool.description)}\n")
        parts.append("For example:\n\n" + _fence("json", json.dumps(tool.example, indent=2)))
        parts.append("Takes:\n\n" + _fence("json", json.dumps(tool.schema, indent=2)))
        parts.append("Gives:\n\n" + _fence("json", json.dumps(tool.result, indent=2)))
    return "\n".join(parts)


def _command(command: click.Command, called: str, level: int) -> Iterator[str]:
    context = click.Context(command, info_name=called)
    usage = " ".join([called, *command.collect_usage_pieces(context)])
    yield f"{'#' * level} {called.removeprefix('workbench ')}\n\n`{usage}`\n"
    yield from _help(command.help)
    yield from _options(command)
    yield from _help(command.epilog)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _command(inner, f"{called} {name}", level + 1)


def _help(text: str | None) -> Iterator[str]:
    """Paragraphs as they are told, those that keep their lines as blocks."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text or "")):
        lines = paragraph.split("\n")
        if lines[0].strip() == "\b":
            yield _fence("text", inspect.cleandoc("\n".join(lines[1:])))
        elif paragraph.strip():
            yield _prose(" ".join(line.strip() for line in lines)) + "\n"


def _options(command: click.Command) -> Iterator[str]:
    rows = [_option(p, click.Context(command)) for p in command.params if isinstance(p, click.Option)]
    if rows:
        yield "| option | what it does |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _option(option: click.Option, context: click.Context) -> str:
    named = [*option.opts, *option.secondary_opts]
    value = "" if option.is_flag or option.count else " " + (option.metavar or option.make_metavar(context))
    said = _prose(option.help or "")
    if option.show_default and option.default not in (None, False):
        said += f" Default: `{option.default}`."
    if option.required:
        said += " (required)"
    if option.envvar:
        said += f" Also the variable `{option.envvar}`."
    return f"| {', '.join(f'`{name}`' for name in named)}{_cell(value)} | {_cell(said)} |"


def _setting(name: str) -> str:
    declared = DECLARED[name]
    default = value_text(name, declared.default)
    unit = f" {declared.unit}" if default[:1].isdigit() and declared.unit not in ("", "of 1") else ""
    said = _prose(declared.doc)
    if known := [word for word in declared.choices if word]:
        said += f" One of {', '.join(f'`{word}`' for word in known)}."
    marks = [m for m, true in (("yours alone", declared.user_only), ("never shown", declared.secret)) if true]
    said += f" *({', '.join(marks)})*" if marks else ""
    return f"| `{name}` | {_cell(default + unit) or 'none'} | {_cell(said)} |"


def _prose(text: str) -> str:
    """Text of the program as Markdown: what is no code has no markup, and double backticks are single."""
    parts = re.split(r"(`+[^`]+`+)", " ".join(text.split()))
    return "".join(_single(part) if part.startswith("`") else _plain(part) for part in parts)


def _single(code: str) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", code)


def _plain(text: str) -> str:
    """Text without what Markdown would take for markup."""
    return re.sub(r"([*<\[]|\b_|_\b)", r"\\\1", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text.strip(chr(10))}\n```\n"


def main() -> None:
    """All pages."""
    for path, text in pages().items():
        (DOCS / path).parent.mkdir(exist_ok=True)
        (DOCS / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
