"""Whether one text says no more than another: what a model may tell of a source, what is only said back.

A figure or a name of its own (`by 5 December 2026`, where `by the 5th` was said), too many words of its own,
or a denial turned round (`the port is not 8443`) make a text one that nobody else said.

Which sentences say what a session is about: those nearest to its centroid, none of them twice.

The centroid is the mean of the sentences' vectors (D. R. Radev et al., “Centroid-based summarization of
multiple documents”, 2004), of their words by TF-IDF: it is deterministic and needs nothing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexing.words import STOP_WORDS
from workbench.ingest.statements import Utterance, figures, names
from workbench.memory.claims import claim_words, distinction
from workbench.memory.sentences import sentences

LIKE = 0.8
"""Cosine from which two sentences say the same."""
_Vector = Mapping[str, float]


def central(texts: Sequence[str], most: int, *, weights: Sequence[float]) -> tuple[int, ...]:
    """The places in ``texts`` of at most ``most`` that are nearest the centroid of all, in their order.

    ``weights`` say how much each text counts, for the centroid and for being chosen.
    """
    vectors = _tf_idf(texts)
    centre: dict[str, float] = defaultdict(float)
    for vector, weight in zip(vectors, weights, strict=True):
        for word, value in vector.items():
            centre[word] += value * weight
    picked: list[int] = []
    for at in sorted(range(len(texts)), key=lambda at: (-_dot(vectors[at], centre) * weights[at], at)):
        if len(picked) == most:
            break
        if all(_dot(vectors[at], vectors[other]) < LIKE for other in picked):
            picked.append(at)
    return tuple(sorted(picked))


def content_words(text: str) -> list[str]:
    """The words of ``text`` that tell it from other text, folded."""
    return [word for word in claim_words(text) if word not in STOP_WORDS and any(map(str.isalnum, word))]


def _tf_idf(texts: Sequence[str]) -> list[_Vector]:
    """``(1 + ln tf) * ln(1 + n / df)`` of each word of each text, as vectors of length 1."""
    counts = [Counter(content_words(text)) for text in texts]
    spread = Counter(word for count in counts for word in count)
    vectors: list[_Vector] = []
    for count in counts:
        words = {
            word: (1 + math.log(n)) * math.log(1 + len(texts) / spread[word]) for word, n in count.items()
        }
        length = math.hypot(*words.values())
        vectors.append({word: value / length for word, value in words.items()})
    return vectors


def _dot(one: _Vector, other: _Vector) -> float:
    return math.fsum(value * other[word] for word, value in one.items() if word in other)


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
    words, low = content_words(text), source.casefold()
    stems = _stems(source)
    anywhere = f"{low}\n{names_in.casefold()}"
    return (
        bool(words)
        and sum(_is_held(word, stems, low) for word in words) >= share * len(words)
        and set(figures(text)) <= set(figures(source))
        and all(name.casefold() in anywhere for name in names(text))
        and _denies(text) == _denies(_likest(source, _stems(text)))
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
            heard += [one.text] if one.states_something else []
        elif heard and is_borne_out(one.text, "\n".join(heard), share=ECHOED):
            continue
        yield one


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in content_words(text)}


def _is_held(word: str, stems: set[str], low: str) -> bool:
    inflected = word[:_STEM] in stems or word[:_LONG] in stems  # `lives` where `live` is said
    return inflected or (len(word) >= _LONG and word in low)


def _likest(source: str, stems: set[str]) -> str:
    parts = [one.text for one in sentences(source)] or [source]
    return max(parts, key=lambda part: len(stems & _stems(part)))


def _denies(text: str) -> bool:
    return bool(distinction(text).turns)
