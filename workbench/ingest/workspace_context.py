"""The bridge between sessions, ``workspace-context.md``: what stands there at night is kept, then cleared.

Its headings stay, so that whoever writes it finds its places again. What stood there goes, word for word, to
the end of ``_system/archive/workspace-context-YYYY-MM.md`` in the same operation.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from workbench.errors import NotCuratableError
from workbench.memory.entry import Form, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document
from workbench.workspace.layout import ARCHIVE
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

CONTEXT = RelPath("workspace-context.md")
QUIET = timedelta(hours=1)
"""For how long nobody may have written to it: an agent that still works needs it."""


def plan_clear_context(workspace: Workspace, *, now: datetime) -> Plan:
    """Archive what stands in the context file and leave its headings.

    Raises NotCuratableError where there is nothing to clear, or somebody has just written there.
    """
    try:
        document = workspace.document(CONTEXT)
    except FileNotFoundError:
        raise NotCuratableError(f"there is no {CONTEXT}", hint="nothing was changed") from None
    if not any(entry.form is not Form.HEADING for entry in document.entries):
        raise NotCuratableError(f"{CONTEXT} is already empty", hint="nothing was changed")
    written = (workspace.root / CONTEXT).stat().st_mtime
    if 0 <= now.timestamp() - written < QUIET.total_seconds():
        raise NotCuratableError(
            f"{CONTEXT} was written recently; a session may still use it",
            hint="it is cleared when it has not changed for an hour",
        )
    archive = RelPath(f"{ARCHIVE}workspace-context-{now:%Y-%m}.md")
    before = workspace.files.read_or_none(archive)
    return Plan(
        action="clear",
        summary=f"{CONTEXT} of {now:%Y-%m-%d}",
        edits=(
            FileEdit(archive, before, _with_section(before or b"", document.data, f"{now:%Y-%m-%d %H:%M}")),
            FileEdit(CONTEXT, document.data, _headings(document)),
        ),
        actor="dreaming",
    )


def _with_section(archive: bytes, text: bytes, title: str) -> bytes:
    """The archive with ``text``, as it is, under a heading of its own at the end."""
    gap = b"" if not archive else b"\n" if archive.endswith(b"\n") else b"\n\n"
    end = b"" if text.endswith(b"\n") else b"\n"
    return archive + gap + f"# {title}\n\n".encode() + text + end


def _headings(document: Document) -> bytes:
    """The header of the file and its headings, each followed by an empty line."""
    data, lines = document.data, document.line_starts
    kept = [data[: document.front_matter.body]] if document.front_matter else []
    for heading in document.headings:
        end = lines[heading.last] if heading.last < len(lines) else len(data)
        kept.append(data[lines[heading.first] : end].rstrip(b"\r\n") + b"\n\n")
    return b"".join(kept)
