"""Notes of basic-memory: Markdown with observations ``- [category] text``, relations ``- kind [[Target]]``.

That is the form of our own graph pages, so each note becomes a page as it is, byte for byte; only its header
gains the fields that the graph reads (``name``, and ``type`` where theirs is none of ours).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.errors import UsageError
from workbench.graph.page_edit import FOLDER, slug
from workbench.importers.plan import ImportItem, ImportSource, carried, digest_of, read_whole
from workbench.memory.entry import RelPath
from workbench.memory.frontmatter import FrontMatter, read_front_matter, scalar, set_front_matter
from workbench.memory.graph_types import ENTITY_TYPES

LABEL = "basic-memory"
MOST_BYTES = 16_000_000
_MOST_FILES = 100_000


def read_notes(folder: Path) -> ImportSource:
    """All notes below ``folder``. Raises UsageError where there is none."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of notes")
    taken: set[str] = set()
    notes = carried(LABEL, _notes(folder), lambda name, path: _page(name, path, taken))
    if not notes.items and not notes.left_out:
        raise UsageError(f"{folder} holds no Markdown notes")
    return notes


def _notes(folder: Path) -> Iterator[tuple[str, Path]]:
    """The notes with their paths below the folder, in order. Hidden folders and links are left alone."""
    count = 0
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(at) / name
            if name.endswith(".md") and not name.startswith(".") and stat.S_ISREG(path.lstat().st_mode):
                count += 1
                if count > _MOST_FILES:
                    raise UsageError(f"{folder} holds more than {_MOST_FILES:,} notes")
                yield os.path.relpath(path, folder), path


def _page(name: str, path: Path, taken: set[str]) -> ImportItem:
    data = read_whole(path, MOST_BYTES, "it")
    header = read_front_matter(data)
    if header is not None and header.problem:
        raise UsageError(f"its header cannot be read: {header.problem}")
    title = (header.text("title") if header else None) or path.stem
    said = (header.text("type") if header else None) or ""
    kind = said.casefold() if said.casefold() in ENTITY_TYPES else "concept"
    stem = slug(title)
    target = RelPath(f"{FOLDER}{kind}/{stem}.md")
    if target in taken:
        target = RelPath(f"{FOLDER}{kind}/{stem}-{digest_of(name)[:6]}.md")
    taken.add(target)
    page = set_front_matter(data, "type", kind) if header and said and said != kind else data
    fields = {"name": scalar(" ".join(title.split()))} if not header or header.text("name") is None else {}
    if not said:
        fields["type"] = kind
    return ImportItem(name, digest_of(data.hex()), file=(target, _with_fields(page, header, fields)))


def _with_fields(data: bytes, header: FrontMatter | None, fields: Mapping[str, str]) -> bytes:
    """The note with these lines at the beginning of its header, which is made where there is none."""
    newline = "\r\n" if b"\r\n" in data else "\n"
    lines = "".join(f"{key}: {value}{newline}" for key, value in fields.items()).encode()
    if header is None:
        return f"---{newline}".encode() + lines + f"---{newline}".encode() + data
    changed = data[: header.start] + lines + data[header.start :]
    after = read_front_matter(changed)
    if after is None or after.problem or any(after.text(key) is None for key in fields):
        raise UsageError("its header cannot take another field")
    return changed
