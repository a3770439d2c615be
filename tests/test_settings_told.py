"""Settings are told with their origin, and written at their place with every other byte kept."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.ranking.order import PRESETS
from workbench.config.settings import DECLARED, SECRET, Settings, flat, load
from workbench.config.settings_report import SettingOrigin, tell
from workbench.config.user_files import replace_own
from workbench.config.yaml_edit import with_new, with_value, without, yaml_places
from workbench.errors import ConflictError, ReadOnlyError, UsageError, WriteFailedError
from workbench.operations.edit_settings import changed_bytes, parse_value, plan_setting, set_own

NAMES = [field.name for field in fields(Settings)]
TEXT = """# head
memory:
  budget: 10000  # mine
include:  # patterns
  - a
  - "b c"   # x
# tail
theme: dark
inject: {tokens: 5, entries: 3}
dream:
  limit: 5
  days: 4
transcript_exclude: |
  long
team_leader: 'x' # y
"""


@pytest.fixture
def own(person: Path) -> Path:
    return person / "settings.yaml"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    return tmp_path / "workbench.yaml"


def test_every_setting_says_what_it_is_and_numbers_their_unit() -> None:
    told = tell(None)
    assert [setting.name for setting in told.settings] == NAMES
    assert list(DECLARED) == NAMES
    assert all(declared.doc.endswith(".") for declared in DECLARED.values())
    counts = {name for name, one in DECLARED.items() if isinstance(one.default, int) and not one.unit}
    assert counts == set()
    assert DECLARED["search_preset"].choices == tuple(PRESETS)
    assert told.effective() == Settings()


def test_the_workspace_goes_before_ones_own_file(own: Path, shared: Path) -> None:
    own.write_text("\nmemory_budget: 5\nexclude: a\n")
    shared.write_text("memory: {budget: 7}\nexclude: b\n")
    told = tell(shared)
    budget = told.of("memory_budget")
    assert (budget.value, budget.origin) == (7, SettingOrigin.WORKSPACE)
    assert budget.where is not None
    assert (budget.where.line, [said.line for said in budget.also]) == (1, [2])
    assert told.of("exclude").value == ("a", "b")
    assert told.effective() == load(shared)


def test_what_is_wrong_leaves_the_rest(own: Path, shared: Path) -> None:
    own.write_text("memory_budget: x\nepisode_days: 3\nagent_writes: perhaps\n")
    shared.write_text("model: evil\ncolour: blue\n")
    told = tell(shared)
    assert told.of("episode_days").value == 3
    assert told.of("memory_budget").origin is SettingOrigin.DEFAULT
    assert [(problem.path.name, problem.line) for problem in told.problems] == [
        *(("settings.yaml", 1), ("settings.yaml", 3), ("workbench.yaml", 1), ("workbench.yaml", 2)),
    ]


def test_a_single_weight_of_an_older_file_is_told_and_names_the_preset(own: Path, shared: Path) -> None:
    shared.write_text("search:\n  preset: words\n  recency: 0.5\n")
    assert tell(shared).of("search_preset").value == "keyword"
    (problem,) = tell(shared).problems
    assert problem.line == 3
    assert "search_recency" in problem.text
    assert "search_preset" in problem.text
    assert load(shared).search_preset == "keyword"


@pytest.mark.parametrize("data", [b"\xff", b"- a\n", b"a: [\n", b"x" * 100_000, b"a: &b c\n"])
def test_a_file_of_anything_is_told_as_one_problem(own: Path, data: bytes) -> None:
    own.write_bytes(data)
    (problem,) = tell(None).problems
    assert problem.path == own
    with pytest.raises(UsageError):
        set_own("theme", "light")
    assert own.read_bytes() == data


def test_secrets_are_in_nothing_that_is_told(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.write_text("embedding_key: hush1\nlanguage_key: [hush2]\n")
    monkeypatch.setenv("OPENAI_API_KEY", "hush3")
    assert "hush" not in repr(tell(None))
    assert "hush" not in repr(set_own("embedding_key", "hush4"))
    own.write_text("embedding_providers: [openai]\n")
    told = tell(None).of("embedding_key")
    assert (told.origin, told.variable, told.shown) == (
        *(SettingOrigin.ENVIRONMENT, "OPENAI_API_KEY", "set (hidden)"),
    )


@pytest.mark.parametrize("place", yaml_places(TEXT), ids=lambda place: "_".join(place.keys))
def test_one_value_is_changed_and_every_other_byte_stays(place) -> None:  # type: ignore[no-untyped-def]
    for value in ("new", ["a b", "no"]):
        text = with_value(TEXT, place, value)
        lines, before = text.splitlines(), TEXT.splitlines()
        assert lines[: place.line - 1] == before[: place.line - 1]
        assert set(before) - set(lines) <= set(before[place.line - 1 : place.line + 2])
        assert text.count("#") >= TEXT.count("#") - (place.keys == ("include",))
    assert "\n".join(without(TEXT, place).split("\n")) != TEXT


@pytest.mark.parametrize(
    ("before", "name", "value", "after"),
    [
        (TEXT, "memory_budget", "5", TEXT.replace("10000", "5")),
        (TEXT, "inject_tokens", "7", TEXT.replace("tokens: 5", "tokens: 7")),
        (TEXT, "team_leader", "/a b", TEXT.replace("'x'", "/a b")),
        (TEXT, "theme", None, TEXT.replace("theme: dark\n", "")),
        (TEXT, "memory_budget", None, TEXT.replace("memory:\n  budget: 10000  # mine\n", "")),
        (TEXT, "dream_limit", None, TEXT.replace("  limit: 5\n", "")),
        (TEXT, "episode_days", "9", TEXT + "episode_days: 9\n"),
        ("", "theme", "no", 'theme: "no"\n'),
        ("a: b", "theme", "light", "a: b\ntheme: light\n"),
        ("a: b\r\n", "theme", "light", "a: b\r\ntheme: light\r\n"),
        ("theme:\n", "theme", "light", "theme: light\n"),
        ("theme: a\nx: y\ntheme: b\n", "theme", None, "x: y\n"),
        ("theme: a\nx: y\ntheme: b\n", "theme", "c", "theme: c\nx: y\ntheme: b\n"),
        ("\ufefftheme: a\nx: y\n", "theme", None, "\ufeffx: y\n"),
        ("\ufeff", "theme", "a", "\ufefftheme: a\n"),
        ("theme: |\r\n  a\r\nx: y\r\n", "theme", "b", "theme: b\r\nx: y\r\n"),
        ("theme: >-\n  a\n  b\n\n# x\nx: y\n", "theme", "c", "theme: c\n\n# x\nx: y\n"),
        (
            "exclude: # mine\r\n  # why\r\n  - a # one\r\n  - b # two\r\nx: y\r\n",
            *("exclude", "c", "exclude: c  # mine # two\r\n  # why\r\n  # one\r\nx: y\r\n"),
        ),
    ],
)
def test_a_change_is_made_where_it_stands(before: str, name: str, value: str | None, after: str) -> None:
    assert changed_bytes(Path("s.yaml"), before.encode(), name, value) == after.encode()


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("{a: b}\n", "theme", "light"),
        ("{a: b,\n  theme: c }\n", "theme", None),
        ("{theme: c}  # agreed\n", "theme", None),
        (TEXT, "inject_tokens", None),
    ],
)
def test_what_cannot_be_edited_in_place_is_left_to_an_editor(text: str, name: str, value: str | None) -> None:
    with pytest.raises(UsageError, match="cannot be edited in place"):
        changed_bytes(Path("s.yaml"), text.encode(), name, value)


def test_nothing_to_do_is_said() -> None:
    path = Path("s.yaml")
    with pytest.raises(UsageError, match="already has that value"):
        changed_bytes(path, b"theme: dark\n", "theme", "dark")
    with pytest.raises(UsageError, match="does not set theme"):
        changed_bytes(path, b"", "theme", None)


SCALARS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20)


@given(st.dictionaries(st.sampled_from(NAMES), SCALARS, max_size=5), st.sampled_from(NAMES), SCALARS)
def test_any_word_is_written_so_that_it_is_read_again(there: dict[str, str], name: str, value: str) -> None:
    text = ""
    for other, word in there.items():
        text = with_new(text, other, word)
    if there.get(name) == value:
        return
    from workbench.config.safe_yaml import read_mapping

    changed = changed_bytes(Path("s.yaml"), text.encode(), name, value).decode()
    assert flat(read_mapping(changed)) == {**there, name: value}
    assert flat(read_mapping(changed_bytes(Path("s.yaml"), changed.encode(), name, None).decode())) == {
        other: word for other, word in there.items() if other != name
    }


def test_values_are_typed_as_people_write_them() -> None:
    assert parse_value("memory_budget", " 20 000 ") == "20000"
    assert parse_value("exclude", "a/**, b ,") == ["a/**", "b"]
    assert parse_value("exclude", "['a,b', c]") == ["a,b", "c"]
    assert parse_value("theme", " light ") == "light"
    with pytest.raises(UsageError, match="there is no setting 'theem'") as wrong:
        parse_value("theem", "x")
    assert "theme" in wrong.value.hint


def test_what_only_ones_own_file_may_say_is_not_planned_for_the_workspace(sandbox) -> None:  # type: ignore[no-untyped-def]
    for name in ("model", "theme", *SECRET):
        with pytest.raises(UsageError, match=r"workbench\.yaml cannot set"):
            plan_setting(sandbox.workspace, name, "x")


@pytest.mark.promise(
    "The interface",
    "the disk is full, or another program writes, while a setting is written",
    "the old text of the file stays",
)
def test_writing_is_whole_or_not_at_all(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.write_text("theme: dark\n")
    own.chmod(0o640)
    with pytest.raises(ConflictError):
        replace_own(own, b"something else", b"x")

    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        with pytest.raises(ReadOnlyError):
            replace_own(own, b"theme: dark\n", b"x")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refused)
        with pytest.raises(WriteFailedError):
            replace_own(own, b"theme: dark\n", b"x")
    assert [path.name for path in own.parent.iterdir() if "settings" in path.name] == ["settings.yaml"]
    assert own.read_text() == "theme: dark\n"
    set_own("theme", "light")
    assert own.read_text() == "theme: light\n"
    assert own.stat().st_mode & 0o777 == 0o640
