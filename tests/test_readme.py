"""The README and the pages that it leads to show what the program has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screens.actions.registry import key_table
from workbench import __version__
from workbench.cli.program import workbench

PROJECT = Path(__file__).resolve().parents[1]


def test_the_table_of_keys_is_what_the_registry_says() -> None:
    assert (PROJECT / "docs" / "keys.md").read_text().endswith(key_table()), "run python docs/make_keys.py"


@pytest.mark.parametrize("name", [n for n, c in workbench.commands.items() if not c.hidden])
def test_every_command_is_in_the_overview(name: str) -> None:
    overview = (PROJECT / "docs" / "command-line.md").read_text()
    assert f"`{name}`" in overview or f"`workbench {name}" in overview or f"`{name} " in overview


@pytest.mark.parametrize("paper", ["README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_every_picture_and_paper_that_is_linked_exists(paper: str) -> None:
    text = (PROJECT / paper).read_text()
    for target in [part.partition(")")[0].partition("#")[0] for part in text.split("](")[1:]]:
        if "://" not in target:
            assert (PROJECT / target).exists(), target


@pytest.mark.parametrize(
    ("paper", "most"), [("README.md", 15_360), ("SECURITY.md", 8_192), ("ARCHITECTURE.md", 12_288)]
)
def test_what_everybody_reads_is_short(paper: str, most: int) -> None:
    assert (PROJECT / paper).stat().st_size <= most


def test_the_version_is_the_newest_one_in_the_changelog() -> None:
    versions = re.findall(
        r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", (PROJECT / "CHANGELOG.md").read_text(), re.M
    )
    assert versions[0] == __version__


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
