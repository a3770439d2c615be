"""What no settings file can know by itself: whether there is the theme."""

from __future__ import annotations

from themes import Themes
from workbench.config.settings import Settings
from workbench.errors import UsageError


def theme_names() -> tuple[str, ...]:
    """The themes that there are, a person's own among them."""
    return tuple(Themes().by_name)


def fit(settings: Settings) -> None:
    """Raises UsageError for settings of the right form that cannot be used."""
    if settings.theme not in (known := theme_names()):
        raise UsageError(f"there is no theme {settings.theme!r}", hint="there are " + ", ".join(known))
