"""What a tool is: a name, what it is for, the JSON it takes and gives, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias

from workbench.agent.tools.agent_session import Call, Door
from workbench.errors import UsageError
from workbench.memory.graph_page import ENTITY_TYPES, IMPORTANCE

Arguments: TypeAlias = Mapping[str, Any]
Result: TypeAlias = dict[str, Any]
Schema: TypeAlias = dict[str, Any]
Lane = Literal["read", "search", "write"]

LONGEST_QUERY = 4_000
LONGEST_TEXT = 2_000
LONGEST_NAME = 200
LONGEST_PATH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One function for agents. ``schema`` and ``result`` are JSON schemas (2020-12) of objects.

    ``example`` are arguments that are right, told to who gets them wrong. ``lane`` says with which
    other calls it shares a queue, so that slow ones keep no others waiting. ``run`` raises WorkbenchError.
    """

    name: str
    title: str
    description: str
    schema: Schema
    result: Schema
    example: Arguments
    run: Callable[[Door, Arguments, Call], Result]
    lane: Lane = "read"

    @property
    def writes(self) -> bool:
        """Whether it may change what is stored."""
        return self.lane == "write"


def takes(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def day_in(said: Arguments, name: str) -> date | None:
    """The day that an argument names, or None where it is not given. Raises UsageError."""
    try:
        return date.fromisoformat(said[name]) if name in said else None
    except ValueError:
        raise UsageError(f"{name}: {said[name]} is no day", hint="an ISO date, such as 2026-04-01") from None


def gives(**properties: Schema) -> Schema:
    """The schema of a result: these properties are always there."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def text(about: str, most: int, *, least: int = 1) -> Schema:
    """A text of at least one and at most ``most`` characters, none of them NUL."""
    return {
        "type": "string",
        "minLength": least,
        "maxLength": most,
        "pattern": "^[^\\u0000]*$",
        "description": about,
    }


def whole(about: str, least: int, most: int, usual: int | None = None) -> Schema:
    """A whole number."""
    said = {"type": "integer", "minimum": least, "maximum": most, "description": about}
    return said if usual is None else {**said, "default": usual}


def share(about: str) -> Schema:
    """A number in [0, 1]."""
    return {"type": "number", "minimum": 0, "maximum": 1, "description": about}


def day(about: str) -> Schema:
    """An ISO date."""
    return {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$", "description": f"{about} (YYYY-MM-DD)"}


def moment(about: str) -> Schema:
    """An ISO date, or a date and a time."""
    clock = "[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,6})?)?(?:Z|[+-]\\d{2}:?\\d{2})?"
    return {
        "type": "string",
        "pattern": f"^\\d{{4}}-\\d{{2}}-\\d{{2}}(?:{clock})?$",
        "description": f"{about} (YYYY-MM-DD, or with a time: 2026-04-01T14:30+02:00)",
    }


def one_of(about: str, values: tuple[str, ...], usual: str | None = None) -> Schema:
    """One of some words."""
    said: Schema = {"type": "string", "enum": list(values), "description": about}
    return said if usual is None else {**said, "default": usual}


def several(items: Schema, about: str, most: int = 20) -> Schema:
    """A list of different things."""
    return {
        "type": "array", "items": items, "maxItems": most, "uniqueItems": True, "description": about
    }  # fmt: skip


MEMORY_TYPES = tuple(IMPORTANCE)
MEMORY_TYPE = one_of("The type of memory", MEMORY_TYPES)
ENTITY_TYPE = one_of("The type of entity", ENTITY_TYPES)
NOTES: Schema = {
    "type": "array",
    "items": {"type": "string"},
    "description": "What should be known about this answer: what is missing from it, and why",
}
ANYTHING: Schema = {"type": "array", "items": {"type": "object"}}
NAMED = {"type": ["string", "null"]}
