"""Files of the person's own, outside of any workspace: settings, keys, what was seen once.

They are replaced whole and at once, through links (settings often are one into a folder of dotfiles).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from workbench.config.read_only import require_more_than_looking
from workbench.errors import ConflictError, UsageError, disk_errors

MAX_BYTES = 64 * 1024
"""Bytes of such a file that are read."""


def read_own(path: Path) -> bytes | None:
    """What the file holds, None where there is none. Raises WorkbenchError where it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is over {MAX_BYTES:,} bytes", hint="reduce it with an editor")
    return data


def replace_own(path: Path, expected: bytes | None, data: bytes) -> None:
    """Put ``data`` in the place of ``expected``, whole or not at all; a new file is for its owner's eyes.

    Raises ConflictError where the file is not as it was read, ReadOnlyError, WriteFailedError.
    """
    require_more_than_looking()
    with disk_errors():
        target = Path(os.path.realpath(path))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if expected is not None and not os.access(target, os.W_OK):  # replacing it would go around that
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        mode = stat.S_IMODE(target.stat().st_mode) if expected is not None else 0o600
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            _unchanged(path, expected)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _unchanged(path: Path, expected: bytes | None) -> None:
    if read_own(path) != expected:
        raise ConflictError(f"{path} changed in the meantime; nothing was written", hint="try again")
