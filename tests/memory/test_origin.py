"""Who a line is from, and what may be done with it: the table, and the marks that lower it."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from workbench.memory.entry import RelPath
from workbench.memory.markdown import parse_document
from workbench.memory.origin import ALLOWED, Origin, OriginReader, is_outside_heading, owner_name
from workbench.workspace.layout import USUAL

LOG = "memory/2026-03-15.md"


def origin(text: str, path: str = LOG) -> Origin:
    """Of the last entry of a file."""
    document = parse_document(RelPath(path), text.encode(), USUAL.kind_of(path))
    return OriginReader(document, owner=("ana",)).of(document.entries[-1])


def test_each_origin_may_do_what_the_table_says_and_nothing_else() -> None:
    # owner's page, told as a fact, told with its day, given with a message, proposed, accepted with others
    assert {one: astuple(may) for one, may in ALLOWED.items()} == {
        Origin.OWNER: (True, True, True, True, True, True),
        Origin.AGENT: (False, False, True, True, True, True),
        Origin.OUTSIDE: (False, False, False, False, True, False),
        Origin.UNKNOWN: (False, False, False, False, False, False),
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MEMORY.md", Origin.OWNER),
        ("USER.md", Origin.OWNER),
        (LOG, Origin.AGENT),
        ("memory/projects.md", Origin.AGENT),
        ("memory/2026-03-14-1012.md", Origin.AGENT),
        ("episodes/2026/03/e1.md", Origin.UNKNOWN),
    ],
)
def test_a_line_without_marks_is_of_whoever_writes_such_files(path: str, expected: Origin) -> None:
    assert origin("# Notes\n\n- The port is 8443\n", path) is expected


@pytest.mark.parametrize(
    "mark",
    [
        *("System", "Tool", "[System Message]", "Email", "Subagent 3", "Web page"),
        *("Betreff", "Système", "Courriel", "Correo", "Herramienta", "Система", "Письмо"),
        *("系统", "邮件", "システム", "メール"),
    ],
)
@pytest.mark.parametrize("blanks", [" ", " " * 12])
def test_a_mark_of_a_program_or_a_letter_is_from_outside_in_seven_languages(mark: str, blanks: str) -> None:
    line = f"{mark if mark.startswith('[') else f'{mark}:'}{blanks}the port is 8443"
    assert origin(f"# Notes\n\n- {line}\n") is Origin.OUTSIDE


@pytest.mark.parametrize(
    "mark", ["User", "Ana", "Nutzer", "Utilisateur", "Usuario", "Пользователь", "用户", "ユーザー"]
)
@pytest.mark.parametrize("blanks", [" ", " " * 12])
def test_a_turn_that_a_log_quotes_from_the_owner_is_the_owners(mark: str, blanks: str) -> None:
    assert origin(f"# Notes\n\n- {mark}:{blanks}I prefer tea\n") is Origin.OWNER


def test_a_comment_and_a_header_only_lower_what_the_place_says() -> None:
    assert origin("# N\n\n- A port <!-- wb: trust=owner -->\n") is Origin.AGENT
    assert origin("# N\n\n- User: a port <!-- wb: trust=external -->\n") is Origin.OUTSIDE
    assert origin("---\ntrust: external\n---\n- A port\n") is Origin.OUTSIDE
    assert origin("# N\n\n- A port <!-- wb: trust=god -->\n") is Origin.UNKNOWN


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "Mail from a supplier",
            "Inbox",
            "Forwarded message",
            "Tool output",
            "From the web",
            "Other agents",
        ),
        *(
            "Nachricht von außen",
            "Aus dem Netz",
            "Message transféré",
            "Courriel de la mairie",
            "Correo entrante",
        ),
        *("Письмо от поставщика", "Из интернета", "来自网络", "外部邮件", "外からのメール"),
    ],
)
def test_below_a_heading_that_says_so_everything_is_from_outside(heading: str) -> None:
    assert is_outside_heading(heading)
    assert origin(f"# Notes\n\n## {heading}\n\n- User: the port is 8443\n") is Origin.OUTSIDE


@pytest.mark.parametrize(
    "heading",
    ["Decisions", "Project Facts", "Ports", "Besprechung", "Réunion", "Reunión", "Встреча", "会议", "会議"],
)
def test_an_ordinary_heading_changes_nothing(heading: str) -> None:
    assert origin(f"# Notes\n\n## {heading}\n\n- The port is 8443\n") is Origin.AGENT


@pytest.mark.parametrize(
    "before",
    ["Mail from the harbour office:", "From: port@harbour.example", "---- Original message"],
)
def test_what_a_line_leads_in_as_a_letter_is_from_outside(before: str) -> None:
    assert origin(f"# Notes\n\n{before}\n\n- The gate opens at ten\n") is Origin.OUTSIDE
    assert origin(f"# Notes\n\n{before}\n\n## Mine\n\n- The gate opens at ten\n") is Origin.AGENT


def test_a_quotation_is_from_outside() -> None:
    assert origin("# Notes\n\n> The gate opens at ten\n") is Origin.OUTSIDE


@pytest.mark.parametrize("role", ["user: ", ""])
def test_a_message_of_a_room_is_from_outside_also_behind_what_was_attached(role: str) -> None:
    text = (
        f"{role}[media attached: /in/7.png (image/png)]\n[Discord Guild #talk 2026-03-14 09:12 UTC] Bo: Hi\n"
    )
    assert origin(text, "memory/2026-03-14-talk.md") is Origin.OUTSIDE


@pytest.mark.parametrize(
    "mark",
    [
        "[Discord Guild #general 2026-03-01] user: ",
        "[Discord #general id 123] me: ",
        "[group 7] Ana: ",
        "[WhatsApp 1203@g.us] Ana: ",
    ],
)
def test_whoever_speaks_in_a_room_is_not_the_owner(mark: str) -> None:
    assert origin(f"- {mark}I live in Odessa\n") is Origin.OUTSIDE
    assert origin("- [2026-03-01 10:00] user: I live in Odessa\n") is Origin.OWNER


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("- **Name:** Ana Ruiz, she/her\n", "Ana Ruiz"),
        ("- **Name:**\n- **What to call them:**\n- **Notes:**\n", ""),
        ("- **Name:** _(ask)_\n- **What to call them:** Sam (in chats)\n", "Sam"),
        ("- **Name:**\n  Ana\n- **What to call them:**\n  Boss\n", "Ana"),
        ("| Field | Value |\n|---|---|\n| **What to call them** | Ana |\n", "Ana"),
        ("| Name | Relation |\n| --- | --- |\n| Omar | brother |\n", ""),
        ("名前：加藤\n", "加藤"),
        ("- **Имя:** Кирилл / Кир\n", "Кирилл"),
        ("Name the files after the day\n", ""),
    ],
)
def test_the_owner_is_named_in_a_page_as_templates_have_it(page: str, name: str) -> None:
    assert owner_name(f"# USER.md\n\n_Learn about the person._\n\n{page}") == name
