"""Which entity has which page: by name and alias, read from the headers alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.errors import UsageError
from workbench.graph.page_bytes import header_of
from workbench.graph.page_names import page_path
from workbench.memory.entry import Kind
from workbench.memory.graph_page import name_key
from workbench.memory.names import RelPath
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of the graph: whose it is."""

    path: RelPath
    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()


class Directory:
    """The pages of a workspace, read once; new ones can be entered, so that a plan sees its own."""

    def __init__(self, workspace: Workspace) -> None:
        self._by_name: dict[str, list[Listed]] = defaultdict(list)
        self._by_path: dict[str, Listed] = {}
        for file in workspace.scan():
            if file.kind is Kind.ENTITY and (data := workspace.files.read_or_none(file.path)) is not None:
                said = header_of(file.path, data)
                self._enter(Listed(file.path, said.id, said.name, said.type, said.aliases))

    def find(self, name: str, kind: str = "") -> Listed | None:
        """The page of the entity that is called so, of this type where one is said.

        What a page calls itself goes before its other names. Raises UsageError where several do.
        """
        called = [one for one in self._by_name.get(name_key(name), ()) if not kind or one.type == kind]
        own = [one for one in called if name_key(one.name) == name_key(name)]
        found = own or called
        if len(found) > 1:
            raise UsageError(
                f"several entities are called {name}: {', '.join(one.path for one in found[:5])}",
                hint="say its type too, or its own name" if not kind else "merge them, or say its own name",
            )
        return found[0] if found else None

    def pages(self) -> Iterable[Listed]:
        """All pages."""
        return self._by_path.values()

    def at(self, path: str) -> Listed:
        """The page at ``path``, which must be one of those."""
        return self._by_path[path]

    def is_alone(self, page: Listed) -> bool:
        """Whether no other entity has the name of this one."""
        return all(one.path == page.path for one in self._by_name.get(name_key(page.name), ()))

    def open(self, name: str, kind: str = "", *, otherwise: str = "concept") -> Listed:
        """The page of that entity, a new one where there is none."""
        if found := self.find(name, kind):
            return found
        kind = kind or otherwise
        path = page_path(name, kind, self._by_path)
        return self._enter(Listed(path, _entity_id(path), name, kind))

    def named(self, page: Listed, aliases: tuple[str, ...]) -> Listed:
        """The page, from now on found by these further names too."""
        return self._enter(replace(page, aliases=tuple(dict.fromkeys((*page.aliases, *aliases)))))

    def _enter(self, page: Listed) -> Listed:
        self._by_path[page.path] = page
        for name in {name_key(name) for name in (page.name, *page.aliases, page.id)}:
            others = [one for one in self._by_name[name] if one.path != page.path]
            self._by_name[name] = [*others, page]
        return page


def _entity_id(path: str) -> str:
    import hashlib  # noqa: PLC0415 - for new pages alone

    return "ent-" + hashlib.sha256(path.encode()).hexdigest()[:10]
