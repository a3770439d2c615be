"""The format of a workspace: read by whoever can, written only by who knows it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.agent.usage import GivenEntry, record_recalls
from workbench.config import settings
from workbench.config.settings_report import tell
from workbench.errors import NewerFormatError, ReadOnlyError, UsageError
from workbench.format_version import FORMAT
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.workspace.declared_format import format_of, require_known_format
from workbench.workspace.external_changes import record
from workbench.workspace.workspace import Workspace

NOW = datetime(2026, 3, 20, tzinfo=UTC)
NEWER = f"format: {FORMAT + 1}\nmemory:\n  budget: 5000\n  colour: blue\nsleep: [deep, light]\n"


@pytest.fixture
def newer(sandbox: Sandbox) -> Sandbox:
    sandbox.write("workbench.yaml", NEWER)
    sandbox.commit("a newer program was here")
    return sandbox


def test_what_is_newer_is_opened_and_read(newer: Sandbox) -> None:
    place = Workspace.open(newer.root)
    assert place.settings.memory_budget == 5000
    assert place.memory_document().entries
    assert format_of(place.root) == FORMAT + 1
    assert not (newer.root / ".workbench").exists()


@pytest.mark.promise(
    "Formats, and other programs",
    "memory of a newer format, also one that a pull brings while the program runs",
    "it can be read; every change is refused, with what to do",
)
def test_what_is_newer_is_not_written(newer: Sandbox) -> None:
    place = Workspace.open(newer.root)
    head = newer.git("rev-parse", "HEAD")
    before = {
        path: path.read_bytes()
        for path in newer.root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    address = newer.address("staging port")
    newer.write(LOG, newer.read(LOG) + b"- one more line\n")
    with pytest.raises(
        NewerFormatError, match=f"has format {FORMAT + 1}, and this program supports up to {FORMAT}"
    ):
        place.operations.carry_out(lambda: plan_forget(place, [address]))
    with pytest.raises(NewerFormatError):
        record(place)
    with pytest.raises(NewerFormatError):
        place.ledger.append("recalls", [{"query": "q"}], NOW)
    why = record_recalls(place, [GivenEntry(address, "x", 1.0)], query="q", by="inject", now=NOW)
    assert "supports up to" in (why or "")
    newer.write(LOG, before[newer.root / LOG])
    after = {
        path: path.read_bytes()
        for path in newer.root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    assert after == before
    assert newer.git("rev-parse", "HEAD") == head


@pytest.mark.promise(
    "Formats, and other programs",
    "memory of a newer format, also one that a pull brings while the program runs",
)
def test_a_pull_that_brings_a_newer_format_is_noticed_by_who_is_open(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))
    sandbox.write("workbench.yaml", NEWER)
    with pytest.raises(NewerFormatError) as refused:
        place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("tantivy")]))
    assert isinstance(refused.value, ReadOnlyError)
    assert "newer workbench" in refused.value.hint
    sandbox.write("workbench.yaml", f"format: {FORMAT}\n")
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("tantivy")]))


@pytest.mark.parametrize("said", ["format: x", "format: -1", "format: [1]", "format: 1.5", "format: {a: 1}"])
def test_a_format_that_is_no_number_is_refused(sandbox: Sandbox, said: str) -> None:
    sandbox.write("workbench.yaml", said + "\n")
    with pytest.raises(UsageError, match="whole number"):
        Workspace.open(sandbox.root)
    with pytest.raises(UsageError, match="whole number"):
        require_known_format(sandbox.root)


@pytest.mark.parametrize(
    "said", ["", f"format: {FORMAT}\n", "format: 0\n", f'"format" : "{FORMAT}"\n', "# format: 9\n"]
)
def test_what_is_known_is_written(sandbox: Sandbox, said: str) -> None:
    sandbox.write("workbench.yaml", said)
    place = Workspace.open(sandbox.root)
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))


def test_the_number_is_no_setting(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sandbox.write("workbench.yaml", f"format: {FORMAT}\n")
    assert tell(path).problems == ()
    own = tmp_path / "own.yaml"
    own.write_text("format: 9\n")
    monkeypatch.setenv("WORKBENCH_CONFIG", str(own))
    skipped: list[str] = []
    settings.load(path, skipped=skipped)
    assert skipped == ["format"]


def test_what_is_to_be_left_out_is_never_misread(sandbox: Sandbox) -> None:
    """A newer form of `exclude` would else let in what its owner keeps out."""
    sandbox.write("workbench.yaml", NEWER + "exclude: {private: all}\n")
    with pytest.raises(UsageError, match="exclude"):
        Workspace.open(sandbox.root)


def test_opening_and_reading_write_no_number(sandbox: Sandbox) -> None:
    place = Workspace.open(sandbox.root)
    place.scan()
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))
    assert not (sandbox.root / "workbench.yaml").exists()
