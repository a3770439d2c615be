"""The archive takes what is known to be of no use, says why, and stops as soon as the budget is kept."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.agent.usage import GivenEntry, record_recalls
from workbench.errors import NotCuratableError
from workbench.memory.entry import Form
from workbench.operations.archive import plan_archive
from workbench.operations.move import plan_move
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 20)
STORE = "_system/archive/2026-03.md"
FULL = """# Memory

## Facts

- written by hand
- Written by hand.
- over <!-- wb: id=a score=0.9 recalls=9 valid_until=2026-03-19 at=2026-03-18 -->
- still true <!-- wb: id=b score=0.1 at=2025-01-01 valid_until=2026-03-20 -->
- young <!-- wb: id=h score=0.0 at=2026-01-01 -->
- pinned <!-- wb: id=c score=0.0 at=2020-01-01 pinned=yes -->

## Preferences

- recalled <!-- wb: id=d score=0.2 recalls=3 at=2020-01-01 -->
- older <!-- wb: id=e score=0.7 at=2025-01-01 -->
- newer <!-- wb: id=f score=0.7 at=2025-02-01 -->
- replaced <!-- wb: id=g score=0.9 recalls=20 superseded_by=b at=2026-03-18 -->
"""
EVIDENT = ("over", "replaced", "Written", "still", "older", "newer", "recalled")
RAISE = "`workbench config set memory_budget 1000` would keep everything, if your agent loads that much"


def archive(sandbox: Sandbox, *addresses: str, budget: int | None = None) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(
        lambda: plan_archive(place, addresses or None, budget=budget, today=TODAY, reason="full")
    )


def undo(sandbox: Sandbox, operation: Operation) -> None:
    place = Workspace.open(sandbox.root)
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    place.close()


def shrunk(sandbox: Sandbox, text: str, by: int) -> Plan:
    """What would leave a memory of this text whose budget is smaller by so many characters."""
    sandbox.write("MEMORY.md", text)
    sandbox.write("workbench.yaml", f"memory_budget: {len(text) - by}\n")
    place = Workspace.open(sandbox.root)
    plan = plan_archive(place, today=TODAY)
    place.close()
    return plan


def test_an_entry_goes_under_its_heading_and_says_when_and_from_where(sandbox: Sandbox) -> None:
    done = archive(sandbox, sandbox.address("Likes tea", "MEMORY.md"))
    entry = sandbox.workspace.find(done.became[0])
    said = entry.provenance
    assert said is not None
    assert (entry.path, entry.text) == (STORE, "Likes tea")
    assert entry.heading == ("Memory", "User Preferences")
    assert (said.get("archived"), said.source, said.trust) == ("2026-03-20", "MEMORY.md#L5", "unknown")
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT.replace("- Likes tea\n", "")
    undo(sandbox, done)
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT
    assert not (sandbox.root / STORE).exists()


def test_what_is_archived_stays_searchable(sandbox: Sandbox) -> None:
    archive(sandbox, sandbox.address("Likes tea", "MEMORY.md"))
    reindex(sandbox.workspace, vectors=False)
    hits = IndexSearch(sandbox.workspace, vectors=False).search(Query(text="tea", mode="lexical")).hits
    assert [hit.path for hit in hits] == [STORE]


def without(*titles: str) -> str:
    """FULL without the lines of these."""
    return "".join(
        line
        for line in FULL.splitlines(keepends=True)
        if not line.startswith(tuple(f"- {t}" for t in titles))
    )


def test_what_is_of_no_use_goes_and_each_says_why_after_the_larger_budget(sandbox: Sandbox) -> None:
    plan = shrunk(sandbox, FULL, by=len(FULL) - len(without(*EVIDENT)))
    offer, *notes = plan.notes
    assert offer == RAISE
    assert [note.partition(": ")[::2] for note in notes] == [
        ("“over”", "it ended on 2026-03-19"),
        ("“replaced”", "b has replaced it"),
        ("“Written by hand.”", "line 5 says the same"),
        ("“still true”", "never recalled, score 0.1 for 78 characters, written 2025-01-01"),
        ("“older”", "never recalled, score 0.7 for 50 characters, written 2025-01-01"),
        ("“newer”", "never recalled, score 0.7 for 50 characters, written 2025-02-01"),
        ("“recalled”", "recalled 3 times, score 0.2 for 63 characters, written 2020-01-01"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# M\n\n## Alice\n\n- Likes tea\n\n## Bob\n\n- Likes tea\n",
        "# M\n\n- Alice\n  - Likes tea\n- Bob\n  - Likes tea\n",
    ],
)
def test_the_same_words_about_somebody_else_stay(sandbox: Sandbox, text: str) -> None:
    with pytest.raises(NotCuratableError, match="nothing in it is known to be finished"):
        shrunk(sandbox, text, by=5)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("valid_until=2026-03-19", "it ended on 2026-03-19"),
        ("superseded_by=b", "b has replaced it"),
        ("at=2020-01-01", ""),
    ],
)
def test_one_of_two_that_say_the_same_always_stays(sandbox: Sandbox, first: str, why: str) -> None:
    text = f"# M\n\n## Facts\n\n- Likes tea <!-- wb: id=a {first} -->\n- Likes tea\n"
    plan = shrunk(sandbox, text, by=len(text) - 20)
    after = plan.edits[0].after
    assert after is not None
    assert after.count(b"Likes tea") == 1
    assert f"“Likes tea”: {why or 'line 5 says the same'}" in plan.notes


def test_a_budget_of_nothing_is_one(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "# Memory\n\n- young <!-- wb: id=h at=2026-03-19 -->\n- by hand\n")
    plan = plan_archive(sandbox.workspace, budget=0, today=TODAY)
    assert plan.edits[0].after == b"# Memory\n\n- by hand\n"


def test_what_nothing_speaks_against_stays_over_the_budget_too(sandbox: Sandbox) -> None:
    plan = shrunk(sandbox, FULL, by=len(FULL) - 40)
    left = without(*EVIDENT)
    assert plan.edits[0].after == left.encode()
    assert plan.notes[-1].startswith(f"{len(left)} of 40 characters are left")


def test_by_hand_nothing_goes_for_its_place(sandbox: Sandbox) -> None:
    text = "# Memory\n\n" + "".join(f"- rule {n} of the house\n" for n in range(40))
    with pytest.raises(NotCuratableError, match="nothing in it is known to be finished") as refused:
        shrunk(sandbox, text, by=100)
    assert refused.value.hint.startswith("`workbench config set memory_budget 1000` raises the budget")


def test_under_the_heading_of_a_day_long_past_an_entry_by_hand_is_unused(sandbox: Sandbox) -> None:
    days = ("2025-11-02 (audit)", "2026-02-02")
    text = "# Memory\n" + "".join(f"\n## {day}\n\n- the lamp of {day}\n" for day in days)
    plan = shrunk(sandbox, text, by=5)
    assert plan.notes[-1] == f"“the lamp of {days[0]}”: never recalled, under its heading of 2025-11-02"
    with pytest.raises(NotCuratableError, match="nothing in it is known to be finished"):
        shrunk(sandbox, text.replace("2025-11", "2026-03"), by=5)


def test_what_only_begins_with_a_day_and_open_tasks_stay(sandbox: Sandbox) -> None:
    text = "# Memory\n\n## 2025-11-02 Wedding\n\n- the ring\n\n## 2025-11-02\n\n- [ ] thank Ana\n"
    with pytest.raises(NotCuratableError, match="nothing in it is known to be finished"):
        shrunk(sandbox, text, by=5)


def test_no_larger_budget_is_advised_than_the_agent_loads(sandbox: Sandbox) -> None:
    sandbox.write("AGENTS.md", "# Agents\n")
    with pytest.raises(NotCuratableError) as refused:
        shrunk(sandbox, "# Memory\n\n" + "".join(f"- rule {n} of the house\n" for n in range(600)), by=5)
    assert refused.value.hint == "choose entries: your agent loads 12,000 characters of it"


def test_what_was_recalled_lately_is_not_unused(sandbox: Sandbox) -> None:
    place, given = sandbox.workspace, GivenEntry("MEMORY.md#0", "older", 0.9)
    record_recalls(place, [given], query="tea", by="agent", now=datetime(2026, 3, 1, tzinfo=UTC))
    plan = shrunk(sandbox, FULL, by=len(FULL) - 40)
    assert "“older”" not in " ".join(plan.notes)
    assert "“newer”" in " ".join(plan.notes)


def test_where_a_budget_is_named_younger_ones_go_too(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", FULL)
    plan = plan_archive(sandbox.workspace, budget=len(FULL) - len("- young") - 400, today=TODAY)
    assert "“young”" in " ".join(plan.notes)
    assert "“written by hand”" not in " ".join(plan.notes)


def test_at_most_a_screenful_is_chosen(sandbox: Sandbox) -> None:
    text = "# Memory\n\n" + "".join(f"- fact {n} <!-- wb: id=i{n} at=2024-01-01 -->\n" for n in range(60))
    assert len(shrunk(sandbox, text, by=len(text) - 20).entries) == 20


def test_of_two_that_are_worth_the_same_the_longer_goes_first(sandbox: Sandbox) -> None:
    short = "- short <!-- wb: score=0.6 at=2025-01-01 -->\n"
    long = "- long, with many more words than it needs to say so <!-- wb: score=0.6 at=2025-01-02 -->\n"
    plan = shrunk(sandbox, "# Memory\n\n" + short + long, by=1)
    assert [note.partition(",")[0] for note in plan.notes[1:]] == ["“long"]


def test_no_more_goes_than_the_budget_asks_for(sandbox: Sandbox) -> None:
    assert len(shrunk(sandbox, FULL, by=1).entries) == 1
    line = FULL.split("\n")[6] + "\n"
    assert len(shrunk(sandbox, FULL, by=len(line)).entries) == 1
    assert len(shrunk(sandbox, FULL, by=len(line) + 1).entries) == 2


def test_after_it_the_file_is_within_its_budget_and_asks_for_no_more(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "memory_budget: 400\n")
    sandbox.write("MEMORY.md", FULL)
    place = Workspace.open(sandbox.root)
    done = place.operations.carry_out(lambda: plan_archive(place, today=TODAY))
    assert len(sandbox.read("MEMORY.md").decode()) <= 400
    assert len(done.became) == len(done.entries)
    assert {place.find(address).title for address in done.became} >= {"over", "replaced"}
    with pytest.raises(NotCuratableError, match="nothing to archive"):
        plan_archive(place, today=TODAY)
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.read("MEMORY.md").decode() == FULL
    place.close()


def test_characters_are_counted_and_not_bytes(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- " + "記" * 40 + "\n")
    with pytest.raises(NotCuratableError, match="nothing to archive"):
        plan_archive(sandbox.workspace, budget=43)


def test_what_is_pinned_stays(sandbox: Sandbox) -> None:
    plan = shrunk(sandbox, FULL, by=len(FULL) - 20)
    assert "pinned" not in " ".join(plan.entries + plan.notes)


def test_strange_numbers_and_dates_in_a_comment_decide_nothing(sandbox: Sandbox) -> None:
    odd = "- odd {n} <!-- wb: score={value} recalls={value} at={value} valid_until=2020-01-01 -->\n"
    lines = [odd.format(n=n, value=value) for n, value in enumerate(("nan", "inf", "1e9", "---", "xyz"))]
    sandbox.write("MEMORY.md", "# Memory\n\n" + "".join(lines))
    plan = plan_archive(sandbox.workspace, budget=len(lines[-1]) + 12, today=TODAY)
    assert [note.partition(":")[0] for note in plan.notes[1:]] == [f"“odd {n}”" for n in range(4)]


def test_a_table_is_carried_in_an_item_and_comes_out_as_a_table(sandbox: Sandbox) -> None:
    table = "| a | b |\n| - | - |\n| 1 | 2 |\n"
    text = f"# Memory\n\n## Facts\n\n- x\n\n{table}"
    sandbox.write("MEMORY.md", text)
    place = sandbox.workspace
    old = place.memory_document().entries[-1]
    done = archive(sandbox, old.address)
    stored = place.find(done.became[0])
    assert (stored.form, stored.hash) == (Form.ITEM, old.hash)
    place.operations.carry_out(lambda: plan_move(place, done.became, to="MEMORY.md", section="Facts"))
    assert sandbox.read("MEMORY.md").decode().strip() == text.strip()


def test_only_long_term_memory_is_archived(sandbox: Sandbox) -> None:
    with pytest.raises(NotCuratableError, match="long-term memory"):
        archive(sandbox, sandbox.address("staging port", LOG))


@pytest.mark.parametrize("first", [0, 1])
def test_two_archivings_are_undone_in_either_order(sandbox: Sandbox, first: int) -> None:
    before = sandbox.snapshot()
    done = [archive(sandbox, sandbox.address(words, "MEMORY.md")) for words in ("Likes tea", "called Atlas")]
    undo(sandbox, done[first])
    undo(sandbox, done[1 - first])
    assert sandbox.snapshot() == before


@pytest.mark.parametrize("first", [0, 1])
def test_the_first_archiving_of_two_sections_is_undone_although_newer_ones_stand_between(
    sandbox: Sandbox, first: int
) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT.replace("- Likes tea\n", "- Likes tea\n- Likes coffee\n"))
    before = sandbox.snapshot()
    words = [("Likes tea", "called Atlas"), ("Likes coffee",)]
    done = [archive(sandbox, *(sandbox.address(each, "MEMORY.md") for each in some)) for some in words]
    undo(sandbox, done[first])
    assert [word for word in ("tea", "coffee", "Atlas") if word.encode() in sandbox.read(STORE)] == (
        ["tea", "Atlas"] if first else ["coffee"]
    )
    undo(sandbox, done[1 - first])
    assert sandbox.snapshot() == before
