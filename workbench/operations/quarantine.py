"""Quarantine: what is suspicious is set aside, outside of everything an agent loads, and can come back.

An entry in quarantine says in its comment from which file it came (``from``), under which headings it
stood there (``under``), behind what (``after``, see ``memory.move``) and since when it is set aside
(``quarantined``). Whole pages keep their path below the quarantine's folder, byte for byte.
"""

from __future__ import annotations

import contextlib
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial

from workbench.errors import NotCuratableError, NotMemoryError, WorkbenchError
from workbench.frozen import frozen
from workbench.memory.claims import bag_of_words, claim_key, claim_words
from workbench.memory.entry import Entry, Kind, RelPath, encoded, path_of, sources_of
from workbench.memory.invariants import blocks, plain, span_of
from workbench.memory.markdown import Document
from workbench.memory.move import (
    Destination,
    MovedBlock,
    behind,
    file_end,
    marked,
    neighbours,
    section,
    unmarked,
)
from workbench.memory.provenance import Provenance, parse_day
from workbench.operations.move import PageMove, Relocation
from workbench.operations.sources import PAGES, gather
from workbench.workspace.layout import QUARANTINE, SET_ASIDE, is_quarantined, scan
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_FROM, _UNDER, _AFTER, _SINCE = "from", "under", "after", "quarantined"
_TOLD = 5
"""Copies that are named."""
_OURS = (_FROM, _UNDER, _AFTER, _SINCE)


@frozen
class SetAside:
    """Something in quarantine: an entry, or a whole page, with where it came from and since when."""

    address: str
    title: str
    origin: str | None
    since: date | None


@frozen
class _Return:
    """What is on its way back: the file and heading path, and behind what it stood, the nearest first."""

    target: str
    under: tuple[str, ...]
    after: tuple[str, ...]
    passage: MovedBlock

    def place_in_store(self) -> tuple[str, int]:
        """Where in quarantine it stands: what was set aside later stands further down."""
        return self.passage.entries[0].path, span_of(self.passage.entries).start


def plan_quarantine(
    workspace: Workspace, addresses: Sequence[str], *, reason: str = "", today: date | None = None
) -> Plan:
    """Set entries aside, or whole episodes and graph pages.

    Raises NotCuratableError, EntryNotFoundError, ConflictError where a page is set aside already, ...
    """
    if inside := [address for address in addresses if is_quarantined(path_of(address) or address)]:
        raise NotCuratableError(f"{inside[0]} is already in quarantine", hint="nothing was changed")
    today = today or date.today()
    found = gather(workspace, addresses, pages="quarantined")
    moves = [(path, RelPath(QUARANTINE + path), page.data) for path, page in found.pages.items()]
    notes = _copies(workspace, [entry for _, entry in found])
    relocation = Relocation(workspace, found)
    passages = []
    for document, passage in relocation.lift():
        fields = {
            _FROM: document.path,
            _UNDER: _joined(passage.entries[0].heading),
            _AFTER: next(neighbours(document, passage)),
            _SINCE: today.isoformat(),
        }
        passages.append(marked(passage, fields, may_wrap=True))
    if passages:
        relocation.set_down(f"{QUARANTINE}{today:%Y-%m}.md", _in_quarantine, passages)
    return relocation.plan("quarantine", reason=reason, notes=notes, pages=moves)


def _copies(workspace: Workspace, gone: Sequence[Entry]) -> list[str]:
    """What to tell of entries that say the same as one that is set aside, or were made of it, and stay."""
    claims = set()
    sources = {source for one in gone for source in (one.hash, (one.path, one.start_line))}
    by_sign: dict[str, list[frozenset[str]]] = {}
    for entry in gone:
        if words := _bag(" ".join(claim_words(entry.text))):
            claims.add(claim_key(entry.text))
            by_sign.setdefault(max(words, key=len), []).append(words)
    paths = {encoded(entry.path) for entry in gone}
    addresses = {entry.address for entry in gone}
    stay = []
    for file in workspace.scan():
        try:
            data = workspace.read(file.path)
        except (OSError, WorkbenchError):
            continue  # what cannot be read does not keep anything else from being set aside
        bag = _bag(data.decode("utf-8", "replace"))
        repeats = any(words <= bag for sign in by_sign.keys() & bag for words in by_sign[sign])
        names = b"<!--" in data and any(path in data for path in paths)
        # What the comments of curated memory stand for is kept in the ledger.
        if not (repeats or names or file.kind is Kind.MEMORY):
            continue
        for entry in workspace.parsed(file.path, data).entries:
            is_copy = not sources.isdisjoint(sources_of(entry)) or (
                repeats and claim_key(entry.text) in claims
            )
            if is_copy and entry.address not in addresses:
                stay.append(entry.address)
    if not stay:
        return []
    command = f"`workbench quarantine {shlex.join(stay[:_TOLD])}`"
    which = f"the first {_TOLD} of {len(stay):,}" if len(stay) > _TOLD else "them"
    return [f"copies stay where agents read them: {command} sets {which} aside too"]


def _bag(text: str) -> frozenset[str]:
    """The words of ``text`` as claims compare them, those inside of names apart."""
    return bag_of_words(unicodedata.normalize("NFKC", text).replace("_", " "))


def plan_release(workspace: Workspace, addresses: Sequence[str], *, reason: str = "") -> Plan:
    """Bring what was set aside back to where it came from, in its original form.

    It comes to stand behind what it stood behind, or at the end of its section where that is gone. The
    section is made anew where it is gone itself, and so is the file. Raises ConflictError where another
    page stands in the place of a page, NotCuratableError, EntryNotFoundError, ...
    """
    pages: list[PageMove] = []
    for address in dict.fromkeys(addresses):
        path = path_of(address) or address
        if not is_quarantined(path):
            workspace.require_own(address)
            raise NotCuratableError(f"{address} is not in quarantine", hint="nothing was changed")
        if "#" not in address:
            pages.append(_released_page(workspace, RelPath(path)))
        elif _is_page(workspace, path):
            raise NotCuratableError(
                f"{path} was set aside as a whole page",
                hint=f"release all of it: workbench quarantine --release {path}",
            )
    found = gather(workspace, [address for address in addresses if "#" in address])
    relocation = Relocation(workspace, found)
    lifted = relocation.lift()
    trails = _trails(found.documents.values())
    # What went last comes back first, as each one knows only who stood there then; but what stood behind
    # another comes after that one.
    back = [_way_back(workspace, passage, trails) for _, passage in lifted]
    back.sort(key=_Return.place_in_store, reverse=True)
    back.sort(key=lambda one: len(one.after))
    homeless = [one for one in back if not _stands_again(relocation, one)]
    rest: dict[tuple[str, tuple[str, ...]], list[MovedBlock]] = {}
    for one in sorted(homeless, key=_Return.place_in_store):
        rest.setdefault((one.target, one.under), []).append(one.passage)
    notes = []
    for (target, under), group in rest.items():
        try:
            relocation.set_down(target, partial(section, path=under), group)
        except NotCuratableError:
            relocation.set_down(target, file_end, group)
            notes.append(
                f"under “{' > '.join(under)}” it could not be placed again: it is at the end of {target}"
            )
    found.titles[:0] = [new for _, new, _ in pages]
    return relocation.plan("release", reason=reason, notes=notes, pages=pages)


def quarantined(workspace: Workspace) -> Iterator[SetAside]:
    """All that is set aside, by file."""
    for file in scan(workspace.root, SET_ASIDE):
        if _is_page(workspace, file.path):
            yield SetAside(file.path, file.path, file.path.removeprefix(QUARANTINE), None)
            continue
        for entry in workspace.document(file.path).entries:
            since = parse_day(entry.field(_SINCE))
            yield SetAside(entry.address, entry.title, entry.field(_FROM), since)


def _is_page(workspace: Workspace, path: str) -> bool:
    return workspace.layout.kind_of(path.removeprefix(QUARANTINE)) in PAGES


def _in_quarantine(document: Document) -> Destination:
    if document.data.strip():
        return file_end(document)
    title = "Quarantine " + document.path.rpartition("/")[2].removesuffix(".md")
    return Destination((title,), (len(document.data),), f"# {title}\n\n".encode())


def _released_page(workspace: Workspace, path: RelPath) -> PageMove:
    target = RelPath(path.removeprefix(QUARANTINE))
    if not _is_page(workspace, path) or not workspace.layout.holds(target):
        raise NotCuratableError(f"{path} is a whole file", hint="release its entries: path#hash")
    data = workspace.files.read_or_none(path)
    if data is None:
        raise NotMemoryError(path)
    return path, target, data


_Spot = tuple[str, tuple[str, ...], str]
"""A file, a heading path in it, and the name of an entry there."""


def _trails(documents: Iterable[Document]) -> dict[_Spot, str]:
    """Behind what each entry of the quarantine stood, by where it stood and its name."""
    trails: dict[_Spot, str] = {}
    for document in documents:
        for block in blocks(document):
            first = block[0]
            if after := first.field(_AFTER):
                spot = (first.field(_FROM) or "", plain(_split(first.field(_UNDER))), first.hash)
                trails.setdefault(spot, after)
    return trails


def _way_back(workspace: Workspace, passage: MovedBlock, trails: Mapping[_Spot, str]) -> _Return:
    """Where a passage came from; what it stood behind may be set aside itself and says behind what then."""
    origin = passage.origin or Provenance(())
    target = origin.get(_FROM)
    if target is None or not workspace.layout.holds(target):
        raise NotCuratableError(
            f"“{passage.title}” does not record from which memory file it came",
            hint="forget it here, or edit the file by hand",
        )
    under = _split(origin.get(_UNDER))
    after: list[str] = []
    said = origin.get(_AFTER)
    while said and said not in after:
        after.append(said)
        said = trails.get((target, plain(under), said.partition("+")[0].partition("~")[0]))
    return _Return(target, under, tuple(after), unmarked(passage, _OURS))


def _stands_again(relocation: Relocation, one: _Return) -> bool:
    """Whether it could be set down behind what it stood behind."""
    for said in one.after:
        place = behind(relocation.document(one.target), one.under, said)
        if place:
            with contextlib.suppress(NotCuratableError):
                relocation.set_down(one.target, place, [one.passage])
                return True
    return False


def _joined(heading: tuple[str, ...]) -> str:
    """A heading path as one value; a name has no line end of its own."""
    return "\n".join(" ".join(name.split()) for name in heading)


def _split(value: str | None) -> tuple[str, ...]:
    return tuple(value.split("\n")) if value else ()
