"""The pages of the reference that are made from the program itself: ``python docs/make_reference.py``.

``reference/commands.md`` from the command line, ``reference/settings.md`` from the settings, and
``reference/tools.md`` from the tools for agents. ``make_keys.py`` makes the page of keys.
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

from workbench.agent.tools.registry import TOOLS  # noqa: E402
from workbench.cli import program  # noqa: E402 - after the path
from workbench.config.settings import DECLARED  # noqa: E402
from workbench.config.settings_report import value_text  # noqa: E402

MADE = "<!-- made by docs/make_reference.py, checked by a test -->\n"

COMMANDS_HEAD = """# Commands

`workbench` alone opens the interface on the nearest workspace. `-w DIR` (or the variable
`WORKBENCH_WORKSPACE`) before a command's name chooses another one. Data goes to standard output, narration
and progress to standard error.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 busy (try again), 4 a check failed, 130
interrupted. With `--json` an error is `{"error": {"code", "message", "hint"}}` on standard output, with the
same exit code. What the other answers hold is in [JSON](json.md).

ENTRY is an address as `search` prints it, `path#hash`; a unique beginning of the hash is enough.
"""
SETTINGS_HEAD = """# Settings

Your own settings are one YAML file (`~/.config/memory-workbench/settings.yaml` on Linux; `WORKBENCH_CONFIG`
names another one). A workspace may have a `workbench.yaml` of its own, which goes before yours. It is
untrusted text, as it travels with the memory, so it may shape what is shown and indexed and nothing else:
settings marked *yours alone* are refused there.

`workbench config` shows every setting with its value and the file and line it comes from,
`workbench config --check` what is wrong, and `workbench config set NAME VALUE` writes one without touching
the comments around it. `memory: {budget: 1000}` and `memory_budget: 1000` say the same.
"""
TOOLS_HEAD = """# Tools for agents

What `workbench mcp` offers over the Model Context Protocol. Arguments and results are checked against these
JSON Schemas (draft 2020-12). [Connect an agent](../howto/connect.md) shows how an agent gets them. What a
*writing* tool is told waits for you, unless your settings say `agent_writes: store`; none of them writes
MEMORY.md.

The memory files are resources as well: `memory://` addresses, listed page by page, read-only.
"""
_GROUPS = {
    "memory": "Memory",
    "embedding": "Vectors from a service or another model",
    "language": "A language model",
    "inject": "What an agent is given",
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
        parts.append(f"## {title}\n\n| setting | default | what it says |\n| --- | --- | --- |")
        parts.append("\n".join(_setting(name) for name in members) + "\n")
    return "\n".join(parts)


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
