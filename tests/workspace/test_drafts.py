"""What was typed and not saved is kept here, for its owner alone, and what cannot be read is no error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.errors import UsageError, WorkbenchError
from workbench.workspace import state_files as module
from workbench.workspace.state_files import KEPT_DRAFTS, LONGEST, drafts, keep_draft


def test_a_draft_is_kept_replaced_and_dropped(tmp_path: Path) -> None:
    keep_draft(tmp_path, "edit a", "one\udcff\n")
    keep_draft(tmp_path, "edit b", "two")
    keep_draft(tmp_path, "edit a", "three \u202e")
    assert drafts(tmp_path) == {"edit a": "three \u202e", "edit b": "two"}
    keep_draft(tmp_path, "edit a", None)
    keep_draft(tmp_path, "edit c", None)
    assert drafts(tmp_path) == {"edit b": "two"}
    assert (tmp_path / "drafts.json").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drafts.json", "drafts.lock"]


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(KEPT_DRAFTS + 2):
        keep_draft(tmp_path, f"edit {number}", "x")
    assert list(drafts(tmp_path)) == [f"edit {number}" for number in range(2, KEPT_DRAFTS + 2)]
    monkeypatch.setattr(module, "_MAX_DRAFT_BYTES", 120)
    keep_draft(tmp_path, "edit last", "y" * 80)
    assert drafts(tmp_path) == {"edit last": "y" * 80}


def test_what_is_too_long_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    keep_draft(tmp_path, "edit a", "one")
    with pytest.raises(UsageError, match="300,000"):
        keep_draft(tmp_path, "edit a", "x" * (LONGEST + 1))
    assert drafts(tmp_path) == {"edit a": "one"}


@pytest.mark.parametrize("text", ["", "[]", '{"edit a": 1}', "[" * 5_000, "\xff"])
def test_what_cannot_be_read_is_no_error_and_written_anew(text: str, tmp_path: Path) -> None:
    (tmp_path / "drafts.json").write_bytes(text.encode("latin-1"))
    assert drafts(tmp_path) == {}
    keep_draft(tmp_path, "edit b", "two")
    assert json.loads((tmp_path / "drafts.json").read_text()) == {"edit b": "two"}


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('{"edit a": "stolen"}')
    state = tmp_path / "state"
    state.mkdir()
    (state / "drafts.json").symlink_to(elsewhere)
    assert drafts(state) == {}
    keep_draft(state, "edit b", "two")
    assert elsewhere.read_text() == '{"edit a": "stolen"}'


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError):
        keep_draft(tmp_path / "not there", "edit a", "one")
