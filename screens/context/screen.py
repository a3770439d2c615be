"""The Context screen: what an agent gets with a message and at the start of a session, why, and at what cost.

Its tabs are a message, two bulletins, the files that are always loaded, and the entries that were given most.
Looking at them records no usage.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import IntEnum
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from screens.actions.keys import key_for
from screens.actions.registry import Context, FocusContext
from screens.context.pages import (
    INVITATION,
    ContextPage,
    ContextReader,
    bulletin_page,
    copied,
    entries_at,
    loaded_page,
    raw_rows,
)
from screens.drawing.safe_text import Row, lines_text, said_of, words
from screens.frames.overlay_screen import OverlayScreen, Services
from screens.main.copy import copy
from screens.main.operation_commands import turned
from screens.main.request import Request
from screens.search.engine import Engine
from screens.search.recent import InputHistory
from screens.widgets.lines import PartsLine, QueryInput, TabLine
from workbench.safety.terminal import visible_line

DEBOUNCE_SECONDS = 0.08
_LOOK_AGAIN_SECONDS = 0.5
_DAYS = (7, 30, 90, 365)


LONGEST = 4_000
"""Characters of a message that can be typed or pasted: as many as are looked for."""


class MessageInput(QueryInput):
    """The input line of the message; pasted text becomes one line without invisible characters."""

    def on_paste(self, event: events.Paste) -> None:
        """Put all lines in, one after the other."""
        event.stop()
        event.prevent_default()
        pasted = visible_line(" ".join(event.text.split()))
        start, end = sorted(self.selection)
        self.replace(pasted[: LONGEST - len(self.value) + end - start], start, end)


class ContextTab(IntEnum):
    """One tab."""

    MESSAGE = 0
    MEMORY = 1
    CONTEXT = 2
    LOADED = 3
    MOST = 4


_NAMES = ("Message", "Memory", "Context", "Loaded", "Given most")
_READS: Mapping[ContextTab, Callable[..., ContextPage]] = {
    ContextTab.MEMORY: partial(bulletin_page, which="memory"),
    ContextTab.CONTEXT: partial(bulletin_page, which="context"),
    ContextTab.LOADED: loaded_page,
}
"""How a page is read that is neither of a message nor a count."""
_HAVE_TEXT = (ContextTab.MESSAGE, ContextTab.MEMORY, ContextTab.CONTEXT)
"""Those of which an agent gets a text; the others are lists for a person."""
_TITLES = (
    "given with a message",
    "memory bulletin: who this is about",
    "context bulletin: what is due",
    "always loaded",
    "what dominates",
)
_NO_ENTRY = "select an entry of this memory first"
_NO_DAYS = "the number of days applies to view 5"


class AgentScreen(OverlayScreen):
    """A line to type a message in, and under it what an agent gets, with what is behind each row."""

    PLACES = (FocusContext.AGENT, FocusContext.MESSAGE)
    LEAVES = "agent_view"
    AUTO_FOCUS = "#browse-list"

    def __init__(self, services: Services, engine: Engine, messages: InputHistory) -> None:
        super().__init__(services, "")
        self.input = MessageInput(
            placeholder="/ a message as you would send it to the agent",
            compact=True,
            id="message",
            max_length=LONGEST,
            select_on_focus=False,
        )
        self.section = ContextTab.MESSAGE
        self.raw = False
        self.memory_loaded = True
        self.days = 30
        self._answering = ContextReader(services.workspace.root, engine)
        self._messages = messages
        self._pages: dict[ContextTab, ContextPage] = {ContextTab.MESSAGE: INVITATION}
        self._answered: str | None = None
        """The message that the page of messages answers; None where none was answered yet."""
        self._improvable = False
        """Whether the answer that is shown rests on keywords for as long as the model is loading."""
        self._tabs = TabLine(_NAMES)
        self._cost = PartsLine("agent-cost", right=True)
        self.commands |= {
            **{name: partial(self._act, name) for name in ("promote", "forget", "pin", "quarantine")},
            **{f"agent_{one.name.lower()}": partial(self.show_section, one) for one in ContextTab},
            "down": lambda: self._move(1),
            "up": lambda: self._move(-1),
            "next_part": lambda: self.show_section(ContextTab((self.section + 1) % len(ContextTab))),
            "previous_part": lambda: self.show_section(ContextTab((self.section - 1) % len(ContextTab))),
            "older_message": lambda: self._recall(1),
            "newer_message": lambda: self._recall(-1),
            "more_days": lambda: self._turn_days(1),
            "fewer_days": lambda: self._turn_days(-1),
            "read_again": self.reload,
        }

    def compose_over(self) -> ComposeResult:
        """The message, and the parts."""
        with Horizontal(id="agent-line"):
            yield Static("❯", id="agent-mark", markup=False)
            yield self.input
            yield self._cost
        yield self._tabs

    def on_mount(self) -> None:
        """Begin with the message that was typed last; where there is none, in the line to type it in."""
        with self.input.prevent(Input.Changed):
            self.input.value = self._last
        self.set_interval(_LOOK_AGAIN_SECONDS, self._look_again)
        self.draw()

    async def on_unmount(self) -> None:
        """End the threads; what was typed stays for the next time."""
        self._messages.add(self.input.value)
        await self._answering.close()

    # -- where the person is ---------------------------------------------------------------------

    @property
    def begins_in(self) -> Widget:
        """In the line while nothing was typed: what is typed there must be text. Else among what is given."""
        return self.list if self._last else self.input

    @property
    def place(self) -> FocusContext:
        """In the message, or in what is given with it."""
        return FocusContext.MESSAGE if self.focused is self.input else FocusContext.AGENT

    @property
    def _row(self) -> Row | None:
        """The row under the cursor; none while the very text is shown."""
        return None if self.raw else self.row

    def context(self) -> Context:
        """While the very text is shown there is no row to do something to."""
        return replace(super().context(), row=self._row)

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        why: dict[str, str] = {}
        if self._row is None or not (self._row.address or self._row.path):
            why |= {"agent_go": _NO_ENTRY, "open": _NO_ENTRY}
        if self.section is ContextTab.LOADED:
            why["raw_text"] = "an agent loads these files whole, as they are"
        if self.section is ContextTab.MOST:
            why["raw_text"] = "this list is for you: agents do not get it"
            why["memory_loaded"] = "this shows what was already given"
        else:
            why |= {"more_days": _NO_DAYS, "fewer_days": _NO_DAYS}
        return why

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        self.show_section(ContextTab(message.index))

    def on_descendant_focus(self) -> None:
        """Other keys mean something now."""
        typing = self.place is FocusContext.MESSAGE
        away = f"{key_for('message_done', FocusContext.MESSAGE)}, then 1 to {len(_NAMES)}"
        self._tabs.away = words(away if typing else "")
        self.show_hints()

    # -- parts -----------------------------------------------------------------------------------

    def show_section(self, section: ContextTab) -> None:
        """Show this part, as it was read last, and read it again."""
        self.section = section
        self.raw = self.raw and section in _HAVE_TEXT
        self._tabs.current = section
        if self.place is FocusContext.MESSAGE and section is not ContextTab.MESSAGE:
            self.list.focus()
        self.draw(anew=True)
        self.reload()

    def reload(self) -> None:
        """Read what is shown again."""
        self._answering.stop()
        if self.section is ContextTab.MESSAGE:
            self._typed(self.input.value, at_once=True)
        else:
            show = partial(self._keep, self.section)
            self.load(self._read, show, "part", failed=lambda error: show(_failure(error)))

    def files_changed(self) -> None:
        """Read again, but for what takes all files: that is for the person to ask for."""
        if self.section is not ContextTab.MOST:
            self.reload()

    async def _read(self) -> ContextPage:
        if self.section is ContextTab.MOST:
            show = partial(self.call_later, self._keep, self.section)
            return await self._answering.most(self.days, show)
        return await self._answering.reader.run(_READS[self.section], memory_loaded=self.memory_loaded)

    def _keep(self, section: ContextTab, page: ContextPage, *, anew: bool = False) -> None:
        """Keep what was read, and show it where it is wanted."""
        self._pages[section] = page
        if section is self.section:
            self.draw(anew=anew)

    def draw(self, *, anew: bool = False) -> None:
        """The page that was read last; ``anew`` from its first entry on."""
        page = self._pages.get(self.section, ContextPage(empty="reading …"))
        self.set_class(self.raw, "-raw")
        title = _TITLES[self.section]
        if self.section is not ContextTab.MOST:
            title += f" · the agent {'loads' if self.memory_loaded else 'does not load'} MEMORY.md"
        self.entitle(title)
        self.query_one("#browse-below").border_title = Content("as the agent reads it" if self.raw else "why")
        self._cost.show((page.cost,))
        first = next((row.id for row in page.rows if not row.inert), None)
        fresh = anew or self.row is None or self.row.inert
        self.show_rows(page.rows, go_to=first if fresh else None, empty=page.empty)
        if fresh:
            self.list.jump(0)
            self.list.into_view()
        self.look_behind()

    def look_behind(self) -> None:
        """The very text that the agent gets, else what is behind the row, which was read with the page."""
        page, row = self._pages.get(self.section), self.row
        if self.raw and page:
            self.behind.empty = page.empty or "nothing is given"
            self.behind.show(raw_rows(page.raw))
        elif row:
            self.show_behind(row.of or ())
        else:
            self.nothing_behind()

    # -- a message -------------------------------------------------------------------------------

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.section = self._tabs.current = ContextTab.MESSAGE
        self._typed(event.value)

    def _typed(self, text: str, *, at_once: bool = False) -> None:
        self._improvable = False
        if not text.strip():
            self._answered = text
            self._keep(ContextTab.MESSAGE, INVITATION)
            return
        pause = 0.0 if at_once else DEBOUNCE_SECONDS

        async def ask() -> tuple[ContextPage, bool]:
            await asyncio.sleep(pause)
            try:
                return await self._answering.message(text, memory_loaded=self.memory_loaded)
            except Exception as error:
                return _failure(error), False

        def answered(answer: tuple[ContextPage, bool]) -> None:
            """Show it, another message from its best entry on."""
            if text == self.input.value:  # else more was typed since
                anew = text != self._answered
                page, self._improvable = answer
                self._answered = text
                self._keep(ContextTab.MESSAGE, page, anew=anew)

        self.load(ask, answered, "part")

    def _look_again(self) -> None:
        """The model may have come since."""
        if self._improvable and self._answering.engine.ready and self.section is ContextTab.MESSAGE:
            self.reload()

    @property
    def answered(self) -> bool:
        """Whether the page of messages answers what stands in the line."""
        return self.input.value == (self._answered or "")

    def action_write_message(self) -> None:
        """Type a message."""
        if self.section is not ContextTab.MESSAGE or self.raw:
            self.raw = False
            self.show_section(ContextTab.MESSAGE)
        self.set_focus(self.input)

    def action_message_done(self) -> None:
        """From the message to what is given with it."""
        self._messages.add(self.input.value)
        self.set_focus(self.list)

    @property
    def _last(self) -> str:
        """The message that was typed last; empty where there is none."""
        return next(iter(self._messages.texts), "")

    def _recall(self, steps: int) -> None:
        """The message so many steps before the one in the line, or after it."""
        text = self._messages.step(steps, self.input.value)
        if text is not None:
            self.input.value = text
            self.input.cursor_position = len(text)

    # -- keys ------------------------------------------------------------------------------------

    def _move(self, steps: int) -> None:
        """So many rows, or lines of the text."""
        if self.raw:
            self.scroll_behind(steps)
        else:
            self.list.move(steps)

    def action_back(self) -> None:
        """Out of the text, else out."""
        if self.raw:
            self.action_raw_text()
        else:
            super().action_back()

    def action_agent_go(self) -> None:
        """To the entry in its pane."""
        row = self.row
        if row and (address := row.address or row.path):
            self.services.go_to(address)

    action_open = action_agent_go

    def action_raw_text(self) -> None:
        """Between the list with its reasons and the very text that the agent gets."""
        self.raw = not self.raw
        self.draw()

    def action_memory_loaded(self) -> None:
        """As for an agent that loads MEMORY.md itself, or as for one that does not."""
        self.memory_loaded = not self.memory_loaded
        self.reload()

    def _turn_days(self, step: int) -> None:
        at = _DAYS.index(self.days) + step
        self.days = _DAYS[max(0, min(at, len(_DAYS) - 1))]
        self.reload()

    def action_copy_given(self) -> None:
        """Copy the text that the agent gets; where there is none, the row."""
        if text := copied(self._pages.get(self.section, ContextPage()), self.row):
            copy(self.app, text)
        else:
            self.warn("There is nothing to copy: nothing is given")

    def _act(self, action: str) -> None:
        row = self.row
        if self.section is ContextTab.MESSAGE and not self.answered:
            self.warn("Still searching: this is for part of what you typed")
        elif row and row.address is not None:
            self.work(partial(self._do, action, row), "act")

    async def _do(self, action: str, row: Row) -> None:
        """One entry, at once. Whether it is pinned is read first where the row does not know it."""
        assert row.address is not None
        if action == "pin":
            known = await self._answering.reader.run(entries_at, [row.address])
            action = turned(action, (row,), {name for name, entry in known.items() if entry.pinned})
        self.services.do(Request(action=action, addresses=(row.address,)))


def _failure(error: Exception) -> ContextPage:
    return ContextPage(empty=lines_text(said_of(error)))
