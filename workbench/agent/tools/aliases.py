"""Names that other systems' tools use for arguments of ours: prompts written for those work here too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.agent.tools.tool import Schema, Tool

ALIASES: Mapping[str, tuple[str, ...]] = {
    "content": ("text",),
    "memory_type": ("type", "types"),
    "memory_types": ("types",),
    "reasoning": ("reason",),
    "sort_by": ("sort",),
    "max_results": ("limit",),
    "maxResults": ("limit",),
}
"""Each alias with the arguments that it may stand for: the one that the tool has."""
MODES: Mapping[str, str] = {
    "semantic": "vector",
    "embedding": "vector",
    "keyword": "lexical",
    "text": "lexical",
    "fts": "lexical",
}
"""Other words for the modes of a search."""
_SPAN = re.compile(r"\s*(\d{1,5})\s*([hdw]?)\s*", re.IGNORECASE)
_HOURS = {"h": 1, "": 24, "d": 24, "w": 168}
SPAN: Schema = {"type": "string", "pattern": r"^\s*\d{1,5}\s*[hdwHDW]?\s*$"}


def accepted(tool: Tool) -> Schema:
    """The tool's schema as clients are told it, so that they let the aliases through too."""
    properties = dict(tool.schema["properties"])
    stood_for = set()
    for alias, name in _of(tool).items():
        stood_for.add(name)
        said = {
            key: value for key, value in properties[name].items() if key not in ("description", "default")
        }
        if name == "types" and alias == "memory_type":
            said = {"anyOf": [said, said["items"]]}
        properties[alias] = {**said, "description": f"The same as `{name}`"}
    if "mode" in properties:
        modes = properties["mode"]
        properties["mode"] = {**modes, "enum": [*modes["enum"], *MODES]}
    if "happens_within" in properties:
        days = properties["happens_within"]
        about = f"{days['description']}; or a span: 24h, 7d, 2w"
        whole = {key: value for key, value in days.items() if key != "description"}
        properties["happens_within"] = {"anyOf": [whole, SPAN], "description": about}
    # Whoever gives the alias leaves the name out; that one of both is there is checked when it is called.
    required = [name for name in tool.schema["required"] if name not in stood_for]
    return {**tool.schema, "properties": properties, "required": required}


def by_own_names(tool: Tool, arguments: Any) -> Any:
    """The arguments by the names that the tool has. Raises ValueError where two of them contradict."""
    if not isinstance(arguments, Mapping):
        return arguments
    said, aliases = dict(arguments), _of(tool)
    for alias in [name for name in arguments if name in aliases]:
        name, value = aliases[alias], said.pop(alias)
        if name == "types" and isinstance(value, str):
            value = [value]
        if name in said and said[name] != value:
            raise ValueError(f"{alias} is another name of {name}, and they differ: give one of them")
        said[name] = value
    if "mode" in tool.schema["properties"] and isinstance(said.get("mode"), str):
        said["mode"] = MODES.get(said["mode"], said["mode"])
    if "happens_within" in tool.schema["properties"] and "happens_within" in said:
        said["happens_within"] = _days(said["happens_within"])
    return said


def _of(tool: Tool) -> dict[str, str]:
    """The aliases that this tool accepts, each with its own name of that."""
    properties = tool.schema["properties"]
    return {
        alias: name
        for alias, names in ALIASES.items()
        for name in names
        if name in properties and alias not in properties
    }


def _days(span: Any) -> Any:
    """Whole days of a span, a begun one counted as one; what is no span stays as it is."""
    found = _SPAN.fullmatch(span) if isinstance(span, str) else None
    return -(-int(found[1]) * _HOURS[found[2].lower()] // 24) if found else span
