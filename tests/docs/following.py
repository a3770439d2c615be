"""Following a page as a reader does: its commands in their order, in one folder after the other.

``python -m tests.docs.following docs/tutorial.md`` prints what each block prints, for whoever writes a page.

A word in capitals stands for what the reader takes from the screen: the first such thing in the newest output
that has one.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.comparing import difference, shape_difference
from tests.docs.grounds import GROUNDS
from tests.docs.pages import PROJECT, Block, Page, read_page
from tests.support import forked

TAKEN = {
    "ENTRY": re.compile(r"(?<![\w/.-])[\w/.-]+\.md#[0-9a-f]{12}(?:~\d+)?"),
    "OPERATION": re.compile(r"^[0-9a-f]{12}(?=  \d{4}-)", re.MULTILINE),
    "PROPOSAL": re.compile(r"^[0-9a-f]{8}(?=  (?:add|merge|supersede|archive|forget)\b)", re.MULTILINE),
    "RUN": re.compile(r"^\d{8}-\d{6}(?=  .* proposed, accepted)", re.MULTILINE),
    "EPISODE": re.compile(r"\be\d\d\b|\bepisodes/\d{4}/\d\d/[\w.-]+\.md"),
}
"""What the words in capitals are replaced by; tutorial.md tells readers the same in words."""
_TAKEN = re.compile(rf"\b(?:{'|'.join(TAKEN)})\b")
_LIMIT = 600


class PageError(AssertionError):
    """A page that does not hold; the message names the block."""


@dataclass
class Reader:
    """Somebody at a terminal: their home, the folder they are in, and what they saw last."""

    home: Path
    folder: Path
    seen: list[str] = field(default_factory=list)

    def run(self, block: Block) -> str:
        """What the block prints on the terminal. Raises PageError where it ends in another way than told.

        A block with words in capitals is run line by line: each takes them from what was printed before it.
        """
        commands = block.text.splitlines() if _TAKEN.search(block.text) else [block.text]
        printed = ""
        for number, command in enumerate(commands, 1):
            said, mark, remark = command.partition("  # ")
            script = _TAKEN.sub(lambda word: self._taken(word[0], block), said) + mark + remark
            code, text = self._run(script)
            printed += text
            if code != (block.exit_code if number == len(commands) else 0):
                raise PageError(f"{block.place} ended with {code}:\n{script}\n{printed}")
        return printed.replace(str(self.home), "/home/you")

    def _taken(self, word: str, block: Block) -> str:
        """What a word in capitals stands for by now."""
        found = (TAKEN[word].search(text) for text in reversed(self.seen))
        first = next((one for one in found if one), None)
        if first is None:
            raise PageError(f"{block.place}: nothing above shows what {word} stands for")
        return first[0]

    def _run(self, script: str) -> tuple[int, str]:
        where = self.home / ".folder"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"trap 'pwd >{where}' EXIT\n{script}"],
            cwd=self.folder,
            env=environment(self.home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_LIMIT,
        )
        self.seen.append(done.stdout)
        self.folder = Path(where.read_text().rstrip("\n"))
        return done.returncode, done.stdout


def environment(home: Path) -> Mapping[str, str]:
    """What a new terminal of this person has, and nothing of whoever runs the tests."""
    beside = Path(sys.executable).parent
    return {
        "HOME": str(home),
        "PATH": f"{forked.folder_with_program()}:{beside}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(PROJECT),
        "PYTHONUNBUFFERED": "1",  # lines come in the order in which a terminal shows them
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
    }


def follow(page: Page, make_reader: Callable[[str], Reader]) -> Iterator[tuple[Block, str]]:
    """Each block that is run, with what it printed. Raises PageError where that is not what is shown.

    ``make_reader`` makes a reader who stands on a ground.
    """
    reader: Reader | None = None
    for block, following in zip(page.blocks, (*page.blocks[1:], None), strict=True):
        if block.begins:
            reader = None
        if block.language != "sh" or block.not_run:
            continue
        reader = reader or make_reader(block.ground)
        printed = reader.run(block)
        yield block, printed
        wrong = _compared(following, printed) if following is not None else ""
        if wrong:
            raise PageError(f"{block.place}: {wrong}")


def _compared(shown: Block, printed: str) -> str:
    """What is wrong with what was printed, where the block behind the commands shows it."""
    if shown.language == "text":
        return difference(shown.text, printed)
    if shown.language == "json":
        answers = (line for line in reversed(printed.splitlines()) if line.startswith(("{", "[")))
        found = shape_difference(shown.text, next(answers, "null"))  # beside it, a terminal shows narration
        return f"{found}\n{printed}" if found else ""
    return ""


def person(home: Path) -> Path:
    """A home with what git asks for, and with search by words: the tests have no time for a model."""
    settings = home / ".config" / "memory-workbench"
    settings.mkdir(parents=True)
    (settings / "settings.yaml").write_text("embedding:\n  providers: [none]\n")
    (home / ".gitconfig").write_text("[user]\n\tname = You\n\temail = you@localhost\n")
    return home


def make_demo(home: Path) -> Path:
    """The demo workspace with its index, in a home of its own."""
    person(home)
    for command in (["demo", "--no-open", "agent"], ["-w", "agent", "reindex"]):
        started = ["workbench", *command]
        subprocess.run(started, cwd=home, env=environment(home), check=True, capture_output=True)
    return home / "agent"


def readers(scratch: Path, demo: Path) -> Callable[[str], Reader]:
    """Makes readers by the name of their ground, each in a new home below ``scratch``."""
    numbers = itertools.count(1)

    def made(ground: str) -> Reader:
        home = person(scratch / f"you{next(numbers)}")
        return Reader(home, GROUNDS[ground](home, demo))

    return made


def _show(path: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "demo").mkdir()
        demo = make_demo(Path(scratch) / "demo")
        for block, printed in follow(read_page(PROJECT / path), readers(Path(scratch), demo)):
            sys.stdout.write(f"--- {block.place}\n{block.text}{printed}")


if __name__ == "__main__":
    _show(sys.argv[1])
