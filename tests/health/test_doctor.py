"""The doctor as a whole: each check by itself, and what the command says and returns."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.health.conftest import Ward
from workbench.cli import main
from workbench.errors import WorkbenchError
from workbench.health.checks import CHECKS, examine
from workbench.health.finding import Check, Finding, Look
from workbench.health.subject import CheckSubject


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
    with pytest.raises(SystemExit) as leave:
        main()
    return int(leave.value.code or 0)


def test_a_sound_workspace_is_sound(ward: Ward) -> None:
    assert ward.findings() == []
    assert ward.fix() == []


def test_a_workspace_without_index_and_without_repository_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- likes tea\n")
    place = CheckSubject.open(tmp_path)
    found = {outcome.name: outcome for outcome in examine(place)}
    assert found["repository"].state == "fine"
    assert "histories, without commits" in found["repository"].seen
    assert all(outcome.state == "fine" for name, outcome in found.items() if outcome.family == "index")
    assert not (tmp_path / ".workbench").exists(), "looking makes nothing"


def test_every_check_has_a_name_of_its_own() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)


@pytest.mark.promise("Doctor", "a check fails itself", "it is reported as a finding, never a crash")
@pytest.mark.parametrize(
    "error", [ValueError("odd"), OSError(5, "Input/output error"), WorkbenchError("no", hint="do")]
)
def test_a_check_that_fails_is_a_finding_and_ends_nothing(ward: Ward, error: Exception) -> None:
    def broken(_: CheckSubject) -> Look:
        raise error

    checks = (Check("index", "broken", broken), Check("index", "whole", lambda _: iter(["seen"])))
    for fix in (False, True):
        first, second = examine(CheckSubject.open(ward.root), checks=checks, fix=fix)
        assert first.state == "finding"
        assert "the check itself failed" in first.findings[0].what
        assert second.state == "fine"


def test_a_repair_that_fails_or_changes_nothing_leaves_the_finding_with_the_reason(ward: Ward) -> None:
    def refuse() -> str:
        raise OSError(28, "No space left on device", "the-file")

    def look(_: CheckSubject) -> Look:
        yield Finding("one", repair=refuse)
        yield Finding("two", repair=lambda: "done")

    (outcome,) = examine(CheckSubject.open(ward.root), checks=(Check("index", "y", look),), fix=True)
    one, two = outcome.findings
    assert "the-file: No space left" in (one.refused or "")
    assert "still there" in (two.refused or "")
    assert outcome.state == "finding"


def test_the_command_tells_all_in_json_and_its_code_says_whether_something_remains(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ward.root)
    (ward.generation / "manifest.json").write_text("{")
    assert call(monkeypatch, "doctor", "--json") == 4
    told = json.loads(capsys.readouterr().out)
    (manifest,) = (one for one in told["checks"] if one["check"] == "manifest")
    assert manifest["state"] == "finding"
    assert manifest["findings"][0]["fixable"]
    assert manifest["findings"][0]["do"]
    assert call(monkeypatch, "doctor") == 4
    assert "manifest.json is truncated" in capsys.readouterr().out
    assert call(monkeypatch, "doctor", "--fix") == 0
    assert "fixed" in capsys.readouterr().out
    assert call(monkeypatch, "doctor", "--json") == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


def test_a_name_that_steers_a_terminal_is_shown_and_not_sent(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ward.root)
    (ward.state / "conflicts").mkdir(mode=0o700)
    (ward.state / "conflicts" / "x\x1b]0;owned\x07\u202e.md").write_text("words")
    assert call(monkeypatch, "doctor") == 4
    out = capsys.readouterr().out
    assert "\x1b]" not in out
    assert "\x07" not in out
    assert "\u202e" not in out


def test_the_doctor_loads_no_engine_of_vectors_and_no_model_where_there_are_none(ward: Ward) -> None:
    import subprocess

    code = (
        "import sys; from pathlib import Path\n"
        "from workbench.health.checks import examine; from workbench.health.subject import CheckSubject\n"
        "list(examine(CheckSubject.open(Path(sys.argv[1]))))\n"
        "print([m for m in ('lancedb', 'torch', 'sentence_transformers', 'onnxruntime', 'textual')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ward.root)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_weights_that_no_search_can_use_are_named(ward: Ward) -> None:
    (ward.root / "workbench.yaml").write_text("search_preset: evil\n")
    (finding,) = ward.findings("settings")
    assert "evil" in finding.what
    assert "is ignored" in finding.meaning
    assert "openclaw" in finding.do
