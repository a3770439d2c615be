"""edit, merge, pin and promotion into an entry from the command line."""

from __future__ import annotations

import io
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, LOG, Sandbox

Editor = Callable[..., None]


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that drafts are made in."""
    folder = tmp_path / "drafts"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drafts: Path) -> Editor:
    """``editor(script)``: what the person's editor does, as Python in which ``file`` is the draft."""

    def use(script: str, variable: str = "VISUAL") -> None:
        program = tmp_path / "my editor.py"
        program.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[-1])\n{script}\n")
        monkeypatch.setenv("EDITOR", "false")
        monkeypatch.setenv(variable, shlex.join([sys.executable, str(program)]))
        if variable == "EDITOR":
            monkeypatch.delenv("VISUAL", raising=False)

    return use


REPLACE = "file.write_text(file.read_text().replace('8443', '9000'))"


def kept(drafts: Path) -> list[str]:
    return [path.read_text() for path in drafts.rglob("*.md")]


@pytest.mark.parametrize("variable", ["VISUAL", "EDITOR"])
def test_the_person_s_editor_gets_the_lines_and_its_text_is_put_in_their_place(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path, variable: str
) -> None:
    before = sandbox.read(LOG)
    editor(f"assert file.read_text() == '- The staging port is 8443\\n'\n{REPLACE}", variable)
    done = run("edit", sandbox.address("staging port"), "--reason", "moved", "--json")
    assert (done.code, done.json["action"], done.json["reason"]) == (0, "edit", "moved")
    assert done.json["became"] == [sandbox.address("9000")]
    assert sandbox.read(LOG) == before.replace(b"8443", b"9000")
    assert list(drafts.iterdir()) == []
    assert run("undo").code == 0
    assert sandbox.read(LOG) == before


def test_an_editor_that_saves_by_renaming_and_leaves_files_beside_is_understood(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path
) -> None:
    editor(
        "file.rename('entry.md~')\n"
        "pathlib.Path('new').write_text('- new\\n')\n"
        "pathlib.Path('new').rename(file)"
    )
    assert run("edit", sandbox.address("staging port")).code == 0
    assert b"\n- new\n" in sandbox.read(LOG)
    assert list(drafts.iterdir()) == []


def test_what_was_written_is_kept_when_the_entry_changed_meanwhile(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path
) -> None:
    log = sandbox.root / LOG
    editor(
        f"{REPLACE}\nlog = pathlib.Path({str(log)!r})\nlog.write_text(log.read_text().replace('8443', '1'))"
    )
    result = run("edit", sandbox.address("staging port"))
    assert result.code == 2
    assert b"port is 1\n" in sandbox.read(LOG)
    assert kept(drafts) == ["- The staging port is 9000\n"]
    assert str(next(drafts.rglob("*.md"))) in result.err
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "1"


def test_a_text_that_is_refused_is_kept_too(run: Run, sandbox: Sandbox, editor: Editor, drafts: Path) -> None:
    before = sandbox.snapshot()
    editor("file.write_text('```\\nnever closed\\n')")
    result = run("edit", sandbox.address("staging port"), "--json")
    assert result.json["error"]["code"] == "not-curatable"
    assert str(drafts) in result.json["error"]["hint"]
    assert kept(drafts) == ["```\nnever closed\n"]
    assert sandbox.snapshot() == before


@pytest.mark.parametrize(
    ("script", "left"), [("sys.exit(3)", []), (f"{REPLACE}; sys.exit(3)", ["- The staging port is 9000\n"])]
)
def test_an_editor_that_fails_changes_nothing_and_loses_nothing(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path, script: str, left: list[str]
) -> None:
    before = sandbox.snapshot()
    editor(script)
    result = run("edit", sandbox.address("staging port"))
    assert result.code == 1
    assert "status 3" in result.err
    assert kept(drafts) == left
    assert sandbox.snapshot() == before


def test_an_editor_that_takes_its_file_away_changes_nothing(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path
) -> None:
    editor("file.unlink()")
    result = run("edit", sandbox.address("staging port"))
    assert result.code == 1
    assert "left no readable text" in result.err
    assert list(drafts.iterdir()) == []


def test_ctrl_c_in_the_editor_is_the_editor_s_affair(run: Run, sandbox: Sandbox, editor: Editor) -> None:
    editor(
        "import os, signal\n"
        "signal.signal(signal.SIGINT, lambda *_: None)\n"
        "os.kill(os.getppid(), signal.SIGINT)\n" + REPLACE
    )
    assert run("edit", sandbox.address("staging port")).code == 0
    assert b"9000" in sandbox.read(LOG)


def test_what_was_written_is_kept_when_the_action_is_interrupted(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    editor(REPLACE)
    monkeypatch.setattr("workbench.workspace.transaction.Operations.carry_out", interrupted)
    result = run("edit", sandbox.address("staging port"))
    assert result.code == 130
    assert kept(drafts) == ["- The staging port is 9000\n"]
    assert str(drafts) in result.err


def test_a_text_that_was_left_as_it_is_changes_nothing(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path
) -> None:
    editor("pass")
    result = run("edit", sandbox.address("staging port"))
    assert "nothing to change" in result.err
    assert list(drafts.iterdir()) == []
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "1"


def test_the_draft_is_private_and_outside_of_the_workspace_and_so_is_the_editor(
    run: Run, sandbox: Sandbox, editor: Editor, drafts: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    inside = sandbox.root / "tmp"
    inside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(inside))
    editor(
        f"pathlib.Path({str(seen)!r}).write_text('\\n'.join([str(file.resolve()), oct(file.stat().st_mode),"
        " oct(file.resolve().parent.stat().st_mode), str(pathlib.Path.cwd())]))"
    )
    run("edit", sandbox.address("staging port"))
    path, mode, folder_mode, folder = seen.read_text().split("\n")
    assert not Path(path).is_relative_to(sandbox.root)
    assert not Path(path).exists()
    assert (mode, folder_mode) == ("0o100600", "0o40700")
    assert folder == str(Path(path).parent)


def test_no_program_of_the_workspace_is_the_editor(
    run: Run, sandbox: Sandbox, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = sandbox.write("evil", "#!/bin/sh\ntouch ran\n")
    script.chmod(0o755)
    sandbox.write("workbench.yaml", "")
    monkeypatch.setenv("VISUAL", "./evil")
    result = run("edit", sandbox.address("staging port"))
    assert result.code == 1
    assert "cannot be started" in result.err
    assert not list(sandbox.root.rglob("ran"))


@pytest.mark.parametrize(("said", "reason"), [("", "no editor"), ("vi 'x", "command")])
def test_without_an_editor_the_person_is_told_how(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, said: str, reason: str
) -> None:
    monkeypatch.setenv("VISUAL", said)
    monkeypatch.delenv("EDITOR", raising=False)
    result = run("edit", sandbox.address("staging port"))
    assert result.code == 2
    assert reason in result.err


def test_the_new_lines_come_as_an_option_or_from_standard_input(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sandbox.read(LOG)
    address = sandbox.address("staging port")
    shown = run("edit", address, "--text", "- The port is 9000", "--dry-run")
    assert "+- The port is 9000" in shown.out
    assert sandbox.read(LOG) == before
    assert run("edit", address, "--text", "- The port is 9000").code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"- The port\n  is \xff\n")))
    assert run("edit", sandbox.address("9000"), "--from-stdin").code == 0
    assert sandbox.read(LOG) == before.replace(b"- The staging port is 8443", b"- The port\n  is \xff")
    assert run("edit", address, "--text", "x", "--from-stdin").code == 2


def test_plain_words_keep_the_list_marker_and_the_provenance(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write("MEMORY.md", "# M\n\n- a\n- likes tea <!-- wb: id=m1 -->\n- c\n")
    done = run("edit", sandbox.address("tea", "MEMORY.md"), "--text", "likes coffee")
    assert done.code == 0
    assert sandbox.read("MEMORY.md") == b"# M\n\n- a\n- likes coffee <!-- wb: id=m1 -->\n- c\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"likes both\nin turn\n")))
    assert run("edit", sandbox.address("coffee", "MEMORY.md"), "--from-stdin").code == 0
    assert sandbox.read("MEMORY.md") == b"# M\n\n- a\n- likes both\n  in turn <!-- wb: id=m1 -->\n- c\n"


def test_merge_makes_one_of_several(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    named = sandbox.address("tea", "MEMORY.md"), sandbox.address("Atlas", "MEMORY.md")
    assert "-- Likes tea" in run("merge", *named, "--dry-run").out
    assert sandbox.snapshot() == before
    done = run("merge", *named, "--text", "Atlas likes tea", "--reason", "one story", "--json").json
    assert (done["action"], done["entries"], done["became"]) == (
        "merge",
        list(named),
        [sandbox.address("Atlas likes tea", "MEMORY.md")],
    )
    assert run("undo").code == 0
    assert sandbox.snapshot() == before
    assert run("merge", named[0]).code == 2


def test_an_entry_is_promoted_into_another(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    target = sandbox.address("Atlas", "MEMORY.md")
    done = run("promote", sandbox.address("staging port"), "--into", target)
    assert done.code == 0
    assert "→ Project Facts" in done.out
    subject = sandbox.git("log", "-1", "--format=%s").strip()
    assert subject == "promote: The staging port is 8443 → into The project is called Atlas"
    assert b"- The project is called Atlas. The staging port is 8443 <!-- wb:" in sandbox.read("MEMORY.md")
    assert run("promote", sandbox.address("tantivy"), "--into", target).code == 2
    assert run("undo").code == 0
    assert sandbox.snapshot() == before


def test_a_pin_is_set_and_taken_off(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    address = sandbox.address("staging port")
    assert "+pinned: true" in run("pin", EPISODE, "--dry-run").out
    assert run("pin", address, "--json").json["became"] == [address]
    assert sandbox.workspace.find(address).pinned
    assert run("pin", address).code == 2
    assert run("pin", address, "--off").code == 0
    assert sandbox.snapshot() == before
