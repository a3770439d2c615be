"""The command line says every setting and key, where it comes from, and changes one in place."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

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
    assert "settings.yaml:1: 'colour' is ignored" in result.err
    assert run("status").code == 0
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
    assert "must be between 0 and 1, not '3'" in run("config", "set", "inject_threshold", "3").err
    sandbox.write("workbench.yaml", "memory_budget: 7\n")
    assert "line 1 of workbench.yaml overrides it" in run("config", "set", "memory_budget", "9").err


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
    assert "| `u` | Undo the last operation" in run("keys").out
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


def test_an_unknown_setting_is_a_warning_and_everything_works(
    run: Run, sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("embedding_providers: [none]\n# mine\nmemory_budgte: 9\n")
    assert run("reindex").code == 0
    for command in (
        ("search", "staging port", "--mode", "lexical"),
        ("status",),
        ("context", "is the staging port 8443 still right?", "--with-memory"),
        ("promote", sandbox.address("staging port")),
    ):
        done = run(*command)
        assert done.code == 0, done.err
        assert done.err.count("settings.yaml:3: 'memory_budgte' is ignored") == 1
        assert done.err.count("did you mean memory_budget?") == 1
        assert done.out
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"prompt": "is the staging port 8443 still right?"}'))
    )
    hook = run("context", "--hook", "--with-memory")
    assert hook.code == 0
    assert "staging port" in hook.out
    assert "memory_budgte" in hook.err
    assert run("config", "--check").code == 4


def test_a_wrong_value_is_its_default_for_reading_and_refused_for_writing(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "memory_budget: much\n")
    done = run("status", "--json")
    assert done.json["budget"]["limit"] == 10_000
    assert "workbench.yaml:1: memory_budget must be a positive whole number" in done.err
    refused = run("promote", sandbox.address("staging port"))
    assert refused.code == 2
    assert "memory_budget" in refused.err
    assert run("config", "--check").code == 4


@pytest.mark.parametrize(
    ("name", "hint"),
    [("search_preest", "did you mean search_preset?"), ("search_rrf", "chooses the weights")],
)
def test_a_misspelt_setting_of_the_search_is_told_before_one_of_older_versions(
    run: Run, name: str, hint: str
) -> None:
    done = run("config", "set", name, "openclaw")
    assert done.code == 2
    assert hint in done.err


def test_what_is_to_be_left_out_stops_a_hook_when_it_is_misspelt(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "exlude: [memory/**]\n")
    done = run("context", "is the staging port 8443 still right?")
    assert done.code == 2
    assert done.out == ""
    assert "did you mean exclude?" in done.err
