"""What a thousand interfaces have in common is made once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
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
        yield
