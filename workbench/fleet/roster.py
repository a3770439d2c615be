"""The list of workspaces that a fleet is made of: a file with one a line, JSON lines, or a YAML list."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from workbench.errors import UsageError

MOST_BYTES = 500_000_000
_LONGEST = 500
_LOOK = "one workspace a line: a folder, or a folder, a TAB and a name; or JSON lines; or a YAML list"


@dataclass(frozen=True, slots=True)
class Agent:
    """One workspace: ``name`` by which the index knows it, and its folder."""

    name: str
    path: str


def read_roster(file: str) -> tuple[Agent, ...]:
    """The workspaces that ``file`` lists, ``-`` for stdin, in their order.

    Relative folders are relative to the file. A workspace without a name is called as its folder is written.
    Raises UsageError for a line that makes no sense, and for a name that two have.
    """
    try:
        if file == "-":
            data, base = sys.stdin.buffer.read(MOST_BYTES + 1), os.getcwd()
        else:
            with open(file, "rb") as opened:
                data = opened.read(MOST_BYTES + 1)
            base = os.path.dirname(os.path.abspath(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", hint=_LOOK) from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{file} is larger than {MOST_BYTES // 1_000_000} MB", hint="divide it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8", hint=_LOOK) from error
    agents = tuple(_agent(where, name, path, base) for where, name, path in _listed(text))
    if not agents:
        raise UsageError(f"{file} lists no workspace", hint=_LOOK)
    _refuse_twice(agents)
    return agents


def _listed(text: str) -> Iterator[tuple[str, str, str]]:
    """Where it stands, the name and the folder of each."""
    begin = text.lstrip()
    if begin.startswith("{"):
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
            if line.strip():
                yield (f"line {number}", *_named(_json(number, line), f"line {number}"))
    elif begin.startswith("- ") or begin.startswith("---"):
        for number, value in enumerate(_yaml(text), 1):
            yield (f"item {number}", *_named(value, f"item {number}"))
    else:
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                path, _, name = line.strip().partition("\t")
                yield f"line {number}", name.strip(), path.strip()


def _json(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"line {number} is no JSON", hint='for example {"path": "a/memory"}') from error


def _yaml(text: str) -> Iterable[Any]:
    try:
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes text, lists and mappings alone
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError("the list is no YAML that can be read", hint=_LOOK) from error
    if not isinstance(found, list):
        raise UsageError("the list is no list", hint=_LOOK)
    return found


def _named(value: Any, where: str) -> tuple[str, str]:
    if isinstance(value, str):
        return "", value
    match value:
        case {"path": str(path), **rest} if isinstance(name := rest.get("name", ""), str):
            return name, path
    raise UsageError(f"{where} names no folder", hint='for example {"path": "a/memory", "name": "a"}')


def _agent(where: str, name: str, path: str, base: str) -> Agent:
    called = name or path
    if not path or not called.isprintable() or len(called) > _LONGEST or "\0" in path:
        raise UsageError(
            f"{where} names no workspace that can be told apart",
            hint=f"a folder, and a name of at most {_LONGEST} characters that can be printed",
        )
    return Agent(called, os.path.normpath(os.path.join(base, os.path.expanduser(path))))


def _refuse_twice(agents: Iterable[Agent]) -> None:
    seen: set[str] = set()
    for agent in agents:
        if agent.name in seen:
            raise UsageError(f"two workspaces are called {agent.name}", hint="give each a name of its own")
        seen.add(agent.name)
