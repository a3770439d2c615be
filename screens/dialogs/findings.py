"""What a person should see before they say yes: each finding, with the rule that named it."""

from __future__ import annotations

from collections.abc import Iterator

from screens.drawing.rows import HIDDEN, Row
from screens.drawing.safe_text import row_text, words
from workbench.errors import FlaggedError, SecretFoundError


def warning_rows(*errors: Exception) -> list[Row]:
    """The findings that these errors tell of, fit to be shown above the change."""
    found = (row for error in errors for row in _rows(error))
    rows = [Row(f"warning:{number}", row.text, row.tone, row.depth) for number, row in enumerate(found)]
    return [*rows, Row("warning:end", words(""), inert=True)]


def _rows(error: Exception) -> Iterator[Row]:
    if isinstance(error, FlaggedError):
        yield Row("", words("There is more in it than meets the eye:"), tone="head")
        for title, findings in error.found.items():
            yield Row("", row_text(f"“{title}”"), depth=1)
            for finding in findings.split("; "):
                yield Row("", row_text(f"{HIDDEN} {finding}"), tone="bad", depth=2)
    elif isinstance(error, SecretFoundError):
        yield Row(
            "",
            words("This would record a secret in git, from where it is hard to remove:"),
            tone="head",
        )
        for place in error.places:
            yield Row("", row_text(f"{HIDDEN} {place}"), tone="bad", depth=1)
