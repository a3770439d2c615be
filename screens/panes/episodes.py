"""The queue of session summaries: what waits for a decision first, by when it expires."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from screens.panes.pane import FilePane, Unfolded
from screens.rows import PINNED, PROMOTED, Part, Row, Tone
from screens.shown import Shown, age, days_until, grouped, plural, row_text, words
from screens.snapshots import EpisodesView, Overview
from workbench.memory.entry import Kind
from workbench.memory.episode import Episode
from workbench.workspace.layout import MemoryFile

_SOON_DAYS = 7


class EpisodesPane(FilePane):
    """What sessions left behind, on its way to long-term memory or to expiry."""

    NUMBER = 3
    NAME = "Episodes"
    EMPTY = "no episodes yet: sessions leave them when they are summarised"

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.view = EpisodesView()
        self.files: dict[str, MemoryFile] = {}

    def receive_overview(self, overview: Overview) -> None:
        """Know which pages there are."""
        self.files = {f.path: f for f in overview.files.values() if f.kind is Kind.EPISODE}

    def receive(self, view: EpisodesView) -> None:
        """Show these episodes."""
        self.view = view
        self.rebuild()

    def build(self) -> list[Row]:
        """Waiting first, then promoted; open ones with their entries."""
        today = self.today()
        waiting = sorted((e for e in self.view.episodes if not e.promoted_at), key=_expiry)
        promoted = [e for e in self.view.episodes if e.promoted_at]
        promoted.sort(key=lambda e: (e.promoted_at, e.path), reverse=True)
        opened: dict[str, Unfolded] = {}
        rows = self._group("waiting", "Waiting, by expiry", waiting, today, opened)
        rows += self._group("promoted", "Promoted", promoted, today, opened)
        self.keep_only(opened)
        return rows

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on an episode or one of its entries."""
        page = (path,) if row_id != path else ()
        return self.reveal(row_id, under=("group:waiting", "group:promoted", *page))

    def _group(
        self,
        name: str,
        label: str,
        episodes: Iterable[Episode],
        today: date,
        opened: dict[str, Unfolded],
    ) -> list[Row]:
        episodes = list(episodes)
        if not episodes:
            return []
        row_id = f"group:{name}"
        is_open = self.folds.is_open(row_id, default=True)
        rows = [Row(row_id, words(label), tone="head", fold=is_open, tail=(Part(grouped(len(episodes))),))]
        for episode in episodes if is_open else ():
            unfolded = self.folds.is_open(episode.path)
            rows.append(episode_row(episode, today, is_open=unfolded))
            file = self.files.get(episode.path)
            if unfolded and file:
                opened[file.path] = Unfolded(file, 2, self.promoted)
                rows += self.rows_under(file, 2)
        return rows


def episode_row(episode: Episode, today: date, *, is_open: bool) -> Row:
    """One episode: abstract, topics, recalls, and how long it has left."""
    tail: list[Part] = []
    if episode.topics:
        tail.append(Part(row_text(", ".join(episode.topics[:3])), "faint"))
    if episode.recall_count:
        tail.append(Part(plural(episode.recall_count, "recall"), "muted"))
    if episode.problem:
        tail.append(Part(words("unreadable header"), "warn"))
    if episode.pinned:
        tail.append(Part(words(f"{PINNED} pinned"), "accent"))
    elif episode.promoted_at:
        tail.append(Part(words(f"{PROMOTED} promoted"), "good"))
    elif episode.expires_at:
        left = (episode.expires_at - today).days
        tone: Tone = "bad" if left < 0 else "warn" if left <= _SOON_DAYS else "muted"
        tail.append(Part(_expires(episode.expires_at, today), tone))
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


def _expires(day: date, today: date) -> Shown:
    """How long it has left; the verb only where there is need to hurry."""
    left = (day - today).days
    if left < 0:
        return words(f"expired {age(day, today)} ago")
    return words(f"expires {days_until(day, today)}" if left <= _SOON_DAYS else days_until(day, today))


def _expiry(episode: Episode) -> tuple[bool, date, str]:
    never = episode.expires_at is None or episode.pinned
    return never, episode.expires_at or date.max, episode.path
