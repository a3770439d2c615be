"""Lines to type in: what is pasted is text, and nothing that a terminal would obey."""

from __future__ import annotations

import pytest
from textual.events import Paste

from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

HOSTILE = "port\x1b]0;gone\x07 \u202e8443\x9b \u200btea"


@pytest.mark.parametrize("key", ["slash", "f", "F"])
async def test_what_is_pasted_into_a_line_is_drawn_and_never_sent(key: str, sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (80, 24)) as interface:
        await interface.go_to("staging port")
        await interface.press(key)
        line = interface.main.key_queue._typed_into
        assert line is not None
        line.post_message(Paste(HOSTILE))
        await interface.until(lambda: line.value == HOSTILE, "it was pasted")
        await interface.until_shown("port␛]0;gone␇ �8443� �tea")
        assert not set("\x1b\x07\u202e\x9b\u200b") & set(interface.text)


async def test_nothing_hostile_is_offered_to_go_on_with(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        line = interface.main.overlay.input

        async def going_on(text: str) -> str:
            return text + "\x1b[2J\u202e"

        line.going_on = going_on
        assert await line._continued("type:") is None
