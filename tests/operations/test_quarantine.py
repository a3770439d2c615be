"""Quarantine takes suspicious text out of everything an agent loads, and gives it back as it was."""

from __future__ import annotations

import shlex
import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.indexing.test_read_only import unprivileged
from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.errors import ConflictError, EntryNotFoundError, NotCuratableError, NotMemoryError
from workbench.memory.entry import Entry, Form, Kind, RelPath
from workbench.memory.markdown import parse_document
from workbench.memory.move import behind, leave, lift, neighbours, set_down
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release, quarantined
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 20)
STORE = "_system/quarantine/2026-03.md"


def quarantine(sandbox: Sandbox, *addresses: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(
        lambda: plan_quarantine(place, addresses, reason="suspicious", today=TODAY)
    )


def release(sandbox: Sandbox, *addresses: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_release(place, addresses))


def undo(sandbox: Sandbox, operation: Operation) -> None:
    place = Workspace.open(sandbox.root)
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    place.close()


def is_found(sandbox: Sandbox, words: str) -> bool:
    """Whether a search shows these words, after the index has followed the files."""
    reindex(sandbox.workspace, vectors=False)
    hits = IndexSearch(sandbox.workspace, vectors=False).search(Query(text=words, mode="lexical")).hits
    return any(words in hit.snippet for hit in hits)


def test_copies_that_stay_are_named_with_the_command_that_takes_them_too(sandbox: Sandbox) -> None:
    """The same words, and what was made of it in others."""
    place = sandbox.workspace
    address = sandbox.address("staging port")
    made = place.operations.carry_out(lambda: plan_promote(place, [address])).became[0]
    sandbox.write("memory/copy.md", "- The **staging** port is 8443.\n- The staging port is 9000\n")
    copy = sandbox.address("8443", "memory/copy.md")
    (note,) = quarantine(sandbox, address).notes
    assert f"`workbench quarantine '{made}' '{copy}'` sets them aside too" in note
    assert quarantine(sandbox, made, copy).notes == ()
    reworded = place.find(sandbox.address("async"))
    comment = f"<!-- wb: id=m1 src={reworded.place} -->"
    sandbox.write("memory/about.md", f"- Reviews without meetings {comment}\n- Something else\n")
    made = sandbox.address("without meetings", "memory/about.md")
    (note,) = quarantine(sandbox, reworded.address).notes
    assert f"`workbench quarantine '{made}'`" in note


def test_the_command_for_copies_is_safe_to_paste_and_says_how_many_it_takes(sandbox: Sandbox) -> None:
    for number in range(7):
        sandbox.write(f"memory/a$(touch {number})'.md", "- The staging_port **is** 8443 here\n")
    sandbox.write("memory/original.md", "- The staging_port is 8443 here\n")
    (note,) = quarantine(sandbox, sandbox.address("8443 here", "memory/original.md")).notes
    _, command, said = note.split("`")
    assert said == " sets the first 5 of 7 aside too"
    named = shlex.split(command)[2:]
    assert named == [sandbox.address("8443", f"memory/a$(touch {number})'.md") for number in range(5)]


def test_a_memory_file_that_cannot_be_read_keeps_nothing_from_quarantine() -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory"
        memory.mkdir()
        Path(folder).chmod(0o755)
        for name in ("closed", "copy", "log"):
            (memory / f"{name}.md").write_text("- The staging port is 8443\n")
        (memory / "closed.md").chmod(0)
        place = Workspace.open(folder)
        address = place.document("memory/log.md").entries[0].address
        with unprivileged():
            (note,) = plan_quarantine(place, [address]).notes
    assert "memory/copy.md#" in note


def test_an_entry_in_quarantine_says_where_it_came_from(sandbox: Sandbox) -> None:
    done = quarantine(sandbox, sandbox.address("staging port"))
    entry = sandbox.workspace.find(done.became[0])
    said = entry.provenance
    assert said is not None
    assert (entry.path, entry.text) == (STORE, "The staging port is 8443")
    assert said.get("from") == LOG
    assert said.get("under") == "2026-03-14\n10:00 planning with Sarah"
    assert said.get("quarantined") == "2026-03-20"
    assert said.get("after") == sandbox.address("Sarah").rpartition("#")[2]
    assert sandbox.read(LOG).decode() == LOG_TEXT.replace("- The staging port is 8443\n", "")


def test_no_reader_search_or_list_finds_what_is_in_quarantine(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    assert is_found(sandbox, "staging port")
    assert is_found(sandbox, "release is on Friday")
    quarantine(sandbox, address, EPISODE)
    place = sandbox.workspace
    assert not is_found(sandbox, "staging port")
    assert not is_found(sandbox, "release is on Friday")
    assert not [file.path for file in place.scan() if "quarantine" in file.path]
    for path in (STORE, f"_system/quarantine/{EPISODE}"):
        assert not place.layout.holds(path)
        with pytest.raises(NotMemoryError):
            place.read(path)


def test_release_brings_an_entry_back_to_its_section_without_a_trace(sandbox: Sandbox) -> None:
    done = quarantine(sandbox, sandbox.address("tantivy"))
    back = release(sandbox, *done.became)
    assert sandbox.read(LOG).decode() == LOG_TEXT
    assert back.became == done.entries
    assert b"tantivy" not in sandbox.read(STORE)
    assert is_found(sandbox, "tantivy")


@pytest.mark.parametrize(
    "block",
    [
        "A paragraph\nof two lines.  \nwith a break\n",
        "| a | b |\n| - | - |\n| 1 | 2 |\n",
        "```python\nx = 1\n\n\ty = 2\n```\n",
        "```\n<!-- wb: id=fake -->\n```\n",
        "> quoted\n> twice\n",
        "<div>\nhtml\n</div>\n",
        "    indented code\n\n      more\n",
        "7. the seventh\n   - nested\n",
        "- run:\n  ```\n  <!-- wb: id=fake -->\n  ```\n",
        "- known <!-- wb: id=m1  trust=agent   from=elsewhere -->\n",
        "- **bold** lead\n\n  > quote inside\n",
    ],
)
def test_every_form_comes_back_byte_for_byte(sandbox: Sandbox, block: str) -> None:
    text = f"# Note\n\n## One\n\nfirst\n\n{block}\n## Two\n\nlast\n"
    sandbox.write("memory/note.md", text)
    old = sandbox.workspace.document("memory/note.md").entries[1]
    done = quarantine(sandbox, old.address)
    assert done.became == (f"{STORE}#{old.hash}",)
    back = release(sandbox, *done.became)
    now = sandbox.workspace.find(back.became[0])
    assert (now.address, now.form, now.heading) == (old.address, old.form, old.heading)
    assert sandbox.workspace.document("memory/note.md").data[now.span.start : now.span.end].decode() == block


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# N\n\n- a\n- b\n- c\n", "b"),
        ("# N\n\n- a\n- b\n- c\n", "a"),
        ("# N\n- a\n- b\n\n## M\n- c\n", "a"),
        ("# N\n\nThe list:\n- a\n- b\n", "a"),
        ("# N\n\none\n\ntwo\nlines\n\nthree\n\n## M\n\nfour\n", "two"),
        ("# N\n\none\n\n\n\ntwo\n\nthree\n", "two"),
        ("# N\n\none\n\n## M\n\ntwo\n\nthree\n", "two"),
        ("# N\n\none\n\ntwo\n\n## M\n\nthree\n", "two"),
        ("# N\n\none\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\ntwo\n", "1 | 2"),
        ("# N\n\none\n\n```py\nx = 1\n\n\ty = 2\n```\n\ntwo\n", "x = 1"),
        ("# N\n\n- a\n\n> quoted\n> twice\n\n- b\n", "quoted"),
        ("# N\n\none\n\n---\n\ntwo\n\nthree\n", "two"),
        ("top\n\nsecond\n\n# N\n\none\n", "top"),
        ("---\nid: n\n---\n\ntop\n\n# N\n\none\n", "top"),
        ("## D\n\n- x\n\n## D\n\n- y\n- z\n- w\n", "z"),
        ("# N\n\n- same\n- x\n- same\n- y\n- z\n", "y"),
        ("# N\n\n- a\n  - nested\n\n  more\n\n- b\n\n- c\n", "b"),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_what_is_released_stands_where_it_stood_byte_for_byte(
    sandbox: Sandbox, text: str, words: str, ends: str
) -> None:
    sandbox.write("memory/note.md", text.replace("\n", ends))
    before = sandbox.read("memory/note.md")
    done = quarantine(sandbox, sandbox.address(words, "memory/note.md"))
    assert sandbox.read("memory/note.md") != before
    back = release(sandbox, *done.became)
    assert sandbox.read("memory/note.md") == before
    assert back.became == done.entries
    assert back.notes == ()


NEIGHBOURS = "# N\n\n- a\n- b\n- c\n- d\n\none\n\ntwo\n\nthree\n"


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("named", [["b", "c"], ["c", "b"], ["a", "b", "c"], ["two", "one"], ["a", "three"]])
def test_neighbours_that_left_come_back_in_their_order(
    sandbox: Sandbox, named: list[str], together: bool
) -> None:
    sandbox.write("memory/note.md", NEIGHBOURS)
    addresses = [next(e.address for e in note(sandbox) if e.text == words) for words in named]
    groups = [addresses] if together else [[address] for address in addresses]
    aside = [address for group in groups for address in quarantine(sandbox, *group).became]
    release(sandbox, *aside)
    assert sandbox.read("memory/note.md").decode() == NEIGHBOURS


def note(sandbox: Sandbox) -> tuple[Entry, ...]:
    return sandbox.workspace.document("memory/note.md").entries


@pytest.mark.parametrize("order", [("b", "c"), ("c", "b")])
def test_of_neighbours_that_left_together_each_may_come_back_first(
    sandbox: Sandbox, order: tuple[str, str]
) -> None:
    sandbox.write("memory/note.md", NEIGHBOURS)
    became = quarantine(sandbox, *(e.address for e in note(sandbox) if e.text in order)).became
    for words in order:
        release(sandbox, became["bc".index(words)])
    assert sandbox.read("memory/note.md").decode() == NEIGHBOURS


def test_where_the_neighbour_is_gone_it_stands_at_the_end_of_its_section(sandbox: Sandbox) -> None:
    sandbox.write("memory/note.md", NEIGHBOURS)
    done = quarantine(sandbox, sandbox.address("b", "memory/note.md"))
    sandbox.write("memory/note.md", "# N\n\n- x\n- y\n\n# M\n\n- a\n")
    release(sandbox, *done.became)
    assert sandbox.read("memory/note.md").decode() == "# N\n\n- x\n- y\n- b\n\n# M\n\n- a\n"


def test_what_changed_around_the_place_meanwhile_stays(sandbox: Sandbox) -> None:
    sandbox.write("memory/note.md", "# N\n\none\n\ntwo\n\nthree\n")
    done = quarantine(sandbox, sandbox.address("two", "memory/note.md"))
    sandbox.write("memory/note.md", "# N\n\nnew\n\none\n\nthree\n")
    release(sandbox, *done.became)
    assert sandbox.read("memory/note.md").decode() == "# N\n\nnew\n\none\n\ntwo\n\nthree\n"


@pytest.mark.parametrize("after", ["-", "-+9999", "0000", "x", "-+-1", "ca978112ca1b~9+2", "../a"])
def test_whatever_the_field_says_the_entry_comes_back_and_nothing_else_changes(
    sandbox: Sandbox, after: str
) -> None:
    sandbox.write("memory/note.md", NEIGHBOURS)
    sandbox.write(STORE, f"- back <!-- wb: from=memory/note.md under=N after={after} -->\n")
    release(sandbox, sandbox.address("back", STORE))
    (entry,) = (e for e in note(sandbox) if e.text == "back")
    assert (entry.heading, entry.provenance) == (("N",), None)
    assert [e.text for e in note(sandbox) if e != entry] == ["a", "b", "c", "d", "one", "two", "three"]


BLOCKS = st.sampled_from(
    [
        "- it {}",
        "- it {}\n  - in",
        "word {}",
        "| a {} |\n| - |",
        "```\nx {}\n```",
        "> q {}",
        "# H {}",
        "1. n {}",
    ]
)


@given(forms=st.lists(BLOCKS, min_size=1, max_size=7), data=st.data())
@settings(max_examples=100, deadline=None)
def test_among_blocks_of_any_form_it_comes_back_where_it_stood(forms: list[str], data: st.DataObject) -> None:
    text = "\n\n".join(form.format(n) for n, form in enumerate(forms)) + "\n"
    document = parse_document(RelPath("memory/note.md"), text.encode(), Kind.NOTE)
    assume(entries := [e for e in document.entries if e.form is not Form.HEADING])
    entry = data.draw(st.sampled_from(entries))
    (passage,) = lift(document, [entry])
    left = leave(document, [passage])
    place = behind(left, entry.heading, next(neighbours(document, passage)))
    assert place is not None
    assert set_down(left, place, [passage])[0].data == document.data


def test_of_several_headings_of_one_name_the_whole_path_decides(sandbox: Sandbox) -> None:
    text = "# A\n\n## Facts\n\n- x\n\n# B\n\n## Facts\n\n- y\n- z\n"
    sandbox.write("MEMORY.md", text)
    done = quarantine(sandbox, sandbox.address("z", "MEMORY.md"))
    release(sandbox, *done.became)
    assert sandbox.read("MEMORY.md").decode() == text


def test_section_and_file_are_made_anew_where_they_are_gone(sandbox: Sandbox) -> None:
    done = quarantine(sandbox, sandbox.address("staging port"), sandbox.address("Likes tea", "MEMORY.md"))
    (sandbox.root / LOG).unlink()
    sandbox.write("MEMORY.md", "# Memory\n\n## Project Facts\n\n- kept\n")
    back = release(sandbox, *done.became)
    headings = [sandbox.workspace.find(address).heading for address in back.became]
    assert headings == [("2026-03-14", "10:00 planning with Sarah"), ("Memory", "User Preferences")]
    assert sandbox.read("MEMORY.md").endswith(b"- kept\n\n## User Preferences\n\n- Likes tea\n")


def test_a_whole_page_goes_and_returns_byte_for_byte(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    done = quarantine(sandbox, EPISODE)
    assert done.became == (f"_system/quarantine/{EPISODE}",)
    assert sandbox.read(done.became[0]).decode() == EPISODE_TEXT
    assert EPISODE not in sandbox.snapshot()
    with pytest.raises(NotCuratableError, match="whole page"):
        release(sandbox, sandbox.address("on Friday", done.became[0]))
    back = release(sandbox, *done.became)
    assert back.became == (EPISODE,)
    assert sandbox.snapshot() == before
    assert not (sandbox.root / done.became[0]).exists()


def test_a_page_never_returns_over_another(sandbox: Sandbox) -> None:
    done = quarantine(sandbox, EPISODE)
    sandbox.write(EPISODE, "---\nid: other\n---\n- other\n")
    with pytest.raises(ConflictError, match="another page"):
        release(sandbox, *done.became)
    assert b"other" in sandbox.read(EPISODE)


def test_entries_and_pages_together_are_one_operation_and_one_undo(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    done = quarantine(sandbox, EPISODE, sandbox.address("tantivy"), sandbox.address("Likes tea", "MEMORY.md"))
    assert len(done.entries) == len(done.became) == 3
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "2"
    undo(sandbox, done)
    assert sandbox.snapshot() == before
    assert list(quarantined(sandbox.workspace)) == []


@pytest.mark.parametrize("first", [0, 1])
def test_two_quarantines_are_undone_in_either_order(sandbox: Sandbox, first: int) -> None:
    before = sandbox.snapshot()
    done = [quarantine(sandbox, sandbox.address(words)) for words in ("async reviews", "weather")]
    undo(sandbox, done[first])
    undo(sandbox, done[1 - first])
    assert sandbox.snapshot() == before
    assert list(quarantined(sandbox.workspace)) == []


def test_undoing_a_release_puts_it_back_into_quarantine(sandbox: Sandbox) -> None:
    done = quarantine(sandbox, sandbox.address("staging port"))
    kept = sandbox.read(STORE)
    undo(sandbox, release(sandbox, *done.became))
    assert sandbox.read(STORE) == kept


def test_what_is_in_quarantine_is_not_promoted_or_set_aside_again(sandbox: Sandbox) -> None:
    done = quarantine(sandbox, sandbox.address("staging port"), EPISODE)
    place = sandbox.workspace
    for address in done.became:
        with pytest.raises(NotCuratableError, match="quarantine") as refused:
            plan_promote(place, [address])
        assert "release" in refused.value.hint
        with pytest.raises(NotCuratableError, match="already"):
            plan_quarantine(place, [address])
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT


def test_only_what_is_in_quarantine_and_knows_its_way_back_is_released(sandbox: Sandbox) -> None:
    with pytest.raises(NotCuratableError, match="not in quarantine"):
        release(sandbox, sandbox.address("staging port"))
    with pytest.raises(EntryNotFoundError):
        release(sandbox, f"{STORE}#0000dead")
    for way in ("", " <!-- wb: from=../../outside.md -->", " <!-- wb: from=.git/config -->"):
        sandbox.write(STORE, f"- planted{way}\n")
        with pytest.raises(NotCuratableError, match="does not record"):
            release(sandbox, sandbox.address("planted", STORE))


def test_the_list_tells_what_is_set_aside_since_when_and_from_where(sandbox: Sandbox) -> None:
    quarantine(sandbox, sandbox.address("staging port"), EPISODE)
    entry, page = quarantined(sandbox.workspace)
    assert (entry.title, entry.origin, entry.since) == ("The staging port is 8443", LOG, TODAY)
    assert (page.address, page.origin) == (f"_system/quarantine/{EPISODE}", EPISODE)
