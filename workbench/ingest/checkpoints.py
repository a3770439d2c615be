"""How far each transcript was read: a byte and what stands before it, in the ledger, so that it survives us.

A transcript is known by its first line, not by its name: renamed, moved or copied it is the same. What was
read of it counts while the bytes before the checkpoint are still what they were; of a file that was cut or
written anew an earlier checkpoint counts, or none, and then it is read from there. A checkpoint is noted
after what was read has been written, so a kill between the two costs reading it once more, never a gap; what
is written then knows what stands there already.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from indexing.sync.sources import TAIL, tail_digest
from workbench.ingest.transcript_files import TranscriptFile
from workbench.workspace.workspace import Workspace

Purpose = Literal["flush", "episode"]
"""What was read for: facts that go into a log, or the episodes of completed sessions."""
Count = Annotated[int, msgspec.Meta(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How far a transcript was read for one ``purpose``, and what has to be known to go on from there.

    ``head`` and ``tail`` are digests: of the first line, and of the last bytes before ``offset``. ``line``
    counts the lines before it. ``session`` is the session there, ``cycle`` how often it was compacted
    before; ``messages``, ``bytes`` and ``tokens`` are those since, ``first`` the lines before that, and
    ``flushed`` says whether its facts were saved since. ``until`` is when the last turn was said, ISO 8601,
    or empty. ``memories`` counts what came of the part that ends here.
    """

    purpose: Purpose
    source: str
    head: str
    tail: str
    offset: Count
    line: Count
    session: str = ""
    cycle: Count = 0
    messages: Count = 0
    bytes: Count = 0
    tokens: Count = 0
    first: Count = 0
    flushed: bool = False
    until: str = ""
    memories: Count = 0

    def as_record(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        said = {name: value for name, value in asdict(self).items() if value}
        tail, purpose = said.pop("tail", ""), said.pop("purpose")
        return {"digest": tail, "kind": purpose, "memories": 0, "offset": 0, "line": 0, **said}


@dataclass(frozen=True, slots=True)
class Resumed:
    """Where reading goes on. ``offset`` and ``line`` are 0 for what was never read.

    ``last`` is the newest checkpoint of the file, if any; ``rewritten`` says that what stood before it is no
    longer there, so that turns up to ``last.until`` were read already, wherever they stand now.
    ``others``: files that were read begin with the same line.
    """

    purpose: Purpose
    head: str
    offset: int = 0
    line: int = 0
    at: Checkpoint | None = None
    last: Checkpoint | None = None
    others: bool = False

    @property
    def rewritten(self) -> bool:
        """Whether the file was cut or written anew since it was read."""
        return self.last is not None and self.last != self.at


class Checkpoints:
    """All checkpoints of one purpose, by the first line of their files, the oldest first."""

    def __init__(self, purpose: Purpose, found: Iterable[Checkpoint] = ()) -> None:
        self.purpose = purpose
        self._of: dict[str, list[Checkpoint]] = {}
        for one in found:
            self.add(one)

    @classmethod
    def read(cls, workspace: Workspace, purpose: Purpose) -> Checkpoints:
        """Those that the ledger holds; records that are none are passed over."""
        records = (record for record in workspace.ledger.read("ingested") if record.get("kind") == purpose)
        return cls(purpose, filter(None, map(checkpoint, records)))

    def add(self, one: Checkpoint) -> None:
        """Keep one more in mind."""
        self._of.setdefault(one.head, []).append(one)

    def note(self, workspace: Workspace, one: Checkpoint, now: datetime) -> None:
        """Write one into the ledger. Raises as appending to the ledger does."""
        workspace.ledger.append("ingested", [one.as_record()], now)
        self.add(one)

    def resume(self, file: TranscriptFile, descriptor: int) -> Resumed | None:
        """Where reading a file goes on, of its ``size`` bytes; None while its first line is being written.

        Several may begin with the same line (a title, a prompt), so only a checkpoint under the file's own
        path says that it was written anew.
        """
        head = head_digest(descriptor, file.size)
        if head is None:
            return None
        known = self._of.get(head, [])
        own = [one for one in known if one.source == file.told]
        last = own[-1] if own else None
        for one in sorted(known, key=lambda one: (-one.offset, one.source != file.told)):
            if one.offset <= file.size and tail_at(descriptor, one.offset) == one.tail:
                same = last if last and (last.offset, last.tail) == (one.offset, one.tail) else one
                line = _line_to_go_on(descriptor, one)
                return Resumed(self.purpose, head, one.offset, line, same, last or same)
        return Resumed(self.purpose, head, last=last, others=len(known) > len(own))

    def is_done(self, file: TranscriptFile, descriptor: int) -> bool:
        """Whether all of the file was read."""
        found = self.resume(file, descriptor)
        return found is not None and found.at is not None and found.offset == file.size


def checkpoint(record: Mapping[str, Any]) -> Checkpoint | None:
    """The checkpoint in a record of the ledger, or None when it is none."""
    values = {**record, "purpose": record.get("kind"), "tail": record.get("digest")}
    try:
        return msgspec.convert(values, Checkpoint)
    except msgspec.ValidationError:
        return None


def head_digest(descriptor: int, size: int) -> str | None:
    """What a file is known by: the digest of its first line, of at most 4,096 bytes of it.

    None while there is less than that of it. A last line may lack its end, so that is no part of it.
    """
    start = os.pread(descriptor, min(TAIL, size), 0)
    line, end, _ = start.lstrip().partition(b"\n")
    whole = bool(end) or len(start) == TAIL or line.rstrip().endswith(b"}")
    return tail_digest(line.rstrip(b"\r")) if line and whole else None


def tail_at(descriptor: int, offset: int) -> str:
    """The digest of the last 4,096 bytes before ``offset``."""
    start = max(0, offset - TAIL)
    return tail_digest(os.pread(descriptor, offset - start, start))


def _line_to_go_on(descriptor: int, one: Checkpoint) -> int:
    """The lines before the offset; a last one that had no end yet goes on, and counts once."""
    if one.offset and one.line and os.pread(descriptor, 1, one.offset - 1) != b"\n":
        return one.line - 1
    return one.line
