"""Checks for entries that say the same: word for word, nearly so, or in other words.

Near-duplicates are found by ``memory.claims.near_pairs``, in a time that is linear in the entries, and then
compared exactly. Those in other words are found among curated entries by the vectors that the index has of
their texts, if any.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter

from workbench.dreaming.vetoes import LEADS_IN, is_record
from workbench.health.finding import Finding, Fix, Look
from workbench.health.subject import CURATED, CheckSubject, about, few, fix_of, place_of, shown
from workbench.memory.claims import bag_of_words, distinction, jaccard, near_pairs
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.episode import is_session_field
from workbench.operations.sources import NEVER_A_SOURCE
from workbench.safety.machine_output import machine_made
from workbench.workspace.agent_load import LOADED
from workbench.workspace.layout import Layout

SAME_WORDS = 0.85
"""Share of words in common (Jaccard) from which two entries say nearly the same."""
SAME_MEANING = 0.93
"""Cosine from which two curated entries say the same in other words."""
FEWEST_WORDS = 4
"""Entries of fewer different words (`done`, `same as before`) repeat by nature."""
MOST_BY_MEANING = 4_000
"""Curated entries that are compared with each other by meaning: their number squared is computed."""
_MERGED = 9
"""Entries that are offered to be made one of."""
_UNPARTED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts that set no blanks between words; two of them count as a word."""
_SAME_SECTION, _COPIED = 0.6, 3
"""Share of the lines of the smaller of two sections, and how many, from which one is a copy of the other."""
_TWICE = "it takes space twice, and an edit of one will miss the other"
_FIELD = re.compile(r"\W*\w[\w ]{1,30}[:：]")
_LABEL = re.compile(r"[^\s:：—–]{1,30}(?: [^\s:：—–]{1,30}){0,3}(?=：|:\s|\s[—–]\s)")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")


def duplicates(subject: CheckSubject) -> Look:
    """Entries that say what another one says. Curated ones are warned of; logs repeat, and are only told.

    A copy and the entry that it was promoted from are not two.
    """
    layout = subject.workspace.layout
    files: dict[bytes, list[list[Entry]]] = defaultdict(list)
    for path, entries in groupby(subject.corpus.written, attrgetter("path")):
        files[subject.corpus.by_path[path].data.strip()].append(list(entries))
    yield from _copied_files(files.values(), layout)
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    words: list[frozenset[str]] = []
    for entry in chain.from_iterable(first for first, *_ in files.values()):
        said = _words(entry)
        least = 2 if entry.kind in CURATED else FEWEST_WORDS
        if len(said) - sum(map(str.isdigit, said)) >= least or (
            said and len(_UNPARTED.findall(entry.text[:400])) >= 2 * least
        ):
            group = groups[entry.hash, entry.path if entry.kind is Kind.ENTITY else ""]
            if not group:
                words.append(said)
            group.append(entry)
    repeated = [group for group in groups.values() if len(group) > 1]
    shared = Counter(_sections(one, other) for one, *others in repeated for other in others)
    every = (entry for group in groups.values() for entry in group)
    lines = Counter((str(entry.path), "\n".join(entry.heading)) for entry in every)

    def is_form(one: Entry, other: Entry) -> bool:
        path, *pair = _sections(one, other) or ("",)
        if not pair:
            return False
        common = shared[path, *pair]
        if common >= _COPIED and common > _SAME_SECTION * min(lines[path, heading] for heading in pair):
            return False  # a section that was copied, not a form
        # Both sections have such a line for each of two things: `Contact: by mail`, or under `Pros`.
        is_field = one.heading[-1:] == other.heading[-1:] or _FIELD.match(one.text) is not None
        return common > 1 or is_field

    copies: dict[tuple[str, ...], list[list[Entry]]] = defaultdict(list)
    for first, *others in repeated:
        again = [
            other
            for other in others
            if not is_form(first, other) and not _of_two_agents(layout, first, other)
        ]
        if again and _states(first) and len(same := _same([first, *again])) > 1:
            copies[tuple(one.path for one in same)].append(same)
    yield from _exact(copies)
    firsts = [group[0] for group in groups.values()]
    near: set[tuple[int, int]] = set()
    for one, other in near_pairs(words, SAME_WORDS):
        if jaccard(words[one], words[other]) < SAME_WORDS:
            continue
        first, second = firsts[one], firsts[other]
        if _may_be_one(layout, first, second) and not is_form(first, second) and _states(first):
            near.add((one, other))
            yield _near(first, second, "nearly the same words as")
    for one, other in _near_by_meaning(subject, firsts):
        if (one, other) not in near and _may_be_one(layout, firsts[one], firsts[other]):
            yield _near(firsts[one], firsts[other], "nearly the same, in other words, as")


def _copied_files(files: Iterable[list[list[Entry]]], layout: Layout) -> Iterator[Finding]:
    """One remark on each file that is the same as another: ``files`` are the entries of those of one text."""
    for first, copy in ((same[0][0], copy) for same in files for copy in same[1:]):
        path, other = copy[0].path, first.path
        if first.kind is Kind.ENTITY or _of_two_agents(layout, first, copy[0]):
            continue
        # Of two files whose names differ in case another check says that there must be only one.
        is_severe = {copy[0].kind, first.kind} <= CURATED and path.casefold() != other.casefold()
        yield Finding(
            f"the file is the same as {other}, word by word",
            _TWICE,
            "remove one of the two files",
            "warning" if is_severe else "info",
            "duplicate file",
            path,
            1,
            also=tuple(place_of(entry) for entry in copy if _words(entry)),
        )


def _of_two_agents(layout: Layout, one: Entry, other: Entry) -> bool:
    """Whether each is in what another agent always loads, so that both files have to say it."""
    return {one.kind, other.kind} <= {*LOADED} and layout.agent_of(one.path) is not layout.agent_of(
        other.path
    )


def _sections(one: Entry, other: Entry) -> tuple[str, ...]:
    """The two sections of one file in which two entries stand; nothing where it is one, or a log.

    Several lines that two of them have in common are a form that was filled in twice.
    """
    is_log = one.kind in (Kind.LOG, Kind.EPISODE)
    if is_log or one.path != other.path or one.heading == other.heading:
        return ()
    return one.path, *sorted(("\n".join(one.heading), "\n".join(other.heading)))


def _states(entry: Entry) -> bool:
    """Whether an entry says something by itself: labels lead in what follows, and programs repeat headers.

    A command is there as often as somebody ran it.
    """
    text = entry.text.strip()
    if is_record(text) or is_session_field(entry):
        return False
    return "\n" in text or not (LEADS_IN.search(text) or machine_made(text) == "a shell command")


def _words(entry: Entry) -> frozenset[str]:
    """The different words of what can be there twice; none of a bare heading, code, HTML and parts.

    The first row of a table says what the others are about, and is the same in many.
    """
    if entry.form in (Form.HEADING, Form.CODE, Form.HTML) or entry.parts != 1:
        return frozenset()
    return bag_of_words(entry.text.partition("\n")[2] if entry.form is Form.TABLE else entry.text)


def _same(group: Sequence[Entry]) -> list[Entry]:
    """Of entries of one text those that are one too many: curated ones, else logs that repeat."""
    curated = [entry for entry in group if entry.kind in CURATED]
    first, *others = group
    return curated if len(curated) > 1 else [first, *(one for one in others if not _is_copy(first, one))]


def _exact(copies: Mapping[tuple[str, ...], Sequence[Sequence[Entry]]]) -> Iterator[Finding]:
    """One remark on each group of entries of one text, and on all that two files have in common; by paths."""
    for paths, groups in copies.items():
        if len(paths) == len(set(paths)) == 2 and len(groups) >= _COPIED:
            yield _shared(groups)
            continue
        for first, *others in groups:
            what = f"the same text is at {few(list(map(place_of, others)))}: {shown(first.title)}"
            severe = {first.kind, others[0].kind} <= CURATED and _takes_room(first, others[0])
            yield _twice("duplicate", what, first, others, severe=severe)


def _shared(pairs: Sequence[Sequence[Entry]]) -> Finding:
    """On what two files have in common: a section was copied, or both follow a template."""
    (one, other), *_ = pairs
    here, there = zip(*pairs, strict=True)
    what = (
        f"{len(pairs)} entries are also in {other.path}, the first at {place_of(other)}: {shown(one.title)}"
    )
    severe = {one.kind, other.kind} <= CURATED
    return about(
        one,
        "duplicate",
        what,
        _TWICE,
        "remove them from one of the two files" if severe else "",
        "warning" if severe else "info",
        others=there,
        fixes=tuple(
            Fix("forget", f"forget them in {some[0].path}", tuple(entry.address for entry in some))
            for some in (here, there)
        ),
    )


def _near(one: Entry, other: Entry, how: str) -> Finding:
    what = f"{how} {place_of(other)}: {shown(other.title)}"
    severe = one.kind in CURATED and other.kind in CURATED and _takes_room(one, other)
    return _twice("near duplicate", what, one, [other], severe=severe)


def _takes_room(one: Entry, other: Entry) -> bool:
    """Whether one of two is too much: under another heading of a file it may be said of somebody else."""
    return one.path != other.path or one.heading == other.heading


def _twice(rule: str, what: str, one: Entry, others: Sequence[Entry], *, severe: bool) -> Finding:
    every = (one, *others)[:_MERGED]
    if NEVER_A_SOURCE.keys().isdisjoint(entry.kind for entry in every):
        do = "`workbench merge` merges them"
        merge = Fix("merge", f"merge these {len(every)}", tuple(entry.address for entry in every))
        fixes: tuple[Fix, ...] = merge, fix_of(one, "forget")
    else:
        do = "`workbench forget` removes one of them"
        fixes = tuple(Fix("forget", f"forget {place_of(entry)}", (entry.address,)) for entry in every)
    return about(
        one,
        rule,
        what,
        _TWICE,
        do if severe else "",
        "warning" if severe else "info",
        others=others,
        fixes=(*fixes, fix_of(one, "edit")),
    )


def _is_copy(one: Entry, other: Entry) -> bool:
    """Whether one of two entries says that it comes from the file of the other."""
    for copy, source in ((one, other), (other, one)):
        said = copy.provenance.all("src") if copy.provenance else ()
        if any(path.partition("#")[0] == source.path for path in said):
            return True
    return (one.kind in CURATED) != (other.kind in CURATED)  # what was chosen was said somewhere first


def _may_be_one(layout: Layout, one: Entry, other: Entry) -> bool:
    """Whether two that sound alike are about the same.

    What differs in a number, a name or what turns it round is of two occasions or things, or contradicts;
    and so is what begins with two labels, or has different things in code.
    """
    if one.kind is Kind.ENTITY and other.kind is Kind.ENTITY and one.path != other.path:
        return False
    if _is_copy(one, other) or _of_two_agents(layout, one, other):
        return False
    if not distinction(one.text).agrees(distinction(other.text)):
        return False
    return all(
        here <= there or there <= here or not (here and there)
        for here, there in zip(_about(one), _about(other), strict=True)
    )


def _about(entry: Entry) -> tuple[set[str], frozenset[str]]:
    """What stands in code, and the words of the label that it begins with."""
    label = _LABEL.match(entry.plain_title)
    return set(_CODE_SPAN.findall(entry.text)), bag_of_words(label[0] if label else "")


def _near_by_meaning(subject: CheckSubject, firsts: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Pairs of curated entries that are near by the vectors of their texts, as far as these are known."""
    from indexing.sync.entry_vectors import known_vectors  # noqa: PLC0415 - imports numpy

    at = [n for n, entry in enumerate(firsts) if entry.kind in CURATED][:MOST_BY_MEANING]
    vectors = known_vectors(subject.workspace, [firsts[n].text for n in at])
    if vectors is None:
        return
    at = [n for n in at if firsts[n].text in vectors]
    if len(at) > 1:
        import numpy as np  # noqa: PLC0415

        matrix = np.stack([vectors[firsts[n].text] for n in at])
        pairs = np.argwhere(np.triu(matrix @ matrix.T, 1) >= SAME_MEANING)
        yield from ((at[row], at[column]) for row, column in pairs.tolist())
