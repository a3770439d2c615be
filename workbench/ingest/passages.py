"""The lines of one source that may teach the graph something: of a log, an episode, MEMORY.md or a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import suppress
from datetime import date
from types import MappingProxyType

from indexing.words import word_set
from workbench.dreaming.proposals.suspicious import SuspiciousLine
from workbench.errors import NotCuratableError, UsageError
from workbench.frozen import frozen_kw_only
from workbench.graph.drafts import entity_name
from workbench.ingest.entities import NamedEntity, is_name, page_subject
from workbench.memory.entry import Entry, Form, Kind, without_emphasis
from workbench.memory.episode import session_blocks, session_of, split_turns
from workbench.memory.graph_page import memory_type
from workbench.memory.markdown import Document
from workbench.memory.model_window import MOST_PARTS
from workbench.memory.origin import ALLOWED, Origin, OriginReader, is_outside_heading, names_of, turns_in
from workbench.memory.sentences import beginning
from workbench.memory.transcript_text import clean
from workbench.safety.prompt_injection import suspicion
from workbench.workspace.layout import ARCHIVE, QUARANTINE, MemoryFile, is_template

KINDS = (Kind.EPISODE, Kind.LOG, Kind.MEMORY)
"""What the graph is learnt from by itself, beside pages about one thing. Dreams are no sources."""
_ON_REQUEST = (*KINDS, Kind.NOTE)
_NO_SOURCE = {
    Kind.ENTITY: "it is a page of the graph itself",
    Kind.DREAM: "a dream diary repeats other memory",
    Kind.CONTEXT: "it is cleared every night",
    Kind.BOOTSTRAP: "bootstrap files are loaded by the agent as they are",
}
_SECTIONS = {"facts": "fact", "decisions": "decision", "open": "todo"}
_SPEAKER = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,40}?)\s*:\s+(?P<words>\S.*)", re.DOTALL)
_WORD = re.compile(r"\w+")
_SPEAKS = 0.3
"""Share of its lines that say `I` or `my`, from which on a name in bold is somebody who speaks."""
_OFTEN = 5
"""Lines of one name, of which two that say so are enough."""
_FIRST = re.compile(r"\b(?:I|[Mm]y|[Mm]e)\b")
_LABELS = word_set("""
    action actions answer bug blocker context decision decisions fact facts fix goal goals idea ideas insight
    issue issues learning learnings lesson lessons next note notes open outcome plan preference preferences
    problem progress question questions reason reminder result results risk solution status summary task tasks
    today todo todos topic topics update updates why""")


@frozen_kw_only
class PassageLine:
    """One entry of a source: its words, where it stands (``path#L12``), and what it says of itself.

    ``speaker`` is who said it, where the line begins with a name (`**Sarah:** …`); ``section`` the type of
    memory that its heading stands for, if any; ``origins`` are where the line itself says that it is from.
    ``origin`` is who it is from. ``is_note``: it is a line of MEMORY.md and nobody's turn: `I` is mostly the
    agent there, whoever owns the file. ``continues``: it goes on with the words of the line before it.
    """

    text: str
    number: int
    continues: bool = False
    place: str
    day: date | None
    heading: tuple[str, ...] = ()
    section: str = ""
    speaker: str = ""
    origin: Origin = Origin.UNKNOWN
    origins: tuple[str, ...] = ()
    session: str = ""
    of_episode: bool = False
    is_note: bool = False

    @property
    def path(self) -> str:
        """The file that it stands in."""
        return self.place.rpartition("#")[0]

    @property
    def by_user(self) -> bool:
        """Whether the owner said it; what only an agent says of itself is no memory of theirs."""
        return self.origin is not Origin.AGENT and not self.is_note

    @property
    def by_owner(self) -> bool:
        """Whether these are the owner's own words, in which `I` is the owner."""
        return self.of_owner and not self.is_note

    @property
    def of_owner(self) -> bool:
        """Whether it may stand on the owner's own page."""
        return ALLOWED[self.origin].owner_fact


@frozen_kw_only
class PassageSource:
    """A document's lines, and whose session it was; ``user`` is empty where nothing says it."""

    lines: tuple[PassageLine, ...]
    user: str = ""
    unread: int = 0
    """Parts of very long lines that nothing is learnt from."""
    owner: frozenset[str] = frozenset()
    """The names, in lower case, by which the owner and their page are known."""
    subject: NamedEntity | None = None
    """Whom or what the whole page is about."""
    suspicious: tuple[SuspiciousLine, ...] = ()
    """Lines that are taken for orders to an agent: they teach nothing."""


def read_source(
    document: Document,
    *,
    owner: Collection[str] = (),
    known: Mapping[str, NamedEntity] = MappingProxyType({}),
) -> PassageSource:
    """The lines of an episode, log, note or MEMORY.md. Raises NotCuratableError for everything else.

    ``owner`` are the names, in lower case, by which the owner speaks in it; ``known`` are names that count.
    """
    if why := why_no_source(document.path, document.kind):
        raise NotCuratableError(
            f"{document.path} is not a source: {why}",
            hint="`graph store` puts a memory of your own into the graph",
        )
    user = ""
    with suppress(UsageError):  # what is said is no name that a page can have
        user = entity_name(document.header.text("user") or "")
    names = names_of(user).union(owner)
    sessions = session_blocks(document)
    chosen = [
        (entry, entry.start_line + entry.text.count("\n", 0, start), text, len(turns) > 1)
        for entry in _chosen(document)
        for turns in (tuple(turns_in(beginning(split_turns(entry.text)[0]))),)
        for start, text in turns
    ]
    speakers = _speakers([text for _, _, text, _ in chosen], known)
    origins = OriginReader(document, owner=names, speakers=speakers)
    lines: list[PassageLine] = []
    suspicious: list[SuspiciousLine] = []
    for entry, number, text, is_turn in chosen:
        said = origins.said(entry, text)
        words = clean(said.words)
        place = f"{document.path}#L{number}"
        is_note = document.kind is Kind.MEMORY and not is_turn
        # Between turns programs note events of the session, which give nobody an order.
        if order := suspicion(words if is_turn else said.words, said.origin):
            suspicious.append(SuspiciousLine(text, place, entry.address, said.origin, order))
            continue
        line = PassageLine(
            text=words,
            number=number,
            continues=entry.part > 1,
            place=place,
            day=entry.date,
            heading=entry.heading,
            section=_section(entry) if document.kind is Kind.EPISODE else "",
            speaker=said.speaker,
            origin=Origin.OUTSIDE if is_note and _from_elsewhere(entry) else said.origin,
            origins=entry.fields("src"),
            session=entry.field("session") or session_of(sessions, entry) or "",
            of_episode=document.kind is Kind.EPISODE,
            is_note=is_note,
        )
        lines.append(line)
    return PassageSource(
        lines=tuple(lines),
        user=user,
        unread=sum(entry.part > MOST_PARTS for entry in document.entries),
        owner=names,
        subject=page_subject(document.path, beginning(document.data.decode("utf-8", "replace")), known),
        suspicious=tuple(suspicious),
    )


def is_source(file: MemoryFile) -> bool:
    """Whether the graph is learnt from a file by itself: log, episode, MEMORY.md, page about one thing."""
    return file.kind in KINDS or (
        file.kind is Kind.NOTE and not file.is_template and page_subject(file.path) is not None
    )


def why_no_source(path: str, kind: Kind) -> str:
    """Why the graph is not learnt from the file at ``path``, also when asked; empty where it can be."""
    if is_template(path, kind):
        return "templates are not memory"
    if path.startswith((ARCHIVE, QUARANTINE)):
        return "it was archived"
    return "" if kind in _ON_REQUEST else _NO_SOURCE.get(kind, f"a {kind} is not ingested into the graph")


def _chosen(document: Document) -> list[Entry]:
    """The entries that hold words; of an episode with facts, decisions or open points just these."""
    prose = (Form.ITEM, Form.PARAGRAPH, Form.QUOTE)
    held = [e for e in document.entries if e.form in prose and e.part <= MOST_PARTS]
    if document.kind in (Kind.NOTE, Kind.MEMORY):  # what is typed is a memory of the graph where it stands
        held = [entry for entry in held if not memory_type(entry)]
    if document.kind is not Kind.EPISODE:  # so is an open box
        held = [entry for entry in held if not entry.text.startswith("[ ]")]
    if document.kind is Kind.EPISODE and any(map(_section, held)):
        held = [entry for entry in held if _section(entry)]
    return held


def _from_elsewhere(entry: Entry) -> bool:
    """Whether a line of MEMORY.md says itself, or by its heading, that somebody else wrote it."""
    trust = entry.field("trust") in (Origin.OUTSIDE, Origin.UNKNOWN)
    return trust or entry.form is Form.QUOTE or any(map(is_outside_heading, entry.heading))


def _section(entry: Entry) -> str:
    return _SECTIONS.get(entry.heading[-1].casefold().strip(), "") if entry.heading else ""


def _speakers(texts: Sequence[str], known: Container[str]) -> frozenset[str]:
    """The names in bold before a colon (`**Sarah:** …`) that are people who speak.

    Most words there are labels, which are written small elsewhere. Of somebody who speaks, a good part of the
    lines says `I` or `my`; for one word that is not ``known`` more than one must.
    """
    written_small = frozenset(word for text in texts for word in _WORD.findall(text))
    lines: Counter[str] = Counter()
    firsts: Counter[str] = Counter()
    for text in texts:
        start = text.lstrip()
        if start[:2] in ("**", "__") and (found := _SPEAKER.fullmatch(without_emphasis(start))):
            lines[found["name"].strip()] += 1
            firsts[found["name"].strip()] += bool(_FIRST.search(found["words"]))
    return frozenset(
        name
        for name, count in lines.items()
        if (firsts[name] >= _SPEAKS * count or (firsts[name] > 1 and count >= _OFTEN))
        and (firsts[name] > 1 or name in known or " " in name)
        and name.casefold() not in _LABELS
        and is_name(name)
        and len(name.split()) <= 3
        and all(word[:1].isupper() for word in name.split())
        and written_small.isdisjoint(_WORD.findall(name.casefold()))
    )
