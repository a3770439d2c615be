"""The pane of session summaries: those that wait for a decision first, by when they expire."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, ClassVar

from screens.actions.keys import key_for
from screens.drawing.safe_text import (
    PINNED,
    PROMOTED,
    Row,
    RowPart,
    age,
    days_until,
    grouped,
    piece,
    plural,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import EpisodesView
from screens.panes.entry_rows import TRUSTS
from screens.panes.pane import FilePane, PagesPane, Subject, iso, states_of

if TYPE_CHECKING:
    from workbench.memory.episode import Episode

_GROUPS = {"waiting": "Waiting, by expiry", "promoted": "Promoted", "expired": "Expired"}
_SOON_DAYS = 7
_FEW = 3
"""Expired episodes that are shown unasked; more of them would bury what waits."""


class EpisodesPane(PagesPane[EpisodesView], FilePane):
    """What sessions left behind, on its way to long-term memory or to expiry."""

    NUMBER = 3
    NAME = "Episodes"
    KIND = "episode"
    VIEW = EpisodesView
    STATES: ClassVar[Collection[str]] = {
        "waiting", "promoted", "expiring", "expired", "pinned", "recalled", "unreadable", *TRUSTS
    }  # fmt: skip
    EXAMPLES = "words, a topic, waiting, expiring, expired, pinned, recalled, 2026-03"

    def subjects(self, day: date) -> Sequence[tuple[Episode, Subject]]:
        """The episodes, each with what a filter looks at on this day."""
        return [(episode, subject_of(episode, day)) for episode in self.view.pages]

    def nothing(self) -> str:
        """What makes episodes."""
        return f"no episodes yet\npress {key_for('ingest')} to ingest session transcripts"

    def build(self) -> list[Row]:
        """Waiting first, then promoted, then what nobody took up in time; open ones with their entries."""
        today, wanted = self.today(), self.filter
        kept = self.view.pages
        if wanted:
            kept = tuple(e for e, subject in self._subjects(today) if wanted.keeps(subject))
        rows: list[Row] = []
        for name, label in _GROUPS.items():
            group = [e for e in kept if group_of(e, today) == name]
            if name == "waiting":
                group.sort(key=_expiry)
            else:
                group.sort(key=lambda e: (e.promoted_at or e.expires_at, e.path), reverse=True)
            if group:
                old = name == "expired"
                how = (piece(f"{key_for('prune')} removes them", "faint"),) if old else ()
                tail = (*how, RowPart(grouped(len(group))))
                head = Row(f"group:{name}", words(label), tone="muted" if old else "head", tail=tail)
                few = not old or len(group) <= _FEW or wanted is not None
                rows += self.folds.section(head, self._under(group, today), default=few)
        self.keep_only()
        return rows

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on an episode or one of its entries."""
        page = (path,) if row_id != path else ()
        episode = next((e for e in self.view.pages if e.path == path), None)
        group = group_of(episode, self.today()) if episode else "waiting"
        return self.reveal(row_id, under=(f"group:{group}", *page))

    def _under(self, episodes: Sequence[Episode], today: date) -> Iterator[Row]:
        for episode in episodes:
            unfolded, file = self.folds.is_open(episode.path), self.files.get(episode.path)
            yield episode_row(episode, today, is_open=unfolded)
            if unfolded and file:
                yield from about_rows(episode)
                yield from self.rows_under(file, 2)


def group_of(episode: Episode, today: date) -> str:
    """Which group of the pane it is in."""
    if episode.promoted_at:
        return "promoted"
    left = episode.days_left(today)
    return "expired" if left is not None and left < 0 else "waiting"


def subject_of(episode: Episode, today: date) -> Subject:
    """What a filter looks at: abstract, topics and names; what became of it; the day it was made."""
    left = episode.days_left(today)
    states = states_of(
        (group_of(episode, today), True),
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
        tail.append(RowPart(plural(episode.recall_count, "recall")))
    if episode.problem:
        tail.append(piece("unreadable header", "warn"))
    if episode.pinned:
        tail.append(piece(f"{PINNED} pinned", "accent"))
    elif episode.promoted_at:
        tail.append(piece(f"{PROMOTED} promoted", "good"))
    elif episode.expires_at:
        tail.append(_expires(episode.expires_at, today))
    elif episode.created_at:
        at = f" {episode.started_at:%H:%M}" if episode.started_at else ""
        tail.append(piece(f"{episode.created_at:%a %d %b %Y}{at}"))
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
    tail = (RowPart(plural(recalls, "recall")),) if recalls else ()
    about = Row(f"{episode.path}/about", topics, tone="muted", depth=2, tail=tail, inert=True)
    return (about,) if topics or tail else ()


def _expires(day: date, today: date) -> RowPart:
    """How long it has left; the verb only where there is need to hurry."""
    left = (day - today).days
    if left < 0:
        return piece(f"expired {age(day, today)} ago", "bad")
    ahead = days_until(day, today)
    return piece(f"expires {ahead}", "warn") if left <= _SOON_DAYS else piece(ahead)


def _expiry(episode: Episode) -> tuple[bool, date, int, str]:
    """What expires first, then what never does, the newest first."""
    never = episode.expires_at is None or episode.pinned
    made = episode.created_at or date.min
    return never, episode.expires_at or date.max, -made.toordinal() if never else 0, episode.path
