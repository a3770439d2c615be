"""What a language model finds in a source, as far as the source says it too.

The model is shown numbered lines and answers with items that each name a line. An item without such a line,
with words or figures that the line does not hold, or about somebody whom it does not name, is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workbench.errors import UsageError
from workbench.graph.drafts import MemoryDraft, RelationDraft, memory_draft
from workbench.ingest.grounding import is_borne_out
from workbench.ingest.llm_session import list_of, object_of
from workbench.ingest.passages import PassageLine
from workbench.llm.language_model import LanguageModel, LanguageModelError, Passage, ask_json
from workbench.memory.graph_page import ENTITY_TYPES, IMPORTANCE, RELATIONS

CHARACTERS = 8_000
"""Characters of a source that are shown to a model at once."""
TOKENS = 2_048
_PATIENCE = 2
"""Failures after which a model is not asked about the rest of a source."""
GROUNDED = 0.6
"""Share of the words of an item that its line must hold."""
_TASK = f"""\
Extract what is worth remembering for years from numbered lines of an agent's session notes: durable facts
about people, projects and things, preferences, decisions, goals, routines, events and todos, and relations
between named things. Keep the words of the line; add nothing that it does not say; leave out greetings,
questions, code, passing states and whatever is uncertain. `line` is the number of the line it is from.
`entity` is whom or what it is about, as the line names it, or "user" for the person who speaks as I.
Relations are single words such as {", ".join(RELATIONS[:8])}."""
_NAME = {"type": "string", "minLength": 1, "maxLength": 120}
_LINE = {"type": "integer", "minimum": 1}
_KIND = {"type": "string", "enum": [*ENTITY_TYPES]}
_MEMORY = object_of(
    line=_LINE,
    type={"type": "string", "enum": [*IMPORTANCE]},
    text={"type": "string", "minLength": 3, "maxLength": 600},
    entity=_NAME,
    entity_type=_KIND,
)
_RELATION = object_of(
    line=_LINE, entity=_NAME, entity_type=_KIND, relation=_NAME, target=_NAME, target_type=_KIND
)
SCHEMA = object_of(memories=list_of(_MEMORY, 60), relations=list_of(_RELATION, 60))
_ME = frozenset({"user", "the user", "me", "i", "myself"})


@dataclass(frozen=True, slots=True)
class ExtractedItem:
    """One item that a model found, and the line that says it too. An empty entity is who speaks."""

    draft: MemoryDraft | RelationDraft
    line: PassageLine


@dataclass(frozen=True, slots=True)
class ExtractionAnswer:
    """What a model found in one portion of a source, and how many items were dropped; or why it failed."""

    found: tuple[ExtractedItem, ...] = ()
    dropped: int = 0
    failed: str = ""


def asked(lines: Sequence[PassageLine], model: LanguageModel, timeout: float) -> tuple[ExtractionAnswer, ...]:
    """An answer for each of the ``portions`` of ``lines``. Never raises for what a model does.

    The last answers are kept, so that an action which is planned anew on newer files asks no model again;
    who wants to ask before a lock is held plans once and throws the plan away. ``timeout`` is in seconds for
    one answer; a model that fails twice is not asked any more.
    """
    # Two models are the same only where they are one object.
    return _asked(tuple(lines), model, timeout)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def _asked(
    lines: tuple[PassageLine, ...], model: LanguageModel, timeout: float
) -> tuple[ExtractionAnswer, ...]:
    answers: list[ExtractionAnswer] = []
    failures = 0
    for some in portions(lines):
        if failures == _PATIENCE:
            answers.append(ExtractionAnswer(failed="it failed before"))
            continue
        try:
            answers.append(_ask(model, some, timeout))
        except LanguageModelError as error:
            failures += 1
            answers.append(ExtractionAnswer(failed=str(error)))
    return tuple(answers)


def _ask(model: LanguageModel, lines: Sequence[PassageLine], timeout: float) -> ExtractionAnswer:
    """What the model finds in ``lines``: drafts without sources, days and trust yet."""
    shown = "\n".join(f"{line.number}: {' '.join(line.text.split())}" for line in lines)
    answer = ask_json(
        model, task=_TASK, data=[Passage("lines", shown)], schema=SCHEMA, max_tokens=TOKENS, timeout=timeout
    )
    by_number = {line.number: line for line in lines}
    items = [("memory", item) for item in answer["memories"]]
    items += [("relation", item) for item in answer["relations"]]
    found = []
    for sort, item in items:
        line = by_number.get(item["line"])
        draft = None if line is None else _draft(sort, item, line)
        if line is not None and draft is not None:
            found.append(ExtractedItem(draft, line))
    return ExtractionAnswer(tuple(found), len(items) - len(found))


def portions(lines: Sequence[PassageLine]) -> Iterator[list[PassageLine]]:
    """The lines in portions that a model can be shown at once."""
    some: list[PassageLine] = []
    size = 0
    for line in lines:
        if some and size + len(line.text) > CHARACTERS:
            yield some
            some, size = [], 0
        some.append(line)
        size += len(line.text)
    if some:
        yield some


def _draft(sort: str, item: Mapping[str, Any], line: PassageLine) -> MemoryDraft | RelationDraft | None:
    """The item as a draft, or None where the line does not bear it out."""
    names = [item["entity"]] + ([item["target"]] if sort == "relation" else [])
    if not all(is_me(name) or _names(line, name) for name in names):
        return None
    try:
        if sort == "memory":
            if not is_borne_out(item["text"], line.text, share=GROUNDED, names_in=_around(line)):
                return None
            me = is_me(item["entity"])
            return memory_draft(
                {
                    "type": item["type"],
                    "text": item["text"],
                    "entity": "" if me else item["entity"],
                    "entity_type": "" if me else item["entity_type"],
                }
            )
        if is_me(item["target"]):
            return None
        return RelationDraft(
            entity=item["entity"],
            kind=item["relation"],
            target=item["target"],
            entity_type="person" if is_me(item["entity"]) else item["entity_type"],
            target_type=item["target_type"],
        )
    except UsageError:
        return None


def is_me(name: str) -> bool:
    """Whether a model means who speaks."""
    return name.casefold().strip() in _ME


def _names(line: PassageLine, name: str) -> bool:
    said = f"{line.text} {_around(line)}".casefold()
    return " ".join(name.casefold().split()) in " ".join(said.split())


def _around(line: PassageLine) -> str:
    """What names whom a line is about beside its words."""
    return " ".join((line.speaker, *line.heading))
