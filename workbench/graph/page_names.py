"""How pages of the graph are named: in the file system, in links, and when two names are one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container

from workbench.memory.names import RelPath, digest

_CODE = re.compile(r"(?ms)^ {0,3}(?P<mark>```|~~~).*?(?:^ {0,3}(?P=mark)|\Z)|`[^`\n]{1,400}`")
_LINK = re.compile(
    r"(?<!\\)\[\[(?P<target>[^\[\]|#^\n]{1,400})(?P<part>[#^][^\[\]|\n]{0,200})?(?:\|(?P<shown>[^\[\]\n]{0,400}))?\]\]"
)
_RELATION = re.compile(r"[ \t]*[-*+][ \t]+[\w-]+(?: [\w-]+){0,3}[ \t]+\Z")


def relinked(text: str, is_old: Callable[[str], bool], new: str) -> str:
    """``text`` with every link whose target ``is_old`` leading to ``new``, a name or the name of a file.

    In running text the words that were shown stay (`[[Sarah Chen|Sarah]]`); the target of a relation, which
    is a line of its own, simply changes. Links in code are none.
    """
    if "[[" not in text:
        return text
    code = [found.span() for found in _CODE.finditer(text)]

    def led(found: re.Match[str]) -> str:
        target = found["target"].strip()
        if any(start <= found.start() < end for start, end in code) or not is_old(target):
            return found[0]
        shown = found["shown"]
        if shown is None and not _RELATION.match(text, text.rfind("\n", 0, found.start()) + 1, found.start()):
            shown = target
        words = f"|{shown}" if shown and shown != new else ""
        return f"[[{new}{found['part'] or ''}{words}]]"

    return _LINK.sub(led, text)


def link_target(name: str, stem: str) -> str:
    """What links to an entity say: its name, else that of its file."""
    return name if is_linkable(name) else stem


FOLDER = "graph/"
LONGEST_STEM = 120
"""Bytes of a file name without its end: with a suffix it stays far below the 255 that file systems take."""
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_UNLINKABLE = re.compile(r"[\[\]|#^\\<>]")


def slug(name: str) -> str:
    """``name`` as a part of a path: letters and digits of any script, joined by hyphens.

    A name without either (`../`, an emoji), or one that is too long, has digits of its hash.
    """
    kept = (
        c if _is_kept(c) else " " for c in _SELECTORS.sub("", unicodedata.normalize("NFKC", name).casefold())
    )
    stem = unicodedata.normalize("NFC", "-".join("".join(kept).split()))
    if not stem:
        return f"x-{digest(name, 8)}"
    if len(stem.encode()) > LONGEST_STEM:
        short = stem.encode()[:LONGEST_STEM].decode("utf-8", "ignore").strip("-")
        return f"{short}-{digest(name, 8)}"
    return stem


def page_path(name: str, kind: str, taken: Container[str]) -> RelPath:
    """A path for the page of a new entity that none of ``taken`` has.

    Links to a name that they cannot hold (`C#`) lead to the file, whose name must then be nobody else's.
    """
    stem = slug(name)
    longer = f"{stem}-{digest(name, 8)}"
    tries = [*([stem] if is_linkable(name) else []), longer, *(f"{longer}-{n}" for n in range(2, 100))]
    paths = (RelPath(f"{FOLDER}{kind}/{one}.md") for one in tries)
    return next(path for path in paths if path not in taken)


def is_linkable(name: str) -> bool:
    """Whether ``[[name]]`` is read back as this name."""
    return not _UNLINKABLE.search(name) and bool(name.strip())


def link(name: str, path: str, *, alone: bool = True) -> str:
    """The wiki link to the entity ``name`` at ``path``: by its name, else by its file.

    ``alone``: nobody else has that name; else the link says the whole path.
    """
    if is_linkable(name):
        return f"[[{name}]]" if alone else f"[[{path.removesuffix('.md')}|{name}]]"
    shown = " ".join(_UNLINKABLE.sub(" ", name).split())
    return f"[[{stem_of(path)}{'|' + shown if shown else ''}]]"


def stem_of(path: str) -> str:
    """The file name without its end."""
    return path.rpartition("/")[2].removesuffix(".md")


def _is_kept(character: str) -> bool:
    """Whether it is a letter, a digit, or a mark on one: vowels are marks in several scripts."""
    return unicodedata.category(character)[0] in "LNM"
