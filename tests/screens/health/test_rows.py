"""The survey as rows, without a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.style import Style

from screens.drawing.rows import Folds, Row
from screens.health.rows import concern_rows, overview_rows, section_rows
from screens.widgets.entry_list import TONES
from screens.widgets.row_strip import Look, row_strip
from workbench.health.finding import Finding, Fix
from workbench.health.report.section import ReportSection
from workbench.health.report.topics import TITLES

HOSTILE = "[/][@click=app.quit]x \x1b[2J\x1b]0;t\x07 \u202egnp.exe"
SECRET = "AKIAQ7LMNO5P2RSTUVWX"
CONCERN = Finding(
    severity="warning",
    what="it is so",
    meaning="it means that",
    do="do this",
    address="memory/2026-03-14.md#abc123",
    line=7,
    fixes=(Fix(deed="forget", label="forget it", addresses=("memory/2026-03-14.md#abc123",)),),
)
SECTION = ReportSection(id="links", title="Dead links", seen="1 warning", concerns=(CONCERN,), total=1)


def texts(rows: list[Row]) -> list[str]:
    return [row.text for row in rows]


def drawn(row: Row, cells: int) -> str:
    look = Look(Style.null(), Style.null(), {tone: Style.null() for tone in TONES})
    return row_strip(row, cells, look, cursor=False, marked=False).text


def plain(rows: list[Row]) -> str:
    return "\n".join("".join((*(p.text for p in r.lead), r.text, *(p.text for p in r.tail))) for r in rows)


def test_sections_that_were_not_looked_at_yet_say_so() -> None:
    rows = overview_rows({}, Folds(), looking="index")
    assert len(rows) == len(TITLES)
    assert "looks" in rows[0].lead[0].text
    assert {row.lead[0].text.strip() for row in rows[1:]} == {"waits"}


def test_what_needs_a_look_is_open_and_what_is_worth_knowing_is_not() -> None:
    told = replace(CONCERN, severity="info")
    quiet = replace(SECTION, id="tests", concerns=(told,))
    rows = overview_rows({"links": SECTION, "tests": quiet}, Folds())
    at = [row.id for row in rows].index("links")
    assert rows[at].fold is True
    assert rows[at + 1].text == "it is so"
    assert rows[at + 1].tail[0].text == "2026-03-14.md:7"
    closed = next(row for row in rows if row.id == "tests")
    assert closed.fold is False
    folds = Folds()
    folds.set("links", False)
    assert "it is so" not in texts(overview_rows({"links": SECTION}, folds))


@pytest.mark.parametrize("cells", [56, 76])
def test_a_long_name_of_a_page_leaves_a_finding_its_words(cells: int) -> None:
    what = "it speaks of a time that is over, and so on until no more of it is seen"
    page = f"graph/person/{'maria-fernanda-' * 4}oliveira.md#abc123"
    rows = overview_rows(
        {"links": replace(SECTION, concerns=(replace(CONCERN, what=what, address=page),))}, Folds()
    )
    row = next(row for row in rows if row.depth == 2)
    assert "it speaks of a tim" in drawn(row, cells)
    assert "maria-fernanda-ma…:7" in drawn(row, cells)


@pytest.mark.parametrize("cells", [56, 76])
@pytest.mark.parametrize("topic", TITLES)
def test_a_section_says_its_name_and_what_was_seen_however_long(topic: str, cells: int) -> None:
    """As wide as the list is in a terminal of 60 and of 80 columns."""
    seen = "12 added, 3,456 changed, 1 removed, 2 unreadable; 98,765 entries without vectors"
    section = replace(SECTION, id=topic, title=TITLES[topic], seen=seen)
    row = next(
        row for row in overview_rows({topic: section}, Folds(), older=frozenset({topic})) if row.id == topic
    )
    shown = drawn(row, cells)
    assert TITLES[topic] in shown
    assert "12 added" in shown


def test_severity_is_a_mark_and_a_word() -> None:
    concerns = tuple(replace(CONCERN, severity=severity) for severity in ("error", "warning", "info"))
    rows = overview_rows({"links": replace(SECTION, concerns=concerns)}, Folds())
    marks = [row.lead[0].text.strip() for row in rows if row.depth == 2]
    assert marks == ["✗ error", "! warn", "· note"]


def test_findings_that_say_the_same_have_rows_of_their_own() -> None:
    rows = overview_rows({"links": replace(SECTION, concerns=(CONCERN, CONCERN), total=500)}, Folds())
    assert len({row.id for row in rows}) == len(rows)
    assert any("498 more" in row.text for row in rows)


def test_notes_are_shown_and_that_nothing_needs_a_hand() -> None:
    section = replace(SECTION, notes=("older was not looked at",), concerns=())
    shown = "\n".join(texts(list(section_rows(section))))
    assert "Note: older was not looked at" in shown
    assert "Nothing here needs a hand." in shown


def test_a_section_that_failed_says_why_and_what_to_do() -> None:
    shown = texts(list(section_rows(replace(SECTION, concerns=(), failed="no git"))))
    assert "It could not be looked at: no git" in shown
    assert "r looks again" in shown


def test_a_finding_says_what_it_means_what_to_do_and_what_its_key_does() -> None:
    shown = "\n".join(texts(list(concern_rows(CONCERN, [("a.md#1", "- the text")]))))
    told = ("! warn · it is so", "It means: it means that", "To do: do this", "f fixes it:", "forget it")
    for words in (*told, "workbench forget 'memory/2026-03-14.md#abc123'", "- the text"):
        assert words in shown
    nothing = texts(list(concern_rows(replace(CONCERN, fixes=()), [])))
    assert "No key mends this: see what is to do." in nothing


def test_no_text_reaches_the_terminal_as_it_is() -> None:
    fix = Fix(deed="edit", label=HOSTILE, addresses=(HOSTILE,))
    concern = replace(CONCERN, what=HOSTILE, meaning=HOSTILE, do=HOSTILE, address=HOSTILE, fixes=(fix,))
    section = ReportSection(
        id="links",
        title=HOSTILE,
        seen=HOSTILE,
        facts=((HOSTILE, HOSTILE),),
        concerns=(concern,),
        notes=(HOSTILE,),
        failed=HOSTILE,
    )
    rows = [
        *overview_rows({"links": section}, Folds()),
        *section_rows(section),
        *concern_rows(concern, [(HOSTILE, HOSTILE)]),
    ]
    shown = plain(rows)
    assert "[@click=app.quit]" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_secret_is_masked_in_the_text_of_its_entry() -> None:
    rows = list(concern_rows(CONCERN, [("a.md#1", f"the key is {SECRET} ok")]))
    assert SECRET not in plain(rows)
    assert "the key is AKIA…" in plain(rows)
