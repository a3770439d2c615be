"""What a session leaves in a daily log: quotations, each with where it was said, under the session's name.

::

    ## Session: s91

    - I prefer async reviews. <!-- wb: src=s91.jsonl#L12 session=s91 trust=owner at=2026-03-14 -->
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from workbench.ingest.utterances import Utterance
from workbench.memory.claims import claim_key
from workbench.memory.edit import as_item
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.escape import plain_line
from workbench.memory.markdown import Document, parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance import provenance
from workbench.memory.transcript import Session, Turn

LONGEST = 1_000
"""Characters of one line; what is longer is no fact but a text."""
_LOG = RelPath("memory/log.md")
_OPEN = (
    (re.compile(r"(`{3,}|~{3,})"), r"\1"),
    (re.compile(r"<!--"), r"-->"),
    (re.compile(r"<(script|pre|style|textarea)\b", re.IGNORECASE), r"</\1>"),
)
"""What swallows all that follows, and what ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A line for the log of ``day``. ``key`` names its claim, ``line`` is where it was said.

    ``stands``: it is one entry of Markdown, with our comment and no other. ``cut``: it is longer than a line
    may be. ``requested`` and ``worth`` are those of the utterance.
    """

    text: str
    key: str
    day: date
    comment: str
    line: int
    stands: bool
    cut: bool = False
    requested: bool = False
    worth: float = 0.0

    @property
    def markdown(self) -> str:
        """As it stands in the log."""
        return as_item(self.text, self.comment)


def quotation(fact: Utterance, session: Session, day: date) -> Quotation:
    """What was said as a line of the log."""
    text, turn = fact.text, fact.turn
    fields = {
        "src": f"{session.source}#L{turn.line}",
        "session": session.key,
        "trust": trust_of(session, turn),
        "at": day.isoformat(),
    }
    words = plain_line(text, LONGEST)
    comment = provenance(fields).render()
    entry = _entry_of(as_item(words, comment), comment)
    key = claim_key(entry.text if entry else words)  # by what is read of the log later
    return Quotation(
        text=words,
        key=key,
        day=day,
        comment=comment,
        line=turn.line,
        stands=entry is not None,
        cut=words.endswith("…") and not text.rstrip().endswith("…"),
        requested=fact.requested,
        worth=fact.worth,
    )


def trust_of(session: Session, turn: Turn) -> str:
    """The owner's own words, an agent's, or those of somebody where several people speak."""
    if turn.role != "user":
        return "agent"
    return "external" if session.trust == "external" else "owner"


def why_withheld(line: Quotation) -> str:
    """Why a line is not written although it is a fact; empty where it is."""
    if line.cut:
        return f"longer than {LONGEST:,} characters"
    return "" if line.stands else "it does not stand as one line of Markdown"


def block(session: Session, lines: Sequence[Quotation]) -> str:
    """The lines under the session's name, to be added at the end of a log."""
    return f"## Session: {session.key}\n\n" + "".join(line.markdown for line in lines)


def claims_of(document: Document, session: str) -> frozenset[str]:
    """The claims that a log holds of a session already."""
    return frozenset(
        claim_key(entry.text)
        for entry in document.entries
        if entry.provenance and entry.provenance.get("session") == session
    )


def opening(before: bytes | None, title: str) -> str:
    """What goes between the text that is there and what is added; ``title`` heads a new log.

    It ends a fence or a comment that nobody closed, as what is added would be a part of it.
    """
    if not before:
        return f"# {title}\n\n"
    return ("" if before.endswith(b"\n") else "\n") + _closing(before) + "\n"


def _closing(before: bytes) -> str:
    """The line that ends what is open at the end of a log; empty where nothing is."""
    probe = parse_document(_LOG, before + b"\n\n- probe\n", Kind.LOG).entries[-1]
    if probe.text == "probe":
        return ""
    for opened, closed in _OPEN:
        if found := opened.match(probe.text):
            return found.expand(closed) + "\n"
    return ""


def distinct(lines: Iterable[Quotation], known: Iterable[str]) -> tuple[Quotation, ...]:
    """The lines whose claim is not among ``known``, each claim once."""
    seen = set(known)
    kept = []
    for line in lines:
        if line.key not in seen:
            seen.add(line.key)
            kept.append(line)
    return tuple(kept)


def _entry_of(markdown: str, comment: str) -> Entry | None:
    """The entry that a line is, where it is one with this comment, whatever its words are."""
    data = markdown.encode("utf-8", "replace")
    entries = parse_document(_LOG, data, Kind.LOG).entries
    if len(entries) != 1 or entries[0].form is not Form.ITEM or entries[0].provenance is None:
        return None
    return entries[0] if entries[0].provenance.render() == comment else None
