"""The queue of session summaries: what waits for a decision first, by when it expires."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from screens.actions.keys import key_for
from screens.drawing.safe_text import (
    PINNED,
    PROMOTED,
    Row,
    RowPart,
    Shown,
    Tone,
    age,
    days_until,
    grouped,
    of_all,
    piece,
    plural,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import EpisodesView, Files
from screens.panes.entry_rows import TRUSTS
from screens.panes.pane import FilePane, Subject, Subjects, Unfolded, iso, states_of
from workbench.memory.entry import Kind
from workbench.workspace.layout import MemoryFile

if TYPE_CHECKING:
    from workbench.memory.episode import Episode

_SOON_DAYS = 7
_FEW = 3
"""Expired episodes that are shown unasked; more of them would bury what waits."""


class EpisodesPane(FilePane):
    """What sessions left behind, on its way to long-term memory or to expiry."""

    NUMBER = 3
    NAME = "Episodes"
    KIND = "episode"
    STATES: ClassVar[Collection[str]] = {
        "waiting", "promoted", "expiring", "expired", "pinned", "recalled", "unreadable", *TRUSTS
    }  # fmt: skip
    EXAMPLES = "words, a topic, waiting, expiring, expired, pinned, recalled, 2026-03"

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.view = EpisodesView()
        self.files: dict[str, MemoryFile] = {}
        self._subjects = Subjects()

    def receive_files(self, files: Files) -> None:
        """Know which pages there are."""
        self.files = {f.path: f for f in files.values() if f.kind is Kind.EPISODE}

    def receive(self, view: EpisodesView) -> None:
        """Show these episodes."""
        begun = len(self.view.episodes) < self.view.total
        self.view, self.known = view, True
        self._subjects.clear()
        self.grow(begun=begun)

    def nothing(self) -> str:
        """What makes episodes."""
        return f"no episodes yet\n{key_for('ingest')} ingests session transcripts"

    def looked_at(self) -> str:
        """How many pages were read, while there are more."""
        return of_all(len(self.view.episodes), self.view.total, "pages")

    def build(self) -> list[Row]:
        """Waiting first, then promoted, then what nobody took up in time; open ones with their entries."""
        today, wanted = self.today(), self.filter
        episodes = self.view.episodes
        if wanted:
            known = self._subjects
            episodes = tuple(
                e for e in episodes if wanted.keeps(known.of(e, today, partial(subject_of, e, today)))
            )
        expired = [e for e in episodes if is_expired(e, today)]
        waiting = [e for e in episodes if not e.promoted_at and not is_expired(e, today)]
        promoted = [e for e in episodes if e.promoted_at]
        waiting.sort(key=_expiry)
        promoted.sort(key=lambda e: (e.promoted_at, e.path), reverse=True)
        expired.sort(key=lambda e: (e.expires_at, e.path), reverse=True)
        opened: dict[str, Unfolded] = {}
        rows = self._group("waiting", "Waiting, by expiry", waiting, today, opened)
        rows += self._group("promoted", "Promoted", promoted, today, opened)
        rows += self._group("expired", "Expired", expired, today, opened)
        self.keep_only(opened)
        return [wanted.brought_out(row) for row in rows] if wanted else rows

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on an episode or one of its entries."""
        page = (path,) if row_id != path else ()
        episode = next((e for e in self.view.episodes if e.path == path), None)
        group = "expired" if episode and is_expired(episode, self.today()) else "waiting"
        group = "promoted" if episode and episode.promoted_at else group
        return self.reveal(row_id, under=(f"group:{group}", *page))

    def _group(
        self,
        name: str,
        label: str,
        episodes: Sequence[Episode],
        today: date,
        opened: dict[str, Unfolded],
    ) -> list[Row]:
        if not episodes:
            return []
        row_id = f"group:{name}"
        old = name == "expired"
        few = not old or len(episodes) <= _FEW
        is_open = self.folds.is_open(row_id, default=few or self.filter is not None)
        tail = (piece(f"{key_for('prune')} removes them", "faint"),) if old else ()
        tone: Tone = "muted" if old else "head"
        count = RowPart(grouped(len(episodes)))
        rows = [Row(row_id, words(label), tone=tone, fold=is_open, tail=(*tail, count))]
        for episode in episodes if is_open else ():
            unfolded = self.folds.is_open(episode.path)
            rows.append(episode_row(episode, today, is_open=unfolded))
            file = self.files.get(episode.path)
            if unfolded and file:
                opened[file.path] = Unfolded(file, 2, self.promoted)
                rows += about_rows(episode)
                rows += self.rows_under(file, 2)
        return rows


def is_expired(episode: Episode, today: date) -> bool:
    """Whether its time is over and nobody took it up or pinned it."""
    left = episode.days_left(today)
    return episode.promoted_at is None and left is not None and left < 0


def subject_of(episode: Episode, today: date) -> Subject:
    """What a filter looks at: abstract, topics and names; what became of it; the day it was made."""
    left = episode.days_left(today)
    over = is_expired(episode, today)
    states = states_of(
        ("promoted", episode.promoted_at is not None),
        ("waiting", episode.promoted_at is None and not over),
        ("expired", over),
        ("expiring", episode.promoted_at is None and left is not None and 0 <= left <= _SOON_DAYS),
        ("pinned", episode.pinned),
        ("recalled", episode.recall_count > 0),
        ("unreadable", episode.problem is not None),
        (episode.trust, True),
    )
    text = " ".join((episode.abstract, *episode.topics, episode.id, episode.session or "", episode.path))
    return Subject(text, states, iso(episode.created_at))


def episode_row(episode: Episode, today: date, *, is_open: bool) -> Row:
    """One episode: abstract, topics, recalls, and how long it has left."""
    tail: list[RowPart] = []
    if episode.topics and episode.topics != (episode.abstract,):
        tail.append(safe_piece(", ".join(episode.topics[:3]), "faint"))
    if episode.recall_count:
        tail.append(RowPart(plural(episode.recall_count, "recall"), "muted"))
    if episode.problem:
        tail.append(piece("unreadable header", "warn"))
    if episode.pinned:
        tail.append(piece(f"{PINNED} pinned", "accent"))
    elif episode.promoted_at:
        tail.append(piece(f"{PROMOTED} promoted", "good"))
    elif episode.expires_at:
        left = (episode.expires_at - today).days
        tone: Tone = "bad" if left < 0 else "warn" if left <= _SOON_DAYS else "muted"
        tail.append(RowPart(_expires(episode.expires_at, today), tone))
    elif episode.created_at:
        at = f" {episode.started_at:%H:%M}" if episode.started_at else ""
        tail.append(piece(f"{episode.created_at:%a %d %b %Y}{at}", "muted"))
    return Row(
        id=episode.path,
        text=row_text(episode.abstract or episode.id),
        depth=1,
        fold=is_open,
        tail=tuple(tail),
        path=episode.path,
        address=episode.path,
        done=episode.promoted_at is not None,
        pinned=episode.pinned,
    )


def about_rows(episode: Episode) -> tuple[Row, ...]:
    """Under an open episode: its topics and recalls, which its own row seldom has room for."""
    topics, recalls = row_text(", ".join(episode.topics)), episode.recall_count
    tail = (RowPart(plural(recalls, "recall"), "muted"),) if recalls else ()
    about = Row(f"{episode.path}/about", topics, tone="muted", depth=2, tail=tail, inert=True)
    return (about,) if topics or tail else ()


def _expires(day: date, today: date) -> Shown:
    """How long it has left; the verb only where there is need to hurry."""
    left = (day - today).days
    if left < 0:
        return words(f"expired {age(day, today)} ago")
    return words(f"expires {days_until(day, today)}" if left <= _SOON_DAYS else days_until(day, today))


def _expiry(episode: Episode) -> tuple[bool, date, int, str]:
    """What expires first, then what never does, the newest first."""
    never = episode.expires_at is None or episode.pinned
    made = episode.created_at or date.min
    return never, episode.expires_at or date.max, -made.toordinal() if never else 0, episode.path
