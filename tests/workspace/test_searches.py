"""What was searched for is remembered here, newest first, and what cannot be read is no error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.workspace.state_files import KEPT_SEARCHES, remember, searches


def test_the_newest_comes_first_and_each_but_once(tmp_path: Path) -> None:
    for text in ("port", "who is on call", "port"):
        remember(tmp_path, text)
    assert searches(tmp_path) == ("port", "who is on call")


def test_typing_on_is_one_search(tmp_path: Path) -> None:
    for text in ("deploy", "deploy key", "deploy key   rotation"):
        remember(tmp_path, text)
    assert searches(tmp_path) == ("deploy key rotation",)


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    for number in range(KEPT_SEARCHES + 5):
        remember(tmp_path, f"{number} of them")
    assert len(searches(tmp_path)) == KEPT_SEARCHES
    assert searches(tmp_path)[0] == f"{KEPT_SEARCHES + 4} of them"


def test_nothing_blank_or_endless_is_remembered(tmp_path: Path) -> None:
    remember(tmp_path, "  \t")
    remember(tmp_path, "x" * 10_000)
    assert searches(tmp_path) == ()
    assert list(tmp_path.iterdir()) == []


def test_only_their_owner_can_read_them(tmp_path: Path) -> None:
    remember(tmp_path, "my salary")
    assert [(path.name, path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [
        ("searches.json", 0o600)
    ]


@pytest.mark.promise(
    "The interface",
    "the file of remembered searches is damaged, or replaced by a link",
    "no error; the link is not followed",
)
@pytest.mark.parametrize("text", ["", "{}", "[1, null, {}]", "[" * 5_000, '["' + "y" * 600 + '"]', "\xff"])
def test_what_cannot_be_read_is_no_error_and_written_anew(text: str, tmp_path: Path) -> None:
    (tmp_path / "searches.json").write_bytes(text.encode("latin-1"))
    assert searches(tmp_path) == ()
    assert remember(tmp_path, "port") == ("port",)


@pytest.mark.promise(
    "The interface",
    "the file of remembered searches is damaged, or replaced by a link",
)
def test_a_link_or_a_pipe_in_its_place_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('["stolen"]')
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "searches.json").symlink_to(elsewhere)
    assert searches(tmp_path / "state") == ()
    remember(tmp_path / "state", "port")
    assert elsewhere.read_text() == '["stolen"]'
    os.unlink(tmp_path / "state" / "searches.json")
    os.mkfifo(tmp_path / "state" / "searches.json")
    assert searches(tmp_path / "state") == ()
