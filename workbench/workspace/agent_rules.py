"""What agents require of their files: how long they may be, why a change is refused, and their form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from workbench.frozen import frozen

Unit = Literal["characters", "bytes", "lines", "tokens"]
Cut = Literal["first", "last", "middle", "none"]
_BYTES_PER_TOKEN = 4
"""What Codex and Letta take for a token where they count no closer."""


@frozen
class LoadLimit:
    """How much of the files that ``pattern`` fits an agent is given when a session begins.

    ``cut`` says what is left out of a longer one: its first part, its last, its middle, or nothing, because
    the agent itself refuses to write more; then nothing here does. ``together`` it is a limit of all those
    files. Of one unit the first limit of a file that fits counts, and the first of several together; 0 is
    none.
    """

    pattern: str
    most: int
    unit: Unit = "characters"
    cut: Cut = "last"
    together: bool = False

    def measure(self, data: bytes) -> int:
        """How long a file is, in the unit of this limit."""
        match self.unit:
            case "lines":
                return len(data.splitlines())
            case "bytes":
                return len(data)
            case "tokens":
                return -(-len(data) // _BYTES_PER_TOKEN)
            case "characters":
                return len(data.decode("utf-8", "replace"))

    def refuses(self, before: bytes | None, after: bytes, others: int = 0) -> str:
        """Why the agent would not write this, if so: a file that is longer may only become shorter.

        ``others`` is how long the other files are that it is a limit of.
        """
        size = self.measure(after) + others
        if self.cut != "none" or size <= max(self.most, self.measure(before or b"") + others):
            return ""
        return f"it would have {size:,} of {self.most:,} {self.unit}"

    def measures(self, data: bytes, ends: Iterable[int]) -> Iterator[int]:
        """How long a file is up to each of these bytes, which are in order, in the unit of this limit."""
        at = size = 0
        for end in ends:
            piece, at = data[at:end], max(at, end)
            size += len(piece) if self.unit == "tokens" else self.measure(piece)
            yield -(-size // _BYTES_PER_TOKEN) if self.unit == "tokens" else size


def one_line_entries(before: bytes | None, after: bytes) -> str:
    """Claude Code's MEMORY.md is an index: what comes into it is a heading, or an item of one line."""
    known = set((before or b"").splitlines())
    if all(line in known or _INDEX_LINE.fullmatch(line) for line in after.splitlines()):
        return ""
    return "it is an index with one line for each memory; keep longer text in a file beside it"


_INDEX_LINE = re.compile(rb"\s*|#.*|[-*+] .{1,600}|\s*<!-- wb: .*")


def entries_apart(before: bytes | None, after: bytes) -> bytes:
    """Hermes' entries have no headings and no bullets, and stand apart by a line of ``§``.

    Only what was put above or below an entry, and what has no line in common with the file as it was, is
    brought into that form. All else stays as it is: it was edited, and not added.
    """
    known = [part.strip() for part in _APART.split(before or b"")]
    lines = _lines(before or b"")
    parts = [part.strip(b"\r\n") for part in _APART.split(after)]
    left = {part.strip() for part in parts}
    grown = sorted((one for one in known if one and one not in left), key=len, reverse=True)
    entries: list[bytes] = []
    for part in parts:
        if part.strip() in known:
            entries.append(part)
        elif found := next(filter(None, (_beside(part, one) for one in grown)), None):
            above, old, below = found
            entries += [*_new_entries(above), old, *_new_entries(below)]
        else:
            entries += [part] if lines & _lines(part) else _new_entries(part)
    line_end = b"\r\n" if b"\r\n\xc2\xa7" in (before or b"") else b"\n"
    end = line_end if (before or b"").endswith(b"\n") else b""
    return (line_end + b"\xc2\xa7" + line_end).join(entry for entry in entries if entry.strip()) + end


def _beside(part: bytes, entry: bytes) -> tuple[bytes, bytes, bytes] | None:
    """What stands above and below ``entry`` in a part, where it stands there as a block of its own."""
    found = re.search(
        rb"(?:\A|\n[ \t]*\r?\n)(?P<old>[ \t]*%s[ \t]*)(?:\Z|\r?\n(?=%s))" % (re.escape(entry), _BLOCK), part
    )
    return (part[: found.start()], found["old"], part[found.end() :]) if found else None


def _lines(text: bytes) -> set[bytes]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _new_entries(text: bytes) -> list[bytes]:
    if _FENCE.search(text):
        return [text.strip()]
    entries = [_BULLET.sub(b"", entry).strip() for entry in _NEXT_ENTRY.split(text)]
    return entries if any(entries) else [text.strip()]


_APART = re.compile(rb"(?m)^\xc2\xa7[ \t]*\r?(?:\n|\Z)")
_NEXT_ENTRY = re.compile(rb"(?m)\n[ \t]*\n|^#{1,6} .*$(?=\s*[-*+] )|\n(?=[-*+] )")
"""What parts entries: a blank line, an item, and a heading over items, which Hermes has no place for."""
_BLOCK = rb"[ \t]*\r?\n|[-*+] |#{1,6} "
"""How what follows a paragraph begins where it is no part of it."""
_BULLET = re.compile(rb"\A\s*[-*+] ")
_FENCE = re.compile(rb"(?m)^[ \t]*(?:```|~~~)")


def hermes_limits(config: bytes) -> tuple[LoadLimit, ...]:
    """How long the memory and the profile of the person may be, by Hermes' ``config.yaml``.

    Raises ValueError or AttributeError where it is none.
    """
    from workbench.config.safe_yaml import read_mapping  # noqa: PLC0415 - for Hermes alone

    section: Any = read_mapping(config.decode("utf-8-sig")).get("memory")
    said = ((name, section.get(f"{name}_char_limit")) for name in ("memory", "user"))
    return tuple(
        LoadLimit(f"**/{name.upper()}.md", int(most), cut="none")
        for name, most in said
        if isinstance(most, str) and _NUMBER.fullmatch(most)
    )


_NUMBER = re.compile("[1-9][0-9]{0,8}")
_LETTA_KEYS = frozenset({"description", "read_only", "limit"})


def letta_block(before: bytes | None, after: bytes) -> str:
    """Letta refuses a block without a description, with a key that it does not know, or that is read-only."""
    from workbench.memory.frontmatter import read_front_matter  # noqa: PLC0415 - for Letta alone

    old = read_front_matter(before or b"")
    if old is not None and old.flag("read_only"):
        return "its header says `read_only: true`"
    new = read_front_matter(after)
    if new is None or not new.text("description"):
        return "its header must have a `description`"
    if new.text("read_only") != (old.text("read_only") if old else None):
        return "only Letta itself sets `read_only`"
    unknown = set(new.values) - _LETTA_KEYS - set(old.values if old else ())
    return f"its header cannot have {', '.join(sorted(unknown))}" if unknown else ""


def letta_page(before: bytes | None, after: bytes) -> str:
    """The same outside of ``system/``, where one that has no description as it is, such as a README or an
    index, is no block."""
    from workbench.memory.frontmatter import read_front_matter  # noqa: PLC0415 - as above

    old = read_front_matter(before or b"")
    is_block = before is None or (old and (old.text("description") or old.flag("read_only")))
    return letta_block(before, after) if is_block else ""


def keeps_first_line(before: bytes | None, after: bytes) -> str:
    """Codex tells the version of its summary from the first line."""
    first = (before or b"").split(b"\n", 1)[0]
    return "" if after.split(b"\n", 1)[0] == first or not before else "its first line must not change"


def letta_limits(config: bytes) -> tuple[LoadLimit, ...]:
    """How long the files of a memory filesystem may be, by its ``.memfs.config.json``.

    What makes no sense there is passed over. Raises ValueError or AttributeError where nothing does.
    """
    said = json.loads(config)
    listed = said.get("fileCharacterLimits")
    each = [*(listed if isinstance(listed, list) else ())]
    each.append({"pattern": "**/*.md", "maxCharacters": said.get("maxFileCharacters")})
    limits = [
        LoadLimit(one["pattern"], one["maxCharacters"] or 0, cut="none")
        for one in each
        if isinstance(one, dict)
        and isinstance(one.get("pattern"), str)
        and _is_limit(one.get("maxCharacters", 0))
    ]
    core = said.get("maxCoreMemoryCharacters")
    if core and _is_limit(core):
        limits.append(LoadLimit("*.md", core, cut="none", together=True))
    return tuple(limits)


def _is_limit(most: object) -> bool:
    """Whether it is a number of characters, or null: there is no limit."""
    return most is None or (type(most) is int and most > 0)
