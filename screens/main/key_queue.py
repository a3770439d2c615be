"""Keys that come faster than answers: they are held, in order, until what they act on is there."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.events import Key, Paste
from textual.timer import Timer
from textual.widgets import Input

from screens.actions.registry import FocusContext, action_at
from screens.frames.action_screen import LaidOutScreen
from workbench.operations.registry import OPERATIONS, Kind

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

PATIENCE_SECONDS = 2.0
BUSY = "Still busy with the previous action"
_ANYWAY = frozenset({"switch", "search", "help", "palette", "back", "quit", "reindex"})
"""Actions that use neither a hit nor a row."""
_LOOKS = frozenset({"filter", "filter_done", "find", "find_done"})
"""What can be done while a filter has found nothing yet."""
_LINES = frozenset({FocusContext.FILTER, FocusContext.FIND})
_ACTS = {op.name for op in OPERATIONS.values() if op.key and op.subject.kind is Kind.ENTRY} | {"promote_to"}
"""What is done to rows: the next one has to see what became of them."""
_STEPS = frozenset({"next_hit", "previous_hit"})
_LEAVES = frozenset({"back", "review", "help"})
"""What goes away from a list of decisions: that drops what waits there."""


class KeyQueue:
    """Holds keys and hands them on; ``perform`` does what a key does.

    A key that uses hits waits for the hits of the words in the box. A key that acts on a row waits while a
    jump to another row is under way, and while that row is still shown as it was before the last action on
    it. On another screen a key waits for what that screen awaits. Every key waits for a dialog that is being
    made ready. What follows a held key, also pasted text, is held behind it. A key is dropped with the screen
    on which it was pressed: on the one below it would mean something else.
    """

    def __init__(self, screen: MainScreen, perform: Callable[[Key | Paste], Awaitable[None]]) -> None:
        self._screen = screen
        self._perform = perform
        self._held: deque[tuple[LaidOutScreen | None, Key | Paste]] = deque()
        self._timer: Timer | None = None
        self._typing = 0
        self._opening = False

    @property
    def _typed_into(self) -> Input | None:
        """The line that somebody types in."""
        screen, place = self._screen, self._screen.place
        if self._top is not screen:
            return None
        if place is FocusContext.QUERY:
            return screen.overlay.input
        if place is FocusContext.FILTER:
            return screen.pane.line
        return screen.find.line if place is FocusContext.FIND else None

    @property
    def _top(self) -> LaidOutScreen | None:
        """The screen whose actions keys stand for; None where a dialog lies over all."""
        top = self._screen.app.screen
        return top if isinstance(top, LaidOutScreen) else None

    def opens(self) -> None:
        """A dialog is on its way: keys wait for it, whatever they mean where the person is now."""
        self._opening = True

    def opened(self) -> None:
        """It is there, or not coming."""
        self._opening = False
        self.release()

    def takes(self, event: Key | Paste) -> bool:
        """Whether the key is held; if not, it is to be done now."""
        if isinstance(event, Key) and event.key == "ctrl+c":
            return False  # the way out is never held
        action, is_here = self._action(event), self._top is self._screen
        if action == "back" and is_here and self._screen.ready and not self._typing:
            self.drop()
            self._screen.navigation.stop()
            if self._screen.place not in _LINES:
                return False
            self._after_typing()  # what was typed before it is taken away with the rest
            self._hold(event)
            return True
        if action in _LEAVES and not is_here and not self._opening:
            self.drop()
            return False
        self._drop_closed()
        is_first = self._screen.ready and not self._opening and not self._held
        if is_first:
            if self._typed_into is not None and action and (action == "switch" or action not in _ANYWAY):
                self._after_typing()
            if not self._waits(event):
                return False
        self._hold(event)
        if is_first:
            self._wait()
        return True

    def _hold(self, event: Key | Paste) -> None:
        leaves = any(self._action(one) == "back" for _, one in self._held)
        self._held.append((None if leaves else self._top, event))  # what follows esc is for the screen below

    def _drop_closed(self) -> None:
        """Drop what was pressed on a screen that is closed by now."""
        stack = self._screen.app.screen_stack
        self._held = deque(one for one in self._held if one[0] is None or one[0] in stack)

    def release(self) -> None:
        """Something has arrived: do what was held, as far as it need not wait for more."""
        if self._held:
            self._screen.app.call_later(self._go_on)

    def drop(self) -> None:
        """What was waited for is not coming."""
        self._held.clear()
        self._stop_timer()

    def refuse(self) -> None:
        """The search failed: whoever waits for its hits is told at once."""
        if self._held and self._screen.live_search.gave_up:
            self._stop_timer()
            self._screen.app.call_later(self._expired)

    @property
    def why(self) -> str:
        """Why a key that uses a hit or a row cannot be done yet."""
        if self._screen.navigation.under_way:
            return "Still reading"
        if self._screen.operations.stands_yet(self._screen.context().targets):
            return BUSY
        if self._screen.live_search.gave_up:
            return "The search failed: there are no hits for this query"
        return "Still searching"

    def stale(self, action: str) -> bool:
        """Whether the action would use what is about to be replaced."""
        screen = self._screen
        if action not in _STEPS and screen.navigation.under_way:
            return action not in _ANYWAY
        if action in _ACTS and screen.operations.stands_yet(screen.context().targets):
            return True
        if screen.pane.settling and not screen.overlay.is_open:
            return action not in _ANYWAY | _LOOKS
        if action in _STEPS and screen.find.on:
            return False
        if screen.overlay.is_open or action in _STEPS:
            return action not in _ANYWAY and not screen.live_search.settled
        return False

    async def _go_on(self) -> None:
        self._drop_closed()
        while self._held and not self._opening and not self._waits(self._held[0][1]):
            _, event = self._held.popleft()
            if self._typed_into is not None and self._held:
                self._after_typing()  # it may be text
            await self._perform(event)
            self._drop_closed()
        if not self._held:
            self._stop_timer()
        elif not self._opening:
            self._wait()

    def _wait(self) -> None:
        if self._top is not self._screen:
            self._stop_timer()
            return
        if not self._typing:
            self._screen.live_search.hurry()
        if self._timer is None:
            app = self._screen.app
            self._timer = self._screen.set_timer(PATIENCE_SECONDS, lambda: app.call_later(self._expired))
        self.refuse()

    async def _expired(self) -> None:
        """Refuse what had to wait for too long; text that was typed after it is not lost."""
        self._timer = None
        self._drop_closed()
        held, self._held = self._held, deque()
        if held:
            self._screen.warn(self.why)
        for _, event in held:
            if not self._waits(event):
                await self._perform(event)

    def _waits(self, event: Key | Paste) -> bool:
        action = self._action(event)
        top = self._top
        if top is None or action is None:
            return False
        if top is not self._screen:
            return top.awaits(action)
        if action == "back" and self._screen.place in _LINES:
            return self._typing > 0
        if action in _ANYWAY:
            return False
        return self.stale(action) or (
            self._typing > 0 and (self._screen.overlay.is_open or self._typed_into is not None)
        )

    def _after_typing(self) -> None:
        """Keys that went to the box before this one are in its queue yet: wait for them."""
        line = self._typed_into
        if line is not None:
            self._typing += 1
            line.call_later(self._typed)

    def _typed(self) -> None:
        self._typing -= 1
        self.release()

    def _action(self, event: Key | Paste) -> str | None:
        """What the key does where the person is; nothing where it is text."""
        top = self._top
        return action_at(event.key, top.place) if top and isinstance(event, Key) else None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
