"""Wiki links of a page, led to another entity: names change, what a reader sees of running text does not."""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.graph.page_names import is_linkable

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
