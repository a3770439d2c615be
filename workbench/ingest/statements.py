"""Sentences worth keeping, in notes and in sessions: rules leave some out, a model judges the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from indexing.words import STOP_WORDS, word_set
from workbench.dreaming.features import Line
from workbench.dreaming.line_judgement import NOTE_FLOOR_SHARE, fact_type
from workbench.dreaming.salience import base_model, score_of
from workbench.dreaming.vetoes import secret_in, veto
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.claims import claim_key, claim_words, distinction
from workbench.memory.entry import without_emphasis
from workbench.memory.episode import EpisodeLine, TurnRef
from workbench.memory.provenance import COMMENT
from workbench.memory.sentences import Sentence, beginning, sentences
from workbench.memory.transcript import Session, Turn
from workbench.safety.hidden_text import hidden_in
from workbench.safety.machine_output import machine_made
from workbench.safety.prompt_injection import steers
from workbench.safety.secrets import clipped, secrets_in

# -- whether the words of a line are prose: a sentence, a question, another language than English ----
# Text in another language is never judged by English grammar.

_MARK = re.compile(
    r"\s*+(?:>\s*+)*+(?:(?:[-*+•‣▪◦–]|\d{1,9}[.)])\s++(?:\[[ xX]\]\s++)?)?+(?:\[[a-z_]{3,20}\]\s++)?+"
)
_WORD = re.compile(r"[^\W_][\w’'-]*")
_OPEN_END = word_set(
    """the a an of and or but nor to with for in on at by from that which who whose because if when while
    although as than into onto about between under over my our their your its his is are was were be
    been being this these those such via per without within during until unless so very more less
    some any every each other new"""
)
_ENDS_NOT = word_set(
    """the a an of and or but nor my our their your its whose because although than via per every"""
)
_DEPENDENT = word_set(
    """because which whose whereas although but and or nor so then whereby otherwise than plus e.g eg i.e
    etc including except would could might of to with for in on at by from as about if when while
    once after before since until unless despite without"""
)
_FUNCTION = word_set(
    """the and is are was of to in that it with for on as at by from this has have had not but be my we you
    they he she i i'm our his her their will who which when a an or its about does did been would
    than no"""
)
_FOREIGN = word_set(
    """der die das und mein meine dein unser unsere mijn onze zus heißt heisst wohnt woont werkt läuft
    fährt arbeite wohne vom zum nach über mia mio ist nicht ich wir ein eine einen mit von zu auf
    den dem des für bei im sind hat haben wird auch el los las una por con que para es su del se lo
    como mi nos está tiene son fue pero más muy vive trabaja le il les des est une dans nous vous
    avec pour pas sur mon ma mes au aux du je il elle sont depuis qui chez ont di che non è sono ho
    per gli nel della anche het een niet ik wij van voor met op zijn heb wordt naar o os uma não com
    em eu meu minha são está foi och att det som jag är inte på har nie jest się na"""
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff]")
_LETTER = re.compile(r"[^\W\d_]")
_OTHER_LETTER = re.compile(r"[^\W\d_\u0000-\u02af]")
_MARKED = re.compile(r"[äöüßéèêëàâçñáíóúìòùîïôûœæåøãõłśżźćęąńčřšžěůőű]", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:(?:and|so|but|well|ok|okay|hey|hi|q:|btw|oh|also|now|then)[,:]?\s+)?(?:"
    r"(?:do|does|did|have|has|can|could|would|should|will|shall|are|is|am|was|were|may|might|won't|don't"
    r"|didn't|isn't|aren't|haven't)"
    r"\s(?:you|we|i|they|he|she|it|there|this|that|anyone|anybody|someone|somebody|your|my|the|these|those)\b"
    r"|(?:what|where|why|who|whom|whose|which|how)\s(?:is|are|was|were|do|does|did|can|could|would|should"
    r"|will|has|have|had|about|come|many|much|long|often|far|old|if|time|kind|else)\b"
    r"|(?:what|how|where|why|who|which)(?:['’]s|['’]re|['’]d)\b|(?:any|got any)\s\w+\s(?:for|on|about"
    r"|left|yet)\b)",
    re.IGNORECASE,
)


def bare(line: str) -> str:
    """``line`` without list marks, task boxes, quote marks and emphasis."""
    marked = _MARK.match(line)
    return without_emphasis(line[marked.end() if marked else 0 :].strip()).strip()


def words_of(text: str) -> list[str]:
    """The words of ``text`` in lower case, apostrophes made straight."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def is_foreign(text: str) -> bool:
    """Whether ``text`` is prose in another language than English: nothing else is said about it."""
    marked = 0
    if not text.isascii():
        if len(_WIDE.findall(text)) * 3 > len(text):
            return True
        letters = len(_LETTER.findall(text))
        if letters and len(_OTHER_LETTER.findall(text)) * 2 > letters:
            return True
        marked = len(_MARKED.findall(text))
    words = words_of(text)
    foreign = sum(word in _FOREIGN for word in words) + marked * 0.5
    english = sum(word in _FUNCTION for word in words)
    return foreign > english and foreign >= 1


def is_question(text: str) -> bool:
    """Whether ``text`` asks something."""
    end = text.rstrip(" \t\"'”’)*_`")
    return end.endswith(("?", "？")) or (not end.endswith((".", "!")) and _QUESTION.match(text) is not None)


def unfinished(plain: str) -> str | None:
    """Why the words of a line are no whole sentence; None where they are. For English."""
    if plain[:1] in ",;)]}" or plain.startswith(("...", "…")):
        return "starts in the middle of a sentence"
    if plain.count("(") > plain.count(")") or plain.endswith((",", ";", ":", "-", "–", "—", "(")):
        return "stops in the middle of a sentence"
    words = words_of(plain)
    stopped = plain.rstrip("\"'”’)*_`")[-1:] in (".", "!", "…", "。")
    if words and (words[-1] in _ENDS_NOT or (not stopped and words[-1] in _OPEN_END)):
        return "stops in the middle of a sentence"
    first = words[0] if words else ""
    if plain[:1].islower() and first in _DEPENDENT and not (stopped and "," in plain):
        return "starts in the middle of a sentence"
    return None


# -- sentences that may be kept ----------------------------------------------------------------------

MOST_CHARACTERS = 1_000
"""A longer sentence is something that was pasted."""
_LEAST_WORDS, _LEAST_CHARACTERS = 3, 6
"""What a sentence has at least: words, or characters where a script has no blanks."""
_LENIENT = 0.5
"""Share of the model's own floor from which a sentence states something at all."""

_REQUEST = re.compile(
    r"(?:(?:please|also|and|oh|ok(?:ay)?|yes|yes please|so|then|just|but|one more thing|you should"
    r"|i(?:['’]d| would) like you to|i want you to|(?P<asked>(?:can|could|would|will) you))[,:.!]?\s+){0,4}"
    r"(?:(?:remember|keep in mind|bear in mind|(?:do not|don['’]t|never) forget|make a note|take a note"
    r"|write (?:it |this )?down)(?: (?:this|please|too|as well|for me|for later|for the future))?"
    r"(?:,? that\s+|:\s+)"
    r"|(?:bitte )?(?:merke? dir|vergiss nicht|denke? daran|notiere?(?: dir)?)(?: bitte)?(?:,? dass\s+|:\s+)"
    r"|(?:por favor,? )?(?:recuerda|no olvides|anota|ten en cuenta)(?: que\s+|:\s+)"
    r"|(?:souviens-toi|n['’]oublie pas|note bien)(?: (?:que\s+|qu['’])|\s?:\s+))"
    r"(?P<words>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)*(?P<mark>```+|~~~+)", re.MULTILINE)
_SPEAKER = re.compile(r"^(?:user|human|assistant|ai|me|you)\s?:\s+", re.IGNORECASE)
_BOX = re.compile(r"\[ \][ \t]+$")
_BEFORE = 12
"""Characters before a sentence in which an empty box may stand."""
_TASK = re.compile(
    r"^(?:\[ \]\s|(?:to-?do|fixme|action items?)\b)|\b(?:i|we|you) (?:still |also )?(?:need|have|['’]?ve got)"
    r" to\b|\b(?:i|we|you) must\b|\bremind me\b|\bdon['’]t forget to\b|\b(?:is|are) due\b|\bdeadline\b"
    r"|\b(?:ich|wir) m(?:uss|üssen)\b|\b(?:tengo|tenemos|hay) que\b|\b(?:il faut|je dois|nous devons)\b",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"\bi (?:don['’]t|do not|never|always|usually|only|rather|can['’]t stand|enjoy) ", re.IGNORECASE
)
_GOAL = re.compile(r"\b(?:my|our) goal\b|\bi want to (?:become|learn|finish|reach|run)\b", re.IGNORECASE)
_POINTING = re.compile(
    r"\W*(?:(?:and|but|so|also|then|yeah|yes|well|oh)\b\W*)*"
    r"(?:it|this|that|these|those|they|them|their|there|here)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[^\s.!?] )[^\W\d_a-zß-öø-ÿ][\w’'-]+")
"""A capitalised word inside of a sentence."""
_FIGURE = re.compile(r"(?<!\w)\w*\d[\w.:,/-]*\w|\d")
_CUED = frozenset({"decision", "preference", "identity", "todo", "goal"})


@frozen
class Statement:
    """A sentence, quoted: ``text`` is ``source[start:start + len(text)]``.

    ``kind`` is the type of memory that its words are certain of, else ``fact``; ``salience`` in (0, 1) how
    likely it is of use for months, and ``floor`` enough of it. ``requested``: its words ask for it to be
    remembered.
    """

    text: str
    start: int
    kind: str
    salience: float
    requested: bool = False
    floor: float = 0.0

    @property
    def states_something(self) -> bool:
        """Whether it says more than what passes with the moment."""
        return self.requested or self.kind in _CUED or self.salience >= _LENIENT * base_model().floor

    def is_salient(self, *, by_user: bool) -> bool:
        """Whether it is worth a line of a log; of what an agent says, only what the model finds so.

        What points at something that another sentence names (`It was worth it`) means nothing by itself.
        """
        if (self.requested and by_user) or self.kind == "decision":
            return True
        named = (name for name in names(self.text) if not name.startswith(("I'", "I’")))
        if _POINTING.match(self.text) and not (figures(self.text) or any(named)):
            return False
        return self.salience >= (_LENIENT if by_user and self.kind in _CUED else 1.0) * self.floor


def figures(text: str) -> list[str]:
    """Words with digits, as they stand: ``30``, ``1,804,211``, ``v2.1``, ``2026-03-15``."""
    return _FIGURE.findall(text)


def names(text: str) -> list[str]:
    """Words that are capitalised though no sentence begins with them."""
    return _NAME.findall(text)


def remember_request(text: str) -> str | None:
    """The words that ``text`` asks to be remembered (`Please remember that …`); None where it asks nothing.

    A question asks for it only where somebody is to do it: `Could you remember that I eat no meat?`
    """
    found = _REQUEST.match(text)
    if found is None or (found["words"].rstrip().endswith("?") and found["asked"] is None):
        return None
    return found["words"].rstrip("? ")


def statements_in(lines: Sequence[Line]) -> list[tuple[Statement, ...]]:
    """For each line its sentences that may be kept, as quotations in their order, judged together.

    They are judged as talk where the line was ``spoken`` in a session, else as notes. Of a note whose path is
    known, as much is enough as for a dream: heading and path tell what passes. Fenced blocks are left out,
    and so are whole lines in which somebody tries to steer an AI or hides text. Of a text that is longer than
    anybody writes the beginning is read. How likely a sentence is of use for months is the salience model's
    answer. Rules only leave out what is never kept (secrets, code, program output, questions, half
    sentences), and say what kind of memory the words are certain of; a sentence that its owner asks to be
    remembered is kept whatever it looks like.
    """
    found = [list(_kept_sentences(beginning(line.text))) for line in lines]
    judged = base_model().logits(
        [replace(line, text=words) for line, some in zip(lines, found, strict=True) for words, _, _ in some]
    )
    scores = iter(judged.tolist())
    return [
        tuple(
            Statement(
                words,
                start,
                kind,
                score_of(next(scores)),
                requested=remember_request(bare(words)) is not None,
                floor=base_model().floor * (NOTE_FLOOR_SHARE if line.path else 1.0),
            )
            for words, start, kind in some
        )
        for line, some in zip(lines, found, strict=True)
    ]


def why_not(text: str) -> str | None:
    """Why a line is never kept, in a few words for a person; None where one of its sentences may be."""
    line = beginning(text.strip("\r\n"))
    if len(line) < len(text) and secret_in(text):  # what stands behind the bound is judged for nothing else
        return "holds a secret"
    if reason := veto(line):
        return reason
    reasons = [_why_not_sentence(one.text) for one in sentences(line)]
    return None if None in reasons else next(iter(reasons), "no words")


def _kept_sentences(text: str) -> Iterator[tuple[str, int, str]]:
    shut = [*_fenced(text), *_steering(text)]
    for one in sentences(text):
        words = one.text.partition("<!--")[0].rstrip()
        in_the_open = not any(first < one.end and one.start < last for first, last in shut)
        if words and in_the_open and _why_not_sentence(words) is None:
            yield words, one.start, _kind(text, one)


def _why_not_sentence(sentence: str) -> str | None:
    """Why one sentence is nothing that anybody states."""
    if len(sentence) > MOST_CHARACTERS:
        return "too long for a message"
    plain = _SPEAKER.sub("", bare(sentence))
    told = remember_request(plain) or plain
    if secret_in(plain):
        return "holds a secret"
    if reason := machine_made(plain):
        return reason
    if is_question(told):
        return "a question"
    if not is_foreign(told) and (reason := unfinished(told)):
        return reason
    unspaced = len(_WIDE.findall(told)) if " " in told.strip() or told.isascii() else len(told)
    long_enough = len(words_of(told)) >= _LEAST_WORDS or unspaced >= _LEAST_CHARACTERS
    return None if long_enough else "too short to have content"


def _kind(text: str, sentence: Sentence) -> str:
    plain = bare(sentence.text)
    told = remember_request(plain) or plain
    if _BOX.search(text, max(0, sentence.start - _BEFORE), sentence.start) or _TASK.search(told):
        return "todo"
    if (kind := fact_type(told)) != "fact":
        return kind
    if _GOAL.search(told):
        return "goal"
    return "preference" if _HABIT.search(told) else "fact"


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = (fence.start(), fence["mark"])
        elif fence["mark"].startswith(opened[1]):
            yield opened[0], fence.end()
            opened = None
    if opened is not None:
        yield opened[0], len(text)


def _steering(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        if steers(line) or hidden_in(line):
            yield at, at + len(line)
        at += len(line)


# -- what was said in a session, sentence by sentence ------------------------------------------------

MOST_OF_TURN = 20_000
"""Characters of one turn that are read: more is a file that was pasted."""
MOST_OF_SESSION = 2_000_000
"""Characters of a session that are read, from its end: what was said last holds longest."""
OF_AN_AGENT = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b|^\W*[Pp]lease\b")
"""By which an agent speaks of itself or asks for something (`Please paste no keys here`); `we` is both."""
POSING = "a comment that looks like the workbench's own"
_AGENT = 0.8
"""What a sentence is worth that the agent said, as a share of what it is worth from the person."""
_MERELY_SAID = 0.1
"""Share of its salience that a sentence counts which states nothing that lasts."""


@frozen_kw_only
class Utterance(Statement):
    """A sentence of the turn with this ``number``, counted from 1; ``start`` is where in its text."""

    turn: Turn
    number: int

    @property
    def worth(self) -> float:
        """By how much it goes before others, in [0, 1]."""
        return self.salience if self.by_user else _AGENT * self.salience

    @property
    def weight(self) -> float:
        """How much it counts for what a session is about, in [0, 1]."""
        told = (1.0 + self.salience) / 2  # at most twice as much: how central it is decides first
        return told if self.states_something else _MERELY_SAID * told

    @property
    def by_user(self) -> bool:
        """Whether the person said it."""
        return self.turn.role == "user"

    @property
    def is_wanted(self) -> bool:
        """Whether the person asked for it to be remembered."""
        return self.by_user and self.requested

    @property
    def line(self) -> EpisodeLine:
        """It as a line of an episode."""
        return EpisodeLine(self.text, (TurnRef(self.number, self.turn.line),), by_agent=not self.by_user)

    def stands_in(self, turn: Turn, start: int, end: int) -> bool:
        """Whether a part of it is between these places of ``turn``."""
        return self.turn is turn and self.start < end and start < self.start + len(self.text)


@frozen
class WithheldSentence:
    """A sentence that is not written: the name of its claim, its line in the transcript, and why."""

    key: str
    line: int
    why: str


@frozen
class SessionUtterances:
    """The sentences of a session in their order, and those that were withheld.

    ``turns`` are those that were read, with what may be shown of each. ``unread`` counts characters that were
    too many.
    """

    sentences: tuple[Utterance, ...]
    turns: tuple[tuple[Turn, str], ...]
    withheld: tuple[WithheldSentence, ...] = ()
    unread: int = 0


def hear(session: Session) -> SessionUtterances:
    """The sentences of ``session`` that may be kept.

    A sentence that holds a secret or hidden text, or is part of one, is withheld and counted. A sentence that
    no rule would keep is left out.
    """
    guards: list[TextGuard] = []
    withheld: list[WithheldSentence] = []
    turns: list[tuple[Turn, str]] = []
    chosen, unread = _read(session.turns)
    for _, turn, text in chosen:
        guard = TextGuard(text)
        hidden = [(one, why) for one in sentences(text) if (why := guard.why(one.start, one.end))]
        withheld += [WithheldSentence(claim_key(one.text), turn.line, why) for one, why in hidden]
        turns.append((turn, _without(text, [one for one, _ in hidden])))
        guards.append(guard)
    found = statements_in([Line(text, spoken=True) for _, _, text in chosen])
    said = (
        Utterance(
            one.text, one.start, one.kind, one.salience, one.requested, one.floor, turn=turn, number=number
        )
        for (number, turn, _), guard, some in zip(chosen, guards, found, strict=True)
        for one in some
        if not guard.why(one.start, one.start + len(one.text))
    )
    return SessionUtterances(tuple(said), tuple(turns), tuple(withheld), unread)


def fit_lines(text: str) -> tuple[list[str], list[WithheldSentence]]:
    """The sentences of a text that nobody said in a turn (a compaction summary), and those withheld."""
    guard = TextGuard(text)
    fit: list[str] = []
    withheld: list[WithheldSentence] = []
    for one in statements_in([Line(text, spoken=True)])[0]:
        if why := guard.why(one.start, one.start + len(one.text)):
            withheld.append(WithheldSentence(claim_key(one.text), 0, why))
        else:
            fit.append(one.text)
    return fit, withheld


class TextGuard:
    """The places of a text that may not be written: secrets and hidden text, also across sentences.

    Nobody says a ``wb:`` comment: one that stands in a transcript wants to be taken for the workbench's own.
    """

    def __init__(self, text: str) -> None:
        self._places = [(found.start, found.end, f"secret: {found.rule}") for found in secrets_in(text)]
        self._places += [(found.start, found.end, f"hidden: {found.rule}") for found in hidden_in(text)]
        self._places += [(*found.span(), f"hidden: {POSING}") for found in COMMENT.finditer(text)]

    def why(self, start: int, end: int) -> str:
        """What stands between ``start`` and ``end`` that may not be written, or nothing."""
        return next((why for first, last, why in self._places if first < end and start < last), "")


def _read(turns: tuple[Turn, ...]) -> tuple[list[tuple[int, Turn, str]], int]:
    """The turns that are read with their numbers and text, and how many characters are not."""
    chosen: list[tuple[int, Turn, str]] = []
    left, unread = MOST_OF_SESSION, 0
    for number, turn in reversed(list(enumerate(turns, 1))):
        text = clipped(turn.text, min(MOST_OF_TURN, left))
        left -= len(text)
        unread += len(turn.text) - len(text)
        if text:
            chosen.append((number, turn, text))
    return chosen[::-1], unread


def _without(text: str, hidden: Sequence[Sentence]) -> str:
    """``text`` without these sentences, which must be in their order."""
    ends = [0, *(one.end for one in hidden)]
    starts = [*(one.start for one in hidden), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


# -- whether one text says no more than another ------------------------------------------------------


def content_words(text: str) -> list[str]:
    """The words of ``text`` that tell it from other text, folded."""
    return [word for word in claim_words(text) if word not in STOP_WORDS and any(map(str.isalnum, word))]


ECHOED = 0.7
"""Share of its words that an echo has from what was said before it, at least."""
_STEM = 5
"""Letters by which two forms of a word are the same."""
_LONG = 4
"""Letters from which on a word may be part of another: `Ahorn` of `Ahornholz`."""


def is_borne_out(text: str, source: str, *, share: float, names_in: str = "") -> bool:
    """Whether ``source`` has at least this ``share`` of the words of ``text``, and all its figures and names.

    The sentence of ``source`` that is likest to ``text`` must deny just as much. Names may also stand in
    ``names_in``. So a text is not borne out by a figure or a name of its own (`by 5 December 2026`, where `by
    the 5th` was said), too many words of its own, or a denial turned round (`the port is not 8443`).
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
