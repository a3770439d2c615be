"""Pages about one person or thing: the folder says what it is, the title who."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.workspaces import Sandbox
from workbench.graph.read import read_graph
from workbench.ingest.entities import page_subject
from workbench.ingest.ingest import Ingest
from workbench.ingest.outcomes import summed

NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)
ANA = "# Ana Ruiz 🦉\n\n- **Work:** leads the print shop in Porto\n- Ana likes short mails\n"


def ingested(sandbox: Sandbox) -> dict[str, tuple[str, list[str]]]:
    """The pages of the graph after an ingest of what is new, by name."""
    list(Ingest(sandbox.workspace, now=NOW).run())
    return {
        one.name: (one.type, [memory.text for memory in one.memories])
        for one in read_graph(sandbox.workspace).entities
    }


def test_the_lines_of_a_persons_page_are_facts_about_them(sandbox: Sandbox) -> None:
    sandbox.write("memory/people/ana-ruiz.md", ANA)
    kind, facts = ingested(sandbox)["Ana Ruiz"]
    assert kind == "person"
    assert facts == ["**Work:** leads the print shop in Porto", "Ana likes short mails"]
    (source,) = (one for one in Ingest(sandbox.workspace, now=NOW).run() if "people" in one.source)
    assert source.outcome == "unchanged"


def test_who_has_a_page_is_known_in_the_logs(sandbox: Sandbox) -> None:
    sandbox.write("memory/people/ana-ruiz.md", ANA)
    sandbox.write("memory/2026-03-05.md", "# Day\n\n- Ana Ruiz decides about all orders of the print shop\n")
    _, facts = ingested(sandbox)["Ana Ruiz"]
    assert "Ana Ruiz decides about all orders of the print shop" in facts


def test_what_an_agent_notes_of_its_owner_stays_off_their_page(sandbox: Sandbox) -> None:
    sandbox.write("USER.md", "# User\n\n- Name: Ana Ruiz\n")
    sandbox.write("memory/people/ana-ruiz.md", ANA)
    assert "Ana Ruiz" not in ingested(sandbox)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("memory/people/fabian.md", "# Fabian\n\nFabian prints.\n", ("Fabian", "person")),
        ("contacts/dale-abbott/summary.md", "# Dale Abbott\n\nDale sails.\n", ("Dale Abbott", "person")),
        ("kontakte/lena.md", "# Wer sie ist\n\nLena segelt.\nLena mag Tee.\n", ("Lena", "person")),
        ("projects/beerpair/README.md", "# BeerPair\n\nBeerPair is an app.\n", ("BeerPair", "project")),
        ("人物/王小明.md", "# 王小明\n\n王小明喜欢茶。\n", ("王小明", "person")),
        ("projects/reference-libraries.md", "# Reference Libraries\n\nUseful repositories.\n", None),
        ("memory/people/contacts.md", "# People / Contacts\n", None),
        ("memory/people/README.md", "# People\n", None),
        ("memory/recipes/ana.md", "# Ana\n", None),
        ("people/fabian.md", "# Fabian\n\nLikes tea.\n", None),
        ("contacts/insurance.md", "# Insurance\n\nInsurance number 77. Insurance pays.\n", None),
        ("people/meeting-notes.md", "# Meeting Notes\n\nMeeting Notes of Monday. Meeting Notes.\n", None),
        ("contacts/vacation-2026.md", "# Vacation 2026\n\nVacation 2026 is in Porto. Vacation!\n", None),
        ("friends/birthday-ideas.md", "# Birthday ideas\n\nBirthday ideas for Ana. Birthday!\n", None),
        ("memory/team/printers.md", "# Presses\n\nPresses hum. Presses need oil.\n", None),
        ("family/lena.md", "# Lena\n\nLena sails. Lena likes tea.\n", None),
    ],
)
def test_the_folder_and_the_title_say_whom_a_page_is_about(
    path: str, text: str, said: tuple[str, str] | None
) -> None:
    found = page_subject(path, text)
    assert (found and (found.name, found.type)) == said


def test_a_page_among_a_familys_is_a_persons_where_a_log_names_them(sandbox: Sandbox) -> None:
    for name in ("Lena", "Presses", "Dropbox"):
        sandbox.write(f"memory/family/{name.lower()}.md", f"# {name}\n\n- {name} never rests before noon\n")
    assert not {"Lena", "Presses", "Dropbox"} & ingested(sandbox).keys()
    log = "# Day\n\n- Lena came by and oiled the presses\n- Presses run again\n- Dropbox is full\n"
    sandbox.write("memory/2026-03-05.md", log)
    sandbox.write("memory/family/lena.md", "# Lena\n\n- Lena always rests before noon\n")
    assert [name for name, (kind, _) in ingested(sandbox).items() if kind == "person"] == ["Lena"]


def test_somebody_who_wants_something_on_three_days_is_a_person(sandbox: Sandbox) -> None:
    for day, said in enumerate(
        ("wants every contract in the big folder", "likes short mails", "said that Monday is always free"), 2
    ):
        sandbox.write(f"memory/2026-03-0{day}.md", f"# Day\n\n- Priya {said}, for the fair\n")
    assert ingested(sandbox)["Priya"][0] == "person"


def test_a_handle_names_nothing(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-05.md", "# Day\n\n- Followed @KosmicOwl, who writes about printing\n")
    assert "KosmicOwl" not in ingested(sandbox)


def test_what_was_left_out_of_many_sources_is_counted_once_and_says_what_helps(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-14.md", "# Day\n")
    for day in (2, 3):
        sandbox.write(f"memory/2026-03-0{day}.md", f"# Day\n\n- Decided to put the press into hall {day}\n")
    notes = summed(note for one in Ingest(sandbox.workspace, now=NOW).run() for note in one.notes)
    assert "3 left out: about nothing that their line names" in notes
    assert "memory/people/NAME.md" in notes[-1]
