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

from workbench.memory.claims import claim_key
from workbench.memory.comment_position import below
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.escape import plain_line
from workbench.memory.markdown import Document, parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance import COMMENT, provenance
from workbench.memory.session import Session
from workbench.memory.transcript import Turn
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in

LONGEST = 1_000
"""Characters of one line; what is longer is no fact but a text."""
POSING = "a comment that looks like the workbench's own"
_OPENING = "wb:"
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

    ``stands``: it is one entry of Markdown, with our comment and no other.
    """

    text: str
    key: str
    day: date
    comment: str
    line: int
    stands: bool

    @property
    def markdown(self) -> str:
        """As it stands in the log."""
        return below(f"- {self.text}", self.comment) + "\n"


def quotation(text: str, session: Session, turn: Turn, day: date) -> Quotation:
    """``text``, which was said in ``turn``, as a line of the log."""
    fields = {
        "src": f"{session.source}#L{turn.line}",
        "session": session.key,
        "trust": trust_of(session, turn),
        "at": day.isoformat(),
    }
    words = plain_line(text, LONGEST)
    comment = provenance(fields).render()
    entry = _entry_of(below(f"- {words}", comment) + "\n", comment)
    key = claim_key(entry.text if entry else words)  # by what is read of the log later
    return Quotation(text=words, key=key, day=day, comment=comment, line=turn.line, stands=entry is not None)


def trust_of(session: Session, turn: Turn) -> str:
    """The owner's own words, an agent's, or those of somebody where several people speak."""
    if turn.role != "user":
        return "agent"
    return "external" if session.trust == "external" else "owner"


def why_withheld(said: str, line: Quotation) -> str:
    """Why a line is not written although it is a fact: it holds a secret or hidden text, or is no line."""
    if secrets := secrets_in(said):
        return f"secret: {secrets[0].rule}"
    if COMMENT.search(said) or _OPENING in said.partition("<!--")[2]:
        return f"hidden: {POSING}"
    if hidden := hidden_in(said):
        return f"hidden: {hidden[0].rule}"
    if line.text.endswith("…") and not said.rstrip().endswith("…"):
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
