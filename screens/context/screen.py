"""What an agent is given with a message and at the start of a session, why, and at what cost.

Five parts: with a message, the two bulletins, what is always loaded, and which memories were given most.
Looking here records nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from screens.actions.active import key_for
from screens.actions.availability import Context
from screens.actions.registry import FocusContext, bindings, is_bound
from screens.context.load import Answering
from screens.context.message_input import MessageInput, Messages
from screens.context.message_page import invitation
from screens.context.page import ContextPage, copied, raw_rows
from screens.context.sections import HAVE_TEXT, NAMES, ContextTab, obstacles, title_of_section
from screens.drawing.rows import Row
from screens.drawing.safe_text import plural, words
from screens.frames.browse import BrowseScreen
from screens.frames.services import Desk
from screens.main.copy import copy
from screens.main.operation_keys import turned
from screens.main.request import Request
from screens.widgets.lines import TabLine
from screens.widgets.parts_line import PartsLine

if TYPE_CHECKING:
    from screens.search.engine import Engine

DEBOUNCE_SECONDS = 0.08
_LOOK_AGAIN_SECONDS = 0.5
_DAYS = (7, 30, 90, 365)


class AgentScreen(BrowseScreen):
    """A line to type a message in, and under it what an agent gets, with what is behind each row."""

    PLACE = FocusContext.AGENT
    LEAVES = "agent_view"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.AGENT, FocusContext.MESSAGE)]
    AUTO_FOCUS = "#browse-list"

    class Read(Message):
        """A part was read; ``by_words`` says that meaning took no part though it might."""

        def __init__(
            self, section: ContextTab, page: ContextPage, *, by_words: bool = False, text: str = ""
        ) -> None:
            super().__init__()
            self.section = section
            self.page = page
            self.by_words = by_words
            self.text = text

    def __init__(self, desk: Desk, engine: Engine, messages: Messages) -> None:
        super().__init__(words(""))
        self.desk = desk
        self.input = MessageInput()
        self.section = ContextTab.MESSAGE
        self.raw = False
        self.memory_loaded = True
        self.days = 30
        self._answering = Answering(desk.workspace.root, engine)
        self._messages = messages
        self._pages: dict[ContextTab, ContextPage] = {ContextTab.MESSAGE: invitation()}
        self._answered: str | None = None
        """The message that the page of messages answers; None where none was answered yet."""
        self._improvable = False
        """Whether the answer that is shown rests on keywords for as long as the model is loading."""
        self._tabs = TabLine(NAMES)
        self._cost = PartsLine("agent-cost", right=True)
        self.commands |= {
            "down": lambda: self._move(1),
            "up": lambda: self._move(-1),
            "open": self._go,
            "agent_go": self._go,
            "write_message": self._write,
            "message_done": self._message_done,
            "older_message": lambda: self._recall(self._messages.older(self.input.value)),
            "newer_message": lambda: self._recall(self._messages.newer(self.input.value)),
            "raw_text": self._turn_raw,
            "copy_given": self._copy,
            "next_part": lambda: self.show_section(ContextTab((self.section + 1) % len(ContextTab))),
            "previous_part": lambda: self.show_section(ContextTab((self.section - 1) % len(ContextTab))),
            **{f"agent_{one.name.lower()}": partial(self.show_section, one) for one in ContextTab},
            "more_days": lambda: self._turn_days(1),
            "fewer_days": lambda: self._turn_days(-1),
            "memory_loaded": self._turn_memory,
            "read_again": self.reload,
            "promote": lambda: self._act("promote"),
            "forget": lambda: self._act("forget"),
            "pin": lambda: self._act("pin"),
            "quarantine": lambda: self._act("quarantine"),
            "undo": lambda: self.desk.do(Request(action="undo")),
            "redo": lambda: self.desk.do(Request(action="redo")),
        }

    def compose_body(self) -> ComposeResult:
        """The message, the parts, and the list with what is behind it."""
        with Horizontal(id="agent-line"):
            yield Static("❯", id="agent-mark", markup=False)
            yield self.input
            yield self._cost
        yield self._tabs
        yield from super().compose_body()

    def on_mount(self) -> None:
        """Begin with the message that was typed last; where there is none, in the line to type it in."""
        super().on_mount()
        self.input.value = self._messages.last
        self._messages.keep(self._messages.last)
        self.set_interval(_LOOK_AGAIN_SECONDS, self._look_again)
        self._draw()

    async def on_unmount(self) -> None:
        """End the threads; what was typed stays for the next time."""
        self._messages.keep(self.input.value)
        await self._answering.close()

    @property
    def begins_in(self) -> Widget:
        """In the line while nothing was typed: what is typed there must be text. Else among what is given."""
        return self.list if self._messages.last else self.input

    # -- where the person is ---------------------------------------------------------------------

    @property
    def place(self) -> FocusContext:
        """In the message, or in what is given with it."""
        return FocusContext.MESSAGE if self.focused is self.input else FocusContext.AGENT

    def context(self) -> Context:
        """What decides which actions are possible now."""
        row = None if self.raw else self.list.row
        return Context(
            place=self.place,
            row=row,
            refusal=self.desk.refusal(),
            reading=self._reading,
            why=obstacles(self.section, row),
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a message is typed, keys that are text are text."""
        if action != "perform":
            return super().check_action(action, parameters)
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self.place)

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        self.show_section(ContextTab(message.index))

    def on_descendant_focus(self) -> None:
        """Other keys mean something now."""
        typing = self.place is FocusContext.MESSAGE
        away = f"{key_for('message_done', FocusContext.MESSAGE)}, then 1 to {len(NAMES)}"
        self._tabs.typing(words(away if typing else ""))
        self.show_hints()

    # -- parts -----------------------------------------------------------------------------------

    def show_section(self, section: ContextTab) -> None:
        """Show this part, as it was read last, and read it again."""
        self.section = section
        self.raw = self.raw and section in HAVE_TEXT
        self._tabs.show(section)
        if self.place is FocusContext.MESSAGE and section is not ContextTab.MESSAGE:
            self.list.focus()
        self._draw(anew=True)
        self.reload()

    def reload(self) -> None:
        """Read what is shown again."""
        self._answering.stop()
        if self.section is ContextTab.MESSAGE:
            self._typed(self.input.value, at_once=True)
        else:
            self.work(partial(self._read, self.section), "part", exclusive=True)

    def files_changed(self) -> None:
        """Read again, but for what takes all files: that is for the person to ask for."""
        if self.section is not ContextTab.MOST:
            self.reload()

    async def _read(self, section: ContextTab) -> None:
        try:
            if section is ContextTab.MOST:
                page = await self._answering.most(
                    self.days, lambda page: self.post_message(self.Read(section, page))
                )
            else:
                page = await self._answering.section(section, memory_loaded=self.memory_loaded)
        except Exception as error:
            page = ContextPage(rows=self.failed(error))
        self.post_message(self.Read(section, page))

    def on_agent_screen_read(self, message: AgentScreen.Read) -> None:
        """Keep it, and show it where it is wanted: another message from its best entry on."""
        anew = False
        if message.section == ContextTab.MESSAGE:
            if message.text != self.input.value:
                return  # more was typed since
            anew = message.text != self._answered
            self._improvable, self._answered = message.by_words, message.text
        self._pages[message.section] = message.page
        if message.section == self.section:
            self._draw(anew=anew)

    def _draw(self, *, anew: bool = False) -> None:
        page = self._pages.get(self.section, ContextPage(empty=words("reading …")))
        self.set_class(self.raw, "-raw")
        title = title_of_section(self.section, memory_loaded=self.memory_loaded)
        self.query_one("#browse-top").border_title = Content(words(title))
        self.query_one("#browse-below").border_title = Content(
            words("as the agent reads it" if self.raw else "why")
        )
        self._cost.show((page.cost,))
        self.list.empty = page.empty
        first = next((row for row in page.rows if not row.inert), None)
        fresh = anew or self.list.row is None or self.list.row.inert
        self.list.show(page.rows, go_to=first.id if fresh and first else None)
        if fresh:
            self.list.jump(0)
            self.list.into_view()
        if self.raw:
            self._show_raw(page)
        elif self.list.row is not None:
            self.show_behind(self.list.row, page.behind.get(self.list.row.id, ()))
        else:
            self.nothing_behind()
        self.show_place()
        self.show_hints()

    def _show_raw(self, page: ContextPage) -> None:
        self.behind.empty = page.empty if page.empty else words("nothing is given")
        self.behind.show(list(raw_rows(page.raw)))

    def show_behind(self, row: Row, rows: Sequence[Row]) -> None:
        """What is behind the row, unless the text itself is shown."""
        if not self.raw:
            super().show_behind(row, rows)

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """Read with the part already."""
        page = self._pages.get(self.section)
        return page.behind.get(row.id, ()) if page else ()

    def nothing_behind(self) -> None:
        """The list is empty."""
        if not self.raw:
            super().nothing_behind()

    # -- a message -------------------------------------------------------------------------------

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.section is not ContextTab.MESSAGE:
            self.section = ContextTab.MESSAGE
            self._tabs.show(ContextTab.MESSAGE)
        self._typed(event.value)

    def _typed(self, text: str, *, at_once: bool = False) -> None:
        self._improvable = False
        if not text.strip():
            self._pages[ContextTab.MESSAGE], self._answered = invitation(), text
            self._draw()
            return
        self.work(partial(self._ask, text, 0.0 if at_once else DEBOUNCE_SECONDS), "part", exclusive=True)

    async def _ask(self, text: str, pause: float) -> None:
        by_words = False
        try:
            await asyncio.sleep(pause)
            page, by_words = await self._answering.message(text, memory_loaded=self.memory_loaded)
        except Exception as error:
            page = ContextPage(rows=self.failed(error))
        self.post_message(self.Read(ContextTab.MESSAGE, page, by_words=by_words, text=text))

    def _look_again(self) -> None:
        """The model may have come since."""
        if self._improvable and self._answering.has_meaning and self.section is ContextTab.MESSAGE:
            self.reload()

    @property
    def answered(self) -> bool:
        """Whether the page of messages answers what stands in the line."""
        return self.input.value == (self._answered or "")

    def _write(self) -> None:
        if self.section is not ContextTab.MESSAGE or self.raw:
            self.raw = False
            self.show_section(ContextTab.MESSAGE)
        self.set_focus(self.input)

    def _message_done(self) -> None:
        self._messages.keep(self.input.value)
        self.set_focus(self.list)

    def _recall(self, text: str) -> None:
        self.input.value = text
        self.input.cursor_position = len(text)

    # -- keys ------------------------------------------------------------------------------------

    def _move(self, step: int) -> None:
        if self.raw:
            self.scroll_behind(step)
        else:
            self.list.move(step)

    def back(self) -> None:
        """Out of the text, else out."""
        if self.raw:
            self._turn_raw()
        else:
            super().back()

    def _go(self) -> None:
        row = self.list.row
        if row is not None and (address := row.address or row.path):
            self.desk.go_to(address)

    def _turn_raw(self) -> None:
        self.raw = not self.raw
        self._draw()

    def _turn_memory(self) -> None:
        self.memory_loaded = not self.memory_loaded
        self.reload()

    def _turn_days(self, step: int) -> None:
        at = _DAYS.index(self.days) + step
        self.days = _DAYS[max(0, min(at, len(_DAYS) - 1))]
        self.reload()

    def _copy(self) -> None:
        text = copied(self._pages.get(self.section, ContextPage()), self.list.row)
        if not text:
            self.desk.say(words("There is nothing to copy: nothing is given"), "warning")
            return
        copy(self.app, text, plural(len(text), "character"))

    def _act(self, action: str) -> None:
        row = self.list.row
        if self.section is ContextTab.MESSAGE and not self.answered:
            self.desk.say(words("Still looking: what stands here answers less than you typed"), "warning")
        elif row is not None and row.address is not None:
            self.work(partial(self._do, action, row), "act")

    async def _do(self, action: str, row: Row) -> None:
        """One entry, at once. Whether it is pinned is read first where the row does not know it."""
        assert row.address is not None
        if action == "pin":
            pinned = await self._answering.is_pinned(row.address)
            action = turned(action, (row,), {row.address} if pinned else frozenset())
        self.desk.do(Request(action=action, addresses=(row.address,)))
