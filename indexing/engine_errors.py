"""The boundary to the engines underneath: whatever they raise leaves as one error of ours.

What the operating system refuses (permissions, a read-only or full disk, too many open files) is no damage:
nothing is set aside for it, and it leaves as ``RefusedError`` with the system's own words.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator

from workbench.errors import IndexUnavailableError, SpecialFileError

REINDEX_HINT = "run `workbench reindex`; it sets aside what is damaged and makes it again"
UNWRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_REFUSALS = UNWRITABLE | _NO_ROOM
_CODE = re.compile(r"\(os error (\d+)\)|\bcode: (\d+)")


class RefusedError(IndexUnavailableError):
    """The operating system refused; the index itself may be whole. ``reason`` is an ``errno``."""

    def __init__(self, what: str, reason: int) -> None:
        super().__init__(
            f"{what}: {os.strerror(reason)}",
            hint="nothing is damaged: correct the permissions, or free what is used up, and try again",
        )
        self.reason = reason


class SpecialInIndexError(RefusedError):
    """A named pipe, a socket or a device stands in the index; whoever opens it could wait for ever."""

    def __init__(self, found: SpecialFileError) -> None:
        IndexUnavailableError.__init__(self, found.message, hint=found.hint)
        self.reason = errno.EINVAL


@contextlib.contextmanager
def engine(what: str) -> Iterator[None]:
    """Turn any failure of an engine, a Rust panic too, into IndexUnavailableError naming ``what``."""
    try:
        yield
    except IndexUnavailableError:
        raise
    except Exception as error:
        raise _unavailable(what, error) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # derives from BaseException in pyo3
            raise _unavailable(what, error) from error
        raise


@contextlib.contextmanager
def allowed(what: str) -> Iterator[None]:
    """Turn a PermissionError into RefusedError naming ``what``; other errors pass."""
    try:
        yield
    except PermissionError as error:
        raise RefusedError(what, error.errno or errno.EACCES) from error


def _unavailable(what: str, error: BaseException) -> IndexUnavailableError:
    code = _refusal(error)
    if code:
        return RefusedError(what, code)
    reason = str(error).partition("\n")[0][:200] or type(error).__name__
    return IndexUnavailableError(f"{what}: {reason}", hint=REINDEX_HINT)


def _refusal(error: BaseException) -> int:
    """The ``errno`` of a refusal, 0 for anything else. The engines tell it in their text only."""
    if isinstance(error, OSError) and error.errno in _REFUSALS:
        return error.errno
    codes = (int(bracketed or named) for bracketed, named in _CODE.findall(str(error)))
    return next((code for code in codes if code in _REFUSALS), 0)
