"""The site: built with warnings as errors, complete, the same as the program, and asking nobody else."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from screens.actions.registry import ACTIONS
from tests.docs.pages import DOCS, PROJECT
from workbench.agent.tools.tool import TOOLS
from workbench.cli.program import workbench
from workbench.config.settings import DECLARED

FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""What a browser asks for by itself when it shows a page."""


class Fetches(HTMLParser):
    """Every address that a browser would fetch to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "link" and said.get("rel") == "canonical":
            return
        self.found += [value for name, value in attrs if value and (tag, name) in FETCHED]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does it."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(place)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return place


def test_it_is_built_without_a_warning_and_every_page_is_there(site: Path) -> None:
    made = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    assert pages <= made


def test_showing_a_page_asks_no_other_host(site: Path) -> None:
    fetched = 0
    for page in site.rglob("*.html"):
        reader = Fetches()
        reader.feed(page.read_text(encoding="utf-8"))
        fetched += len(reader.found)
        assert not [address for address in reader.found if re.match(r"(?:https?:)?//", address)], page
    assert fetched > 100
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", text), style


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(
        r"[\w/-]+\.md", yaml.safe_dump(yaml.safe_load((PROJECT / "mkdocs.yml").read_text())["nav"])
    )
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The pages that are made from the program, as it is now."""
    return dict(runpy.run_path(str(DOCS / "make_reference.py"))["pages"]())


def test_the_pages_that_are_made_from_the_program_are_as_it_is(made: dict[str, str]) -> None:
    for path, text in made.items():
        assert (DOCS / path).read_text(encoding="utf-8") == text, "run python docs/make_reference.py"


def test_the_reference_leaves_nothing_out(made: dict[str, str]) -> None:
    for name, command in workbench.commands.items():
        assert command.hidden or f"\n### {name}\n" in made["reference/commands.md"], name
    for name in DECLARED:
        assert f"| `{name}` |" in made["reference/settings.md"], name
    for name in TOOLS:
        assert f"\n## {name}\n" in made["reference/tools.md"], name
    keys = (DOCS / "keys.md").read_text(encoding="utf-8")
    assert all(action.help in keys for action in ACTIONS)


def test_no_page_names_a_place_on_the_machine_that_made_it() -> None:
    for path in (*DOCS.rglob("*.md"), PROJECT / "mkdocs.yml"):
        for word in ("/root/", "/tmp/", "pypi.org", "index-url"):
            assert word not in path.read_text(encoding="utf-8"), (path, word)
