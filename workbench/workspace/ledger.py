"""The ledger: what cannot be derived from memory, one JSON object a line, one file a book.

It stands in the repository, in the tree of ``refs/workbench/<id>/ledger``, and not among the person's files:
``git show refs/workbench/<id>/ledger:decisions.jsonl``. Worktrees of one repository share it. Each commit of
the reference adds records and is sealed with this machine's key: a ledger that came by clone or fetch counts
for nothing until a person confirms it (``confirm``).

What a person decides is a part of an operation (``Plan.records``) and moves together with the branch. What
merely happens (a recall) is appended to a file in ``.workbench`` first, which is taken into the reference
when it has grown, or when somebody asks for it (``fold``). Every record has a name of its own, so a record
that is met twice, after a kill between the two, counts once. The files ``_system/ledger/*.jsonl`` of version
0.1 are read as well.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from workbench.config.read_only import require_more_than_looking
from workbench.errors import NoGitError, RepositoryStateError, UsageError, WorkbenchError, disk_errors
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.memory.provenance import Fields, MarkReader
from workbench.plural import plural
from workbench.repository.git_repository import History
from workbench.repository.git_runner import is_ancestor, references
from workbench.repository.objects import Commit, CommitId, ReferenceMove, parse_commit
from workbench.repository.trees import Node, Tree
from workbench.special_files import read_regular
from workbench.workspace.declared_format import require_known_format
from workbench.workspace.files import Files
from workbench.workspace.layout import LEDGER, STATE_DIR
from workbench.workspace.plan import Book, LedgerRecord, ledger_records
from workbench.workspace.seal import Seal
from workbench.workspace.short_marks import Mark, details_of
from workbench.workspace.state_files import make_once

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

BOOKS: tuple[Book, ...] = get_args(Book)
_HAPPENS: tuple[Book, ...] = ("recalls", "skips", "ingested", "proposals")
"""The books to which records are appended; those of the others are parts of operations."""
_FOR_GOOD: tuple[Book, ...] = ("undone", "provenance")
"""The books whose records no undo takes back: where words came from stays true."""
_OLD: tuple[Book, ...] = (*_HAPPENS, "decisions")
"""The books that version 0.1 kept."""
ACTION = "ledger"
"""The action of commits with which version 0.1 recorded lines that were added to its files."""
_ATTEMPTS = 8
_LARGEST_FILE = 256_000
"""Bytes after which a book goes on in a new file: the whole file is written with each commit."""
_LARGEST_PENDING = 64_000
"""Bytes of records in ``.workbench`` after which they are taken into the reference."""
_FOLDER = "ledger"
"""Below ``.workbench``."""
_PENDING = RelPath(f"{_FOLDER}/pending.jsonl")
_GRACE = 3_600.0
"""Seconds for which a file whose records are in the reference is looked at again."""
_DEPTH = 10_000
"""Commits of a ledger from elsewhere that are searched for one of our own."""
_BOOK, _OPERATION = "book", "operation"
MAX_LINE = 1_000_000
"""Bytes that a record may have; longer lines are none."""
LONGEST = MAX_LINE - 1_000
"""Bytes that what is to be recorded may have: it gets a name, a time, and its book or operation."""
NAME = "record"
"""The field with the name of a record."""


@frozen
class LedgerPage:
    """The records of one file, and how many of its lines are none. ``place`` says where it stands."""

    place: str
    records: tuple[Mapping[str, Any], ...]
    bad: int = 0


@frozen
class ForeignLedger:
    """A ledger that came from elsewhere and counts for nothing yet.

    ``records`` are what confirming it takes over; none where it only is not joined with ours.
    """

    reference: str
    commit: CommitId
    records: tuple[LedgerRecord, ...]


def share(said: object) -> float:
    """A score in [0, 1] as a record tells it; what is none counts nothing."""
    if isinstance(said, bool) or not isinstance(said, (int, float)) or not math.isfinite(said):
        return 0.0
    return min(1.0, max(0.0, float(said)))


class Ledger:
    """The records of one workspace. May be read from several threads at once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files = workspace.files
        self._state = Files(workspace.state_path)
        self._known_marks: tuple[CommitId | None, dict[Mark, Fields]] | None = None

    @property
    def _history(self) -> History:
        """The repository, opened when it is first needed. Raises as opening it does."""
        return self._workspace.history

    # -- reading ---------------------------------------------------------------------------------

    def read(self, book: Book) -> Iterator[Mapping[str, Any]]:
        """The records of a book that count, the oldest first. Raises as reading a file does."""
        for page in self.pages(book):
            yield from page.records

    def pages(self, book: Book) -> Iterator[LedgerPage]:
        """The files of a book, the oldest first: those of version 0.1, the reference's, what is pending.

        A record that stands in several of them, or whose operation is undone, is left out.
        """
        undone, undone_lines = ((), ()) if book in _FOR_GOOD else self._undone()
        known: set[str] = set()
        for place, lines in self._lines(book):
            records, bad = [], 0
            for line in lines:
                record = parsed(line)
                if record is None:
                    bad += 1
                    continue
                record.pop(_BOOK, None)
                # A file of version 0.1 may be anybody's: its lines do not choose their names.
                name = line_digest(line) if place.startswith(LEDGER) else name_of(line)
                if name not in known and name not in undone_lines:
                    known.add(name)
                    if record.get(_OPERATION) not in undone:
                        records.append(record)
            yield LedgerPage(place, tuple(records), bad)

    def marks(self) -> MarkReader:
        """What short marks stand for, as the ledger knows it when the first of them is met."""
        details = functools.cache(self._details)
        return lambda mark, text_hash: details().get((mark, text_hash))

    def _details(self) -> dict[Mark, Fields]:
        tip = self._tip()
        if not self._known_marks or self._known_marks[0] != tip:
            self._known_marks = tip, details_of(list(self.read("provenance")))
        return self._known_marks[1]

    def is_undone(self, operation: str) -> bool:
        """Whether the records of an operation were undone."""
        return operation in self._undone()[0]

    def stamp(self) -> object:
        """Something that is another value when there is anything new to read."""
        found: list[tuple[str, int, int]] = []
        for folder in (self._files.root / LEDGER, self._state.root / _FOLDER):
            with contextlib.suppress(OSError), os.scandir(folder) as items:
                for item in items:
                    status = item.stat(follow_symlinks=False)
                    found.append((item.name, status.st_size, status.st_mtime_ns))
        return self._tip(), tuple(sorted(found))

    def _undone(self) -> tuple[frozenset[str], frozenset[str]]:
        """The operations that are undone, and the records of version 0.1 that are.

        An undo that is undone itself undoes nothing.
        """
        by: dict[str, list[str]] = {}
        lines: list[tuple[str, str]] = []
        for record in self.read("undone"):
            operation, what = record.get(_OPERATION), record.get("undoes")
            if isinstance(operation, str) and isinstance(what, str):
                by.setdefault(what, []).append(operation)
                named = record.get("lines")
                lines += [(operation, str(line)) for line in named] if isinstance(named, list) else []
        standing: dict[str, bool] = {}

        def stands(operation: str) -> bool:
            if operation not in standing:
                standing[operation] = True  # whatever takes itself back does nothing
                standing[operation] = not any(map(stands, by.get(operation, ())))
            return standing[operation]

        return (
            frozenset(one for one in reversed(by) if not stands(one)),  # the newest first: no deep recursion
            frozenset(line for operation, line in lines if stands(operation)),
        )

    def _lines(self, book: Book) -> Iterator[tuple[str, list[bytes]]]:
        """Each file of a book: where it stands, and its lines that are not empty."""
        for path, data in self.old_files((book,)).items():
            yield path, split_lines(data)
        if tip := self._tip():
            for name, lines in self._files_of(tip, book):
                yield f"{self.reference}:{name}", lines
        for path in self._pending():
            lines = split_lines(self._state.read_or_none(path) or b"")
            ours = [line for line in lines if (parsed(line) or {_BOOK: book}).get(_BOOK) == book]
            if ours and book in _HAPPENS:
                yield f"{STATE_DIR}/{path}", ours

    def old_files(self, books: Sequence[Book] = BOOKS) -> dict[RelPath, bytes]:
        """The files that version 0.1 wrote of some books, one a month, and their bytes."""
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = sorted(os.listdir(self._files.root / LEDGER))
        begins = tuple(f"{book}-" for book in books if book in _OLD)
        wanted = [RelPath(LEDGER + name) for name in names if name.startswith(begins)]
        found = {path: self._files.read_or_none(path) for path in wanted if path.endswith(".jsonl")}
        return {path: data for path, data in found.items() if data is not None}

    def old_records(self, files: Mapping[RelPath, bytes]) -> tuple[LedgerRecord, ...]:
        """What such files hold and the reference does not, each record with the name that it has."""
        tip = self._tip()
        known = set().union(*(self._names(tip, book) for book in BOOKS))
        found: dict[str, LedgerRecord] = {}
        for path, data in files.items():
            for line in split_lines(data):
                name, fields = line_digest(line), parsed(line)
                if fields is not None and name not in known:
                    book = _book_of(path.removeprefix(LEDGER))
                    found[name] = LedgerRecord(book, {**fields, NAME: name})
        return tuple(found.values())

    # -- the reference ---------------------------------------------------------------------------

    @property
    def reference(self) -> str:
        """The name of the reference, the same in every clone. Raises as opening the history does."""
        return f"{self._family}ledger"

    @property
    def _family(self) -> str:
        return family_of(self._history.prefix)

    def foreign(self) -> tuple[ForeignLedger, ...]:
        """The ledgers that were fetched or cloned, and that nobody has confirmed."""
        if not self._has_repository():
            return ()
        tip = self._tip()
        known = {book: self._names(tip, book) for book in BOOKS}
        found = []
        # That under our own name first: what it holds is not news in another one.
        rows = references(self._history.carrier, self._family).items()
        for name, at in sorted(rows, key=lambda row: row[0] != self.reference):
            commit = CommitId(at)
            if name != self.reference or self._own(commit) != commit:
                records = tuple(
                    LedgerRecord(book, parsed(line) or {})
                    for book, lines in self._books(commit).items()
                    for line in new_lines(lines, known[book])
                )
                if records or not (tip and is_ancestor(self._history.carrier, commit, tip)):
                    found.append(ForeignLedger(name, commit, records))
        return tuple(found)

    def confirm(self, found: Sequence[ForeignLedger]) -> int:
        """Take over ledgers from elsewhere, as ``foreign`` found them; how many records that were.

        What came after that, under the same names, stays foreign. Raises RepositoryStateError and
        WriteFailedError where the reference cannot be moved.
        """
        require_more_than_looking()
        for one in found:
            self._move(functools.partial(self._confirming, one))
        return sum(len(one.records) for one in found)

    def _confirming(self, one: ForeignLedger) -> list[ReferenceMove | None]:
        """The move to a commit with the records of a ledger from elsewhere, which has it as a parent.

        So the place that it came from takes ours without force.
        """
        moves = [self._with_lines(self._books(one.commit), dedupe=True, joined=one.commit)]
        if one.reference != self.reference and self._resolve(one.reference) == one.commit:
            moves.append(ReferenceMove(one.reference, None, one.commit))
        return moves

    def _has_repository(self) -> bool:
        try:
            return bool(self._history)
        except (NoGitError, RepositoryStateError):
            return False

    def _tip(self) -> CommitId | None:
        """The newest commit of the ledger that this machine wrote, or that a person confirmed."""
        return self._own(self._resolve())

    def _resolve(self, name: str = "") -> CommitId | None:
        """The commit that the reference, or another one, stands on, whoever wrote it."""
        if not self._has_repository():
            return None
        return self._history.resolve(name or self.reference)

    def _own(self, commit: CommitId | None) -> CommitId | None:
        """``commit``, or the nearest one before it, that is sealed here."""
        if not commit or not (named := self._identity()):
            return None
        is_sealed = Seal(self._history.common_dir, named=named).verifier()
        left, met = deque([commit]), {commit}
        while left and len(met) < _DEPTH:
            try:
                found = self._commit(left.popleft())
            except RepositoryStateError:  # a shallow one ends here
                continue
            if is_sealed(_note(found.tree, found.parents), found.trailer("Seal")):
                return found.id
            new = [parent for parent in found.parents if parent not in met]
            met.update(new)
            left += new
        return None

    def _seal(self) -> Seal:
        """The seal of this repository, which gets an identity with the first one; no clone has it."""
        place = self._history.common_dir
        with disk_errors():
            if not self._identity():
                make_once(identity_file(place), secrets.token_hex(16).encode("ascii"))
        return Seal(place, named=self._identity())

    def _identity(self) -> str:
        """What tells this repository from its clones; empty where it has no identity yet."""
        try:
            return read_regular(identity_file(self._history.common_dir)).decode("ascii").strip()
        except (OSError, ValueError):
            return ""

    def _commit(self, name: CommitId) -> Commit:
        return parse_commit(name, self._history.stored(name, "commit"), cut_off=False)

    def _files_of(self, commit: CommitId | None, book: Book) -> Iterator[tuple[str, list[bytes]]]:
        """The files of a book in a commit of the ledger with their lines, the oldest first."""
        files = {os.fsdecode(name): node.id for name, node in self._tree(commit).items() if node.is_file}
        for name in sorted(files, key=lambda name: ("-" not in name, name)):  # the newest has no number
            if _book_of(name) == book:
                yield name, split_lines(self._history.stored(files[name]))

    def _books(self, commit: CommitId, wanted: Sequence[Book] = BOOKS) -> dict[Book, list[bytes]]:
        """The lines of each book in a commit of the ledger."""
        return {
            book: [line + b"\n" for _, lines in self._files_of(commit, book) for line in lines]
            for book in wanted
        }

    def _names(self, commit: CommitId | None, book: Book) -> set[str]:
        """What the records of a book in a commit of the ledger are known by."""
        return {name_of(line) for _, lines in self._files_of(commit, book) for line in lines}

    def _tree(self, commit: CommitId | None) -> Tree:
        if not commit:
            return {}
        return self._history.tree(self._commit(commit).tree)

    # -- writing ---------------------------------------------------------------------------------

    def append(self, book: Book, records: Sequence[Mapping[str, Any]], now: datetime) -> None:
        """Add records, in one write; each gets ``at`` where it says none.

        Raises UsageError for one that is too long, ReadOnlyError, WriteFailedError and OSError; what concerns
        the reference is tried again later.
        """
        if book not in _HAPPENS:
            raise ValueError(f"records of {book} are parts of operations")
        if not records:
            return
        require_known_format(self._files.root)
        rows = [named({_BOOK: book, **one.fields}) for one in ledger_records(book, records, now)]
        self._workspace.state_dir()
        # A line that a kill left torn is no reason to lose the next one.
        self._state.append(_PENDING, b"\n" + b"".join(map(line_of, rows)))
        with contextlib.suppress(FileNotFoundError):  # somebody else folds it
            if os.stat(self._state.root / _PENDING).st_size > _LARGEST_PENDING:
                self.fold()

    def fold(self) -> None:
        """Take what is pending into the reference; where that cannot be now, it stays pending."""
        with contextlib.suppress(WorkbenchError, OSError):
            require_more_than_looking()
            if not self._pending() or not self._has_repository():
                return
            with contextlib.suppress(FileNotFoundError):
                os.rename(self._state.root / _PENDING, self._state.root / f"{_FOLDER}/{time.time_ns()}.jsonl")
            taken = self._pending()
            books = self._pending_lines(taken)
            self._move(lambda: [self._with_lines(books, dedupe=True)])
            for path in taken:
                # Whoever opened it before it got its name may still be writing: the next time looks again.
                if path != _PENDING and time.time() - os.stat(self._state.root / path).st_ctime > _GRACE:
                    os.unlink(self._state.root / path)

    def _pending(self) -> list[RelPath]:
        """The files with records that may be in no commit yet, the oldest first; none that git holds."""
        try:
            names = sorted(os.listdir(self._state.root / _FOLDER))
        except OSError:
            return []
        found = [RelPath(f"{_FOLDER}/{name}") for name in names if name.endswith(".jsonl")]
        if found and self._has_repository():
            try:
                self._history.require_untracked(STATE_DIR)
            except RepositoryStateError:
                return []
        return found

    def waits(self) -> bool:
        """Whether records are pending that the reference does not hold."""
        tip = self._tip()
        waiting = self._pending_lines(self._pending())
        return any(new_lines(lines, self._names(tip, book)) for book, lines in waiting.items())

    def _pending_lines(self, paths: Sequence[RelPath]) -> dict[Book, list[bytes]]:
        """The lines that the reference gets of what is in these files."""
        books: dict[Book, list[bytes]] = {}
        for path in paths:
            for record in filter(None, map(parsed, split_lines(self._state.read_or_none(path) or b""))):
                book = record.pop(_BOOK, "")
                if book in _HAPPENS:
                    books.setdefault(book, []).append(line_of(record))
        return books

    def _move(self, make: Callable[[], Sequence[ReferenceMove | None]]) -> None:
        """Move references where ``make`` wants them, made anew when somebody else moved one meanwhile.

        Raises RepositoryStateError where it cannot be moved.
        """
        self._history.begin()
        for _ in range(_ATTEMPTS):
            moves = [move for move in make() if move]
            if not moves or self._history.move_references(moves, "workbench: ledger"):
                return
        raise RepositoryStateError(f"{self.reference} changes too fast", hint="try again in a moment")

    def adding(self, records: Sequence[LedgerRecord], operation: str) -> ReferenceMove | None:
        """The move of the reference by which an operation adds its records; its objects are stored.

        None where there are none. Raises UsageError for a record that is too long, WriteFailedError and what
        opening the repository raises.
        """
        books: dict[Book, list[bytes]] = {}
        for one in records:
            # What has a name already was recorded before, and is not this operation's.
            own = {} if NAME in one.fields else {_OPERATION: operation}
            books.setdefault(one.book, []).append(line_of(named({**one.fields, **own})))
        return self._with_lines(books)

    def including(self, commit: CommitId, books: Sequence[Book] = BOOKS) -> ReferenceMove | None:
        """The move of the reference that takes in the records of another commit; None where it has them."""
        stands = self._resolve()
        tip = self._own(stands)
        parents = (tip,) if tip else ()
        if books == BOOKS and self._own(commit) == commit and self._commit(commit).parents == parents:
            return self._to(commit, stands, parents)  # it was made for just this place
        return self._with_lines(self._books(commit, books), dedupe=True)

    def include(self, commit: CommitId, books: Sequence[Book] = BOOKS) -> None:
        """Take in the records of another commit. Raises as ``confirm`` does."""
        self._move(lambda: [self.including(commit, books)])

    def holds(self, commit: CommitId) -> bool:
        """Whether git still has every record of a commit of the ledger."""
        try:
            self._books(commit)
        except RepositoryStateError:
            return False
        return True

    def _with_lines(
        self,
        books: Mapping[Book, Sequence[bytes]],
        *,
        dedupe: bool = False,
        joined: CommitId | None = None,
    ) -> ReferenceMove | None:
        """The move to a commit with these lines at the end of the books; None where nothing is new.

        ``dedupe`` leaves out what is there already; else every line is known to be new. ``joined`` is a
        commit from elsewhere that becomes a parent; nothing of it is trusted for that: the tree counts.
        """
        stands = self._resolve()
        tip = self._own(stands)
        tree = self._tree(tip)
        count = 0
        for book, given in books.items():
            lines = new_lines(given, self._names(tip, book)) if dedupe else given
            if lines:
                self._extend(tree, book, lines)
                count += len(lines)
        parents: tuple[CommitId, ...] = (tip,) if tip else ()
        if joined and not (tip and is_ancestor(self._history.carrier, joined, tip)):
            parents += (joined,)
        elif not count:
            return None
        history = self._history
        name = history.store_tree(tree)
        seal = self._seal().of(_note(name, parents))
        made = history.commit_of(name, parents, f"ledger: {plural(count, 'record')}\n\nSeal: {seal}\n")
        return self._to(made, stands, parents)

    def _to(self, commit: CommitId, stands: CommitId | None, parents: Sequence[CommitId]) -> ReferenceMove:
        """The move from where the reference stands; what came from elsewhere is kept aside."""
        aside = f"{self._family}fetched/{stands}" if stands and stands not in parents else ""
        return ReferenceMove(self.reference, commit, stands, aside)

    def _extend(self, tree: Tree, book: Book, lines: Sequence[bytes]) -> None:
        """Add lines to a book in a tree; where its file is large enough, in a new one."""
        newest = f"{book}.jsonl".encode()
        before = self._history.stored(tree[newest].id) if newest in tree else b""
        if len(before) > _LARGEST_FILE:
            number = sum(_book_of(os.fsdecode(name)) == book for name in tree)
            tree[f"{book}-{number:04}.jsonl".encode()] = tree[newest]
            before = b""
        ending = b"" if not before or before.endswith(b"\n") else b"\n"
        tree[newest] = Node(b"100644", self._history.store(before + ending + b"".join(lines)))


def _book_of(name: str) -> Any:
    return name.removesuffix(".jsonl").partition("-")[0]


def _note(tree: str, parents: Sequence[str]) -> dict[str, object]:
    """What the seal of a commit of the ledger says."""
    return {"tree": tree, "parents": list(parents)}


def new_lines(lines: Sequence[bytes], known: set[str]) -> list[bytes]:
    """The records among lines whose names are not known, each once; from then on they are."""
    found = []
    for line in lines:
        if parsed(line) is not None and (name := name_of(line)) not in known:
            known.add(name)
            found.append(line)
    return found


def name_of(line: bytes) -> str:
    """What a record is known by: the name that it was given, or the digest of its line in version 0.1."""
    named = (parsed(line) or {}).get(NAME)
    return named if isinstance(named, str) else line_digest(line)


def line_digest(line: bytes) -> str:
    """The name of a record that version 0.1 wrote."""
    return hashlib.sha256(line.strip()).hexdigest()[:24]


def named(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record with its name, a new one where it has none."""
    return {**fields, NAME: fields.get(NAME) or secrets.token_hex(6)}


def line_of(fields: Mapping[str, Any]) -> bytes:
    """The line of a record. Raises UsageError for one that would not be read."""
    line = json.dumps(fields).encode()
    if len(line) > MAX_LINE:
        raise UsageError(
            f"a record for the ledger would have {len(line):,} bytes, and {MAX_LINE:,} are the most",
            hint="nothing was recorded; shorten the text, or do it in several smaller actions",
        )
    return line + b"\n"


def split_lines(data: bytes) -> list[bytes]:
    """The lines that are not empty."""
    return [line for line in data.split(b"\n") if line.strip()]


def parsed(line: bytes) -> dict[str, Any] | None:
    """The record that a line is; None for any other line."""
    if len(line) > MAX_LINE:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def family_of(prefix: str) -> str:
    """What the references begin with that are kept for a workspace at this place in a repository."""
    return f"refs/workbench/{hashlib.sha256(os.fsencode(prefix)).hexdigest()[:12]}/"


def identity_file(common_dir: Path) -> Path:
    """The file that tells a repository, whose git directory it is in, from its clones."""
    return common_dir / "workbench" / "id"
