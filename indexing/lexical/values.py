"""What can stand behind the colon of a condition, as the entries have it: paths, sources, types, users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from indexing.document import path_term
from indexing.lexical.vocabulary import Vocabulary

_MANY_FILES = 50_000
_LONGEST = 80


def values(vocabulary: Vocabulary, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
    """The values of ``name`` that have ``begun`` in them, each with its number of entries, ``limit`` at most.

    Those that begin so come first, then those with more entries. Folders are values of ``path`` too. What
    nobody would type, as it is long or holds a quote, is left out.
    """
    start = path_term(begun)
    known = _paths(vocabulary) if name == "path" else _facets(vocabulary, name)
    fitting = [
        one for one in known if start in one[0] and one[0] and len(one[0]) <= _LONGEST and '"' not in one[0]
    ]
    return tuple(sorted(fitting, key=lambda one: (not one[0].startswith(start), -one[1], one[0]))[:limit])


def _facets(vocabulary: Vocabulary, name: str) -> Iterable[tuple[str, int]]:
    prefix = f"{name}:"
    return [(term.removeprefix(prefix), count) for term, count in vocabulary.beginning("facet", prefix)]


def _paths(vocabulary: Vocabulary) -> Iterable[tuple[str, int]]:
    found: Counter[str] = Counter()
    for path, count in vocabulary.beginning("path", "")[:_MANY_FILES]:
        found[path] += count
        if not path.startswith("/"):  # what lies beside the workspace has its whole path to itself
            at = path.find("/")
            while at > 0:
                found[path[: at + 1]] += count
                at = path.find("/", at + 1)
    return found.items()
