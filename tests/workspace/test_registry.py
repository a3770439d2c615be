"""The list of a person's workspaces: what it says is told, what is changed is only what was asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.workspaces import Sandbox
from workbench.errors import NoWorkspaceError, ReadOnlyError, UsageError
from workbench.workspace.registry import (
    RegisteredWorkspace,
    free_name,
    is_name,
    read_registry,
    register,
    registry_path,
    resolved,
    unregister,
)

KEPT = """# where my agents live
atlas: {atlas}   # the big one

'old one':   /nowhere/at all
"""


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Sandbox]:
    """Memory without a repository: quick to make."""
    made = Sandbox(tmp_path / "workspace", repository=False)
    yield made
    made.close()


def written(text: str) -> None:
    registry_path().write_text(text)


def test_without_a_file_there_are_none() -> None:
    assert read_registry().entries == ()
    assert not registry_path().exists()


def test_it_lies_beside_the_settings(person: Path) -> None:
    assert registry_path() == person / "workspaces.yaml"


def test_a_workspace_is_registered_by_its_folders_name_and_taken_off_again(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    assert register(sandbox.root) == RegisteredWorkspace("workspace", sandbox.root)
    known = read_registry()
    assert (
        known.named("workspace") == known.at(sandbox.root) == RegisteredWorkspace("workspace", sandbox.root)
    )
    assert unregister("workspace") == str(sandbox.root)
    assert read_registry().entries == ()
    assert sandbox.snapshot() == before
    assert sandbox.git("status", "--porcelain") == ""


def test_comments_and_lines_that_are_not_meant_stay_as_they_are(plain: Sandbox, tmp_path: Path) -> None:
    text = KEPT.format(atlas=tmp_path / "atlas")
    written(text)
    register(plain.root, "mine")
    assert registry_path().read_text() == f"{text}mine: {plain.root}\n"
    unregister("mine")
    assert registry_path().read_text() == text
    unregister("atlas")
    assert registry_path().read_text() == "# where my agents live\n\n'old one':   /nowhere/at all\n"


def test_a_file_that_is_written_in_braces_is_left_to_an_editor(plain: Sandbox) -> None:
    written("{ a: /a, b: /b }\n")
    for change in (lambda: register(plain.root, "mine"), lambda: unregister("a")):
        with pytest.raises(UsageError, match="cannot be edited in place"):
            change()
    assert [one.name for one in read_registry().entries] == ["a", "b"]


def test_a_vanished_folder_is_told_and_not_dropped(tmp_path: Path) -> None:
    written(f"gone: {tmp_path / 'gone'}\n")
    (gone,) = read_registry().entries
    assert not gone.there
    assert unregister("gone") == str(tmp_path / "gone")


@pytest.mark.promise(
    "Several workspaces",
    "the list of workspaces is partly or completely invalid",
    "valid lines are used, and skipped ones are named; a file that is no list is refused and never "
    "overwritten",
    by="written so",
)
def test_what_makes_no_sense_is_told_with_why_and_the_rest_counts(plain: Sandbox) -> None:
    written(f"a/b: /x\nlist: [/a, /b]\nempty: ''\nmine: {plain.root}\ntwin: {plain.root}/\n")
    known = read_registry()
    assert [one.name for one in known.entries] == ["mine"]
    assert [line.partition(": ")[0] for line in known.skipped] == ["'a/b'", "'list'", "'empty'", "'twin'"]
    assert known.skipped[3] == "'twin': the same folder as mine"
    assert unregister("a/b") == "/x"


@pytest.mark.promise("Several workspaces", "the list of workspaces is partly or completely invalid")
@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "a: &x /b\nb: *x\n", "\xff", "x" * 70_000])
def test_a_file_that_is_no_mapping_is_refused_and_never_overwritten(plain: Sandbox, text: str) -> None:
    registry_path().write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError):
        read_registry()
    with pytest.raises(UsageError):
        register(plain.root)
    assert registry_path().read_bytes() == text.encode("latin-1")


def test_folders_are_written_as_people_write_them(person: Path, plain: Sandbox) -> None:
    (person / "link").symlink_to(plain.root)
    written("home: ~/link\nbeside: link\n")
    known = read_registry()
    assert known.entries == (RegisteredWorkspace("home", plain.root),)
    assert known.skipped == ("'beside': the same folder as home",)


def test_the_same_workspace_is_not_registered_twice(plain: Sandbox, tmp_path: Path) -> None:
    register(plain.root, "one")
    (tmp_path / "link").symlink_to(plain.root)
    with pytest.raises(UsageError, match="as one"):
        register(tmp_path / "link", "two")


def test_a_name_is_taken_in_whatever_case(plain: Sandbox, tmp_path: Path) -> None:
    other = Sandbox(tmp_path / "other", repository=False)
    register(plain.root, "Atlas")
    with pytest.raises(UsageError, match="Atlas is"):
        register(other.root, "atlas")
    other.close()


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "~", "-x", "_x", "a b", "a:b", "a\n", "x" * 65, "\x1b[2J"]
)
def test_what_could_be_a_path_or_steer_a_terminal_is_no_name(name: str, plain: Sandbox) -> None:
    assert not is_name(name)
    if name:
        with pytest.raises(UsageError):
            register(plain.root, name)


@pytest.mark.parametrize("name", ["yes", "012", "null", "größe", "a.b-c_d", "記憶"])
def test_a_name_that_yaml_takes_for_something_else_stays_a_name(name: str, plain: Sandbox) -> None:
    register(plain.root, name)
    assert read_registry().entries == (RegisteredWorkspace(name, plain.root),)
    unregister(name)


@pytest.mark.parametrize("folder", ["a: b", "with # sign", "quote\"'s", "tab\there", "ü ber"])
def test_any_folder_comes_back_as_it_is(folder: str, tmp_path: Path) -> None:
    made = Sandbox(tmp_path / folder, repository=False)
    made.close()
    added = register(tmp_path / folder)
    assert is_name(added.name)
    assert read_registry().entries == (added,)
    assert added.root == tmp_path / folder


def test_a_free_name_counts_on_where_one_is_taken(tmp_path: Path) -> None:
    written(f"notes: {tmp_path}/1\nNotes-2: {tmp_path}/2\n")
    assert free_name(Path("/x/notes"), read_registry()) == "notes-3"
    assert free_name(Path("/x/..."), read_registry()) == "workspace"


def test_a_folder_without_memory_is_not_registered(tmp_path: Path) -> None:
    with pytest.raises(NoWorkspaceError, match="is not a folder"):
        register(tmp_path / "gone")
    with pytest.raises(NoWorkspaceError, match="no agent memory"):
        register(tmp_path)
    assert not registry_path().exists()


def test_a_folder_with_memory_and_no_other_sign_is_one(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "workbench.yaml").write_text("include: ['*.md']\n")
    (tmp_path / "vault" / "a.md").write_text("- x\n")
    assert register(tmp_path / "vault").name == "vault"


def test_a_name_means_its_folder_and_a_folder_goes_before_it(
    plain: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(plain.root, "atlas")
    monkeypatch.chdir(tmp_path)
    assert resolved("atlas") == (str(plain.root), "")
    (tmp_path / "atlas").mkdir()
    folder, said = resolved("atlas")
    assert folder == "atlas"
    assert str(plain.root) in said
    assert resolved("./atlas") == ("./atlas", "")
    (tmp_path / "atlas").rmdir()
    plain.root.rename(tmp_path / "moved")
    with pytest.raises(NoWorkspaceError, match="the folder of the workspace atlas no longer exists") as gone:
        resolved("atlas")
    assert gone.value.hint == "`workbench workspaces remove atlas` unregisters it"
    (tmp_path / "moved").rename(plain.root)
    with pytest.raises(NoWorkspaceError, match="no workspace is registered by that name"):
        resolved("nobody")


def test_a_damaged_list_keeps_no_folder_from_being_opened(
    plain: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    written("- a\n")
    monkeypatch.chdir(plain.root.parent)
    assert resolved("workspace") == ("workspace", "")
    with pytest.raises(UsageError):
        resolved("nobody")


def test_nothing_is_written_by_who_only_looks(plain: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    with pytest.raises(ReadOnlyError):
        register(plain.root)
    assert not registry_path().exists()


@pytest.mark.promise(
    "Several workspaces",
    "several programs register workspaces at the same time",
    "no entry is lost",
    by="threads",
)
def test_two_that_register_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    places = [Sandbox(tmp_path / f"w{number}", repository=False) for number in range(4)]
    ready = threading.Barrier(len(places))
    done: list[str] = []

    def add(place: Sandbox) -> None:
        ready.wait()
        done.append(register(place.root).name)

    threads = [threading.Thread(target=add, args=(place,)) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place in places:
        place.close()
    assert {one.name for one in read_registry().entries} == set(done) == {"w0", "w1", "w2", "w3"}
