"""The bytes of a graph page: made, added to and marked without touching what else stands there.

Nothing that is written is believed: the page is read again, and all that stood in it must still stand as it
did, with just the new lines beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from workbench.errors import NotCuratableError
from workbench.graph.page_names import is_linkable, stem_of
from workbench.memory.comment_position import behind, is_read_to_its_end
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.frontmatter import FrontMatter, read_front_matter
from workbench.memory.graph_page import Entity, name_key, read_entity
from workbench.memory.invariants import outline, same_header, signs
from workbench.memory.markdown import Document, opening_paragraph, parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance import COMMENT, Provenance
from workbench.memory.yaml_scalar import quoted_scalar

_PLAIN = re.compile(r"[^\W\d_][\w .'’()&+/-]*[\w.)+]|[^\W\d_]")
# Words that other readers of YAML take for something else than words.
_WORDS = frozenset(["true", "false", "yes", "no", "on", "off", "null", "nan", "y", "n"])
_ALIASES = re.compile(rb"^aliases[ \t]*:[ \t]*(?P<value>[^\r\n]*?)[ \t]*(?P<end>\r?\n|\Z)", re.MULTILINE)
_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ITEM = re.compile(rb"[ \t]*-[ \t][^\r\n]*(?:\r?\n|\Z)")


def document_of(path: RelPath, data: bytes) -> Document:
    """The bytes of a graph page, parsed."""
    return parse_document(path, data, Kind.ENTITY)


def header_of(path: RelPath, data: bytes) -> Entity:
    """The entity of a page without its lines: what a page is called costs no parsing of all of it."""
    return read_entity(Document(path, Kind.ENTITY, b"", read_front_matter(data)))


def entries_of(entity: Entity) -> list[Entry]:
    """The entries of all memories and relations."""
    return [*(memory.entry for memory in entity.memories), *(one.entry for one in entity.relations)]


def new_page(
    path: RelPath,
    *,
    id: str,
    name: str,
    type: str,
    aliases: Sequence[str] = (),
    valid_from: date | None = None,
) -> bytes:
    """An entity's page without lines. A name that no link can hold has its file's as an alias."""
    names = [*aliases] if is_linkable(name) else [*aliases, stem_of(path)]
    lines = ["---", f"id: {id}", f"name: {_scalar(name)}", f"type: {type}"]
    if names:
        lines.append(f"aliases: [{', '.join(map(_scalar, names))}]")
    if valid_from:
        lines.append(f"valid_from: {valid_from.isoformat()}")
    return "".join(line + "\n" for line in (*lines, "---")).encode()


def with_lines(document: Document, lines: Sequence[str]) -> Document:
    """The page with ``lines`` (list items, each on one line) added where they are read as what they are.

    That is behind the last memory or relation, else at the end, else right behind the header. Raises
    NotCuratableError where a block that is not closed would swallow them.
    """
    return with_blocks(document, [line.encode() + b"\n" for line in lines])


def with_blocks(document: Document, items: Sequence[bytes]) -> Document:
    """The page with ``items``, whole list items as they are written, added as ``with_lines`` does it.

    Their line ends become those of the page. Raises NotCuratableError.
    """
    if not items:
        return document
    newline = b"\r\n" if b"\r\n" in document.data else b"\n"
    added = b"".join(
        (item if item.endswith(b"\n") else item + b"\n").replace(b"\r\n", b"\n") for item in items
    ).replace(b"\n", newline)
    for at in _places(document):
        before = document.data[:at]
        opening = newline if before and not before.endswith(b"\n") else b""
        for gap in (b"", newline):
            after = document_of(document.path, before + opening + gap + added + document.data[at:])
            if _only_added(document, after, len(items)):
                return after
    raise NotCuratableError(
        f"nothing can be added to {document.path}: code, a comment or HTML that is not closed swallows it",
        hint="close it with an editor; nothing was changed",
    )


def _places(document: Document) -> Iterator[int]:
    """Bytes at which lines may be added, the natural one first."""
    own = [entry for entry in entries_of(read_entity(document)) if entry.form is Form.ITEM]
    if own:
        yield max(entry.whole.end for entry in own)
    yield len(document.data)
    yield document.front_matter.body if document.front_matter else 0


def _only_added(before: Document, after: Document, count: int) -> bool:
    """Whether all stands as it did, in its order, and exactly ``count`` list items are new beside it."""
    left, new = signs(before), []
    at = 0
    for sign in signs(after):
        if at < len(left) and sign == left[at]:
            at += 1
        else:
            new.append(sign)
    return (
        at == len(left)
        and [form for form, *_ in new] == [Form.ITEM] * count
        and same_header(before, after)
        and outline(before) == outline(after)
    )


def with_marks(document: Document, marks: Mapping[str, Provenance]) -> Document:
    """The page with these provenances (by the entries' addresses) in place of what their comments say.

    An entry without a comment gets one behind or below its first line. Raises NotCuratableError.
    """
    data = document.data
    for entry in reversed(document.entries):
        if (wanted := marks.get(entry.address)) is not None:
            span = entry.whole
            source = data[span.start : span.end].decode("utf-8", "surrogateescape")
            written = _marked(source, wanted).encode("utf-8", "surrogateescape")
            data = data[: span.start] + written + data[span.end :]
    after = document_of(document.path, data)
    said = [marks.get(entry.address, entry.provenance) for entry in document.entries]
    stays = [entry.address for entry in after.entries] == [entry.address for entry in document.entries]
    if not stays or said != [entry.provenance for entry in after.entries]:
        raise NotCuratableError(
            f"an entry of {document.path} cannot carry its mark", hint="write it as a plain list item"
        )
    return after


def _marked(source: str, wanted: Provenance) -> str:
    if found := COMMENT.search(source):
        start = found.end() - len(found[0].lstrip(" \t"))
        return source[:start] + wanted.render() + source[found.end() :]
    newline = "\r\n" if source.endswith("\r\n") else "\n"
    first, *rest = source.removesuffix(newline).split("\n")
    marker = _MARKER.match(first)
    if marker is None or not is_read_to_its_end(first[marker.end() :].rstrip()):
        return behind(first, wanted.render()) + source[len(first) :]
    own = " " * len(marker[0].expandtabs(4)) + wanted.render()
    ends = newline if source.endswith("\n") else ""
    words = "\n".join([first[marker.end() :], *(line.strip() for line in rest)])
    more = (
        max(1, opening_paragraph(words)) - 1
    )  # lines that go on with the first: none may be cut off from it
    lines = [first, *rest[:more], own, *rest[more:]]
    return newline.join(line.rstrip("\r") for line in lines) + ends


def with_aliases(document: Document, names: Sequence[str]) -> Document:
    """The page with further names in its header; those it has, and the entity's own, are not added again.

    Raises NotCuratableError where the header is not one that can take them.
    """
    entity = read_entity(document)
    known = {name_key(name) for name in (entity.name, *entity.aliases)}
    new: list[str] = []
    for name in names:
        if name_key(name) not in known:
            known.add(name_key(name))
            new.append(name)
    if not new:
        return document
    header = document.front_matter
    if header is not None and not header.problem:
        data = _aliased(document.data, header, new)
        after = document_of(document.path, data)
        wanted = {**header.values, "aliases": [*entity.aliases, *new]}
        if after.front_matter and after.front_matter.values == wanted and signs(after) == signs(document):
            return after
    raise NotCuratableError(
        f"the header of {document.path} cannot take a further name",
        hint="add it there yourself: aliases: [name]",
    )


def _aliased(data: bytes, header: FrontMatter, new: Sequence[str]) -> bytes:
    newline = b"\r\n" if data[header.start - 2 : header.start] == b"\r\n" else b"\n"
    found = _ALIASES.search(data, header.start, header.end)
    own = [_scalar(name) for name in header.list("aliases")]
    if found is None:
        line = f"aliases: [{', '.join(map(_scalar, new))}]".encode()
        return data[: header.end] + line + newline + data[header.end :]
    if not found["value"] and own:  # a list of lines: ours follow the last one
        at = found.end()
        margin = b""
        while item := _ITEM.match(data, at, header.end):
            margin = item[0][: len(item[0]) - len(item[0].lstrip(b" \t"))]
            at = item.end()
        lines = b"".join(margin + b"- " + _scalar(name).encode() + newline for name in new)
        return data[:at] + lines + data[at:]
    line = f"aliases: [{', '.join([*own, *map(_scalar, new)])}]".encode()
    return data[: found.start()] + line + found["end"] + data[found.end() :]


def _scalar(text: str) -> str:
    """``text`` as YAML that everybody reads as these words."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS and ": " not in text and " #" not in text:
        return text
    return quoted_scalar(text)
