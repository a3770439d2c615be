"""A dream as a whole: in a memory that begins, in one that is used, and in one that knows things already."""

from __future__ import annotations

import json
import math
from contextlib import closing
from datetime import timedelta
from functools import partial

import pytest

from tests.dreaming.nights import NOW, Nights, ago, rule
from workbench.dreaming.proposals.decide import plan_accept, plan_reject
from workbench.dreaming.proposals.inbox import propose
from workbench.memory.markdown import Document
from workbench.memory.proposal import proposal_from_json
from workbench.workspace.workspace import Workspace

FACT = "The staging port of the gateway is 8443"
WISH = "Sarah prefers async reviews over meetings"


def used(nights: Nights, text: str) -> None:
    """Recalled as often as it takes."""
    nights.recall(text, 8, 6, 4, 2, 1, 0)


def test_a_memory_that_begins_dreams_of_what_an_episode_states(nights: Nights) -> None:
    nights.episode(0, "e1", WISH, "We decided to use tantivy for search", "They laughed a bit.")
    result = nights.dream()
    assert {one.text for one in result.proposals} == {WISH, "We decided to use tantivy for search"}
    (wish,) = (one for one in result.proposals if one.text == WISH)
    assert wish.trust == "agent"
    assert wish.section == "Project Facts"  # the only heading that there is


def test_a_log_is_the_agents_own_word_and_enough_by_itself(nights: Nights) -> None:
    nights.log(3, FACT)
    assert nights.proposal(FACT).trust == "agent"


def test_notes_are_a_source_where_there_is_nothing_else(nights: Nights) -> None:
    nights.sandbox.write("memory/projects/gateway.md", f"# Gateway\n\n- {FACT}\n- {rule(0)}\n")
    assert set(nights.proposed()) == {FACT, rule(0)}
    nights.log(3, rule(1))
    assert nights.proposed() == [rule(1)]


def test_what_is_of_unknown_origin_is_not_proposed_however_many_days_say_it(nights: Nights) -> None:
    for day in (1, 3, 5):
        nights.log(day, f"{FACT} <!-- wb: trust=unknown -->")
    assert nights.proposed() == []
    assert nights.why(FACT) == "of unknown origin"


@pytest.mark.promise(
    "Dreaming and proposals",
    "a claim is copied to many days, never recalled",
    "copies count as one source, and the recurrence factor is bounded",
)
def test_copies_of_one_text_are_one_source(nights: Nights) -> None:
    for day in range(1, 13):
        nights.log(day, FACT)
    proposal = nights.proposal(FACT)
    assert "said in 12 places on 12 days (1 independent source)" in proposal.why
    corroboration = next(gate for gate in proposal.gates if gate.name == "corroboration")
    assert corroboration.reached == 1


def test_what_an_agent_vouches_for_is_not_made_less_by_a_log_that_says_it_too(nights: Nights) -> None:
    nights.log(3, f"{WISH} <!-- wb: trust=unknown -->")
    nights.episode(1, "e1", WISH)
    proposal = nights.proposal(WISH)
    assert proposal.trust == "agent"
    assert [source.partition("/")[0] for source in proposal.sources] == ["episodes"]
    assert "said in 1 place on 1 day" in proposal.why
    workspace = nights.workspace
    propose(workspace, [proposal], NOW)
    workspace.operations.carry_out(lambda: plan_accept(workspace, [proposal.key], now=NOW))
    assert "trust=agent" in nights.sandbox.spelled_out()
    workspace.close()


def test_a_proposal_names_its_lines_and_the_entries_there(nights: Nights) -> None:
    path = nights.log(9, "Deploys happen on Tuesdays", FACT)
    used(nights, FACT)
    proposal = nights.proposal(FACT)
    assert proposal.sources == (f"{path}#L4",)
    (address,) = proposal.entries
    assert nights.workspace.find(address).text == FACT
    assert proposal.score == pytest.approx(math.prod(proposal.parts.values()), abs=1e-3)
    assert all(gate.distance == 0 for gate in proposal.gates)
    assert proposal_from_json(json.loads(json.dumps(proposal.as_json()))).text == FACT


def test_dreaming_twice_gives_the_same(nights: Nights) -> None:
    nights.log(9, FACT, WISH)
    used(nights, FACT)
    one, other = nights.dream(), nights.dream()
    assert one.proposals == other.proposals
    assert one.skipped == other.skipped


def test_the_first_dream_looks_at_all_of_history(nights: Nights) -> None:
    nights.log(400, FACT)
    assert nights.proposed() == [FACT]


def test_what_qualified_and_was_not_decided_is_proposed_by_later_dreams_however_old(nights: Nights) -> None:
    nights.log(400, *map(rule, range(6)))
    nights.log(0, FACT)
    seen: set[str] = set()
    for _ in range(4):
        proposed = propose(nights.workspace, nights.dream(limit=2).proposals, NOW, replaces=True).added
        seen.update(one.text for one in proposed)
        keys = [one.key for one in proposed]
        with closing(nights.workspace) as place:
            place.operations.carry_out(partial(plan_reject, place, keys, now=NOW))
    assert seen == {FACT, *map(rule, range(6))}


def test_what_is_too_long_is_left_out_with_its_length(nights: Nights) -> None:
    long = "We decided to use " + " and ".join(f"tool{n} for the service number {n}" for n in range(40))
    nights.log(2, long)
    result = nights.dream()
    assert result.considered == 0
    assert any(reason.startswith(("too long", "no")) or "long" in reason for reason in result.reasons)


def test_the_limit_can_be_given_and_set(nights: Nights) -> None:
    nights.episode(0, "e1", *map(rule, range(6)))
    assert len(nights.dream(limit=2).proposals) == 2
    nights.sandbox.write("workbench.yaml", "dream_limit: 3\n")
    assert len(nights.dream().proposals) == 3


def test_of_lines_of_one_template_one_is_proposed(nights: Nights) -> None:
    nights.log(
        3,
        *[f"The worker number {n} of the ingest service always listens on port {8000 + n}" for n in range(9)],
    )
    result = nights.dream()
    assert len(result.proposals) == 1
    assert result.reasons["repeats a template with other numbers"] == 8


def test_what_long_term_memory_says_already_is_known(nights: Nights) -> None:
    nights.memory(WISH, "The gateway has a staging port, and it is 8443 on all hosts")
    nights.episode(0, "e1", WISH, "The gateway has a staging port")
    assert nights.proposed() == []
    assert nights.dream().reasons["known"] >= 1


def test_what_adds_to_an_entry_is_proposed_as_a_merge(nights: Nights) -> None:
    nights.memory("Sarah prefers async reviews")
    nights.episode(0, "e1", "Sarah prefers async reviews over meetings on Tuesdays")
    proposal = nights.proposal("Sarah")
    assert proposal.action == "merge"
    assert nights.workspace.find(proposal.target).text == "Sarah prefers async reviews"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FACT, "The staging port of the gateway is 9000"),
        ("The favourite editor of Sarah is Vim", "The favourite editor of Sarah is now Emacs"),
        ("The project uses Redis for sessions", "The project no longer uses Redis for sessions"),
    ],
)
def test_a_newer_value_supersedes_the_entry_that_has_another(nights: Nights, old: str, new: str) -> None:
    nights.memory(f"{old} <!-- wb: id=m1 at={ago(20)} -->")
    nights.episode(0, "e1", new)
    proposal = nights.proposal(new)
    assert proposal.action == "supersede"
    assert nights.workspace.find(proposal.target).text == old


def test_an_older_value_supersedes_nothing(nights: Nights) -> None:
    nights.memory(f"The staging port of the gateway is 9000 <!-- wb: id=m1 at={ago(1)} -->")
    nights.episode(5, "e1", FACT)
    assert all(one.action != "supersede" for one in nights.dream().proposals)


def test_a_pinned_entry_is_never_changed(nights: Nights) -> None:
    nights.memory(f"{FACT} <!-- wb: id=m1 at={ago(20)} pinned={ago(19)} -->")
    nights.episode(0, "e1", "The staging port of the gateway is 9000")
    assert nights.proposed() == []
    assert nights.why("9000").startswith("it would change a pinned entry")


def test_a_run_changes_at_most_a_quarter_of_what_is_there(nights: Nights) -> None:
    nights.memory(
        *[
            f"The host of service{n} in Oslo has port {8000 + n} <!-- wb: id=m{n} at={ago(20)} -->"
            for n in range(8)
        ]
    )
    nights.episode(0, "e1", *[f"The host of service{n} in Oslo has port {9000 + n}" for n in range(5)])
    result = nights.dream()
    assert [one.action for one in result.proposals] == ["supersede"] * 2
    assert result.reasons["a quarter of long-term memory is already changed by this run"] == 3


def test_what_does_not_fit_the_budget_comes_with_what_could_go(nights: Nights) -> None:
    nights.sandbox.write("workbench.yaml", "memory_budget: 590\n")
    nights.memory(
        *[
            f"Note number {n} of the old plan of nothing "
            f"<!-- wb: id=m{n} at={ago(90 - n)} score=0.{n} valid_until={ago(9)} -->"
            for n in range(1, 7)
        ]
    )
    nights.episode(0, "e1", WISH)
    result = nights.dream()
    actions = [one.action for one in result.proposals]
    assert actions[0] == "add"
    assert set(actions[1:]) == {"archive"}
    assert result.proposals[1].text.startswith("Note number 1")
    assert any("removals are proposed too" in note for note in result.notes)


def test_a_claim_that_waits_takes_its_place_again_and_is_not_added_twice(nights: Nights) -> None:
    nights.episode(0, "e1", WISH)
    (first,) = propose(nights.workspace, nights.dream().proposals, NOW).added
    (again,) = nights.dream().proposals
    assert again.key == first.key
    assert propose(nights.workspace, [again], NOW).added == ()


def test_what_is_proposed_can_be_accepted_and_is_known_from_then_on(nights: Nights) -> None:
    nights.episode(0, "e1", WISH)
    workspace = nights.workspace
    (proposal,) = propose(workspace, nights.dream().proposals, NOW).added
    workspace.operations.carry_out(lambda: plan_accept(workspace, [proposal.key], now=NOW))
    workspace.close()
    assert WISH in (nights.root / "MEMORY.md").read_text()
    assert nights.proposed() == []


def test_a_deferred_claim_returns_on_its_day(nights: Nights) -> None:
    from workbench.dreaming.proposals.decide import plan_defer

    nights.episode(0, "e1", WISH)
    workspace = nights.workspace
    (proposal,) = propose(workspace, nights.dream().proposals, NOW).added
    until = NOW.date() + timedelta(days=3)
    workspace.operations.carry_out(lambda: plan_defer(workspace, [proposal.key], until=until, now=NOW))
    workspace.close()
    assert nights.proposed() == []
    assert nights.why(WISH) == f"deferred: until {until}"


def test_the_json_is_that_of_the_paper(nights: Nights) -> None:
    nights.episode(0, "e1", WISH)
    nights.log(1, "ok, done")
    said = nights.dream().as_json()
    assert {"run", "considered", "gated", "proposals", "skipped", "applied"} <= said.keys()
    assert said["applied"] is False
    assert json.loads(json.dumps(said)) == said
    (one,) = nights.dream().proposals
    assert {
        "key",
        "action",
        "text",
        "section",
        "score",
        "parts",
        "gates",
        "sources",
        "trust",
    } <= one.as_json().keys()


def test_a_memory_without_anything_dreams_of_nothing(nights: Nights) -> None:
    result = nights.dream()
    assert (result.considered, result.gated, result.proposals) == (0, 0, ())


def test_a_file_that_cannot_be_read_is_named_and_stops_nothing(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights.episode(0, "e1", WISH)
    path = nights.log(1, FACT)
    read = Workspace.document

    def refusing(self: Workspace, wanted: str) -> Document:
        if wanted == path:
            raise PermissionError(13, "Permission denied")
        return read(self, wanted)

    monkeypatch.setattr(Workspace, "document", refusing)
    result = nights.dream()
    assert f"could not be read: {path}" in result.notes
    assert [one.text for one in result.proposals] == [WISH]


def test_one_run_does_not_propose_the_same_twice(nights: Nights) -> None:
    """Too little alike to count as one claim, and too much for a person to read both."""
    one = "We decided to use tantivy for the search of project Atlas because it needs no server at all"
    other = one.replace("at all", "whatsoever")
    nights.episode(1, "e1", one)
    nights.episode(0, "e2", other)
    result = nights.dream()
    assert (result.considered, result.gated, len(result.proposals)) == (2, 2, 1)
    assert result.reasons["this run proposes nearly the same"] == 1


def test_what_the_owner_said_makes_no_room_before_anything_was_recalled(nights: Nights) -> None:
    nights.sandbox.write("workbench.yaml", "memory_budget: 590\n")
    said = [
        f"Rule number {n} of the owner of the house <!-- wb: id=m{n} at={ago(90 - n)} trust=owner -->"
        for n in range(1, 7)
    ]
    nights.memory(*said)
    nights.episode(0, "e1", WISH)
    result = nights.dream()
    assert [one.action for one in result.proposals] == ["add"]
    assert any("would put long-term memory over its budget" in note for note in result.notes)


def test_what_another_proposal_says_already_is_not_proposed_beside_it(nights: Nights) -> None:
    nights.episode(0, "e1", "We decided to use tantivy 0.25 for search.", "We use tantivy 0.25 for search.")
    (proposed,) = nights.proposed()
    assert proposed.endswith("use tantivy 0.25 for search.")
    assert nights.dream().reasons["this run proposes nearly the same"] == 1


def test_before_anything_was_recalled_only_what_is_no_memory_makes_room(nights: Nights) -> None:
    """Curated lines of the agent stay too: what was said once has not shown that it is worth more."""
    nights.sandbox.write("workbench.yaml", "memory_budget: 640\n")
    kept = [
        f"Harbour office {n} keeps its charts in drawer {n} <!-- wb: id=m{n} trust=agent at={ago(40)} -->"
        for n in range(1, 7)
    ]
    nights.memory(
        *kept, f"[14:02:11] INFO build 4187 finished in 3m12s <!-- wb: id=m9 trust=agent at={ago(40)} -->"
    )
    nights.episode(0, "e1", WISH)
    result = nights.dream()
    assert [
        (one.action, one.text.partition(" <")[0]) for one in result.proposals if one.action == "archive"
    ] == [("archive", "[14:02:11] INFO build 4187 finished in 3m12s")]
    assert "add" in [one.action for one in result.proposals]


def test_a_sentence_that_does_not_name_whom_it_is_about_is_not_proposed(nights: Nights) -> None:
    nights.episode(0, "e1", "Mei-Ling Zhou always wants the archive of 2019 in one table.")
    nights.episode(0, "e2", "She wants the archive of 2018 in one Parquet file at Osaka.")
    assert [text.split()[0] for text in nights.proposed()] == ["Mei-Ling"]
    assert nights.why("She wants") == "it does not say whom it is about"


def test_what_says_the_same_in_a_script_without_spaces_is_not_proposed_twice(nights: Nights) -> None:
    nights.log(2, "我们决定:北京办公室的网关总是使用端口,不再使用旧的代理")
    nights.log(1, "我们决定:北京办公室的网关总是使用端口,不再使用旧代理")
    assert len(nights.proposed()) == 1


def test_of_a_great_many_the_newest_of_a_kind_is_looked_at_and_the_others_keep_what_is_known(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.dreaming.survey.MOST_JUDGED", 12)
    for day in range(20, 0, -1):
        nights.log(day, f"The staging port of the gateway is {8400 - day}", f"ok, done with {day} of it")
    verdicts = {day: nights.explained(f"gateway is {8400 - day}").verdict for day in range(1, 21)}
    assert [day for day in verdicts if "less likely" not in verdicts[day]] == [1, 2, 3, 4, 5]
    older = nights.explained("gateway is 8380")
    assert older.parts["salience"] > 0
    assert older.facts["daily"] == 1
    nights.log(7, "The staging port of the gateway is 8380")
    nights.recall("The staging port of the gateway is 8380", 3, 1)
    used = nights.explained("gateway is 8380")
    assert (used.facts["recalls"], used.facts["daily"]) == (2, 2)


@pytest.mark.parametrize(
    ("kept", "line"),
    [
        (
            "- Do not push to GitHub unless Sarah asks; backups of the notes happen via cron at night",
            "Preference: push to GitHub only where Sarah asks, backups happen via cron at night, not by hand",
        ),
        ("- 步频专项训练改为每两周一次，因步频已稳定", "规则：步频已稳定，专项训练改为每两周一次"),
        ("### The staging port of the gateway is 8443\n\n- Since March", FACT),
    ],
)
def test_what_long_term_memory_says_in_nearly_the_same_words_is_known(
    nights: Nights, kept: str, line: str
) -> None:
    nights.log(3, line)
    assert nights.proposed() == [line]
    nights.sandbox.write("MEMORY.md", f"# Memory\n\n{kept}\n")
    assert nights.proposed() == []
    assert nights.why(line).startswith("known: MEMORY.md#")


def test_a_bare_path_is_proposed_behind_the_heading_that_says_of_what(nights: Nights) -> None:
    nights.sandbox.write("memory/2026-03-25.md", "# Day\n\n## Harbour map ✅\n\n- Path: `/srv/tide/app/`\n")
    (one,) = nights.dream().proposals
    assert one.text == "Harbour map: Path: `/srv/tide/app/`"
    for day in (3, 4, 5):
        nights.sandbox.write(f"memory/{ago(day)}.md", f"# Day\n\n## Notes\n\n- Path: `/srv/{day}/app/`\n")
    assert not any(one.text.startswith("Notes") for one in nights.dream().proposals)


def test_a_value_under_two_headings_is_proposed_behind_neither(nights: Nights) -> None:
    for day, heading in ((5, "Harbour map"), (4, "Old pump project")):
        nights.sandbox.write(f"memory/{ago(day)}.md", f"# Day\n\n## {heading}\n\n- Path: `/srv/tide/app/`\n")
    (one,) = nights.dream().proposals
    assert one.text == "Path: `/srv/tide/app/`"


def test_a_rule_that_names_the_answer_of_a_heartbeat_is_no_record_of_one(nights: Nights) -> None:
    answers = "Rule: always answer NO_REPLY in the gauge channel, never a text, when no gauge has moved"
    nights.log(3, answers, "HEARTBEAT_OK", "assistant: NO_REPLY", "HEARTBEAT_OK. All gauges are fine")
    result = nights.dream()
    assert [one.text for one in result.proposals] == [answers]
    assert result.reasons["a heartbeat, cron or session record"] == 3
