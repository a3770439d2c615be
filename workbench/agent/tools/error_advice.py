"""Errors as an agent can act on them: what happened, and what to do next."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.agent.fence import as_line
from workbench.agent.scopes import READ_ONLY
from workbench.agent.tools.tool import Tool
from workbench.errors import WorkbenchError
from workbench.safety.secrets import masked

_NEXT = {
    "entry-not-found": "Call memory_search or memory_graph_query again: it gives today's ids and entries.",
    "entry-ambiguous": "Give the whole entry, as memory_search returned it.",
    "not-memory": "Use a path of a memory_search result; only memory files of this workspace can be read.",
    "busy": "Another program is writing. Wait a few seconds and call again, at most three times.",
    "read-only": "Nothing can be stored here. Go on without it, and tell the person.",
    "no-git": "Reading works. Tell the person that nothing can be stored without git.",
    "no-repository": "Reading works. Tell the person that storing needs a repository: `workbench init`.",
    "repository-state": "Reading works. Tell the person; storing works when the repository is in order.",
    "index-unavailable": (
        "Ask the person to run `workbench reindex`. Until then use memory_get, memory_graph_query and "
        "knowledge_graph_search, which need no index."
    ),
    "flagged": "Store it again without the hidden text or the secret.",
    "secret": "Never store a secret: say where it is kept instead.",
    "write-failed": "Nothing was changed. Tell the person that the disk refused.",
    "conflict": "Nothing was changed, because the text changed meanwhile. Read it again, then decide anew.",
    "cancelled": "Nothing was done.",
}
_SHELL = ("`workbench", "--")
"""A hint that speaks of the command line is for people."""
_LONGEST = 1_000


def advice(error: WorkbenchError) -> str:
    """What an agent is told of an error."""
    if error.message == READ_ONLY:
        return READ_ONLY
    said = [_sentence(error.message)]
    hint = error.hint if error.hint and not any(sign in error.hint for sign in _SHELL) else ""
    if hint:
        said.append(_sentence(hint))
    if following := _NEXT.get(error.code):
        said.append(following)
    elif not hint:
        said.append("Nothing was changed.")
    return as_line(masked(" ".join(said)), _LONGEST)


def wrong_arguments(tool: Tool, arguments: Any) -> str | None:
    """What is wrong with the arguments, by the tool's schema, and an example that is right; None: nothing."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - not before the first call

    problems = [_problem(error) for error in Draft202012Validator(tool.schema).iter_errors(arguments)]
    if not problems:
        return None
    example = json.dumps(tool.example, ensure_ascii=False)
    return as_line(f"{tool.name}: {'; '.join(problems[:5])}. For example: {example}", _LONGEST)


def unknown_tool(name: str, known: Iterator[str]) -> str:
    """What is told of a tool that there is none of."""
    return as_line(f"There is no tool {name}. There are: {', '.join(known)}.", _LONGEST)


def _problem(error: Any) -> str:
    where = ".".join(str(part) for part in error.absolute_path) or "the arguments"
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    wanted = {
        "maxLength": f"is longer than {schema.get('maxLength')} characters",
        "minLength": "is empty",
        "pattern": "must be a day such as 2026-04-01"
        if "d{4}" in str(error.validator_value)
        else "must be text without NUL",
        "enum": "must be one of " + ", ".join(map(str, schema.get("enum", ()))),
        "type": f"must be {schema.get('type')}",
        "minimum": f"must be at least {schema.get('minimum')}",
        "maximum": f"must be at most {schema.get('maximum')}",
        "maxItems": f"has more than {schema.get('maxItems')} items",
        "uniqueItems": "holds something twice",
    }
    if error.validator == "required":
        missing = [name for name in schema.get("required", ()) if name not in error.instance]
        return f"{missing[0] if missing else where} is missing"
    if error.validator == "additionalProperties":
        known = ", ".join(schema.get("properties", {}))
        odd = [name for name in error.instance if name not in schema.get("properties", {})]
        return f"{as_line(str(odd[0]), 40) if odd else 'something'} is not known; known: {known}"
    return f"{where} {wanted.get(error.validator, 'is not as it should be')}"


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."
