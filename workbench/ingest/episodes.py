"""Episodes: the page that a completed session leaves behind, once for each ``source_id``; and its expiry.

A person can lengthen the time of an episode, stop it, or let it run out. Nothing is lost when it expires: git
keeps what was pruned, and undo brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from workbench.errors import NeedsConfirmationError, NotCuratableError, NotMemoryError, UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.ingest.summary import summarise
from workbench.llm.language_model import LanguageModel
from workbench.memory.clock_doubt import TOLERANCE, doubt
from workbench.memory.entry import Kind, RelPath, digest, path_of
from workbench.memory.episode import (
    COMPACTION,
    FOLDER,
    Episode,
    EpisodePage,
    countdown,
    is_as_written,
    moment_text,
    normal,
    read_episode,
    render_page,
    with_recalls,
)
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import FrontMatter, read_front_matter, set_front_matter
from workbench.memory.markdown import Document
from workbench.memory.provenance import parse_instant
from workbench.memory.transcript import Session
from workbench.operations.pin import plan_pin
from workbench.plural import first_few, plural
from workbench.safety.terminal import visible_line
from workbench.workspace import ledger
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

_MOST_DAYS = 36_500
_KIND = "session"
"""What a record of the book `ingested` says that is of an episode being written."""
_HEAD = 64 * 1024


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
        actor="ingest",
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
    """Whether a header can name ``source_id``, as it is or escaped: thousands of others need no YAML."""
    header = data[:_HEAD].partition(b"\n---")[0]
    said = source_id.encode("utf-8", "replace")
    return any(text in header for text in (said, b"\\", b"''"))


def _require_news(there: Document, session: Session) -> None:
    """Refuse what is there already, unless it was made of a part of the session and nobody touched it."""
    episode = read_episode(there)
    by = there.header.text("summary_by")
    if there.front_matter is None or len(session.turns) <= episode.turns:
        why = "nothing was changed"
    elif by == COMPACTION:
        why = "it was made when the session had ended; it is kept as it is"
    elif by is None or not is_as_written(there.data):
        why = "it was written or edited by hand, so it is kept as it is"
    else:
        return
    what = f"session {visible_line(session.source_id)} already has an episode: {there.path}"
    raise NotCuratableError(what, hint=why)


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


FEW = 3
"""Episodes that may always go at once."""
MOST_SHARE = 0.5
"""Share of all episodes that may go at once, if they are more than a few."""
_COMMITS = 200
_LATEST = date(9000, 1, 1)
_NAMED = 5
_NO_ODDITY = timedelta(days=1)


@frozen_kw_only
class ExpiryState:
    """The queue as expiry sees it.

    ``expired`` would be pruned, ``pinned`` have expired and stay. ``unclear`` are pages whose dates cannot be
    believed, each with the reason. ``doubts`` are why nothing should be pruned now.
    """

    expired: tuple[Episode, ...]
    pinned: tuple[Episode, ...]
    unclear: tuple[tuple[RelPath, str], ...]
    doubts: tuple[str, ...]


def due(workspace: Workspace, *, now: datetime) -> ExpiryState:
    """Which episodes have expired by ``now``, and whether that can be believed. Changes nothing."""
    today = _today(now)
    every = [one for one in episodes(workspace) if one.path.startswith(FOLDER)]
    unclear = tuple((one.path, why) for one in every if (why := _unclear(one, now)))
    odd = {path for path, _ in unclear}
    over = [one for one in every if one.path not in odd and one.expires_at and one.expires_at < today]
    expired = tuple(one for one in over if not one.pinned)
    doubts = [why] if (why := doubt(now, happened(workspace))) else []
    if len(expired) > FEW and len(expired) > MOST_SHARE * len(every):
        doubts.append(f"{len(expired):,} of {len(every):,} episodes would be removed at once")
    return ExpiryState(
        expired=expired,
        pinned=tuple(one for one in over if one.pinned),
        unclear=unclear,
        doubts=tuple(doubts),
    )


def plan_prune(
    workspace: Workspace, *, now: datetime, force: bool = False, reason: str = "", actor: str = "dreaming"
) -> Plan:
    """Remove all episodes that have expired and are not pinned, as one operation.

    Raises NotCuratableError where none has expired, and NeedsConfirmationError (unless ``force``) where the
    clock cannot be believed or most of the queue would go at once.
    """
    found = due(workspace, now=now)
    if found.doubts and not force and found.expired:
        raise NeedsConfirmationError(
            f"no episode was pruned: {'; '.join(found.doubts)}",
            hint="`workbench episodes list --expiring 0` shows them; `workbench episodes expire --force` "
            "removes them anyway, and can be undone",
        )
    notes = tuple(_notes(found))
    if not found.expired:
        raise NotCuratableError("no episode has expired", hint="; ".join(notes))
    paths = tuple(one.path for one in found.expired)
    some = f"{len(paths)} expired episodes" if len(paths) > 1 else f"{found.expired[0].abstract} (expired)"
    return Plan(
        action="expire",
        summary=some,
        edits=tuple(FileEdit(path, workspace.read(path), None) for path in paths),
        entries=paths,
        reason=reason or ("; ".join(found.doubts) and f"forced, though {'; '.join(found.doubts)}"),
        actor=actor,
        notes=notes,
    )


def plan_pin_episode(
    workspace: Workspace,
    names: Sequence[str],
    *,
    on: bool = True,
    reason: str = "",
) -> Plan:
    """Stop the clock of episodes, or let it run again (``on=False``). Names are ids, their beginnings, paths.

    Raises UsageError, and NotCuratableError where one says so already.
    """
    paths = [episode_named(workspace, name).path for name in names]
    return plan_pin(workspace, paths, on=on, reason=reason)


def plan_extend(
    workspace: Workspace,
    names: Sequence[str],
    *,
    now: datetime,
    days: int | None = None,
    until: date | None = None,
    reason: str = "",
) -> Plan:
    """Let episodes expire ``days`` later than they would, counted from today where they have expired, or
    on the day ``until``. What is known of their recalls is written with it.

    Raises UsageError, and NotCuratableError for a header that cannot say it.
    """
    if (days is None) == (until is None):
        raise UsageError("by a number of days, or to a date", hint="--days 30, or --until 2026-12-31")
    if days is not None and not 0 < days <= _MOST_DAYS:
        raise UsageError(f"{days} is not a valid number of days", hint=f"from 1 to {_MOST_DAYS:,}")
    today = _today(now)
    marks = recall_marks(workspace, now)
    edits, told = [], []
    for episode in dict.fromkeys(episode_named(workspace, name) for name in names):
        day = until or min(max(episode.expires_at or today, today), _LATEST) + timedelta(days=days or 0)
        if not today <= day <= _LATEST:
            raise UsageError(f"{day} is not a valid expiry date", hint=f"from {today} to {_LATEST}")
        edits.append(_extended(workspace, episode, day, marks.get(episode.path)))
        told.append(f"{visible_line(episode.id)} expires on {day}")
    return Plan(
        action="extend",
        summary=told[0] if len(told) == 1 else f"{len(told)} episodes",
        edits=tuple(edits),
        entries=tuple(edit.path for edit in edits),
        became=tuple(edit.path for edit in edits),
        reason=reason,
        notes=tuple(told) if len(told) > 1 else (),
    )


def expires_within(found: Episode, days: int, now: datetime) -> bool:
    """Whether an episode has at most ``days`` left, or none."""
    left = found.days_left(_today(now))
    return left is not None and left <= days


def time_left(episode: Episode, now: datetime) -> str:
    """``expires in 12 days``: see ``memory.episode.countdown``."""
    return countdown(episode, _today(now))


def happened(workspace: Workspace) -> Iterator[datetime]:
    """When something is known to have happened here: the newest commits, and changes of memory files."""
    commits = islice(workspace.history.commits(), _COMMITS)
    yield from (commit.when for commit in commits)
    for file in workspace.scan():
        try:
            yield datetime.fromtimestamp(file.ctime_ns / 1e9, UTC)
        except (OverflowError, OSError, ValueError):
            continue


def _today(now: datetime) -> date:
    """The day in UTC, as the headers say theirs."""
    return now.astimezone(UTC).date()


def _unclear(episode: Episode, now: datetime) -> str | None:
    """Why the dates of an episode cannot be believed; it is left alone then."""
    if episode.problem:
        return episode.problem
    if episode.expires_at is None:
        return "it does not say when it expires"
    made = episode.created_at
    if made and episode.expires_at < made:
        return "it expires before it was made"
    if made and datetime.combine(made, time(), UTC) > now + _NO_ODDITY:
        return "it was made in the future"
    if made and episode.ended_at and episode.ended_at.date() - made > _NO_ODDITY:
        return "it was made before its session ended: a clock was wrong"
    return None


def _notes(found: ExpiryState) -> Iterator[str]:
    if found.unclear:
        unclear = [f"{visible_line(path)}: {why}" for path, why in found.unclear]
        yield f"not changed: {'; '.join(first_few(unclear, _NAMED))}"
    if found.pinned:
        yield f"expired, and kept because they are pinned: {len(found.pinned)}"
    unkept = sum(one.promoted_at is None for one in found.expired)
    if unkept:
        yield f"of which nothing was promoted: {unkept} of {len(found.expired)}"


def _extended(workspace: Workspace, episode: Episode, day: date, mark: Mark | None) -> FileEdit:
    before = workspace.read(episode.path)
    try:
        after = set_front_matter(before, "expires_at", moment_text(datetime.combine(day, time(), UTC)))
    except ValueError:
        after = before
    if after == before:
        said = "says so already" if episode.expires_at == day else "cannot say when it expires"
        raise NotCuratableError(
            f"the header of {visible_line(episode.path)} {said}", hint="nothing was changed"
        )
    if mark is not None:
        after = with_recalls(after, mark.count, mark.last)
    return FileEdit(episode.path, before, after)


@frozen
class Mark:
    """Recalls of one episode, and the last of them; None where no moment is told that can be believed.

    ``score`` is the mean of theirs, in [0, 1].
    """

    count: int
    last: datetime | None = None
    score: float = 0.0


def recall_marks(workspace: Workspace, now: datetime) -> Mapping[str, Mark]:
    """The recalls of each episode that has any, by its path.

    A recall that gave several lines of a page counts once: the question is what was of use. Records without
    a moment, or of the future, count and tell no moment.
    """
    recalls: dict[str, dict[object, Mapping[str, object]]] = {}
    for number, record in enumerate(workspace.ledger.read("recalls")):
        entry = record.get("entry")
        if isinstance(entry, str) and entry.startswith(FOLDER):
            told = record.get("at"), record.get("query")
            of = told if all(isinstance(one, str) for one in told) else number
            recalls.setdefault(path_of(entry) or entry, {}).setdefault(of, record)
    return {path: _mark(list(found.values()), now) for path, found in recalls.items()}


def _mark(records: Sequence[Mapping[str, object]], now: datetime) -> Mark:
    moments = [at for one in records if (at := parse_instant(one.get("at"))) and at <= now + TOLERANCE]
    scores = [ledger.share(one.get("score")) for one in records]
    return Mark(len(records), max(moments, default=None), sum(scores) / len(scores))


def recalls_of(episode: Episode, marks: Mapping[str, Mark]) -> Mark:
    """What is known of an episode: the ledger's count or its header's, whichever is the higher.

    A header is written with the ledger's count, or came with that of another tool.
    """
    mark = marks.get(episode.path, Mark(0))
    moments = [moment for moment in (mark.last, episode.last_recalled_at) if moment]
    return Mark(max(mark.count, episode.recall_count), max(moments, default=None), mark.score)
