"""Git objects (read through one long-lived ``cat-file --batch`` process, and written), and commits."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
import time
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from subprocess import PIPE
from typing import Any, NewType

from workbench.errors import RepositoryStateError, StoppedError
from workbench.frozen import frozen, frozen_kw_only

CommitId = NewType("CommitId", str)
"""A full git object name of a commit (40 or 64 hexadecimal digits)."""

BlobId = NewType("BlobId", str)
"""A full git object name of a blob."""

_LARGEST = 1 << 30
"""Bytes of an object: a few kilobytes of a hostile pack can become any number of them."""

_LATEST_SECOND = 253_402_300_799  # the end of the year 9999
_TYPES = {"commit": 1, "tree": 2, "blob": 3}
_UNFIT = re.compile(r"[<>\0-\x1f]")


@frozen
class ReferenceMove:
    """A reference of ours that moves from ``old`` to ``new`` (None: it is not there).

    ``aside`` is a reference under which ``old`` is kept, where that is not before ``new``.
    """

    name: str
    new: CommitId | None
    old: CommitId | None
    aside: str = ""


@frozen_kw_only
class Commit:
    """A commit as it is stored. ``trailers`` are the ``Key: value`` lines of its last paragraph."""

    id: CommitId
    parents: tuple[CommitId, ...]
    tree: str
    author: str
    when: datetime
    subject: str
    message: str
    trailers: tuple[tuple[str, str], ...]
    cut_off: bool = False
    """Whether its parents are missing because the clone is shallow."""

    @property
    def operation(self) -> str:
        """The id of the operation that it records; of a plain commit the first digits of its own name."""
        return self.trailer("Operation") or self.id[:12]

    @property
    def parent(self) -> CommitId | None:
        """The first of its parents."""
        return self.parents[0] if self.parents else None

    def trailer(self, key: str) -> str | None:
        """The first trailer of that key."""
        return next(iter(self.trailers_of(key)), None)

    def trailers_of(self, key: str) -> tuple[str, ...]:
        """All trailers of that key."""
        return tuple(value for name, value in self.trailers if name == key)


def parse_commit(name: CommitId, data: bytes, *, cut_off: bool) -> Commit:
    """The commit object ``data``; one that a shallow clone ends with has no parents.

    git lists commits whose author, committer or moment is missing or absurd, so they are read too.
    """
    header, _, body = data.partition(b"\n\n")
    fields: dict[str, list[str]] = {}
    for line in header.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        fields.setdefault(key, []).append(value)
    stamp = re.search(r"> (-?\d{1,18}) ", fields.get("committer", [""])[0] + " ")
    message = body.decode("utf-8", "replace")
    return Commit(
        id=name,
        parents=() if cut_off else tuple(CommitId(parent) for parent in fields.get("parent", ())),
        tree=fields["tree"][0],
        author=fields.get("author", [""])[0].rpartition(" <")[0],
        when=moment(stamp[1] if stamp else ""),
        subject=message.partition("\n")[0],
        message=message,
        trailers=_trailers(message),
        cut_off=cut_off,
    )


def moment(seconds: str) -> datetime:
    """The moment so many seconds after 1970; what is no such number, or absurd, is the nearest that is."""
    try:
        return datetime.fromtimestamp(min(max(int(seconds), 0), _LATEST_SECOND), UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _trailers(message: str) -> tuple[tuple[str, str], ...]:
    """The ``Key: value`` lines of the last paragraph, if it holds nothing else."""
    last = message.rstrip("\n").rpartition("\n\n")[2].split("\n")
    found = [re.fullmatch(r"([A-Z][A-Za-z-]*): (.*)", line) for line in last]
    return tuple((m[1], m[2]) for m in found if m) if all(found) else ()


def object_name(kind: str, data: bytes, algorithm: str) -> str:
    """The name by which git knows an object."""
    return hashlib.new(algorithm, b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()


def packed(objects: Iterable[tuple[str, bytes]], algorithm: str) -> bytes:
    """Objects, each as its type and its bytes, as the stream that ``git unpack-objects`` reads."""
    rows = list(objects)
    out = bytearray(b"PACK" + (2).to_bytes(4, "big") + len(rows).to_bytes(4, "big"))
    for kind, data in rows:
        # The first byte has the type and four bits of the size, the others seven bits each.
        byte, rest = _TYPES[kind] << 4 | len(data) & 15, len(data) >> 4
        while rest:
            out.append(byte | 128)
            byte, rest = rest & 127, rest >> 7
        out.append(byte)
        out += zlib.compress(data, 1)
    return bytes(out + hashlib.new(algorithm, out).digest())


def commit_data(
    tree: str, parents: Sequence[str], message: str, committer: Sequence[str], author: Sequence[str]
) -> bytes:
    """The bytes of a commit that is made now; people are their name and address."""
    now = time.time()
    when = f"{int(now)} {time.strftime('%z', time.localtime(now))}"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    for role, (name, email) in (("author", author), ("committer", committer)):
        lines.append(f"{role} {_UNFIT.sub('', name).strip()} <{_UNFIT.sub('', email).strip()}> {when}")
    return ("\n".join([*lines, "", message.removesuffix("\n"), ""])).encode("utf-8", "replace")


class ObjectReader:
    """Gives the bytes of objects by their full names, of any object format.

    Only names made of hexadecimal digits, and of references, are ever sent, so no path can break the
    protocol. May be used from several threads at once.
    """

    def __init__(self, carrier: Any) -> None:
        """``carrier`` starts git, for which see ``carrier_for``."""
        self._carrier = carrier
        self._lock = threading.RLock()
        self._process: Any = None  # GitPython's handle, which ends the process when it is dropped
        self._is_half_read = False
        self._is_stopped = False

    def stop(self) -> None:
        """Have whatever reads in another thread, and every later reading, end with StoppedError."""
        self._is_stopped = True

    def read(self, name: str, kind: str) -> bytes:
        """The object ``name``. Raises RepositoryStateError when it is missing or of another kind."""
        found, data = self._answer(name)
        if len(found) != 3:
            raise RepositoryStateError(
                f"git has no object {name}", hint="the repository may be damaged: run git fsck"
            )
        if found[1] != kind or len(data) != int(found[2]):
            raise RepositoryStateError(f"{name} is a {found[1]}, not a {kind}")
        return data

    def resolve(self, revision: str) -> str | None:
        """The full name of what a revision means at this moment, or None when it means nothing."""
        found, _ = self._answer(revision)
        return found[0] if len(found) == 3 else None

    def close(self) -> None:
        """End the process; it is started again when something else is read."""
        with self._lock:
            process, self._process = self._process, None
        if process:
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(BrokenPipeError):  # what was not sent is of no use now
                    stream.close()
            process.proc.wait()

    def _answer(self, name: str) -> tuple[list[str], bytes]:
        """The words of the header line for ``name``, and the bytes of the object if there is one."""
        with self._lock:
            if self._is_stopped:
                raise StoppedError("reading the history")
            if self._is_half_read:  # somebody gave up in the middle of an answer: the rest is not ours
                self.close()
            self._is_half_read = True
            header = self._ask(name) or self._ask(name)  # a reader that was killed is started again
            found, data = header.decode().split(), b""
            if len(found) == 3:
                if int(found[2]) > _LARGEST:
                    raise RepositoryStateError(
                        f"{found[0]} has {found[2]} bytes, more than can be read",
                        hint="git fsck may show more",
                    )
                data = self._process.stdout.read(int(found[2]))
                self._process.stdout.read(1)
            self._is_half_read = False
            return found, data

    def _ask(self, name: str) -> bytes:
        """The header line for ``name``; empty when the process is gone."""
        if not self._process:
            self._process = self._carrier.cat_file("--batch", as_process=True, istream=PIPE)
            os.set_blocking(self._process.stderr.fileno(), False)
        with contextlib.suppress(BlockingIOError):  # warnings that nobody reads would fill the pipe
            os.read(self._process.stderr.fileno(), 1 << 16)
        try:
            self._process.stdin.write(name.encode() + b"\n")
            self._process.stdin.flush()
            self._carrier.await_output(self._process)
            header: bytes = self._process.stdout.readline()
        except BrokenPipeError:
            header = b""
        if not header:
            self.close()
        return header
