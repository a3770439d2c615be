"""The day and the time that the name of a log says."""

from __future__ import annotations

from datetime import date, time

import pytest

from workbench.memory.moment import DatedName, dated_name

DAY = date(2026, 2, 6)


@pytest.mark.parametrize(
    ("path", "name", "title"),
    [
        ("memory/2026-02-06.md", DatedName(DAY), ""),
        ("memory/2026-02-06-2012.md", DatedName(DAY, time(20, 12)), "20:12"),
        ("memory/2026-02-06_0007.md", DatedName(DAY, time(0, 7)), "00:07"),
        ("memory/2026-02-06-2475.md", DatedName(DAY, slug="2475"), "2475"),
        ("memory/2026-02-06-2012-olympics.md", DatedName(DAY, slug="2012-olympics"), "2012 olympics"),
        ("memory/2026-02-06_ATLAS_PLAN.md", DatedName(DAY, slug="ATLAS_PLAN"), "ATLAS PLAN"),
        ("memory/a/2026-02-06-회의 록.md", DatedName(DAY, slug="회의 록"), "회의 록"),
    ],
)
def test_a_name_says_its_day_and_the_time_or_subject_of_its_session(
    path: str, name: DatedName, title: str
) -> None:
    found = dated_name(path)
    assert found == name
    assert found.title == title


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "memory/2026-02-30.md", "memory/2026-02-061.md", "memory/x-2026-02-06.md",
             "memory/2026-02-06/notes.md", "memory/2026-02-06.txt", "memory/٢٠٢٦-02-06.md"]
)  # fmt: skip
def test_other_names_say_no_day(path: str) -> None:
    assert dated_name(path) is None
