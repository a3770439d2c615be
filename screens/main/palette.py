"""The command palette: everything in the registry, and the themes, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from screens.actions.action import Group
from screens.actions.keys import key_names, keys_of
from screens.actions.registry import ACTIONS, SCREEN_NAMES
from screens.drawing.safe_text import sentence
from screens.frames.overlay_screen import OverlayScreen

if TYPE_CHECKING:
    from screens.app import WorkbenchApp


_OF_A_ROOM = frozenset({Group.REVIEW, Group.GRAPH, Group.AGENT, Group.HEALTH, Group.SETTINGS})
"""What is done in one screen alone, and is offered there."""


class Commands(Provider):
    """Finds actions by their labels and help."""

    async def discover(self) -> Hits:
        """Everything, what can be done now first, the rest dim."""
        for name, help_text, command, possible in sorted(self._entries(), key=lambda entry: not entry[3]):
            yield DiscoveryHit(_drawn(Content(name), possible), command, text=name, help=help_text)

    async def search(self, query: str) -> Hits:
        """What fits the words typed; what can be done now goes before what cannot."""
        matcher = self.matcher(query)
        for name, help_text, command, possible in self._entries():
            score = matcher.match(name)
            if score > 0:
                drawn = _drawn(matcher.highlight(name), possible)
                yield Hit(score + possible, drawn, command, text=name, help=help_text)

    def _entries(self) -> Iterator[tuple[str, str, Callable[[], None], bool]]:
        """Name, help, what to call, and whether it can be done now."""
        app = cast("WorkbenchApp", self.app)
        over = self.screen if isinstance(self.screen, OverlayScreen) else None
        shown = over or app.main
        context = shown.context()
        for action in ACTIONS:
            here = context.place in action.places and (action.palette or action.group in _OF_A_ROOM)
            if not here and not (over is not None and action.id in SCREEN_NAMES):
                continue
            why = action.reason(context)
            keys = key_names(keys_of(action.id))
            label = sentence(action.label)
            name = f"{label}  ·  {keys}" if keys else label
            help_text = f"{action.help} Not now: {why}." if why else action.help
            yield name, help_text, partial(shown.action_perform, action.id), why is None
        for theme in app.theming.themes.by_name.values():
            yield (
                f"Theme: {theme.label}",
                "Change the colours.",
                partial(app.theming.choose, theme.name),
                True,
            )


def _drawn(name: Content, possible: bool) -> Content:
    return name if possible else name.stylize("dim")
