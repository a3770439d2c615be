"""The check of settings against the interface: whether the theme that they name exists."""

from __future__ import annotations

from themes import Themes
from workbench.config.settings import Settings
from workbench.errors import UsageError


def theme_names() -> tuple[str, ...]:
    """The names of all themes, the person's own among them."""
    return tuple(Themes().by_name)


def fit(settings: Settings) -> None:
    """Raise UsageError for a theme that does not exist."""
    if settings.theme not in (known := theme_names()):
        raise UsageError(f"there is no theme {settings.theme!r}", hint="there are " + ", ".join(known))
