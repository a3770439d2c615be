"""What the README shows is what the program has."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.actions.table import IN_OTHER_SCREENS, key_table
from workbench.cli.program import workbench

PROJECT = Path(__file__).resolve().parents[1]
README = (PROJECT / "README.md").read_text()


def test_the_tables_of_keys_are_what_the_registry_says() -> None:
    shown = README.partition("checked by a test -->\n")[2].partition("<!-- end of keys -->")[0]
    assert shown == key_table(without=IN_OTHER_SCREENS), "run python docs/make_keys.py"
    assert (PROJECT / "docs" / "keys.md").read_text().endswith(key_table()), "run python docs/make_keys.py"


@pytest.mark.parametrize("name", [n for n, c in workbench.commands.items() if not c.hidden])
def test_every_command_is_in_the_readme(name: str) -> None:
    assert f"`{name}`" in README or f"workbench {name}" in README


def test_every_picture_and_paper_that_is_linked_exists() -> None:
    for target in [part.partition(")")[0] for part in README.split("](")[1:]]:
        if "://" not in target:
            assert (PROJECT / target).exists(), target


def test_no_machine_path_or_host_is_named() -> None:
    for paper in (
        "README.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "constraints.txt",
    ):
        text = (PROJECT / paper).read_text()
        for word in ("/root/", "/home/", "/tmp/", "pypi.org", "index-url"):
            assert word not in text, (paper, word)
