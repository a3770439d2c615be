"""How hits are weighed: the options that choose weights, and what is said of an index that lies behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.ranking.weights import Weights

PRESETS = ("default", "openclaw", "goclaw", "words", "meaning")

WEIGHTS = """\b
Weights, for --weight NAME=VALUE (repeatable) and "weights" in a batch:
  vector, lexical          what meaning and words count; only their ratio matters
  recency, half_life       how much an old log loses (0 to 1), and in how many days half of that
  importance, pin, user    what important, pinned and one's own entries gain
  date                     what entries gain that are of a day named in the question
  exact                    how much meaning loses where a question is all identifiers and quotes
  diversity                below 1, near-duplicates make room for others
  fusion                   sum of both scores, raw (the cosine undivided), or rrf (reciprocal ranks)
  dream, log, ...          a factor for a kind
recency, importance, pin, user, date, exact and diversity also take on and off.

\b
Each answer has a "state": ok; stale, where files have changed since they were indexed; degraded, where words
or meaning are missing, and "degraded" says why; empty, where nothing was found. A search that fails has
{"error": {"code", "message", "hint"}} instead. With --explain, each hit has its "parts": all that are "plus"
are added, then all that are "times" multiplied.
"""


def with_weights(command: Callable[..., None]) -> Callable[..., None]:
    """The options ``--preset``, ``--weight`` and ``--for-user``."""
    for option in (
        click.option("--for-user", metavar="NAME", default="", help="Who asks: theirs first, nobody else's."),
        click.option(
            "--weight", "weights", metavar="NAME=VALUE", multiple=True, help="Change a weight, see below."
        ),
        click.option("--preset", type=click.Choice(PRESETS), help="Weights of another system."),
    ):
        command = option(command)
    return command


def chosen(place: Workspace, preset: str | None, weights: tuple[str, ...]) -> Weights:
    """The weights that the settings and the options choose. Raises UsageError."""
    from indexing.ranking.weights import preset as named
    from indexing.ranking.weights import weights_from_words, weights_of

    base = named(preset) if preset else weights_of(place.settings)
    return weights_from_words(weights, base)


def own_weights_with(preset: str | None, weights: tuple[str, ...]) -> Weights:
    """The same for several workspaces: what one of them says of weights counts for none."""
    from indexing.ranking.weights import preset as named
    from indexing.ranking.weights import weights_from_words
    from workbench.agent.federated_search import own_weights

    return weights_from_words(weights, named(preset) if preset else own_weights())


def behind(place: Workspace) -> str | None:
    """How far the index lies behind the files, None where it does not: what is missing cannot be found."""
    from indexing.sync.freshness import freshness

    if isinstance(place, PastWorkspace):
        return None
    found = freshness(place)
    return f"{found.behind}; run `workbench reindex`" if found.state == "stale" else None
