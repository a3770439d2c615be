"""A sync that kills itself: ``python -m tests.support.killed_sync WORKSPACE STEP words|vectors``.

A step is the begin or the end of a call at which something reaches the disk; the first one is 1.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from typing import Any

from indexing import storage
from indexing.lexical import index
from indexing.sync import generations
from indexing.sync import run as sync
from tests.support.hashing import HashingEmbedder
from workbench.workspace.workspace import Workspace


def main() -> None:
    """Sync until then."""
    root, nth, kind = sys.argv[1:]
    targets: list[tuple[Any, str]] = [
        (storage, "write_json"), (storage, "remove"), (index.LexicalWriter, "replace"),
        (index.LexicalWriter, "commit"), (index.LexicalWriter, "compact"),
        (generations.Generations, "publish"), (generations.Generations, "begin"),
    ]  # fmt: skip
    if kind == "vectors":
        from indexing import vectors as store
        from indexing.embedding import cache

        store.INDEX_ROWS = 4  # so that an index is made, too
        targets += [(store.VectorWriter, "replace"), (store.VectorWriter, "build_index")]
        targets += [(cache.EmbeddingCache, "put")]
    steps = itertools.count(1)
    for owner, name in targets:
        _kill_around(owner, name, steps, int(nth))
    for name in ("write_json", "remove"):
        setattr(generations, name, getattr(storage, name))
    sync.reindex(Workspace.open(root), vectors=kind == "vectors", model=HashingEmbedder().choice)


def _kill_around(owner: Any, name: str, steps: itertools.count[int], nth: int) -> None:
    original = getattr(owner, name)

    def step(*given: Any, **named: Any) -> Any:
        if next(steps) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        done = original(*given, **named)
        if next(steps) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(owner, name, step)


if __name__ == "__main__":
    main()
