"""The boundary to the engines underneath: whatever they raise leaves as one error of ours."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from workbench.errors import IndexUnavailableError

REINDEX_HINT = "run `workbench reindex`; it sets aside what is damaged and makes it again"


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


def _unavailable(what: str, error: BaseException) -> IndexUnavailableError:
    reason = str(error).partition("\n")[0][:200] or type(error).__name__
    return IndexUnavailableError(f"{what}: {reason}", hint=REINDEX_HINT)
