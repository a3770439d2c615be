"""Words of a text as they are searched for: plain words, exact tokens, and scripts without blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(words.split())


EXACT_CHARACTERS = 200
"""Longer exact tokens are cut to this length, in documents and in queries alike."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
AROUND = "\"'“”‘’„«»「」『』()[]{}<>,;:!?.…*`|。、，；：！？"
_INNER = re.compile(r"[/\\:=,;()\[\]{}<>\"'`|?&#@]+")
_CODE = re.compile(r"[\w.+~%-]*(?:[_.\d+~%-][\w]|[a-z][A-Z]|[A-Z]{2}|\w[+]{2})[\w.+~%-]*")
_IDENTITY = re.compile(r"(?=\D*\d)[a-z0-9_-]{7,}|[0-9a-f]{7,}")
_NUMBER = re.compile(r"\d{1,4}")
_SIGNS = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}|[\u00a2-\u00a7\u00a9\u00ae\u00b0\u00b1\u00b5\u00b6\u00d7\u00f7\u2020\u2021"
    "\u20a0-\u20cf\u2100-\u24ff\u25a0-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
"""Emoji and symbols: no word holds them. Flags are two letters; shades of skin are left out."""
_OF_BLANKLESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_BLANKLESS = re.compile(f"[{_OF_BLANKLESS}]+")
JOINED = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711"
    "\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0a01-\u0a03"
    "\u0a3c-\u0a51\u0abc-\u0acd\u0b3c-\u0b57\u0bbe-\u0bcd\u0c3e-\u0c56\u0cbc-\u0cd6\u0d3e-\u0d4d\u0dca-\u0ddf"
    "\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff"
    "\U000e0020-\U000e007f"
)
"""Characters, as a class of a regular expression, that belong to the one before them."""

WORD = re.compile(f"(?:(?![{_OF_BLANKLESS}])[^\\W_])(?:(?![{_OF_BLANKLESS}])(?:[^\\W_]|[{JOINED}]))*")
"""A word of a script that sets blanks, with its marks."""

_MARKS = re.compile(
    "(?<![\u0418\u0438])\u0306"  # й is a letter of its own
    "|[\u00ad\u0300-\u0305\u0307-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711"
    "\u0730-\u074a\u093c\u094d\u09bc\u09cd\u0a3c\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c4d\u0cbc\u0ccd\u0d4d"
    "\u0dca\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]"
)
"""What stands on a letter, joins letters or turns them around: accents, vowel points, viramas.

Not the vowels of Indic scripts, nor the tones of Thai and the voicing of kana, which tell words apart.
"""

# Function words carry no topic; in an OR query they only drag in whatever repeats them.
# They are indexed like all others, and searched for when a query has nothing else.
_FUNCTION_WORDS = """
    a an and are as at be been being but by can could d did didn do does doesn doing don done for
    from had has have having he her hers him his how i if in into is isn it its ll m me might must my
    no nor not of on or our re s shall she should so some such t than that the their them then there
    these they this those to too us ve was wasn we were what when where which while who whom whose why
    will with would you your"""
_RUSSIAN = """
    и в во на не ни что чтобы это этот эта эти то так там тут как какой какая какое какие каких
    когда где куда откуда почему зачем кто сколько чей я ты он она оно мы вы они меня мне мной тебя
    тебе его ее их нас нам вас вам с со по за из от до для у к ко о об а но да нет же ли бы был была
    было были быть есть мой моя мои твой наш ваш уже еще или"""
STOP_WORDS = frozenset((_FUNCTION_WORDS + _RUSSIAN).split())
_OF_LANGUAGES = tuple(
    frozenset(words.split())
    for words in (
        """der die das den dem des ein eine einen einem einer und oder ist sind war hat habe haben wird werden
        wie was wer wo wann warum welche welcher welches ich du er sie es wir ihr mir mich dir dich
        uns mit von zu zum zur im auf fur nicht auch noch nur mal am an bei aus nach uber um wenn
        dass so sich kann kannst muss darf soll mein meine dein deine""",
        """le la les un une des de du et ou est sont je tu il elle on nous vous ils que qui quoi quel quelle
        quels quelles quand comment pourquoi dans pour sur avec par pas ne ce cette ces mon ma mes
        ton ta se sa son en""",
        """el los la las un una unos de del y o es son fue yo tu ella nosotros que quien cual cuando como
        donde por para con no mi mis su sus se lo al en hay me te esta""",
        """o os a as um uma e ou do da dos das de em no na nos nas por para com eu voce ele ela nos que quem
        qual quais quando onde como foi sao ser se meu minha seu sua ao pelo pela nao""",
        """il lo la gli le un uno una e ed di del della dei delle sono io tu lui lei noi che chi cosa come
        quando dove perche per con su da mio mia si al alla nel nella non""",
        """de het een en is ik jij je hij zij wij wat wie waar wanneer hoe waarom welke op voor met van te
        niet dat die dit naar bij om er aan uit mijn""",
    )
)
"""The same of German, French, Spanish, Portuguese, Italian and Dutch, without accents."""
_QUESTION_WORDS = """
    什么时候 什麼時候 为什么 為什麼 什么 什麼 怎么样 怎麼樣 怎么 怎麼 怎样 怎樣
    哪里 哪裡 哪儿 哪個 哪个 多少 谁 誰
    どうやって どうして どうすれば どこ いつ なぜ 何時 何を 何が 何の 何ですか 誰が 誰の 誰に
    무엇 어디 언제 누구 어떻게"""
_QUESTION = re.compile(
    f"{'|'.join(_QUESTION_WORDS.split())}|(?:[吗嗎呢]|ですか|ますか)(?!\\w)|(?<!\\w)왜(?!\\w)"
)
"""The same of Chinese, Japanese and Korean, which are part of a longer run: those of questions alone."""


def stop_words(text: str) -> frozenset[str]:
    """The function words for ``text``: those of English and Russian, and of the language it seems to be in.

    Many of German, French, … mean something in English ("die"), so they count only where ``text`` has two of
    them or more, and more than English has that it has not.
    """
    return STOP_WORDS.union(*_languages_of(text))


def _languages_of(text: str) -> list[frozenset[str]]:
    """The function words of each language that ``text`` may be in, English and Russian aside."""
    said = set(WORD.findall(normal(text).lower()))
    english = said & STOP_WORDS
    return [one for one in _OF_LANGUAGES if len(said & one - english) > max(1, len(english - one))]


def normal(text: str) -> str:
    """``text`` with its variants made plain, and blanks where one script ends and another begins.

    Compatibility forms (full width, ligatures) become what they stand for, accents and points go, a final
    sigma is a sigma; what no engine can store becomes a question mark. Case stays: it tells names of code.
    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    plain = unicodedata.normalize("NFC", _MARKS.sub("", apart)).replace("ς", "σ")
    return _BLANKLESS.sub(r" \g<0> ", plain).encode("utf-8", "replace").decode()


def written_words(text: str) -> set[str]:
    """The words of ``text`` in lower case, with their accents and marks."""
    return set(WORD.findall(unicodedata.normalize("NFC", text).lower()))


def clean(text: str) -> str:
    """``text`` without what no engine stores and no tokenizer takes: lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def beyond_english(text: str) -> float:
    """The share of ``text`` that is not English, in [0, 1]: words of other scripts than Latin.

    All of it, where its function words are those of another language. Two characters of scripts without
    blanks count as one word.
    """
    if _languages_of(text):
        return 1.0
    written = [word[0][0] for word in WORD.finditer(text) if word[0][0].isalpha()]
    foreign = sum(first > "\u024f" and not "\u1e00" <= first <= "\u1eff" for first in written)
    blankless_words = sum((len(run) + 1) // 2 for run in blankless_runs(text))
    return (foreign + blankless_words) / max(1, len(written) + blankless_words)


def date_words(day: date | None) -> str:
    """``14 March 2026``: a date as a person would ask for it."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}" if day else ""


def exact_tokens(text: str) -> list[str]:
    """Identifiers, paths, URLs, addresses, versions, codes, emoji: lower case, each once, not stemmed.

    A chunk between blanks counts whole, without its scheme, and in its parts, so that
    ``https://example.org/a_b`` is found by itself, by ``example.org/a_b``, ``example.org`` and ``a_b``.
    """
    return list(dict.fromkeys(token.lower()[:EXACT_CHARACTERS] for token in _exact(text)))


def _exact(text: str) -> Iterator[str]:
    for written in text.split():
        if not written.isascii():
            yield from _SIGNS.findall(written)
        chunk = written if written.endswith("++") else written.strip(AROUND)
        if chunk[1:].islower() and chunk.isalpha():
            continue  # the usual case: a plain word
        if len(chunk) < 2 or chunk.isalpha() or chunk.isdigit():
            if _CODE.fullmatch(chunk) and not _NUMBER.fullmatch(chunk):
                yield chunk
            continue
        if not any(character.isalnum() for character in chunk):
            continue
        yield chunk
        scheme, mark, rest = chunk.partition("://")
        if mark and scheme.isalpha() and (rest := rest.rstrip("/")):
            yield rest
        for part in _INNER.split(chunk):
            bare = part.strip(AROUND + "-")
            if bare != chunk and len(bare) > 1 and not _NUMBER.fullmatch(bare) and _CODE.fullmatch(bare):
                yield bare


def identifies(token: str) -> bool:
    """Whether the beginning of an identifier is enough to mean it: seven digits of a hash, for example."""
    return bool(_IDENTITY.fullmatch(token))


def bigrams(text: str) -> list[str]:
    """Every two neighbouring characters of the scripts that set no blanks, in order.

    The last character of each run of them stands by itself too: so any one character begins some term.
    """
    out: list[str] = []
    if not text.isascii():
        for found in _BLANKLESS.finditer(text):
            run = found[0]
            out += [run[at : at + 2] for at in range(len(run))]
    return out


def without_question_words(text: str) -> str:
    """``text`` without the question words of scripts that set no blanks, unless nothing else is asked."""
    bare = text if text.isascii() else _QUESTION.sub(" ", text)
    # What is left of a single word, as of 多少钱 and いつも, is no word.
    return bare if max(map(len, re.findall(r"\w+", bare)), default=0) > 1 else text


def blankless_runs(text: str) -> list[str]:
    """The runs of characters of scripts that set no blanks."""
    return [] if text.isascii() else _BLANKLESS.findall(text)


def without_runs(text: str) -> list[str]:
    """What stands between those runs."""
    return [text] if text.isascii() else [piece for piece in _BLANKLESS.split(text) if piece.strip()]


def blankless(word: str) -> bool:
    """Whether ``word`` belongs to a script that is searched for by its bigrams."""
    return bool(_BLANKLESS.fullmatch(word))
