"""Everything that one session left in memory."""

from __future__ import annotations

import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, Sandbox
from workbench.history.recent import entries_of_session
from workbench.memory.entry import Kind, RelPath
from workbench.memory.episode import read_episode, session_blocks
from workbench.memory.markdown import parse_document
from workbench.operations.promote import plan_promote

OPENCLAW = """# Session: 2026-03-20 10:00:00 UTC

- **Session Key**: agent:main:main
- **Session ID**: 0c9e2f
- **Source**: telegram

## Conversation

- The owner wants a red door
"""
NAMED = "memory/2026-03-20-door.md"


def found(sandbox: Sandbox, session: str) -> tuple[str, ...]:
    return entries_of_session(sandbox.workspace, session)


def test_an_episode_of_the_session_counts_as_a_whole(sandbox: Sandbox) -> None:
    assert found(sandbox, "s91") == (EPISODE,)
    assert found(sandbox, "agent:main:1:0") == (EPISODE,)
    assert found(sandbox, "agent:main:1") == (EPISODE,)


@pytest.mark.parametrize("other", ["s9", "s911", "agent:main:10", "agent:main:1:", "nobody", "S91"])
def test_a_name_that_only_begins_alike_is_another_session(sandbox: Sandbox, other: str) -> None:
    sandbox.write(LOG, sandbox.read(LOG) + b"- x <!-- wb: session=s91 -->\n")
    assert found(sandbox, other) == ()


def test_entries_whose_comment_says_so_count_also_in_quarantine(sandbox: Sandbox) -> None:
    comment = "<!-- wb: session=a%20b -->"
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + f"- said so {comment}\n".encode())
    sandbox.write("_system/quarantine/q.md", f"- poison {comment}\n")
    assert found(sandbox, "a b") == (
        sandbox.address("said so", "MEMORY.md"),
        sandbox.address("poison", "_system/quarantine/q.md"),
    )


@pytest.mark.parametrize("name", ["0c9e2f", "agent:main:main", "2026-03-20 10:00:00 UTC"])
def test_a_log_that_names_its_session_in_its_header_belongs_to_it(sandbox: Sandbox, name: str) -> None:
    sandbox.write(NAMED, OPENCLAW)
    entries = [entry.address for entry in sandbox.workspace.document(NAMED).entries]
    assert list(found(sandbox, name)) == entries
    assert sandbox.address("red door", NAMED) in entries


def test_a_log_of_several_sessions_is_divided_between_them(sandbox: Sandbox) -> None:
    second = OPENCLAW.replace("0c9e2f", "777").replace("red door", "blue door")
    sandbox.write(NAMED, OPENCLAW + "\n" + second)
    assert sandbox.address("red door", NAMED) in found(sandbox, "0c9e2f")
    assert sandbox.address("blue door", NAMED) not in found(sandbox, "0c9e2f")
    assert sandbox.address("blue door", NAMED) in found(sandbox, "777")


def test_a_front_matter_speaks_for_its_whole_file(sandbox: Sandbox) -> None:
    sandbox.write("memory/note.md", "---\nsession: n1\n---\n- one\n- two\n")
    assert len(found(sandbox, "n1")) == 2


def test_a_promoted_copy_counts_and_a_copy_of_the_copy(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    sandbox.write(NAMED, OPENCLAW)
    door = sandbox.address("red door", NAMED)
    place.operations.carry_out(lambda: plan_promote(place, [door]))
    copy = place.find(sandbox.address("red door", "MEMORY.md"))
    sandbox.write(
        "_system/archive/2026-04.md",
        f"- kept <!-- wb: src=MEMORY.md#L{copy.start_line} entry={copy.hash} -->\n",
    )
    listed = found(sandbox, "0c9e2f")
    assert copy.address in listed
    assert sandbox.address("kept", "_system/archive/2026-04.md") in listed
    assert sandbox.address("Likes tea", "MEMORY.md") not in listed


def test_what_was_promoted_from_an_episode_of_the_session_counts(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    friday = sandbox.address("on Friday", EPISODE)
    place.operations.carry_out(lambda: plan_promote(place, [friday]))
    assert found(sandbox, "agent:main:1") == (sandbox.address("on Friday", "MEMORY.md"), EPISODE)


def test_a_page_that_says_nothing_belongs_to_no_session(sandbox: Sandbox) -> None:
    sandbox.write(
        EPISODE, EPISODE_TEXT.replace("session: s91\n", "").replace("source_id: agent:main:1:0\n", "")
    )
    assert found(sandbox, "s91") == ()
    document = parse_document(RelPath(LOG), b"# Sessions of today\n\n- the session id: none\n", Kind.LOG)
    assert session_blocks(document) == ()


@pytest.mark.parametrize(
    ("said", "abstract"),
    [
        (
            "user: A new session was started via /new or /reset. Greet.\n\nassistant: Hi! What is it today?\n"
            "user: [Telegram Ana 2026-03-20 10:01 UTC] The front door has to be red.\n",
            "The front door has to be red.",
        ),
        ("assistant: **Done!**\n", "door"),
        ("*Cut on 2026-04-01, the rest is in git*\n", "door"),
        ("The front door was painted red on Friday.\n", "The front door was painted red on Friday."),
    ],
)
def test_the_abstract_of_a_session_file_is_what_was_said_of_its_name(said: str, abstract: str) -> None:
    data = f"# Session: 2026-03-20 10:00:00 UTC\n\n- **Source**: telegram\n\n{said}".encode()
    episode = read_episode(parse_document(RelPath(NAMED), data, Kind.EPISODE))
    assert (episode.abstract, episode.topics) == (abstract, ("door",))
