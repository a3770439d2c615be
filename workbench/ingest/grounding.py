"""Whether one text says no more than another: what a model may tell of a source, what is only said back.

A figure or a name of its own (`by 5 December 2026`, where `by the 5th` was said), too many words of its own,
or a denial turned round (`the port is not 8443`) make a text one that nobody else said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.ingest.centrality import content_words
from workbench.ingest.statements import figures, names
from workbench.ingest.utterances import Utterance
from workbench.memory.near_duplicates import distinction
from workbench.memory.sentences import sentences

ECHOED = 0.7
"""Share of its words that an echo has from what was said before it, at least."""
_STEM = 5
"""Letters by which two forms of a word are the same."""
_LONG = 4
"""Letters from which on a word may be part of another: `Ahorn` of `Ahornholz`."""


def is_borne_out(text: str, source: str, *, share: float, names_in: str = "") -> bool:
    """Whether ``source`` has at least this ``share`` of the words of ``text``, and all its figures and names.

    The sentence of ``source`` that is likest to ``text`` must deny just as much. Names may also stand in
    ``names_in``.
    """
    said = _Source(source)
    words = content_words(text)
    anywhere = f"{said.low}\n{names_in.casefold()}"
    return (
        bool(words)
        and sum(map(said.holds, words)) >= share * len(words)
        and set(figures(text)) <= set(figures(source))
        and all(name.casefold() in anywhere for name in names(text))
        and _denies(text) == _denies(said.likest(words))
    )


def without_echoes(said: Iterable[Utterance]) -> Iterator[Utterance]:
    """``said`` less what the agent only says back: `Noted: the rent is 640 euros`, right after it was told.

    What states something is looked at; of the two the person's own words are kept.
    """
    heard: list[str] = []
    last = None
    for one in said:
        if one.by_user:
            if one.turn is not last:
                heard.clear()
            last = one.turn
            heard += [one.text] if one.kind else []
        elif heard and is_borne_out(one.text, "\n".join(heard), share=ECHOED):
            continue
        yield one


class _Source:
    def __init__(self, text: str) -> None:
        self.text = text
        self.low = text.casefold()
        self._words = {word[:_STEM] for word in content_words(text)}

    def holds(self, word: str) -> bool:
        inflected = word[:_STEM] in self._words or word[:_LONG] in self._words  # `lives` where `live` is said
        return inflected or (len(word) >= _LONG and word in self.low)

    def likest(self, words: Iterable[str]) -> str:
        stems = {word[:_STEM] for word in words}
        parts = [one.text for one in sentences(self.text)] or [self.text]
        return max(parts, key=lambda part: len(stems & {word[:_STEM] for word in content_words(part)}))


def _denies(text: str) -> bool:
    return bool(distinction(text).turns)
