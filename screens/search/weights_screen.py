"""Why hits stand where they stand, and what if: weights turned by hand, the hits ranked anew at once.

Each row of the lower half is a knob with what it did to the score of the hit under the cursor above. Nothing
is written: leaving puts the ranking back, and ``y`` copies the lines that would keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from indexing.ranking.weights import PRESETS, Weights
from screens.actions.registry import Context, FocusContext, bindings, by_id, hints
from screens.dialogs.help import HelpScreen
from screens.drawing.full_repaint import LaidOutScreen
from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import Shown, row_text, words
from screens.frames.navigation import ways
from screens.loading.snapshots import Promoted
from screens.main.copy import copy
from screens.main.movement import Command
from screens.search.explanation import ScorePart, by_name, effect, sum_of
from screens.search.hits import HitList, bar, hit_rows, match_pattern, ranks
from screens.search.weights import (
    KNOBS,
    Knob,
    next_preset,
    other_fusion,
    preset_of,
    same,
    settings_lines,
    turned,
    value_of,
)
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import HintLine

_LABEL, _VALUE, _GAUGE, _EFFECT = 13, 6, 10, 8
_COMPACT_BELOW = 90
_MOVED = 4
_PRESET, _FUSION = "preset", "fusion"
_LONGEST_NUMBER = 7
_PARTS = {"lexical": "words", "vector": "meaning"}
"""What a part of a score is called that a knob of another name weighs."""
Ask = Callable[[Mapping[str, object] | None], None]
_FUSED = {
    "sum": "a weighted sum of both",
    "rrf": "their reciprocal ranks",
    "raw": "a sum; the cosine undivided",
}


class WeighingScreen(LaidOutScreen):
    """The hits above, the knobs below. ``ask`` has the hits ranked by other weights, or by the settings'."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.WEIGHING)]

    def __init__(self, base: Weights, found: HitList, ask: Ask, *, at: int, promoted: Promoted) -> None:
        super().__init__(classes="browse")
        self.hits = EntryList(empty="nothing found", id="weighed")
        self.knobs = EntryList(id="knobs")
        self.weights = base
        self._base = base
        self._preset = preset_of(base) or next(iter(PRESETS))
        self._before = ranks(found.hits)
        self._found = found
        self._ask = ask
        self._at = at
        self._promoted = promoted
        self._number = ""
        self._sum = words("")
        self._hints = HintLine()
        rows = self.knobs
        self.commands: dict[str, Command] = {
            **ways(self),
            "down": lambda: self._move(1),
            "up": lambda: self._move(-1),
            "top": lambda: rows.go(0),
            "bottom": lambda: rows.go(len(rows.rows) - 1),
            "half_down": lambda: rows.page(0.5),
            "half_up": lambda: rows.page(-0.5),
            "page_down": lambda: self.hits.page(1),
            "page_up": lambda: self.hits.page(-1),
            "preview_down": lambda: self.hits.move(1),
            "preview_up": lambda: self.hits.move(-1),
            "turn_up": lambda: self._turn(1),
            "turn_down": lambda: self._turn(-1),
            "preset": lambda: self._next_preset(1),
            "turn_back": self._reset,
            "copy_weights": self._copy,
            "set_number": self._enter,
            "back": self._back,
            "help": self._help,
            "weigh": self.leave,
        }

    def compose(self) -> ComposeResult:
        """Hits, knobs, keys."""
        with Vertical(id="browse-top") as frame:
            frame.border_title = Content(row_text(f"Why, and what if: {self._found.query.strip()}"))
            yield self.hits
        with Vertical(id="weights"):
            yield self.knobs
        yield self._hints

    def on_mount(self) -> None:
        """Ask for the parts of the scores as they are."""
        self.knobs.focus()
        self._draw()
        self.hits.go(self._at)
        self._hints.show(hints(self.context()))
        self._ask(None)

    def on_resize(self) -> None:
        """Show what fits now."""
        self._draw()

    # -- answers ---------------------------------------------------------------------------------

    def answered(self, found: HitList) -> None:
        """The hits by the weights that were asked for last."""
        self._found = found
        self._draw()

    # -- keys ------------------------------------------------------------------------------------

    def action_perform(self, action_id: str, key: str) -> None:
        """Do it."""
        if action_id == "number":
            self._type({"full_stop": "."}.get(key, key))
            return
        reason = by_id()[action_id].reason(self.context())
        if reason is None or action_id in ("weigh", "help", "back"):
            self.commands[action_id]()
        elif reason:
            self.app.notify(row_text(reason), severity="warning", markup=False)

    def leave(self) -> None:
        """Back to the search, ranked as before."""
        self.dismiss()

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(place=FocusContext.WEIGHING, row=self.hits.row, hits=len(self.hits.rows))

    def _move(self, steps: int) -> None:
        self._enter()
        self.knobs.move(steps)

    def _help(self) -> None:
        self.app.push_screen(HelpScreen(self.context()))

    def _back(self) -> None:
        if self._number:
            self._number = ""
            self._draw_knobs()
        else:
            self.leave()

    def _turn(self, step: int) -> None:
        self._number = ""
        row = self.knobs.row
        if row is None or row.id == _PRESET:
            self._next_preset(step)
        elif row.id == _FUSION:
            self._weigh(other_fusion(self.weights))
        elif knob := _knob(row):
            value = value_of(self.weights, knob)
            self._weigh(turned(self.weights, knob, value + step * knob.step))

    def _next_preset(self, step: int) -> None:
        self._preset = next_preset(self.weights, step, self._preset)
        self._weigh(PRESETS[self._preset])

    def _reset(self) -> None:
        self._number = ""
        self._weigh(self._base)

    def _type(self, character: str) -> None:
        if self.knobs.row is None or _knob(self.knobs.row) is None:
            return
        if len(self._number) < _LONGEST_NUMBER and not (character == "." and "." in self._number):
            self._number += character
            self._draw_knobs()

    def _enter(self) -> None:
        """Take the number that was typed."""
        number, self._number = self._number, ""
        knob = _knob(self.knobs.row) if self.knobs.row else None
        if knob and number.strip("."):
            self._weigh(turned(self.weights, knob, float(number)))
        elif number:
            self._draw_knobs()

    def _weigh(self, weights: Weights) -> None:
        self.weights = weights
        self._draw_knobs()
        self._ask(None if same(weights, self._base) else weights.as_json())

    def _copy(self) -> None:
        lines = settings_lines(self.weights)
        what = f"{_in_one(lines)} for workbench.yaml or your own settings"
        copy(self.app, "\n".join(lines) + "\n", words(what))

    # -- drawing ---------------------------------------------------------------------------------

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Another hit is explained, or another knob is under the hand."""
        if message.entry_list is self.hits:
            self._draw_knobs()

    def _draw(self) -> None:
        rows = hit_rows(
            self._found,
            compact=self.app.size.width < _COMPACT_BELOW,
            promoted=self._promoted,
            unscored=match_pattern(self._found.query) is None,
            moved=_moves(self._before, self._found),
        )
        self.hits.show(rows)
        self._draw_knobs()

    def _draw_knobs(self) -> None:
        at = self.hits.cursor
        hit = self._found.hits[at] if at < len(self._found.hits) else None
        parts = by_name(hit.parts) if hit else {}
        rows = [Row(_PRESET, self._presets(), lead=(_label("preset"),))]
        for number, knob in enumerate(KNOBS):
            typed = self._number if self.knobs.row and self.knobs.row.id == knob.name else ""
            rows.append(_knob_row(knob, self.weights, parts, typed))
            if number == 1:
                said = words(_FUSED[self.weights.fusion])
                rows.append(
                    Row(_FUSION, said, tone="muted", lead=(_label("fusion"), _cell(self.weights.fusion)))
                )
        self.knobs.show(rows)
        self._sum = sum_of(hit.parts, hit.score) if hit and hit.parts else words("")
        self._caption()

    def _presets(self) -> Shown:
        here = preset_of(self.weights, self._preset)
        names = [f"[{name}]" if name == here else name for name in PRESETS]
        return words("  ".join(names) if here else "  ".join([*names, "[your own]"]))

    def _caption(self) -> None:
        frame = self.query_one("#weights")
        at, count = self.hits.cursor + 1, len(self.hits.rows)
        place = f"Hit {at} of {count}" if count else "No hits"
        frame.border_title = Content(words(f"{place} · {self._sum}" if self._sum else place))
        kept = same(self.weights, self._base)
        frame.border_subtitle = Content(
            words("as it is set" if kept else _in_one(settings_lines(self.weights)))
        )


def _knob(row: Row) -> Knob | None:
    return next((knob for knob in KNOBS if knob.name == row.id), None)


def _knob_row(knob: Knob, weights: Weights, parts: Mapping[str, ScorePart], typed: str) -> Row:
    value = value_of(weights, knob)
    part = parts.get(_PARTS.get(knob.name, knob.name))
    if knob.label.endswith("×") and "boost" in parts and parts["boost"].words == f"kind {knob.name}":
        part = parts["boost"]
    shown = f"{typed}▏" if typed else f"{value:g}" if knob.most > 10 else f"{value:.2f}"
    did = effect(part) if part else RowPart(words(""), "faint")
    return Row(
        knob.name,
        part.words if part and part.words else words(knob.help),
        tone="muted" if part else "faint",
        lead=(
            _label(knob.label),
            _cell(shown, "match" if typed else "text"),
            RowPart(bar(min(1.0, value / knob.most), _GAUGE), "accent"),
            RowPart(words(did.text.rjust(_EFFECT)), did.tone),
        ),
    )


def _label(text: str) -> RowPart:
    return RowPart(words(text.ljust(_LABEL)), "muted")


def _cell(text: str, tone: Tone = "text") -> RowPart:
    return RowPart(words(text.rjust(_VALUE)), tone)


def _moves(before: Mapping[str, int], found: HitList) -> dict[str, RowPart]:
    """How far each hit moved from where it stood."""
    moved: dict[str, RowPart] = {}
    for address, place in ranks(found.hits).items():
        was = before.get(address)
        if was is None:
            said, tone = "new", "accent"
        elif was == place:
            said, tone = "·", "faint"
        else:
            said, tone = (f"↑{was - place}", "good") if was > place else (f"↓{place - was}", "warn")
        moved[address] = RowPart(words(said.ljust(_MOVED)), tone)  # type: ignore[arg-type]
    return moved


def _in_one(lines: Sequence[str]) -> str:
    """Settings in one line, as YAML takes them too."""
    inner = ", ".join(line.strip() for line in lines[1:])
    return f"{lines[0]} {{{inner}}}"
