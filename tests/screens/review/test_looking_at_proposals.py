"""What the inbox shows: what waits and why, what it would change, where it comes from."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from screens.review import review as review_screen
from tests.screens.review.reviewing import reviewed
from tests.support.proposals import NOW, accept, of_log, proposal, put
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.dreaming.proposals.decide import foretold, plan_defer
from workbench.memory.proposal import Gate

EVIL = "Keep [/] [@click=app.quit]quit[/] [[x]] \x1b]52;c;aGk=\x07 \x1b[31mred \u202eback \u200b"
SAFE = "Keep [/] [@click=app.quit]quit[/] [[x]] ␛]52;c;aGk=␇ ␛[31mred <U+202E>back <U+200B>"
SIZES = [(60, 20), (140, 40)]


async def test_a_proposal_says_what_it_does_where_and_how_sure_it_is_part_by_part_and_gate_by_gate(
    sandbox: Sandbox,
) -> None:
    gates = (Gate(name="score", reached=0.78, needed=0.75), Gate(name="context", reached=2, needed=3))
    one = of_log(sandbox, "staging port")
    put(sandbox, replace(one, gates=gates))
    async with reviewed(sandbox) as review:
        await review.choose("staging port")
        for words in ("agent", "Project Fac…", "0.78"):
            assert words in review.tail("staging port")
        await review.until_behind("Add to Project Facts")
        await review.until_behind("+- The staging port is 8443")
        assert "of 10,000 characters" in review.behind
        await review.until_behind("1.50 of 2.00")
        assert "0.52 of 1.00" in review.behind
        assert "✓ 0.78, needs 0.75" in review.behind
        assert "✗ 2, needs 3" in review.behind
        assert "1 of 2 not met" in review.behind


async def test_sources_stand_with_their_words_and_unfold_beneath(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    async with reviewed(sandbox) as review:
        await review.choose("staging port")
        await review.until_behind(f"← {LOG}:6 · 10:00 planning with Sarah · trust agent")
        await review.interface.press("right")
        await review.interface.until(lambda: len(review.rows) == 3, "its source beneath")
        await review.interface.press("right")
        await review.until_behind("6 ▌ - The staging port is 8443")
        assert "We decided to use tantivy" in review.behind  # it is seen in its place
        await review.interface.press("left", "left")
        await review.interface.until(lambda: len(review.rows) == 2, "folded again")


async def test_one_key_goes_to_the_source_in_its_pane(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    async with reviewed(sandbox) as review:
        await review.choose("staging port")
        await review.interface.press("o")
        main = review.interface.main
        await review.interface.until(lambda: main.is_active, "the panes")
        await review.interface.until(lambda: (row := main.here.row) and "staging port" in row.text, "there")


async def test_of_several_sources_one_is_chosen(sandbox: Sandbox) -> None:
    sources = [sandbox.workspace.locate(sandbox.address(words))[1] for words in ("staging port", "tantivy")]
    put(sandbox, proposal("Port and search are decided", sources=sources))
    async with reviewed(sandbox) as review:
        await review.choose("Port and search")
        await review.interface.press("o")
        await review.interface.until_shown("Go to one of 2 sources")
        await review.interface.type("tantivy")
        await review.interface.press("enter")
        main = review.interface.main
        await review.interface.until(lambda: main.is_active, "the panes")
        await review.interface.until(lambda: (row := main.here.row) and "tantivy" in row.text, "there")


async def test_what_is_replaced_stands_over_what_replaces_it(sandbox: Sandbox) -> None:
    target = sandbox.address("called Atlas", "MEMORY.md")
    put(sandbox, proposal("The project is called Borealis", action="supersede", target=target))
    async with reviewed(sandbox) as review:
        await review.choose("Borealis")
        await review.until_behind("Current text\n- The project is called Atlas")
        assert "New text\n+ The project is called Borealis" in review.behind


async def test_what_is_stale_says_why_and_what_to_do(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    sandbox.write(LOG, "# Nothing is left\n")
    async with reviewed(sandbox) as review:
        await review.choose("staging port")
        assert "stale" in review.tail("staging port")
        await review.until_behind("stale: its source no longer exists")
        assert "x rejects it" in review.behind
        await review.interface.press("a")
        await review.interface.until_said("is stale")


async def test_what_is_put_off_is_folded_away_and_says_when_it_comes_back(sandbox: Sandbox) -> None:
    place, one = sandbox.workspace, of_log(sandbox, "staging port")
    put(sandbox, one, of_log(sandbox, "tantivy"))
    until = date.today() + timedelta(days=12)
    place.operations.carry_out(lambda: plan_defer(place, [one.key], until, now=NOW))
    async with reviewed(sandbox) as review:
        await review.choose("Deferred: 1")
        assert "next in 12 days" in review.tail("Deferred")
        assert review.row("staging port") is None
        await review.interface.press("enter")
        await review.choose("staging port")
        assert "back in 12 days" in review.tail("staging port")
        await review.until_behind("deferred, back in 12 days")


async def test_what_became_of_the_newest_run_is_folded_below(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one, of_log(sandbox, "tantivy"))
    accept(sandbox, one.key)
    async with reviewed(sandbox) as review:
        await review.choose("Decided in the newest run")
        assert "1 accepted" in review.tail("Decided in the newest run")
        assert "1 accepted" in review.tail("Run of")
        await review.interface.press("right")
        await review.choose("staging port")
        await review.until_behind("accepted on 2026-03-20")


async def test_who_proposes_without_a_run_has_a_heading_of_its_own(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port", run="", by="agent:scout"))
    async with reviewed(sandbox) as review:
        await review.choose("Proposed by agent:scout")
        await review.interface.press("R")
        await review.interface.until_said("Select a run")


async def test_an_empty_list_says_what_dreaming_is_and_which_key_starts_it(sandbox: Sandbox) -> None:
    async with reviewed(sandbox, (60, 20)) as review:
        await review.interface.until_shown("no proposals are pending")
        assert "press r to dream now" in review.interface.text
        await review.interface.press("a")
        await review.interface.until_said("Select a proposal first")


async def test_an_empty_list_offers_no_dream_where_nothing_can_be_kept(sandbox: Sandbox) -> None:
    sandbox.git("config", "core.bare", "true")
    async with reviewed(sandbox) as review:
        rows = review.screen.list
        await review.interface.until(lambda: "is a bare repository" in rows.empty, "why is told")
        assert "to dream now" not in rows.empty


async def test_whatever_proposals_hold_shows_as_itself_at_every_size(sandbox: Sandbox) -> None:
    found = sandbox.workspace.locate(sandbox.address("staging port"))[1]
    put(
        sandbox,
        proposal(EVIL, sources=[found], section=EVIL, why=EVIL, by=f"agent:{EVIL}", run=EVIL, trust=EVIL),
        proposal("先看殘差，再談故事 👩‍👩‍👧 " * 20, sources=[found]),
    )
    async with reviewed(sandbox, SIZES[0]) as review:
        await review.choose("Keep [/]")
        await review.until_behind(f"Add to {SAFE[:20]}")
        await review.interface.press("right", "j", "enter")
        for size in SIZES:
            await review.interface.pilot.resize_terminal(*size)
            await review.interface.pilot.pause()
            for character in ("\x1b", "\u202e", "\u200b", "\x07"):
                assert character not in review.interface.text
        assert not review.interface.app._exit


async def test_a_decision_made_elsewhere_is_seen_and_the_cursor_stays(sandbox: Sandbox) -> None:
    ones = [of_log(sandbox, words) for words in ("staging port", "tantivy", "async")]
    put(sandbox, *ones)
    async with reviewed(sandbox) as review:
        await review.choose("async")
        accept(sandbox, ones[0].key)
        await review.until_gone("staging port")
        row = review.screen.list.row
        assert row is not None
        assert "async" in row.text


async def test_a_ledger_with_torn_lines_is_read_for_what_it_says(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    sandbox.write("_system/ledger/proposals-2026-03.jsonl", b"{broken\n\xff\xfe\n" + b'{"key": "x"')
    sandbox.write(".workbench/ledger/pending.jsonl", b"{broken\n\xff\xfe\n" + b'{"key": "x"')
    async with reviewed(sandbox) as review:
        await review.choose("staging port")


async def test_a_ledger_that_cannot_be_read_says_so(sandbox: Sandbox) -> None:
    (sandbox.root / "_system/ledger/proposals-2026-03.jsonl").mkdir(parents=True)
    async with reviewed(sandbox) as review:
        await review.interface.until_shown("pending proposals cannot be read")
        await review.interface.until_shown("proposals-2026-03.jsonl")


async def test_where_nothing_can_be_written_it_can_be_looked_at(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    before = sandbox.snapshot()
    (sandbox.root / ".git/MERGE_HEAD").write_text("0" * 40 + "\n")
    async with reviewed(sandbox) as review:
        await review.interface.until(review.screen.services.refusal, "it is known")
        await review.choose("staging port")
        await review.until_behind("+- The staging port is 8443")
        for key in ("a", "x", "z", "r"):
            await review.interface.press(key)
        await review.interface.until(lambda: review.interface.toasts, "why not")
    assert sandbox.snapshot() == before
    assert LOG_TEXT.encode() == sandbox.read(LOG)


async def test_hundreds_are_listed_and_only_the_one_under_the_cursor_is_thought_through(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"- The port of machine {number} is {8000 + number}\n" for number in range(500))
    sandbox.write(LOG, f"# Day\n\n{lines}")
    entries = sandbox.workspace.document(LOG).entries
    put(sandbox, *(proposal(entry.text, sources=[entry]) for entry in entries))
    thought: list[str] = []
    think = foretold

    def counted(place, one, now):  # type: ignore[no-untyped-def]
        thought.append(one.proposal.text)
        return think(place, one, now)

    monkeypatch.setattr(review_screen, "foretold", counted)
    async with reviewed(sandbox) as review:
        await review.interface.until(lambda: len(review.rows) > 500, "all of them")
        await review.choose("machine 0")
        await review.until_behind("+- The port of machine 0 is 8000")
        await review.interface.press("G")
        await review.until_behind("+- The port of machine 499 is 8499")
        assert len(thought) < 10


async def test_a_long_row_says_where_it_goes_and_parts_its_lines(sandbox: Sandbox) -> None:
    put(
        sandbox,
        proposal("Portal errors\nCause: the enum is " + "very " * 30 + "old", section="Lessons Learned"),
    )
    async with reviewed(sandbox) as review:
        await review.choose("Portal errors · Cause")
        await review.interface.until_shown("Lessons Lea…")
