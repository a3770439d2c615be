"""The summary of a session for its episode: topics, facts, decisions and open ends, with their turns."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from indexing.words import STOP_WORDS, word_set
from workbench.frozen import frozen_kw_only
from workbench.ingest.llm_session import summary_by
from workbench.ingest.statements import (
    MOST_OF_TURN,
    OF_AN_AGENT,
    Utterance,
    content_words,
    fit_lines,
    hear,
    without_echoes,
)
from workbench.llm.language_model import LanguageModel, LanguageModelError
from workbench.memory.claims import claim_key
from workbench.memory.episode import (
    COMPACTION,
    EXTRACTION,
    MOST_ABSTRACT,
    MOST_TOPICS,
    EpisodeLine,
    EpisodePage,
)
from workbench.memory.escape import plain_line
from workbench.memory.provenance import least_trusted
from workbench.memory.transcript import Session
from workbench.safety.secrets import clipped, looks_like_key

# -- topics: the phrases that come back, in whatever language ----------------------------------------

_LEAST, _OFTEN = 2, 3
"""Sentences in which a phrase comes back, and one common word."""
_MOST_WORDS = 3
_LEAST_RUN, _MOST_RUN = 2, 6
_LOOKED_AT = 200
"""Phrases that are compared with each other."""
_OF_BLANKLESS = "\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f"
_PIECE = re.compile(
    "(?P<run>[\u3400-\u9fff\u3005]+|[\u30a0-\u30ff]+|[\u0e00-\u0e7f]+)"
    f"|(?P<word>[^\\W_{_OF_BLANKLESS}]+(?:['’+#./_-][^\\W_{_OF_BLANKLESS}]+)*)"
    "|(?P<gap>\\S)"
)
_PARTICLES = re.compile(
    "[的了是在我你他她它们們这這那和就也都不没沒有说說会會要去为為把被让讓给給吗嗎呢吧啊很与與及个個上下着对對从從到而且还還"
    "只能可以时時]"
)
_BEFORE_NOUNS = word_set("""
    a an the my your our his her their its this these those some any each every no another
    of for in on at with by from about into over via per
    der die das den dem des ein eine einen einem einer mein meine unser unsere von mit im am für zum zur bei
    el la los las un una unos unas mi tu su nuestro nuestra de del en con por para
    le les des une du mon ma notre au aux dans avec pour sur l d
    o os as um uma do da dos das em seu sua il lo gli della nel""")
_STOP = (
    STOP_WORDS
    | _BEFORE_NOUNS
    | word_set("""
    all also any about after again because before between both during each few get got just like more most
    much new now old one only other over really same since still than through two under until up very want
    into via per every another no that lot lots thanks sounds yes well
    ist sind war ich du er sie es wir ihr nicht auch noch nur wie wenn dass als nach aus hat haben wird und
    oder aber auf zu y pero es son fue yo tú él ella nosotros que se sus et ou mais est sont je elle nous vous
    pas plus ce cette qui e mas com não ed ma di che non ho ha i
    и в не на я что он она мы вы они с как это по к но у за из от для же бы так все было""")
)


@dataclass(slots=True)
class _Uses:
    """Where a phrase stands: in so many ``sentences``, so often like a noun; and how it is ``written``."""

    sentences: int = 0
    like_a_noun: int = 0
    written: Counter[str] = field(default_factory=Counter)

    @property
    def shown(self) -> str:
        """As it is written mostly."""
        return self.written.most_common(1)[0][0]

    def is_topic(self) -> bool:
        """Whether it comes back, and is a name or stands like a noun."""
        if not self.written:
            return False
        plain = self.shown[0].islower() and self.shown[0] < "\u0250"
        alone = self.shown.islower() and plain and " " not in self.shown
        standing = not plain or 2 * self.like_a_noun >= self.written.total()
        return standing and self.sentences >= (_OFTEN if alone else _LEAST)


_Phrase = tuple[str, bool, bool]
"""A phrase of a sentence, whether nothing stands before it there, and whether it stands like a noun."""


def topics(texts: Iterable[str], most: int = 20) -> tuple[str, ...]:
    """The phrases that come back in ``texts``, which are sentences: at most ``most``, the best first.

    A phrase is one to three words between stop words and punctuation; in scripts without blanks it is a run
    of characters between particles. One that is not written like a name has to stand where nouns do, after an
    article, a possessive or a preposition; a phrase that only begins sentences does not count.
    """
    uses: dict[str, _Uses] = {}
    for text in texts:
        here = set()
        for phrase, opens, like_a_noun in _phrases(text):
            key = phrase.casefold()
            use = uses.setdefault(key, _Uses())
            use.sentences += key not in here
            here.add(key)
            if not opens:
                use.written[phrase] += 1
                use.like_a_noun += like_a_noun
    found = {key: use for key, use in uses.items() if use.is_topic()}
    best = sorted(found, key=lambda key: -found[key].sentences * len(key.split(" ")))[:_LOOKED_AT]
    whole = [key for key in best if not _is_part(key, best, found)]
    shown = (found[key].shown for key in whole)
    return tuple([phrase for phrase in shown if not looks_like_key(phrase)][:most])


def _is_part(key: str, others: Collection[str], found: dict[str, _Uses]) -> bool:
    """Whether a longer phrase that comes back nearly as often holds this one."""
    bounded = f" {key} " if key.isascii() or " " in key else key
    return any(
        len(other) > len(key)
        and 2 * found[other].sentences > found[key].sentences
        and bounded in f" {other} "
        for other in others
    )


def _phrases(text: str) -> Iterator[_Phrase]:
    run: list[str] = []
    before = ""
    opens, follows = True, False
    for piece in _PIECE.finditer(text):
        word = piece["word"] or ""
        named = follows and len(word) > 2 and word[0].isupper()  # the first word of `New York`
        follows = bool(word)
        if word and (named or not _is_stop(word)):
            run.append(word)
            continue
        yield from _of_words(run, before, opens=opens)
        opens = opens and not run and piece["gap"] is not None
        run, before = [], word.casefold()
        for part in _PARTICLES.split(piece["run"] or ""):
            yield from _of_characters(part)
    yield from _of_words(run, before, opens=opens)


def _is_stop(word: str) -> bool:
    low = word.casefold()
    return low in _STOP or re.split("['’]", low)[0] in _STOP


def _of_words(run: Sequence[str], before: str, *, opens: bool) -> Iterator[_Phrase]:
    """One to three words in a row; like a noun is what ends the row after a word that nouns follow."""
    for first in range(len(run)):
        for last in range(first + 1, min(len(run), first + _MOST_WORDS) + 1):
            phrase = " ".join(run[first:last])
            if last - first > 1 or (len(phrase) > 1 and not phrase.isdigit()):
                standing = first == 0 and last == len(run) and before in _BEFORE_NOUNS
                yield phrase, opens and first == 0, standing


def _of_characters(part: str) -> Iterator[_Phrase]:
    for first in range(len(part)):
        for last in range(first + _LEAST_RUN, min(len(part), first + _MOST_RUN) + 1):
            yield part[first:last], False, True


# -- the sentences nearest the centroid --------------------------------------------------------------

LIKE = 0.8
"""Cosine from which two sentences say the same."""
_Vector = Mapping[str, float]


def central(texts: Sequence[str], most: int, *, weights: Sequence[float]) -> tuple[int, ...]:
    """The places in ``texts`` of at most ``most`` that are nearest the centroid of all, in their order.

    None says the same as another one (``LIKE``). The centroid is the mean of the texts' vectors (D. R. Radev
    et al., “Centroid-based summarization of multiple documents”, 2004), of their words by TF-IDF: it is
    deterministic and needs no model. ``weights`` say how much each text counts, for the centroid and for
    being chosen.
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


# -- the summary -------------------------------------------------------------------------------------

FEWEST, MOST = 3, 8
"""Sentences of an extracted summary."""
MOST_FACTS, MOST_DECISIONS, MOST_OPEN = 40, 20, 20
_MANY = 12
"""Words from which on more of them say nothing more."""
MOST_COMPACTED = 40
"""Sentences of an agent's own summary that are kept."""
LEAST_ABSTRACT = 20
"""Characters that a sentence of an abstract has at least, where there is one."""
_OF_WHO_SPEAKS = frozenset({"identity", "preference", "goal"})


@frozen_kw_only
class Summary:
    """The page of an episode, which has no name and no days of its own yet.

    Without any line there is nothing to remember. ``notes`` say which way was taken, and what was left out.
    """

    page: EpisodePage
    notes: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def summarise(session: Session, *, model: LanguageModel | None = None) -> Summary:
    """The summary of ``session``. Never raises for what a model does: the next way is taken, and said.

    It is the agent's own where that compacted the session, else a model's where one is given and keeps to
    what was said, else the sentences nearest the session's centroid. Facts, decisions and open ends are
    always quotations. The last answer is kept: an action that is planned anew on newer files asks no model
    again. Who wants to ask before a lock is held calls this first.
    """
    heard = hear(session)
    by_claim: dict[str, Utterance] = {}
    for one in without_echoes(heard.sentences):
        by_claim.setdefault(claim_key(one.text), one)
    said = tuple(by_claim.values())
    notes: list[str] = []
    quotes = _nearest_centre(said, max(FEWEST, min(MOST, round(len(said) ** 0.5))))
    sections = _sections(said)
    kept = [*quotes, *(one for some in sections for one in some)]
    fit, withheld = fit_lines(clipped(session.summary, MOST_OF_TURN))
    lines = [EpisodeLine(text) for text in dict.fromkeys(fit)][:MOST_COMPACTED]
    by, way = COMPACTION, "the agent's own, from when it compacted the session"
    if not lines and model is not None and said:
        try:
            lines, notes = summary_by(model, heard.sentences)
            by, way = model.name, f"by {model.name}, each sentence with its turns"
        except LanguageModelError as error:
            why = error.args[0] if error.args else "the model failed"
            notes.append(f"{why}; sentences were selected instead")
    written = bool(lines)
    if not lines:
        lines = [one.line for one in quotes]
        count = f"{len(lines)} of {len(heard.sentences)} sentences"
        by, way = EXTRACTION, f"{count}, the nearest to what the session is about"
    facts, decisions, open_ends = (tuple(one.line for one in some) for some in sections)
    by_agent = written or any(not one.by_user for one in kept)
    reasons = Counter(one.why for one in (*heard.withheld, *withheld))
    if reasons:
        told = ", ".join(f"{reason} ({times})" for reason, times in sorted(reasons.items()))
        notes.append(f"sentences left out for what they hold: {told}")
    if heard.unread:
        notes.append(f"{heard.unread:,} characters were not read: too long for a message")
    page = EpisodePage(
        id="",
        source_id=session.source_id,
        session=session.key,
        source=session.source,
        agent=session.agent,
        user=session.user,
        started_at=session.started_at,
        ended_at=session.ended_at,
        abstract=_first_real([line.text for line in lines]) if by == COMPACTION else _abstract(kept),
        topics=topics([one.text for one in said] or [line.text for line in lines], MOST_TOPICS),
        turns=len(session.turns),
        trust=least_trusted(session.trust, *(["agent"] if by_agent else [])),
        summary_by=by,
        summary=tuple(lines),
        facts=facts,
        decisions=decisions,
        open=open_ends,
    )
    return Summary(page=page, notes=(f"summary: {way}", *notes))


def _nearest_centre(said: Sequence[Utterance], most: int) -> list[Utterance]:
    picked = central([one.text for one in said], most, weights=[one.weight for one in said])
    return [said[at] for at in picked]


def _sections(said: Sequence[Utterance]) -> tuple[list[Utterance], list[Utterance], list[Utterance]]:
    """Facts, decisions and open ends: the best of each, in their order.

    What an agent says of itself (`I prefer short answers`) is no fact: on the page nothing would tell it from
    what the person said.
    """
    decisions = [one for one in said if one.kind == "decision"]
    open_ends = [one for one in said if one.kind == "todo"]
    facts = [
        one
        for one in said
        if one.states_something
        and one.kind not in ("decision", "todo")
        and (one.by_user or one.kind not in _OF_WHO_SPEAKS or not OF_AN_AGENT.search(one.text))
    ]
    return _best(facts, MOST_FACTS), _best(decisions, MOST_DECISIONS), _best(open_ends, MOST_OPEN)


def _best(said: Sequence[Utterance], most: int) -> list[Utterance]:
    """At most ``most``, in their order; of those that are worth as much the ones that say more."""
    ranked = sorted(said, key=lambda one: (-one.worth, -min(_MANY, len(content_words(one.text)))))[:most]
    return [one for one in said if one in ranked]


def _abstract(kept: Sequence[Utterance]) -> str:
    """The one or two sentences that are worth most and nearest to the centre, as they were said."""
    sound = [
        one
        for one in dict.fromkeys(kept)
        if plain_line(one.text, MOST_ABSTRACT) and not looks_like_key(one.text)
    ]
    long = [one for one in sound if len(one.text) >= LEAST_ABSTRACT]
    some = sorted(long or sound, key=lambda one: (one.number, one.start))
    for most in (2, 1):
        text = " ".join(plain_line(one.text, MOST_ABSTRACT) for one in _nearest_centre(some, most))
        if len(text) <= MOST_ABSTRACT:
            return text
    return ""


def _first_real(texts: Sequence[str]) -> str:
    """The first real sentence of a summary that an agent wrote; the first one where all are short."""
    lines = [plain_line(text, MOST_ABSTRACT) for text in texts if not looks_like_key(text)]
    return next((line for line in lines if len(line) >= LEAST_ABSTRACT), next(iter(filter(None, lines)), ""))
