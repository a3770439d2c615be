"""A dream started from the review: it says how far it is, can be stopped, and tells why and why not."""

from __future__ import annotations

import os
import signal
from datetime import date, timedelta

import pytest

from screens.review.dream_job import Dreamer, new_words
from tests.screens.review.reviewing import reviewed
from tests.support.tasks import replace_task
from tests.support.workspaces import LOG, Sandbox
from workbench.dreaming.result import Dream
from workbench.errors import WorkbenchError
from workbench.memory.proposal import Proposal

FACT = "The staging port of the gateway is 8443"
WISH = "Sarah prefers async reviews over meetings"


@pytest.fixture
def yesterday(sandbox: Sandbox) -> Sandbox:
    """Something was written that is worth keeping, and something that is not."""
    (sandbox.root / LOG).unlink()  # the first dream looks at all of history
    day = date.today() - timedelta(days=1)
    sandbox.write(
        f"memory/{day}.md", f"# {day}\n\n- {FACT}\n- {WISH}\n- ok, will do\n\n```\nls -la [/]\n```\n"
    )
    return sandbox


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_task(monkeypatch, "dream", by="tests.screens.review.slow_dream")


async def test_r_dreams_and_says_what_was_found_and_what_was_left_out(yesterday: Sandbox) -> None:
    async with reviewed(yesterday) as review:
        await review.interface.press("r")
        await review.choose("staging port of the gateway")
        await review.interface.until_shown("2 new proposals")
        await review.interface.until_shown("claims considered")
        await review.until_behind("← memory/")
        await review.until_behind("recurrence")
        await review.choose("Left out, and why")
        await review.until_behind("3 claims considered, 2 of them qualify")
        await review.interface.press("right")
        await review.choose("no prose")
        await review.interface.press("right")
        await review.choose("ls -la [/]")
        await review.until_behind("w computes its score")
        await review.interface.press("w")
        await review.until_behind("it is not a candidate: no prose: code")
        await review.choose("staging port of the gateway")
        await review.interface.press("w")
        await review.until_behind("Proposed, if dreaming ran now")
        assert "it is proposed (add)" in review.behind
        await review.interface.press("escape")
        await review.until_behind("The change")  # back to the proposal, and not out of the inbox
        await review.interface.press("r")
        await review.interface.until_shown("2 waited already")
        await review.interface.press("D")
        await review.interface.until(lambda: review.interface.main.is_active, "closed")
        await review.interface.press("D")
        await review.interface.until_shown("Left out, and why")  # it is still known
    assert list(yesterday.workspace.ledger.read("proposals"))
    assert yesterday.git("status", "--short", "MEMORY.md") == ""


def test_what_would_leave_memory_is_counted_apart() -> None:
    kept = [Proposal(key=f"k{number}", action="add", text="kept") for number in range(10)]
    going = [Proposal(key=f"g{number}", action="archive", text="going") for number in range(9)]
    found = Dream(run="r", considered=30, gated=20, proposals=(*kept, *going))
    assert new_words(found) == "19 new proposals (10 to keep, 9 to archive)"
    assert new_words(Dream(run="r", considered=1, gated=1, proposals=(kept[0],))) == "1 new proposal"


async def test_any_words_can_be_asked_about(yesterday: Sandbox) -> None:
    async with reviewed(yesterday) as review:
        await review.interface.press("w")
        await review.interface.until_shown("Why is it proposed, or not?")
        await review.interface.type("async reviews over")
        await review.interface.press("enter")
        await review.until_behind(WISH)
        assert "Proposed, if dreaming ran now" in review.behind


@pytest.mark.usefixtures("slow")
async def test_a_long_dream_says_how_far_it_is_blocks_nothing_and_is_stopped(sandbox: Sandbox) -> None:
    async with reviewed(sandbox) as review:
        await review.interface.press("c")
        await review.interface.until_said("No dream is running")
        await review.interface.press("r")
        await review.interface.until_shown("Dreaming: reading files")
        await review.interface.until_shown("2,400 of 4,800")
        await review.interface.press("r")
        await review.interface.until_said("A dream is running")
        await review.interface.press("question_mark")  # keys do what they do meanwhile
        await review.interface.until_shown("type to filter")
        await review.interface.press("escape")
        await review.interface.until(lambda: review.interface.app.screen is review.screen, "back")
        await review.interface.press("c")
        await review.interface.until_shown("Dreaming was stopped; nothing was written")
        await review.interface.press("r")
        await review.interface.until_shown("2,400 of 4,800")
        await review.interface.press("escape")  # leaves: the dream goes on
        await review.interface.until(lambda: review.interface.main.is_active, "the panes")
        assert Dreamer.of(review.interface.main.screen_opener.services).running
        await review.interface.press("D")
        await review.interface.until_shown("2,400 of 4,800")
        await review.interface.press("c")
        await review.interface.until_shown("Dreaming was stopped; nothing was written")
    assert not (sandbox.root / "_system").exists()


@pytest.mark.promise(
    "The interface", "the program ends during a dream", "the process of the dream ends with it"
)
@pytest.mark.usefixtures("slow")
async def test_a_dream_goes_on_while_the_person_is_elsewhere_and_ends_with_the_program(
    sandbox: Sandbox,
) -> None:
    async with reviewed(sandbox) as review:
        await review.interface.press("r")
        await review.interface.until_shown("2,400 of 4,800")
        running = review.screen.dreamer
        await review.interface.press("D")
        await review.interface.until(lambda: review.interface.main.is_active, "closed")
        assert running.running
        await review.interface.press("D")
        await review.interface.until_shown("2,400 of 4,800")
        assert running._client is not None
        child = running._client.child
        assert child is not None
        assert child.returncode is None
    assert child.returncode is not None


@pytest.mark.promise("The interface", "dreaming is stopped halfway, or its process dies")
async def test_a_dream_that_fails_says_why_and_what_to_do(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write("workbench.yaml", "inject_threshold: 7\n")
    async with reviewed(sandbox) as review:
        await review.interface.press("r")
        await review.interface.until_shown("Dreaming failed: ")
        await review.interface.until_shown("between 0 and 1")
        replace_task(monkeypatch, "dream", by="tests.screens.review.reviewing")
        await review.interface.press("r")
        await review.interface.until_shown("dreaming ended with status 0")


@pytest.mark.usefixtures("slow")
async def test_a_dream_that_is_killed_says_what_stays_and_how_to_go_on(sandbox: Sandbox) -> None:
    async with reviewed(sandbox) as review:
        await review.interface.press("r")
        await review.interface.until_shown("2,400 of 4,800")
        work = review.screen.dreamer._client
        assert work is not None
        assert work.child is not None
        os.kill(work.child.pid, signal.SIGTERM)  # heeded, but nobody here asked for it
        await review.interface.until_shown("Dreaming failed: stopped → a dream writes nothing before it ends")
        await review.interface.press("r")
        await review.interface.until_shown("2,400 of 4,800")
        work = review.screen.dreamer._client
        assert work is not None
        assert work.child is not None
        os.kill(work.child.pid, signal.SIGKILL)
        await review.interface.until_shown("dreaming was ended by SIGKILL")
        error = review.screen.dreamer.error
        assert isinstance(error, WorkbenchError)
        assert error.message.endswith("SIGKILL with 2,400 of 4,800 done (reading)")
        assert error.hint.endswith("a dream writes nothing before it ends; r dreams again")


async def test_what_is_found_while_elsewhere_is_told_there(yesterday: Sandbox) -> None:
    async with reviewed(yesterday) as review:
        await review.interface.press("r", "D")
        await review.interface.until_said("Dreamt: 2 new proposals; D shows what is pending")
        assert review.interface.main.is_active
