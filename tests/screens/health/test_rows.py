"""The checks as rows, without a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rich.style import Style

from screens.drawing.safe_text import TONES, Folds, Row, line_rows, sentence
from screens.health.overview import Section, behind_finding, section_lines, section_rows
from screens.widgets.entry_list import RowStyles, row_strip
from workbench.health.checks import CHECKS
from workbench.health.finding import CheckResult, Finding, Fix, counted

HOSTILE = "[/][@click=app.quit]x \x1b[2J\x1b]0;t\x07 \u202egnp.exe"
SECRET = "AKIAQ7LMNO5P2RSTUVWX"
FINDING = Finding(
    severity="warning",
    what="it is so",
    meaning="it means that",
    do="do this",
    path="memory/2026-03-14.md",
    entry="memory/2026-03-14.md#abc123",
    line=7,
    fixes=(Fix(deed="forget", label="forget it", addresses=("memory/2026-03-14.md#abc123",)),),
)


def links(*findings: Finding, **more: Any) -> Section:
    """The section of dead links, which one check makes."""
    result = CheckResult(
        name="links", family="memory", seen="1 warning", findings=findings, total=len(findings)
    )
    return Section("links", 1, (replace(result, **more),))


def texts(rows: list[Row]) -> list[str]:
    return [row.text for row in rows]


def drawn(row: Row, cells: int) -> str:
    look = RowStyles(Style.null(), Style.null(), {tone: Style.null() for tone in TONES})
    return row_strip(row, cells, look, cursor=False, marked=False).text


def plain(rows: list[Row]) -> str:
    return "\n".join("".join((*(p.text for p in r.lead), r.text, *(p.text for p in r.tail))) for r in rows)


def overview(*sections: Section, folds: Folds | None = None) -> list[Row]:
    return list(section_rows(sections, folds or Folds()))


def test_sections_that_were_not_looked_at_yet_say_so() -> None:
    rows = overview(Section("index", 8, looking=True), Section("links", 1))
    assert [row.lead[0].text.strip() for row in rows] == ["… check", "waits"]


def test_what_needs_a_look_is_open_and_what_is_worth_knowing_is_not() -> None:
    quiet = replace(links(replace(FINDING, severity="info")), name="tests")
    rows = overview(links(FINDING), quiet)
    at = [row.id for row in rows].index("links")
    assert rows[at].fold is True
    assert rows[at + 1].text == "it is so"
    assert rows[at + 1].tail[0].text == "2026-03-14.md:7"
    assert next(row for row in rows if row.id == "tests").fold is False
    folds = Folds()
    folds.set("links", False)
    assert "it is so" not in texts(overview(links(FINDING), folds=folds))


@pytest.mark.parametrize("cells", [56, 76])
def test_a_long_name_of_a_page_leaves_a_finding_its_words(cells: int) -> None:
    what = "it is about a time that has passed, and so on until no more of it is seen"
    page = f"graph/person/{'maria-fernanda-' * 4}oliveira.md"
    rows = overview(links(replace(FINDING, what=what, path=page)))
    row = next(row for row in rows if row.depth == 2)
    assert "it is about a time" in drawn(row, cells)
    assert "maria-fernanda-ma…:7" in drawn(row, cells)


@pytest.mark.parametrize("cells", [56, 76])
@pytest.mark.parametrize("name", sorted({check.label.section for check in CHECKS}))
def test_a_section_says_its_name_and_what_was_seen_however_long(name: str, cells: int) -> None:
    """As wide as the list is in a terminal of 60 and of 80 columns."""
    seen = "12 added, 3,456 changed, 1 removed, 2 unreadable; 98,765 entries without vectors"
    section = replace(links(FINDING, seen=seen), name=name, older=True)
    row = next(row for row in overview(section) if row.id == name)
    shown = drawn(row, cells)
    assert sentence(section.name) in shown
    assert "12 added" in shown


def test_severity_is_a_mark_and_a_word() -> None:
    findings = [replace(FINDING, severity=severity) for severity in ("error", "warning", "info")]
    marks = [row.lead[0].text.strip() for row in overview(links(*findings)) if row.depth == 2]
    assert marks == ["✗ error", "! warn", "· info"]


def test_findings_that_say_the_same_have_rows_of_their_own() -> None:
    rows = overview(links(FINDING, FINDING, total=500))
    assert len({row.id for row in rows}) == len(rows)
    assert any("498 more" in row.text for row in rows)


def test_checks_of_one_family_stand_together_and_name_themselves() -> None:
    results = [CheckResult(name=name, family="index", seen="seen", total=0) for name in ("words", "sync")]
    section = Section("index", 2, (results[0], replace(results[1], findings=(FINDING,), total=1)))
    rows = overview(section)
    assert rows[0].tail[0].text == "1 of 2 ok"
    assert rows[1].text == "sync: it is so"
    assert texts(line_rows(section_lines(section)))[1:] == ["words  seen", "sync   seen"]


def test_a_section_counts_its_findings_in_the_words_that_they_are_marked_with() -> None:
    findings = [replace(FINDING, severity=severity) for severity in ("error", "warning", "info", "info")]
    section = links(*findings, seen=counted(findings))
    head, *rows = overview(section)
    assert head.tail[0].text == "1 error, 1 warning, 2 info"
    assert [row.lead[0].text.split()[1] for row in (head, *rows)] == [
        "error",
        "error",
        "warn",
        "info",
        "info",
    ]


def test_that_nothing_needs_a_hand_is_said() -> None:
    assert "No action needed." in texts(line_rows(section_lines(links())))


def test_a_finding_says_what_it_means_what_to_do_and_what_its_key_does() -> None:
    shown = "\n".join(texts(list(behind_finding(FINDING, [("a.md#1", "- the text")]))))
    told = (
        "! warn · it is so",
        "Why it matters: it means that",
        "What to do: do this",
        "f fixes it:",
        "forget it",
    )
    for words in (*told, "workbench forget 'memory/2026-03-14.md#abc123'", "- the text"):
        assert words in shown
    nothing = texts(list(behind_finding(replace(FINDING, fixes=()), [])))
    assert "No key fixes this: see what to do." in nothing


def test_no_text_reaches_the_terminal_as_it_is() -> None:
    fix = Fix(deed="edit", label=HOSTILE, addresses=(HOSTILE,))
    finding = replace(FINDING, what=HOSTILE, meaning=HOSTILE, do=HOSTILE, path=HOSTILE, fixes=(fix,))
    section = replace(links(finding, seen=HOSTILE), name=HOSTILE)
    rows = [
        *overview(section),
        *line_rows(section_lines(section)),
        *behind_finding(finding, [(HOSTILE, HOSTILE)]),
    ]
    shown = plain(rows)
    assert "[@click=app.quit]" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_secret_is_masked_in_the_text_of_its_entry() -> None:
    rows = list(behind_finding(FINDING, [("a.md#1", f"the key is {SECRET} ok")]))
    assert SECRET not in plain(rows)
    assert "the key is AKIA…" in plain(rows)
