"""Bringing over what a source holds: one operation, and what came before does not come again."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

import msgspec

from workbench.errors import NotCuratableError, NotMemoryError, WorkbenchError
from workbench.graph.drafts import USER, Draft
from workbench.graph.write import GraphWrite, write
from workbench.importers.records import Carried, Item, many
from workbench.memory.entry import Kind
from workbench.memory.episode_page import EpisodePage, render_page
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.names import RelPath
from workbench.safety.findings import by_rule
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in
from workbench.workspace.plan import LedgerRecord, Plan, ledger_records
from workbench.workspace.workspace import Workspace

KIND = "import"
_TOLD = 20
"""Things left out that are named one by one."""


class Known(msgspec.Struct, frozen=True):
    """What an earlier import wrote of an item: of which text, and how many memories or recalls.

    ``path`` is the file that it made, ``written`` the digest of its bytes.
    """

    digest: str = ""
    memories: int = 0
    path: str = ""
    written: str = ""


_NEW = Known()


def plan_import(workspace: Workspace, carried: Carried, *, now: datetime, user: str = USER) -> Plan:
    """Write what is new or changed in ``carried``. Raises NotCuratableError where nothing is.

    A file that stands already with other bytes is left as it is, unless an earlier import wrote it so; a
    session that has an episode gets no other. Texts with a secret or with hidden words stay out, and so does
    what no page can take. The notes of the plan say what was left out and why; it is tried again next time.
    """
    known = known_items(workspace, carried.label)
    fresh = [item for item in carried.items if known.get(item.name, _NEW).digest != item.digest]
    left_out = list(carried.left_out)
    files = _Files(workspace, known, fresh, now)
    taken: list[Item] = []
    recalls: list[Mapping[str, Any]] = []
    for item in fresh:
        if reason := files.add(item):
            left_out.append((item.name, reason))
            continue
        recalls += item.recalls[known.get(item.name, _NEW).memories :]
        taken.append(item)
    written, refused = _stored(workspace, taken, now, user)
    left_out += refused.items()
    done = [item for item in taken if item.name not in refused]
    edits = [*written.edits, *files.edits]
    if not done and not edits:
        here = len(carried.items) - len(fresh)
        same = many(here, "thing is", "things are")
        raise NotCuratableError(
            f"nothing is new in {carried.label}: {same} here already"
            + (f", {many(len(left_out), 'is', 'are')} left out" if left_out else ""),
            hint="; ".join(f"{name}: {why}" for name, why in left_out[:3]),
        )
    told: tuple[LedgerRecord, ...] = ()
    if done:
        records = [_record(carried.label, item, files.made.get(item.name)) for item in done]
        told = ledger_records("ingested", records, now)
    return Plan(
        action="import",
        summary=f"{len(done)} from {carried.label}",
        edits=tuple(edits),
        records=(*told, *ledger_records("recalls", recalls, now)),
        became=written.became,
        notes=tuple(_notes(len(carried.items) - len(fresh), left_out)),
    )


def known_items(workspace: Workspace, label: str) -> dict[str, Known]:
    """What earlier imports from ``label`` wrote, by the names of the items."""
    begins = f"{label}:"
    found: dict[str, Known] = {}
    for record in workspace.ledger.read("ingested"):
        source = record.get("source")
        if record.get("kind") == KIND and isinstance(source, str) and source.startswith(begins):
            with contextlib.suppress(msgspec.ValidationError):
                found[source.removeprefix(begins)] = msgspec.convert(record, Known)
    return found


def _stored(
    workspace: Workspace, items: Sequence[Item], now: datetime, user: str
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


class _Files:
    """The files and episodes that are to be made, each once."""

    def __init__(
        self, workspace: Workspace, known: Mapping[str, Known], items: Sequence[Item], now: datetime
    ) -> None:
        self.edits: list[FileEdit] = []
        self.made: dict[str, FileEdit] = {}
        """By the names of their items, what stands already as it would be made among them."""
        self._workspace = workspace
        self._known = known
        self._now = now
        self._paths: set[RelPath] = set()
        self._folders: set[RelPath] = set()
        self._sessions = dict(_sessions(workspace)) if any(item.episode for item in items) else {}

    def add(self, item: Item) -> str:
        """Take in the file that an item brings, if it does; why it cannot be made, or nothing."""
        wanted = item.file
        if item.episode is not None:
            wanted = _episode_path(item.episode, self._now), render_page(item.episode)
        if wanted is None:
            return ""
        path, data = wanted
        try:
            before = self._workspace.files.read_or_none(path)
        except (WorkbenchError, OSError) as error:
            return error.message if isinstance(error, WorkbenchError) else f"{path}: {error.strerror}"
        if reason := _flagged(data) or self._in_the_way(item, path, before, data):
            return reason
        self._paths.add(path)
        self._folders |= _folders(path)
        self.made[item.name] = edit = FileEdit(path, before, data)
        if before != data:
            self.edits.append(edit)
        if item.episode is not None:
            self._sessions[item.episode.source_id] = path
        return ""

    def _in_the_way(self, item: Item, path: RelPath, before: bytes | None, data: bytes) -> str:
        """Why an item may not have its file, or nothing."""
        if item.episode is not None:
            there = self._sessions.get(item.episode.source_id, path)
            if there != path:
                return f"its session has an episode already: {there}"
        if path in self._paths or path in self._folders or _folders(path) & self._paths:
            return f"{path} is another one's of the same import"
        known = self._known.get(item.name, _NEW)
        own = before is not None and known.path == path and known.written == _bytes_digest(before)
        if before not in (None, data) and not own:
            return f"{path} stands already and says something else"
        return ""


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


def _episode_path(page: EpisodePage, now: datetime) -> RelPath:
    """``episodes/YYYY/MM/<id>.md``"""
    made = page.created_at or now
    return RelPath(f"episodes/{made:%Y}/{made:%m}/{page.id}.md")


def _flagged(data: bytes) -> str:
    """Why a file is not taken for its text; drafts are looked at one by one as they are stored."""
    text = data.decode("utf-8", "replace")
    return "; ".join(by_rule((*secrets_in(text), *hidden_in(text))))


def _record(label: str, item: Item, made: FileEdit | None) -> dict[str, Any]:
    count = len(item.recalls) or len(item.drafts) or 1
    record = {"source": f"{label}:{item.name}", "digest": item.digest, "kind": KIND, "memories": count}
    if made is not None and made.after is not None:
        record |= {"path": made.path, "written": _bytes_digest(made.after)}
    return record


def _bytes_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _notes(same: int, left_out: Iterable[tuple[str, str]]) -> Iterator[str]:
    if same:
        yield f"{same} came over before and {'is' if same == 1 else 'are'} unchanged"
    told = list(left_out)
    yield from (f"left out: {name}: {why}" for name, why in told[:_TOLD])
    if len(told) > _TOLD:
        yield f"and {many(len(told) - _TOLD, 'more is', 'more are')} left out"
