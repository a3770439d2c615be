"""Memory that the first versions wrote is brought to today's format by one operation, which can be undone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.readers import Vault, observations, relations
from tests.support.workspaces import Sandbox
from workbench.errors import NewerFormatError
from workbench.format_version import FORMAT
from workbench.memory.edit import with_comments_in_place
from workbench.memory.entry import RelPath
from workbench.memory.markdown import parse_document
from workbench.operations.forget import plan_forget
from workbench.operations.migrate import files_of_older_form, plan_migrate
from workbench.operations.pin import plan_pin
from workbench.operations.undo import plan_undo
from workbench.workspace.declared_format import format_of
from workbench.workspace.layout import USUAL
from workbench.workspace.plan import Operation

PERSON = "graph/person/sarah.md"
PAGE = """---
id: ent-4b1c
name: Sarah Chen
type: person
---
- [preference] Prefers async reviews #work (owner) <!-- wb: id=m7f3a confidence=0.9 src=a.md#L5 -->
- works_on [[Project Atlas]] <!-- wb: id=r91b valid_from=2026-03-02 -->
- [fact] Lives in Bremen

A sentence <!-- wb: id=m1 --> that goes on
"""
MIGRATED = """---
id: ent-4b1c
name: Sarah Chen
type: person
---
- [preference] Prefers async reviews #work (owner)
  <!-- wb: id=m7f3a confidence=0.9 src=a.md#L5 -->
- works_on [[Project Atlas]]
  <!-- wb: id=r91b valid_from=2026-03-02 -->
- [fact] Lives in Bremen

A sentence that goes on <!-- wb: id=m1 -->
"""
ASIDE = "_system/quarantine/2026-03.md"
ASIDE_TEXT = (
    "# Quarantine 2026-03\n\n- knows [[Bob]] <!-- wb: from=graph/person/sarah.md quarantined=2026-03-20 -->\n"
)
MEMORY = (
    "# Memory\r\n\r\n## Facts\r\n\r\n- Likes tea <!-- wb: id=m2 -->\r\n"
    "- Opens at six ^open <!-- wb: id=m3 -->\r\n- from the\r\n  first <!-- wb: id=m4 -->\r\n  version\r\n"
)


@pytest.fixture
def older(sandbox: Sandbox) -> Sandbox:
    sandbox.write(PERSON, PAGE)
    sandbox.write(ASIDE, ASIDE_TEXT)
    sandbox.write("MEMORY.md", MEMORY)
    sandbox.write("memory/mine.md", "- works_on [[Atlas]] <!-- theirs -->\n")
    sandbox.commit("written by the first version")
    return sandbox


def migrate(sandbox: Sandbox) -> Operation:
    place = sandbox.workspace

    def plan():  # type: ignore[no-untyped-def]
        found = plan_migrate(place)
        assert found is not None
        return found

    return place.operations.carry_out(plan)


@pytest.mark.promise(
    "Formats, and other programs",
    "memory of an older format",
    "it is read; one undoable operation upgrades it, and only our comments move",
)
def test_comments_go_out_of_the_way_and_nothing_else_changes(older: Sandbox) -> None:
    entries = {path: older.workspace.document(path).entries for path in older.snapshot()}
    operation = migrate(older)
    assert older.read(PERSON).decode() == MIGRATED
    assert older.read(ASIDE).endswith(
        b"- knows [[Bob]]\n  <!-- wb: from=graph/person/sarah.md quarantined=2026-03-20 -->\n"
    )
    assert older.read("MEMORY.md").decode() == (
        "# Memory\r\n\r\n## Facts\r\n\r\n- Likes tea <!-- wb: id=m2 -->\r\n"
        "- Opens at six <!-- wb: id=m3 --> ^open\r\n- from the\r\n  first\r\n  version <!-- wb: id=m4 -->\r\n"
    )
    assert older.read("workbench.yaml") == f"format: {FORMAT}\n".encode()
    assert set(operation.paths) == {PERSON, ASIDE, "MEMORY.md", "workbench.yaml"}
    assert operation.summary == f"migrate: format 0 to {FORMAT}, 3 files rewritten"
    for path, before in entries.items():
        after = older.workspace.document(path).entries
        assert [(e.address, e.text.split(), e.provenance) for e in after] == [
            (e.address, e.text.split(), e.provenance) for e in before
        ]


def test_other_programs_read_afterwards_what_they_could_not_before(older: Sandbox) -> None:
    assert ("works_on", "Project Atlas", None) not in relations(older.read(PERSON))
    assert Vault({"MEMORY.md": older.read("MEMORY.md")}).blocks("MEMORY.md") == {}
    migrate(older)
    assert relations(older.read(PERSON)) == [("works_on", "Project Atlas", None)]
    first = observations(older.read(PERSON))[0]
    assert (first.content, first.tags, first.context) == ("Prefers async reviews #work", ("work",), "owner")
    assert Vault({"MEMORY.md": older.read("MEMORY.md")}).blocks("MEMORY.md") == {"open": 1}


def test_one_undo_takes_it_back(older: Sandbox) -> None:
    before = older.snapshot() | {ASIDE: older.read(ASIDE)}
    place = older.workspace
    operation = migrate(older)
    assert format_of(place.root) == FORMAT
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert older.snapshot() | {ASIDE: older.read(ASIDE)} == before
    assert format_of(place.root) == 0


def test_the_second_time_there_is_nothing_to_do(older: Sandbox) -> None:
    migrate(older)
    assert plan_migrate(older.workspace) is None
    older.write("workbench.yaml", "")
    assert files_of_older_form(older.workspace) == ()  # what is written was brought there, not only numbered


def test_an_older_form_that_an_undo_brings_back_is_seen_and_brought_again(older: Sandbox) -> None:
    place = older.workspace
    address = older.address("Likes tea", "MEMORY.md")
    gone = place.operations.carry_out(lambda: plan_forget(place, [older.address("works_on", PERSON)]))
    migrate(older)
    place.operations.carry_out(lambda: plan_undo(place, gone.id))
    assert files_of_older_form(place) == (PERSON,)
    assert migrate(older).summary == f"migrate: format {FORMAT}, 1 file rewritten"
    assert files_of_older_form(place) == ()
    assert older.address("Likes tea", "MEMORY.md") == address


def test_the_settings_beside_the_number_stay(older: Sandbox) -> None:
    older.write("workbench.yaml", "# mine\nmemory:\n  budget: 5000  # small\n")
    migrate(older)
    assert (
        older.read("workbench.yaml").decode()
        == f"# mine\nmemory:\n  budget: 5000  # small\nformat: {FORMAT}\n"
    )


def test_memory_without_anything_of_ours_needs_no_number(sandbox: Sandbox) -> None:
    (sandbox.root / "episodes/2026/03/e1.md").unlink()
    assert plan_migrate(sandbox.workspace) is None
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_pin(place, [sandbox.address("staging port")]))
    assert migrate(sandbox).paths == ("workbench.yaml",)  # ours is there, and all of it in today's form


def test_what_is_newer_is_left_alone(older: Sandbox) -> None:
    older.write("workbench.yaml", f"format: {FORMAT + 1}\n")
    with pytest.raises(NewerFormatError):
        plan_migrate(older.workspace)


PIECES = st.sampled_from(
    [
        "- [fact] one #t <!-- wb: id=a1 -->\n",
        "- knows [[B]] (so) <!-- wb: id=a2 -->\n",
        "- tea <!-- wb: id=a3 -->\n",
        "- x ^id1 <!-- wb: id=a4 -->\n",
        "para [[C]] <!-- wb: id=a5 -->\n",
        "para ^p <!-- wb: id=a6 -->\n",
        "\n",
        "  - nested\n",
        "  more\n",
        "```\n",
        "<!-- open\n",
        "-->\n",
        "> q <!-- wb: id=a7 -->\n",
        "# h <!-- wb: id=a8 -->\n",
        "| a | <!-- wb: id=a9 -->\n|---|\n",
        "- `code <!-- wb: id=b1 -->` [[D]]\n",
        "1. [goal] n <!-- wb: id=b2 -->\n",
        "- [x] done <!-- wb: id=b3 -->\r\n",
        "- two <!-- wb: id=b4 --> words <!-- wb: id=b5 --> #t\n",
        "---\n",
        "no end",
        "-\t[fact] tab <!-- wb: id=b6 -->\n",
        "    code <!-- wb: id=b7 -->\n",
        "  <!-- wb: id=b8 -->\n",
    ]
)


@pytest.mark.promise("Formats, and other programs", "memory of an older format")
@settings(max_examples=120, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join), st.sampled_from(["graph/person/x.md", "MEMORY.md"]))
def test_whatever_a_file_holds_every_entry_stays(text: str, path: str) -> None:
    before = parse_document(RelPath(path), text.encode(), USUAL.kind_of(path))
    data = with_comments_in_place(before)
    after = parse_document(RelPath(path), data, USUAL.kind_of(path))
    assert [(e.address, e.heading, e.form, e.provenance) for e in after.entries] == [
        (e.address, e.heading, e.form, e.provenance) for e in before.entries
    ]
    assert sorted(data.split()) == sorted(before.data.split())  # nothing was written anew, only moved
    assert with_comments_in_place(after) == data
