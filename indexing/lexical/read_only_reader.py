"""Reading words where nothing can be written: on a read-only disk, or in somebody else's folder.

To open an index the engine takes a lock in its folder, for reading too. Segments never change, so a
temporary folder with links to them is the same index, and the lock goes there. Once open, the engine holds
the files themselves: the folder of links is needed for that moment only.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from indexing.engines import RefusedError

_LOCK = ".tantivy-meta.lock"
_BOOKS = ".managed.json"
"""Needed by writers only, and readable by their owner only."""

_EFFECTIVE = os.access in os.supports_effective_ids


def lockable(folder: Path) -> bool:
    """Whether the engine can take its lock in ``folder``."""
    lock = folder / _LOCK
    return os.access(lock if lock.exists() else folder, os.W_OK, effective_ids=_EFFECTIVE)


@contextlib.contextmanager
def stand_in(folder: Path) -> Iterator[Path]:
    """A private folder with links to all that is in ``folder``; gone after the block.

    Raises OSError when ``folder`` cannot be listed, RefusedError when there is no place for the links.
    """
    names = [name for name in os.listdir(folder) if name != _BOOKS and not name.endswith(".lock")]
    try:
        links = tempfile.TemporaryDirectory(prefix="workbench-words-", ignore_cleanup_errors=True)
    except OSError as error:
        where = "the word index is on a read-only disk, and no temporary folder can be made"
        raise RefusedError(where, error.errno or 0) from error
    with links as place:
        for name in names:
            os.symlink(os.path.join(folder, name), os.path.join(place, name))
        yield Path(place)
