"""An import: the items of a foreign source in our own terms, and the one operation that brings them over.

An item that was imported before does not come again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from workbench.errors import NotCuratableError, NotMemoryError, UsageError, WorkbenchError, reason_of
from workbench.frozen import frozen
from workbench.graph.drafts import USER, Draft, MemoryDraft
from workbench.graph.write import GraphWrite, write
from workbench.memory.entry import Kind, RelPath, digest
from workbench.memory.episode import EpisodePage, render_page
from workbench.memory.escape import plain_line
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.model_window import fits, pieces
from workbench.memory.provenance import parse_instant
from workbench.safety.hidden_text import unsafe_in
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

_T = TypeVar("_T")
_LONGEST = 200_000
"""Characters that one memory may have there: it becomes as many as are needed here."""


@frozen
class ImportItem:
    """One thing that comes over. ``name`` is what its source calls it, ``digest`` that of all that was read.

    Of ``drafts`` (for the graph), ``episode``, ``file`` (a new memory file) and ``recalls`` (records for the
    ledger) it has what it needs.
    """

    name: str
    digest: str
    drafts: tuple[Draft, ...] = ()
    episode: EpisodePage | None = None
    file: tuple[RelPath, bytes] | None = None
    recalls: tuple[Mapping[str, Any], ...] = ()


@frozen
class ImportSource:
    """All of one source. ``label`` begins the names of its items in the ledger.

    ``left_out`` says what was not taken, and why.
    """

    label: str
    items: tuple[ImportItem, ...]
    left_out: tuple[tuple[str, str], ...]


def carried(
    label: str, named: Iterable[tuple[str, _T]], make: Callable[[str, _T], ImportItem]
) -> ImportSource:
    """What ``make`` makes of each thing and its name; what raises UsageError or OSError is left out."""
    items: list[ImportItem] = []
    left_out: list[tuple[str, str]] = []
    for name, thing in named:
        try:
            items.append(make(name, thing))
        except (UsageError, OSError) as error:
            left_out.append((name, reason_of(error)))
    return ImportSource(label, tuple(items), tuple(left_out))


class SourceRow(dict[str, Any]):
    """A row of a table of another program: a column that is not there, or of another kind, says nothing."""

    def word(self, name: str) -> str:
        """A text as one line, or nothing."""
        return word(self.get(name))

    def day(self, name: str) -> date | None:
        """The day of a moment, or None."""
        return day_in(self.get(name))

    def share(self, name: str) -> float | None:
        """A number from 0 to 1, or None for what says nothing (negative numbers do so in some databases)."""
        try:
            value = float(self.get(name, ""))
        except (TypeError, ValueError):
            return None
        return value if 0 <= value <= 1 else None


def read_whole(path: Path, most: int, called: str) -> bytes:
    """The bytes of a file. Raises UsageError where it, which the message calls so, has more than ``most``."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UsageError(f"{called} is larger than {most:,} bytes")
    return data


def digest_of(value: object) -> str:
    """A short digest of any JSON value, or of what can be shown as one."""
    return digest(json.dumps(value, sort_keys=True, default=str), 16)


def memories(text: str, **said: Any) -> Iterator[MemoryDraft]:
    """The typed memories that ``text`` makes: one, or several where it is too long for one.

    ``said`` are further fields of ``MemoryDraft``. Raises UsageError where one of these cannot be, or where
    the text is longer than anybody's memory.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"it is longer than {_LONGEST:,} characters")
    lead = f"[{said.get('type', 'fact')}] "
    whole = plain_line(text, _LONGEST)
    for start, end in pieces(whole):
        for part in _halves(whole[start:end].strip(), lead):
            if words := plain_line(part, _LONGEST):
                yield MemoryDraft(text=words, **said)


def memory_item(name: str, content: object, read: object, **said: Any) -> ImportItem:
    """The typed memories that ``content`` makes; ``read`` is all that was read. UsageError for no words."""
    drafts = tuple(memories(str(content or ""), trust="agent", **said))
    if not drafts:
        raise UsageError("it has no text")
    return ImportItem(name, digest_of(read), drafts=drafts)


def _halves(text: str, lead: str) -> Iterator[str]:
    """``text``, cut in the middle as often as it must be to fit behind ``lead``."""
    if fits(lead + text) or len(text) < 2:
        yield text
        return
    middle = text.rfind(" ", 1, len(text) // 2 + 1)
    middle = middle if middle > 0 else len(text) // 2
    yield from _halves(text[:middle], lead)
    yield from _halves(text[middle:].strip(), lead)


def moment_of(value: object) -> datetime | None:
    """A moment as databases write it: ISO text, a datetime, or seconds since 1970; None for all else.

    It is in UTC, so that a moment is the same whatever zone the database writes it in.
    """
    try:
        if isinstance(value, (int, float)):
            seconds = value / 1000 if abs(value) > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None
    said = value.isoformat() if isinstance(value, datetime) else value
    return parse_instant(said.strip()) if isinstance(said, str) else None


def day_in(value: object) -> date | None:
    """The day of a moment, or None."""
    found = moment_of(value)
    return found.date() if found else None


def word(value: object) -> str:
    """A text as one line, or nothing."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def json_of(value: object) -> object:
    """What a text means as JSON, None for what means nothing; any other value as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None


def many(count: int, one: str, several: str = "") -> str:
    """``1 item``, ``2 items``; ``several`` where an `s` does not make it."""
    return f"{count} {one if count == 1 else several or one + 's'}"


KIND = "import"
_TOLD = 20
"""Things left out that are named one by one."""


class ImportedItem(msgspec.Struct, frozen=True):
    """What an earlier import wrote of an item: of which text, and how many memories or recalls.

    ``path`` is the file that it made, ``written`` the digest of its bytes.
    """

    digest: str = ""
    memories: int = 0
    path: str = ""
    written: str = ""


_NEW = ImportedItem()


def plan_import(workspace: Workspace, carried: ImportSource, *, now: datetime, user: str = USER) -> Plan:
    """Write what is new or changed in ``carried``. Raises NotCuratableError where nothing is.

    A file that stands already with other bytes is left as it is, unless an earlier import wrote it so; a
    session that has an episode gets no other. Texts with a secret or with hidden words stay out, and so does
    what no page can take. The notes of the plan say what was left out and why; it is tried again next time.
    """
    known = known_items(workspace, carried.label)
    fresh = [item for item in carried.items if known.get(item.name, _NEW).digest != item.digest]
    taken, no_files = _files(workspace, known, fresh, now)
    recalls = [one for item, _ in taken for one in item.recalls[known.get(item.name, _NEW).memories :]]
    written, refused = _stored(workspace, [item for item, _ in taken], now, user)
    left_out = [*carried.left_out, *no_files, *refused.items()]
    records = [_record(carried.label, item, edit) for item, edit in taken if item.name not in refused]
    edits = [*written.edits, *(edit for _, edit in taken if edit and edit.before != edit.after)]
    if not records and not edits:
        here = len(carried.items) - len(fresh)
        same = many(here, "item is", "items are")
        raise NotCuratableError(
            f"nothing new in {carried.label}: {same} here already"
            + (f", {many(len(left_out), 'is', 'are')} left out" if left_out else ""),
            hint="; ".join(f"{name}: {why}" for name, why in left_out[:3]),
        )
    return Plan(
        action="import",
        summary=f"{len(records)} from {carried.label}",
        edits=tuple(edits),
        records=(*ledger_records("ingested", records, now), *ledger_records("recalls", recalls, now)),
        became=written.became,
        notes=tuple(_notes(len(carried.items) - len(fresh), left_out)),
    )


def known_items(workspace: Workspace, label: str) -> dict[str, ImportedItem]:
    """What earlier imports from ``label`` wrote, by the names of the items."""
    begins = f"{label}:"
    found: dict[str, ImportedItem] = {}
    for record in workspace.ledger.read("ingested"):
        source = record.get("source")
        if record.get("kind") == KIND and isinstance(source, str) and source.startswith(begins):
            with contextlib.suppress(msgspec.ValidationError):
                found[source.removeprefix(begins)] = msgspec.convert(record, ImportedItem)
    return found


def _stored(
    workspace: Workspace, items: Sequence[ImportItem], now: datetime, user: str
) -> tuple[GraphWrite, dict[str, str]]:
    """What the drafts of ``items`` come to in the graph, and of those that it cannot take the reasons.

    One that was refused may have begun something, so the others are written anew without it.
    """
    refused: dict[str, str] = {}
    drafts: dict[Draft, list[str]] = {}
    for item in items:
        for draft in item.drafts:
            drafts.setdefault(draft, []).append(item.name)
    while True:
        written = write(workspace, tuple(drafts), now=now, user=user, certain=True, lenient=True)
        if not written.failed:
            return written, refused
        for draft, reason in written.failed.items():
            for name in drafts.pop(draft):
                refused.setdefault(name, reason)


def _files(
    workspace: Workspace, known: Mapping[str, ImportedItem], items: Sequence[ImportItem], now: datetime
) -> tuple[list[tuple[ImportItem, FileEdit | None]], list[tuple[str, str]]]:
    """The ``items`` with the edit that makes their file or episode, and names of others with why it cannot.

    What stands already as it would be made has an edit too. Several items may have the same name.
    """
    made: list[tuple[ImportItem, FileEdit | None]] = []
    refused: list[tuple[str, str]] = []
    paths: set[RelPath] = set()
    folders: set[RelPath] = set()
    sessions = dict(_sessions(workspace)) if any(item.episode for item in items) else {}
    for item in items:
        wanted, there = item.file, None
        if item.episode is not None:
            day = item.episode.created_at or now
            wanted = RelPath(f"episodes/{day:%Y/%m}/{item.episode.id}.md"), render_page(item.episode)
            there = sessions.get(item.episode.source_id)
        if wanted is None:
            made.append((item, None))
            continue
        path, data = wanted
        earlier = known.get(item.name, _NEW)
        try:
            before = workspace.files.read_or_none(path)
            text = data.decode("utf-8", "replace")
            why = "; ".join(unsafe_in(text))
        except (WorkbenchError, OSError) as error:
            before, why = None, reason_of(error)
        digest_now = _bytes_digest(before or b"")
        if why:
            refused.append((item.name, why))
        elif there not in (None, path):
            refused.append((item.name, f"its session already has an episode: {there}"))
        elif path in paths or path in folders or _folders(path) & paths:
            refused.append((item.name, f"{path} belongs to another item of the same import"))
        elif before not in (None, data) and (earlier.path, earlier.written) != (path, digest_now):
            refused.append((item.name, f"{path} already exists with different text"))
        else:
            made.append((item, FileEdit(path, before, data)))
            paths.add(path)
            folders |= _folders(path)
            if item.episode is not None:
                sessions[item.episode.source_id] = path
    return made, refused


def _sessions(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """The sessions that have an episode, by what the headers say, with its path."""
    for file in workspace.scan():
        if file.kind is Kind.EPISODE:
            try:
                header = read_front_matter(workspace.read(file.path))
            except (OSError, NotMemoryError):
                continue
            if header is not None and (said := header.text("source_id")):
                yield said, file.path


def _folders(path: RelPath) -> set[RelPath]:
    return {RelPath(str(folder)) for folder in PurePosixPath(path).parents}


def _record(label: str, item: ImportItem, made: FileEdit | None) -> dict[str, Any]:
    count = len(item.recalls) or len(item.drafts) or 1
    record = {"source": f"{label}:{item.name}", "digest": item.digest, "kind": KIND, "memories": count}
    if made is not None and made.after is not None:
        record |= {"path": made.path, "written": _bytes_digest(made.after)}
    return record


def _bytes_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _notes(same: int, left_out: Sequence[tuple[str, str]]) -> Iterator[str]:
    if same:
        yield f"{same} imported before and unchanged"
    yield from (f"left out: {name}: {why}" for name, why in left_out[:_TOLD])
    if len(left_out) > _TOLD:
        yield f"and {many(len(left_out) - _TOLD, 'more is', 'more are')} left out"
