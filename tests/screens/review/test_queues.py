"""What waits in the queue of another agent stands among the proposals, and its keys decide on it."""

from __future__ import annotations

import json

import pytest

from tests.screens.review.reviewing import reviewed
from tests.support.agent_queues import STORE, candidate
from tests.support.proposals import of_log, put
from tests.support.workspaces import MEMORY_TEXT, Sandbox

LINE = "Borealis ships in June"


@pytest.fixture
def openclaw(sandbox: Sandbox) -> Sandbox:
    """The sandbox with a candidate of OpenClaw beside a proposal of our own."""
    found = {"a": candidate(3, LINE), "b": candidate(4, "Hides \u202eevil\x1b[31m words")}
    sandbox.write("SOUL.md", "Be kind.\n")
    sandbox.write("memory/2026-02-05.md", f"# Day\n\n- {LINE}\n")
    sandbox.write(STORE, json.dumps({"version": 1, "entries": found}))
    put(sandbox, of_log(sandbox, "staging port"))
    return sandbox


async def test_keys_decide_on_what_waits_in_a_queue_and_u_brings_it_back(openclaw: Sandbox) -> None:
    before = openclaw.read(STORE)
    async with reviewed(openclaw) as review:
        await review.choose("Proposed by OpenClaw")
        assert review.row("staging port")
        await review.choose(LINE)
        await review.until_behind("queue memory/.dreams/short-term-recall.json")
        await review.until_behind("and the queue, in memory/.dreams/short-term-recall.json")
        await review.interface.press("a")
        await review.until_gone(LINE)
        assert LINE.encode() in openclaw.read("MEMORY.md")
        assert b"promotedAt" in openclaw.read(STORE)
        await review.interface.press("u")
        await review.choose(LINE)
        assert openclaw.read(STORE) == before
        await review.interface.press("x")
        await review.until_gone(LINE)
        assert list(json.loads(openclaw.read(STORE))["entries"]) == ["b"]
        await review.interface.press("u")
        await review.choose(LINE)
    assert openclaw.read(STORE) == before
    assert openclaw.read("MEMORY.md") == MEMORY_TEXT.encode()


async def test_its_words_are_harmless_on_screen_and_what_is_malformed_says_so(openclaw: Sandbox) -> None:
    async with reviewed(openclaw) as review:
        await review.choose("Hides")
        row = review.row("Hides")
        assert row is not None
        assert not {"\x1b", "\u202e"} & set(row.text)
        assert "flagged" in review.tail("Hides")
        openclaw.write(STORE, '{"version": 1')  # the agent is writing
        await review.until_gone("Hides")
        await review.choose("short-term-recall")
        assert "malformed" in review.tail("short-term-recall")
        await review.until_behind("not in the format that OpenClaw writes")
        await review.interface.press("x")
        await review.interface.until_said("is left as it is")
    assert openclaw.read(STORE) == b'{"version": 1'
