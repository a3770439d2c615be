"""What links of the memory lead to, and which of them lead nowhere once an action is carried out.

Obsidian's links name a page (``[[2026-03-14]]``), a heading of it (``[[2026-03-14#Plans]]``) or a block
(``[[2026-03-14#^a1b2]]``, where a line ends in ``^a1b2``). An action that takes away what one leads to says
so.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import FrontMatter, read_front_matter
from workbench.memory.provenance import COMMENT
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_TOLD = 3
"""Links that are told one by one."""
_PAGES = (".md", ".markdown")
CODE = re.compile(r"(?ms)^ {0,3}(?P<mark>```|~~~).*?(?:^ {0,3}(?P=mark)|\Z)|`[^`\n]{1,400}`")
_LINK = re.compile(
    r"(?<!\\)\[\[(?P<page>[^\[\]|#^\n]{0,400})(?:#(?P<part>[^\[\]|\n]{1,400}))?(?:\|[^\[\]\n]{0,400})?\]\]"
)
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+(?P<name>[^\n]*?)[ \t]*(?:[ \t]#+)?[ \t]*\r?$")
_BLOCK = re.compile(r"(?m)(?:^|[ \t])\^(?P<name>[A-Za-z0-9-]+)[ \t]*\r?$")
_MARKS = re.compile(r"[^\w\s]+")


@frozen
class MarkdownLink:
    """A link as it is written, and what it means: a page (empty: its own), and a part of it or nothing.

    ``part`` is ``^name`` of a block, or the plain words of a heading.
    """

    written: str
    page: str
    part: str


def links_in(data: bytes) -> Iterator[MarkdownLink]:
    """The links of a file, embeds among them. What is in code is no link."""
    if b"[[" not in data:
        return
    for found in _LINK.finditer(CODE.sub(" ", data.decode("utf-8", "replace"))):
        part = (found["part"] or "").rpartition("#")[2].strip()
        if found["page"].strip() or part:
            named = part.casefold() if part.startswith("^") else _plain(part)
            yield MarkdownLink(found[0], page_name(found["page"]), named)


def parts_in(data: bytes) -> Counter[str]:
    """What links can name in a file: blocks as ``^name``, headings as plain words; how often each."""
    text = data.decode("utf-8", "replace")
    if "`" in text or "~~~" in text:
        text = CODE.sub(" ", text)
    found: Counter[str] = Counter()
    if "^" in text:
        found.update(f"^{block['name'].casefold()}" for block in _BLOCK.finditer(text))
    found.update(_plain(COMMENT.sub("", heading["name"])) for heading in _HEADING.finditer(text))
    return found


def names_of(path: str, header: FrontMatter | None) -> frozenset[str]:
    """What links call a page, as ``page_name`` has it: its path, its file, and the names in its header."""
    names = [path, posixpath.basename(path)]
    if header is not None:
        said = (header.text(key) for key in ("name", "title", "id", "permalink"))
        names += [*filter(None, said), *header.list("aliases")]
    return frozenset(map(page_name, names))


def telling_lost_links(workspace: Workspace, plan: Plan) -> Plan:
    """The plan, whose notes name the links that lead nowhere once it is carried out, and doubled blocks."""
    notes = [
        f"two blocks of {edit.path} are now named {name}"
        for edit in plan.edits
        if edit.after is not None
        for name, count in parts_in(edit.after).items()
        if count > 1 and name.startswith("^") and count > parts_in(edit.before or b"")[name]
    ]
    lost = dict(_lost(plan.edits))
    if lost:
        notes += _told(list(_broken(workspace, plan.edits, lost)))
    return replace(plan, notes=(*plan.notes, *notes)) if notes else plan


def _lost(edits: Iterable[FileEdit]) -> Iterator[tuple[FileEdit, frozenset[str] | None]]:
    """What files have no more: parts of them, or None where the file itself goes."""
    stems = {page_name(posixpath.basename(edit.path)) for edit in edits if edit.after is not None}
    for edit in edits:
        if edit.before is None or edit.before == edit.after:
            continue
        if edit.after is None:
            if (
                page_name(posixpath.basename(edit.path)) not in stems
            ):  # it only moves, and is found by its name
                yield edit, None
        elif gone := frozenset(parts_in(edit.before)) - frozenset(parts_in(edit.after)):
            yield edit, gone


def _broken(
    workspace: Workspace, edits: Iterable[FileEdit], lost: Mapping[FileEdit, frozenset[str] | None]
) -> Iterator[tuple[str, RelPath]]:
    """Links that lead to what is lost, each with the file that it will stand in."""
    called = {edit: names_of(edit.path, read_front_matter(edit.before or b"")) for edit in lost}
    after = {edit.path: edit.after for edit in edits}
    paths = dict.fromkeys([*(file.path for file in workspace.scan()), *after])
    for path in paths:
        data = after[path] if path in after else workspace.files.read_or_none(path)
        for link in links_in(data or b""):
            for edit, parts in lost.items():
                means = link.page in called[edit] if link.page else path == edit.path
                if means and (parts is None or link.part in parts):
                    yield link.written, path
                    break


def _told(broken: list[tuple[str, RelPath]]) -> Iterator[str]:
    shown = list(dict.fromkeys(broken))
    for written, path in shown[:_TOLD]:
        yield f"the link {written} in {path} has no target now"
    if len(shown) > _TOLD:
        yield f"and so do {len(shown) - _TOLD} more: `workbench check` lists dead links to pages"


def page_name(text: str) -> str:
    """The name of a page as names are compared: without case, and with blanks for hyphens and underscores."""
    bare = text.strip().casefold()
    for end in _PAGES:
        bare = bare.removesuffix(end)
    return " ".join(bare.replace("-", " ").replace("_", " ").split())


def _plain(heading: str) -> str:
    """The words of a heading as links are compared: without case and marks."""
    return " ".join(_MARKS.sub(" ", heading).casefold().split())
