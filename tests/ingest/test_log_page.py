"""What is added to a daily log stands there once, and as entries of its own, whatever the log holds."""

from __future__ import annotations

import threading

import pytest

from tests.support.transcripts import NOW
from tests.support.workspaces import Sandbox
from workbench.ingest.flush import flush_session
from workbench.memory.entry import Span
from workbench.memory.transcript import Session, Turn

BIRTHDAY = "Please remember that my birthday is on 3 May."
DECISION = "We decided to use tantivy for search."


def session() -> Session:
    said = enumerate((BIRTHDAY, DECISION), 1)
    turns = (Turn(line=line, span=Span(0, 1), role="user", text=text, when=NOW) for line, text in said)
    return Session(source="s91.jsonl", key="s91", turns=tuple(turns))


def test_those_who_flush_the_same_session_at_once_write_it_once(sandbox: Sandbox) -> None:
    """An agent's hook, and a watcher."""
    start = threading.Barrier(4)

    def save() -> None:
        start.wait()
        flush_session(sandbox.workspace, session(), now=NOW)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sandbox.read("memory/2026-03-20.md").decode().count(BIRTHDAY) == 1


@pytest.mark.parametrize(
    "left", ["```sh\nls", "~~~~\nls\n", "<!-- a note\n", "<script>\n", "- a\n  ```\n  ls\n"]
)
def test_a_log_that_ends_in_a_fence_or_comment_swallows_no_fact(sandbox: Sandbox, left: str) -> None:
    sandbox.write("memory/2026-03-20.md", f"# 2026-03-20\n\n- first\n\n{left}")
    done = flush_session(sandbox.workspace, session(), now=NOW)
    log = sandbox.workspace.document("memory/2026-03-20.md")
    assert [entry.text for entry in log.entries if entry.heading[-1:] == ("Session: s91",)] == [
        line.text for line in done.lines
    ]
    assert sandbox.read("memory/2026-03-20.md").decode().startswith(f"# 2026-03-20\n\n- first\n\n{left}")
