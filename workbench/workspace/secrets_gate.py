"""The last look at a text before git keeps it for good: does it hold a secret that is new there?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from operator import eq

from workbench.errors import SecretFoundError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.plural import first_few
from workbench.safety.secrets import TextFinding, secrets_in

_PLACES = 5
"""Places that an error names."""
_PURGE = "docs/purge.md of Memory Workbench says how to remove"
_AROUND = 8
"""Lines around a change that are looked at too."""
_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<letter>.))")


def require_no_new_secret(
    edits: Sequence[FileEdit], recorded: Callable[[RelPath], bytes | None], *, brings_back: bool = False
) -> None:
    """Raise SecretFoundError when ``edits`` would record a secret in a file that has been without it.

    ``recorded`` gives a file as it is in the last commit. A secret that stands there, in any of the files
    concerned, is not new (an older commit, or another file, may hold it all the same): what is moved,
    archived or set aside may keep it. ``brings_back``: the texts after the edits are the history's own
    (undo, redo, restore), so only those found on disk are looked at.
    """
    known = [_text(recorded(edit.path), edit.path) for edit in edits]
    places: dict[tuple[RelPath, str], tuple[str, bool]] = {}
    for edit, kept in zip(edits, known, strict=True):
        looked = [(kept, _text(edit.before, edit.path), True)]
        if not brings_back and edit.after != edit.before:
            looked.append((_text(edit.before, edit.path), _text(edit.after, edit.path), False))
        for old, new, on_disk in looked:
            for line, value, finding in _fresh(old, new):
                if not any(value in text for text in known):
                    shown = f"{edit.path}:{line}: {finding.rule} {finding.shown}"
                    places.setdefault((edit.path, value), (shown, on_disk))
    if places:
        every = [shown for shown, _ in places.values()]
        raise SecretFoundError(
            first_few(every, _PLACES), on_disk=any(on_disk for _, on_disk in places.values())
        )


def left_in_history(edits: Sequence[FileEdit]) -> tuple[str, ...]:
    """What to tell when ``edits`` take secrets out of the files, in one note: they are not unsaid by that."""
    kept = [_text(edit.after, edit.path) for edit in edits]
    found = {
        value: f"{finding.rule} {finding.shown}"
        for edit, after in zip(edits, kept, strict=True)
        for _, value, finding in _fresh(after, _text(edit.before, edit.path))
        if not any(value in text for text in kept)
    }
    if not found:
        return ()
    *others, last = list(found.values())[:_PLACES]
    if len(found) > _PLACES:
        others, last = [*others, last], f"{len(found) - _PLACES} more"
    if not others:
        return (
            f"{last} is still in git's history: change it where it is used; {_PURGE} it from the history",
        )
    return (
        f"{', '.join(others)} and {last} are still in git's history: change them where they are used; "
        f"{_PURGE} them from there",
    )


def _fresh(old: str, new: str) -> list[tuple[int, str, TextFinding]]:
    """The secrets in what ``new`` has and ``old`` has not: line, value and finding.

    Only the lines that differ are looked at, and a few around them: a key may have begun before.
    """
    if old == new:
        return []
    before, after = old.split("\n"), new.split("\n")
    first = _common(before, after)
    last = len(after) - _common(before[first:][::-1], after[first:][::-1])
    first = max(0, first - _AROUND)
    part = "\n".join(after[first : last + _AROUND])
    return [(first + f.line(part), part[f.start : f.end], f) for f in secrets_in(part)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(takewhile(bool, map(eq, one, other)))


def _text(data: bytes | None, path: str) -> str:
    """What is said in a file; in JSON without its escapes, which would hide where a secret begins."""
    text = (data or b"").decode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescaped, text) if path.endswith((".json", ".jsonl")) else text


def _unescaped(found: re.Match[str]) -> str:
    if found["code"]:
        return chr(int(found["code"], 16))
    # A blank, and no line end: lines keep their numbers.
    return " " if found["letter"] in "nrtbf" else found["letter"]
