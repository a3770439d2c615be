"""The list of workspaces that a fleet is made of: a file with one a line, JSON lines, or a YAML list."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
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


class _Listed(msgspec.Struct):
    """A workspace as a list of JSON or YAML has it."""

    path: str
    name: str = ""


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
    agents: dict[str, Agent] = {}
    for where, listed in _rows(text):
        name = listed.name or listed.path
        if not listed.path or not name.isprintable() or len(name) > _LONGEST or "\0" in listed.path:
            raise UsageError(
                f"{where} names no workspace that can be told apart",
                hint=f"a folder, and a name of at most {_LONGEST} characters that can be printed",
            )
        if name in agents:
            raise UsageError(f"two workspaces are called {name}", hint="give each a name of its own")
        path = os.path.normpath(os.path.join(base, os.path.expanduser(listed.path)))
        agents[name] = Agent(name, path)
    if not agents:
        raise UsageError(f"{file} lists no workspace", hint=_LOOK)
    return tuple(agents.values())


def _rows(text: str) -> Iterator[tuple[str, _Listed]]:
    """Where each workspace stands, and what stands there. Raises UsageError."""
    where = "the list"
    try:
        if text.lstrip().startswith(("- ", "---")):
            # BaseLoader makes text, lists and mappings alone.
            values = msgspec.convert(yaml.load(text, Loader=yaml.BaseLoader), list[_Listed | str])  # noqa: S506
            for number, value in enumerate(values, 1):
                yield f"item {number}", _Listed(value) if isinstance(value, str) else value
            return
        as_json = text.lstrip().startswith("{")
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
            where, said = f"line {number}", line.strip()
            if as_json and said:
                yield where, msgspec.json.decode(said, type=_Listed)
            elif said and not said.startswith("#"):
                path, _, name = said.partition("\t")
                yield where, _Listed(path.strip(), name.strip())
    except (msgspec.MsgspecError, yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{where} names no folder: {error}", hint=_LOOK) from error
