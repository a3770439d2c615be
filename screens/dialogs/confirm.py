"""Showing an action with its diff before it is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from screens.actions.registry import Context, FocusContext, bindings, hints, is_bound
from screens.dialogs.dialog import ReadDialog, in_keys
from screens.drawing.safe_text import HIDDEN, Row, RowPart, Shown, plural, row_text, words
from screens.history.diff import diff_rows
from screens.main.request import Request
from screens.widgets.change_list import ChangeList
from screens.widgets.lines import HintLine
from workbench.errors import FlaggedError, SecretFoundError
from workbench.workspace.plan import Plan

_REASON = re.compile(r"“(.*)”: (.*)", re.DOTALL)
_FLAG = re.compile(r" \(--[^)]*\)$")  # how to do it on the command line


class ConfirmScreen(ReadDialog[bool]):
    """A question, what it is about, and its diff; yes or no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(FocusContext.CONFIRM, FocusContext.WARNING),
        ("ctrl+d", "move(10)"),
        ("ctrl+u", "move(-10)"),
    ]  # fmt: skip

    def __init__(
        self, title: Shown, rows: Sequence[Row], *, warning: bool = False, answers: Sequence[str] = ()
    ) -> None:
        """``answers`` say what yes and no mean where it is not doing an action or leaving it."""
        super().__init__(ChangeList(id="diff"), "confirm", title, words(""))
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
        self._hints.show(shown)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A warning has a yes of its own: keys that were meant for the panes cannot give it."""
        if action != "perform":
            return True
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self._place)

    def action_perform(self, action_id: str, _key: str) -> None:
        """Yes or no."""
        self.dismiss(action_id != "decline")


def title_of(request: Request, plan: Plan, *, anyway: bool = False) -> Shown:
    """The question: what would be done to how much, and whether against a warning."""
    against = " despite the warning" if anyway else ""
    if plan.undoes:  # to undo an undo is a redo
        return row_text(f"{plan.action.capitalize()} “{plan.summary}”{against}?")
    count = len(plan.entries)
    what = f" {plural(count, 'entry', 'entries')}" if count else ""
    return words(f"{request.action.capitalize()}{what}{against}?")


def plan_rows(plan: Plan, targets: Sequence[Row]) -> list[Row]:
    """The notes of the plan, the entries with their places (other rows as they are), then the diff."""
    rows = [_note(number, note) for number, note in enumerate(plan.notes)]
    rows += [
        Row(
            f"target:{number}",
            row.text,
            lead=() if row.path else row.lead,
            tail=(RowPart(row_text(f"{row.path}:{row.line}"), "faint"),) if row.path else row.tail,
            emphasis=row.emphasis,
        )
        for number, row in enumerate(targets)
    ]
    if rows:
        rows.append(Row("gap", words(""), inert=True))
    return rows + diff_rows(plan.edits)


def _note(number: int, note: str) -> Row:
    """A note; where it gives the reason for an entry, that stands at the right, where it is not cut off."""
    note = _FLAG.sub("", note)
    if found := _REASON.fullmatch(note):
        return Row(f"note:{number}", row_text(found[1]), tail=(RowPart(row_text(found[2]), "warn"),))
    return Row(f"note:{number}", row_text(in_keys(note)), tone="warn")


def warning_rows(*errors: Exception) -> list[Row]:
    """The findings that these errors tell of, fit to be shown above the change."""
    found = (row for error in errors for row in _rows(error))
    rows = [Row(f"warning:{number}", row.text, row.tone, row.depth) for number, row in enumerate(found)]
    return [*rows, Row("warning:end", words(""), inert=True)]


def _rows(error: Exception) -> Iterator[Row]:
    if isinstance(error, FlaggedError):
        yield Row("", words("It contains hidden text:"), tone="head")
        for title, findings in error.found.items():
            yield Row("", row_text(f"“{title}”"), depth=1)
            for finding in findings.split("; "):
                yield Row("", row_text(f"{HIDDEN} {finding}"), tone="bad", depth=2)
    elif isinstance(error, SecretFoundError):
        yield Row(
            "",
            words("This would store a secret in git, from where it is hard to remove:"),
            tone="head",
        )
        for place in error.places:
            yield Row("", row_text(f"{HIDDEN} {place}"), tone="bad", depth=1)
