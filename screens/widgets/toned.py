"""Widgets whose component classes are tones: styles that the style sheet alone decides."""

from __future__ import annotations

from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from rich.style import Style
from textual.screen import Screen
from textual.widget import Widget

_matched: WeakKeyDictionary[Screen[Any], dict[type[Widget], tuple[object, dict[str, Any]]]] = (
    WeakKeyDictionary()
)
"""The component styles of one widget of each class, and the rules that they are of."""


class Toned(Widget):
    """Text in the tones of its component classes, which are called ``<sort>--<tone>``.

    No state of a widget changes them, and all of one class on a screen have the same. To match them anew for
    each, and with each focus and move, would be most of the work of opening a screen.
    """

    SORT: ClassVar[str] = ""
    _sheet: object = None
    """The rules that its tones are of."""

    def tone(self, name: str) -> Style:
        """The style of a component class."""
        return self.get_component_rich_style(f"{self.SORT}--{name}", partial=True)

    def _get_component_classes(self) -> frozenset[str]:  # type: ignore[override] # of this one, not of all
        """Those to be matched: none where its tones, or those of another like it, are of these rules."""
        rules = self.app.stylesheet.rules
        if self._sheet is rules and self._component_styles:
            return frozenset()
        self._sheet = rules
        known = _matched.setdefault(self.screen, {})
        seen, styles = known.get(type(self), (None, {}))
        if seen is rules and styles:
            self._component_styles = styles.copy()
            self.refresh()
            return frozenset()
        known[type(self)] = rules, self._component_styles
        return super()._get_component_classes()
