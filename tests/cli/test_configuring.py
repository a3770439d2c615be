"""The command line says every setting and key, where it comes from, and changes one in place."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox


def test_config_lists_values_and_origins(run: Run, person: Path, sandbox: Sandbox) -> None:
    (person / "settings.yaml").write_text("embedding_key: hush\ntheme: light\n")
    sandbox.write("workbench.yaml", "memory_budget: 7\n")
    found = {one["name"]: one for one in run("config", "--json").json["settings"]}
    assert (found["theme"]["origin"], found["theme"]["line"]) == ("own", 2)
    assert (found["memory_budget"]["value"], found["memory_budget"]["origin"]) == (7, "workspace")
    assert found["embedding_key"]["value"] is True
    text = run("config").out + run("config", "show", "embedding_key").out
    assert "hush" not in text
    assert "your own file" in text
    assert "characters" in run("config", "show", "memory_budget").out


def test_config_check_says_what_is_wrong_also_where_nothing_else_opens(run: Run, person: Path) -> None:
    assert run("config", "--check").code == 0
    (person / "settings.yaml").write_text("colour: blue\n")
    result = run("config", "--check")
    assert result.code == 4
    assert "settings.yaml:1: 'colour' means nothing here" in result.err
    assert run("status").code == 2
    assert run("config", "unset", "colour").code == 0
    assert run("config", "--check").code == 0


def test_set_and_unset_change_ones_own_file(run: Run, person: Path, sandbox: Sandbox) -> None:
    file = person / "settings.yaml"
    file.write_text("# mine\n")
    assert "would write theme: light" in run("config", "set", "theme", "light", "--dry-run").out
    assert file.read_text() == "# mine\n"
    assert run("config", "set", "theme", "light").code == 0
    assert run("config", "set", "exclude", "a", "b").code == 0
    assert file.read_text() == "# mine\ntheme: light\nexclude: [a, b]\n"
    assert run("config", "unset", "theme").code == 0
    assert file.read_text() == "# mine\nexclude: [a, b]\n"
    assert "there is no theme 'nope'" in run("config", "set", "theme", "nope").err
    assert "must be between 0 and 1, not '3'" in run("config", "set", "search_recency", "3").err
    sandbox.write("workbench.yaml", "memory_budget: 7\n")
    assert "line 1 of workbench.yaml goes before it" in run("config", "set", "memory_budget", "9").err


def test_the_workspaces_file_is_changed_by_an_operation(run: Run, sandbox: Sandbox) -> None:
    assert (
        "+memory_budget: 9" in run("config", "set", "memory_budget", "9", "--workspace-file", "--dry-run").out
    )
    assert run("config", "set", "memory_budget", "9", "--workspace-file").code == 0
    assert sandbox.read("workbench.yaml") == b"memory_budget: 9\n"
    assert run("undo").code == 0
    assert not (sandbox.root / "workbench.yaml").exists()
    assert run("config", "set", "model", "x", "--workspace-file").code == 2


def test_keys_are_listed_by_profile_and_checked(run: Run, person: Path) -> None:
    assert "| `u` | Take the last action back" in run("keys").out
    assert "| `ctrl+r` `U` |" in run("keys", "--profile", "vim").out
    assert run("keys", "--profile", "vmi").code == 2
    assert run("keys", "--check").code == 0
    (person / "keys.toml").write_text('profile = "vim"\n[keys]\nundo = ["Z"]\nforgte = ["x"]\n')
    result = run("keys", "--check")
    assert result.code == 4
    assert "keys.toml:4: there is no action “forgte”; did you mean “forget”?" in result.err
    found = run("keys", "--json").json
    assert found["profile"] == "vim"
    assert next(one["keys"] for one in found["keys"] if one["action"] == "undo") == ["Z"]
    assert [problem["line"] for problem in found["problems"]] == [4]
