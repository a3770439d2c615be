"""Files that were replaced, kept for a while because another writer may still hold them open.

A program that opened a log before we exchanged it goes on writing into the old file. That file is kept
in ``.workbench/displaced/`` with a note of how much of it is known; whatever is added to it is carried
over to the file that took its place.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from workbench.memory.names import RelPath
from workbench.workspace.files import Files

GRACE_SECONDS = 3600.0
"""How long a displaced file is watched for late writes."""


class Displaced:
    """The kept files of one workspace."""

    def __init__(self, files: Files, folder: Path) -> None:
        self._files = files
        self._folder = folder

    def keep(self, path: RelPath, name: str, known: int) -> None:
        """Take the file ``name`` beside ``path`` out of its folder; its first ``known`` bytes are known."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        note = {"path": path, "known": known, "since": time.time()}
        self._write_note(name, note)
        self._files.rename(path, name, self._folder, name)

    def sweep(self) -> tuple[RelPath, ...]:
        """Carry late bytes over, drop files whose time is up; the paths that gained bytes."""
        gained = []
        for note_path in sorted(self._folder.glob("*.json")):
            name = note_path.name.removesuffix(".json")
            try:
                note = json.loads(note_path.read_bytes())
                path, known, since = RelPath(note["path"]), int(note["known"]), float(note["since"])
                late = (self._folder / name).read_bytes()[known:]
            except FileNotFoundError:  # the note of a file that never arrived
                note_path.unlink(missing_ok=True)
                continue
            except (ValueError, KeyError, TypeError, OSError):
                continue  # not ours to judge: keep it
            if late:
                self._files.append(path, late)
                note["known"] = known + len(late)
                self._write_note(name, note)
                gained.append(path)
            elif not 0 <= time.time() - since < GRACE_SECONDS:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._folder / name)
                note_path.unlink(missing_ok=True)
        return tuple(gained)

    def _write_note(self, name: str, note: dict[str, object]) -> None:
        target = self._folder / f"{name}.json"
        fresh = self._folder / f"{name}.json.new"
        fresh.write_text(json.dumps(note), encoding="utf-8")
        fresh.replace(target)
