"""What the preview shows of a hit in other memory than is shown: of the past, or of another workspace."""

from __future__ import annotations

from dataclasses import replace

from screens.drawing.rows import Row
from screens.drawing.safe_text import row_text
from screens.loading.preview import NEAR, Reach, preview_of
from screens.loading.snapshots import Preview
from workbench.errors import WorkbenchError
from workbench.workspace.workspace import Workspace


def preview_then(workspace: Workspace, row: Row | None, reach: Reach = NEAR) -> Preview | None:
    """What the preview shows for ``row``, wherever it is from; None where there is no row."""
    if row is None or not row.root:
        return preview_of(workspace, row, reach)
    try:
        found = preview_of(Workspace.open(row.root), row, reach)
    except (OSError, WorkbenchError) as error:  # laid out no more: somebody looked at other moments meanwhile
        reason = error.message if isinstance(error, WorkbenchError) else str(error)
        return Preview(row.id, row_text(row.path or ""), (), (row_text(reason),), ())
    said = f"as of {row.past}" if row.past else f"in {row.workspace}"
    return found and replace(found, where=row_text(f"{found.where} {said}"))
