"""Proof that a note in ``.workbench/`` was written by this person's workbench, for this very folder.

A note is sealed with a random key that lies outside of every workspace. An archive that is unpacked, a clone
or a copied folder can hold any note, but none with a seal that fits: it also names the folder it was
written in.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from workbench.special_files import read_regular
from workbench.workspace.state_files import make_once, write_state

Note = TypeVar("Note")

_BYTES = 32
_OF_THIS_PROCESS = secrets.token_bytes(_BYTES)
"""Seals what is written where no key can be kept; nothing that another process wrote is known then."""


def key_path() -> Path:
    """Where the key lies, for its owner's eyes only."""
    return platformdirs.user_state_path("memory-workbench") / "seal.key"


class Seal:
    """Seals and verifies the notes of one workspace."""

    def __init__(self, root: Path, *, named: str = "") -> None:
        """``named`` is what tells the folder from others, where that is not its place on the disk."""
        self._root = root
        self._named = named

    def of(self, note: Mapping[str, Any]) -> str:
        """The seal of a note, made of plain JSON values. Raises OSError where the workspace is gone."""
        return self._made(_kept_key() or _made_key() or _OF_THIS_PROCESS, note)

    def write(
        self, path: Path, note: Any, *, fresh: Path | None = None, flush: bool = True, **also: str
    ) -> None:
        """Put a sealed note into a file; ``also`` is what the seal is of besides. Raises OSError."""
        told = asdict(note)
        write_state(path, {**told, "seal": self.of({**told, **also})}, fresh=fresh, flush=flush)

    def fits(self, note: Mapping[str, Any], seal: object) -> bool:
        """Whether this person's workbench wrote the note, in this folder."""
        return self._fits([_kept_key(), _OF_THIS_PROCESS], note, seal)

    def verifier(self) -> Callable[[Mapping[str, Any], object], bool]:
        """``fits`` for many notes, with the key read once; where no key can be kept all of them fit."""
        key = _kept_key() or _made_key()
        if not key:
            return lambda note, seal: True
        return partial(self._fits, [key, _OF_THIS_PROCESS])

    def _fits(self, keys: Sequence[bytes | None], note: Mapping[str, Any], seal: object) -> bool:
        if not isinstance(seal, str):
            return False
        try:
            return any(
                hmac.compare_digest(self._made(key, note).encode(), seal.encode()) for key in keys if key
            )
        except (OSError, ValueError, RecursionError):  # a note may be nested as deep as it can just be read
            return False

    def _made(self, key: bytes, note: Mapping[str, Any]) -> str:
        told = json.dumps([self._named or os.stat(self._root).st_ino, dict(note)], sort_keys=True)
        return hmac.new(key, told.encode("ascii"), hashlib.sha256).hexdigest()


def read_note(path: Path, kind: type[Note]) -> tuple[Note, dict[str, Any], object]:
    """The note in a file, the plain values that it says, and its seal, whether that fits or not.

    Raises OSError, and ValueError for what is no note of this kind.
    """
    import msgspec  # noqa: PLC0415 - hardly ever is there a note

    try:
        told = json.loads(read_regular(path))
        seal = told.pop("seal", None)
        return msgspec.convert(told, kind), told, seal
    except (TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} contains no entry") from error


def _kept_key() -> bytes | None:
    try:
        key = read_regular(key_path())
    except (OSError, ValueError):
        return None
    return key if len(key) == _BYTES else None


def _made_key() -> bytes | None:
    """Make the key, unless another process does so at the same time; None where it cannot be kept."""
    try:
        make_once(key_path(), secrets.token_bytes(_BYTES), flush=True)
    except OSError:
        return None
    return _kept_key()
