"""Memory as OpenClaw, Obsidian and basic-memory read it: small readers of what each of them documents."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

_ID = re.compile(r"\s\^([A-Za-z0-9-]+)\Z")
_WIKI = re.compile(r"!?\[\[([^\[\]|#]*)(?:#([^\[\]|]+))?(?:\|[^\[\]]*)?\]\]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OBSERVATION = re.compile(r"\[([^\[\]()]+)\]\s+(.+)", re.DOTALL)
_TASK = re.compile(r"\[[ xX/>?-]\]\s")
_RELATION = re.compile(
    r"(?:(?P<word>[^\s\[\]]+)|\"(?P<words>[^\"]+)\")\s*\[\[(?P<to>[^\[\]]+)\]\](?P<rest>.*)", re.S
)


def tokens(data: bytes) -> list[Token]:
    """The file's blocks and words as markdown-it reads them, without its front matter."""
    return MarkdownIt("commonmark").enable("table").parse(body(data))


def body(data: bytes) -> str:
    """The text behind the front matter."""
    text = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
    return text.split("\n---\n", 1)[1] if text.startswith("---\n") and "\n---\n" in text else text


def front_matter(data: bytes) -> dict[str, Any] | None:
    """The front matter as PyYAML reads it."""
    text = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith("---\n"):
        return None
    found = yaml.safe_load(text[4:].split("\n---\n", 1)[0])
    assert isinstance(found, dict)
    return found


def shown(data: bytes) -> str:
    """What a reader of the rendered page sees of it: words, without marks and comments."""
    words = (token.content for token in tokens(data) if token.type in ("inline", "fence", "code_block"))
    return "\n".join(_COMMENT.sub("", text).strip() for text in words)


def paragraphs(data: bytes) -> Iterator[tuple[str, bool]]:
    """The text of each paragraph, and whether it stands in a list item; none of those in quotes."""
    quotes = items = 0
    previous = ""
    for token in tokens(data):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        items += token.nesting if token.type.startswith("list_item") else 0
        if token.type == "inline" and previous == "paragraph_open" and not quotes:
            yield token.content, items > 0
        previous = token.type


# -- Obsidian ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vault:
    """A vault: the notes by their paths."""

    notes: Mapping[str, bytes]

    def blocks(self, path: str) -> Counter[str]:
        """The names of the blocks of a note: each stands at the end of its own block."""
        found = (
            _ID.search("\n" + token.content) for token in tokens(self.notes[path]) if token.type == "inline"
        )
        return Counter(match[1] for match in found if match)

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Each link: the note that it stands in, and the note and part that it names."""
        for path, data in self.notes.items():
            for token in tokens(data):
                if token.type == "inline":
                    for match in _WIKI.finditer(re.sub(r"`[^`]*`", "", token.content)):
                        yield path, match[1].strip(), (match[2] or "").strip()

    def leads_somewhere(self, path: str, note: str, part: str) -> bool:
        """Whether a link is followed to an existing note, and there to an existing heading or block."""
        there = path if not note else self.find(note)
        if there is None:
            return False
        if not part:
            return True
        if part.startswith("^"):
            return self.blocks(there)[part[1:]] == 1
        return part.rpartition("#")[2] in self.headings(there)

    def headings(self, path: str) -> set[str]:
        """The headings of a note, as links name them."""
        found = pairwise(tokens(self.notes[path]))
        return {after.content for token, after in found if token.type == "heading_open"}

    def find(self, note: str) -> str | None:
        """The note that a link names: by its path, else by the name of its file."""
        wanted = note.removesuffix(".md").casefold()
        for path in sorted(self.notes, key=lambda path: path.count("/")):
            stem = path.removesuffix(".md").casefold()
            if wanted in (stem, posixpath.basename(stem)):
                return path
        return None

    def dead(self) -> set[tuple[str, str, str]]:
        """The links that lead nowhere."""
        return {link for link in self.links() if not self.leads_somewhere(*link)}


# -- basic-memory --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Observation:
    """``- [category] content #tag (context)``"""

    category: str | None
    content: str
    tags: tuple[str, ...]
    context: str | None


def observations(data: bytes) -> list[Observation]:
    """What is observed on a note: paragraphs with a category, or with a tag."""
    found = []
    for text, _ in paragraphs(data):
        words = text.strip()
        typed = None if _TASK.match(words) else _OBSERVATION.match(words)
        is_tagged = any(word.startswith("#") for word in words.split())
        if _TASK.match(words) or not (typed or is_tagged):
            continue
        category, content = (typed[1].strip(), typed[2].strip()) if typed else (None, words)
        context = None
        if content.endswith(")") and "(" in content:
            content, _, context = content[:-1].rpartition("(")
        tags = tuple(word[1:] for word in content.split() if word.startswith("#"))
        found.append(Observation(category, content.strip(), tags, context))
    return found


def relations(data: bytes) -> list[tuple[str, str, str | None]]:
    """The relations of a note: those with a kind, and plain links, which are ``links_to``."""
    found: list[tuple[str, str, str | None]] = []
    for text, in_item in paragraphs(data):
        said = _RELATION.fullmatch(text.strip()) if in_item else None
        rest = said["rest"].strip() if said else ""
        if said and (not rest or re.fullmatch(r"\([^()]*\)", rest)):
            found.append((said["word"] or said["words"], said["to"], rest[1:-1] or None))
        else:
            found += [("links_to", target, None) for target in re.findall(r"\[\[([^\[\]]+)\]\]", text)]
    return found


# -- OpenClaw ------------------------------------------------------------------------------------------


def chunks(data: bytes, characters: int = 1_600) -> list[tuple[int, int, str]]:
    """The pieces that are embedded: whole lines up to so many characters, with the numbers of their lines."""
    out: list[tuple[int, int, str]] = []
    held: list[str] = []
    first = 1
    for number, line in enumerate(data.decode("utf-8").split("\n"), 1):
        if held and sum(map(len, held)) + len(held) + len(line) > characters:
            out.append((first, number - 1, "\n".join(held)))
            held, first = [], number
        held.append(line)
    return [*out, (first, first + len(held) - 1, "\n".join(held))]


def promotions(data: bytes) -> list[tuple[str, str]]:
    """What OpenClaw promoted by itself: the key in its marker, and the line below that."""
    lines = data.decode("utf-8").replace("\r\n", "\n").split("\n")
    marked = (
        (re.fullmatch(r"<!-- openclaw-memory-promotion:(\S+) -->", line), at) for at, line in enumerate(lines)
    )
    return [(found[1], lines[at + 1] if at + 1 < len(lines) else "") for found, at in marked if found]
