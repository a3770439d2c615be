"""Which operations a person looks for: ``by:agent action:promote path:memory/ on:2026-03 staging -port``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.workspace.plan import Operation
from workbench.workspace.revisions import SHORTEST_PREFIX, local_day

_TERM = re.compile(
    r'(?P<turned>-?)(?:(?P<field>by|action|path|on):)?(?:"(?P<exact>[^"]*)"?|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
_GIT = "git"
"""What people call a plain commit."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that has to hold of an operation, or not to where it is ``turned``."""

    field: str
    text: str
    turned: bool

    def holds(self, operation: Operation) -> bool:
        """Whether it does."""
        return self._found(operation) is not self.turned

    def _found(self, operation: Operation) -> bool:
        if self.field == "by":
            return self.text in operation.actor.casefold()
        if self.field == "action":
            plain = operation.action == "commit" and _GIT.startswith(self.text)
            return plain or operation.action.startswith(self.text)
        if self.field == "path":
            return any(self.text in path.casefold() for path in operation.paths)
        if self.field == "on":
            return local_day(operation.when).isoformat().startswith(self.text)
        named = len(self.text) >= SHORTEST_PREFIX and (
            operation.id.startswith(self.text) or operation.commit.startswith(self.text)
        )
        return named or self.text in _words(operation)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was typed: ``text`` as it is, ``terms`` as it is meant; all of them have to hold."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    def holds(self, operation: Operation) -> bool:
        """Whether this is one of those."""
        return all(term.holds(operation) for term in self.terms)


def wanted(text: str) -> Wanted:
    """What ``text`` asks for. Any text is a filter: an unknown field is a word."""
    terms = []
    for found in _TERM.finditer(text):
        said = (found["exact"] if found["exact"] is not None else found["word"]).casefold()
        if said:
            terms.append(Term((found["field"] or "").lower(), said, bool(found["turned"])))
    return Wanted(text.strip(), tuple(terms))


def _words(operation: Operation) -> str:
    """All that is said of an operation."""
    said = (operation.action, operation.summary, operation.actor, operation.reason)
    return "\n".join((*said, *operation.entries, *operation.paths)).casefold()
