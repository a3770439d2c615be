"""Dialogs over a screen, which take the keys until they are answered: choices, questions, and the help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input

from screens.actions.keymap import DEFAULT
from screens.actions.keys import active, key_for, key_names, keys_of, types_a_character
from screens.actions.registry import (
    ACTIONS,
    Action,
    Context,
    FocusContext,
    bindings,
    grouped_actions,
    hints,
)
from screens.drawing.safe_text import HIDDEN, Row, Shown, Tone, piece, plural, row_text, safe_piece, words
from screens.frames.action_screen import Answer, WorkingScreen
from screens.history.diff import diff_rows
from screens.main.request import Request
from screens.widgets.entry_list import ChangeList, EntryList
from screens.widgets.lines import HintLine, QueryInput
from workbench.errors import FlaggedError, SecretFoundError, WorkbenchError
from workbench.operations.registry import OPERATIONS
from workbench.workspace.plan import Plan


# In this order: Textual takes rules of style sheets from the first of several bases alone.
class Dialog(ModalScreen[Answer], WorkingScreen[Answer]):
    """A dialog hides the keys of the screen below it, except ctrl+z, which must stop every program."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "app.suspend_process", show=False)]

    def action_leave(self) -> None:
        """Answer nothing."""
        self.dismiss(None)


class ListDialog(Dialog[Answer]):
    """A dialog over a list, in which keys move; whoever makes one says which list that is, and its frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "leave"),
        ("down", "move(1)"),
        ("up", "move(-1)"),
        ("pagedown", "move(10)"),
        ("pageup", "move(-10)"),
    ]

    def __init__(self, rows: EntryList, frame: str, title: str, keys: str) -> None:
        """``frame`` names it to the style sheet; ``keys`` stand at its lower edge."""
        super().__init__()
        self._list = rows
        self._frame = Vertical(id=frame)
        self._frame.border_title, self._frame.border_subtitle = Content(row_text(title)), Content(keys)

    def compose(self) -> ComposeResult:
        """The list in its frame."""
        with self._frame:
            yield self._list

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)


class ReadDialog(ListDialog[Answer]):
    """A list to read: keys move in it, and nothing is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [("q", "leave"), ("j", "move(1)"), ("k", "move(-1)")]

    def on_mount(self) -> None:
        """The keys move in the list."""
        self._list.focus()


# -- hints of the command line, said in keys -----------------------------------------------------

_CLAUSE_END = re.compile(r"; |\. ")
_COMMAND = re.compile(r"`?\bworkbench (?P<name>inbox (?:conflicts|list)|[a-z]+)(?P<rest>[^`]*)`?")
_NAMED = re.compile(r"`workbench (?P<name>inbox (?:conflicts|list)|[a-z]+)[^`]*`")
_ACTIONS = {
    "status": "", "get": "", "search": "", "restore": "",
    "log": "operations", "show": "operations", "inbox conflicts": "conflicts", "inbox list": "review",
    **{name: name for name in ("blame", "reindex", *(op.name for op in OPERATIONS.values() if op.key))},
}  # fmt: skip
"""Commands and the actions that stand for them; an empty one has none, and its clause is left out."""
_OPTION = re.compile(r" \(--[^)]*\)")
"""Options stand in brackets behind the words that say what they do."""


def advice(error: WorkbenchError) -> Shown:
    """The hint of ``error`` with keys in place of commands; empty where no part of it can be done here."""
    hint = _OPTION.sub("", error.hint or "")
    clauses = (clause for clause in _CLAUSE_END.split(hint) if clause and _can_be_done(clause))
    return row_text("; ".join(_COMMAND.sub(_key, clause) for clause in clauses))


def in_keys(note: str) -> str:
    """A note of a plan, with keys of the panes in place of the commands that it names between backticks."""

    def pressed(command: re.Match[str]) -> str:
        action = _ACTIONS.get(command["name"])
        return f"{key_for(action)} in the panes" if action else command[0]

    return _NAMED.sub(pressed, note)


def _can_be_done(clause: str) -> bool:
    return all(_ACTIONS.get(command["name"]) != "" for command in _COMMAND.finditer(clause))


def _key(command: re.Match[str]) -> str:
    """The key of the action that stands for a command; the command where it is done outside."""
    action = _ACTIONS.get(command["name"])
    if action == "promote" and "--into" in command["rest"]:
        action = "promote_to"
    return key_for(action) if action else command[0]


class FilterDialog(ListDialog[Answer]):
    """A list under a line to filter it by."""

    def __init__(self, rows: EntryList, frame: str, title: str, keys: str, placeholder: str) -> None:
        super().__init__(rows, frame, title, keys)
        self._input = QueryInput(placeholder=placeholder, compact=True, id="filter")

    def compose(self) -> ComposeResult:
        """The line over the list."""
        with self._frame:
            yield self._input
            yield self._list


class ChooseScreen(FilterDialog[str]):
    """A dialog to choose a row; it returns the id of the row, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+n", "move(1)")]

    def __init__(
        self,
        title: str,
        rows: Sequence[Row],
        typed: Callable[[str], Sequence[Row]] = lambda _: (),
        *,
        placeholder: str = "type to narrow",
        empty: str = "nothing matches",
        chooses: str = "chooses",
        at: str | None = None,
    ) -> None:
        """``typed`` gives the rows that stand for what was typed, where it is a choice of its own.

        ``chooses`` is what enter does, in a word. ``at`` is the row that the cursor begins on. A row that is
        inert says why it cannot be chosen.
        """
        keys = f"enter {chooses} · esc leaves"
        super().__init__(EntryList(empty=empty, id="choices"), "choose", title, keys, placeholder)
        self._rows = rows
        self._typed = typed
        self._at = at

    def on_mount(self) -> None:
        """Show everything."""
        self._list.show(self._rows, go_to=self._at)
        self._list.styles.height = len(self._rows) + 1  # whoever types does not want it to jump
        self._input.focus()

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        found = self.found(event.value.strip())
        self._list.show(found, go_to=next((row.id for row in found if not row.inert), None))

    def exchange(self, rows: Sequence[Row]) -> None:
        """Other rows in the place of those, of which more is known now; the cursor stays."""
        self._rows = rows
        self._list.show(self.found(self._input.value.strip()))

    def found(self, wanted: str) -> Sequence[Row]:
        """The rows that ``wanted`` stands in, and those that stand for what was typed."""
        needle = wanted.casefold()
        found = [row for row in self._rows if needle in row.text.casefold() and not (row.inert and needle)]
        if wanted:
            there = {row.id.casefold() for row in self._rows}  # a new one beside it would be a slip
            found += [row for row in self._typed(wanted) if row.id.casefold() not in there]
        return found

    @on(Input.Submitted)
    def _choose(self) -> None:
        row = self._list.row
        if row is not None and row.inert:
            self.app.notify(row.text, severity="warning", markup=False)
        elif row is not None:
            self.dismiss(row.id)

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click chooses."""
        self.dismiss(message.row.id)


def as_typed(lead: str) -> Callable[[str], Sequence[Row]]:
    """A function that offers the typed text as the only row, with ``lead`` before it."""
    return lambda text: (Row(text, row_text(text), lead=(piece(lead, "accent"),)),)


class PickScreen(ReadDialog[str]):
    """A short list whose rows have keys; it returns the id of a row that is not inert, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter,space", "choose")]

    def __init__(
        self, frame: str, title: str, keys: str, rows: Sequence[Row], picks: Mapping[str, str | None]
    ) -> None:
        """``picks`` says which row each key chooses; None leaves."""
        super().__init__(EntryList(id="choices"), frame, title, keys)
        self._rows = rows
        self._picks = picks

    def on_mount(self) -> None:
        """Show them."""
        self._list.show(self._rows)

    def on_key(self, event: Key) -> None:
        """A key of a row chooses it."""
        if event.key in self._picks:
            event.stop()
            self.dismiss(self._picks[event.key])

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click chooses."""
        self.dismiss(message.row.id)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self._list.row is not None and not self._list.row.inert:
            self.dismiss(self._list.row.id)


_REASON = re.compile(r"“(.*)”: (.*)", re.DOTALL)


class ConfirmScreen(ReadDialog[bool]):
    """A question, what it is about, and its diff; ends with a yes, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(FocusContext.CONFIRM, FocusContext.WARNING),
        ("ctrl+d", "move(10)"),
        ("ctrl+u", "move(-10)"),
    ]  # fmt: skip

    def __init__(
        self, title: str, rows: Sequence[Row], *, warning: bool = False, answers: Sequence[str] = ()
    ) -> None:
        """``answers`` say what yes and no mean where it is not doing an action or leaving it."""
        super().__init__(ChangeList(id="diff"), "confirm", title, "")
        self._answers = answers
        self._place = FocusContext.WARNING if warning else FocusContext.CONFIRM
        self._rows = rows
        self._hints = HintLine()

    def compose(self) -> ComposeResult:
        """A frame with the diff and the two keys."""
        with self._frame:
            yield self._list
            yield self._hints

    def on_mount(self) -> None:
        """Show the diff."""
        self._list.show(self._rows)
        shown = hints(Context(place=self._place))
        if self._answers:
            shown = [(key, answer) for (key, _), answer in zip(shown, self._answers, strict=True)]
        self._hints.hints = shown

    @property
    def place(self) -> FocusContext:
        """A warning has a yes of its own: keys that were meant for the panes cannot give it."""
        return self._place

    def action_perform(self, action_id: str, _key: str) -> None:
        """Yes or no."""
        self.dismiss(None if action_id == "decline" else True)


def title_of(request: Request, plan: Plan, *, anyway: bool = False) -> str:
    """The question: what would be done to how much, and whether against a warning."""
    against = " despite the warning" if anyway else ""
    if plan.undoes:  # to undo an undo is a redo
        return f"{plan.action.capitalize()} “{plan.summary}”{against}?"
    count = len(plan.entries)
    what = f" {plural(count, 'entry')}" if count else ""
    return f"{request.action.capitalize()}{what}{against}?"


def plan_rows(plan: Plan, targets: Sequence[Row]) -> list[Row]:
    """The notes of the plan, the entries with their places (other rows as they are), then the diff."""
    rows = [_note(number, note) for number, note in enumerate(plan.notes)]
    rows += [
        Row(
            f"target:{number}",
            row.text,
            lead=() if row.path else row.lead,
            tail=(safe_piece(f"{row.path}:{row.line}", "faint"),) if row.path else row.tail,
            emphasis=row.emphasis,
        )
        for number, row in enumerate(targets)
    ]
    if rows:
        rows.append(Row("gap", words(""), inert=True))
    return rows + diff_rows(plan.edits)


def _note(number: int, note: str) -> Row:
    """A note; where it gives the reason for an entry, that stands at the right, where it is not cut off."""
    note = _OPTION.sub("", note)  # how to do it on the command line
    if found := _REASON.fullmatch(note):
        return Row(f"note:{number}", row_text(found[1]), tail=(safe_piece(found[2], "warn"),))
    return Row(f"note:{number}", row_text(in_keys(note)), tone="warn")


def warning_rows(*errors: Exception) -> list[Row]:
    """The findings that these errors tell of, fit to be shown above the change."""
    found = (line for error in errors for line in _warnings(error))
    rows = [
        Row(f"warning:{number}", row_text(line), tone, depth)
        for number, (line, tone, depth) in enumerate(found)
    ]
    return [*rows, Row("warning:end", words(""), inert=True)]


def _warnings(error: Exception) -> Iterator[tuple[str, Tone, int]]:
    """Lines of text that may hold anything, with their tones and depths."""
    if isinstance(error, FlaggedError):
        yield "It is flagged:", "head", 0
        for title, findings in error.found.items():
            yield f"“{title}”", "text", 1
            for finding in findings.split("; "):
                yield f"{HIDDEN} {finding}", "bad", 2
    elif isinstance(error, SecretFoundError):
        yield "This would store a secret in git, from where it is hard to remove:", "head", 0
        for place in error.places:
            yield f"{HIDDEN} {place}", "bad", 1


_KEYS, _LABEL = 16, 20
_ONE_LINE_FROM = 130
"""Columns of the screen from which the help of an action stands beside its name; else under it."""
_LAST = 1_000
_PLACES = {
    FocusContext.PANE: "in the panes",
    FocusContext.QUERY: "while you search",
    FocusContext.RESULTS: "on the hits",
    FocusContext.OPERATIONS: "in the history",
    FocusContext.BLAME: "in blame",
    FocusContext.CONFLICTS: "in the conflicts",
    FocusContext.RECENT: "in the recent changes",
    FocusContext.REVIEW: "in the inbox",
    FocusContext.GRAPH: "in the graph",
    FocusContext.AGENT: "in the context preview",
    FocusContext.HEALTH: "in health",
    FocusContext.SETTINGS: "in settings and keys",
}


class HelpScreen(FilterDialog[None]):
    """The actions under their groups, over a line to filter them by."""

    BINDINGS: ClassVar[list[BindingType]] = [("f1", "leave")]

    def __init__(self, context: Context) -> None:
        """``context`` is where the person is: what can be done there comes first, or why it cannot."""
        keys = active()
        own = f" · {keys.profile}" if keys and keys.profile != DEFAULT else ""
        rows = ChangeList(empty="no action matches", id="actions", hanging=True)
        super().__init__(rows, "help", f"Keys{own}", "type to filter · esc closes", "filter")
        self._asked_in = context

    def on_mount(self) -> None:
        """Show everything."""
        self._show()

    def on_resize(self) -> None:
        """Over one line or two, as there is room."""
        self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        narrow = self.size.width < _ONE_LINE_FROM
        self._list.show(help_rows(self._input.value, self._asked_in, narrow=narrow))
        self._list.jump(0)

    def on_key(self, event: Key) -> None:
        """The key that opened it closes it too, where that is no text."""
        if event.key in keys_of("help") and not types_a_character(event.key):
            event.stop()
            self.dismiss()


def help_rows(wanted: str, context: Context, *, narrow: bool = False) -> list[Row]:
    """The actions that ``wanted`` occurs in, those of the place first; one that cannot be done now says why.

    ``narrow`` gives the help of each a row of its own.
    """
    here = [action for action in ACTIONS if context.place in action.places]
    here.sort(key=lambda action: action.hint or _LAST)
    why_not = {action.id: action.reason(context) for action in here}
    groups = [(f"Here: {_PLACES.get(context.place, context.place)}", here)]
    groups += [
        (str(group), [action for action in actions if action.id not in why_not])
        for group, actions in grouped_actions()
    ]
    rows: list[Row] = []
    needle = wanted.casefold().strip()
    for title, actions in groups:
        matching = [action for action in actions if needle in _searched(action)]
        if matching:
            rows.append(Row(f"group:{title}", words(title), tone="accent", inert=True))
        for action in matching:
            rows += _action_rows(action, why_not.get(action.id), narrow=narrow)
    return rows


def _searched(action: Action) -> str:
    return f"{key_names(keys_of(action.id))} {action.label} {action.help} {action.group}".casefold()


def _action_rows(action: Action, why: str | None, *, narrow: bool) -> Iterator[Row]:
    told = row_text(f"{action.help}  (not now: {why})" if why else action.help)
    names = key_names(keys_of(action.id)) or "no key"
    keys = piece(names.ljust(_KEYS), "match")
    if narrow:
        yield Row(action.id, words(action.label), tone="faint" if why else "head", lead=(keys,))
        yield Row(f"help:{action.id}", told, tone="faint" if why else "muted", depth=1, inert=True)
    else:
        label = piece(action.label.ljust(_LABEL), "head")
        yield Row(action.id, told, tone="faint" if why else "text", lead=(keys, label))
