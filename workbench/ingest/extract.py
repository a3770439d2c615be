"""From a source to drafts for the graph: typed memories, entities and relations, each with its line."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from workbench.errors import UsageError
from workbench.graph.drafts import USER, EntityDraft, MemoryDraft, RelationDraft
from workbench.ingest.entities import Recognised, names_in, recognise
from workbench.ingest.event_date import day_in, is_to_come, with_clock
from workbench.ingest.llm_extraction import ExtractedItem, asked, is_me, portions
from workbench.ingest.passages import PassageLine, PassageSource
from workbench.ingest.relations import ME, relations_in
from workbench.ingest.utterances import OF_AN_AGENT
from workbench.llm.port import LanguageModel
from workbench.memory.origin import ALLOWED
from workbench.memory.sentences import sentences
from workbench.salience.facts import Family, facts_in, why_not

_FIRST = ("i", "my", "me", "we", "our", "us", "i'm", "i've", "i'd", "i'll", "mine", "myself")
_SOMEBODY = re.compile(
    r"(?:\W*(?:and|but|so|yeah|yes|well|also|then)\b)*\W*(?:he|she|they|his|her|their)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
"""How a sentence begins that is about somebody whom an earlier one names."""
_UNSURE = re.compile(
    r"\b(?:might|maybe|perhaps|not sure|probably|wondering|I guess|thinking (?:of|about)|considering)\b",
    re.IGNORECASE,
)
_DOUBT = "uncertain by their own words"
_WHO = "about somebody (he, she, they) whom their line does not name"
_AGENTS = "of what an agent says of itself"
_NOT_OWNERS = "not said by the owner, so no fact about them"
_TOO_LONG = "too long for a line of a page, or unfit for one"
_ABOUT_ME = frozenset({Family.PREFERENCE, Family.PERSONAL, Family.RELATIONSHIP})
_LOOK_BACK = 2_000
"""Characters of a line before a sentence, or of a heading, in which it is looked for whom it is about."""
_SUREST = 0.95
"""Confidence of what rules find: they read words, they do not understand them."""
AGENT_PAGE = "Agent log"
"""The page of the todos and events that the agent notes and that are of no thing with a page."""
_DATED = frozenset({"todo", "event", "goal"})
_ACTS = frozenset({"project", "person", "organization", "product", "technology", "task", "event"})
"""Types of entities that a fact of several names is about; places and concepts are only mentioned in it."""
_THINGS = frozenset({"project", "product"})
"""What somebody can say I of and still speak about: `I need to deploy Atlas`."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The drafts of one source, and what to tell of how they were found."""

    memories: tuple[MemoryDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    entities: tuple[EntityDraft, ...] = ()
    notes: tuple[str, ...] = ()


def extract(
    source: PassageSource,
    *,
    known: Callable[[str], str | None],
    model: LanguageModel | None = None,
    timeout: float = 30.0,
) -> Extraction:
    """What ``source`` teaches. ``known`` gives the type of an entity that has a page, by its name.

    With a model, its items take the place of what the rules find in the same lines; where it fails, the rules
    stand and a note says why. ``timeout`` is seconds for one answer. The last answers of a model are kept: a
    plan that is made anew asks it no more.
    """
    rules = _Rules(source, known)
    notes: list[str] = []
    memories: list[MemoryDraft] = []
    relations: list[RelationDraft] = []
    answers = asked(source.lines, model, timeout) if model is not None else ()
    for some, answer in zip_longest(portions(source.lines), answers):
        if answer is None or answer.failed:
            memories += rules.memories(some)
            relations += rules.relations(some)
            continue
        drafts = [one for found in answer.found if (one := rules.sourced(found))]
        memories += [draft for draft in drafts if isinstance(draft, MemoryDraft)]
        relations += [draft for draft in drafts if isinstance(draft, RelationDraft)]
    if model is not None:
        dropped = sum(answer.dropped for answer in answers)
        notes += [f"read by rules instead of {model.name}: {one.failed}" for one in answers if one.failed]
        if dropped:
            notes.append(f"{dropped} items of {model.name} were left out: their lines do not say them")
    entities = tuple(rules.entities(memories, relations))
    notes += [f"{count} left out: {why}" for why, count in rules.left_out.items()]
    if source.unread:
        notes.append(f"{source.unread} parts of very long lines were not read for it")
    return Extraction(tuple(memories), tuple(relations), entities, tuple(notes))


class _Rules:
    """The extractive path over one source, whose names are recognised once."""

    def __init__(self, source: PassageSource, known: Callable[[str], str | None]) -> None:
        self._user = source.user or USER
        self._owner_names = {self._user.casefold(), USER.casefold(), *source.owner}
        self._known = known
        self.left_out: Counter[str] = Counter()
        speakers = (f"{line.speaker} said" for line in source.lines if line.speaker)
        self._names = recognise((*(line.text for line in source.lines), *speakers), known)
        self._turns: dict[tuple[str, ...], list[str]] = defaultdict(list)
        self._persons: dict[tuple[str, ...], Recognised | None] = {}
        for line in source.lines:
            self._turns[line.origins].append(line.text)

    def memories(self, lines: Iterable[PassageLine]) -> Iterator[MemoryDraft]:
        """A typed memory for each fact of the lines."""
        for line in lines:
            for text, told, strength, family in _stated(line):
                if _of_itself(text, line):
                    self.left_out[_AGENTS] += 1
                    continue
                if told != "todo" and _UNSURE.search(text):
                    self.left_out[_DOUBT] += 1
                    continue
                if (owner := self._owner(text, family, line)) is None:
                    self.left_out[_WHO] += 1
                    continue
                if (owner := self._allowed(owner, told, line)) is None:
                    self.left_out[_NOT_OWNERS] += 1
                    continue
                # `Foghorn lives in the cloud`: only people have a life to tell of.
                kind = "fact" if told == "identity" and owner.type != "person" else told
                if kind == "fact" and is_to_come(text, line.day):
                    kind = "event"
                day = day_in(text, line.day) if kind in _DATED else None
                ahead = day is not None and (line.day is None or day >= line.day)
                try:
                    yield MemoryDraft(
                        text=text,
                        type=kind,
                        entity=owner.name,
                        entity_type=owner.type,
                        confidence=strength,
                        happens_at=with_clock(day, text) if day and ahead else None,
                        occurred_at=line.day if ahead or day is None else day,
                        **_origin(line),
                    )
                except UsageError:  # a quotation that no line of a page can hold
                    self.left_out[_TOO_LONG] += 1

    def relations(self, lines: Iterable[PassageLine]) -> Iterator[RelationDraft]:
        """A relation for each that a sentence of the lines states of two names that are known or told."""
        for line in lines:
            for sentence in sentences(line.text):
                for said in relations_in(sentence.text):
                    if said.subject == ME and _of_itself(sentence.text, line):
                        continue
                    subject = self._speaker(line) if said.subject == ME else self._named(said.subject)
                    target = self._named(said.target, said.target_type)
                    if target.name == subject.name or not _fits(said.target_type, target.type):
                        continue
                    if self._is_owner(subject.name) and not line.of_owner:
                        continue
                    with suppress(UsageError):  # no name that a page can have
                        yield RelationDraft(
                            entity=subject.name,
                            entity_type=subject.type,
                            kind=said.kind,
                            target=target.name,
                            target_type=target.type,
                            valid_from=line.day,
                            **_origin(line),
                        )

    def entities(
        self, memories: Sequence[MemoryDraft], relations: Sequence[RelationDraft]
    ) -> Iterator[EntityDraft]:
        """Pages for names that are said twice or more and about which nothing else was found."""
        written = {draft.entity for draft in memories} | {draft.entity for draft in relations}
        written |= {draft.target for draft in relations}
        for one in dict.fromkeys(self._names.values()):
            if one.name not in written and one.count > 1 and self._known(one.name) is None:
                with suppress(UsageError):
                    yield EntityDraft(name=one.name, type=one.type)

    def sourced(self, found: ExtractedItem) -> MemoryDraft | RelationDraft | None:
        """A model's draft with what its line knows: source, session, trust, days, and who `I` is.

        None for what no page can hold, and for what an agent says of itself.
        """
        mine = is_me(found.draft.entity) or not found.draft.entity
        if mine and _of_itself(found.line.text, found.line):
            self.left_out[_AGENTS] += 1
            return None
        try:
            return self._sourced(found.draft, found.line)
        except UsageError:
            return None

    def _sourced(
        self, draft: MemoryDraft | RelationDraft, line: PassageLine
    ) -> MemoryDraft | RelationDraft | None:
        me = self._speaker(line)
        if isinstance(draft, RelationDraft):
            if is_me(draft.entity):
                draft = replace(draft, entity=me.name, entity_type=me.type)
            if self._is_owner(draft.entity) and not line.of_owner:
                self.left_out[_NOT_OWNERS] += 1
                return None
            return replace(draft, valid_from=line.day, **_origin(line))
        owner = Recognised(draft.entity, draft.entity_type, 1) if draft.entity else me
        allowed = self._allowed(owner, draft.type, line)
        if allowed is None:
            self.left_out[_NOT_OWNERS] += 1
            return None
        draft = replace(draft, entity=allowed.name, entity_type=allowed.type)
        day = day_in(draft.text, line.day) if draft.type in _DATED else None
        ahead = day is not None and (line.day is None or day >= line.day)
        return replace(
            draft,
            happens_at=with_clock(day, draft.text) if day and ahead else None,
            occurred_at=line.day if ahead or day is None else day,
            **_origin(line),
        )

    def _owner(self, text: str, family: Family, line: PassageLine) -> Recognised | None:
        """Whom or what a fact is about: who speaks of themselves, else the first that acts in it.

        `She is allergic to nuts` is about the only person whom the line names before, or of whom was spoken
        in the same breath, where that is known; else about nobody.
        """
        if _SOMEBODY.match(text):
            at = max(0, line.text.find(text))
            before = self._only_person(line.text[max(0, at - _LOOK_BACK) : at])
            return before or self._person_of_turn(line.origins)
        mine = any(word.strip(".,;:!?\"'()") in _FIRST for word in text.casefold().split()[:4])
        named = [one for name, _ in names_in(text) if (one := self._names.get(name))]
        about = next((one for one in named if (self._is_spoken_of(one) if mine else one.type in _ACTS)), None)
        if mine and (about is None or family in _ABOUT_ME):
            return self._speaker(line)
        if about is not None:
            return about
        heading = (
            one
            for h in reversed(line.heading)
            for name, _ in names_in(h[:_LOOK_BACK])
            if (one := self._find(name))
        )
        return next((one for one in heading if one.type in _THINGS), self._speaker(line))

    def _allowed(self, owner: Recognised, kind: str, line: PassageLine) -> Recognised | None:
        """The page that a memory of this line may stand on, None for none.

        The owner's page is the owner's. What the agent notes stays on pages of things; its todos and
        events of nothing that has a page stand on one of its own.
        """
        if line.of_owner or not self._is_owner(owner.name):
            return owner
        dated = kind in _DATED and ALLOWED[line.origin].dated
        return Recognised(AGENT_PAGE, "concept", 1) if dated else None

    def _is_owner(self, name: str) -> bool:
        return name.casefold() in self._owner_names

    def _is_spoken_of(self, one: Recognised) -> bool:
        """Whether a sentence with `I` can be about this thing; who bought one speaks of themselves."""
        return one.type in _THINGS and (one.type == "project" or self._known(one.name) is not None)

    def _only_person(self, text: str) -> Recognised | None:
        named = {one for name, _ in names_in(text) if (one := self._find(name)) and one.type == "person"}
        return named.pop() if len(named) == 1 else None

    def _person_of_turn(self, origins: tuple[str, ...]) -> Recognised | None:
        """The only person whom the lines of one origin name; they are read once."""
        if origins and origins not in self._persons:
            self._persons[origins] = self._only_person("\n".join(self._turns[origins]))
        return self._persons.get(origins)

    def _named(self, name: str, kind: str = "") -> Recognised:
        """The entity that a relation names: that it does is reason enough for a page."""
        return self._find(name) or Recognised(name, kind, 1)

    def _find(self, name: str) -> Recognised | None:
        if found := self._names.get(name):
            return found
        kind = self._known(name)
        return Recognised(name, kind, 1) if kind else None

    def _speaker(self, line: PassageLine) -> Recognised:
        if line.speaker:
            found = self._names.get(line.speaker)
            return Recognised(found.name if found else line.speaker, "person", 1)
        return Recognised(self._user, "person", 1)


def _stated(line: PassageLine) -> Iterator[tuple[str, str, float, Family]]:
    """The facts of a line: words, type of memory, how sure, family. A section's own lines always count."""
    found = facts_in(line.text, by_user=line.by_user)
    for fact in found:
        yield fact.text, fact.type, round(min(_SUREST, max(0.1, fact.strength)), 2), fact.family
    if not found and line.section and why_not(line.text) is None:
        yield line.text, line.section, 0.6, Family.OTHER


def _of_itself(text: str, line: PassageLine) -> bool:
    """Whether these are words of an agent about itself, which are no memory of the person."""
    return not line.by_user and bool(OF_AN_AGENT.search(text))


def _fits(wanted: str, kind: str) -> bool:
    """Whether what a relation leads to can be that: nobody lives in a technology (`we moved to Vim`)."""
    return wanted != "place" or kind in ("", "place", "organization", "concept")


def _origin(line: PassageLine) -> dict[str, Any]:
    return {
        "sources": tuple(dict.fromkeys((line.place, *line.origins))),
        "session": line.session,
        "trust": line.origin.value,
    }
