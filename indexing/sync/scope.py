"""The part of memory that a run looks at: everything, or what lies at or below some paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexing.sync.sources import Sources
from workbench.errors import UsageError
from workbench.memory.names import is_outside


@dataclass(frozen=True, slots=True)
class Scope:
    """Files at or below ``paths``, as the index calls them; none of them stands for everything."""

    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths)

    def holds(self, path: str) -> bool:
        """Whether a run looks at ``path``."""
        return not self.paths or any(_at_or_below(path, top) for top in self.paths)


EVERYTHING = Scope()


def scope_of(paths: Iterable[str], sources: Sources, known: Iterable[str], *, here: str) -> Scope:
    """The scope that a person names: relative to the workspace as the index prints paths, else to ``here``.

    ``known`` are the files in the index: what was deleted may be named too. Raises UsageError for a path that
    is neither there nor in the index, or lies in no source.
    """
    indexed = tuple(known)
    return Scope(tuple(dict.fromkeys(_named(path, sources, indexed, here) for path in paths)))


def _named(path: str, sources: Sources, indexed: Sequence[str], here: str) -> str:
    for base in (os.fspath(sources.workspace.root), here):
        top = _as_indexed(os.path.normpath(os.path.join(base, os.path.expanduser(path))), sources)
        if top is not None and (
            os.path.lexists(os.path.join(sources.workspace.root, top))
            or any(_at_or_below(one, top) for one in indexed)
        ):
            return top
    raise UsageError(
        f"{path} is neither in the workspace nor in an extra path, on disk or in the index",
        hint="paths are relative to the workspace, or absolute; `extra_paths` in your settings adds folders",
    )


def _as_indexed(whole: str, sources: Sources) -> str | None:
    """An absolute path as the index calls it, or None when no source can hold it or anything below it.

    The folder is resolved, its last name is not at first: a link there may stand in a file's place.
    """
    root = os.fspath(sources.workspace.root)
    folder, name = os.path.split(whole)
    for real in (os.path.join(os.path.realpath(folder), name), os.path.realpath(whole)):
        if _at_or_below(real, root):
            return os.path.relpath(real, root)
        if any(_at_or_below(real, one.base) or _at_or_below(one.base, real) for one in sources.all[1:]):
            return real
    return None


def _at_or_below(path: str, top: str) -> bool:
    if top == ".":
        return not is_outside(path)
    return path == top or path.startswith(top.rstrip("/") + "/")
