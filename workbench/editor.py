"""Text in the person's own editor, and never lost there.

::

    with drafted(source, away_from=workspace.root) as draft:
        draft.run_editor(editor_command(os.environ))
        ...  # use draft.text(); where this raises, the draft stays and the error says where

Which program runs is said by the person's environment alone, and it starts in the draft's own folder: no
file of the workspace has a part in it.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.errors import EditorError, UsageError, WorkbenchError, WriteFailedError
from workbench.frozen import frozen

_ELSEWHERE = ("/tmp", "/var/tmp")  # noqa: S108 - a folder of our own is made in it, for our eyes only


@frozen
class Draft:
    """A file for an editor, with the text it was made with. Bytes that are not UTF-8 are surrogates."""

    path: Path
    source: str

    def text(self) -> str:
        """What the file holds now. Raises EditorError when it cannot be read."""
        text = _read(self.path)
        if text is None:
            raise EditorError("the editor left no readable text", hint="nothing was changed")
        return text

    @property
    def changed(self) -> bool:
        """Whether there is something in it that was not there, or may be."""
        return self.path.exists() and _read(self.path) != self.source

    def run_editor(self, command: Sequence[str]) -> None:
        """Let the person write, until the editor ends. Raises EditorError when it fails."""
        # Data goes to stdout; an editor draws on the terminal, which stderr is more likely to be.
        screen = None if sys.stdout.isatty() else 2
        try:
            with _interrupts_are_the_editors():
                done = subprocess.run(
                    [*command, self.path.name], cwd=self.path.parent, stdout=screen, check=False
                )
        except OSError as error:
            raise EditorError(
                f"the editor {command[0]} cannot be started: {error.strerror}",
                hint="VISUAL or EDITOR in your environment sets it; --text needs none",
            ) from error
        if done.returncode:
            raise EditorError(
                f"the editor {command[0]} ended with status {done.returncode}", hint="nothing was changed"
            )


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """The arguments that start the person's editor: VISUAL, else EDITOR. Raises UsageError."""
    for name in ("VISUAL", "EDITOR"):
        said = environment.get(name, "").strip()
        if not said:
            continue
        try:
            return shlex.split(said)
        except ValueError as error:
            raise UsageError(
                f"{name} cannot be read as a command: {error}", hint="mend its quotes"
            ) from error
    raise UsageError("no editor is set", hint="set VISUAL or EDITOR, or give the text with --text")


@contextlib.contextmanager
def drafted(source: str, *, away_from: Path, name: str = "entry.md") -> Iterator[Draft]:
    """A file ``name`` with ``source``, outside of ``away_from``, readable by its owner alone.

    It goes at the end. When the block raises and the person wrote something, it stays instead, and the
    hint of a WorkbenchError says where. Raises WriteFailedError when it cannot be made.
    """
    draft = _begun(source, away_from, name)
    try:
        yield draft
    except BaseException as error:
        if not draft.changed:
            _discard(draft)
        elif isinstance(error, WorkbenchError):
            kept = f"your text is kept in {draft.path}"
            error.hint = f"{error.hint}; {kept}" if error.hint else kept
        raise
    _discard(draft)


def _begun(source: str, away_from: Path, name: str) -> Draft:
    reason: str | None = "every temporary folder is in the workspace"
    for parent in (tempfile.gettempdir(), *_ELSEWHERE):
        if Path(os.path.realpath(parent)).is_relative_to(os.path.realpath(away_from)):
            continue
        try:
            path = Path(tempfile.mkdtemp(prefix="workbench-", dir=parent)) / name
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(source.encode("utf-8", "surrogateescape"))
        except OSError as error:
            reason = error.strerror
        else:
            return Draft(path, source)
    raise WriteFailedError(
        f"no temporary file for the editor could be created: {reason}",
        hint="set TMPDIR to a folder outside of the workspace",
    )


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None


def _discard(draft: Draft) -> None:
    shutil.rmtree(draft.path.parent, ignore_errors=True)  # with what the editor left beside it


@contextlib.contextmanager
def _interrupts_are_the_editors() -> Iterator[None]:
    """Ctrl-C goes to all that run in the terminal; while the editor does, only it may take it to heart."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(
        signal.SIGINT, lambda *_: None
    )  # a handler of ours is not inherited, unlike SIG_IGN
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
