"""What an agent is given, read: by the process that has the model, else by words in a thread of this one.

Nothing that is looked up here is recorded. Each function runs in a thread and has a workspace of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from indexing.search.keyword import LexicalSearch
from screens.context.message_page import message_page
from screens.context.other_pages import SHARES, bulletin_page, dominance_page, loaded_page
from screens.context.page import ContextPage
from screens.drawing.clock import now, today
from workbench.agent.bulletin import Which, bulletin, loaded, owner_page
from workbench.agent.context import injection_from_json
from workbench.agent.federated_search import answer_to
from workbench.agent.scopes import SearchScope, open_leader, scopes_of
from workbench.agent.usage import Dominance, dominance, never_given
from workbench.errors import WorkbenchError
from workbench.graph.read import read_graph
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace

NEVER = 300
"""Entries that are listed of those that were never given."""
WORDS_ONLY = "keyword search only"


class ByWords:
    """Answers by keyword only, where the process with the model does not; for one thread."""

    def __init__(self) -> None:
        self._scopes: tuple[SearchScope, ...] = ()

    def answer(self, workspace: Workspace, request: Mapping[str, object]) -> dict[str, object]:
        """The injection as JSON. Raises what ``inject`` raises."""
        if not self._scopes or self._scopes[0].workspace is not workspace:
            own = LexicalSearch(workspace, today=today)
            self._scopes = scopes_of(workspace, own, open_leader(workspace), today=today)
        return answer_to(self._scopes, request)


def page_of(workspace: Workspace, said: Mapping[str, Any], *, meaning: bool) -> ContextPage:
    """The page of an injection that was answered as JSON. Raises KeyError, TypeError or ValueError."""
    found = injection_from_json(said)
    meaning = meaning and not any(note.endswith(WORDS_ONLY) for note in found.notes)
    named = [line.entry for line in found.lines if not line.scope]
    named += [one.entry for one in (*found.left_out, *found.below)]
    return message_page(found, entries_at(workspace, named), workspace.settings, meaning=meaning)


def entries_at(workspace: Workspace, addresses: Iterable[str]) -> dict[str, Entry]:
    """Those of these entries that stand where they stood."""
    found: dict[str, Entry] = {}
    for address in addresses:
        try:
            found[address] = workspace.find(address)
        except (WorkbenchError, OSError):  # it was edited or taken out since, or is of another memory
            continue
    return found


def read_bulletin(workspace: Workspace, which: Which, *, memory_loaded: bool) -> ContextPage:
    """One of the bulletins."""
    graph = read_graph(workspace)
    owner = owner_page(workspace, graph)
    return bulletin_page(bulletin(graph, which, today(), memory_loaded=memory_loaded, owner=owner))


def read_loaded(workspace: Workspace, *, memory_loaded: bool) -> ContextPage:
    """What is always loaded."""
    found = loaded(workspace, today(), memory_loaded=memory_loaded)
    return loaded_page(found, workspace.settings.memory_budget)


def read_dominance(workspace: Workspace, days: int) -> tuple[Dominance, dict[str, Entry]]:
    """What was given most, and those of these entries that still stand."""
    found = dominance(workspace, now(), days)
    return found, entries_at(workspace, (share.entry for share in found.shares[:SHARES]))


def read_never(
    workspace: Workspace, found: Dominance, known: Mapping[str, Entry], going: Callable[[int, int], bool]
) -> ContextPage:
    """The page with what was never given, once it was looked for in all files."""
    never, count = never_given(workspace, found, most=NEVER, going=going)
    return dominance_page(found, known, never, count)


def page_so_far(found: Dominance, known: Mapping[str, Entry], done: int, total: int) -> ContextPage:
    """The page while what was never given is looked for."""
    text = f"looking for what was never given … {done} of {total} files" if total else "looking …"
    return dominance_page(found, known, (), 0, progress=text)
