"""The history of one entry, back to its first log line and on to what became of it; and that of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from workbench.errors import UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.history.origin import Attribution, deed_of
from workbench.history.text_similarity import SAME_FILE, counterpart, file_likeness, likest
from workbench.history.versions import FileVersion, Versions, entry_in, plain_count, spoken, surroundings
from workbench.memory.entry import Entry, RelPath, hash_of, path_of, place_of
from workbench.memory.markdown import Document
from workbench.repository.objects import BlobId, Commit, CommitId
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

_TAKES_BACK = frozenset({"undo", "redo", "restore"})
_MOST_FILES = 1_000
"""Files that one commit changed among which a moved entry is looked for."""
_VAGUE = frozenset({"add", "remove"})


@frozen_kw_only
class LineageStep:
    """One commit in the life of an entry, or what is on disk and not recorded yet.

    ``what`` is the action in a word: that of the operation, or for a plain commit ``add``, ``edit``,
    ``move``, ``rename``, ``copy``, ``derive`` or ``remove``; ``boundary`` where a shallow clone ends.
    ``before`` and ``after`` are addresses: where it stood, and where it stands since; none of them where it
    came from nothing, or is gone. ``text`` is its first line.
    """

    deed: Attribution
    what: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    text: str

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        deed = self.deed
        return {
            "what": self.what,
            "operation": deed.operation,
            "commit": deed.commit,
            "when": deed.when,
            "who": deed.who,
            "actor": deed.actor,
            "summary": deed.summary,
            "session": deed.session,
            "before": self.before,
            "after": self.after,
            "text": self.text,
        }


def lineage(workspace: Workspace, address: str) -> tuple[LineageStep, ...]:
    """All that happened to the entry at ``address``, newest first; it may be gone by now.

    An entry is followed by its text. In its own file every commit is a step that made it appear or vanish.
    What it was before, or became, is told by the trailers of our operations, and in plain commits by the same
    text in another file, or by text that is alike in the place of the change (``text_similarity``). Raises
    EntryNotFoundError where its file never held it, AmbiguousEntryError, NotMemoryError, and what
    ``workspace.history`` raises.
    """
    links = Links(workspace)
    trace = _Trace(links)
    trace.run(links.last_seen(address))
    place = {name: number for number, name in enumerate(workspace.history.order())}
    return tuple(
        sorted(trace.steps.values(), key=lambda step: place.get(step.deed.commit or CommitId(""), -1))
    )


@dataclass(slots=True)
class _Node:
    """An entry on the way: whether what it was, and what it became, is followed, by how many spellings."""

    entry: Entry
    back: bool = False
    forth: bool = False
    spellings: int = 0


class _Trace:
    def __init__(self, links: Links) -> None:
        self._links = links
        self._queue: list[_Node] = []
        self._nodes: dict[str, _Node] = {}
        self.steps: dict[CommitId | None, LineageStep] = {}

    def run(self, start: Entry) -> None:
        """Follow ``start`` both ways, and whatever is met on either way."""
        self._meet(start, back=True, forth=True)
        while self._queue or self._again():
            node = self._queue.pop()
            node.spellings = len(self._links.spellings(node.entry))
            for version, appeared in self._events(node):
                self._step_at(node, version, appeared)
            self._named(node)

    def _again(self) -> bool:
        """Look once more for entries that turned out to be spelt in other ways too; whether there are any."""
        spellings = self._links.spellings
        self._queue += [one for one in self._nodes.values() if len(spellings(one.entry)) > one.spellings]
        return bool(self._queue)

    def _meet(self, entry: Entry, *, back: bool, forth: bool) -> None:
        known = self._nodes.get(entry.address)
        node = self._nodes.setdefault(entry.address, _Node(entry))
        if known is None or (back and not node.back) or (forth and not node.forth):
            node.back |= back
            node.forth |= forth
            self._queue.append(node)

    def _events(self, node: _Node) -> Iterator[tuple[FileVersion, bool]]:
        """The versions of its file in which an entry appears (True) or from which it is gone."""
        for version in self._links.of(node.entry.path):
            if not self._can_differ(node.entry, version):
                continue
            has, *had = (self._holds(node.entry, blob) for blob in (version.after, *version.before))
            if has and not any(had):
                yield version, True
            elif not has and had and all(had):
                yield version, False

    def _can_differ(self, entry: Entry, version: FileVersion) -> bool:
        spellings = self._links.spellings(entry)
        data, *older = (self._links.data(blob) for blob in (version.after, *version.before))
        place = surroundings(data, spellings)
        if not older:
            return bool(place)
        if all(surroundings(one, spellings) == place for one in older):
            return False
        # Its neighbours changed, which in a plain list is nothing to it.
        count = plain_count(data, spellings)
        return count is None or any(plain_count(one, spellings) != count for one in older)

    def _holds(self, entry: Entry, blob: BlobId | None) -> bool:
        document = self._links.document(entry.path, blob)
        return any(one.hash == entry.hash and one.ordinal == entry.ordinal for one in document.entries)

    def _step_at(self, node: _Node, version: FileVersion, appeared: bool) -> None:
        blob = version.after if appeared else version.before[0]
        document = self._links.document(version.path, blob)
        entry = entry_in(document, node.entry.address)
        if entry is None:
            return
        what, others = (self._links.before if appeared else self._links.after)(version, document, entry)
        here, there = [entry.address], [one.address for one in others]
        before, after = (there, here) if appeared else (here, there)
        self._note(version.deed, what, before, after, entry)
        for other in others:
            self._meet(other, back=appeared and node.back, forth=not appeared and node.forth)

    def _named(self, node: _Node) -> None:
        """Operations that name the entry and leave it in its file: pins, moves inside of it, promotions."""
        mine = spoken(node.entry.address)
        for commit in self._links.history.commits(saying=f"Entry: {mine}", batch=1 << 30):
            deed = deed_of(commit)
            if not deed.ours or mine not in deed.entries or commit.id in self.steps:
                continue
            made = [after for before, after in became_pairs(deed) if mine in before]
            if mine in made:
                self._note(deed, deed.action, [node.entry.address], [node.entry.address], node.entry)
            elif node.forth and (copies := self._links.made_by(commit, made, node.entry)):
                self._note(deed, deed.action, [node.entry.address], [e.address for e in copies], node.entry)
                for copy in copies:
                    self._meet(copy, back=False, forth=True)

    def _note(self, deed: Attribution, what: str, before: list[str], after: list[str], entry: Entry) -> None:
        """One step for each commit, however many entries of this history it touched."""
        known = self.steps.get(deed.commit)
        step = LineageStep(deed=deed, what=what, before=tuple(before), after=tuple(after), text=entry.title)
        if known:
            step = replace(
                known,
                what=what if known.what in _VAGUE else known.what,
                before=tuple(dict.fromkeys((*known.before, *before))),
                after=tuple(dict.fromkeys((*known.after, *after))),
            )
        self.steps[deed.commit] = step


EntryLink = tuple[str, tuple[Entry, ...]]
"""What happened, in a word, and the entries at its other end."""


def became_pairs(deed: Attribution) -> list[tuple[tuple[str, ...], str]]:
    """What an operation says: these entries became that one."""
    if len(deed.became) == 1:
        return [(deed.entries, deed.became[0])]
    if len(deed.became) == len(deed.entries):
        return [((before,), after) for before, after in zip(deed.entries, deed.became, strict=True)]
    return []


class Links(Versions):
    """The versions of files, and the links between the entries of one commit's two sides."""

    def before(self, version: FileVersion, document: Document, entry: Entry) -> EntryLink:
        """What an entry that a version brought was before it."""
        deed, commit = version.deed, version.commit
        if deed.cut_off:
            return "boundary", ()
        if deed.ours and commit:
            others = tuple(self._by_trailers(commit, deed, entry))
            if others or deed.action in _TAKES_BACK:
                return deed.action, others
        what, others = self._before_in_plain(version, document, entry)
        if not others and (source := self.source(version, entry)):
            what = "copy" if source.hash == entry.hash else "derive"
            others = (source,)
        is_ours = deed.ours and deed.action != "external"
        return (deed.action if is_ours else what), others

    def after(self, version: FileVersion, document: Document, entry: Entry) -> EntryLink:
        """What an entry that a version no longer has became in it."""
        deed, commit = version.deed, version.commit
        if deed.ours and commit:
            named = [after for before, after in became_pairs(deed) if spoken(entry.address) in before]
            others = [found for address in named if (found := self._at(commit.id, address, commit))]
            if others or deed.action != "external":
                return deed.action, tuple(others)
        there = self.document(version.path, version.after)
        if edited := counterpart(entry, document, there):
            return "edit", (edited,)
        if commit:
            for path in islice(self._other_paths(commit, version.path), _MOST_FILES):
                new = self.blob_id(commit.id, path)
                if moved := self._only_in(entry, path, new, self._old(commit, path)):
                    return "move" if version.after else "rename", (moved,)
                is_renamed = not version.after and file_likeness(document.data, self.data(new)) > SAME_FILE
                if is_renamed and (found := _alike(entry, document, self.document(path, new))):
                    return "rename", (found,)
        return "remove", ()

    def source(self, version: FileVersion, entry: Entry) -> Entry | None:
        """The entry that a copy's own comment names as its source."""
        source = entry.field("src") or ""
        path = RelPath(path_of(source))
        if not path or not self.workspace.layout.may_curate(path):
            return None
        digits = entry.field("entry")
        if not digits and (place := place_of(source)) and version.commit:
            there = self.document_at(version.commit.id, path)
            if found := there.at_line(place[1]):
                return found
        address = f"{path}#{digits or entry.hash}"
        if version.commit:
            for commit in (*version.commit.parents, version.commit.id):
                if found := entry_in(self.document_at(commit, path), address):
                    return found
        try:
            return self.last_seen(address)
        except UsageError:  # no such entry, or several: the comment is only text
            return None

    def made_by(self, commit: Commit, named: Sequence[str], source: Entry) -> list[Entry]:
        """What an operation made of ``source``: the entries it names, else copies with the same text."""
        found = [entry for address in named if (entry := self._at(commit.id, address, commit))]
        if found or named:
            return found
        copies = (
            self._only_in(source, path, self.blob_id(commit.id, path), self._old(commit, path))
            for path in self._other_paths(commit, source.path)
        )
        return [copy for copy in copies if copy]

    def _by_trailers(self, commit: Commit, deed: Attribution, entry: Entry) -> Iterator[Entry]:
        mine = spoken(entry.address)
        named = [address for before, after in became_pairs(deed) if after == mine for address in before]
        if not deed.became:
            named = [a for a in deed.entries if hash_of(a) == entry.hash]
        for address in named:
            for parent in commit.parents:
                if address != mine and (found := self._at(parent, address, commit)):
                    yield found
                    break

    def _at(self, commit: CommitId, address: str, changed_by: Commit) -> Entry | None:
        """The entry that a trailer names; odd characters of a path are spelt otherwise there."""
        path = RelPath(path_of(address))
        if self.blob_id(commit, path) is None:
            changed = self.history.changed_paths(changed_by)
            path = next((one for one in changed if spoken(one) == path), path)
        return entry_in(self.document_at(commit, path), address)

    def _before_in_plain(self, version: FileVersion, document: Document, entry: Entry) -> EntryLink:
        commit = version.commit
        if commit:
            for path in islice(self._other_paths(commit, version.path), _MOST_FILES):
                gone = self.blob_id(commit.id, path)
                if moved := self._only_in(entry, path, self._old(commit, path), gone):
                    return "move" if self.data(gone) else "rename", (moved,)
        for before in version.before:
            if before is not None and (
                edited := counterpart(entry, document, self.document(version.path, before))
            ):
                return "edit", (edited,)
        if commit and not any(version.before):
            older = self.renamed_from(commit, version.path)
            if older is not None:
                old_page = self.document(older, self._old(commit, older))
                if found := _alike(entry, document, old_page):
                    return "rename", (found,)
        return "add", ()

    def renamed_from(self, commit: Commit, path: RelPath) -> RelPath | None:
        """The file that a commit took away and that ``path``, which it brought, was before."""
        if not commit.parent or self.blob_id(commit.parent, path) is not None:
            return None
        new = self.blob_id(commit.id, path)
        found, best = None, SAME_FILE
        for old in self.history.changed_paths(commit):
            before = self.blob_id(commit.parent, old)
            if before is None or self.blob_id(commit.id, old) is not None:
                continue
            if before == new:
                return old
            likeness = file_likeness(self.data(before), self.data(new))
            if likeness > best:
                found, best = old, likeness
        return found

    def _other_paths(self, commit: Commit, path: RelPath) -> Iterator[RelPath]:
        """The memory files beside ``path`` that a commit changed."""
        holds = self.workspace.layout.may_curate
        changed = self.history.changed_paths(commit)
        return (one for one in changed if one != path and holds(one))

    def _old(self, commit: Commit, path: RelPath) -> BlobId | None:
        """What a file was before a commit."""
        return self.blob_id(commit.parent, path) if commit.parent else None

    def _only_in(
        self, entry: Entry, path: RelPath, here: BlobId | None, there: BlobId | None
    ) -> Entry | None:
        """The entry with the same text where the version ``here`` of a file has it and ``there`` has not."""
        title = entry.title.encode("utf-8", "replace")[:40]
        if here is None or (title not in self.data(here) and "\ufffd" not in entry.title):
            return None  # not worth parsing for
        document = self.document(path, here)
        found = next((one for one in document.entries if one.hash == entry.hash), None)
        others = self.document(path, there).entries if found else ()
        return None if any(one.hash == entry.hash for one in others) else found


def _alike(entry: Entry, here: Document, there: Document) -> Entry | None:
    """What is like an entry of one page on another, where that page alone has it."""
    return likest(entry, (one for one in there.entries if entry_in(here, one.address) is None))


# -- the operations on a file ------------------------------------------------------------------------


@frozen
class FileStep:
    """An operation on the file that is called ``path`` after it; ``renamed_from`` where that name is new."""

    operation: Operation
    path: RelPath | None = None
    renamed_from: RelPath | None = None


def file_log(workspace: Workspace, path: str) -> Iterator[FileStep]:
    """The operations that changed a file, newest first, followed back over its renames.

    A commit renames a file where one file goes and another one comes with the same bytes, or with more
    than 60 % of its lines (``text_similarity``). Git's own detection is not asked: it can be configured.
    """
    links = Links(workspace)
    place: dict[CommitId, int] = {}
    since = -1
    name: RelPath | None = RelPath(path)
    while name is not None:
        older: RelPath | None = None
        for operation in workspace.operations.walk(path=name):
            if place and place.get(operation.commit, -1) <= since:
                continue  # what was done under this name after it had passed on
            older = links.renamed_from(workspace.history.commit(operation.commit), name)
            yield FileStep(operation, name, older)
            if older is not None:
                place = place or {commit: n for n, commit in enumerate(workspace.history.order())}
                since = place.get(operation.commit, -1)
                break
        name = older
