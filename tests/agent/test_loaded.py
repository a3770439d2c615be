"""What an agent has before it before anybody says anything, and what that costs."""

from __future__ import annotations

from datetime import date

from tests.support.workspaces import Sandbox
from workbench.agent.bulletin import COUNTED, loaded

TODAY = date(2026, 3, 15)


def test_memory_comes_first_then_who_the_agent_is_then_two_days_of_logs(sandbox: Sandbox) -> None:
    sandbox.write("SOUL.md", "Be kind.\n")
    sandbox.write("workspace-context.md", "# Now\n")
    sandbox.write("memory/2026-03-15_STANDUP.md", "- short\n")
    sandbox.write("memory/2026-03-15-1012.md", "# Session: 10:12\n\nuser: hi\n")
    sandbox.write("memory/2026-03-13.md", "- too old\n")
    sandbox.write("memory/projects/atlas.md", "- a note\n")
    found = loaded(sandbox.workspace, TODAY)
    assert [one.path for one in found] == [
        "MEMORY.md", "SOUL.md", "workspace-context.md", "memory/2026-03-14.md",
        "memory/2026-03-15_STANDUP.md",
    ]  # fmt: skip
    assert [one.why for one in found[3:]] == ["yesterday's log", "today's log"]
    assert all(one.tokens > 0 for one in found)


def test_an_agent_that_does_not_load_memory_is_told_without_it(sandbox: Sandbox) -> None:
    assert "MEMORY.md" not in [one.path for one in loaded(sandbox.workspace, TODAY, memory_loaded=False)]


def test_an_empty_file_is_named_as_such(sandbox: Sandbox) -> None:
    sandbox.write("SOUL.md", "\n")
    assert [one.state for one in loaded(sandbox.workspace, TODAY) if one.path == "SOUL.md"] == ["empty"]


def test_a_large_file_is_counted_in_part_and_estimated_whole(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- word\n" * (COUNTED // 7 * 2))
    (memory,) = (one for one in loaded(sandbox.workspace, TODAY) if one.path == "MEMORY.md")
    assert 550_000 < memory.tokens < 600_000


def test_what_is_set_aside_is_never_loaded(sandbox: Sandbox) -> None:
    sandbox.write("_system/quarantine/2026-03.md", "- bad\n")
    sandbox.write("_system/archive/2026-03.md", "- old\n")
    assert all(not one.path.startswith("_system") for one in loaded(sandbox.workspace, TODAY))
