"""Links that lead nowhere: relative Markdown links, ``[[wiki]]`` links, and the sources of provenance."""

from __future__ import annotations

import bisect
import os
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject, Corpus, about, fix_of
from workbench.memory.entry import Entry
from workbench.memory.frontmatter import FrontMatter
from workbench.workspace.layout import Layout, scan

_CODE = re.compile(r"(?ms)^ {0,3}(?P<mark>```|~~~).*?(?:^ {0,3}(?P=mark)|\Z)|`[^`\n]{1,400}`")
_LINK = re.compile(r"(?<!\\)\]\(\s{0,3}(?:<(?P<angle>[^<>\n]{1,1000})>|(?P<bare>[^\s()<>]{1,1000}))")
_WIKI = re.compile(
    r"(?<!\\)\[\[(?P<target>[^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]"
)
_DIRECTIVE = re.compile(r"(?:reply_to|audio_as|tts)\w*(?::.*)?")
"""What an agent writes for the program that sends its answers, in the same brackets."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SOURCE = re.compile(r"(?P<path>[^\s:#]+\.md)(?:#L(?P<first>[1-9]\d{0,8})(?:-L?\d{1,9})?)?")
_PAGES = (".md", ".markdown")
_ANY_FILE = ("**/*",)
_NO_FILES = ("**/.*", "**/.*/**", "**/node_modules/**")
"""Files outside of memory (pages, pictures) can be linked to as well, but for these."""


def links(subject: CheckSubject) -> Look:
    """Relative links, wiki links and sources of entries that are not there. What is in code is no link."""
    corpus, names = subject.corpus, _Names(subject)
    for document in corpus.documents:
        text = document.data.decode("utf-8", "replace")
        if "](" not in text and "[[" not in text:
            continue
        bare = _CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        dead = []
        for found in _LINK.finditer(bare):
            target = found["angle"] or found["bare"]
            if (path := _relative(document.path, target)) is not None and not names.is_there(path):
                dead.append((found.start(), target, "link"))
        for found in _WIKI.finditer(bare):
            if not (_DIRECTIVE.fullmatch(found["target"]) or names.is_known(found["target"])):
                dead.append((found.start(), found["target"].strip(), "wiki link"))
        agent = subject.workspace.layout.agent_of(document.path)
        lines = [at for at, character in enumerate(bare) if character == "\n"] if dead else []
        for start, target, sort in dead:
            is_planned = sort == "wiki link" and agent is not None and agent.plans_pages
            yield corpus.at_line(
                document.path,
                1 + bisect.bisect_left(lines, start),
                f"dead {sort}",
                f"the {sort} to {target} leads nowhere",
                "what it led to was moved, renamed or removed, or never made",
                "correct it, or make the page",
                "info" if is_planned else "warning",
                deeds=("edit",),
            )
    for entry in corpus.entries:
        for source in entry.provenance.all("src") if entry.provenance and entry.part == 1 else ():
            yield from _dead_source(corpus, names, entry, source)


def _dead_source(corpus: Corpus, names: _Names, entry: Entry, source: str) -> Iterator[Finding]:
    """An entry that says it comes from a file, or a line of it, which is not there."""
    said = _SOURCE.fullmatch(source)
    if said is None or said["path"].startswith("/"):
        return
    path = posixpath.normpath(said["path"])
    document = corpus.by_path.get(path)
    if not names.is_there(path):
        what, do = "is not there", "`workbench show ENTRY` looks for it in the history"
    elif document is not None and int(said["first"] or 1) >= len(document.line_starts):
        what, do = "has fewer lines than that", "`workbench show ENTRY` finds where it stood"
    else:
        return
    yield about(
        entry,
        "dead source",
        f"it says that it comes from {source}, which {what}",
        "where it comes from can be found in the history only",
        do,
        fixes=(fix_of(entry, "edit"),),
    )


class _Names:
    """What links can lead to: files, the names of pages, and what pages call themselves."""

    def __init__(self, subject: CheckSubject) -> None:
        self._root = subject.root
        self._elsewhere: frozenset[str] | None = None
        self._paths = set(subject.corpus.by_path)
        self._known: set[str] = set()
        for document in subject.corpus.documents:
            stem = posixpath.basename(document.path).rpartition(".")[0]
            self._known |= {_name(stem), _name(document.path), _name(document.path.rpartition(".")[0])}
            self._known |= {_name(called) for called in _called(document.front_matter)}
            if document.headings and document.headings[0].level == 1:
                self._known.add(_name(document.headings[0].path[-1]))

    def is_there(self, path: str) -> bool:
        """Whether a file or folder of the workspace has this path; nothing outside of it is looked at."""
        if path.startswith(("../", "/")) or path == "..":
            return True
        return path in self._paths or os.path.lexists(os.path.join(self._root, path))

    def is_known(self, target: str) -> bool:
        """Whether a wiki link's target is the name of a page, or a file."""
        name = target.strip()
        tail = posixpath.basename(name.rstrip("/"))
        if _name(name) in self._known or _name(tail) in self._known or self.is_there(name):
            return True
        if self._elsewhere is None:
            files = (file.path for file in scan(self._root, Layout(_ANY_FILE, _NO_FILES)))
            self._elsewhere = frozenset(_name(end) for path in files for end in _ends(path))
        return _name(name) in self._elsewhere


def _ends(path: str) -> Iterator[str]:
    """``a/b/c.md``, ``b/c.md``, ``c.md``: by any of them a wiki link may name a page."""
    parts = path.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)))


def _called(header: FrontMatter | None) -> Iterator[str]:
    """What the header of a page says it is called."""
    if header is None:
        return
    for key in ("name", "title", "id"):
        if text := header.text(key):
            yield text
    yield from header.list("aliases")


def _name(text: str) -> str:
    """Names are compared without case, and with blanks for hyphens and underscores."""
    bare = text.strip().casefold()
    for end in _PAGES:
        bare = bare.removesuffix(end)
    return " ".join(bare.replace("-", " ").replace("_", " ").split())


def _relative(page: str, target: str) -> str | None:
    """The path within the workspace that a link leads to; None for what is elsewhere or on the same page."""
    path = unquote(target.partition("#")[0].partition("?")[0])
    if not path or path.startswith(("/", "~")) or _SCHEME.match(path) or "\0" in path:
        return None
    if "/" not in path and "." not in path:
        return None  # `f(x)` after a bracket is no link to a file
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
