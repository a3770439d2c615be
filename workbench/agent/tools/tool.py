"""What a tool for agents is: a name, what it is for, the arguments that it takes, and the function behind it.

The arguments are a frozen struct. Its fields are what clients are told (as a JSON schema), what a call is
checked by, and what the function gets. Names that other systems' tools use for these arguments are accepted
too: prompts written for those work here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from workbench.agent.fence import as_line
from workbench.agent.tools.agent_session import AgentSession, Call
from workbench.memory.graph_page import ENTITY_TYPES, IMPORTANCE

Result: TypeAlias = dict[str, Any]
Schema: TypeAlias = dict[str, Any]
Lane = Literal["read", "search", "write"]

LONGEST_ADVICE = 1_000
"""Characters of what an agent is told of a call that failed."""
_NO_NUL = r"^[^\u0000]*$"
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?"


def _text(most: int) -> Meta:
    return Meta(min_length=1, max_length=most, pattern=_NO_NUL)


Question = Annotated[str, _text(4_000)]
Words = Annotated[str, _text(2_000)]
PathText = Annotated[str, _text(1_000)]
Name = Annotated[str, _text(200)]
Share = Annotated[float, Meta(ge=0, le=1)]
Moment = Annotated[
    str,
    Meta(
        pattern=rf"^\d{{4}}-\d{{2}}-\d{{2}}(?:{_CLOCK})?$",
        examples=["2026-04-01", "2026-04-01T14:30+02:00"],
    ),
]
if TYPE_CHECKING:
    MemoryType: TypeAlias = str
    EntityType: TypeAlias = str
else:
    MemoryType = Literal[tuple(IMPORTANCE)]
    EntityType = Literal[ENTITY_TYPES]
Why = Annotated[str, _text(500), Meta(description="Why, in a sentence; kept with it")]
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


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What a tool takes. What is null, or left out, was not said."""


class ToolError(Exception):
    """A call that did not come to an answer; its text tells an agent what to do next."""


_Arguments = TypeVar("_Arguments", bound=Arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[_Arguments]):
    """One function for agents. ``result`` is the JSON schema (2020-12) of the object that it answers.

    ``example`` are arguments that are right, told to who gets them wrong. ``lane`` says with which
    other calls it shares a queue, so that slow ones keep no others waiting. ``run`` raises WorkbenchError.
    """

    name: str
    title: str
    description: str
    arguments: type[_Arguments]
    result: Schema
    example: Mapping[str, Any]
    run: Callable[[AgentSession, _Arguments, Call], Result]
    lane: Lane = "read"

    @property
    def writes(self) -> bool:
        """Whether it may change what is stored."""
        return self.lane == "write"

    @property
    def schema(self) -> Schema:
        """The JSON schema of the arguments."""
        schema: Schema = msgspec.json.schema(self.arguments)["$defs"][self.arguments.__name__]
        del schema["title"], schema["description"]
        schema["properties"] = {name: _said(one) for name, one in schema["properties"].items()}
        return schema

    @property
    def accepted(self) -> Schema:
        """The schema as clients are told it, so that they let the aliases through too."""
        schema = self.schema
        aliases, properties = self._aliases, schema["properties"]
        for alias, name in aliases.items():
            own = {key: value for key, value in properties[name].items() if key != "default"}
            own = {"anyOf": [own, own["items"]]} if "items" in own else own
            properties[alias] = {**own, "description": f"The same as `{name}`"}
        # Whoever gives the alias leaves the name out; that one of both is there is checked when it is called.
        schema["required"] = [name for name in schema["required"] if name not in aliases.values()]
        return schema

    def read(self, said: object) -> _Arguments:
        """The arguments of a call. Raises ToolError with what is wrong, and an example that is right."""
        try:
            return msgspec.convert(self._by_own_names(said), self.arguments)
        except ValueError as error:
            known = ", ".join(self.arguments.__struct_encode_fields__)
            example = json.dumps(self.example, ensure_ascii=False)
            told = f"{self.name}: {str(error)[:400]}. It takes {known}. For example: {example}"
            raise ToolError(as_line(told, LONGEST_ADVICE)) from error

    @property
    def _aliases(self) -> dict[str, str]:
        """The aliases that this tool accepts, each with its own name of that."""
        names = self.arguments.__struct_encode_fields__
        return {alias: name for alias, meant in ALIASES.items() for name in meant if name in names}

    def _by_own_names(self, arguments: object) -> object:
        if not isinstance(arguments, Mapping):
            return arguments
        said = dict(arguments)
        for alias, name in self._aliases.items():
            if alias in said:
                value = said.pop(alias)
                if alias == "memory_type" and name == "types":
                    value = [value] if isinstance(value, str) else value
                if said.setdefault(name, value) != value:
                    raise ValueError(f"{alias} is another name of {name}, and they differ: give one of them")
        return said


def _said(schema: Schema) -> Schema:
    """The schema of an argument; that null says nothing is not told, as leaving it out is shorter."""
    if "default" not in schema or schema["default"] is not None:
        return schema
    kinds = [kind for kind in schema["anyOf"] if kind != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("default", "anyOf")}
    return {**rest, **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})}


def gives(**properties: Schema) -> Schema:
    """The schema of a result: these properties are always there."""
    return {"type": "object", "properties": properties, "required": list(properties)}


NOTES: Schema = {
    "type": "array",
    "items": {"type": "string"},
    "description": "What should be known about this answer: what is missing from it, and why",
}
ANYTHING: Schema = {"type": "array", "items": {"type": "object"}}


def once(notes: list[str]) -> list[str]:
    """The notes in their order, each once."""
    return list(dict.fromkeys(notes))
