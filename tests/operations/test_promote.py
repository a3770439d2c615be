"""Promotion keeps the words, says where they came from, and refuses what is no memory."""

from __future__ import annotations

import os
from datetime import date

import pytest

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.errors import (
    AmbiguousEntryError,
    EntryNotFoundError,
    NotCuratableError,
    NotMemoryError,
    UsageError,
)
from workbench.memory.entry import Entry, RelPath
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.files import Files
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 20)


def promoted(sandbox: Sandbox, *addresses: str, section: str | None = None) -> list[Entry]:
    """The entries of MEMORY.md that a promotion adds."""
    place = sandbox.workspace
    old = {e.hash for e in place.memory_document().entries}
    place.operations.carry_out(lambda: plan_promote(place, addresses, section=section, today=TODAY))
    return [e for e in place.memory_document().entries if e.hash not in old]


def test_the_copy_says_where_it_came_from(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    (entry,) = promoted(sandbox, address)
    origin = entry.provenance
    assert origin is not None
    assert entry.text == "The staging port is 8443"
    assert (origin.source, origin.get("entry"), origin.get("at"), origin.trust) == (
        f"{LOG}#L6",
        address.rpartition("#")[2],
        "2026-03-20",
        "agent",
    )


@pytest.mark.parametrize(
    ("words", "section"),
    [
        ("async reviews", "User Preferences"),
        ("staging port", "Project Facts"),
    ],
)
def test_each_memory_goes_under_the_heading_of_its_family(sandbox: Sandbox, words: str, section: str) -> None:
    (entry,) = promoted(sandbox, sandbox.address(words))
    assert entry.heading[-1] == section


def test_the_person_chooses_the_heading(sandbox: Sandbox) -> None:
    (entry,) = promoted(sandbox, sandbox.address("staging port"), section="Ports")
    assert entry.heading[-1] == "Ports"


def test_no_heading_is_made_that_nobody_asked_for(sandbox: Sandbox) -> None:
    (entry,) = promoted(sandbox, sandbox.address("decided to use tantivy"))
    assert entry.heading[-1] in ("User Preferences", "Project Facts")
    sandbox.write("MEMORY.md", "# Memory\n")
    (entry,) = promoted(sandbox, sandbox.address("decided to use tantivy"))
    assert sandbox.read("MEMORY.md").startswith(b"# Memory\n\n- We decided to use tantivy")
    sandbox.write("MEMORY.md", "- Likes tea\n\n---\n\n*Last updated: 2026-03-01*\n")
    (entry,) = promoted(sandbox, sandbox.address("decided to use tantivy"))
    assert entry.heading == ()
    assert sandbox.read("MEMORY.md").startswith(b"- Likes tea\n- We decided to use tantivy")


def test_what_fits_nowhere_goes_under_the_heading_that_was_named_last(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "# 記憶\n\n## 好み\n\n- 静かな朝が好き\n\n## 環境\n\n- 門は八番\n")
    (entry,) = promoted(sandbox, sandbox.address("staging port"), section="環境")
    assert entry.heading[-1] == "環境"
    sandbox.write(
        "MEMORY.md",
        "# 記憶\n\n## 環境\n\n- 門は八番\n\n## 好み\n\n- 静かな朝が好き\n\n---\n\n*更新 2026-03-01*\n",
    )
    (entry,) = promoted(sandbox, sandbox.address("tantivy"))
    assert entry.heading[-1] == "環境"


@pytest.mark.parametrize("code", ["```\nrun\n\n---\nstop\n```\n", "~~~\nrun\n\n***\nstop\n~~~\n"])
@pytest.mark.parametrize("section", ["Facts", "New"])
def test_the_end_of_a_fence_is_no_footer(sandbox: Sandbox, code: str, section: str) -> None:
    start = f"# Memory\n\n## Facts\n\n- The gateway is called Atlas\n\n{code}"
    sandbox.write("MEMORY.md", start)
    promoted(sandbox, sandbox.address("staging port"), section=section)
    assert code in sandbox.read("MEMORY.md").decode()


@pytest.mark.parametrize(
    "footer",
    ["---\n\n*Last updated: 2026-03-01*\n", "_Kept by hand._\n", "***\nSee USER.md\nand SOUL.md\n", ""],
)
@pytest.mark.parametrize("section", ["Facts", "New"])
def test_what_is_promoted_stands_before_the_footer(sandbox: Sandbox, footer: str, section: str) -> None:
    start = "# Memory\n\n## Facts\n\n- The gateway is called Atlas\n"
    sandbox.write("MEMORY.md", start + "\n" * bool(footer) + footer)
    promoted(sandbox, sandbox.address("staging port"), section=section)
    text = sandbox.read("MEMORY.md").decode()
    assert text.startswith(start)
    assert text.endswith(footer)
    assert text.index("8443") < len(text) - len(footer)


def test_several_entries_are_one_operation(sandbox: Sandbox) -> None:
    entries = promoted(sandbox, sandbox.address("staging port"), sandbox.address("tantivy"))
    assert len(entries) == 2
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "2"


def test_an_episode_is_marked_and_hands_down_its_trust_and_session(sandbox: Sandbox) -> None:
    (entry,) = promoted(sandbox, sandbox.address("release is on Friday", EPISODE))
    assert entry.provenance is not None
    assert (entry.provenance.trust, entry.provenance.get("session")) == ("agent", "s91")
    assert b"promoted_at: 2026-03-20\n---\n" in sandbox.read(EPISODE)


def test_a_whole_episode_promotes_its_abstract(sandbox: Sandbox) -> None:
    (entry,) = promoted(sandbox, EPISODE)
    assert entry.text == "Planned the Atlas release with Sarah."


def test_what_is_in_memory_already_is_not_promoted_twice(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    promoted(sandbox, address)
    with pytest.raises(NotCuratableError, match="already"):
        promoted(sandbox, address)


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "DREAMS.md", "_system/dreaming/20260320-consolidated.md", "USER.md"]
)
def test_memory_dreams_and_bootstrap_files_are_never_a_source(sandbox: Sandbox, path: str) -> None:
    sandbox.write(path, "# X\n\n- something to promote\n")
    with pytest.raises(NotCuratableError):
        promoted(sandbox, sandbox.address("something", path))


def test_an_empty_or_missing_memory_file_is_begun(sandbox: Sandbox) -> None:
    (sandbox.root / "MEMORY.md").unlink()
    promoted(sandbox, sandbox.address("staging port"))
    assert sandbox.read("MEMORY.md").startswith(b"- The staging port")
    sandbox.write("MEMORY.md", "")
    promoted(sandbox, sandbox.address("async reviews"))
    assert sandbox.read("MEMORY.md").startswith(b"- **Sarah:**")


def test_the_small_memory_file_is_used_where_only_it_exists(sandbox: Sandbox) -> None:
    (sandbox.root / "MEMORY.md").rename(sandbox.root / "memory.md")
    promoted(sandbox, sandbox.address("staging port"))
    assert b"staging port" in sandbox.read("memory.md")
    assert not (sandbox.root / "MEMORY.md").exists()


def test_addresses_that_fit_nothing_or_several_change_nothing(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    with pytest.raises(EntryNotFoundError):
        promoted(sandbox, f"{LOG}#ffffffffffff")
    with pytest.raises(EntryNotFoundError):
        promoted(sandbox, "memory/2020-01-01.md#ffffffffffff")
    with pytest.raises(EntryNotFoundError):
        promoted(sandbox, f"{LOG}#ab")
    with pytest.raises(NotMemoryError):
        promoted(sandbox, "../../etc/passwd#ffffffffffff")
    assert sandbox.snapshot() == before


def test_a_heading_with_nothing_under_it_is_refused(sandbox: Sandbox) -> None:
    path = "memory/2026-03-15.md"
    sandbox.write(path, "# 2026-03-15\n\n## Summary\n\n## Decisions\n")
    with pytest.raises(NotCuratableError, match="heading with nothing under it"):
        promoted(sandbox, sandbox.address("Decisions", path))


def test_a_heading_among_what_was_marked_is_left_out(sandbox: Sandbox) -> None:
    path = "memory/2026-03-15.md"
    sandbox.write(
        path, "# 2026-03-15\n\n## Summary\n\n## Decisions\n\n- The relay is on port 8443\n- It rains\n"
    )
    found = [sandbox.address(words, path) for words in ("Summary", "The relay", "It rains")]
    assert plan_promote(sandbox.workspace, found).entries == tuple(found[1:])


def test_a_prefix_that_fits_several_is_refused_with_the_candidates(sandbox: Sandbox) -> None:
    lines = [f"- filler {n}\n" for n in range(3000)]
    sandbox.write(LOG, "".join(lines))
    seen: dict[str, str] = {}
    for entry in sandbox.workspace.document(LOG).entries:
        prefix = entry.hash[:4]
        if prefix in seen:
            with pytest.raises(AmbiguousEntryError, match="several"):
                sandbox.workspace.find(f"{LOG}#{prefix}")
            return
        seen[prefix] = entry.hash
    pytest.fail("no two hashes share four digits")


def test_an_entry_is_found_again_after_edits_elsewhere(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    sandbox.write(LOG, b"# moved\n\n- new first line\n\n" + sandbox.read(LOG))
    assert sandbox.workspace.find(address).text == "The staging port is 8443"


@pytest.mark.parametrize("tail", ["```\ncode\n", "<!-- note\n", "<pre>\nx\n"])
def test_a_block_that_is_not_closed_never_swallows_a_memory(sandbox: Sandbox, tail: str) -> None:
    sandbox.write("MEMORY.md", f"# Memory\n\n- a\n\n{tail}")
    with pytest.raises(NotCuratableError, match="unclosed block"):
        promoted(sandbox, sandbox.address("staging port"), section="Facts")
    assert sandbox.read("MEMORY.md").decode() == f"# Memory\n\n- a\n\n{tail}"
    (entry,) = promoted(sandbox, sandbox.address("staging port"))
    assert entry.text == "The staging port is 8443"


@pytest.mark.parametrize(
    ("in_file", "in_line", "trust"),
    [
        ("agent", "owner", "agent"),
        ("agent", "external", "external"),
        ("owner", "", "owner"),
        ("owner", "owner", "owner"),
        ("nonsense", "owner", "unknown"),
    ],
)
def test_a_line_never_raises_the_trust_of_its_file(
    sandbox: Sandbox, in_file: str, in_line: str, trust: str
) -> None:
    comment = f" <!-- wb: trust={in_line} -->" if in_line else ""
    sandbox.write(EPISODE, f"---\nid: e1\ntrust: {in_file}\n---\n- a new fact{comment}\n")
    (entry,) = promoted(sandbox, sandbox.address("new fact", EPISODE))
    assert entry.provenance is not None
    assert entry.provenance.trust == trust


@pytest.mark.parametrize(
    ("line", "trust"),
    [
        ("a new fact <!-- wb: trust=owner -->", "agent"),
        ("User: a new fact", "agent"),
        ("Mail: a new fact", "external"),
    ],
)
def test_a_log_speaks_for_the_agent_at_most(sandbox: Sandbox, line: str, trust: str) -> None:
    sandbox.write(LOG, f"---\ntrust: owner\n---\n- {line}\n")
    (entry,) = promoted(sandbox, sandbox.address("new fact"))
    assert entry.provenance is not None
    assert entry.provenance.trust == trust


def test_an_episode_whose_header_cannot_take_the_mark_is_left_alone(sandbox: Sandbox) -> None:
    text = "---\n{id: e1, trust: agent}\n---\n- fact nine\n"
    sandbox.write(EPISODE, text)
    (entry,) = promoted(sandbox, sandbox.address("nine", EPISODE))
    assert entry.provenance is not None
    assert entry.provenance.trust == "agent"
    assert sandbox.read(EPISODE).decode() == text


def test_the_text_of_a_log_between_thematic_breaks_can_be_promoted(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "---\n\nNotes of the day\n\n- important fact\n\n---\n\n- other\n")
    (entry,) = promoted(sandbox, sandbox.address("important"))
    assert entry.text == "important fact"


@pytest.mark.parametrize("name", [b"\xff.md", b"a b>c.md", b"caf\xc3\xa9.md"])
def test_the_way_back_leads_to_a_file_of_any_name(sandbox: Sandbox, name: bytes) -> None:
    path = os.fsdecode(b"memory/" + name)
    sandbox.write(path, "- hello there\n")
    (entry,) = promoted(sandbox, sandbox.address("hello", path))
    assert entry.provenance is not None
    assert entry.provenance.source == f"{path}#L1"


@pytest.mark.parametrize("section", ["", "two\nlines", "bad\udcff", "\x1b[31m"])
def test_what_is_not_one_visible_line_is_refused_as_a_heading(sandbox: Sandbox, section: str) -> None:
    with pytest.raises(UsageError, match="heading"):
        promoted(sandbox, sandbox.address("staging port"), section=section)


def test_an_operation_says_where_each_entry_stands_now_and_by_whose_hand(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    words = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(60))
    sandbox.write("memory/long.md", f"- short one\n\n```\n{words}\n```\n")
    long = sandbox.workspace.document("memory/long.md").entries[1]
    named = [sandbox.address("tantivy"), sandbox.address("staging port"), long.address]
    done = place.operations.carry_out(lambda: plan_promote(place, named, today=TODAY))
    assert done.entries == tuple(named)
    entries = [place.find(address) for address in done.became]
    assert [entry.part for entry in entries] == [1, 1, 1]
    assert [entry.provenance.get("by") for entry in entries if entry.provenance] == ["human"] * 3
    assert [entry.text for entry in entries[:2]] == [
        "We decided to use tantivy for search",
        "The staging port is 8443",
    ]
    assert done.actor == "human"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_promotions_are_undone_byte_for_byte_in_any_order_after_a_restart(
    sandbox: Sandbox, order: tuple[int, ...]
) -> None:
    before = sandbox.snapshot()
    words = (("staging port", LOG), ("Friday", EPISODE), ("reviews", LOG))
    place = sandbox.workspace
    done = []
    for address in [sandbox.address(*where) for where in words]:
        done.append(place.operations.carry_out(lambda a=address: plan_promote(place, [a])))  # type: ignore[misc]
    again = Workspace.open(sandbox.root)
    for number in order:
        again.operations.carry_out(lambda id=done[number].id: plan_undo(again, id))  # type: ignore[misc]
    again.close()
    assert sandbox.snapshot() == before


@pytest.mark.parametrize("into", [False, True])
def test_a_line_that_an_agent_adds_between_two_looks_of_the_plan_survives(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, into: bool
) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    target = sandbox.address("Likes tea", "MEMORY.md") if into else None
    real = Files.read
    wrote: list[str] = []

    def read(self: Files, path: RelPath) -> bytes:
        data = real(self, path)
        if path == "MEMORY.md" and not wrote:
            wrote.append("- theirs\n")
            with (sandbox.root / path).open("a") as file:
                file.write(wrote[0])
        return data

    monkeypatch.setattr(Files, "read", read)
    place.operations.carry_out(lambda: plan_promote(place, [address], into=target))
    assert wrote
    assert b"- theirs\n" in sandbox.read("MEMORY.md")
    assert b"staging port" in sandbox.read("MEMORY.md")
