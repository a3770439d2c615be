"""Changes of several pages, gathered into the edits of one plan: each page is read and proven once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from workbench.errors import NotCuratableError, NotMemoryError
from workbench.graph.directory import Directory, Listed
from workbench.graph.drafts import MemoryDraft, RelationDraft
from workbench.graph.lines import (
    claim_id,
    corroborated,
    memory_line,
    memory_marks,
    relation_marks,
)
from workbench.graph.page_bytes import document_of, new_page, with_aliases, with_lines, with_marks
from workbench.graph.page_names import link, stem_of
from workbench.memory.claims import claim_key, claim_words
from workbench.memory.comment_position import below
from workbench.memory.file_edit import FileEdit
from workbench.memory.graph_page import Relation, TypedMemory, name_key, read_entity
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.provenance import Provenance
from workbench.workspace.workspace import Workspace


@dataclass(slots=True)
class _Waiting:
    """A line that will be added: its words and what its comment will say."""

    words: str
    marks: Provenance


class OpenPage:
    """One page with what is about to be done to it. ``before`` is None where there is no file yet."""

    def __init__(self, before: bytes | None, document: Document) -> None:
        self.before = before
        self.document = document
        self.entity = read_entity(document)
        self.aliases: list[str] = []
        self.touched: set[str] = set()
        """The ids of the lines that are new or say something more."""
        self._marks: dict[str, Provenance] = {}
        self._waiting: dict[tuple[str, ...], _Waiting] = {}
        self._ids = {e.provenance.get("id") or "" for e in document.entries if e.provenance}
        self._memories: dict[tuple[str, str], list[TypedMemory]] = {}
        for memory in self.entity.memories:
            self._memories.setdefault((memory.type, _words_key(memory.text)), []).append(memory)
        self._relations: dict[tuple[str, str], list[Relation]] = {}
        for relation in self.entity.relations:
            self._relations.setdefault((relation.kind, name_key(relation.target)), []).append(relation)

    def remember(self, draft: MemoryDraft, today: date) -> str:
        """Add a memory, or the draft's sources to the one that says the same; the line's id."""
        key = (draft.type, _words_key(draft.text))
        for memory in self._memories.get(key, ()):
            if not _differ(memory.happens_at, draft.happens_at) and _is_said_by(memory, draft, today):
                return self._corroborate(memory, draft)
        day = draft.happens_at.isoformat() if draft.happens_at else ""
        words = memory_line(draft)
        return self._wait(("m", *key, day), words, draft, lambda name: memory_marks(draft, name, today))

    def relate(self, draft: RelationDraft, link_text: str, names: frozenset[str], today: date) -> str:
        """Add a relation to what is called ``names``, or the draft's sources to the one that is there."""
        for name in names:
            for relation in self._relations.get((draft.kind, name), ()):
                if _is_said_by(relation, draft, today):
                    return self._corroborate(relation, draft)
        words = f"- {draft.kind} {link_text}"
        return self._wait(
            ("r", draft.kind, link_text), words, draft, lambda name: relation_marks(draft, name, today)
        )

    def _corroborate(self, line: TypedMemory | Relation, draft: MemoryDraft | RelationDraft) -> str:
        entry = line.entry
        letter = "m" if isinstance(line, TypedMemory) else "r"
        own = self._marks.get(entry.address, entry.provenance)
        name = (own and own.get("id")) or self._name(letter, entry.text)
        said = corroborated(own, draft, name)
        if said != own and (draft.sources or own is not None):
            self._marks[entry.address] = said
            self.touched.add(name)
        return name

    def _wait(
        self,
        key: tuple[str, ...],
        words: str,
        draft: MemoryDraft | RelationDraft,
        marks: Callable[[str], Provenance],
    ) -> str:
        if (same := self._waiting.get(key)) is not None:
            same.marks = corroborated(same.marks, draft, "")
            return same.marks.get("id") or ""
        name = self._name(key[0], words)
        self.touched.add(name)
        self._waiting[key] = _Waiting(words, marks(name))
        return name

    def _name(self, letter: str, words: str) -> str:
        name = claim_id(letter, self.document.path, words, self._ids)
        self._ids.add(name)
        return name

    def result(self) -> Document:
        """The page as it will be. Raises NotCuratableError where it cannot take what waits."""
        after = with_marks(self.document, self._marks) if self._marks else self.document
        after = with_aliases(after, self.aliases)
        lines = [below(line.words, line.marks.render()) for line in self._waiting.values()]
        after = with_lines(after, lines)
        said = {e.provenance.get("id"): e.text for e in after.entries if e.provenance}
        for line in self._waiting.values():
            if said.get(line.marks.get("id")) != line.words.removeprefix("- "):
                raise NotCuratableError(f"“{line.words[:60]}” would be read as something else on a page")
        return after


class Changes:
    """The pages that a plan is about to change, and who is who in it."""

    def __init__(self, workspace: Workspace, today: date, *, by_name: bool = False) -> None:
        """``by_name``: a name that has one page means that page, also where another type is said."""
        self.today = today
        self._by_name = by_name
        self.directory = Directory(workspace)
        self._workspace = workspace
        self._pages: dict[RelPath, OpenPage] = {}

    def page(self, listed: Listed, *, valid_from: date | None = None) -> OpenPage:
        """The page, read on first use; a new one begins with its header."""
        if (found := self._pages.get(listed.path)) is None:
            if not self._workspace.layout.holds(listed.path):
                raise NotMemoryError(listed.path)
            data = self._workspace.files.read_or_none(listed.path)
            fresh = data if data is not None else self._header(listed, valid_from)
            found = self._pages[listed.path] = OpenPage(data, document_of(listed.path, fresh))
        return found

    def open(self, name: str, kind: str, *, valid_from: date | None = None) -> tuple[Listed, OpenPage]:
        """The page of the entity that is called so."""
        listed = self.directory.find(name, kind) if kind else None
        if listed is None and (self._by_name or not kind):
            listed = self.directory.find(name)
        if listed is None:
            listed = self.directory.open(name, kind)
        return listed, self.page(listed, valid_from=valid_from)

    def relate(self, draft: RelationDraft) -> tuple[str, str]:
        """Add a relation, and a page for its target where there is none; its page's path, and its id."""
        start = draft.valid_from or self.today
        listed, page = self.open(draft.entity, draft.entity_type, valid_from=start)
        target, _ = self.open(draft.target, draft.target_type, valid_from=start)
        names = frozenset(map(name_key, (target.name, *target.aliases, stem_of(target.path))))
        words = link(target.name, target.path, alone=self.directory.is_alone(target))
        return listed.path, page.relate(replace(draft, valid_from=start), words, names, self.today)

    def name(self, listed: Listed, aliases: tuple[str, ...]) -> None:
        """Give an entity further names. Raises NotCuratableError where one of them is another's own name."""
        page = self.page(listed)
        page.aliases += [alias for alias in aliases if name_key(alias) != name_key(listed.name)]
        self.directory.named(listed, aliases)

    def documents(self, failed: dict[RelPath, str] | None = None) -> Mapping[RelPath, Document]:
        """The pages as they will be, by path; those that stay as they are left out.

        Raises NotCuratableError where a page cannot take what waits; given ``failed``, that page is left as
        it is and the reason stands there.
        """
        results: dict[RelPath, Document] = {}
        for path, page in self._pages.items():
            try:
                after = page.result()
            except NotCuratableError as error:
                if failed is None:
                    raise
                failed[path] = error.message
                continue
            if after.data != page.before:
                results[path] = after
        return results

    def is_touched(self, path: str, name: str) -> bool:
        """Whether the line with this id is new, or says something more than before."""
        page = self._pages.get(RelPath(path))
        return page is not None and name in page.touched

    def edits(self, documents: Mapping[RelPath, Document]) -> Iterator[FileEdit]:
        """The edits that make these of the files there are."""
        for path, after in documents.items():
            yield FileEdit(path, self._pages[path].before, after.data)

    def _header(self, listed: Listed, valid_from: date | None) -> bytes:
        return new_page(
            listed.path,
            id=listed.id,
            name=listed.name,
            type=listed.type,
            aliases=listed.aliases,
            valid_from=valid_from or self.today,
        )


def _words_key(text: str) -> str:
    """The name of a claim; signs without a word are told apart as they are written."""
    return claim_key(text) if claim_words(text) else text


def _is_said_by(line: TypedMemory | Relation, draft: MemoryDraft | RelationDraft, today: date) -> bool:
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


def _differ(one: date | None, other: date | None) -> bool:
    return one is not None and other is not None and one != other
