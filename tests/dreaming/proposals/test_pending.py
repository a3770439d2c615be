"""What waits: proposals are added once, and go when something is decided, or when they make no more sense."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.proposals import NOW, accept, book, entry, of_log, proposal, put
from tests.support.workspaces import LOG, Sandbox
from workbench.dreaming.proposals.decide import day_ahead, plan_defer, plan_reject, plan_withdraw
from workbench.dreaming.proposals.inbox import find_all, pending, propose, waiting
from workbench.errors import NotCuratableError, UsageError
from workbench.memory.entry import RelPath
from workbench.memory.proposal import Proposal
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.decisions import near_key, rejected_keys, settled_keys
from workbench.workspace.files import Files
from workbench.workspace.plan import Operation

DAY = timedelta(days=1)
SAID = "Sarah prefers reviews port 8443 Friday never Atlas green"


def reject(sandbox: Sandbox, *keys: str, reason: str = "no") -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_reject(place, keys, now=NOW, reason=reason))


def undo(sandbox: Sandbox, operation: Operation) -> None:
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place, operation.id))


def keys(sandbox: Sandbox, days: int = 0) -> list[str]:
    return [one.key for one in pending(sandbox.workspace, NOW + timedelta(days=days))]


def test_what_is_proposed_waits_and_survives_a_restart(sandbox: Sandbox) -> None:
    from workbench.workspace.workspace import Workspace

    one = of_log(sandbox, "staging port")
    assert put(sandbox, one).added == (one,)
    assert pending(Workspace.open(sandbox.root), NOW) == (one,)


def test_the_same_proposal_is_not_added_twice(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    again = put(sandbox, one, proposal("the staging port is 8443."))
    assert again.added == ()
    assert again.waiting == (one,)
    assert len(book(sandbox, "proposals")) == 1


def test_what_a_dream_proposes_anew_takes_the_place_of_what_nobody_looked_at(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    first, put_off, stays, faded = (
        of_log(sandbox, words) for words in ("staging port", "tantivy", "async", "weather")
    )
    faded = replace(faded, by="decay")
    put(sandbox, first, put_off, stays, faded)
    place.operations.carry_out(lambda: plan_defer(place, [put_off.key], NOW.date() + DAY, now=NOW))
    new = proposal("The contract of the harbour ends in June 2027.")
    done = propose(place, [replace(stays, run="later"), new], NOW, replaces=True)
    assert ([one.key for one in done.added], done.replaced) == ([new.key], (first,))
    assert keys(sandbox) == [stays.key, new.key, faded.key]
    assert keys(sandbox, days=2) == [put_off.key, stays.key, new.key, faded.key]
    with pytest.raises(UsageError, match="is no longer pending"):
        find_all(place, [first.key], NOW)
    assert propose(place, [], NOW, replaces=True).replaced == ()
    assert propose(place, [first], NOW, replaces=True).added == (first,)
    assert first.key in keys(sandbox)


def test_a_proposal_with_another_action_takes_the_place_of_the_one_that_waits(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    merge = of_log(
        sandbox, "staging port", action="merge", target=entry(sandbox, "Atlas", "MEMORY.md").address
    )
    put(sandbox, one)
    assert put(sandbox, merge).added == (merge,)
    assert pending(sandbox.workspace, NOW) == (merge,)


def test_two_writers_who_propose_the_same_leave_one_that_waits(sandbox: Sandbox) -> None:

    one = of_log(sandbox, "staging port")
    for _ in range(2):  # both looked before either wrote
        sandbox.workspace.ledger.append("proposals", [one.as_json()], NOW)
    assert keys(sandbox) == [one.key]
    accept(sandbox, one.key)
    assert keys(sandbox) == []


@pytest.mark.promise("From sessions to long-term memory", "a file of the ledger has torn or foreign lines")
@pytest.mark.parametrize(
    "rest", [b'{"key": "torn', b"\xff\xfe\n", b'{"key": 1, "action": "add"}\n', b"[1]\n", b"null\n", b"{}\n"]
)
def test_lines_of_the_ledger_that_are_none_hide_nothing(sandbox: Sandbox, rest: bytes) -> None:
    one, other = of_log(sandbox, "staging port"), of_log(sandbox, "tantivy")
    put(sandbox, one)
    for name in ("proposals", "decisions"):
        sandbox.write(f"_system/ledger/{name}-2026-03.jsonl", rest)
    sandbox.write(".workbench/ledger/pending.jsonl", rest)
    assert keys(sandbox) == [one.key]
    put(sandbox, other)
    assert keys(sandbox) == [one.key, other.key]
    accept(sandbox, other.key)
    assert keys(sandbox) == [one.key]


def test_a_proposal_whose_source_was_forgotten_is_stale_and_comes_back_with_it(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    gone = place.operations.carry_out(lambda: plan_forget(place, one.entries))
    assert keys(sandbox) == []
    (still,) = waiting(place, NOW)
    assert still.stale == "its source no longer exists"
    undo(sandbox, gone)
    assert keys(sandbox) == [one.key]


def test_a_proposal_stands_on_the_sources_that_are_left(sandbox: Sandbox) -> None:
    one = proposal(
        "The staging port is 8443",
        sources=[entry(sandbox, "staging port"), entry(sandbox, "tantivy")],
    )
    put(sandbox, one)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_forget(place, one.entries[1:]))
    (still,) = waiting(place, NOW)
    assert (still.stale, still.gone) == ("", one.entries[1:])
    accept(sandbox, one.key)
    said = entry(sandbox, "staging port", "MEMORY.md").provenance
    assert said is not None
    assert said.all("src") == (f"{LOG}#L6",)


def test_a_proposal_whose_target_was_changed_is_stale(sandbox: Sandbox) -> None:
    target = entry(sandbox, "tea", "MEMORY.md")
    put(sandbox, proposal("Likes green tea", action="supersede", target=target.address))
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md").replace(b"Likes tea", b"Likes coffee"))
    (still,) = waiting(sandbox.workspace, NOW)
    assert target.address in still.stale


def test_a_stale_proposal_that_is_made_anew_waits_again(sandbox: Sandbox) -> None:
    target = entry(sandbox, "tea", "MEMORY.md")
    old = proposal("Likes green tea", action="supersede", target=target.address)
    put(sandbox, old)
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md").replace(b"Likes tea", b"Likes coffee"))
    new = proposal("Likes green tea", action="add")
    assert put(sandbox, new).added == (new,)
    assert pending(sandbox.workspace, NOW) == (new,)


def test_one_that_is_too_long_for_the_ledger_is_left_out_and_keeps_no_other_away(sandbox: Sandbox) -> None:
    long, short = proposal("x" * 1_000_000, action="add"), proposal("Likes green tea", action="add")
    done = put(sandbox, long, short)
    assert done.left_out == ((long, "too long for a record of the ledger"),)
    assert pending(sandbox.workspace, NOW) == done.added == (short,)


def test_what_a_person_wrote_down_by_hand_meanwhile_is_settled(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- **Staging** port is `8443`.\n")
    assert waiting(sandbox.workspace, NOW) == ()
    assert put(sandbox, one).left_out == ((one, "already in long-term memory"),)


def test_what_was_promoted_by_hand_is_settled_and_waits_again_when_that_is_undone(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    done = place.operations.carry_out(lambda: plan_promote(place, one.entries))
    assert keys(sandbox) == []
    undo(sandbox, done)
    assert keys(sandbox) == [one.key]


@pytest.mark.promise(
    "Dreaming and proposals",
    "a rejected claim is made again months later, in nearly the same words",
    "it is not proposed again",
)
def test_a_rejected_claim_never_returns(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    reject(sandbox, one.key, reason="it changes weekly")
    assert keys(sandbox) == []
    for words in ("The staging port is 8443", "the **staging port** is 8443!", "Staging port is still 8443."):
        later = put(sandbox, proposal(words, run="d2"), now=NOW + timedelta(days=95))
        assert later.added == ()
        assert "it changes weekly" in later.left_out[0][1]
    assert rejected_keys(sandbox.workspace) >= {one.key, near_key(one.text)}


@pytest.mark.parametrize(
    "words",
    [
        "The staging port is 8444",
        "The staging port is not 8443",
        "The production port is 8443",
        "8443 is the port",
    ],
)
def test_another_claim_is_not_taken_for_the_rejected_one(sandbox: Sandbox, words: str) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    reject(sandbox, one.key)
    assert put(sandbox, proposal(words)).added


def test_the_same_words_about_somebody_else_are_another_claim(sandbox: Sandbox) -> None:
    words = "Prefers async reviews"
    one = proposal(words, action="store", section="person/Sarah", type="preference", key="a" * 16)
    other = proposal(words, action="store", section="person/Bob", type="preference", key="b" * 16)
    put(sandbox, one)
    reject(sandbox, one.key)
    assert put(sandbox, other).added == (other,)
    assert put(sandbox, one).added == ()


def test_an_undone_rejection_lets_the_proposal_wait_again(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    undo(sandbox, reject(sandbox, one.key))
    assert keys(sandbox) == [one.key]


def test_what_was_accepted_and_then_forgotten_by_a_person_does_not_return(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    accept(sandbox, one.key)
    place = sandbox.workspace
    address = entry(sandbox, "staging port", "MEMORY.md").address
    place.operations.carry_out(lambda: plan_forget(place, [address]))
    assert put(sandbox, one).added == ()


def test_to_let_an_entry_go_is_another_question_than_to_keep_it(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    accept(sandbox, one.key)
    kept = entry(sandbox, "staging port", "MEMORY.md")
    away = proposal(one.text, action="archive", target=kept.address)
    assert away.key == one.key
    assert put(sandbox, away).added == (away,)
    reject(sandbox, away.key)
    assert put(sandbox, away).added == ()
    assert book(sandbox, "decisions")[-1]["decision"] == "rejected"


def test_what_was_archived_once_may_have_to_go_again(sandbox: Sandbox) -> None:
    away = proposal("Likes tea", action="archive", target=entry(sandbox, "tea", "MEMORY.md").address)
    put(sandbox, away)
    accept(sandbox, away.key)
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"\n- Likes tea\n")
    again = proposal("Likes tea", action="archive", target=entry(sandbox, "tea", "MEMORY.md").address)
    assert put(sandbox, again).added == (again,)
    assert keys(sandbox) == [again.key]


def test_a_deferred_proposal_waits_unseen_until_its_day(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    done = place.operations.carry_out(lambda: plan_defer(place, [one.key], date(2026, 4, 1), now=NOW))
    assert keys(sandbox, 11) == []
    assert keys(sandbox, 12) == [one.key]
    assert put(sandbox, one).left_out == ((one, "deferred until 2026-04-01"),)
    undo(sandbox, done)
    assert keys(sandbox) == [one.key]


def test_a_deferred_proposal_can_be_accepted_before_its_day(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_defer(place, [one.key], date(2026, 4, 1), now=NOW))
    accept(sandbox, one.key[:5])
    assert keys(sandbox, 30) == []


@pytest.mark.parametrize(("said", "day"), [("3d", 23), ("2 weeks", 34), ("1w", 27), ("2026-03-21", 21)])
def test_a_day_ahead_can_be_said_in_words(said: str, day: int) -> None:
    assert day_ahead(said, NOW.date()) == date(2026, 3, 1) + timedelta(days=day - 1)


@pytest.mark.parametrize("said", ["", "soon", "0d", "-1d", "2026-13-01", "20260321", "99999d"])
def test_what_is_no_day_is_wrong_usage(said: str) -> None:
    with pytest.raises(UsageError):
        day_ahead(said, NOW.date())


def test_to_defer_to_the_past_is_wrong_usage(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    with pytest.raises(UsageError, match="not in the future"):
        plan_defer(sandbox.workspace, [one.key], NOW.date(), now=NOW)


def test_a_withdrawn_proposal_waits_no_more_and_may_be_proposed_again(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_withdraw(place, [one.key], now=NOW))
    assert keys(sandbox) == []
    with pytest.raises(UsageError, match="withdrawn"):
        plan_withdraw(place, [one.key], now=NOW)
    assert put(sandbox, one).added == (one,)
    assert keys(sandbox) == [one.key]


def test_a_withdrawn_rejection_lets_a_later_dream_propose_the_claim(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    reject(sandbox, one.key)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_withdraw(place, [one.key], now=NOW))
    assert keys(sandbox) == []
    assert put(sandbox, one).added == (one,)


def test_a_key_is_found_by_its_first_digits(sandbox: Sandbox) -> None:
    one = proposal("one claim", key="aaaa1111aaaa1111")
    two = proposal("another claim", key="aaaa2222aaaa2222")
    put(sandbox, one, two)
    assert find_all(sandbox.workspace, ["AAAA1"], NOW)[0].proposal == one
    with pytest.raises(UsageError, match="matches several"):
        find_all(sandbox.workspace, ["aaaa"], NOW)
    reject(sandbox, "aaaa1")
    assert find_all(sandbox.workspace, ["aaaa"], NOW)[0].proposal == two
    with pytest.raises(UsageError) as refused:
        find_all(sandbox.workspace, ["aaaa1"], NOW)
    assert "rejected" in refused.value.hint


def test_a_proposal_may_point_outside_of_the_workspace(sandbox: Sandbox) -> None:
    one = Proposal(
        key="c" * 16,
        action="add",
        text="We deploy on Tuesdays",
        sources=("/home/me/sessions/a.jsonl#L12",),
        entries=("/home/me/sessions/a.jsonl#0123456789ab",),
        trust="owner",
        run="d1",
        made_at=NOW,
    )
    put(sandbox, one)
    assert keys(sandbox) == [one.key]
    accept(sandbox, one.key)
    said = entry(sandbox, "Tuesdays", "MEMORY.md").provenance
    assert said is not None
    assert said.source == "/home/me/sessions/a.jsonl#L12"


def test_what_is_set_aside_as_suspicious_is_no_source_any_more(sandbox: Sandbox) -> None:
    from workbench.operations.quarantine import plan_quarantine

    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_quarantine(place, one.entries))
    assert keys(sandbox) == []
    with pytest.raises(NotCuratableError, match="stale"):
        accept(sandbox, one.key)


def test_many_proposals_are_read_in_one_pass_over_each_file(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"- fact number {n} is worth keeping\n" for n in range(300))
    sandbox.write("memory/2026-03-15.md", lines)
    entries = sandbox.workspace.document("memory/2026-03-15.md").entries
    put(sandbox, *(proposal(e.text, sources=[e]) for e in entries))
    reads: list[str] = []
    real = Files.read

    def read(self: Files, path: RelPath) -> bytes:
        reads.append(path)
        return real(self, path)

    monkeypatch.setattr(Files, "read", read)
    assert len(pending(sandbox.workspace, NOW)) == 300
    memory = [path for path in reads if not path.startswith("ledger/")]
    assert len(memory) == len(set(memory))


def test_to_forget_the_same_words_on_two_pages_are_two_questions(sandbox: Sandbox) -> None:
    for name in ("sarah", "bob"):
        page = f"---\nname: {name}\ntype: person\n---\n- [preference] Prefers async reviews\n"
        sandbox.write(f"graph/person/{name}.md", page)
    one, two = (
        proposal(
            "Prefers async reviews",
            action="forget",
            target=entry(sandbox, "async", f"graph/person/{name}.md").address,
            key=name[0] * 16,
            by="decay",
        )
        for name in ("sarah", "bob")
    )
    assert put(sandbox, one, two).added == (one, two)
    reject(sandbox, one.key)
    assert keys(sandbox) == [two.key]
    accept(sandbox, two.key)
    assert b"async" in sandbox.read("graph/person/sarah.md")
    assert b"async" not in sandbox.read("graph/person/bob.md")


def test_two_questions_about_the_same_words_are_told_apart_by_their_action(sandbox: Sandbox) -> None:
    store = proposal("Prefers tea", action="store", section="person/Bob", type="preference", key="f" * 16)
    forget = proposal("tea", action="forget", target=entry(sandbox, "tea", "MEMORY.md").address, key="f" * 16)
    put(sandbox, store, forget)
    with pytest.raises(UsageError, match="matches several") as refused:
        find_all(sandbox.workspace, ["f" * 16], NOW)
    assert f"{'f' * 16}/forget" in refused.value.hint
    assert find_all(sandbox.workspace, ["ffff/forget"], NOW)[0].proposal == forget
    assert find_all(sandbox.workspace, ["ffff/store"], NOW)[0].proposal == store


@given(st.lists(st.sampled_from(SAID.split()), min_size=1, max_size=8), st.integers(0, 8))
def test_fillers_case_and_marks_make_no_other_claim_and_every_other_word_does(
    words: list[str], at: int
) -> None:
    text = " ".join(words)
    padded = " ".join([*words[:at], "the", *words[at:]])
    assert near_key(f"- **{text.upper()}**.") == near_key(text) == near_key(padded)
    assert near_key(text + " not") != near_key(text)
    assert near_key(text + " 17") != near_key(text)


def test_two_questions_about_the_same_words_are_told_apart_wherever_a_key_is_named(sandbox: Sandbox) -> None:
    keep = of_log(sandbox, "staging port")
    let_go = proposal(keep.text, action="archive", target=entry(sandbox, "Atlas", "MEMORY.md").address)
    put(sandbox, keep, let_go)
    place = sandbox.workspace
    with pytest.raises(UsageError, match="matches several") as refused:
        plan_withdraw(place, [keep.key], now=NOW)
    assert f"{keep.key}/archive" in refused.value.hint
    place.operations.carry_out(lambda: plan_withdraw(place, [f"{keep.key}/archive"], now=NOW))
    assert pending(place, NOW) == (keep,)


@pytest.mark.parametrize(
    "broken",
    [
        {"score": 10**400},
        {"score": float("inf"), "parts": {"x": float("nan")}},
        {"gates": {"score": {"reached": 10**400, "needed": -(10**400)}}},
        {"made_at": "9999-12-31T23:59:59-12:00"},
        {"made_at": "0001-01-01T00:00:00+12:00"},
        {"text": "half of a pair \ud800"},
        {"key": "\udfff"},
        {"section": "\ud800"},
    ],
)
def test_one_odd_line_of_the_ledger_hides_no_other(sandbox: Sandbox, broken: dict[str, object]) -> None:
    from workbench.cli.dream import say_runs
    from workbench.cli.inbox import say_waiting
    from workbench.dreaming.proposals.runs import runs

    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    odd = proposal("something else", key="e" * 16).as_json()
    sandbox.workspace.ledger.append("proposals", [{**odd, **broken}], NOW)
    waits = waiting(sandbox.workspace, NOW)
    assert waits[0].proposal == one
    say_waiting(waits, NOW)
    say_runs(runs(sandbox.workspace))
    accept(sandbox, *(wait.proposal.key for wait in waits))
    assert b"staging port" in sandbox.read("MEMORY.md")


def test_to_refuse_that_an_entry_goes_is_no_word_against_what_it_says(sandbox: Sandbox) -> None:
    atlas = entry(sandbox, "Atlas", "MEMORY.md")
    stays = proposal(atlas.text, action="archive", target=atlas.address)
    put(sandbox, stays)
    reject(sandbox, stays.key)
    assert rejected_keys(sandbox.workspace) == frozenset()
    assert stays.key in settled_keys(sandbox.workspace, "let go")
    assert stays.key not in settled_keys(sandbox.workspace)


def test_what_was_withdrawn_is_not_settled(sandbox: Sandbox) -> None:
    one = of_log(sandbox, "staging port")
    put(sandbox, one)
    reject(sandbox, one.key)
    assert one.key in settled_keys(sandbox.workspace)
    sandbox.workspace.operations.carry_out(lambda: plan_withdraw(sandbox.workspace, [one.key], now=NOW))
    assert settled_keys(sandbox.workspace) == frozenset()


def test_what_was_forgotten_in_the_graph_is_not_proposed_in_nearly_the_same_words(sandbox: Sandbox) -> None:
    from workbench.graph.read import read_graph
    from workbench.graph.write import plan_forget_memory

    sandbox.write(
        "graph/person/sam.md", "---\nname: Sam\ntype: person\n---\n- [fact] The staging port is 8443\n"
    )
    place = sandbox.workspace
    (held,) = read_graph(place).memories()
    address = held.memory.entry.address
    place.operations.carry_out(lambda: plan_forget_memory(place, [address], reason="wrong", now=NOW))
    assert "8443" not in str(book(sandbox, "decisions"))
    assert put(sandbox, proposal("Staging ports are 8443")).added == ()
