"""What an agent only says back: `Noted: the rent is 640 euros` right after somebody has told it so.

Of the two the person's own words are kept. An answer that adds a figure or a name (`by 5 December 2026`,
where `by the 5th` was said), or that turns it round (`the port is not 8443`), is no echo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from workbench.ingest.centrality import content_words
from workbench.ingest.specifics import figures, names
from workbench.memory.near_duplicates import distinction

T = TypeVar("T")
_SHARE = 0.7
"""Share of its words that an echo has from what was said before it, at least."""
_LONG = 4
"""Letters from which on a word may be part of another: `Ahorn` of `Ahornholz`."""


def without_echoes(said: Iterable[T], told: Callable[[T], tuple[int, bool, str]]) -> Iterator[T]:
    """``said`` in its order, less what echoes the last turn of the person.

    ``told`` gives the turn, whether the person said it, and the words; empty ones are nothing to echo.
    """
    heard: list[str] = []
    last = -1
    for one in said:
        turn, by_user, text = told(one)
        if by_user:
            if turn != last:
                heard.clear()
            last = turn
            heard += [text] if text else []
        elif heard and is_echo(text, heard):
            continue
        yield one


def is_echo(text: str, heard: Sequence[str]) -> bool:
    """Whether ``text`` says no more than ``heard``: few words of its own, no figure, no name."""
    before = "\n".join(heard)
    low = before.casefold()
    known = set(content_words(before))
    words = content_words(text)
    shared = sum(word in known or (len(word) >= _LONG and word in low) for word in words)
    return (
        bool(words)
        and shared >= _SHARE * len(words)
        and set(figures(text)) <= set(figures(before))
        and set(distinction(text).turns) <= set(distinction(before).turns)
        and all(name.casefold() in low for name in names(text))
    )
