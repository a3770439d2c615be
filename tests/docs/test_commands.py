"""Every command that the documentation shows is run, page by page, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from markdown_it import MarkdownIt

from tests.docs.following import follow, readers
from tests.docs.pages import PROJECT, Page, all_pages
from workbench.cli.program import workbench

PAGES = all_pages()
WITH_COMMANDS = [page for page in PAGES if any(not block.not_run for block in page.commands)]
NOT_RUN = {
    "it installs programs from a package registry",
    "it removes the program",
    "it needs the agent's own program",
    "it opens an editor",
    "it opens the interface",
    "it needs git-filter-repo",
    "it needs a server elsewhere",
    "it sets up this project and runs its tests",
}
"""The only reasons for which a block is not run."""


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.path)
def test_every_command_of_the_page_does_what_it_says(page: Page, demo: Path, tmp_path: Path) -> None:
    ran = list(follow(page, readers(tmp_path, demo)))
    assert len(ran) == sum(not block.not_run for block in page.commands)


def test_what_is_not_run_has_one_of_few_reasons() -> None:
    left = [block for page in PAGES for block in page.commands if block.not_run]
    assert {block.not_run for block in left} == NOT_RUN
    ran = sum(len(page.commands) for page in PAGES) - len(left)
    assert len(left) * 4 < ran, "too much of the documentation is not run"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_commands_are_in_blocks_that_are_run(page: Page) -> None:
    """A fence without a language would hide a command from the tests."""
    for block in page.blocks:
        assert block.language, f"{block.place} does not say what it is"
        if block.language != "sh" and not page.made:
            assert not any(line.startswith("workbench ") for line in block.text.splitlines()), block.place


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_command_that_is_named_in_a_sentence_exists(page: Page) -> None:
    for named in _named(page):
        wrong = _unknown(named)
        assert not wrong, f"{page.path}: `{named}`: {wrong}"


def test_every_command_that_the_program_itself_names_exists() -> None:
    """A hint that names a command which is not there helps nobody."""
    named = 0
    for package in ("workbench", "indexing", "screens"):
        for path in sorted((PROJECT / package).rglob("*.py")):
            for said in re.findall(r"`(workbench (?!reindex\(|\(\?)[^`\n]+)`", path.read_text()):
                named += 1
                wrong = _unknown(re.sub(r"\{[^}]*\}", "X", said))
                assert not wrong, f"{path}: `{said}`: {wrong}"
    assert named > 100


def test_a_command_that_does_not_exist_is_noticed() -> None:
    assert _unknown("workbench promote --nonsense")
    assert _unknown("workbench graph nonsense")
    assert _unknown("workbench nonsense")
    assert not _unknown("workbench -w DIR search WORDS --json")


def _named(page: Page) -> list[str]:
    """The code within sentences that begins with the program's name."""
    tokens = MarkdownIt("commonmark").enable("table").parse((PROJECT / page.path).read_text())
    inline = [child for token in tokens for child in token.children or ()]
    return [t.content for t in inline if t.type == "code_inline" and t.content.startswith("workbench ")]


def _unknown(said: str) -> str:
    """What of a command line the program does not know; its arguments are not looked at."""
    words = shlex.split(said.replace("…", "").replace("|", " ").replace("[", "").replace("]", ""))[1:]
    command: click.Command = workbench
    while words:
        word = words.pop(0)
        if word.startswith("--") or (len(word) == 2 and word[0] == "-"):
            known = {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
            option = word.partition("=")[0]
            if option not in known and option not in ("-h", "--help"):
                return f"no option {option}"
            found = next((p for p in command.params if option in p.opts), None)
            if isinstance(found, click.Option) and not found.is_flag and "=" not in word and words:
                words.pop(0)
        elif isinstance(command, click.Group):
            if word in command.commands:
                command = command.commands[word]
            elif word.isupper() or "/" in word or word.startswith("~"):
                return ""
            else:
                return f"no command {word}"
    return ""
