"""The graph's screen under test: opened, asked for its rows, its cursor put where it is wanted."""

from __future__ import annotations

from screens.graph.neighbourhood import GraphScreen
from tests.screens.interface import Interface


def graph_screen(interface: Interface) -> GraphScreen:
    """The screen that is open."""
    found = next(s for s in reversed(interface.app.screen_stack) if isinstance(s, GraphScreen))
    assert isinstance(found, GraphScreen)
    return found


async def open_graph(interface: Interface, *, pages: int = 1) -> GraphScreen:
    """Wait until the panes have read the pages, press the key, wait until something is shown."""
    graph = interface.main.panes[3]
    await interface.until(lambda: len(graph.view.pages) >= pages, "the pages")  # type: ignore[attr-defined]
    await interface.press("R")
    await interface.until(lambda: len(interface.app.screen_stack) > 1, "the screen")
    screen = graph_screen(interface)
    await interface.until(lambda: screen.known is not None and screen.list.rows, "the rows")
    return screen


def texts(screen: GraphScreen) -> list[str]:
    """The rows with what stands before and after them."""
    return [
        " ".join([*(part.text for part in row.lead), row.text, *(part.text for part in row.tail)])
        for row in screen.list.rows
    ]


async def cursor_on(interface: Interface, words: str) -> None:
    """Put the cursor on the first row with these words."""
    screen = graph_screen(interface)
    await interface.until(lambda: any(words in text for text in texts(screen)), f"a row with {words!r}")
    screen.list.go(next(at for at, text in enumerate(texts(screen)) if words in text))
    await interface.pilot.pause()


async def until_rows(interface: Interface, words: str, *, gone: bool = False) -> None:
    """Wait for a row with these words, or for it to go."""
    screen = graph_screen(interface)
    await interface.until(
        lambda: any(words in text for text in texts(screen)) is not gone, f"{words!r} in the rows"
    )


async def until_behind(interface: Interface, words: str) -> None:
    """Wait until this is told of the row."""
    screen = graph_screen(interface)
    lists = (screen.behind, *screen.sides.lists)
    await interface.until(
        lambda: any(words in row.text for one in lists for row in one.rows), f"{words!r} behind"
    )
