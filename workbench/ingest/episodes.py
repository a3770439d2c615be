"""Episodes: what a completed session leaves behind, once for each ``source_id``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from workbench.errors import NotCuratableError, NotMemoryError, UsageError
from workbench.ingest.summary import summarise
from workbench.llm.language_model import LanguageModel
from workbench.memory.entry import Kind
from workbench.memory.episode import FOLDER, Episode, read_episode
from workbench.memory.episode_page import (
    COMPACTION,
    EpisodePage,
    is_as_written,
    normal,
    render_page,
)
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import FrontMatter, read_front_matter
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath, digest
from workbench.memory.transcript import Session
from workbench.plural import plural
from workbench.safety.terminal import visible_line
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

_MOST_DAYS = 36_500
_KIND = "session"
"""What a record of the book `ingested` says that is of an episode being written."""
_HEAD = 64 * 1024
_SOURCE_ID = re.compile(rb"^source_id:[ \t]*(?P<said>[^\r\n]*)", re.MULTILINE)
_SIMPLE = re.compile(rb'[A-Za-z0-9/][A-Za-z0-9_./@+:-]*|"[^"\\\x00-\x1f\x7f-\xff]*"')
"""Values that are read as they stand, so that thousands of headers need no YAML."""


def plan_episode(
    workspace: Workspace,
    session: Session,
    *,
    now: datetime,
    model: LanguageModel | None = None,
) -> Plan:
    """Write the episode of ``session`` at ``episodes/YYYY/MM/<id>.md``, and note in the ledger that it was.

    A session that was taken up while it went on, and has more turns now, has its page written anew where
    nobody edited it. Raises NotCuratableError where there is an episode already, where there was one that
    somebody removed or that expired, or where nothing in the session may be kept.
    """
    there = _page_of(workspace, session.source_id)
    shown = visible_line(session.source_id)
    if there is not None:
        _require_news(there, session)
    for record in workspace.ledger.read("ingested") if there is None else ():
        if (record.get("kind"), record.get("source")) == (_KIND, session.source_id) and record.get("path"):
            raise NotCuratableError(
                f"the episode of session {shown} was removed, or it expired",
                hint=f"it was {visible_line(str(record['path']))}; undoing what removed it brings it back",
            )
    # Two models are the same only where they are one object.
    summary = summarise(session, model=model)  # type: ignore[arg-type]
    days = workspace.settings.episode_days
    if days > _MOST_DAYS:
        raise UsageError(f"episode_days may be {_MOST_DAYS:,} at most, not {days:,}")
    expires = now + timedelta(days=days)
    page = normal(replace(summary.page, id=_name(session.source_id, 10), created_at=now, expires_at=expires))
    if not page.lines:
        raise NotCuratableError(
            f"nothing in session {shown} is worth an episode",
            hint="; ".join(summary.notes),
        )
    if there is None:
        edit = _fresh(workspace, page, session, now)
    else:
        edit = FileEdit(there.path, there.data, render_page(_renewed(there.header, page)))
    record = {
        "source": session.source_id,
        "kind": _KIND,
        "digest": digest("".join(f"{turn.role}\0{turn.text}\0" for turn in session.turns), 16),
        "memories": len(page.lines),
        "path": edit.path,
    }
    return Plan(
        action="summarise",
        summary=page.abstract,
        edits=(edit,),
        records=ledger_records("ingested", [record], now),
        entries=(edit.path,),
        became=(edit.path,),
        reason="" if there is None else f"the session went on to {plural(page.turns, 'turn')}",
        actor="dreaming",
        notes=summary.notes,
    )


def episode_of(workspace: Workspace, source_id: str) -> Episode | None:
    """The episode of a session, wherever below ``episodes/`` its page is; None where there is none."""
    there = _page_of(workspace, source_id)
    return None if there is None else read_header(there)


def episodes(workspace: Workspace) -> Iterator[Episode]:
    """All episodes by their paths. A page that cannot be read says why (``problem``)."""
    for document in _pages(workspace):
        yield read_header(document)


def episode_named(workspace: Workspace, name: str) -> Episode:
    """The episode with this path, id or beginning of an id.

    Raises UsageError for none and for several, ReadOnlyError for a team leader's.
    """
    whole = [one for one in episodes(workspace) if name in (one.path, one.id)]
    found = whole or [one for one in episodes(workspace) if name and one.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    said = visible_line(name)
    if found:
        paths = ", ".join(visible_line(one.path) for one in found[:5])
        raise UsageError(f"{said} fits {plural(len(found), 'episode')}", hint=f"give a path: {paths}")
    workspace.require_own(name)
    raise UsageError(f"there is no episode {said}", hint="`workbench episodes list` shows their ids")


def read_header(document: Document) -> Episode:
    """The episode by its header alone; the body is parsed only where that has no abstract."""
    episode = read_episode(document)
    if episode.abstract:
        return episode
    return read_episode(document.with_data(document.data))


def _pages(workspace: Workspace, source_id: str | None = None) -> Iterator[Document]:
    """The pages of episodes without their entries; with ``source_id`` only those that may be of it."""
    for file in workspace.scan():
        if file.kind is not Kind.EPISODE:
            continue
        try:
            data = workspace.read(file.path)
        except (OSError, NotMemoryError):
            continue
        if source_id is None or _may_be_of(data, source_id):
            yield Document(file.path, file.kind, data, read_front_matter(data))


def _page_of(workspace: Workspace, source_id: str) -> Document | None:
    pages = _pages(workspace, source_id)
    return next((page for page in pages if read_episode(page).source_id == source_id), None)


def _may_be_of(data: bytes, source_id: str) -> bool:
    """Whether a header can name ``source_id``: told from its line where that is simple."""
    head = data[:_HEAD]
    found = _SOURCE_ID.findall(head)
    if len(found) != 1 or not _SIMPLE.fullmatch(value := found[0].rstrip()):
        return b"source_id" in head
    return bool(value.strip(b'"') == source_id.encode("utf-8", "replace"))


def _require_news(there: Document, session: Session) -> None:
    """Refuse what is there already, unless it was made of a part of the session and nobody touched it."""
    episode = read_episode(there)
    what = f"session {visible_line(session.source_id)} already has an episode: {there.path}"
    if there.front_matter is None or len(session.turns) <= episode.turns:
        raise NotCuratableError(what, hint="nothing was changed")
    by = there.front_matter.text("summary_by")
    if by == COMPACTION:
        raise NotCuratableError(what, hint="it was made when the session had ended; it is kept as it is")
    if by is None or not is_as_written(there.data):
        raise NotCuratableError(what, hint="it was written or edited by hand, so it is kept as it is")


def _renewed(old: FrontMatter, new: EpisodePage) -> EpisodePage:
    """The page of the longer session: what became of the old one counts on, and nothing new is promoted."""
    expires = old.moment("expires_at")
    return replace(
        new,
        id=old.text("id") or new.id,
        created_at=old.moment("created_at"),
        expires_at=max(filter(None, (expires, new.expires_at))) if expires else None,
        recall_count=old.count("recall_count"),
        last_recalled_at=old.moment("last_recalled_at"),
        pinned=old.flag("pinned"),
    )


def _fresh(workspace: Workspace, page: EpisodePage, session: Session, now: datetime) -> FileEdit:
    """The new page at a name that is free: another session's may begin with the same digits."""
    day = (session.ended_at or session.started_at or now).astimezone(UTC)
    for digits in (10, 20, 40):
        name = _name(session.source_id, digits)
        path = RelPath(f"{FOLDER}{day:%Y/%m}/{name}.md")
        if workspace.files.read_or_none(path) is None:
            return FileEdit(path, None, render_page(replace(page, id=name)))
    raise NotCuratableError(f"{path} already exists, for another session", hint="move it somewhere else")


def _name(source_id: str, digits: int) -> str:
    return "e" + digest(source_id, digits)
