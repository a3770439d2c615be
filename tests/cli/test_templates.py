"""Templates are listed with the notes, and are no memory: not searched, not dreamt of, not learnt from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.workspace.layout import USUAL, is_template

FORMS = (
    "memory/TEMPLATE-decision.md",
    "memory/template_weekly.md",
    "memory/templates/daily.md",
    "TEMPLATE.md",
)
FACT = "We decided to keep the quayside ledger in PostgreSQL."


@pytest.fixture(autouse=True)
def forms(sandbox: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    for path in FORMS:
        sandbox.write(path, f"# Decision\n\n- {FACT} <!-- wb: trust=owner -->\n")
    sandbox.write("graph/technology/template-engine.md", "---\nname: Template engine\n---\n- [fact] Jinja\n")


def test_a_template_is_not_searched_and_not_given(run: Run) -> None:
    run("reindex")
    assert run("search", "quayside", "--json").json["hits"] == []
    assert "quayside" not in run("context", "which ledger do we keep at the quayside?").out
    assert len(run("search", "jinja", "--json").json["hits"]) == 1
    assert run("verify").code == 0


def test_a_template_is_listed_with_the_files(run: Run) -> None:
    assert run("status", "--json").json["files"]["note"] == len(FORMS)


def test_nothing_is_dreamt_of_a_template(run: Run, sandbox: Sandbox) -> None:
    assert "quayside" not in run("dream", "--dry-run").out
    considered = run("dream", "--dry-run", "--json").json["considered"]
    sandbox.write("memory/2026-03-15-decision.md", sandbox.read(FORMS[0]))
    assert run("dream", "--dry-run", "--json").json["considered"] == considered + 1


@pytest.mark.parametrize(
    "path", ["memory/2026-03-14-template-engine.md", "graph/concept/template.md", "memory/contemplate.md"]
)
def test_a_log_or_page_about_templates_is_none(path: str) -> None:
    assert not is_template(path, USUAL.kind_of(path))
