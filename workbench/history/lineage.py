"""The history of one entry: back to the first log line, and on to what became of it.

An entry is followed by its text. In its own file every commit is a step that made it appear or vanish;
what it was before, or became, is told by the trailers of our operations, and in plain commits by the same
text in another file, or by text that is alike in the place of the change (``text_similarity``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.history.attribution import Deed, deed_of
from workbench.history.change_scan import plain_count, surroundings
from workbench.history.links import Links, became_pairs
from workbench.history.versions import FileVersion, Versions, entry_in, spoken
from workbench.memory.entry import Entry
from workbench.memory.names import BlobId, CommitId
from workbench.workspace.workspace import Workspace

_VAGUE = frozenset({"add", "remove"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageStep:
    """One commit in the life of an entry, or what is on disk and not recorded yet.

    ``what`` is the action in a word: that of the operation, or for a plain commit ``add``, ``edit``,
    ``move``, ``rename``, ``copy``, ``derive`` or ``remove``; ``boundary`` where a shallow clone ends.
    ``before`` and ``after`` are addresses: where it stood, and where it stands since; none of them where it
    came from nothing, or is gone. ``text`` is its first line.
    """

    deed: Deed
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
            "when": deed.when.isoformat() if deed.when else None,
            "who": deed.who,
            "actor": deed.actor,
            "summary": deed.summary,
            "session": deed.session,
            "before": list(self.before),
            "after": list(self.after),
            "text": self.text,
        }


def lineage(workspace: Workspace, address: str) -> tuple[LineageStep, ...]:
    """All that happened to the entry at ``address``, newest first; it may be gone by now.

    Raises EntryNotFoundError where its file never held it, AmbiguousEntryError, NotMemoryError, and what
    ``workspace.history`` raises.
    """
    versions = Versions(workspace)
    trace = _Trace(versions)
    trace.run(versions.last_seen(address))
    place = {name: number for number, name in enumerate(workspace.history.order())}
    return tuple(
        sorted(trace.steps.values(), key=lambda step: place.get(step.deed.commit or CommitId(""), -1))
    )


@dataclass(slots=True)
class _Node:
    """An entry on the way, and whether what it was, and what it became, is still to be followed."""

    entry: Entry
    back: bool
    forth: bool


class _Trace:
    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._links = Links(versions)
        self._queue: list[_Node] = []
        self._met: dict[str, tuple[bool, bool]] = {}
        self._walked: dict[str, tuple[_Node, int]] = {}
        self.steps: dict[CommitId | None, LineageStep] = {}

    def run(self, start: Entry) -> None:
        """Follow ``start`` both ways, and whatever is met on either way."""
        self._meet(start, back=True, forth=True)
        while self._queue or self._again():
            node = self._queue.pop()
            self._walked[node.entry.address] = node, len(self._versions.spellings(node.entry))
            for version, appeared in self._events(node):
                self._step_at(node, version, appeared)
            self._named(node)

    def _again(self) -> bool:
        """Look once more for entries that turned out to be spelt in other ways too; whether there are any."""
        self._queue += [
            node for node, known in self._walked.values() if len(self._versions.spellings(node.entry)) > known
        ]
        return bool(self._queue)

    def _meet(self, entry: Entry, *, back: bool, forth: bool) -> None:
        was_back, was_forth = self._met.get(entry.address, (False, False))
        if entry.address in self._met and not (back > was_back or forth > was_forth):
            return
        self._met[entry.address] = (back or was_back, forth or was_forth)
        self._queue.append(_Node(entry, back or was_back, forth or was_forth))

    def _events(self, node: _Node) -> Iterator[tuple[FileVersion, bool]]:
        """The versions of its file in which an entry appears (True) or from which it is gone."""
        for version in self._versions.of(node.entry.path):
            if not self._can_differ(node.entry, version):
                continue
            has, *had = (self._holds(node.entry, blob) for blob in (version.after, *version.before))
            if has and not any(had):
                yield version, True
            elif not has and had and all(had):
                yield version, False

    def _can_differ(self, entry: Entry, version: FileVersion) -> bool:
        spellings = self._versions.spellings(entry)
        now, *then = (
            surroundings(self._versions.data(blob), spellings) for blob in (version.after, *version.before)
        )
        if not then or all(one == now for one in then):
            return bool(now) and not then
        # Its neighbours changed, which in a plain list is nothing to it.
        count, *counts = (
            plain_count(self._versions.data(blob), spellings) for blob in (version.after, *version.before)
        )
        return count is None or any(one != count for one in counts)

    def _holds(self, entry: Entry, blob: BlobId | None) -> bool:
        document = self._versions.document(entry.path, blob)
        return any(one.hash == entry.hash and one.ordinal == entry.ordinal for one in document.entries)

    def _step_at(self, node: _Node, version: FileVersion, appeared: bool) -> None:
        blob = version.after if appeared else version.before[0]
        document = self._versions.document(version.path, blob)
        entry = entry_in(document, node.entry.address)
        if entry is None:
            return
        if appeared:
            link = self._links.before(version, document, entry)
            self._note(version.deed, link.what, [one.address for one in link.others], [entry.address], entry)
        else:
            link = self._links.after(version, document, entry)
            self._note(version.deed, link.what, [entry.address], [one.address for one in link.others], entry)
        for other in link.others:
            self._meet(other, back=appeared and node.back, forth=not appeared and node.forth)

    def _named(self, node: _Node) -> None:
        """Operations that name the entry and leave it in its file: pins, moves inside of it, promotions."""
        mine = spoken(node.entry.address)
        for commit in self._versions.history.commits(saying=f"Entry: {mine}", batch=1 << 30):
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

    def _note(self, deed: Deed, what: str, before: list[str], after: list[str], entry: Entry) -> None:
        """One step for each commit, however many entries of this history it touched."""
        known = self.steps.get(deed.commit)
        step = LineageStep(deed=deed, what=what, before=tuple(before), after=tuple(after), text=entry.title)
        if known is not None:
            step = replace(
                known,
                what=what if known.what in _VAGUE else known.what,
                before=tuple(dict.fromkeys((*known.before, *before))),
                after=tuple(dict.fromkeys((*known.after, *after))),
            )
        self.steps[deed.commit] = step
