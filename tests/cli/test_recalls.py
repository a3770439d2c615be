"""What agents have and were given, from the command line: loaded, recalls, inject --all."""

from __future__ import annotations

from datetime import UTC, datetime

from indexing.sync.run import reindex
from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.agent.usage import GivenEntry, record_recalls

PORT = "The staging port is 8443"


def test_loaded_names_each_file_with_its_cost(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("SOUL.md", "Be kind.\n")
    done = run("context", "--loaded")
    assert "MEMORY.md" in done.out
    assert "SOUL.md  how the agent works" in done.out
    assert "tokens" in done.err
    said = run("context", "--loaded", "--with-memory", "--json").json
    assert [one["path"] for one in said["files"]] == ["SOUL.md"]
    assert said["tokens"] == said["files"][0]["tokens"]


def test_recalls_says_what_dominates_and_what_never_was_given(run: Run, sandbox: Sandbox) -> None:
    assert "nothing was given to agents in the last 30 days" in run("context", "--usage").err
    given = [GivenEntry(sandbox.address(PORT), PORT, 0.9)]
    record_recalls(sandbox.workspace, given, query="q", by="inject", now=datetime.now(UTC))
    done = run("context", "--usage", "--never")
    assert sandbox.address(PORT) in done.out
    assert "100%" in done.out
    assert "never  episodes/" in done.out
    said = run("context", "--usage", "--never", "--days", "7", "--json").json
    assert (said["answers"], said["entries"][0]["count"], said["never_given"]["count"]) == (1, 1, 2)


def test_inject_all_names_what_stays_below_the_threshold(run: Run, sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    quiet, loud = (
        run("context", "the staging port is 8443"),
        run("context", "--all", "the staging port is 8443"),
    )
    assert "below the threshold" not in quiet.err
    assert "is below the threshold of 0.30" in loud.err
