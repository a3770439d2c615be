"""The preview of a row: its entry, section or file, as a bounded window of lines that are safe to draw."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from indexing.sync.sources import IndexSources, SourcePage, page
from screens.drawing.safe_text import SOURCE, Row, Shown, drawn, line_text, plural, row_text, words
from screens.loading.reader import READ_LIMIT, FileWindow, offset_of_line, read_window
from screens.loading.workspace_model import Preview, PreviewLine
from workbench.errors import EntryNotFoundError, NotMemoryError, WorkbenchError, reason_of
from workbench.memory.entry import Entry, RelPath, Span, heading_path, is_outside
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.markdown import Document
from workbench.memory.provenance import COMMENT
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import by_rule, secrets_in
from workbench.safety.terminal import hidden
from workbench.workspace.workspace import Workspace

_AROUND_LINE = 100_000
"""Bytes that are parsed to find an entry of a large file by its line."""


@dataclass(frozen=True, slots=True)
class PreviewLimits:
    """How much of a file is shown: ``around`` an entry in bytes and, ``before`` and ``after`` it, in lines.

    ``entry`` are the bytes of the entry itself, ``line`` the characters of a line.
    """

    around: int = 6_000
    entry: int = 24_000
    before: int = 30
    after: int = 60
    line: int = 2_000


NEAR = PreviewLimits()
WIDE = PreviewLimits(around=300_000, entry=300_000, before=20_000, after=20_000, line=20_000)
"""For whoever reads or finds: most files as a whole."""


def preview_of(workspace: Workspace, row: Row | None, reach: PreviewLimits = NEAR) -> Preview | None:
    """The preview of ``row``: its entry, its section, or the beginning of its file; None without a row.

    For a group, it says that it is one. The file may lie beside the workspace, as an extra path or a
    transcript, or in another workspace.
    """
    if row is None:
        return None
    if row.path is None:
        return Preview(row.id, row.text, (), (), (_note("a group: enter opens and closes it"),))
    try:
        place = Workspace.open(row.root) if row.root else workspace
        found = _beside(place, row) if is_outside(row.path) else _inside(place, row, row.path, reach)
    except (OSError, WorkbenchError) as error:
        return Preview(row.id, row_text(row.path), (), (row_text(reason_of(error)),), ())
    if not row.root:
        return found
    said = f"as of {row.past}" if row.past else f"in {row.workspace}"
    return replace(found, where=row_text(f"{found.where} {said}"))


def _inside(workspace: Workspace, row: Row, path: str, reach: PreviewLimits) -> Preview:
    if row.section:
        return _section(workspace, row, workspace.document(path), reach)
    entry = row.entry or _entry_of(workspace, row)
    if entry is None:
        return _page(workspace, row, read_window(workspace.root, path, 0, 2 * reach.around), reach)
    start = max(0, entry.span.start - reach.around)
    length = min(entry.span.end - entry.span.start, reach.entry) + reach.around + entry.span.start - start
    return _entry(row, entry, read_window(workspace.root, path, start, length), reach)


def _beside(workspace: Workspace, row: Row) -> Preview:
    """The entry that a hit beside the workspace names, and the lines around it.

    Raises EntryNotFoundError when it is there no more, NotMemoryError, OSError.
    """
    path, address = row.path or "", row.address or ""
    size, changed_ns = IndexSources(workspace).look(path)
    if size > SIZE_LIMIT:
        raise NotMemoryError(path)
    found = _source_page(workspace, path, size, changed_ns)
    if "#" not in address:
        raise EntryNotFoundError(address)
    entry = found.document.find(address)
    lines: list[PreviewLine] = []
    focus = 0
    for number in range(max(1, entry.start_line - _AROUND), len(found.lines) + 1):
        text = found.lines[number - 1]
        if text is None:
            continue
        if number == entry.start_line:
            focus = len(lines)
        role = "entry" if entry.start_line <= number <= entry.end_line else "context"
        for at, line in enumerate(text.split("\n")):
            lines.append(PreviewLine(None if at else number, line_text(line[:_LINE_LIMIT]), role))
        if len(lines) - focus > _LINES_LIMIT:
            break
    return Preview(
        key=row.id,
        where=row_text(f"{entry.path}:{entry.start_line}"),
        facts=(("outside", words("of the workspace: read-only")), *_facts(entry)),
        warnings=_hidden(entry.text.encode("utf-8", "surrogateescape")),
        lines=tuple(lines),
        focus=focus,
    )


def _entry_of(workspace: Workspace, row: Row) -> Entry | None:
    """The entry that a search hit names, as it stands now; None for a page, or where it is not found."""
    path, _, digits = (row.address or "").partition("#")
    if not digits:
        return None
    if read_window(workspace.root, path, 0, 1).size <= READ_LIMIT:
        return workspace.find(row.address or "")
    first = max(1, row.line - NEAR.before)
    start = offset_of_line(workspace.root, path, first)
    window = read_window(workspace.root, path, start, _AROUND_LINE)
    for entry in workspace.parsed(RelPath(path), window.data).entries:
        if entry.start_line == row.line - first + 1 and entry.hash == digits.partition("~")[0]:
            span = Span(start + entry.span.start, start + entry.span.end)
            return replace(entry, span=span, start_line=row.line, end_line=entry.end_line + first - 1)
    return None


def _page(workspace: Workspace, row: Row, window: FileWindow, reach: PreviewLimits) -> Preview:
    path = RelPath(row.path or "")
    header = read_front_matter(window.data)
    kind = "kind", str(workspace.layout.kind_of(path))
    shown = _part(row, path, kind, window, "", reach)
    if header and header.problem:
        return replace(shown, warnings=(row_text(header.problem), *shown.warnings))
    return shown


def _section(workspace: Workspace, row: Row, document: Document, reach: PreviewLimits) -> Preview:
    """The lines under a heading, and under those that are deeper; its file where it is not there any more."""
    here = next((heading for heading in document.headings if heading.path == row.section), None)
    if here is None:
        return _page(
            workspace, row, FileWindow(0, document.data[: 2 * NEAR.around], len(document.data)), NEAR
        )
    ends = (h.first for h in document.headings if h.first > here.first and h.level <= here.level)
    end = next(ends, None)
    stops = len(document.data) if end is None else document.line_starts[end]
    section = document.data[document.line_starts[here.first] : stops]
    window = FileWindow(0, section[: 2 * reach.around], len(section))
    first = here.first + 1
    under = "under", row_text(heading_path(here.path))
    return _part(row, f"{document.path}:{first}", under, window, " of this section", reach, first=first)


def _part(
    row: Row,
    where: str,
    fact: tuple[str, str],
    window: FileWindow,
    whole: str,
    reach: PreviewLimits,
    *,
    first: int = 1,
) -> Preview:
    """The lines of a file, or of the ``whole`` that is named, from ``first`` on; and how much more it is."""
    fence = _front_lines(window.data) if first == 1 else 0
    lines = _lines(window.data, first, "context", reach, fence)
    left_out = window.size - len(window.data)
    partial = bool(left_out) or _cut(lines)
    if left_out:
        lines.append(_note(f"… {left_out:,} more bytes{whole}"))
    facts = fact, ("size", plural(window.size, "byte"))
    return Preview(row.id, row_text(where), facts, _hidden(window.data), tuple(lines), partial=partial)


def _front_lines(data: bytes) -> int:
    """How many lines of front matter it begins with."""
    header = read_front_matter(data)
    return data.count(b"\n", 0, header.body) if header else 0


def _entry(row: Row, entry: Entry, window: FileWindow, reach: PreviewLimits) -> Preview:
    first, last = entry.start_line, entry.end_line
    at = entry.span.start - window.start
    before, rest = window.data[:at], window.data[at:]
    size = entry.span.end - entry.span.start
    inside = rest[: min(size, reach.entry)]
    after = rest[size : size + reach.around] if size <= reach.entry else b""
    if window.start and b"\n" in before:
        before = before[before.index(b"\n") + 1 :]  # the window began in the middle of a line
    fence = _front_lines(window.data) if window.start == 0 else 0
    start = first - before.count(b"\n")
    above = _lines(before, start, "context", reach, fence)
    lines = above[-reach.before :]
    focus = len(lines)
    lines += _lines(inside, first, "entry", reach)
    if size > reach.entry:
        lines.append(_note(f"… {size - reach.entry:,} more bytes of this entry"))
    following = last + 1 if inside.endswith(b"\n") else last  # a part of a long entry ends in its line
    below = _lines(after, following, "context", reach)
    lines += below[: reach.after]
    cut = len(window.data) < window.size or size > reach.entry or _cut(lines)
    return Preview(
        key=row.id,
        where=row_text(f"{entry.path}:{first}"),
        facts=_facts(entry),
        warnings=_hidden(inside),
        lines=tuple(lines),
        focus=focus,
        partial=cut or len(above) > reach.before or len(below) > reach.after,
    )


def _facts(entry: Entry) -> tuple[tuple[str, str], ...]:
    """Heading path, day, kind, trust and what its provenance tells, as label and text."""
    facts: list[tuple[str, str]] = []
    if entry.heading:
        facts.append(("under", row_text(heading_path(entry.heading))))
    if entry.date:
        facts.append(("day", f"{entry.date:%a} {entry.date.day} {entry.date:%b %Y}"))
    facts.append(("kind", str(entry.kind)))
    origin = entry.provenance
    if origin:  # what a line without a mark is worth depends on its whole file: `show` says it
        facts.append(("trust", row_text(origin.trust)))
    for name, value in origin.fields if origin else ():
        if name != "trust":
            facts.append((_LABELS.get(name, row_text(name.replace("_", " "))), row_text(value)))
    return tuple(facts)


_LABELS = {"src": "source", "at": "written"}


def _hidden(data: bytes) -> tuple[str, ...]:
    """A line for each sort of secret and hidden text, and one for characters that do nothing good."""
    text = data.decode("utf-8", "surrogateescape")
    secrets, unseen = secrets_in(text), hidden_in(text)
    lines = [f"secret: {line}" for line in by_rule(secrets)]
    lines += [f"hidden text: {line}" for line in by_rule(unseen)]
    steering = [name for name in hidden(text) if unicodedata.category(chr(int(name[2:], 16))) in _STEERING]
    if steering:
        more = f" and {len(steering) - 6} more" if len(steering) > 6 else ""
        lines.append(f"hidden characters: {', '.join(steering[:6])}{more}")
    return tuple(map(row_text, lines))


_STEERING = ("Cc", "Cn", "Co", "Cs")
"""Controls, and characters without a meaning of their own: no script needs them."""


def _lines(data: bytes, first: int, role: str, reach: PreviewLimits, fence: int = 0) -> list[PreviewLine]:
    """The lines of ``data``, numbered from ``first``; those up to number ``fence`` are front matter."""
    if not data:
        return []
    # The entry's own provenance stands above; of its neighbours it is enough that they have one.
    comment = "" if role == "entry" else f" {SOURCE}"
    texts: list[Shown] = []
    cuts: list[bool] = []
    for raw in data.removesuffix(b"\n").split(b"\n"):
        text = raw.decode("utf-8", "surrogateescape")
        left = len(text) - reach.line
        if left > 0:
            text = text[: reach.line] + f" … {left:,} more characters"
        texts.append(line_text(COMMENT.sub(comment, text)))
        cuts.append(left > 0)
    front = max(0, fence - first + 1)
    marked = chain(((text, ()) for text in texts[:front]), drawn(texts[front:]))
    return [
        PreviewLine(number, text, "front" if number <= fence else role, cut, spans)
        for number, (cut, (text, spans)) in enumerate(zip(cuts, marked, strict=True), first)
    ]


def _cut(lines: Iterable[PreviewLine]) -> bool:
    return any(line.cut for line in lines)


def _note(text: str) -> PreviewLine:
    return PreviewLine(None, text, "note")


SIZE_LIMIT = 32_000_000
"""Bytes of a file that are read to show one place in it."""
_AROUND = 12
_LINE_LIMIT = 2_000
_LINES_LIMIT = 200
_KEPT = 2


@lru_cache(_KEPT)
def _source_page(workspace: Workspace, path: str, size: int, changed_ns: int) -> SourcePage:
    """What was read last, by path, size and time of change."""
    return page(IndexSources(workspace), path)
