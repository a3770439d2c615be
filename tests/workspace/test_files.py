"""One writer among several: no line of any of them is lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from workbench.errors import NotMemoryError
from workbench.memory.entry import RelPath
from workbench.special_files import read_regular
from workbench.workspace import files, late_writes, seal
from workbench.workspace.files import ChangedError, Files
from workbench.workspace.late_writes import Displaced
from workbench.workspace.layout import USUAL

PATH = RelPath("memory/a.md")


@pytest.fixture
def place(tmp_path: Path) -> Files:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/a.md").write_bytes(b"- one\n- two\n")
    return Files(tmp_path)


def test_replace_keeps_mode_and_leaves_nothing_behind_but_the_displaced_file(place: Files) -> None:
    target = place.root / PATH
    target.chmod(0o640)
    written = place.replace(PATH, b"- one\n- two\n", b"- two\n", temporary=".wb-1.tmp")
    assert target.read_bytes() == b"- two\n"
    assert target.stat().st_mode & 0o777 == 0o640
    assert written.durable
    assert written.displaced == ".wb-1.tmp"
    assert (target.parent / ".wb-1.tmp").read_bytes() == b"- one\n- two\n"


def test_a_file_that_is_not_what_was_planned_on_is_left_alone(place: Files) -> None:
    with pytest.raises(ChangedError):
        place.replace(PATH, b"something else", b"new", temporary=".wb-1.tmp")
    assert place.read(PATH) == b"- one\n- two\n"
    assert os.listdir(place.root / "memory") == ["a.md"]


def test_append_in_the_moment_of_the_exchange_survives(place: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    swap = files.swap

    def late_append(folder: int, first: str, second: str) -> None:
        with (place.root / PATH).open("ab") as agent:
            agent.write(b"- late\n")
        swap(folder, first, second)

    monkeypatch.setattr(files, "swap", late_append)
    written = place.replace(PATH, b"- one\n- two\n", b"- two\n", temporary=".wb-1.tmp")
    assert written.carried == b"- late\n"
    assert place.read(PATH) == b"- two\n- late\n"


def test_rewrite_in_the_moment_of_the_exchange_wins_and_is_reported(
    place: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = files.swap
    calls: list[str] = []

    def late_rewrite(folder: int, first: str, second: str) -> None:
        if not calls:
            (place.root / PATH).write_bytes(b"- rewritten\n")
        calls.append(first)
        swap(folder, first, second)

    monkeypatch.setattr(files, "swap", late_rewrite)
    with pytest.raises(ChangedError) as changed:
        place.replace(PATH, b"- one\n- two\n", b"- two\n", temporary=".wb-1.tmp")
    assert place.read(PATH) == b"- rewritten\n"
    assert (changed.value.left, changed.value.known) == (".wb-1.tmp", b"- two\n")  # for whoever opened it


def test_a_writer_that_holds_the_old_file_open_loses_nothing(place: Files, tmp_path: Path) -> None:
    kept = Displaced(place, tmp_path, USUAL.may_curate)
    with (place.root / PATH).open("ab", buffering=0) as agent:
        written = place.replace(PATH, b"- one\n- two\n", b"- two\n", temporary=".wb-1.tmp")
        assert written.displaced is not None
        kept.keep(PATH, written.displaced, b"- one\n- two\n")
        agent.write(b"- held open\n")
        kept.sweep()
        agent.write(b"- and again\n")
        kept.sweep()
        kept.sweep()
    assert place.read(PATH) == b"- two\n- held open\n- and again\n"


def test_a_kept_file_is_read_again_only_once_it_changes(
    place: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_writes, "SETTLED_SECONDS", 0.0)
    kept = Displaced(place, tmp_path, USUAL.may_curate)
    read: list[str] = []

    def note(path: Path) -> bytes:
        if path.name.startswith(".wb-"):
            read.append(path.name)
        return read_regular(path)

    for module in (late_writes, seal):
        monkeypatch.setattr(module, "read_regular", note)
    with (place.root / PATH).open("ab", buffering=0) as agent:
        written = place.replace(PATH, b"- one\n- two\n", b"- two\n", temporary=".wb-1.tmp")
        assert written.displaced is not None
        kept.keep(PATH, written.displaced, b"- one\n- two\n")
        kept.sweep()
        kept.sweep()
        assert len(read) == 2  # a file and its note
        agent.write(b"- held open\n")
        kept.sweep()
        kept.sweep()
        assert len(read) == 4
    assert place.read(PATH) == b"- two\n- held open\n"
    kept.sweep()
    assert not list((tmp_path / "displaced").iterdir())


def test_exchange_works_where_the_system_has_no_call_for_it(
    place: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_system_call", lambda: None)
    place.replace(PATH, b"- one\n- two\n", b"- two\n", temporary=".wb-1.tmp")
    assert place.read(PATH) == b"- two\n"
    assert sorted(os.listdir(place.root / "memory")) == [".wb-1.tmp", "a.md"]


@pytest.mark.promise("Two writers", "an agent appends continuously", "no line lost", by="a thread")
def test_agent_appending_all_the_time_loses_no_line(place: Files, tmp_path: Path) -> None:
    kept = Displaced(place, tmp_path, USUAL.may_curate)
    tokens: list[bytes] = []
    enough = threading.Event()

    def agent() -> None:
        while not enough.is_set():
            tokens.append(b"- token%d." % len(tokens))
            with (place.root / PATH).open("ab", buffering=0) as log:
                log.write(tokens[-1] + b"\n")

    writer = threading.Thread(target=agent)
    writer.start()
    try:
        for edit in range(20):
            before = place.read(PATH)
            after = before.replace(b"- two\n", b"") if b"- two\n" in before else b"- two\n" + before
            written = place.replace(PATH, before, after, temporary=f".wb-{edit}.tmp")
            assert written.displaced is not None
            kept.keep(PATH, written.displaced, before + written.carried)
    finally:
        enough.set()
        writer.join()
    kept.sweep()
    assert set(tokens) - set(place.read(PATH).split(b"\n")) == set()


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "`..`, absolute paths, links out, loops, devices, pipes, sockets",
    "never read or written",
)
@pytest.mark.parametrize(
    "path", ["../outside.md", "/etc/passwd", "memory/../../x.md", "", "memory//a.md", "a\0b"]
)
def test_paths_that_lead_out_are_refused(place: Files, path: str) -> None:
    with pytest.raises(NotMemoryError):
        place.read(RelPath(path))


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "`..`, absolute paths, links out, loops, devices, pipes, sockets",
)
def test_links_and_special_files_are_neither_read_nor_written(place: Files, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"secret")
    memory = place.root / "memory"
    (memory / "link.md").symlink_to(outside / "a.md")
    (memory / "folder").symlink_to(outside)
    (memory / "loop.md").symlink_to("loop.md")
    os.mkfifo(memory / "pipe.md")
    for name in ("link.md", "folder/a.md", "loop.md", "pipe.md"):
        path = RelPath(f"memory/{name}")
        with pytest.raises(NotMemoryError):
            place.read(path)
        with pytest.raises(NotMemoryError):
            place.replace(path, b"secret", b"overwritten", temporary=".wb-1.tmp")
        with pytest.raises(NotMemoryError):
            place.append(path, b"x")
    assert (outside / "a.md").read_bytes() == b"secret"
