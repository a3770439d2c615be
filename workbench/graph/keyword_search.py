"""Entities and typed memories by the words of a question, without an index.

An entity is recognised by its name or an alias, else by a part of a name, else by likeness.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from workbench.errors import UsageError
from workbench.frozen import frozen
from workbench.graph.model import EntityMemory, Graph
from workbench.memory.graph_page import Entity, name_key
from workbench.safety.terminal import cut, visible_line

_WORD = re.compile(r"\w+")
_SHORTEST = 2
SILENT = frozenset(
    _WORD.findall(
        """
        a about all an and any are as at be been by can currently did do does for from had has have he her
        him his how i in is it its known me my now of off on or our she that the their them there they this
        to was we were what when where which who whom whose why will with you your
        """
    )
)
"""Words that name nothing by themselves."""


def query_words(text: str) -> tuple[str, ...]:
    """The words of ``text`` that are looked for: folded, without those that say nothing; else all of them."""
    said = tuple(dict.fromkeys(_WORD.findall(_folded(text))))
    return tuple(word for word in said if word not in SILENT and len(word) >= _SHORTEST) or said


def named_like(graph: Graph, text: str, most: int = 10) -> tuple[Entity, ...]:
    """Entities with a name or alias that holds all words of ``text``: named so first, then the shortest."""
    words = query_words(text)
    if not words:
        return ()
    exact = {entity.path for entity in graph.candidates(text)}
    found = []
    for entity in graph.entities:
        fitting = [name for name in entity.keys if all(_holds(_folded(name), word) for word in words)]
        if entity.path in exact or fitting:
            length = min((len(name) for name in fitting), default=0)
            found.append((entity.path not in exact, length, entity.path, entity))
    return tuple(entity for *_, entity in sorted(found, key=lambda item: item[:3])[:most])


def memories_with(
    graph: Graph, text: str, most: int = 20, least: float = 1.0
) -> list[tuple[EntityMemory, float]]:
    """Typed memories with at least a share ``least`` of the words of ``text``, the best first, each with its
    share in [0, 1].

    The names of the entity that a memory is about count as words of it.
    """
    words = query_words(text)
    found = []
    for held in graph.memories() if words else ():
        names = " ".join(held.entity.names) if held.entity else ""
        share = share_of(words, f"{held.memory.text} {names}")
        if share and share >= least:
            found.append((held, share))
    found.sort(key=lambda one: (-one[1], -one[1] * one[0].memory.weight, one[0].memory.entry.address))
    return found[:most]


def share_of(words: Sequence[str], text: str) -> float:
    """The share of ``words``, which are folded and at least one, that words of ``text`` begin with."""
    body = _folded(text)
    return sum(_holds(body, word) for word in words) / len(words)


def _holds(body: str, word: str) -> bool:
    """Whether a word of ``body`` begins with ``word``; in scripts without blanks, whether it is in there."""
    at = body.find(word)
    while at >= 0:
        if at == 0 or not body[at - 1].isalnum() or ord(word[0]) > 0x2E80:
            return True
        at = body.find(word, at + 1)
    return False


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


LONGEST_QUESTION = 1_000
"""Characters of a question that are read."""
LIKE = 88.0
"""Likeness of two names, in [0, 100] (normalised edit similarity), from which one is taken for the other."""
SUGGESTED = 45.0
NO_PAGES = "the graph has no pages yet: graph/person/sarah.md would be one"
_SHOWN = 80
"""Characters of a name that nobody has which a message repeats."""
_WORDS_IN_NAME = 8
_ALIASES = 30
"""Aliases by which an entity is looked for in texts; a page may claim any number."""
_MENTIONS = 8
"""Entities that are recognised in one question; longer lists are no question."""
_COMPARED = 40
"""Pieces of a question that are compared with every name."""
_MEANT = 5
"""Entities that a part of a name may stand for; one that more of them have says too little."""
_CAPITALS = re.compile(r"(?<=[\w,;] )(?!I\b)[^\W\d_a-zà-öø-ÿ][\w'’-]*")
_NO_BLANKS = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_SILENT = SILENT | {"know", "part", "work", "working", "works"}
"""What is never taken for a name, unless it is written like one."""


@frozen
class Mention:
    """Characters ``start`` up to ``end`` of a question, and the entities that they may mean, likeliest first.

    ``note`` says what was assumed, where the words are not a name as they stand.
    """

    start: int
    end: int
    entities: tuple[Entity, ...]
    note: str = ""


def mentions(graph: Graph, question: str) -> tuple[Mention, ...]:
    """The entities that ``question`` names, in its order; where nobody is named so, those it may mean."""
    text = question[:LONGEST_QUESTION]
    named = _chosen(_named(graph, text))
    return named or _chosen(_partly_named(graph, text)) or _chosen(_alike(graph, text))


def the_one(graph: Graph, name: str) -> Entity:
    """The entity that a person calls ``name``: by id, path, name, alias or file name.

    Raises UsageError where nothing is called so, with what looks like it, or where several are.
    """
    if found := graph.entity(name):
        return found
    several = graph.candidates(name)
    shown = cut(visible_line(name), _SHOWN)
    if several:
        raise UsageError(
            f"several entities are called {shown}",
            hint="give the page of one: " + ", ".join(entity.path for entity in several[:5]),
        )
    like = ", ".join(suggestions(graph, name))
    hint = f"there are {like}" if like else NO_PAGES
    raise UsageError(f"nothing in the graph is called {shown}", hint=hint)


def suggestions(graph: Graph, question: str, most: int = 5) -> tuple[str, ...]:
    """The entities whose names look most like words of ``question``, as ``Sarah Chen (person)``; else those
    that are linked the most.
    """
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only a name that nobody has needs it

    names, entities = _names(graph)
    found = [
        (-score, entities[at].path, at)
        for said in _pieces(question[:LONGEST_QUESTION], most=2)
        for _, score, at in process.extract(
            said, names, scorer=fuzz.WRatio, limit=most, score_cutoff=SUGGESTED
        )
    ]
    best: dict[str, Entity] = {}
    for _, path, at in sorted(found):
        best.setdefault(path, entities[at])
    return tuple(map(_told, [*best.values()][:most] or most_linked(graph, most)))


def _told(entity: Entity) -> str:
    return f"{entity.name} ({entity.type})"


def unknown_names(question: str) -> str:
    """The words of a question in which nobody was recognised that are written like a name; empty for none.

    The first word of a question is capitalised anyway.
    """
    said = _CAPITALS.findall(question[:LONGEST_QUESTION])
    return " ".join(word for word in said if word.casefold() not in SILENT)[:_SHOWN]


def most_linked(graph: Graph, most: int) -> tuple[Entity, ...]:
    """The entities with the most relations, of their own and to them; of equals, with the most memories."""
    ranked = sorted(graph.entities, key=lambda one: (-graph.degree(one), -len(one.memories), one.path))
    return tuple(ranked[:most])


def mention_of(entity: Entity) -> re.Pattern[str]:
    """What finds the names of ``entity`` in a text that is folded by ``name_key``."""
    keys = dict.fromkeys(map(name_key, entity.names[: _ALIASES + 1]))
    names = sorted((key for key in keys if len(key) > 1), key=len, reverse=True)
    # Only whole words are a name, but in scripts without blanks.
    patterns = (
        re.escape(name) if _NO_BLANKS.search(name) else rf"(?<!\w){re.escape(name)}(?!\w)" for name in names
    )
    return re.compile("|".join(patterns) or r"(?!)")


def _named(graph: Graph, text: str) -> Iterator[Mention]:
    for start, end in _spans(text, most=_WORDS_IN_NAME):
        words = text[start:end]
        if words in _SILENT:
            continue
        found = graph.candidates(words) or graph.candidates(f"the {words}")
        if found:
            yield Mention(start, end, found, may_be(words, found) if len(found) > 1 else "")


def may_be(words: str, entities: Sequence[Entity]) -> str:
    """What to say of words that several entities are called by."""
    names = ", ".join(map(_told, entities[:_MEANT]))
    more = f" or {len(entities) - _MEANT} more" if len(entities) > _MEANT else ""
    return f"“{words}” may be {names}{more}"


def _partly_named(graph: Graph, text: str) -> Iterator[Mention]:
    """By a word of a name: ``Chen`` for Sarah Chen."""
    holders: dict[str, dict[str, Entity]] = {}
    for name, entity in zip(*_names(graph), strict=True):
        for word in _WORD.findall(name):
            holders.setdefault(word, {})[entity.path] = entity
    for start, end in _spans(text, most=1):
        word = name_key(text[start:end])
        found = tuple(holders.get(word, {}).values())
        if word not in _SILENT and len(word) > 2 and 0 < len(found) <= _MEANT:
            names = ", ".join(entity.name for entity in found)
            yield Mention(start, end, found, f"“{text[start:end]}” is taken for {names}")


def _alike(graph: Graph, text: str) -> Iterator[Mention]:
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - as above

    names, entities = _names(graph)
    for said, (start, end) in _pieces(text, most=3).items():
        best = process.extractOne(said, names, scorer=fuzz.ratio, score_cutoff=LIKE)
        if best is not None:
            entity = entities[best[2]]
            yield Mention(start, end, (entity,), f"“{text[start:end]}” is taken for {entity.name}")


def _names(graph: Graph) -> tuple[list[str], list[Entity]]:
    """All names as they are compared, and for each its entity."""
    entities = [entity for entity in graph.entities for _ in entity.names]
    return [name_key(name) for entity in graph.entities for name in entity.names], entities


def _spans(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Runs of up to ``most`` words, the longest first; in scripts without blanks runs of characters too."""
    words = [found.span() for found in _WORD.finditer(text)]
    for count in range(min(most, len(words)), 0, -1):
        for first in range(len(words) - count + 1):
            yield words[first][0], words[first + count - 1][1]
    for start, end in words:
        if _NO_BLANKS.search(text, start, end):
            for length in range(min(20, end - start - 1), 1, -1):
                yield from ((at, at + length) for at in range(start, end - length + 1))


def _pieces(text: str, most: int) -> dict[str, tuple[int, int]]:
    """Different runs of words of ``text`` that could be a name, folded, with the place where each stands."""
    pieces: dict[str, tuple[int, int]] = {}
    for start, end in _spans(text, most):
        said = name_key(text[start:end])
        if len(said) > 3 and not _SILENT.issuperset(said.split()):
            pieces.setdefault(said, (start, end))
            if len(pieces) == _COMPARED:
                break
    return pieces


def _chosen(found: Iterator[Mention]) -> tuple[Mention, ...]:
    """Those that do not overlap one found before, in the order of the text."""
    kept: list[Mention] = []
    for mention in found:
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
            if len(kept) == _MENTIONS:
                break
    return tuple(sorted(kept, key=lambda mention: mention.start))


def covered(text: str, found: Sequence[Mention]) -> str:
    """``text`` with each mention as one ``@`` between blanks, so that what is left are the words around."""
    parts, at = [], 0
    for mention in found:
        parts += [text[at : mention.start], " @ "]
        at = mention.end
    return " ".join("".join([*parts, text[at:]]).split())
