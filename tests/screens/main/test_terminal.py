"""The real thing in a pseudo-terminal: keys in, screen lines and git log out."""

from __future__ import annotations

from pathlib import Path

import pexpect
import pytest

from indexing.sync.run import reindex
from screens import terminal
from screens.actions.key_file import new_key_file
from tests.support.terminal import PATIENCE_SECONDS, RUN, Terminal
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


def test_open_search_promote_undo_quit(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    sandbox.git("config", "user.name", "Test Person")
    sandbox.git("config", "user.email", "test@localhost")
    terminal_ = Terminal(sandbox.root)
    terminal_.until(lambda text: "1 Logs" in text and "Likes tea" in text, "the panes")
    terminal_.keys("/staging")
    terminal_.until(lambda text: "2026-03-14.md:6" in text, "the hit")
    terminal_.keys("\r")
    terminal_.until(lambda text: "─ Search" not in text, "the search is closed")
    terminal_.keys("p")
    terminal_.until(lambda text: "Promoted" in text and "u undoes it" in text, "the toast")
    assert sandbox.git("log", "--format=%s", "-1").startswith("promote: The staging port is 8443")
    terminal_.keys("u")
    terminal_.until(lambda text: "Undone" in text, "undone")
    assert sandbox.git("log", "--format=%s", "-1").startswith("undo: ")
    assert b"staging" not in sandbox.read("MEMORY.md")
    assert sandbox.read(LOG) == LOG_TEXT.encode()
    terminal_.keys("q")
    terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    terminal_.child.close()
    assert terminal_.child.exitstatus == 0


def test_with_what_goes_wrong_sent_to_a_file_it_is_painted_all_the_same(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    away = f"import os; os.dup2(os.open({str(said)!r}, os.O_WRONLY | os.O_CREAT), 2); "
    terminal_ = Terminal(sandbox.root, run=away + RUN)
    terminal_.until(lambda text: "1 Logs" in text and "Likes tea" in text, "the panes")
    terminal_.keys("q")
    terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    assert "Likes tea" not in said.read_text()


def test_ctrl_c_twice_leaves_and_the_terminal_is_as_before(sandbox: Sandbox) -> None:
    terminal_ = Terminal(sandbox.root)
    terminal_.until(lambda text: "Likes tea" in text, "the panes")
    terminal_.keys("\x03")
    terminal_.until(lambda text: "again quits" in text, "the question")
    terminal_.keys("\x03\x03")  # the second asks anew where the first came long ago: the third leaves
    terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    left = terminal_.child.before
    terminal_.child.close()
    assert isinstance(left, bytes)
    assert b"\x1b[?1049l" in left
    assert terminal_.child.exitstatus == 0


def test_what_is_clicked_pasted_and_left_while_it_is_loaded_ends_as_later(sandbox: Sandbox) -> None:
    cold = Terminal(sandbox.root, columns=70, lines=24, run="")
    cold.until(lambda _: b"?1000h" in cold.raw, "it takes the mouse")
    cold.child.write("/\x1b[200~staging port\x1b[201~")

    def click_until(text: str) -> bool:
        """On the title, the tabs and the panes, as long as it is loaded."""
        cold.child.write("".join(f"\x1b[<0;20;{y}M\x1b[<0;20;{y}m" for y in (1, 2, 3, 12)))
        return "staging port" in text

    cold.until(click_until, "what was pasted")
    left = Terminal(sandbox.root, run="")
    left.until(lambda _: b"?1000h" in left.raw, "it takes the mouse")
    for terminal_ in (cold, left):
        terminal_.child.write("\x03\x03")
        terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
        left_with = terminal_.child.before
        assert isinstance(left_with, bytes)
        assert b"Error" not in left_with
        terminal_.child.close()
        assert terminal_.child.exitstatus == 0


def test_an_interface_that_crashes_says_so_by_its_exit_code(sandbox: Sandbox) -> None:
    broken = Terminal(
        sandbox.root, run=f"from screens.widgets.lines import HintLine; HintLine.render = None; {RUN}"
    )
    broken.child.expect("object is not callable|method returned an invalid", timeout=PATIENCE_SECONDS)
    broken.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    broken.child.close()
    assert broken.child.exitstatus == 1


def editor(folder: Path, script: str) -> str:
    """A program that edits the file it is given, as a person would in an editor."""
    program = folder / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_the_persons_own_editor_has_the_terminal_and_its_text_is_one_commit(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    script = "printf 'the editor is here'; test -t 0 && test -t 1 && sed -i 's/8443/9443/' \"$1\""
    terminal_ = Terminal(sandbox.root, EDITOR=editor(tmp_path, script))
    terminal_.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal_.keys("jj")
    terminal_.until(lambda text: f"{LOG}:6" in text, "the entry in the preview")
    terminal_.keys("e")
    terminal_.until(lambda text: "Edited" in text and "u undoes it" in text, "the toast")
    assert b"the editor is here" in terminal_.raw
    assert sandbox.read(LOG) == LOG_TEXT.replace("8443", "9443").encode()
    assert sandbox.git("log", "--format=%s", "-1").startswith("edit: ")
    terminal_.keys("q")
    terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize("script", ['echo more >> "$1"; exit 3', None])
def test_an_editor_that_fails_gives_the_terminal_back_and_what_was_written_is_named(
    sandbox: Sandbox, tmp_path: Path, script: str | None
) -> None:
    command = "editor" if script else "no-such-editor"  # by its name: how a toast wraps is not up to a path
    if script:
        editor(tmp_path, script)
    terminal_ = Terminal(sandbox.root, EDITOR=command, PATH=f"{tmp_path}:/usr/bin:/bin:/usr/local/bin")
    terminal_.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal_.keys("jj")
    terminal_.until(lambda text: f"{LOG}:6" in text, "the entry in the preview")
    terminal_.keys("e")
    said = "ended with status 3" if script else "cannot be started"
    terminal_.until(lambda text: said in " ".join(text.split()) and "1 Logs" in text, "the reason")
    if script:
        assert "your text is kept in" in " ".join(terminal_.text.split())
    assert sandbox.read(LOG) == LOG_TEXT.encode()
    terminal_.keys("q")
    terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)


def test_what_was_written_outside_stays_when_the_file_changed_meanwhile(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    theirs = LOG_TEXT.replace("8443", "7443")
    script = f"sed -i 's/8443/9443/' \"$1\"; sed -i 's/8443/7443/' {sandbox.root / LOG}"
    terminal_ = Terminal(sandbox.root, EDITOR=editor(tmp_path, script))
    terminal_.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal_.keys("jj")
    terminal_.until(lambda text: f"{LOG}:6" in text, "the entry in the preview")
    terminal_.keys("e")
    terminal_.until(lambda text: "It now says:" in text and "+- The staging port is 9443" in text, "both")
    assert sandbox.read(LOG) == theirs.encode()
    terminal_.keys("\x0f")
    terminal_.until(lambda text: "u undoes it" in text, "the toast")
    assert sandbox.read(LOG) == LOG_TEXT.replace("8443", "9443").encode()


def test_what_was_written_outside_stays_when_it_holds_a_secret(sandbox: Sandbox, tmp_path: Path) -> None:
    token = "ghp_" + "q7Zk2Vx9Lm4T" * 3
    terminal_ = Terminal(sandbox.root, EDITOR=editor(tmp_path, f"sed -i 's/8443/{token}/' \"$1\""))
    terminal_.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal_.keys("jj")
    terminal_.until(lambda text: f"{LOG}:6" in text, "the entry in the preview")
    terminal_.keys("e")
    terminal_.until(lambda text: "store a secret in git" in text, "the warning")
    assert sandbox.read(LOG) == LOG_TEXT.encode()
    terminal_.keys("n")
    terminal_.until(lambda text: f"- The staging port is {token}" in text and "save" in text, "the text")
    assert sandbox.read(LOG) == LOG_TEXT.encode()


@pytest.mark.parametrize("written", ['undo = ["Z"]', 'undo = ["d"]', "undo = "])
def test_the_file_of_keys_is_opened_from_the_palette_and_counts_at_once(
    sandbox: Sandbox, person: Path, tmp_path: Path, written: str
) -> None:
    keys = person / "keys.toml"
    program = editor(tmp_path, f'cp "$1" {tmp_path}/opened; echo \'{written}\' >> "$1"')
    terminal_ = Terminal(sandbox.root, EDITOR=program, WORKBENCH_KEYS=str(keys))
    terminal_.until(lambda text: "Likes tea" in text and "8443" in text, "the panes")
    terminal_.keys(":edit your keys")
    terminal_.until(lambda text: "Open keys.toml in the program" in " ".join(text.split()), "the palette")
    terminal_.keys("\r")
    said = {'undo = ["Z"]': "Z undo", 'undo = ["d"]': "d is “forget” in the same place"}
    terminal_.until(
        lambda text: said.get(written, "it is not TOML") in " ".join(text.split()), "what became of it"
    )
    assert (tmp_path / "opened").read_text() == new_key_file()
    assert keys.read_text() == f"{new_key_file()}{written}\n"
    terminal_.keys("q")
    terminal_.child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)


def test_a_dumb_terminal_is_refused_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert "set TERM" in (terminal.problem() or "")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert terminal.problem() is None


def test_without_a_terminal_it_names_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    assert "workbench --help" in (terminal.problem() or "")
