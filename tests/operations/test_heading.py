"""Under which heading a claim is proposed: by what stands there, in the words of the file."""

from __future__ import annotations

import pytest

from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import parse_document
from workbench.operations.sections import heading_for

GERMAN = """# Gedächtnis

## Familie

- Anna wohnt mit den Kindern in Bremen
- Die Kinder gehen in Bremen zur Schule

## Server

- Der Server im Keller heißt Atlas
- Atlas sichert jede Nacht um drei auf den Server in Kiel

## Archiv

- Der alte Server im Keller hieß Herkules
"""
PROJECTS = """# Memory

## Projects Overview

- Harbour bills ferries by the trip, in Lisbon

## People & Contacts

- Max: runs the ferry office
"""
CHINESE = """# 记忆

## 偏好

- 馆长喜欢安静的早晨

## 技术环境

- 网关使用端口 8443

### 2026-02-13

- 开会
"""


def heading(memory: str, text: str) -> str:
    return heading_for(text, parse_document(RelPath("MEMORY.md"), memory.encode(), Kind.MEMORY))


@pytest.mark.parametrize(
    ("memory", "text", "expected"),
    [
        (GERMAN, "Der Server Atlas im Keller bekam neue Platten", "Server"),
        (GERMAN, "Anna bringt die Kinder in Bremen zur Schule", "Familie"),
        (CHINESE, "新的网关使用端口 9443", "技术环境"),
        (CHINESE, "馆长喜欢茶", "偏好"),
        (CHINESE, "Something in another language", "偏好"),
        (PROJECTS, "Contact: Elda Bea Quin", "People & Contacts"),
        ("# Memory\n", "Sarah prefers async reviews", "Memory"),
        ("# Memory\n\n## 2026-02-13\n\n- x\n\n## Archive\n\n- y\n", "Sarah prefers tea", "Memory"),
        ("- Likes tea\n", "Sarah prefers async reviews", ""),
        ("# 2026-02-13\n\n- x\n", "Sarah prefers async reviews", ""),
        ("# Archive\n\n- old\n", "Sarah prefers async reviews", ""),
    ],
)
def test_a_claim_goes_where_what_is_like_it_stands(memory: str, text: str, expected: str) -> None:
    found = heading(memory, text)
    if text.startswith("Something"):  # like nothing there: a heading of the file all the same, and no date
        assert found in ("偏好", "技术环境")
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Agreed to ship version 2 in March", "Key Decisions"),
        ("Loves hiking in the Alps", "User Preferences"),
        ("Every Friday the backups are checked", "Recurring Patterns"),
    ],
)
def test_in_a_young_file_a_few_letters_in_common_decide_nothing(text: str, heading: str) -> None:
    young = {
        "User Preferences": ("Prefers short answers", "Likes dark themes"),
        "Project Facts": ("The API listens on port 8443", "The repository is called atlas"),
        "Key Decisions": ("Decided to use tantivy for search", "Chose Lisbon for the meeting"),
        "Recurring Patterns": ("Weekly review on Thursdays", "Usually deploys after lunch"),
    }
    sections = "".join(
        f"\n## {name}\n\n" + "".join(f"- {one}\n" for one in some) for name, some in young.items()
    )
    memory = parse_document(RelPath("MEMORY.md"), f"# Memory\n{sections}".encode(), Kind.MEMORY)
    assert heading_for(text, memory) == heading
