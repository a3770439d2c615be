"""Live search: from keystrokes to rows. The newest answer wins, and old hits stay until it comes."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from screens.actions.availability import FocusContext
from screens.actions.keys import key_for
from screens.dialogs.dialog import advice as in_keys
from screens.drawing.clock import today
from screens.drawing.safe_text import (
    Row,
    RowPart,
    Shown,
    grouped,
    lines_text,
    piece,
    row_text,
    safe_piece,
    words,
)
from screens.frames.action_screen import Command
from screens.loading.workspace_model import moment_of
from screens.search.engine import (
    EMBEDDING,
    KEYWORD_INDEX,
    Engine,
    IndexChanged,
    MeaningChanged,
    MomentChanged,
    SearchAnswered,
    SearchFailed,
    TypedQuery,
)
from screens.search.hits import hit_rows, moment_shown
from screens.search.recent import PREFIX, RecentSearches
from screens.widgets.search_overlay import Condition, SearchOverlay
from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError
from workbench.workspace.snapshot import PastWorkspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen
    from screens.search.parsed_query import ParsedQuery

DEBOUNCE_SECONDS = 0.04
PAST_DEBOUNCE_SECONDS = 0.5
"""A moment of the past is written to its end first: each one that is asked about has to be laid out."""
ROWS_SECONDS = 1.0
LONG_SECONDS = 0.25
"""How long a wait may be without a word about it."""
_COMPACT_BELOW = 90
_STARTING = "semantic search is starting"
_PHASES = {"lay out": "writing out the files", "scan": "scanning", "prepare": "preparing the model"}


class LiveSearch:
    """What was asked, what was found, and where in it the person is."""

    def __init__(self, screen: MainScreen, overlay: SearchOverlay, engine: Engine) -> None:
        self._screen = screen
        self._overlay = overlay
        self._engine = engine
        self._question = TypedQuery(0, "")
        self._asked = 0
        self._state = SearchState(missing=_STARTING, loading=True)
        self._shown: tuple[int, bool] = (0, False)
        """The number of the question whose answer is shown, and whether that is the final one."""
        self._drawn: str | None = None
        self._drawn_at = 0.0
        self._late = False
        """Whether the answer that is shown was long in coming."""
        self._wheel: Timer | None = None
        self._recent = RecentSearches(screen.workspace)
        overlay.input.going_on = self._going_on
        self._pause: Timer | None = None
        """Until it is asked again for rows that the index got meanwhile."""
        self._more_came = False
        self._embedded = -1
        """Vectors of the run under way that were there when it was asked last."""
        self._everywhere = False
        self._moment: PastWorkspace | None = None
        """The moment of the past that the panes show: it is what is searched."""
        self._watcher: Callable[[SearchUpdate], None] | None = None
        """Who shows the parts of scores."""

    @property
    def count(self) -> int:
        """How many hits there are."""
        return len(self._overlay.hits.rows) if self._question.text.strip() else 0

    @property
    def index(self) -> int:
        """The hit under the cursor."""
        return self._overlay.hits.cursor

    # -- asking ----------------------------------------------------------------------------------

    def typed(self, text: str) -> None:
        """Ask, once the typing pauses for a moment."""
        if text == self._question.text:
            return
        self._drawn = None  # what is typed anew begins at its best hit
        self._state.missed, self._state.preparing = "", None
        if not text.strip():
            self._question = TypedQuery(self._question.seq + 1, text)
            self._drop_answer()
            self._rest()
            self.draw()
            self._screen.key_queue.release()
            return
        meant = self._understood(text)
        self._overlay.keep_offer(text)
        self._question = self._next(text, meant.as_of)
        self._overlay.tell(meant.chips, meant.notes)
        self._screen.work(partial(self._ask, self._question), "search", exclusive=True)

    async def _going_on(self, text: str) -> str | None:
        """How the words in the box go on; what they may become is shown under them."""
        from screens.search.parsed_query import offer  # noqa: PLC0415 - not before the first paint

        whole, choices = await offer(text, today(), self._engine.values)
        self._overlay.call_later(self._overlay.offered, text, choices)
        return whole or None

    # -- what was searched for before ------------------------------------------------------------

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "older_search": lambda: self._walk(1),
            "newer_search": lambda: self._walk(-1),
            "everywhere": self._turn_everywhere,
        }

    @property
    def why(self) -> dict[str, str]:
        """What stands in the way of actions on hits, by their ids."""
        if self._everywhere:
            return {"explain_hit": "hits of several workspaces have no single explanation"}
        if self._moment or moment_of(self._screen.workspace):
            return {"everywhere": "memory as of an earlier time: only this workspace is searched"}
        return {}

    def _turn_everywhere(self) -> None:
        """Search all workspaces from now on, or this one alone again."""
        self._everywhere = not self._everywhere
        self._overlay.entitle("Search in all workspaces" if self._everywhere else "Search")
        self._begin_anew()

    def begin(self) -> None:
        """Read what was searched for before."""
        self._screen.work(partial(asyncio.to_thread, self._recent.load), "recent")

    def closed(self, text: str) -> None:
        """The person is done with a search: it can be made again."""
        if text.strip() and self.settled:
            self._screen.work(partial(asyncio.to_thread, self._recent.add, text), "recent")

    def chosen(self, row: Row) -> bool:
        """Make the search that a row stands for; was it one?"""
        if not row.id.startswith(PREFIX):
            return False
        self._put_text(row.id.removeprefix(PREFIX))
        self._screen.set_focus(self._overlay.input)
        return True

    def _walk(self, steps: int) -> None:
        text = self._recent.step(steps, self._overlay.input.value)
        if text is not None:
            self._put_text(text)

    def _put_text(self, text: str) -> None:
        self._overlay.input.value = text
        self._overlay.input.cursor_position = len(text)

    # -- asking again ----------------------------------------------------------------------------

    def ask_again(self) -> None:
        """The index changed, or an engine came: ask the same once more."""
        if self._question.text.strip():
            self._state.missed = ""  # whether meaning misses this one too is for its answer to say
            self._question = self._next(self._question.text, self._question.as_of)
            self._put(self._question)

    def look_at(self, moment: PastWorkspace | None) -> None:
        """Search the memory of this moment from now on, or today's."""
        self._moment = moment
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Other memory is searched from now on: what is shown is no answer any more."""
        text = self._question.text
        if text.strip():
            self._drop_answer()
            self._question = self._next(text, self._understood(text).as_of)
            self._put(self._question)

    def _drop_answer(self) -> None:
        """What is shown is no answer any more, nor is what is under way."""
        state = self._state
        state.found, state.failure, state.preparing = None, "", None
        self._drawn = None
        self._shown = self._question.seq, True

    def explain(self, watcher: Callable[[SearchUpdate], None] | None) -> None:
        """Give answers with the parts of their scores to ``watcher`` from now on; None: to nobody."""
        self._watcher = watcher
        if watcher:
            self.ask_again()

    @property
    def settled(self) -> bool:
        """Whether the hits that are shown are those of the words in the box."""
        found, text = self._state.found, self._overlay.input.value
        return found.query == text if found else not text.strip()

    @property
    def gave_up(self) -> bool:
        """Whether the words in the box could not be searched, and nothing is under way that would help."""
        failed = bool(self._state.failure) and not self._state.building
        return failed and self._question.text == self._overlay.input.value

    def hurry(self) -> None:
        """Somebody waits for the answer: ask at once."""
        if not self.settled:
            self.typed(self._overlay.input.value)
            if self._question.text.strip():
                self._put(self._question)

    # -- answers ---------------------------------------------------------------------------------

    def answered(self, message: SearchAnswered) -> None:
        """Show an answer, unless a newer or a better one is shown already."""
        rank = (message.seq, message.final)
        if rank <= self._shown or message.seq > self._question.seq or not self._question.text.strip():
            return
        self._late = self._state.turn > 0
        if message.seq == self._question.seq and (message.final or not self._engine.ready):
            self._rest()
        shown, final = self._state.found, self._shown[1]
        if not message.final and final and shown and shown.query == message.found.query:
            # Asked again: keyword hits would only take others away until the hybrid answer is there, too.
            if self._drawn is None:
                self.draw()
        else:
            self._shown, self._state.found, self._state.failure = rank, message.found, ""
            self.draw()
            if self._watcher:
                self._watcher(message.found)
        self._screen.index_monitor.index_answers()
        self._screen.key_queue.release()

    def failed(self, message: SearchFailed) -> None:
        """Say why there is no answer; the hits that are shown stay, and it is said whose they are."""
        if message.seq != self._question.seq:
            return
        self._rest()
        if message.hybrid_only:
            self._state.missed = message.reason
            self._say()
            return
        self._state.failure, self._state.hint, self._state.preparing = message.reason, message.hint, None
        self._forget_today()
        self.draw()
        if self._question.as_of is None:
            self._screen.index_monitor.index_fails(message)
        self._screen.key_queue.refuse()

    def meaning(self, message: MeaningChanged) -> None:
        """Semantic search became ready, or went away."""
        self._state.missing, self._state.loading = "" if message.ready else message.reason, False
        self._rest()
        if self._overlay.is_open and (message.ready or self._question.as_of is not None):
            self.ask_again()  # the index of a moment is made by the process that went away as well
        self._say()

    def moment(self, message: MomentChanged) -> None:
        """The index of a moment of the past comes along, is there, or is not coming."""
        if self._question.as_of is None or message.seq not in (None, self._question.seq):
            return
        if message.problem:
            self.failed(SearchFailed(self._question.seq, message.problem, message.hint))
        elif message.ready:
            self._state.preparing = None
            self.ask_again()
        else:
            doing = _PHASES.get(message.phase, "indexing" if message.phase else "making its index")
            share = f" {message.done * 100 // message.total} %" if message.total > 1 else ""
            self._state.preparing = row_text(f"memory as of {self._question.as_of}: {doing}{share}")
            self._rest()
            self._forget_today()
            self.draw()

    def _forget_today(self) -> None:
        """Hits of today are no answer about then, not even for a while."""
        found = self._state.found
        if self._question.as_of is not None and found and found.moment is None:
            self._state.found = None

    def index_changed(self, event: IndexChanged) -> None:
        """The index is being brought up to date, or has been."""
        self._state.building = event if event.text is not None else None
        if self._state.found is None or not self._state.found.hits:
            self.draw()
        else:
            self._say()
        if event.text is None:
            if self._pause:
                self._pause.stop()
            self._pause, self._more_came = None, False
            self.ask_again()
        elif event.searchable:
            embedded = event.stage.done if event.stage and event.stage.phase == EMBEDDING else 0
            if embedded != self._embedded:
                self._embedded = embedded
                self._rows_came()
        else:
            self._embedded = -1

    def _rows_came(self) -> None:
        """Rows that can change the answer: ask again, while they go on coming about once a second."""
        if self._pause:
            self._more_came = True
        else:
            self._pause = self._screen.set_timer(ROWS_SECONDS, self._pause_over)
            self.ask_again()

    def _pause_over(self) -> None:
        self._pause = None
        if self._more_came:
            self._more_came = False
            self._rows_came()

    # -- showing ---------------------------------------------------------------------------------

    def draw(self) -> None:
        """Show the hits as there is room for them."""
        found, text = self._state.found, self._question.text
        if not text.strip():
            self._overlay.invite(self._recent.rows())
            self._say()
            return
        meant = self._understood(text)
        if found:
            rows = hit_rows(
                found,
                compact=self._screen.size.width < _COMPACT_BELOW,
                promoted=self._screen.memory_view.promoted,
                unscored=self._understood(found.query).wordless,
                here=str((self._moment or self._screen.workspace).root),
            )
            same = self._drawn == found.query
            self._overlay.show(rows, self._nothing(), keep=same and self._read_already())
            if not same:
                self._drawn, self._drawn_at = found.query, time.monotonic()
            notes = found.notes if found.query == text else meant.notes
            self._overlay.tell(meant.chips, notes, moment_shown(found.moment) if found.moment else None)
        elif self._state.failure or self._state.preparing is not None:
            self._overlay.show((), self._nothing())
        self._say()

    def _read_already(self) -> bool:
        """Whether the person may have seen the row under the cursor, so that no other may take its place."""
        seen = time.monotonic() - self._drawn_at > LONG_SECONDS
        return self._overlay.hits.cursor > 0 or self._late or seen

    def _nothing(self) -> Shown:
        meant = self._understood(self._question.text)
        return emptiness(self._state, narrowed=bool(meant.chips))

    def _say(self) -> None:
        self._overlay.say(condition(self._state))

    # -- waiting ---------------------------------------------------------------------------------

    async def _ask(self, question: TypedQuery) -> None:
        await asyncio.sleep(DEBOUNCE_SECONDS if question.as_of is None else PAST_DEBOUNCE_SECONDS)
        self._put(question)

    def _put(self, question: TypedQuery) -> None:
        if question.seq > self._asked:
            self._asked = question.seq
            self._engine.ask(question)
            if self._wheel is None:
                self._state.turn = -1
                self._wheel = self._screen.set_interval(LONG_SECONDS / 2, self._go_round)

    def _go_round(self) -> None:
        """Show that the search still goes on."""
        self._state.turn += 1
        self._say()

    def _rest(self) -> None:
        """Nothing is waited for."""
        if self._wheel:
            self._wheel.stop()
        self._wheel, self._state.turn = None, 0

    def _next(self, text: str, as_of: str | None) -> TypedQuery:
        then = as_of or (self._moment.commit if self._moment else None)
        wide = self._everywhere and then is None
        explain = self._watcher is not None
        return TypedQuery(self._question.seq + 1, text, then, explain=explain, everywhere=wide)

    @staticmethod
    def _understood(text: str) -> ParsedQuery:
        from screens.search.parsed_query import read  # noqa: PLC0415 - not before the first paint

        return read(text, today())


FAILED, STALE, DEGRADED, EMPTY = words("✗"), words("≠"), words("!"), words("∅")
INDEXING, LOADING = words("↻"), words("◌")
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_REINDEX = re.compile(r"(?:run )?`workbench reindex(?: --full)?`")


@dataclass(slots=True, kw_only=True)
class SearchState:
    """What is known of the search at this moment.

    ``failure`` is why the words in the box could not be searched, ``hint`` what helps. ``missing`` is why
    meaning takes no part, empty while it does, and ``loading`` says that it is about to; ``missed`` is why it
    has no answer to this very question. ``building`` is what was told last of an index that is being made,
    ``preparing`` the same of a moment of the past. ``turn`` counts the steps of a wait that has become long.
    """

    found: SearchUpdate | None = None
    failure: str = ""
    hint: str = ""
    missing: str = ""
    missed: str = ""
    loading: bool = False
    building: IndexChanged | None = None
    preparing: Shown | None = None
    turn: int = 0

    @property
    def without_meaning(self) -> str:
        """Why only keywords are searched; empty where meaning takes part."""
        return self.missed or self.missing


def condition(state: SearchState) -> Condition:
    """The most urgent state of the search for the corner, and advice for each that needs attention.

    Each state (answered, stale, degraded, failed, empty, loading, indexing) has a mark and a word of its own,
    so that none is told by its colour alone.
    """
    found = state.found
    if state.preparing is not None:
        known = f"{found.sides} · " if found else ""
        return Condition(piece(f"{INDEXING} {known}preparing the past", "accent"))
    if state.failure:
        if state.building:
            return Condition(piece(f"{INDEXING} indexing", "accent"))
        advice: tuple[RowPart, ...] = ()
        if found and found.hits:  # they are of other words; an empty list says itself that it failed
            old = f"these are the hits of “{found.query.strip()}”"
            said = f"{FAILED} failed: {state.failure}; {old}; {_helps(state.hint)}"
            advice = (safe_piece(said, "bad"),)
        return Condition(piece(f"{FAILED} failed", "bad"), advice)
    sides = found.sides if found else ("keyword" if state.without_meaning else "hybrid")
    problems: list[tuple[str, str]] = []
    if found and found.stale and state.building is None:
        problems.append((f"{STALE} stale", f"{STALE} stale: {_with(found.stale, _catch_up())}"))
    why = state.without_meaning or (found.degraded if found else None)
    if why and not state.loading and state.building is None:
        keyword = state.without_meaning or sides == "keyword"
        kept = "keyword search only" if keyword else f"{sides}, not all"
        problems.append((f"{DEGRADED} {kept}", f"{DEGRADED} degraded: {_with(why, _again())}"))
    if problems:
        corner = piece(problems[0][0], "warn")
        return Condition(corner, tuple(safe_piece(said, "warn") for _, said in problems))
    return Condition(_at_work(state, sides) or piece(sides))


def emptiness(state: SearchState, *, narrowed: bool) -> Shown:
    """What stands where hits would be, over several lines: the first says what is, the others what helps."""
    if state.preparing is not None:
        return lines_text(
            (f"{INDEXING} {state.preparing}", f"hits will appear automatically; {_key('back')} leaves")
        )
    if state.failure and state.building:
        stage = state.building.stage
        counted = stage is not None and stage.phase == KEYWORD_INDEX and stage.is_counted
        files = f", {grouped(stage.done)} of {grouped(stage.total)} files" if stage and counted else ""
        said = f"{INDEXING} building the keyword index{files}"
        return lines_text((said, "keyword hits are shown when it is ready"))
    if state.failure:
        return lines_text((f"{FAILED} the search failed: {state.failure}", _helps(state.hint)))
    if state.found is None:
        return words(f"{LOADING} searching …")
    if state.loading and state.found.sides == "keyword":
        return lines_text(
            (f"{EMPTY} nothing has these words", f"{LOADING} semantic search is loading and may find more")
        )
    helps = (
        "remove a filter, or words"
        if narrowed
        else f"try fewer or other words; {_key('help')} explains the query language"
    )
    by = "" if state.found.sides == "hybrid" else " by keyword only"
    return lines_text((f"{EMPTY} nothing found{by}", helps))


def _at_work(state: SearchState, sides: str) -> RowPart | None:
    """Something is under way that needs nobody's attention."""
    if state.turn > 0:
        wheel = SPINNER[state.turn % len(SPINNER)]
        return piece(f"{wheel} {sides} · searching", "accent")
    if state.building:
        doing = "catching up" if state.found and state.found.stale else "indexing"
        return piece(f"{INDEXING} {sides} · {doing}", "accent")
    if state.loading:
        return piece(f"{LOADING} keyword · semantic search is loading", "accent")
    return None


def _with(reason: str, usual: str) -> str:
    """A reason with what helps: what it says of that itself, in keys, else the usual."""
    reason, _, hint = reason.replace(": keyword search only", "").partition("; ")
    return f"{reason}; {_helps(hint, usual)}"


def _helps(hint: str, usual: str = "") -> str:
    """A hint of the command line as it is done while searching."""
    if _REINDEX.fullmatch(hint):
        return _catch_up()
    told = _REINDEX.sub(lambda _: f"press {_key('reindex')}", hint)
    return in_keys(WorkbenchError("", hint=told)) or usual or _again()


def _catch_up() -> str:
    return f"{_key('reindex')} brings the index up to date"


def _again() -> str:
    return f"{_key('reindex')} tries again"


def _key(action: str) -> str:
    """What to press while words are typed."""
    return key_for(action, FocusContext.QUERY)
