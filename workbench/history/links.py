"""From an entry to what it was before a commit, and to what it became: by trailers, else by its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from workbench.errors import UsageError
from workbench.history.attribution import Deed
from workbench.history.text_similarity import SAME_FILE, counterpart, file_likeness, likest
from workbench.history.versions import FileVersion, Versions, entry_in, spoken
from workbench.memory.address import path_of
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document
from workbench.memory.names import BlobId, CommitId, RelPath
from workbench.repository.commits import Commit

_LINE = re.compile(r"#L(\d{1,9})")
_TAKES_BACK = frozenset({"undo", "redo", "restore"})
_MOST_FILES = 1_000
"""Files that one commit changed among which a moved entry is looked for."""


@dataclass(frozen=True, slots=True)
class EntryLink:
    """What happened, in a word, and the entries at its other end."""

    what: str
    others: tuple[Entry, ...] = ()


def became_pairs(deed: Deed) -> list[tuple[tuple[str, ...], str]]:
    """What an operation says: these entries became that one."""
    if len(deed.became) == 1:
        return [(deed.entries, deed.became[0])]
    if len(deed.became) == len(deed.entries):
        return [((before,), after) for before, after in zip(deed.entries, deed.became, strict=True)]
    return []


class Links:
    """Links between the entries of one commit's two sides."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions

    def before(self, version: FileVersion, document: Document, entry: Entry) -> EntryLink:
        """What an entry that a version brought was before it."""
        deed, commit = version.deed, version.commit
        if deed.cut_off:
            return EntryLink("boundary")
        if deed.ours and commit is not None:
            others = tuple(self._by_trailers(commit, deed, entry))
            if others or deed.action in _TAKES_BACK:
                return EntryLink(deed.action, others)
        found = self._before_in_plain(version, document, entry)
        if not found.others and (source := self.source(version, entry)) is not None:
            found = EntryLink("copy" if source.hash == entry.hash else "derive", (source,))
        return EntryLink(deed.action, found.others) if deed.ours and deed.action != "external" else found

    def after(self, version: FileVersion, document: Document, entry: Entry) -> EntryLink:
        """What an entry that a version no longer has became in it."""
        deed, commit = version.deed, version.commit
        if deed.ours and commit is not None:
            others = []
            for before, after in became_pairs(deed):
                if spoken(entry.address) in before and (found := self._at(commit.id, after, commit)):
                    others.append(found)
            if others or deed.action != "external":
                return EntryLink(deed.action, tuple(others))
        there = self._versions.document(version.path, version.after)
        if edited := counterpart(entry, document, there):
            return EntryLink("edit", (edited,))
        if commit is not None:
            for path in self._other_paths(version):
                new = self._versions.blob_id(commit.id, path)
                if (moved := self._only_in(entry, path, new, self._old(commit, path))) is not None:
                    return EntryLink("move" if version.after else "rename", (moved,))
                likeness = (
                    file_likeness(document.data, self._versions.data(new)) if not version.after else 0.0
                )
                if likeness > SAME_FILE and (
                    found := _alike(entry, document, self._versions.document(path, new))
                ):
                    return EntryLink("rename", (found,))
        return EntryLink("remove")

    def source(self, version: FileVersion, entry: Entry) -> Entry | None:
        """The entry that a copy's own comment names as its source."""
        source = entry.field("src") or ""
        path = RelPath(path_of(source))
        if not path or not self._versions.workspace.layout.may_curate(path):
            return None
        digits = entry.field("entry")
        if not digits and (found := self._at_line(version, path, source)):
            return found
        address = f"{path}#{digits or entry.hash}"
        if version.commit is not None:
            for commit in (*version.commit.parents, version.commit.id):
                if found := entry_in(self._versions.document_at(commit, path), address):
                    return found
        try:
            return self._versions.last_seen(address)
        except UsageError:  # no such entry, or several: the comment is only text
            return None

    def _at_line(self, version: FileVersion, path: RelPath, source: str) -> Entry | None:
        """The entry at ``path#L12``, as the file was when the copy was made."""
        line = _LINE.search(source)
        if line is None or version.commit is None:
            return None
        entries = self._versions.document_at(version.commit.id, path).entries
        return next((e for e in entries if e.start_line <= int(line[1]) <= e.end_line), None)

    def made_by(self, commit: Commit, named: Sequence[str], source: Entry) -> list[Entry]:
        """What an operation made of ``source``: the entries it names, else copies with the same text."""
        found = [entry for address in named if (entry := self._at(commit.id, address, commit))]
        if found or named:
            return found
        changed = [p for p in self._versions.history.changed_paths(commit) if p != source.path]
        holds = self._versions.workspace.layout.may_curate
        copies = (
            self._only_in(source, p, self._versions.blob_id(commit.id, p), self._old(commit, p))
            for p in changed
            if holds(p)
        )
        return [copy for copy in copies if copy]

    def _by_trailers(self, commit: Commit, deed: Deed, entry: Entry) -> Iterator[Entry]:
        mine = spoken(entry.address)
        named = [address for before, after in became_pairs(deed) if after == mine for address in before]
        if not deed.became:
            named = [a for a in deed.entries if a.rpartition("#")[2].partition("~")[0] == entry.hash]
        for address in named:
            for parent in commit.parents:
                if address != mine and (found := self._at(parent, address, commit)):
                    yield found
                    break

    def _at(self, commit: CommitId, address: str, changed_by: Commit) -> Entry | None:
        """The entry that a trailer names; odd characters of a path are spelt otherwise there."""
        path = RelPath(path_of(address))
        if self._versions.blob_id(commit, path) is None:
            changed = self._versions.history.changed_paths(changed_by)
            path = next((one for one in changed if spoken(one) == path), path)
        return entry_in(self._versions.document_at(commit, path), address)

    def _before_in_plain(self, version: FileVersion, document: Document, entry: Entry) -> EntryLink:
        commit = version.commit
        if commit is not None:
            for path in self._other_paths(version):
                old = self._old(commit, path)
                if old is None:
                    continue  # it brought that file too: in a first commit all of them
                gone = self._versions.blob_id(commit.id, path)
                if (moved := self._only_in(entry, path, old, gone)) is not None:
                    return EntryLink("move" if self._versions.data(gone) else "rename", (moved,))
        for before in version.before:
            if before is not None and (
                edited := counterpart(entry, document, self._versions.document(version.path, before))
            ):
                return EntryLink("edit", (edited,))
        if commit is not None and not any(version.before):
            older = self.renamed_from(commit, version.path)
            if older is not None:
                old_page = self._versions.document(older, self._old(commit, older))
                if found := _alike(entry, document, old_page):
                    return EntryLink("rename", (found,))
        return EntryLink("add")

    def renamed_from(self, commit: Commit, path: RelPath) -> RelPath | None:
        """The file that a commit took away and that ``path``, which it brought, was before."""
        versions = self._versions
        if not commit.parents or versions.blob_id(commit.parents[0], path) is not None:
            return None
        new = versions.blob_id(commit.id, path)
        best: tuple[float, RelPath | None] = (SAME_FILE, None)
        for old in versions.history.changed_paths(commit):
            before = versions.blob_id(commit.parents[0], old)
            if before is None or versions.blob_id(commit.id, old) is not None:
                continue
            if before == new:
                return old
            best = max(
                best, (file_likeness(versions.data(before), versions.data(new)), old), key=lambda b: b[0]
            )
        return best[1]

    def _other_paths(self, version: FileVersion) -> Iterator[RelPath]:
        """The other memory files that a commit changed, up to a bound."""
        assert version.commit is not None
        holds = self._versions.workspace.layout.may_curate
        changed = self._versions.history.changed_paths(version.commit)
        return islice((path for path in changed if path != version.path and holds(path)), _MOST_FILES)

    def _old(self, commit: Commit, path: RelPath) -> BlobId | None:
        """What a file was before a commit."""
        return self._versions.blob_id(commit.parents[0], path) if commit.parents else None

    def _only_in(
        self, entry: Entry, path: RelPath, here: BlobId | None, there: BlobId | None
    ) -> Entry | None:
        """The entry with the same text where the version ``here`` of a file has it and ``there`` has not."""
        title = entry.title.encode("utf-8", "replace")[:40]
        if here is None or (title not in self._versions.data(here) and "\ufffd" not in entry.title):
            return None  # not worth parsing for
        document = self._versions.document(path, here)
        found = next((one for one in document.entries if one.hash == entry.hash), None)
        if found is None:
            return None
        others = self._versions.document(path, there).entries
        return found if all(one.hash != entry.hash for one in others) else None


def _alike(entry: Entry, here: Document, there: Document) -> Entry | None:
    """What is like an entry of one page on another, where that page alone has it."""
    return likest(entry, (one for one in there.entries if entry_in(here, one.address) is None))
