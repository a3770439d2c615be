"""What the salience model sees of a line: hashed n-grams of its words and characters, and some plain counts.

An n-gram is a run of characters, or of words, in the folded text (``normalisation.template_of``). Its bucket
comes from a polynomial of its characters modulo 2^64, so that all runs of a batch are hashed at once: with
``S`` the running sum of ``c[i] * P^i``, a run from a to b has the hash ``(S[b] - S[a]) * P^-a``, wherever it
stands.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.normalisation import folded_words, plain_words, template_of
from workbench.dreaming.word_classes import WORD_CLASSES, word_classes

BUCKETS = 1 << 18
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_MIXER = 0xFF51AFD7ED558CCD
_CHARACTERS = (2, 3, 4, 5)
_MOST = 1_200
"""Characters of a block that are looked at."""
_MOST_HEADING = 200
_USUAL_HEADING = 3.0
"""The logarithm that stands for the length of a heading where there is none."""
_LAST_SIGN = 0x20000
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A block of a log as it is judged: its text, the heading that it stands under, and its file.

    ``spoken`` says that it is a sentence of a conversation, and no note.
    """

    text: str
    heading: str = ""
    path: str = ""
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Grams:
    """The n-grams of ``count`` lines: the line, the bucket and the value of each, in three (m,) arrays.

    Values are divided so that each field of a line has the same weight.
    """

    lines: NDArray[np.int64]
    buckets: NDArray[np.int64]
    values: NDArray[np.float32]
    count: int

    def weighed(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n,) for each line the sum of its n-grams' values times their ``weights``, which are by bucket."""
        shares = (self.values * weights[self.buckets]).astype(np.float64)
        sums: NDArray[np.float64] = np.bincount(self.lines, shares, minlength=self.count).astype(np.float64)
        return sums

    def dense(self, width: int) -> NDArray[np.float32]:
        """(n, width) float32: the n-grams of each line in fewer buckets, a power of two."""
        places = self.lines * width + (self.buckets & (width - 1))
        sums = np.bincount(places, weights=self.values, minlength=self.count * width)
        return sums.reshape(self.count, width).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Features:
    """What is seen of some lines. ``counts`` are (n, 50) float32 in order of ``NAMES``."""

    counts: NDArray[np.float32]
    grams: Grams
    spoken: NDArray[np.bool_]
    """(n,) which of them are sentences of a conversation."""


@dataclass(frozen=True, slots=True)
class _Field:
    salt: int
    characters: tuple[int, ...]
    words: tuple[int, ...]
    weight: float


FIELDS = (
    _Field(0x1B873593, _CHARACTERS, (), 1.0),
    _Field(0x2545F491, (), (1, 2), 1.0),
    _Field(0x3C6EF372, (3, 4), (1,), 0.7),
    _Field(0x5851F42D, (), (1,), 0.3),
)
"""Characters and words of the text, of its heading, and the words of its path."""


def features_of(lines: Sequence[Line]) -> Features:
    """The counts and the n-grams of all lines."""
    plain = [plain_words(line.text[:_MOST]) for line in lines]
    folded = [folded_words(words) for words in plain]
    fields = (folded, folded, [_heading(line).folded for line in lines], [_path(line.path) for line in lines])
    parts = [_runs(of, field) for of, field in zip(fields, FIELDS, strict=True)]
    counts = [tuple(_counts(*one)) for one in zip(lines, plain, folded, strict=True)]
    return Features(
        np.array(counts, np.float32).reshape(len(lines), len(NAMES)),
        Grams(
            np.concatenate([part.line for part in parts]),
            np.concatenate([part.bucket for part in parts]),
            np.concatenate([part.value for part in parts]),
            len(lines),
        ),
        np.array([line.spoken for line in lines], np.bool_),
    )


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs of one field of a batch: line, bucket and value of each, and where it stands."""

    line: NDArray[np.int64]
    bucket: NDArray[np.int64]
    value: NDArray[np.float32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def word_grams(line: Line) -> Iterator[tuple[str, int, float]]:
    """Each word, and two words in a row, of a line's text: as they are folded, their bucket, their value."""
    text = template_of(line.text[:_MOST])
    runs = _runs([text], FIELDS[1])
    seen: dict[int, float] = {}
    said: dict[int, str] = {}
    for bucket, value, first, last in zip(
        runs.bucket.tolist(), runs.value.tolist(), runs.first.tolist(), runs.last.tolist(), strict=True
    ):
        seen[bucket] = seen.get(bucket, 0.0) + value
        said[bucket] = f" {text} "[first:last]
    return ((said[bucket], bucket, value) for bucket, value in seen.items())


def _runs(texts: Sequence[str], field: _Field) -> _Runs:
    whole = "".join(f" {text} " for text in texts)
    code = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    powers, inverses = _powers(len(code) + 1)
    sums = np.concatenate(
        (np.zeros(1, np.uint64), np.cumsum((code + np.uint64(1)) * powers[:-1], dtype=np.uint64))
    )
    of = np.repeat(np.arange(len(texts)), [len(text) + 2 for text in texts])
    first, last = _spans(code, of, field)
    hashes = (sums[last] - sums[first]) * inverses[first] + np.uint64(field.salt)
    hashes ^= hashes >> np.uint64(33)
    hashes *= np.uint64(_MIXER)
    hashes ^= hashes >> np.uint64(33)
    owner = of[first]
    runs_of = np.maximum(1, np.bincount(owner, minlength=len(texts)))
    values = (field.weight / np.sqrt(runs_of[owner])).astype(np.float32)
    return _Runs(owner, (hashes & np.uint64(BUCKETS - 1)).astype(np.int64), values, first, last)


def _spans(
    code: NDArray[np.uint64], of: NDArray[np.int64], field: _Field
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the runs of a field begin and end in all signs; none goes over the end of its line."""
    starts = np.arange(len(of), dtype=np.int64)
    units = [(size, starts, starts + 1) for size in field.characters]
    if field.words:
        inside = np.concatenate(([False], _in_words()[np.minimum(code, _LAST_SIGN)]))
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        units += [(size, edges[::2], edges[1::2]) for size in field.words]
    firsts, lasts = [], []
    for size, begins, ends in units:
        first, last = begins[: max(0, len(begins) - size + 1)], ends[size - 1 :]
        inside = of[first] == of[last - 1]
        firsts.append(first[inside])
        lasts.append(last[inside])
    return np.concatenate(firsts), np.concatenate(lasts)


@functools.cache
def _in_words() -> NDArray[np.bool_]:
    """For each sign whether it is part of a word, as ``\\w`` has it; for those above the last one, no."""
    return np.array([chr(sign).isalnum() or sign == ord("_") for sign in range(_LAST_SIGN)] + [False])


_known_powers: list[NDArray[np.uint64]] = [np.ones(1, np.uint64), np.ones(1, np.uint64)]


def _powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """``P^i`` and ``P^-i`` modulo 2^64 for i below ``count``."""
    if len(_known_powers[0]) < count:
        for n, base in enumerate((_BASE, _INVERSE)):
            factors = np.full(2 * count, base, np.uint64)
            factors[0] = 1
            _known_powers[n] = np.cumprod(factors, dtype=np.uint64)
    return _known_powers[0][:count], _known_powers[1][:count]


_DONE = re.compile(r"\[[xX]\]|[✅✔☑✓]|~~")
_PAIR = re.compile(r"^\W*(?:\*\*)?[^\n:：=]{1,40}?(?:\*\*)?\s*[:：=](?:\*\*)?\s*\S")
_LABEL = re.compile(r"^\W*([^:：=→—–]{1,40}?)\s*[:：=→—–]")
_BOLD = re.compile(r"^\W*\*\*[^*]+\*\*")
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")
_DIGIT = re.compile(r"\d")
_LETTERLESS = re.compile(r"[\W\d_]")
_CODE = re.compile(r"`[^`\n]+`")
_PLACE = re.compile(r"(?:^|[\s`(\"'：:])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.-]*")
_REFERENCE = re.compile(r"#\d+|\b[0-9a-f]{7,40}\b|\b\d{9,}\b", re.IGNORECASE)
_ITEM = re.compile(r"^\s*[-*+•]\s")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zà-öø-ÿа-я][\w’'-]+")
_EXCLAMATION = re.compile(r"[!！]\W*$")
_ADDRESSED = re.compile(
    r"^(?:[^\W\d_]{1,8},? )?[^\W\d_a-zà-öø-ÿа-я][\w’'-]+,\s|,\s[^\W\d_a-zà-öø-ÿа-я][\w’'-]+[.!?…]*\W*$"
)
"""A name that is called: before a comma at the beginning, or behind one at the end."""
_QUESTION = re.compile(r"[?？]\W*$")
_LOG = re.compile(r"(?:^|/)\d{4}-\d\d-\d\d[^/]+\.md$")

_FORMS = (
    "its length",
    "how usual its length is",
    "several lines",
    "digits",
    "few letters",
    "capitalised names",
    "emoji",
    "code spans",
    "an issue number or hash",
    "running text in a log",
    "a done mark",
    "a “key: value” form",
    "a bold lead-in",
    "a clock time",
    "a link",
    "a file path",
    "the length of its heading",
    "a heading with a clock time",
    "a log of one session",
    "a question",
    "an exclamation",
    "names of whom it is said to",
)
_CLASSES = range(len(WORD_CLASSES))
NAMES = (
    *_FORMS,
    *(f"words of {name}" for name in WORD_CLASSES),
    *(f"a heading or label of {name}" for name in WORD_CLASSES),
)
"""The plain counts, in their order, as "why" names them."""


def _counts(line: Line, plain: str, folded: str) -> Iterator[float]:
    """The counts of a line, in order of ``NAMES``; ``plain`` and ``folded`` are its words."""
    raw, heading = line.text[:_MOST], _heading(line)
    some = max(1, len(plain))
    digits = len(_DIGIT.findall(plain))
    length = math.log1p(len(plain) if plain.isascii() else len(plain) + 1.5 * len(_CJK.findall(plain)))
    yield length
    yield (length - 4.5) ** 2
    yield min(3.0, math.log1p(plain.count("\n")))
    yield min(0.4, digits / some)
    yield float(len(_LETTERLESS.findall(plain)) > 0.5 * some)
    yield min(4.0, len(_CAPITAL.findall(plain)))
    yield 0.0 if raw.isascii() else min(3.0, len(_EMOJI.findall(raw)))
    yield min(3.0, len(_CODE.findall(raw))) if "`" in raw else 0.0
    yield min(3.0, len(_REFERENCE.findall(raw))) if digits else 0.0
    yield float(line.path != "" and _ITEM.match(raw) is None)
    for pattern in (_DONE, _PAIR, _BOLD):
        yield float(pattern.search(raw) is not None)
    yield float(":" in raw and _CLOCK.search(raw) is not None)
    yield float("https://" in raw or "http://" in raw)
    yield float("/" in raw and _PLACE.search(raw) is not None)
    yield heading.length
    yield heading.has_clock
    yield float(_LOG.search(line.path) is not None)
    yield float(_QUESTION.search(plain) is not None)
    yield float(_EXCLAMATION.search(plain) is not None)
    yield min(2.0, len(_ADDRESSED.findall(plain)))
    said = list(word_classes(folded))
    label = _LABEL.search(folded)
    titled = heading.classes.union(word_classes(label[1])) if label else heading.classes
    yield from (min(2.0, said.count(number)) for number in _CLASSES)
    yield from (float(number in titled) for number in _CLASSES)


@dataclass(frozen=True, slots=True)
class _Heading:
    folded: str
    classes: frozenset[int]
    length: float
    has_clock: float


def _heading(line: Line) -> _Heading:
    return _heading_of(line.heading[:_MOST_HEADING])


@functools.lru_cache(maxsize=4_096)
def _heading_of(heading: str) -> _Heading:
    """What is seen of a heading: many lines stand under the same."""
    folded = template_of(heading)
    return _Heading(
        folded=folded,
        classes=frozenset(word_classes(folded)),
        length=math.log1p(len(heading)) if heading else _USUAL_HEADING,
        has_clock=float(_CLOCK.search(heading) is not None),
    )


@functools.lru_cache(maxsize=4_096)
def _path(path: str) -> str:
    return template_of(path.replace("/", " ").replace("-", " ").replace("_", " "))
