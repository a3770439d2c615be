"""Every error a person can meet, as one tree.

::

    WorkbenchError                 exit 1
    ├── UsageError                 exit 2   the request itself makes no sense
    │   ├── EntryNotFoundError              no entry has this address (any more)
    │   ├── AmbiguousEntryError             several entries share this prefix
    │   ├── OperationNotFoundError          no operation has this id
    │   ├── AmbiguousOperationError         several operations share this prefix
    │   ├── NotMemoryError                  the path is outside the workspace's memory
    │   │   └── OutsideWorkspaceError       what is there is searched and shown, never changed
    │   └── NotCuratableError               the action does not apply to this entry
    │       └── FlaggedError                it holds what a person should look at first
    ├── WorkspaceError
    │   ├── NoWorkspaceError       exit 2   there is no such folder, or no memory in it
    │   ├── NoGitError                      git is not installed, or too old
    │   ├── NoRepositoryError               the folder is not in a git repository
    │   ├── RepositoryStateError            a bare, foreign or half-merged repository
    │   ├── SpecialFileError                a named pipe, socket or device is where a file should be
    │   └── ReadOnlyError                   the workspace cannot be written
    │       └── NewerFormatError            a newer program has written it: it can only be read
    ├── BusyError                  exit 3   somebody else holds a lock: try again
    ├── ConflictError                       newer text is in the way; nothing was changed
    ├── NeedsConfirmationError              the clock, or how much would go, is doubtful: look first
    ├── SecretFoundError                    a secret would be recorded in a file; nothing was
    ├── WriteFailedError                    the disk refused; the old text is intact
    ├── BackupError                         a backup cannot be made, or cannot be restored
    ├── StoppedError               exit 130 somebody stopped it before its end; nothing was written
    ├── EditorError                         the person's editor did not end as one that saved
    ├── IndexUnavailableError               a derived store cannot be opened, read or written
    └── ModelUnavailableError               no embedding model; words still work

Each says what happened, to which object, and (``hint``) what the person can do next. ``code`` is the
stable name that ``--json`` prints.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
from collections.abc import Iterator


class WorkbenchError(Exception):
    """Something that a person can act on. ``hint`` names the next step."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(WorkbenchError):
    """The request makes no sense as it stands."""

    code = "usage"
    exit_code = 2


class EntryNotFoundError(UsageError):
    """No entry has this address."""

    code = "entry-not-found"

    def __init__(self, address: str, message: str = "", hint: str = "") -> None:
        if not message and "#" not in address:
            message = f"{address!r} is not the address of an entry"
            hint = "an entry is PATH#HASH, as `workbench search` prints it, or PATH:LINE"
        super().__init__(
            message or f"there is no entry {address}",
            hint=hint
            or "it may have been edited or removed; nothing was changed. `workbench search` shows addresses",
        )


class AmbiguousEntryError(UsageError):
    """Several entries start with this prefix."""

    code = "entry-ambiguous"

    def __init__(self, address: str, candidates: list[str]) -> None:
        super().__init__(
            f"{address} matches several entries", hint="give more of it: " + ", ".join(candidates[:5])
        )


class OperationNotFoundError(UsageError):
    """No operation has this id."""

    code = "operation-not-found"

    def __init__(self, operation: str, hint: str = "") -> None:
        super().__init__(
            f"there is no operation {operation}" if operation else "no operation was given",
            hint="; ".join(filter(None, (hint, "`workbench log` lists the operations"))),
        )


class AmbiguousOperationError(UsageError):
    """Several operations, or their commits, start with this prefix."""

    code = "operation-ambiguous"

    def __init__(self, prefix: str, candidates: list[str]) -> None:
        super().__init__(
            f"{prefix} matches several operations", hint="give more of it: " + ", ".join(candidates[:5])
        )


class NotMemoryError(UsageError):
    """The path is not part of the workspace's memory."""

    code = "not-memory"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path or 'an empty path'} is not a memory file of this workspace",
            hint="paths are relative to the workspace, as `workbench search` prints them",
        )


class OutsideWorkspaceError(NotMemoryError):
    """The file lies outside of the workspace."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.message = f"{path} is outside of the workspace and read-only"
        self.hint = "copy what is worth keeping into a file of the workspace"
        self.args = (self.message,)


class NotCuratableError(UsageError):
    """The action does not apply to this entry."""

    code = "not-curatable"


class FlaggedError(NotCuratableError):
    """Entries hold hidden text, a secret or an order to an AI, and nobody said yet that this is all right.

    ``found`` says what, by the title of each entry; all of it is fit to be shown.
    """

    code = "flagged"

    def __init__(self, found: dict[str, str], *, secret: bool) -> None:
        self.found = found
        flags = "--allow-flagged --allow-secret" if secret else "--allow-flagged"
        super().__init__(
            "it is flagged: " + "; ".join(f"“{title}”: {what}" for title, what in found.items()),
            hint=f"review it first; the same command with `{flags}` takes it anyway",
        )


class WorkspaceError(WorkbenchError):
    """The workspace as a whole cannot serve the request."""

    code = "workspace"


class NoWorkspaceError(WorkspaceError):
    """There is no such folder, or no memory in it."""

    code = "no-workspace"
    exit_code = 2


class NoGitError(WorkspaceError):
    """git is not installed, or older than what is needed to switch a workspace's programs off."""

    code = "no-git"

    def __init__(self, found: str = "") -> None:
        super().__init__(
            f"git {found} is too old" if found else "git was not found on this machine",
            hint="install git 2.31 or newer; browsing and searching work without it",
        )


class NoRepositoryError(WorkspaceError):
    """The folder is not inside a git repository."""

    code = "no-repository"

    def __init__(self, root: str) -> None:
        super().__init__(f"{root} is not in a git repository", hint="run `workbench init` in it to make one")


class RepositoryStateError(WorkspaceError):
    """The repository is in a state in which we do not commit."""

    code = "repository-state"


class SpecialFileError(WorkspaceError):
    """A named pipe, a socket or a device stands where git or this program keeps a file or a folder."""

    code = "special-file"

    def __init__(self, path: os.PathLike[str], kind: str) -> None:
        super().__init__(
            f"{os.fspath(path)} is {kind} where a file or folder should be: reading it could block forever",
            hint="neither the workbench nor git creates such files: find out where it came from, then "
            "remove it:"
            f" `rm {shlex.quote(os.fspath(path))}`",
        )


class ReadOnlyError(WorkspaceError):
    """The workspace cannot be written."""

    code = "read-only"


class NewerFormatError(ReadOnlyError):
    """A newer program has written this memory, in a form that this one does not know."""

    code = "newer-format"

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"this memory has format {found}, and this program supports up to {known}; nothing was changed",
            hint="install a newer workbench to change it; reading and searching work as far as they can",
        )
        self.found = found
        self.known = known


class BusyError(WorkbenchError):
    """Somebody else is writing."""

    code = "busy"
    exit_code = 3


class ConflictError(WorkbenchError):
    """Newer text is in the way; nothing was changed."""

    code = "conflict"


class NeedsConfirmationError(WorkbenchError):
    """Something that runs by the clock would do what hardly anybody wants; nothing was changed."""

    code = "doubtful"


class SecretFoundError(WorkbenchError):
    """A secret would be recorded in a file that does not hold it in the last commit; nothing was recorded.

    ``places`` are lines fit to be shown (``path:line: rule masked-value``).
    ``on_disk``: it stands in a file already, and only git does not have it yet.
    """

    code = "secret"

    def __init__(self, places: list[str], *, on_disk: bool) -> None:
        self.places = places
        super().__init__(
            f"this would store a secret in git: {'; '.join(places)}; nothing was recorded",
            hint="delete it from the file with an editor, so that no trace of it is left; or store it anyway"
            " (--allow-secret, also of `workbench status --commit`)"
            if on_disk
            else "remove it, or store it anyway (--allow-secret)",
        )


class WriteFailedError(WorkbenchError):
    """The disk refused; the old text is intact."""

    code = "write-failed"


def reason_of(error: Exception, *, where: bool = False) -> str:
    """What went wrong, in one line; with ``where``, the file that the system could not use comes first."""
    if isinstance(error, WorkbenchError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if where and error.filename else error.strerror
    return str(error).partition("\n")[0] or type(error).__name__


def disk_error(error: OSError) -> WorkbenchError:
    """What the operating system refused, as an error that a person can act on."""
    reason = reason_of(error, where=True)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return ReadOnlyError(
            f"cannot write {reason}",
            hint="reading works, and searching if there is an index; actions need a writable workspace",
        )
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return WriteFailedError(
            f"writing to disk failed: {reason}",
            hint="nothing was lost: the old text is intact; free some space and try again",
        )
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return WriteFailedError(
            f"the system reported: {reason}",
            hint="nothing was lost; raise the limit of open files (`ulimit -n 1024`) and try again",
        )
    return WorkbenchError(f"the system reported: {reason}")


@contextlib.contextmanager
def disk_errors() -> Iterator[None]:
    """What the operating system refuses in it is raised as ``disk_error`` says it."""
    try:
        yield
    except OSError as error:
        raise disk_error(error) from error


class BackupError(WorkbenchError):
    """A backup cannot be made, or is not whole enough to be restored."""

    code = "backup"


class StoppedError(WorkbenchError):
    """Somebody stopped long work before its end; it has written nothing."""

    code = "stopped"
    exit_code = 130

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} was stopped; nothing was written")


class EditorError(WorkbenchError):
    """The person's editor did not end as one that saved."""

    code = "editor"


class IndexUnavailableError(WorkbenchError):
    """A derived store cannot be opened, read or written."""

    code = "index-unavailable"


class ModelUnavailableError(WorkbenchError):
    """No embedding model can be used."""

    code = "model-unavailable"
