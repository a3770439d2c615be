"""The person's file of keys: read without ever failing, and changed in place."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screens.actions.key_file import (
    LoadedKeys,
    key_file_path,
    keys_in,
    load_keys,
    new_key_file,
    write_profile,
)
from screens.actions.registry import ACTIONS
from workbench.errors import UsageError

TEXT = """# mine
profile = "vim"  # as ever

[keys]
# the best one
promote = [
    "Z",  # Zettel
]
undo = ["ctrl+z"]  # back
"""


@pytest.fixture
def file() -> Path:
    path = key_file_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def read(text: str) -> LoadedKeys:
    return keys_in(Path("keys.toml"), text.encode())


def test_it_is_beside_the_settings_or_where_the_variable_says(
    person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert key_file_path() == person / "keys.toml"
    monkeypatch.setenv("WORKBENCH_KEYS", "/elsewhere/k.toml")
    assert key_file_path() == Path("/elsewhere/k.toml")


def test_no_file_is_the_default_profile(file: Path) -> None:
    found = load_keys()
    assert (found.map.profile, found.map.of("undo"), found.problems) == ("default", ("u",), ())


def test_profile_and_keys_are_read_with_their_lines(file: Path) -> None:
    file.write_text(TEXT)
    found = load_keys()
    assert (found.map.profile, found.map.of("promote"), found.map.of("undo")) == ("vim", ("Z",), ("ctrl+z",))
    assert found.map.of("redo") == ("ctrl+r", "U")
    assert [wish.line for wish in found.wishes] == [6, 9]
    assert found.problems == ()
    assert load_keys(profile="default").map.of("redo") == ("U",)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("profile = \n", "it is not TOML, so it is ignored", 1),
        ('profile = "vmi"', "there is no profile “vmi”; did you mean “vim”?", 1),
        ("profile = 3", "there is no profile “3”", 1),
        ('\nprofil = "vim"', "“profil” is ignored; did you mean “profile”?", 2),
        ('keys = "x"', "keys must be a section", 1),
        ("[keys]\nundo = 3", "“undo” must be a list of keys", 2),
        ('[keys]\n\nundoo = ["z"]', "there is no action “undoo”; did you mean “undo”?", 3),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, said: str, line: int) -> None:
    (problem,) = read(text).problems
    assert said in problem.text
    assert problem.line == line
    assert problem.told("keys.toml").startswith(f"keys.toml:{line}: ")


@pytest.mark.promise(
    "The interface",
    "`keys.toml` has any content",
    "nothing fails; wrong lines are reported, the rest is used",
)
@pytest.mark.parametrize("data", [b"\xff\xfe", b"x" * 100_000, b"a = [" * 5000, b"[keys]\n'\\u001b' = ['x']"])
def test_a_file_of_anything_fails_nothing(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    found = load_keys()
    assert found.problems
    assert found.map.of("undo") == ("u",)


@given(st.text(max_size=200))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert read(text).map.of("back")


def test_a_new_file_changes_nothing_and_each_of_its_lines_can_be_taken_up() -> None:
    begun = read(new_key_file())
    assert (begun.map.profile, begun.wishes, begun.problems) == ("default", (), ())
    taken_up = re.sub(r"^# (?=\w+ = )", "", new_key_file(), flags=re.MULTILINE)
    everything = read(taken_up)
    assert len(everything.wishes) == len(ACTIONS)
    assert everything.wrong == ()
    assert everything.map.keys == begun.map.keys


def test_changing_the_profile_keeps_every_other_byte(file: Path) -> None:
    file.write_text(TEXT)
    write_profile(file, "default")
    assert file.read_text() == TEXT.replace('profile = "vim"', 'profile = "default"')
    file.write_text("# mine\n[keys]  # all\nundo = ['Z']\n")
    write_profile(file, "vim")
    assert tomllib.loads(file.read_text()) == {"profile": "vim", "keys": {"undo": ["Z"]}}
    assert "# mine\n" in file.read_text()
    assert "[keys]  # all\nundo = ['Z']\n" in file.read_text()


def test_a_file_that_is_not_there_is_made_with_every_action_in_it(file: Path) -> None:
    write_profile(file, "vim")
    assert file.read_text() == new_key_file().replace('profile = "default"', 'profile = "vim"')
    assert file.stat().st_mode & 0o077 == 0


def test_a_link_into_a_folder_of_dotfiles_stays_one(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("# mine\n")
    file.symlink_to(target)
    write_profile(file, "vim")
    assert file.is_symlink()
    assert 'profile = "vim"' in target.read_text()


@pytest.mark.parametrize(
    "data", [b"broken = \n", b"x = " + b"[" * 3_000, b"x = " + b"9" * 5_000, b"\xff\xfe"]
)
def test_a_file_that_is_no_toml_stays(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(UsageError):
        write_profile(file, "vim")
    assert file.read_bytes() == data
