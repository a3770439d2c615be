"""Contradictions in the graph, and a person's answer to them as one undoable operation.

A contradiction is one entity, one slot, two values that both hold on the same day. A slot is something of
which there is one at a time: where somebody lives, works or was born, whom they report to or are married to;
what a statement gives a single thing (`the staging port is 8443`); which of two things somebody prefers,
whether they like something; what is used for a purpose. Relations and sentences fill the same slots. Where a
rule cannot tell, nothing is said: of sentences only those are statements whose last noun names something of
which there is one, with a value of a few words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from typing import Literal, get_args

from indexing.words import word_set
from workbench.errors import ConflictError, EntryNotFoundError, UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.graph.drafts import excerpt
from workbench.graph.model import Graph, holds
from workbench.graph.read import read_graph
from workbench.graph.write import lines_at
from workbench.memory.claims import HEDGES, claim_key
from workbench.memory.edit import take_out, with_origins
from workbench.memory.entry import Entry, without_emphasis
from workbench.memory.file_edit import FileEdit
from workbench.memory.graph_page import Entity, PageLine, keys_of, name_key
from workbench.workspace.decisions import decision, settled_keys
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

SINGLE = word_set("""
    address age anniversary birthdate birthday branch budget capital code color colour currency database
    deadline domain editor email employer endpoint extension height hostname iban id ip language lead
    license limit locale location manager model name nickname number office owner password phone pin
    plan port price pronouns quota rate region release role room salary schedule shell size surname time
    timeout timezone title url username version weight zone""")
"""Nouns for something of which its owner has one at a time."""

_STATEMENT = re.compile(
    r"(?P<subject>[^:=.;!?\n]{3,80}?)\s*(?:\s(?:is|was set to|is set to|is now|equals)\s|\s?[:=]\s|\s?→\s?)"
    r"\s*(?P<value>[^\n]{1,80})"
)
_ARTICLE = re.compile(r"^(?:the|a|an|my|our|your|his|her|their|current|new)\s+", re.IGNORECASE)
_BEFORE_VALUE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_END = re.compile(r"[\s.;,!]+$|\s+\((?:since|as of|from|until)[^)]{0,60}\)$", re.IGNORECASE)
_OTHER_THAN_IS = re.compile(
    rf"{HEDGES}|[?。！？]|\b(?:not|no longer|never|or|unknown|tbd|todo|changed|was|used to|depends|either|and"
    r"|usually|if|unless|previously|formerly|old|until)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 5
_FIGURES = word_set("""
    age budget extension height iban limit phone pin port price quota rate salary size timeout weight zip""")
"""Nouns whose value has a digit: `the port is open` says no other port."""
_WORDED = word_set("""
    branch color colour currency database domain editor hostname language locale nickname password pronouns
    region shell surname username zone""")
"""Nouns whose value may be one plain word: `the shell is zsh`."""
_STATES = word_set("""
    available bad broken busy closed down empty fast fine free full good gone great important missing new nice
    old open ready right slow taken tight unavailable unclear up wrong""")
_MONTH = re.compile(
    r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?"
)
_OF_DAYS = ("on", "the", "of")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_UNITS = (
    (re.compile(r"(?<=\d)\s*(?:seconds?|secs?)\b"), "s"),
    (re.compile(r"(?<=\d)\s*(?:minutes?|mins?)\b"), "min"),
    (re.compile(r"(?<=\d)\s*(?:milliseconds?|msecs?)\b"), "ms"),
    (re.compile(r"(?<=\d)k\b"), "000"),
)


@frozen
class Statement:
    """What a line says: ``subject`` in lower case without its article, ``value`` as it is compared."""

    subject: str
    value: str
    shown: str


def statement_in(line: str) -> Statement | None:
    """The statement that a line without emphasis is, or None for all the others."""
    found = _STATEMENT.fullmatch(line)
    if found is None or _OTHER_THAN_IS.search(line):
        return None
    subject = _ARTICLE.sub("", " ".join(found["subject"].casefold().split()))
    value = _END.sub("", _END.sub("", found["value"].strip()))
    words = subject.split()
    if not words or words[-1] not in SINGLE or not value or len(value.split()) > _MOST_WORDS:
        return None
    if not _is_value(words[-1], value, labelled=line[found.end("subject") :].lstrip()[:1] in ":="):
        return None
    return Statement(subject, comparable(value), value)


def _is_value(noun: str, value: str, *, labelled: bool) -> bool:
    """Whether words after `is` are a value of this noun, and not how it is. After a colon most words are."""
    said = _BEFORE_VALUE.sub("", value)
    if noun in _FIGURES:
        return any(map(str.isdigit, said)) or not said[:1].isalpha()
    if labelled:
        return said.casefold() not in _STATES
    if not said[:1].islower():
        return True
    if " " in said:
        return False
    named = not said.isalpha() or said != said.lower()
    return named or (noun in _WORDED and said not in _STATES)


def comparable(value: str) -> str:
    """A value without what does not make it another one: case, marks around it, thousands, units, an article.

    The words of a day are in one order: `4 May` is `May 4th`.
    """
    bare = _BEFORE_VALUE.sub("", _END.sub("", value).casefold().strip("`\"'“”‘’*_ "))
    bare = re.sub(r"(?<=\d),(?=\d{3}\b)", "", " ".join(bare.split()))
    for unit, short in _UNITS:
        bare = unit.sub(short, bare)
    words = [word for word in _ORDINAL.sub("", bare).replace(",", " ").split() if word not in _OF_DAYS]
    months = [_MONTH.fullmatch(word) for word in words]
    if any(months) and any(map(str.isdigit, words)):
        return " ".join(sorted(m["month"] if m else word for m, word in zip(months, words, strict=True)))
    return bare


FUNCTIONAL = {
    "located_in": "lives in",
    "lives_in": "lives in",
    "works_at": "works at",
    "works_for": "works at",
    "reports_to": "reports to",
    "married_to": "is married to",
    "wife": "is married to",
    "husband": "is married to",
    "born_in": "was born in",
    "headquartered_in": "is headquartered in",
}
"""Relations that have one target at a time, and the slot of each."""
_WITHIN = frozenset({"located_in", "part_of"})
_PLACED = frozenset({"person", "organization"})
"""Types of entities that are in one place; a project or an event may be in several."""
_NO_HOMES = frozenset({"technology", "product", "project", "event", "task", "document"})
_UNSURE = re.compile(
    rf"{HEDGES}|\?|\b(?:no longer|used to|previously|formerly|(?-i:may)|could|would|if|unless|plans? to"
    r"|wants? to|until|either|or|also|too|as well)\b|n['’]t\b|\bnot\b",
    re.IGNORECASE,
)
_LONGEST = 300
"""Characters of a sentence that is read; longer ones say more than one thing."""
_VALUE = r"(?P<value>[^.;,!?\n]{2,60}?)"
_REST = (
    r"(?:\s+(?:now|again|recently|permanently|yesterday|today|last|this|next|in|on|since|as|with|and|but|because"
    r"|for|from|when|where|near|at|about|after|before|during|together|a|an)\b.*|[,;]\s.*)?\s*[.!]*"
)
_NOW = r"(?:now\s+|currently\s+|still\s+)?"
_WHO = r"(?:(?P<who>.*?)\b)?"
"""What stands before a verb; only where it is the entity itself the sentence is about it."""
_SELF = frozenset({"", "i", "we", "he", "she", "they", "user", "the user"})
_HERS = frozenset({"", "my", "his", "her", "their", "was", "i was", "he was", "she was", "user's"})
_BESIDE = re.compile(
    r"\b(?:now|currently|still|recently|already|just|really|also|have|has|had|am|is|are|ve|m"
    r"|as of [\w -]{3,20}|since [\w -]{3,20}|in (?:19|20)\d\d|last \w+|decided|agreed|that|to)\b"
    r"|[,:;’'](?!s\b)",
    re.IGNORECASE,
)
"""What may stand beside a subject and does not change who it is."""
_SLOTS = tuple(
    (slot, re.compile(rf"{_WHO}{pattern}{_REST}", re.IGNORECASE))
    for slot, pattern in (
        ("lives in", rf"{_NOW}(?:lives?|(?:is|am) (?:living|based)|based|resides?) in {_VALUE}"),
        ("lives in", rf"(?:has |have )?(?:moved|relocated) (?:back )?to {_VALUE}"),
        ("works at", rf"{_NOW}works? (?:at|for) {_VALUE}"),
        ("reports to", rf"{_NOW}reports? to {_VALUE}"),
        ("is married to", rf"(?:is |am )?married to {_VALUE}"),
        ("was born in", rf"(?:was )?born in {_VALUE}"),
        ("birthday", rf"(?:birthday is(?: on)?|(?:was )?born on) {_VALUE}"),
    )
)
_PREFERS = re.compile(
    _WHO + r"prefers? (?P<one>.{2,60}?) (?:over|to|rather than|instead of) (?P<other>.{2,60}?)[.!]*", re.I
)
_LIKES = re.compile(
    r"(?:(?P<who>.*?)\b)??(?P<verb>(?:do not|does not|don['’]t|doesn['’]t|dis)?\s?(?:likes?|loves?|enjoys?)"
    r"|hates?|avoids?|always|never)\s+(?P<what>.{3,60}?)[.!]*",
    re.IGNORECASE,
)
_FOR = re.compile(
    _WHO + r"(?:uses?|use|using|chose|picked|go with|went with|settled on|decided on) "
    r"(?P<value>[^.;,!?\n]{2,40}?) (?:for|as) (?:the |our |its |a |an )?(?P<purpose>[^.;,!?\n]{3,40}?)[.!]*",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"(?:do not|does not|n['’]t|dis|hate|avoid|never)", re.IGNORECASE)


@frozen_kw_only
class Claim:
    """One value and every line that gives it. ``since`` is the first day from which one of them holds."""

    value: str
    text: str
    entries: tuple[Entry, ...]
    sources: tuple[str, ...]
    since: date | None
    trust: str

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the lines stand."""
        return tuple(entry.address for entry in self.entries)


@frozen_kw_only
class Contradiction:
    """``old`` and ``new`` give ``slot`` of ``entity`` two values. The one that holds since later is new."""

    entity: Entity
    slot: str
    old: Claim
    new: Claim

    @property
    def key(self) -> str:
        """The name of the question which of the two is right."""
        values = " ".join(sorted((self.old.value, self.new.value)))
        return claim_key(f"contradiction {self.entity.type} {self.entity.name} {self.slot} {values}")

    @property
    def question(self) -> str:
        """In a sentence for a person."""
        return f"{self.entity.name}, {self.slot}: “{self.old.text}” and “{self.new.text}”"


def contradictions(graph: Graph, *, day: date, decided: Collection[str] = ()) -> tuple[Contradiction, ...]:
    """The contradictions between what holds on ``day``, page by page. Linear in the lines of the graph.

    ``decided`` are the keys of those that were answered. Of several values the newest is set against each of
    the others.
    """
    found = []
    for entity in graph.entities:
        for slot, (*others, new) in _claims(graph, entity, day).items():
            for old in others:
                one = Contradiction(entity=entity, slot=slot, old=old, new=new)
                if one.key not in decided and not _both_hold(graph, old, new):
                    found.append(one)
    return tuple(found)


def clash(graph: Graph, one: Entity, other: Entity, day: date) -> str:
    """In which slot two entities, taken for one, would contradict themselves; empty where in none."""
    first, second = _claims(graph, one, day), _claims(graph, other, day)
    for slot in first.keys() & second.keys():
        values = {claim.value for claim in first[slot]}
        if values.isdisjoint(claim.value for claim in second[slot]):
            return slot
    return ""


def slots_in(text: str, type: str = "fact", names: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The slots of an entity called ``names`` that a sentence fills, each with the value as it is compared.

    A sentence about somebody else (`my brother lives in London`) fills none, on whosever page it stands.
    """
    line = without_emphasis(" ".join(text.split()))
    if len(line) > _LONGEST:
        return
    found = _LIKES.fullmatch(line)
    if found and not _UNSURE.search(found["who"] or "") and _is_own(found["who"], names):
        sign = "no" if _NEGATIVE.search(found["verb"]) else "yes"
        verb = "does" if found["verb"].lower() in ("always", "never") else "likes"
        if verb == "likes" or type in ("preference", "routine"):
            yield f"{verb} {comparable(found['what'])}", sign
    if _UNSURE.search(line):
        return
    if (said := statement_in(line)) is not None:
        yield said.subject, said.value
    for slot, pattern in _SLOTS:
        found = pattern.fullmatch(line)
        if found is None or found["value"][:1].islower():  # `in a house` is no place
            continue
        if _is_own(found["who"], names, its=slot == "birthday"):
            yield slot, comparable(found["value"])
    if (found := _PREFERS.fullmatch(line)) and _is_own(found["who"], names):
        pair = sorted((comparable(found["one"]), comparable(found["other"])))
        yield f"prefers {' or '.join(pair)}", comparable(found["one"])
    if (found := _FOR.fullmatch(line)) and _is_own(found["who"], names):
        yield f"used for {comparable(found['purpose'])}", comparable(found["value"])


def _is_own(who: str | None, names: Collection[str], *, its: bool = False) -> bool:
    """Whether the words before a verb are the entity itself, or with ``its`` something that is its own."""
    said = name_key(who or "").strip()
    bare = " ".join(_BESIDE.sub(" ", said).split())
    return bare in _SELF or bare in names or (its and (said in _HERS or said.removesuffix("'s") in names))


def _claims(graph: Graph, entity: Entity, day: date) -> dict[str, list[Claim]]:
    """For each slot with two values or more its claims, the oldest first; with one value that one alone."""
    said: dict[str, dict[str, list[_Said]]] = defaultdict(lambda: defaultdict(list))
    names = {*entity.keys}
    if entity.type == "person":  # sentences also say the first name alone
        names |= {key.split()[0] for key in entity.keys if key}
    for memory in entity.memories:
        if holds(memory, day) and not memory.done and memory.type not in ("event", "todo", "goal"):
            for slot, value in slots_in(memory.text, memory.type, names):
                if slot != "lives in" or _may_be_home(graph.entity(value)):
                    said[slot][value].append((memory.text, memory))
    for link in graph.relations_of(entity):
        relation = link.relation
        held = FUNCTIONAL.get(relation.kind)
        if held is None or not holds(relation, day):
            continue
        if held != "lives in" or (entity.type in _PLACED and _may_be_home(link.target)):
            said[held][comparable(link.name)].append((f"{relation.kind} {link.name}", relation))
    return {
        slot: sorted((_claim(value, lines) for value, lines in values.items()), key=_since)
        for slot, values in said.items()
    }


_Said = tuple[str, PageLine]
"""What a line says, and the line."""


def _may_be_home(target: Entity | None) -> bool:
    """Whether somebody can live there: who moved to Kubernetes did not leave their town."""
    return target is None or target.type not in _NO_HOMES


def _claim(value: str, lines: Sequence[_Said]) -> Claim:
    text, first = min(lines, key=lambda one: one[1].since or date.min)
    return Claim(
        value=value,
        text=text,
        entries=tuple({line.entry.address: line.entry for _, line in lines}.values()),
        sources=tuple(dict.fromkeys(source for _, line in lines for source in line.sources)),
        since=first.since,
        trust=first.trust,
    )


def _since(claim: Claim) -> tuple[date, int]:
    return claim.since or date.min, claim.entries[0].start_line


def _both_hold(graph: Graph, one: Claim, other: Claim) -> bool:
    """Whether one value is the other, or lies within it: who lives in Osaka lives in Japan."""
    first, second = graph.entity(one.value), graph.entity(other.value)
    if first is not None and second is not None and first.path == second.path:
        return True
    if {*one.value.split()} <= {*other.value.split()} or {*other.value.split()} <= {*one.value.split()}:
        return True  # `Siemens` and `Siemens AG`: the same, said shorter
    return _lies_within(graph, one.value, other.value) or _lies_within(graph, other.value, one.value)


def _lies_within(graph: Graph, inner: str, outer: str) -> bool:
    if inner in outer.split(", ") or outer in inner.split(", ") or f", {outer}" in inner:
        return True
    at, seen = graph.entity(inner), set[str]()
    while at is not None and at.path not in seen:
        seen.add(at.path)
        if name_key(at.name) == name_key(outer):
            return len(seen) > 1
        above = (
            link.target for link in graph.relations_of(at) if link.relation.kind in _WITHIN and link.target
        )
        at = next(above, None)
    return False


Answer = Literal["keep", "replace", "both", "reject"]
"""``keep`` what was there: the new claim is forgotten and does not come back by itself. ``replace`` it: the
old one holds until the new one began. ``both`` are right: nothing changes, and it is not asked again.
``reject`` both: neither is right any more, each holds until today."""
ANSWERS: tuple[Answer, ...] = get_args(Answer)
_QUOTED = 24
"""Characters of a claim in the summary of an operation."""
_SHORTEST = 4
"""Digits of a contradiction's key that must be given at least."""
_DONE = {
    "keep": "kept “{old}”, not “{new}”",
    "replace": "“{new}” instead of “{old}”",
    "both": "“{old}” and “{new}” are both valid",
    "reject": "neither “{old}” nor “{new}” is valid",
}


def open_contradictions(workspace: Workspace) -> tuple[Contradiction, ...]:
    """The contradictions of today that nobody answered yet."""
    return contradictions(read_graph(workspace), day=date.today(), decided=settled_keys(workspace))


def plan_settle_key(
    workspace: Workspace, key: str, *, answer: Answer, now: datetime, reason: str = ""
) -> Plan:
    """``plan_settle`` of the open contradiction whose key begins with ``key``. Raises UsageError, ..."""
    found = [
        one for one in open_contradictions(workspace) if len(key) >= _SHORTEST and one.key.startswith(key)
    ]
    if len(found) != 1:
        what = "several contradictions begin with" if found else "there is no contradiction"
        raise UsageError(f"{what} {key}", hint="`workbench graph contradictions` lists them")
    return plan_settle(workspace, found[0], answer, now=now, reason=reason)


def plan_settle(
    workspace: Workspace,
    contradiction: Contradiction,
    answer: Answer,
    *,
    now: datetime,
    reason: str = "",
) -> Plan:
    """Carry out an answer to a contradiction. The record of it is a part of the operation.

    Raises ConflictError where one of its lines is not there any more.
    """
    old, new = contradiction.old, contradiction.new
    today = now.date()
    reason = reason or contradiction.question
    forgotten = new.addresses if answer == "keep" else ()
    ends: dict[str, date] = {}
    if answer == "replace":
        ends = dict.fromkeys(old.addresses, _end(old, new, today))
    elif answer == "reject":
        ends = dict.fromkeys((*old.addresses, *new.addresses), today)
    records = [
        decision(
            contradiction.key,
            "accepted",
            claim=contradiction.question,
            reason=reason,
            by="human",
            answer=answer,
        )
    ]
    try:
        found = lines_at(workspace, (*old.addresses, *new.addresses))
    except EntryNotFoundError as error:
        raise ConflictError(
            "one of the two was changed or removed in the meantime; nothing was changed",
            hint="list the contradictions again",
        ) from error
    edits: list[FileEdit] = []
    for document, entries in found:
        gone = [entry for entry in entries if entry.address in forgotten]
        records += [
            decision(key, "rejected", claim=entry.text, reason=reason, by="human")
            for key, entry in zip(keys_of(document, gone), gone, strict=True)
        ]
        ended = {
            entry.address: entry.origin.changed({"valid_until": ends[entry.address].isoformat()})
            for entry in entries
            if entry.address in ends
        }
        data = take_out(document, gone) if gone else with_origins(document, ended).data
        if data != document.data:
            edits.append(FileEdit(document.path, document.data, data))
    shown = {"old": excerpt(old.text, _QUOTED), "new": excerpt(new.text, _QUOTED)}
    return Plan(
        action="settle",
        summary=f"{excerpt(contradiction.entity.name, _QUOTED)}: {_DONE[answer].format(**shown)}",
        edits=tuple(edits),
        records=ledger_records("decisions", records, now),
        entries=forgotten or tuple(ends),
        became=tuple(ends),
        reason=reason,
    )


def _end(old: Claim, new: Claim, today: date) -> date:
    """From when on the old claim holds no more: the day on which the new one began to, if that is later."""
    if new.since is not None and new.since <= today and (old.since is None or new.since >= old.since):
        return new.since
    return today
