"""What a shell completes, in the shells themselves: the line is typed, TAB is pressed, the line is read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.cli.commands import COMMANDS
from workbench.cli.program import workbench
from workbench.cli.setup import SHELLS

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300.0
PROMPT = "ready> "
TYPED = (
    ("workbench prom", "workbench promote"),
    ("workbench con", "workbench con"),  # config, connect or context: nothing more is certain
    ("workbench inbox acc", "workbench inbox accept"),
    ("workbench search --mod", "workbench search --mode"),
    ("workbench search --mode key", "workbench search --mode keyword"),
    ("workbench config set theme high", "workbench config set theme high-contrast"),
    ("workbench config show search_pre", "workbench config show search_preset"),
    ("workbench config themes --show sep", "workbench config themes --show sepia"),
    ("workbench -w ~/garden get memory/2026-03-1", "workbench -w ~/garden get memory/2026-03-14.md"),
    ("workbench -w gar", "workbench -w garden/"),
    ("workbench gar", "workbench garden/"),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the program on its PATH, and a workspace in it."""
    made = Sandbox(tmp_path / "garden")
    made.close()
    program = tmp_path / "bin" / "workbench"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PROJECT)!r})\n"
        "from workbench.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    return tmp_path


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": f"{home / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PS1": PROMPT,
    }


def completed_at_a_prompt(shell: str, home: Path) -> list[str]:
    """What becomes of each line when TAB is pressed at its end, told by an ``echo`` put before it."""
    start = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[shell]
    child = pexpect.spawn(
        shell, start, cwd=str(home), env=environment(home), use_poll=True,
        encoding="utf-8", dimensions=(40, 200), timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    prepare = {
        "bash": "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'",
        "zsh": "unsetopt beep auto_remove_slash; bindkey -e; autoload -U compinit; compinit -u -D",
    }[shell]
    found = []
    try:
        child.sendline(f"{prepare}; source <(workbench completion {shell}); echo loaded $((20 + 22))")
        child.expect(r"loaded 42\r")
        for at, (typed, _) in enumerate(TYPED):
            child.send(f"{typed}\t\x01echo told{at}: \x05 :end\n")
            child.expect(rf"\ntold{at}: (workbench [^\r]*?) *:end\r")
            assert isinstance(child.match, re.Match)
            found.append(str(child.match.group(1)))
    finally:
        child.close(force=True)
    return found


def completed_by_fish(home: Path) -> list[str]:
    """As fish itself completes each line: the one candidate, else the line as it was."""
    script = "workbench completion fish | source\n" + "".join(
        f"echo line; complete --do-complete '{typed}'\n" for typed, _ in TYPED
    )
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=home, env=environment(home), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True,
    )  # fmt: skip
    found = []
    for (typed, _), said in zip(TYPED, done.stdout.split("line\n")[1:], strict=True):
        candidates = [line.partition("\t")[0] for line in said.splitlines()]
        begun = typed.rpartition(" ")[0]
        found.append(f"{begun} {candidates[0]}" if len(candidates) == 1 else typed)
    return found


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_shell_completes_commands_options_and_values(shell: str, home: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    found = completed_by_fish(home) if shell == "fish" else completed_at_a_prompt(shell, home)
    home_ = str(home)
    assert [line.replace(home_, "~") for line in found] == [wanted for _, wanted in TYPED]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_the_script_is_printed_and_nothing_else(shell: str, run: Run) -> None:
    done = run("completion", shell)
    assert done.code == 0
    assert f"_WORKBENCH_COMPLETE={shell}_complete" in done.out
    assert done.err == ""
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.out, text=True, check=True)


def test_an_unknown_shell_is_refused_with_those_there_are(run: Run) -> None:
    refused = run("completion", "tcsh")
    assert refused.code == 2
    assert "bash" in refused.err
    assert "fish" in refused.err


def offered(arguments: list[str], incomplete: str) -> list[CompletionItem]:
    return ShellComplete(workbench, {}, "workbench", "_WORKBENCH_COMPLETE").get_completions(
        arguments, incomplete
    )


def test_all_commands_are_offered_with_what_they_do() -> None:
    shown = {(c.name, c.summary) for group in COMMANDS.values() for c in group if not c.hidden}
    assert {(item.value, item.help) for item in offered([], "")} == shown
    assert "open" not in {item.value for item in offered([], "")}


def test_only_names_that_a_shell_takes_as_they_are_get_offered(sandbox: Sandbox) -> None:
    """A file's name comes from whoever writes to the workspace."""
    folder = sandbox.root / "memory"
    for name in ("2026-05-01.md", "$(touch x).md", "a b.md", "x\x1b[31m.md", "new\nline.md", "*.md", "ä.md"):
        (folder / name).write_text("- one\n")
    found = [item.value for item in offered(["-w", str(sandbox.root), "get"], "memory/")]
    assert "memory/2026-05-01.md" in found
    assert "memory/ä.md" in found
    assert [name for name in found if not re.fullmatch(r"memory/[\wä.-]+", name)] == []


def test_completing_writes_nothing_and_fails_nowhere(sandbox: Sandbox) -> None:
    before = {path: path.stat().st_mtime_ns for path in sandbox.root.rglob("*")}
    root = str(sandbox.root)
    assert offered(["-w", root, "get"], "")
    assert {path: path.stat().st_mtime_ns for path in sandbox.root.rglob("*")} == before
    assert offered(["-w", f"{root}/missing", "get"], "") == []
    assert offered([f"{root}/missing", "get"], "") == []
    assert offered(["no-such-command"], "") == []
    (sandbox.root / "workbench.yaml").write_text("{ not yaml")
    assert offered(["-w", root, "get"], "") == []


def test_registered_workspaces_are_offered_by_name(run: Run, sandbox: Sandbox) -> None:
    assert run("workspaces", "add", str(sandbox.root), "--name", "atlas").code == 0
    assert [item.value for item in offered(["-w"], "at")] == ["atlas"]
    assert [item.type for item in offered(["-w"], "./")] == ["dir"]
    (found,) = offered(["workspaces", "remove"], "")
    assert (found.value, found.help) == ("atlas", str(sandbox.root))
    assert offered(["workspaces", "remove"], "./") == []
    os.chdir("/")
    assert "MEMORY.md" in [item.value for item in offered(["-w", "atlas", "get"], "M")]
