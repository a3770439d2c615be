"""Git tree objects: read, compared, and rewritten along one path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.errors import RepositoryStateError

_FOLDER = b"40000"
_FILE = b"100644"


@dataclass(frozen=True, slots=True)
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
    """The tree in ``data``; object names are ``digest_size`` bytes (20 or 32)."""
    tree: Tree = {}
    at = 0
    while at < len(data):
        blank, end = data.index(b" ", at), data.index(b"\0", at)
        after = end + 1 + digest_size
        tree[data[blank + 1 : end]] = Node(data[at:blank], data[end + 1 : after].hex())
        at = after
    return tree


def render(tree: Tree) -> bytes:
    """The bytes of a tree, in git's order: folders sort as if their names ended in a slash."""
    lines = sorted(tree.items(), key=lambda item: item[0] + (b"/" if item[1].is_tree else b""))
    return b"".join(node.mode + b" " + name + b"\0" + bytes.fromhex(node.id) for name, node in lines)


def splice(read: Reader, write: Writer, tree: str | None, parts: list[bytes], blob: str | None) -> str | None:
    """The name of ``tree`` with the file at ``parts`` replaced; None removes it, and empty folders.

    Raises RepositoryStateError when a link or a submodule stands on the way.
    """
    nodes = read(tree) if tree else {}
    name, rest = parts[0], parts[1:]
    there = nodes.get(name)
    if rest:
        if there is not None and not there.is_tree:
            raise RepositoryStateError(
                f"{name.decode('utf-8', 'replace')} is a link or a submodule in git, not a folder",
                hint="open the workspace inside it instead",
            )
        deeper = splice(read, write, there.id if there else None, rest, blob)
        replaced = Node(_FOLDER, deeper) if deeper else None
    else:
        mode = there.mode if there is not None and there.is_file else _FILE
        replaced = Node(mode, blob) if blob else None
    if replaced is None:
        nodes.pop(name, None)
    else:
        nodes[name] = replaced
    return write(nodes) if nodes else None


def changed(read: Reader, before: str | None, after: str | None) -> Iterator[bytes]:
    """Paths of files that differ between two trees."""
    if before == after:
        return
    old = read(before) if before else {}
    new = read(after) if after else {}
    for name in sorted(old.keys() | new.keys()):
        left, right = old.get(name), new.get(name)
        if left == right:
            continue
        left_tree = left.id if left and left.is_tree else None
        right_tree = right.id if right and right.is_tree else None
        if left_tree or right_tree:
            for below in changed(read, left_tree, right_tree):
                yield name + b"/" + below
        if (left and not left.is_tree) or (right and not right.is_tree):
            yield name
