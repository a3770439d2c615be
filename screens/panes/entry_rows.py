"""One entry of memory as one row, the same in every pane."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from screens.drawing.safe_text import (
    FENCE,
    HIDDEN,
    PINNED,
    PROMOTED,
    Row,
    RowPart,
    Shown,
    Spans,
    Tone,
    grouped,
    inline,
    piece,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import Contents, Promoted, trust_of
from workbench.memory.entry import Entry, Form, heading_path
from workbench.safety.terminal import hidden

_TRUST: dict[str, Tone] = {"external": "warn", "quarantined": "bad"}
TRUSTS = ("owner", "agent", "external", "unknown")
"""How far an entry is trusted, as filters name it."""
_LOOKED_AT = 400


def entry_row(entry: Entry, *, depth: int, promoted: bool = False, tail: tuple[RowPart, ...] = ()) -> Row:
    """The row of an entry; ``tail`` follows the marks for hidden text, trust and promotion."""
    title = told(title_of(entry), entry.text, entry.date)
    marks: list[RowPart] = []
    if hidden(entry.text[:_LOOKED_AT]):
        marks.append(piece(f"{HIDDEN} hidden", "warn"))
    marks += trust_marks(trust_of(entry))
    if promoted:
        marks.append(RowPart(PROMOTED, "good"))
    if entry.pinned:
        marks.append(piece(f"{PINNED} pinned", "accent"))
    return Row(
        id=entry.address,
        text=title.text,
        tone="head" if entry.form is Form.HEADING else title.tone,
        depth=depth,
        lead=title.lead,
        tail=(*tail, *marks),
        emphasis=title.emphasis,
        done=promoted,
    ).at(entry)


def trust_marks(trust: str) -> tuple[RowPart, ...]:
    """The word for how far something is trusted, where there is reason to look twice."""
    return (piece(trust, _TRUST[trust]),) if trust in _TRUST else ()


def file_rows(contents: Contents | None, *, row_id: str, depth: int, promoted: Promoted) -> Iterator[Row]:
    """What is under an open file: its entries under their headings, or why there are none (yet)."""
    note = Row(f"{row_id}/note", words("reading …"), tone="faint", depth=depth, inert=True)
    if contents is None:
        yield note
        return
    if contents.problem:
        yield replace(note, text=row_text(contents.problem), tone="bad")
        return
    last: tuple[str, ...] = ()
    entries = [entry_row(entry, depth=depth, promoted=promoted.holds(entry)) for entry in contents.entries]
    same = shared_beginning([row.text for row in entries if row.tone == "text"])
    for number, (entry, row) in enumerate(zip(contents.entries, entries, strict=True)):
        heading = entry.heading
        if heading != last:
            known = alike(heading[:-1], last)
            last = heading
            if len(heading) > 1:  # the first level is the file's own title
                text = row_text(heading_path(heading[max(1, known) :]))
                yield Row(f"{row_id}/h{number}", text, tone="muted", depth=depth, inert=True)
        yield without(row, same) if row.tone == "text" else row
    if contents.left_out:
        text = words(f"… {grouped(contents.left_out)} more bytes are not shown; search finds them")
        yield replace(note, text=text, tone="warn")
    elif not contents.entries:
        yield replace(note, text=words("nothing in it yet"))


def labelled(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows; what agents note above an entry (``<!-- trigger: deploy -->``) at the end of its row."""
    label: Row | None = None
    for row in rows:
        if label is not None and label.entry and row.entry and is_label_of(label.entry, row.entry):
            row = replace(  # noqa: PLW2901
                row,
                tail=(RowPart(label.text, "faint"), *label.tail, *row.tail),
                labels=(label.id, *label.labels),
            )
        elif label is not None:
            yield label
        label = row if row.entry is not None and _LABEL.fullmatch(row.entry.text) else None
        if label is None:
            yield row
    if label is not None:
        yield label


def is_label_of(label: Entry, entry: Entry) -> bool:
    """Whether ``label`` is what an agent noted right above ``entry``: one blank line at most is between."""
    near = 0 < entry.start_line - label.end_line <= _NEAR_LINES
    return near and entry.heading == label.heading and bool(_LABEL.fullmatch(label.text))


def title_of(entry: Entry) -> str:
    """The first line that holds words; of a block of code that of the code: fences are all the same."""
    if not FENCE.fullmatch(entry.title):
        return entry.title
    lines = (line for line in entry.text.splitlines() if line.strip() and not FENCE.fullmatch(line))
    return next(lines, entry.title).strip()


class Title(NamedTuple):
    """The words of an entry as its row has them."""

    text: Shown
    emphasis: Spans = ()
    lead: tuple[RowPart, ...] = ()
    tone: Tone = "text"


_STAMP = re.compile(
    r"[\[(]?(?P<day>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d)(?::\d\d(?:[.,]\d+)?)?+"
    r"(?: ?(?:Z|UTC|[A-Z]{3,4}|[+-]\d\d:?\d\d))?+[\])]?+[\s:|–—-]*+(?=.)"
)
_HEADER = re.compile(
    r"(?:[-*] )?\*{0,2}(?:session(?: (?:key|id))?|source|channel|message_?id|chat_?id|sender)\*{0,2}:", re.I
)
_COMMENT = re.compile(r"<!--\s*(.*?)\s*(?:-->)?")
_LABEL = re.compile(r"<!--\s*[a-z][a-z_-]*: [^\n]*-->")
_NEAR_LINES = 2
_OBJECT = re.compile(r'\{\s*"')
_ENDS = (": ", "| ", "> ", "› ", "] ", "— ")
"""What a beginning that rows share ends with: a label, and no words."""
_FEWEST = 3


def is_header(text: str) -> bool:
    """Whether it tells of a session, or to programs, and not what was said."""
    return bool(_HEADER.match(text) or _COMMENT.fullmatch(text))


@lru_cache(4096)
def told(title: str, text: str = "", day: date | None = None) -> Title:
    """A title without what is in the way: the stamp as a time, JSON as words, headers and comments faint."""
    lead: tuple[RowPart, ...] = ()
    if stamp := _STAMP.match(title):
        said = (
            stamp["time"]
            if not day or stamp["day"] == day.isoformat()
            else stamp[0].strip(" [](){}:|–—-")[:16]
        )
        lead, title = (safe_piece(said),), title[stamp.end() :]
    if comment := _COMMENT.fullmatch(title):
        return Title(row_text(comment[1] or title), lead=lead, tone="faint")
    if found := _OBJECT.search(title):
        title = f"{title[: found.start()]}{_json_words(title[found.start() :], text)}"
    elif title.startswith("|") and title.endswith("|"):
        title = " · ".join(cell.strip() for cell in title.strip("|").split("|"))
    shown, emphasis = inline(row_text(title))
    return Title(shown, emphasis, lead, "faint" if _HEADER.match(title) else "text")


def _json_words(title: str, text: str) -> str:
    """``{"event": "deploy", "id": 8}`` as ``event deploy · id 8``; as it stands where it is no object."""
    whole = text[text.find(title) :] if title in text else title
    try:
        value, end = json.JSONDecoder().raw_decode(whole)
    except ValueError:
        return title
    pairs = (f"{key} {'…' if isinstance(said, (dict, list)) else said}" for key, said in value.items())
    return f"{' · '.join(pairs)} {whole[end:].partition(chr(10))[0]}".strip()


def shared_beginning(texts: Sequence[str]) -> int:
    """How many characters all of them begin with, up to the end of a label as of a channel; 0 for few."""
    if len(texts) < _FEWEST:
        return 0
    low, high = min(texts), max(texts)  # what these two begin with, all do
    common = low[: alike(low, high)]
    length = max(common.rfind(end) + len(end) if end in common else 0 for end in _ENDS)
    return length if all(len(text) > length for text in texts) else 0


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of their first items are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def without(row: Row, length: int) -> Row:
    """``row`` less the first characters of its text."""
    if not length:
        return row
    spans = (
        (max(0, first - length), last - length, tone) for first, last, tone in row.emphasis if last > length
    )
    return replace(row, text=Shown(row.text[length:]), emphasis=tuple(spans))
