"""Which format a workspace says it has, read anew each time: a pull may bring another while we run."""

from __future__ import annotations

from pathlib import Path

from workbench.config import settings
from workbench.config.safe_yaml import read_mapping
from workbench.errors import NewerFormatError, UsageError
from workbench.format_version import FORMAT, KEY, format_in
from workbench.workspace.layout import SETTINGS_FILE


def format_of(root: Path) -> int:
    """The number in the settings file of the workspace at ``root``; 0 where there is none, or no file.

    Raises UsageError where it cannot be told: the file cannot be read, or says no number.
    """
    path = root / SETTINGS_FILE
    try:
        data = settings.read_file(path, trusted=False)
        return format_in(read_mapping(data.decode("utf-8"))) if KEY.encode() in data else 0
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(
            f"{path} does not state the format of this memory: {settings.short(error)}",
            hint=f"correct the file; `{KEY}: {FORMAT}` is what this version writes",
        ) from error


def require_known_format(root: Path) -> None:
    """Raise NewerFormatError where a newer program wrote this memory, UsageError where nobody can tell."""
    found = format_of(root)
    if found > FORMAT:
        raise NewerFormatError(found, FORMAT)
