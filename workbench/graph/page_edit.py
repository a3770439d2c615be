"""Edits of graph pages that leave all else in them as it is, and the names of pages in paths and links."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date

from workbench.errors import NotCuratableError, NotMemoryError, UsageError
from workbench.graph.drafts import (
    LineDraft,
    MemoryDraft,
    RelationDraft,
    claim_id,
    corroborated,
    draft_marks,
)
from workbench.memory.claims import claim_key, claim_words
from workbench.memory.edit import with_origins
from workbench.memory.entry import Form, Kind, RelPath, digest, stem_of
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import FrontMatter, quoted_scalar, read_front_matter, with_line
from workbench.memory.graph_page import Entity, PageLine, TypedMemory, name_key, read_entity
from workbench.memory.invariants import signs
from workbench.memory.markdown import Document, parse_document
from workbench.memory.move import Destination, MovedBlock, item_of, set_down
from workbench.memory.provenance import Provenance
from workbench.workspace.workspace import Workspace

_CODE = re.compile(r"(?ms)^ {0,3}(?P<mark>```|~~~).*?(?:^ {0,3}(?P=mark)|\Z)|`[^`\n]{1,400}`")
_LINK = re.compile(
    r"(?<!\\)\[\[(?P<target>[^\[\]|#^\n]{1,400})(?P<part>[#^][^\[\]|\n]{0,200})?(?:\|(?P<shown>[^\[\]\n]{0,400}))?\]\]"
)
_RELATION = re.compile(r"[ \t]*[-*+][ \t]+[\w-]+(?: [\w-]+){0,3}[ \t]+\Z")


def relinked(text: str, is_old: Callable[[str], bool], new: str) -> str:
    """``text`` with every link whose target ``is_old`` leading to ``new``, a name or the name of a file.

    In running text the words that were shown stay (`[[Sarah Chen|Sarah]]`); the target of a relation, which
    is a line of its own, simply changes. Links in code are none.
    """
    if "[[" not in text:
        return text
    code = [found.span() for found in _CODE.finditer(text)]

    def led(found: re.Match[str]) -> str:
        target = found["target"].strip()
        if any(start <= found.start() < end for start, end in code) or not is_old(target):
            return found[0]
        shown = found["shown"]
        if shown is None and not _RELATION.match(text, text.rfind("\n", 0, found.start()) + 1, found.start()):
            shown = target
        words = f"|{shown}" if shown and shown != new else ""
        return f"[[{new}{found['part'] or ''}{words}]]"

    return _LINK.sub(led, text)


# -- how pages are named: in the file system, in links, and when two names are one -------------------

FOLDER = "graph/"
LONGEST_STEM = 120
"""Bytes of a file name without its end: with a suffix it stays far below the 255 that file systems take."""
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_UNLINKABLE = re.compile(r"[\[\]|#^\\<>]")


def slug(name: str) -> str:
    """``name`` as a part of a path: letters and digits of any script, joined by hyphens.

    A name without either (`../`, an emoji), or one that is too long, has digits of its hash.
    """
    plain = _SELECTORS.sub("", unicodedata.normalize("NFKC", name).casefold())
    # Marks on letters stay: vowels are marks in several scripts.
    kept = (c if unicodedata.category(c)[0] in "LNM" else " " for c in plain)
    stem = unicodedata.normalize("NFC", "-".join("".join(kept).split()))
    if not stem:
        return f"x-{digest(name, 8)}"
    if len(stem.encode()) > LONGEST_STEM:
        short = stem.encode()[:LONGEST_STEM].decode("utf-8", "ignore").strip("-")
        return f"{short}-{digest(name, 8)}"
    return stem


def page_path(name: str, kind: str, taken: Container[str]) -> RelPath:
    """A path for the page of a new entity that none of ``taken`` has.

    Links to a name that they cannot hold (`C#`) lead to the file, whose name must then be nobody else's.
    """
    stem = slug(name)
    longer = f"{stem}-{digest(name, 8)}"
    tries = [*([stem] if is_linkable(name) else []), longer, *(f"{longer}-{n}" for n in range(2, 100))]
    paths = (RelPath(f"{FOLDER}{kind}/{one}.md") for one in tries)
    return next(path for path in paths if path not in taken)


def is_linkable(name: str) -> bool:
    """Whether ``[[name]]`` is read back as this name."""
    return not _UNLINKABLE.search(name) and bool(name.strip())


def link(name: str, path: str, *, alone: bool = True) -> str:
    """The wiki link to the entity ``name`` at ``path``: by its name, else by its file.

    ``alone``: nobody else has that name; else the link says the whole path.
    """
    if is_linkable(name):
        return f"[[{name}]]" if alone else f"[[{path.removesuffix('.md')}|{name}]]"
    shown = " ".join(_UNLINKABLE.sub(" ", name).split())
    return f"[[{stem_of(path)}{'|' + shown if shown else ''}]]"


# -- pages and their lines ---------------------------------------------------------------------------
# Each edited page is read again: all that stood in it must still stand as it did, with just the new lines
# beside it.

_PLAIN = re.compile(r"[^\W\d_][\w .'’()&+/-]*[\w.)+]|[^\W\d_]")
# Words that other readers of YAML take for something else than words.
_WORDS = frozenset(["true", "false", "yes", "no", "on", "off", "null", "nan", "y", "n"])
_LISTED_ALIASES = re.compile(
    rb"^aliases[ \t]*:[ \t]*(?P<end>\r?\n)(?:(?P<margin>[ \t]*)-[ \t][^\r\n]*\r?\n)+", re.MULTILINE
)


def document_of(path: RelPath, data: bytes) -> Document:
    """The bytes of a graph page, parsed."""
    return parse_document(path, data, Kind.ENTITY)


def new_page(entity: Entity, valid_from: date) -> bytes:
    """An entity's page without lines. A name that no link can hold has its file's as an alias."""
    lines = ["---", f"id: {entity.id}", f"name: {_scalar(entity.name)}", f"type: {entity.type}"]
    if not is_linkable(entity.name):
        lines.append(f"aliases: [{_scalar(stem_of(entity.path))}]")
    lines.append(f"valid_from: {valid_from.isoformat()}")
    return "".join(line + "\n" for line in (*lines, "---")).encode()


def with_lines(document: Document, lines: Sequence[MovedBlock]) -> Document:
    """The page with ``lines`` added where they are read as what they are.

    That is behind the last memory or relation, else at the end, else right behind the header. Raises
    NotCuratableError where a block that is not closed would swallow them.
    """
    if not lines:
        return document
    for place in _places(document):
        with suppress(NotCuratableError):
            return set_down(document, place, lines)[0]
    raise NotCuratableError(
        f"nothing can be added to {document.path}: an unclosed code block, comment or HTML element would "
        "contain it",
        hint="close it with an editor; nothing was changed",
    )


def _places(document: Document) -> Iterator[Destination]:
    """Where lines may be added, the natural place first."""
    entries = (line.entry for line in read_entity(document).lines)
    own = [entry for entry in entries if entry.form is Form.ITEM]
    if own:
        last = max(own, key=lambda entry: entry.whole.end)
        yield Destination(last.heading, (last.whole.end,), as_it_stood=True)
    below = document.headings[-1].path if document.headings else ()
    yield Destination(below, (len(document.data),), as_it_stood=True)
    yield Destination((), (document.header.body,), as_it_stood=True)


def with_aliases(document: Document, names: Sequence[str]) -> Document:
    """The page with further names in its header; those it has, and the entity's own, are not added again.

    Raises NotCuratableError where the header is not one that can take them.
    """
    entity = read_entity(document)
    known = entity.keys
    new: dict[str, str] = {}
    for name in names:
        if (key := name_key(name)) not in known:
            new.setdefault(key, name)
    if not new:
        return document
    header = document.front_matter
    if header is not None and not header.problem:
        data = _aliased(document.data, header, list(new.values()))
        after = document_of(document.path, data)
        wanted = {**header.values, "aliases": [*entity.aliases, *new.values()]}
        if after.front_matter and after.front_matter.values == wanted and signs(after) == signs(document):
            return after
    raise NotCuratableError(
        f"the header of {document.path} cannot take another name",
        hint="add it there yourself: aliases: [name]",
    )


def _aliased(data: bytes, header: FrontMatter, new: Sequence[str]) -> bytes:
    if found := _LISTED_ALIASES.search(data, header.start, header.end):  # ours follow the last one
        lines = (found["margin"] + b"- " + _scalar(name).encode() + found["end"] for name in new)
        return data[: found.end()] + b"".join(lines) + data[found.end() :]
    names = ", ".join(map(_scalar, (*header.list("aliases"), *new)))
    return with_line(data, header, "aliases", f"[{names}]")


def _scalar(text: str) -> str:
    """``text`` as YAML that everybody reads as these words."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS and ": " not in text and " #" not in text:
        return text
    return quoted_scalar(text)


class Directory:
    """The pages of a workspace, read once; new ones can be entered, so that a plan sees its own."""

    def __init__(self, workspace: Workspace) -> None:
        self._by_name: dict[str, list[Entity]] = defaultdict(list)
        self._by_path: dict[str, Entity] = {}
        for file in workspace.scan():
            if file.kind is Kind.ENTITY and (data := workspace.files.read_or_none(file.path)) is not None:
                # What a page is called costs no parsing of all of it.
                self._enter(read_entity(Document(file.path, file.kind, b"", read_front_matter(data))))

    def find(self, name: str, kind: str = "") -> Entity | None:
        """The page of the entity that is called so, of this type where one is said.

        What a page calls itself goes before its other names. Raises UsageError where several do.
        """
        called = [one for one in self._by_name.get(name_key(name), ()) if not kind or one.type == kind]
        own = [one for one in called if name_key(one.name) == name_key(name)]
        found = own or called
        if len(found) > 1:
            raise UsageError(
                f"several entities are called {name}: {', '.join(one.path for one in found[:5])}",
                hint="give its type too, or its exact name"
                if not kind
                else "merge them, or give its exact name",
            )
        return found[0] if found else None

    def pages(self) -> Iterable[Entity]:
        """All pages."""
        return self._by_path.values()

    def is_alone(self, page: Entity) -> bool:
        """Whether no other entity has the name of this one."""
        return all(one.path == page.path for one in self._by_name.get(name_key(page.name), ()))

    def add(self, name: str, kind: str) -> Entity:
        """A new page of that entity."""
        kind = kind or "concept"
        path = page_path(name, kind, self._by_path)
        return self._enter(Entity(path=path, id=f"ent-{digest(path, 10)}", name=name, type=kind))

    def _enter(self, page: Entity) -> Entity:
        self._by_path[page.path] = page
        for name in page.keys | {name_key(page.id)}:
            others = [one for one in self._by_name[name] if one.path != page.path]
            self._by_name[name] = [*others, page]
        return page


class OpenPage:
    """One page with what is about to be done to it. ``before`` is None where there is no file yet."""

    def __init__(self, before: bytes | None, document: Document) -> None:
        self.before = before
        self.document = document
        self.entity = read_entity(document)
        self._marks: dict[str, Provenance] = {}
        self._waiting: dict[tuple[str, ...], tuple[str, Provenance]] = {}
        """The lines that will be added: their words and what their comments will say."""
        self._ids = {entry.field("id") or "" for entry in document.entries}
        self._known: dict[tuple[str, ...], list[PageLine]] = defaultdict(list)
        for memory in self.entity.memories:
            self._known["m", memory.type, _words_key(memory.text)].append(memory)
        for relation in self.entity.relations:
            self._known["r", relation.kind, name_key(relation.target)].append(relation)

    def remember(self, draft: MemoryDraft, today: date) -> str:
        """Add a memory, or the draft's sources to the one that says the same.

        The id of the line, or nothing where it says no more than before.
        """
        key = ("m", draft.type, _words_key(draft.text))
        same = [one for one in self._known.get(key, ()) if _may_be_of(one, draft.happens_at)]
        day = draft.happens_at.isoformat() if draft.happens_at else ""
        return self._put((*key, day), f"[{draft.type}] {draft.text}", draft, same, today)

    def relate(self, draft: RelationDraft, link_text: str, names: frozenset[str], today: date) -> str:
        """``remember`` for a relation to what is called ``names``."""
        same = [one for name in names for one in self._known.get(("r", draft.kind, name), ())]
        return self._put(("r", draft.kind, link_text), f"{draft.kind} {link_text}", draft, same, today)

    def _put(
        self,
        key: tuple[str, ...],
        words: str,
        draft: LineDraft,
        same: Iterable[PageLine],
        today: date,
    ) -> str:
        """Corroborate one of the lines that say the ``same``, else enter a new one."""
        if line := next((one for one in same if _is_said_by(one, draft, today)), None):
            entry = line.entry
            own = self._marks.get(entry.address, entry.provenance)
            name = (own and own.get("id")) or self._name(key[0], entry.text)
            marks = corroborated(own, draft, name)
            if marks == own or not draft.sources:
                return ""
            self._marks[entry.address] = marks
            return name
        if key in self._waiting:
            words, marks = self._waiting[key]
            marks = corroborated(marks, draft, "")
        else:
            marks = draft_marks(draft, self._name(key[0], words), today)
        self._waiting[key] = words, marks
        return marks.get("id") or ""

    def _name(self, letter: str, words: str) -> str:
        name = claim_id(letter, self.document.path, words, self._ids)
        self._ids.add(name)
        return name

    def result(self) -> Document:
        """The page as it will be. Raises NotCuratableError where it cannot take what waits."""
        lines = [item_of(words, marks) for words, marks in self._waiting.values()]
        return with_lines(with_origins(self.document, self._marks), lines)


class Changes:
    """The pages that a plan is about to change, and who is who in it.

    They become the edits of one plan.
    """

    def __init__(self, workspace: Workspace, today: date, *, by_name: bool = False) -> None:
        """``by_name``: a name that has one page means that page, also where another type is said."""
        self.today = today
        self._by_name = by_name
        self.directory = Directory(workspace)
        self._workspace = workspace
        self._pages: dict[RelPath, OpenPage] = {}

    def page(self, entity: Entity, *, valid_from: date | None = None) -> OpenPage:
        """The page, read on first use; a new one begins with its header."""
        if (found := self._pages.get(entity.path)) is None:
            if not self._workspace.layout.holds(entity.path):
                raise NotMemoryError(entity.path)
            data = self._workspace.files.read_or_none(entity.path)
            fresh = data if data is not None else new_page(entity, valid_from or self.today)
            found = self._pages[entity.path] = OpenPage(data, document_of(entity.path, fresh))
        return found

    def open(self, name: str, kind: str, *, valid_from: date | None = None) -> tuple[Entity, OpenPage]:
        """The page of the entity that is called so."""
        entity = self.directory.find(name, kind) if kind else None
        if entity is None and (self._by_name or not kind):
            entity = self.directory.find(name)
        if entity is None:
            entity = self.directory.add(name, kind)
        return entity, self.page(entity, valid_from=valid_from)

    def relate(self, draft: RelationDraft) -> tuple[str, str]:
        """Add a relation, and a page for its target where there is none; its page's path, and its id as
        ``OpenPage.remember`` says it.
        """
        start = draft.valid_from or self.today
        entity, page = self.open(draft.entity, draft.entity_type, valid_from=start)
        target, _ = self.open(draft.target, draft.target_type, valid_from=start)
        names = target.keys | {name_key(stem_of(target.path))}
        words = link(target.name, target.path, alone=self.directory.is_alone(target))
        return entity.path, page.relate(replace(draft, valid_from=start), words, names, self.today)

    def documents(self, failed: dict[RelPath, str] | None = None) -> list[tuple[FileEdit, Document]]:
        """The pages as they will be, and the edits that make them of the files; no page that stays as it is.

        Raises NotCuratableError where a page cannot take what waits; given ``failed``, that page is left as
        it is and the reason stands there.
        """
        results = []
        for path, page in self._pages.items():
            try:
                after = page.result()
            except NotCuratableError as error:
                if failed is None:
                    raise
                failed[path] = error.message
                continue
            if after.data != page.before:
                results.append((FileEdit(path, page.before, after.data), after))
        return results


def _words_key(text: str) -> str:
    """The name of a claim; signs without a word are told apart as they are written."""
    return claim_key(text) if claim_words(text) else text


def _is_said_by(line: PageLine, draft: LineDraft, today: date) -> bool:
    """Whether a line with the same words is what the draft says: one that holds, or that held then.

    What is over does not begin again because a log of that time, or one that the line cites, is read anew.
    """
    until = line.valid_until
    if until is None or until > today:
        return True
    said_on = draft.occurred_at if isinstance(draft, MemoryDraft) else draft.valid_from
    cited = {source.partition("#")[0] for source in line.sources}
    anew = any(source.partition("#")[0] in cited for source in draft.sources)
    return anew or (said_on is not None and said_on < until)


def _may_be_of(line: PageLine, day: date | None) -> bool:
    """Whether a line is due, or takes place, on ``day``, where both say one."""
    own = line.happens_at if isinstance(line, TypedMemory) else None
    return own is None or day is None or own == day
