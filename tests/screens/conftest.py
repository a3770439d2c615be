"""What a thousand interfaces have in common is made once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


@pytest.fixture(scope="session", autouse=True)
def parsed_style_sheets() -> Iterator[None]:
    """Each interface applies the style sheets; what they say is parsed once for each set of colours."""
    parse = Stylesheet._parse_rules
    parsed: dict[object, Any] = {}

    def parse_once(self: Stylesheet, css: str, *place: Any, **named: Any) -> Any:
        key = (css, place, *named.items(), *self._variables.items())
        if key not in parsed:
            parsed[key] = parse(self, css, *place, **named)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        # Its own says ``id(self)`` too, but in Python, hundreds of times for each widget.
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield


_draw = Compositor.render_update


def _forget_unless_asked(self: Compositor, full: bool = False, **named: Any) -> Any:
    if full:
        return _draw(self, full, **named)
    self._dirty_regions.clear()
    return None


@pytest.fixture(scope="session", autouse=True)
def drawn_where_somebody_looks() -> Iterator[None]:
    """Textual draws each change, and without a terminal throws the drawing away: a third of all the work.

    ``Interface.text`` and pictures draw what they look at, and each interface is looked at in its end.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", _forget_unless_asked)
        yield


@pytest.fixture
def each_change_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is drawn when: as before a person."""
    monkeypatch.setattr(Compositor, "render_update", _draw)
