"""The pages of the documentation as tests see them: their blocks, in order, with what is said of each.

A page is Markdown. What a test needs to know stands in HTML comments, which no reader sees:

``<!-- stands on: GROUND -->``      what a reader has before the commands that follow: at the top of a page,
                                    and directly above a block with which another reader begins
``<!-- not run: REASON -->``        directly above a block that no test can run
``<!-- exits with N -->``           directly above a block whose last command ends so
``<!-- sample: NAME -->``           directly above a sample of a file format
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
_SAID = re.compile(r"<!--\s*(?P<key>stands on|not run|exits with|sample):\s*(?P<value>.*?)\s*-->", re.DOTALL)
_EXIT = re.compile(r"<!--\s*exits with (?P<code>\d+)\s*-->")
_BETWEEN = "heading_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block. ``line`` counts from 1, ``heading`` is the nearest above it.

    ``ground`` is what its reader had at first; with one that ``begins``, another reader takes over.
    """

    page: str
    line: int
    language: str
    text: str
    heading: str
    ground: str
    begins: bool = False
    not_run: str = ""
    exit_code: int = 0
    sample: str = ""

    @property
    def place(self) -> str:
        """``docs/tutorial.md:12``."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Page:
    """A page by its path in the project, and its blocks."""

    path: str
    blocks: tuple[Block, ...]

    @property
    def made(self) -> bool:
        """Whether it is made from the program, and so tells no reader what to type."""
        return (PROJECT / self.path).read_text(encoding="utf-8").startswith("<!-- made by ")

    @property
    def commands(self) -> tuple[Block, ...]:
        """What a reader types."""
        return tuple(block for block in self.blocks if block.language == "sh")

    def below(self, heading: str) -> str:
        """The commands between a heading and the next one. Raises ValueError where there are none."""
        found = "".join(block.text for block in self.commands if block.heading == heading)
        if not found:
            raise ValueError(f"{self.path} has no commands below {heading!r}")
        return found


def read_page(path: Path) -> Page:
    """The page in a file of the project."""
    return parse_page(path.relative_to(PROJECT).as_posix(), path.read_text(encoding="utf-8"))


def parse_page(path: str, text: str) -> Page:
    """The page that ``text`` is."""
    ground, heading, comment = "nothing", "", ""
    blocks: list[Block] = []
    tokens = MarkdownIt("commonmark").parse(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == _BETWEEN and following is not None:
            heading = following.content
        if token.type == "html_block":
            comment = token.content
            ground = _said(comment, "stands on") or ground
            continue
        if token.type == "fence" and token.map is not None:
            ends = _EXIT.search(comment)
            blocks.append(
                Block(
                    page=path,
                    line=token.map[0] + 1,
                    language=token.info.strip(),
                    text=token.content,
                    heading=heading,
                    ground=ground,
                    begins=bool(_said(comment, "stands on")) and bool(blocks),
                    not_run=_said(comment, "not run"),
                    exit_code=int(ends["code"]) if ends else 0,
                    sample=_said(comment, "sample"),
                )
            )
        comment = ""
    return Page(path, tuple(blocks))


def all_pages() -> tuple[Page, ...]:
    """The README and every page of the site."""
    return tuple(read_page(path) for path in (PROJECT / "README.md", *sorted(DOCS.rglob("*.md"))))


def _said(comment: str, key: str) -> str:
    return next((" ".join(f["value"].split()) for f in _SAID.finditer(comment) if f["key"] == key), "")
