"""Git tree objects: read, compared, and rewritten along one path."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping

from workbench.errors import RepositoryStateError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.repository.objects import BlobId

_FOLDER = b"40000"
FILE = b"100644"
PROGRAM = b"100755"


@frozen
class Node:
    """One line of a tree: its mode as git writes it and the object's name in hexadecimal."""

    mode: bytes
    id: str

    @property
    def is_tree(self) -> bool:
        """Whether this is a folder."""
        return self.mode == _FOLDER

    @property
    def is_file(self) -> bool:
        """Whether this is a regular file (not a link, not a submodule)."""
        return self.mode.startswith(b"100")


Tree = dict[bytes, Node]
Reader = Callable[[str], Tree]
Writer = Callable[[Tree], str]


def parse(data: bytes, digest_size: int) -> Tree:
    """The tree in ``data``; object names are ``digest_size`` bytes (20 or 32); or RepositoryStateError."""
    rows = re.findall(rb"(?s)([^ ]+) ([^\0]*)\0(.{%d})" % digest_size, data)
    if sum(len(mode) + len(name) + 2 + digest_size for mode, name, _ in rows) != len(data):
        raise RepositoryStateError("git has a damaged tree", hint="git fsck shows it")
    return {name: Node(mode, digest.hex()) for mode, name, digest in rows}


def render(tree: Tree) -> bytes:
    """The bytes of a tree, in git's order: folders sort as if their names ended in a slash."""
    lines = sorted(tree.items(), key=lambda item: item[0] + (b"/" if item[1].is_tree else b""))
    return b"".join(node.mode + b" " + name + b"\0" + bytes.fromhex(node.id) for name, node in lines)


def splice(
    read: Reader, write: Writer, tree: str | None, changes: Mapping[tuple[bytes, ...], Node | None]
) -> str | None:
    """The name of ``tree`` with the files at these paths replaced (None: removed); empty folders go.

    A path is the names that lead to the file; one that is there keeps its mode. Each folder is read and
    written once, however many of its files change. Raises RepositoryStateError when a link or a submodule
    stands on the way.
    """
    here = {name: change for (name, *rest), change in changes.items() if not rest}
    below: dict[bytes, dict[tuple[bytes, ...], Node | None]] = {}
    for (name, *rest), change in changes.items():
        if rest:
            below.setdefault(name, {})[tuple(rest)] = change
    there = read(tree) if tree else {}
    nodes = {name: node for name, node in there.items() if node.is_tree or here.get(name, node)}
    for name, deeper in below.items():
        folder = nodes.pop(name, None)
        if folder and not folder.is_tree:
            raise RepositoryStateError(
                f"{name.decode('utf-8', 'replace')} is a link or a submodule in git, not a folder",
                hint="open the workspace inside it instead",
            )
        if spliced := splice(read, write, folder.id if folder else None, deeper):
            nodes[name] = Node(_FOLDER, spliced)
    for name, change in here.items():
        if change:
            file = nodes.get(name)
            nodes[name] = Node(file.mode, change.id) if file and file.is_file else change
    return write(nodes) if nodes else None


def changed(
    read: Reader, before: str | None, after: str | None
) -> Iterator[tuple[bytes, Node | None, Node | None]]:
    """Each file, link or submodule that differs between two trees: its path, what it was and what it is."""
    left = [(b"", before, after)] if before != after else []
    while left:
        at, *names = left.pop()
        old, new = (read(name) if name else {} for name in names)
        for name in old.keys() | new.keys():
            nodes = old.get(name), new.get(name)
            if nodes[0] == nodes[1]:
                continue
            was, now = (node.id if node and node.is_tree else None for node in nodes)
            if was or now:
                left.append((at + name + b"/", was, now))
            first, second = (None if node and node.is_tree else node for node in nodes)
            if first or second:
                yield at + name, first, second


def files(
    read: Reader, tree: str, top: str, enter: Callable[[str, str], bool]
) -> Iterator[tuple[RelPath, BlobId]]:
    """Each regular file below the folder ``top`` (empty, or ending in a slash) with the name of its blob.

    Paths count from ``top``; ``enter`` is asked for each folder, by its path and the name of its tree. A name
    with a slash in it, which no honest tree has, is passed over.
    """
    left = [("", tree)]
    while left:
        prefix, name = left.pop()
        for part, node in read(name).items():
            path = prefix + os.fsdecode(part)
            below = path.startswith(top)
            if b"/" in part:
                continue
            if node.is_file and below:
                yield RelPath(path[len(top) :]), BlobId(node.id)
            elif node.is_tree and (
                top.startswith(path + "/") or (below and enter(path[len(top) :], node.id))
            ):
                left.append((path + "/", node.id))
