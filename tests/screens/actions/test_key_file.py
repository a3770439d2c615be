"""The person's file of keys: read without ever failing, and changed in place."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screens.actions.key_file import Keys, key_file_path, keys_from, load_keys, parse_key_file
from screens.actions.key_file_edit import with_keys, write_keys, write_profile
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


def read(text: str) -> Keys:
    return keys_from(parse_key_file(Path("keys.toml"), text.encode()))


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
    assert [wish.line for wish in found.file.wishes] == [6, 9]
    assert found.problems == ()
    assert load_keys(profile="default").map.of("redo") == ("U",)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("profile = \n", "it is not TOML, so nothing of it counts", 1),
        ('profile = "vmi"', "there is no profile “vmi”; did you mean “vim”?", 1),
        ("profile = 3", "there is no profile “3”", 1),
        ('\nprofil = "vim"', "“profil” means nothing here; did you mean “profile”?", 2),
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


@pytest.mark.parametrize("data", [b"\xff\xfe", b"x" * 100_000, b"a = [" * 5000, b"[keys]\n'\\u001b' = ['x']"])
def test_a_file_of_anything_fails_nothing(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    found = load_keys()
    assert found.problems
    assert found.map.of("undo") == ("u",)


@given(st.text(max_size=200))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert read(text).map.of("back")


def test_changing_keys_keeps_every_other_byte(file: Path) -> None:
    file.write_text(TEXT)
    write_keys(file, "undo", ["Z", "ctrl+x"])
    assert file.read_text() == TEXT.replace('undo = ["ctrl+z"]  # back', 'undo = ["Z", "ctrl+x"]  # back')
    write_keys(file, "undo", None)
    assert file.read_text() == TEXT.replace('undo = ["ctrl+z"]  # back\n', "")
    write_keys(file, "promote", ["P"])
    assert tomllib.loads(file.read_text()) == {"profile": "vim", "keys": {"promote": ["P"]}}
    assert "# the best one" in file.read_text()
    write_profile(file, "default")
    assert 'profile = "default"  # as ever' in file.read_text()


def test_a_file_that_is_not_there_is_made(file: Path) -> None:
    write_keys(file, "undo", ["Z"])
    write_profile(file, "vim")
    assert file.read_text() == 'profile = "vim"\n[keys]\nundo = ["Z"]\n'
    assert file.stat().st_mode & 0o077 == 0


def test_a_link_into_a_folder_of_dotfiles_stays_one(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("# mine\n")
    file.symlink_to(target)
    write_keys(file, "undo", ["Z"])
    assert file.is_symlink()
    assert 'undo = ["Z"]' in target.read_text()


def test_what_cannot_be_changed_with_certainty_stays(file: Path) -> None:
    digits, deep = "9" * 5_000, "[" * 3_000
    inline = ('keys.undo = ["ctrl+z"]\n', 'keys = {undo = ["ctrl+z"]}\n', 'keys = "x"\n', "keys = 5\n")
    for text in (*inline, '[[keys]]\na = "b"\n', "broken = \n", f"x = {digits}\n", f"x = {deep}\n"):
        file.write_text(text)
        with pytest.raises(UsageError):
            write_keys(file, "undo", ["Z"])
        assert file.read_text() == text
        assert bool(load_keys().problems) is (text not in inline[:2])
    with pytest.raises(UsageError, match="no profile vmi"):
        write_profile(file, "vmi")


def test_what_stands_in_the_way_of_a_key_is_told_before_it_is_written(file: Path) -> None:
    file.write_text(TEXT)
    assert "is “forget”" in with_keys(file, "promote", ["d"])[1][0].text
    made, problems = with_keys(file, "promote", ["ctrl+x"])
    assert (made.map.of("promote"), problems) == (("ctrl+x",), [])
    assert file.read_text() == TEXT
