"""The archive takes what is worth least, says why, and stops as soon as the budget is kept."""

from __future__ import annotations

from datetime import date

import pytest

from indexing.search.answer import Query
from indexing.search.keyword import LexicalSearch
from indexing.sync.run import reindex
from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
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
- over <!-- wb: id=a score=0.9 recalls=9 valid_until=2026-03-19 at=2026-03-18 -->
- still true <!-- wb: id=b score=0.1 at=2026-01-01 valid_until=2026-03-20 -->
- pinned <!-- wb: id=c score=0.0 at=2020-01-01 pinned=yes -->

## Preferences

- recalled <!-- wb: id=d score=0.2 recalls=3 at=2020-01-01 -->
- older <!-- wb: id=e score=0.7 at=2026-01-01 -->
- newer <!-- wb: id=f score=0.7 at=2026-02-01 -->
- replaced <!-- wb: id=g score=0.9 recalls=20 superseded_by=b at=2026-03-18 -->
"""


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
    """The plan that brings a memory of this text down by so many characters."""
    sandbox.write("MEMORY.md", text)
    return plan_archive(sandbox.workspace, budget=len(text) - by, today=TODAY)


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
    hits = LexicalSearch(sandbox.workspace).search(Query(text="tea", mode="lexical")).hits
    assert [hit.path for hit in hits] == [STORE]


def without(*titles: str) -> str:
    """FULL without the lines of these."""
    return "".join(
        line
        for line in FULL.splitlines(keepends=True)
        if not line.startswith(tuple(f"- {t}" for t in titles))
    )


def test_the_least_valuable_go_first_and_each_says_why(sandbox: Sandbox) -> None:
    left = without("over", "replaced", "still", "older", "newer", "recalled")
    plan = shrunk(sandbox, FULL, by=len(FULL) - len(left))
    order = [note.partition(": ")[::2] for note in plan.notes]
    assert order == [
        ("“over”", "it was over on 2026-03-19"),
        ("“replaced”", "b has replaced it"),
        ("“still true”", "never recalled, score 0.1 for 78 characters, written 2026-01-01"),
        ("“older”", "never recalled, score 0.7 for 50 characters, written 2026-01-01"),
        ("“newer”", "never recalled, score 0.7 for 50 characters, written 2026-02-01"),
        ("“recalled”", "recalled 3 times, score 0.2 for 63 characters, written 2020-01-01"),
    ]


def test_of_two_that_are_worth_the_same_the_longer_goes_first(sandbox: Sandbox) -> None:
    short = "- short <!-- wb: score=0.6 at=2026-01-01 -->\n"
    long = "- long, with many more words than it needs to say so <!-- wb: score=0.6 at=2026-01-02 -->\n"
    plan = shrunk(sandbox, "# Memory\n\n" + short + long, by=1)
    assert [note.partition(",")[0] for note in plan.notes] == ["“long"]


def test_no_more_goes_than_the_budget_asks_for(sandbox: Sandbox) -> None:
    assert len(shrunk(sandbox, FULL, by=1).entries) == 1
    line = FULL.split("\n")[5] + "\n"
    assert len(shrunk(sandbox, FULL, by=len(line)).entries) == 1
    assert len(shrunk(sandbox, FULL, by=len(line) + 1).entries) == 2


def test_after_it_the_file_is_within_its_budget_and_asks_for_no_more(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "memory_budget: 300\n")
    sandbox.write("MEMORY.md", FULL)
    place = Workspace.open(sandbox.root)
    done = place.operations.carry_out(lambda: plan_archive(place, today=TODAY))
    assert len(sandbox.read("MEMORY.md").decode()) <= 300
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


def test_what_is_pinned_stays_even_if_the_budget_cannot_be_kept(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", FULL)
    with pytest.raises(NotCuratableError, match="pinned"):
        archive(sandbox, budget=20)
    assert sandbox.read("MEMORY.md").decode() == FULL
    left = without("over", "replaced", "still", "older", "newer", "recalled", "written")
    everything = shrunk(sandbox, FULL, by=len(FULL) - len(left))
    assert "“written by hand”" in everything.notes[-1]
    assert "pinned" not in " ".join(everything.entries + everything.notes)


def test_strange_numbers_and_dates_in_a_comment_decide_nothing(sandbox: Sandbox) -> None:
    odd = "- odd {n} <!-- wb: score={value} recalls={value} at={value} -->\n"
    lines = [odd.format(n=n, value=value) for n, value in enumerate(("nan", "inf", "1e9", "---", "xyz"))]
    sandbox.write("MEMORY.md", "# Memory\n\n" + "".join(lines))
    plan = plan_archive(sandbox.workspace, budget=len(lines[-1]) + 12, today=TODAY)
    assert [note.partition(":")[0] for note in plan.notes] == [f"“odd {n}”" for n in range(4)]


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


def test_of_what_was_written_by_hand_the_first_line_goes_last(sandbox: Sandbox) -> None:
    plan = shrunk(sandbox, "# Memory\n\n- allergic to penicillin\n- likes tea\n- reads at night\n", by=20)
    assert [note.partition(":")[0] for note in plan.notes] == ["“reads at night”", "“likes tea”"]


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
