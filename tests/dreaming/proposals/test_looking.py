"""Looking at proposals before deciding: all of them at once, one thought through, and its sources' words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from tests.support.proposals import NOW, accept, of_log, proposal, put
from tests.support.workspaces import EPISODE, LOG, LOG_TEXT, Sandbox
from workbench.dreaming.proposals.decide import foretold, plan_defer, plan_reject
from workbench.dreaming.proposals.inbox import Overview, find_all, overview
from workbench.dreaming.proposals.origins import quotations, surroundings


def seen(sandbox: Sandbox) -> Overview:
    return overview(sandbox.workspace, NOW)


def test_what_waits_what_is_put_off_and_what_is_settled_are_told_apart(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    ones = [of_log(sandbox, words) for words in ("staging port", "tantivy", "async", "weather")]
    put(sandbox, *ones)
    accept(sandbox, ones[0].key)
    place.operations.carry_out(lambda: plan_reject(place, [ones[1].key], now=NOW))
    later = date(2026, 4, 1)
    place.operations.carry_out(lambda: plan_defer(place, [ones[2].key], later, now=NOW))
    found = seen(sandbox)
    assert [one.proposal.key for one in found.waits] == [ones[3].key]
    assert [one.proposal.key for one in found.deferred] == [ones[2].key]
    assert [one.until for one in found.deferred] == [later]
    assert [one.decision for one in found.settled] == ["accepted", "rejected"]
    assert [one.kept for one in found.settled] == [True, False]
    assert overview(place, NOW + timedelta(days=30)).deferred == ()


def test_what_somebody_wrote_by_hand_is_settled_without_a_decision(sandbox: Sandbox) -> None:
    put(sandbox, of_log(sandbox, "staging port"))
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- The staging port is 8443\n")
    (one,) = seen(sandbox).settled
    assert one.decision is None
    assert "already in long-term memory" in one.said


def test_the_newest_run_is_the_one_that_proposed_last(sandbox: Sandbox) -> None:
    assert seen(sandbox).newest_run == ""
    put(sandbox, of_log(sandbox, "staging port", run="20260319-100000"))
    later = of_log(sandbox, "tantivy", run="20260320-100000")
    put(sandbox, later, now=NOW + timedelta(hours=1))
    assert seen(sandbox).newest_run in {"20260319-100000", "20260320-100000"}


def test_what_hides_something_is_named_before_anybody_opens_it(sandbox: Sandbox) -> None:
    put(sandbox, proposal("Keep\u200b this"), of_log(sandbox, "tantivy"))
    found = seen(sandbox)
    assert len(found.flagged) == 1
    assert len(found.waits) == 2


def test_one_is_thought_through_with_its_plan_budget_and_sources(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    told = foretold(sandbox.workspace, find_all(sandbox.workspace, [one.key], NOW)[0], NOW)
    assert told.plan is not None
    assert "+- The staging port is 8443" in told.plan.diff()
    assert told.budget is not None
    assert (told.stands, told.becomes, told.problem) == ("", "", "")
    assert [(source.place, source.text) for source in told.sources] == [
        (f"{LOG}#L6", "The staging port is 8443")
    ]
    assert b"8443" not in sandbox.read("MEMORY.md")


def test_what_would_be_replaced_stands_beside_what_replaces_it(sandbox: Sandbox) -> None:
    target = sandbox.address("called Atlas", "MEMORY.md")
    one = proposal("The project is called Borealis", action="supersede", target=target)
    put(sandbox, one)
    told = foretold(sandbox.workspace, find_all(sandbox.workspace, [one.key], NOW)[0], NOW)
    assert told.stands == "The project is called Atlas"
    assert told.becomes == "The project is called Borealis"


def test_what_is_stale_says_so_and_has_no_plan(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    sandbox.write(LOG, "# Nothing is left\n")
    told = foretold(sandbox.workspace, find_all(sandbox.workspace, [one.key], NOW)[0], NOW)
    assert told.plan is None
    assert "no longer exists" in told.problem
    assert "changed or removed" in told.sources[0].gone


def test_a_source_is_found_where_it_stands_by_now(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    sandbox.write(LOG, LOG_TEXT.replace("## 10:00", "- another line first\n\n## 10:00"))
    (source,) = quotations(sandbox.workspace, one)
    assert source.place == f"{LOG}#L8"
    lines = surroundings(sandbox.workspace, source, lines=1)
    assert [(line.number, line.own) for line in lines] == [(7, False), (8, True), (9, False)]


def test_lines_that_no_entry_is_named_of_are_quoted_as_they_are(sandbox: Sandbox) -> None:
    one = proposal("Of a session", key="0011223344556677")
    sources = quotations(sandbox.workspace, replace(one, sources=(f"{EPISODE}#L13-L14", "x#L1", "?")))
    assert "Planned the Atlas release" in sources[0].text
    assert sources[0].address.startswith(EPISODE)
    assert [bool(source.gone) for source in sources] == [False, True, True]


def test_what_lies_outside_is_named_and_not_read(sandbox: Sandbox) -> None:
    one = proposal("From elsewhere")
    (source,) = quotations(sandbox.workspace, replace(one, entries=("/etc/passwd#0a",)))
    assert "outside" in source.gone
    assert source.text == ""
