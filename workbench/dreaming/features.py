"""What the salience model sees of a line: hashed n-grams of its words and characters, and some plain counts.

An n-gram is a run of characters, or of words, in the folded text (``normalisation.template_of``). Its bucket
comes from a polynomial of its characters modulo 2^64, so that all runs of a batch are hashed at once: with
``S`` the running sum of ``c[i] * P^i``, a run from a to b has the hash ``(S[b] - S[a]) * P^-a``, wherever it
stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.normalisation import plain_words, template_of

BUCKETS = 1 << 18
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_MIXER = 0xFF51AFD7ED558CCD
_CHARACTERS = (2, 3, 4, 5)
_MOST = 1_200
"""Characters of a block that are looked at."""
_WORD = re.compile(r"\w+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A block of a log as it is judged: its text, the heading that it stands under, and its file."""

    text: str
    heading: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Grams:
    """The n-grams of a batch: those of line ``i`` are ``buckets[starts[i]:starts[i + 1]]``.

    ``values`` are their counts, divided so that each field of a line has the same weight.
    """

    buckets: NDArray[np.int64]
    values: NDArray[np.float32]
    starts: NDArray[np.int64]

    def weighed(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n,) for each line the sum of its n-grams' values times their ``weights``, which are by bucket."""
        sums = np.concatenate(([0.0], np.cumsum(self.values * weights[self.buckets], dtype=np.float64)))
        of_lines: NDArray[np.float64] = sums[self.starts[1:]] - sums[self.starts[:-1]]
        return of_lines


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


def grams_of(lines: Sequence[Line]) -> Grams:
    """The n-grams of all lines."""
    texts = [template_of(line.text)[:_MOST] for line in lines]
    fields = (
        texts,
        texts,
        [template_of(line.heading)[:200] for line in lines],
        [template_of(line.path.replace("/", " ").replace("-", " ").replace("_", " ")) for line in lines],
    )
    parts = [_runs(of, field) for of, field in zip(fields, FIELDS, strict=True)]
    owner = np.concatenate([part.line for part in parts])
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(lines))
    return Grams(
        np.concatenate([part.bucket for part in parts])[order],
        np.concatenate([part.value for part in parts])[order],
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
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
    text = template_of(line.text)[:_MOST]
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
    first, last = _spans(whole, of, field)
    hashes = (sums[last] - sums[first]) * inverses[first] + np.uint64(field.salt)
    hashes ^= hashes >> np.uint64(33)
    hashes *= np.uint64(_MIXER)
    hashes ^= hashes >> np.uint64(33)
    owner = of[first]
    runs_of = np.maximum(1, np.bincount(owner, minlength=len(texts)))
    values = (field.weight / np.sqrt(runs_of[owner])).astype(np.float32)
    return _Runs(owner, (hashes & np.uint64(BUCKETS - 1)).astype(np.int64), values, first, last)


def _spans(whole: str, of: NDArray[np.int64], field: _Field) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the runs of a field begin and end in ``whole``; none goes over the end of its line."""
    starts = np.arange(len(of), dtype=np.int64)
    words = np.array([found.span() for found in _WORD.finditer(whole)] if field.words else [], np.int64)
    units = [(size, starts, starts + 1) for size in field.characters]
    units += [(size, *words.reshape(-1, 2).T) for size in field.words]
    firsts, lasts = [], []
    for size, begins, ends in units:
        first, last = begins[: max(0, len(begins) - size + 1)], ends[size - 1 :]
        inside = of[first] == of[last - 1]
        firsts.append(first[inside])
        lasts.append(last[inside])
    return np.concatenate(firsts), np.concatenate(lasts)


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
_OPEN = re.compile(r"\[ \]|[⬜🔲🔳⏳]")
_PAIR = re.compile(r"^\W*(?:\*\*)?[^\n:：=]{1,40}?(?:\*\*)?\s*[:：=](?:\*\*)?\s*\S")
_BOLD = re.compile(r"^\W*\*\*[^*]+\*\*")
_ARROW = re.compile(r"→|->|=>|⇒|➜")
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./月]\d{1,2}(?:日|\b)")
_LINK = re.compile(r"https?://")
_CODE = re.compile(r"`[^`\n]+`")
_PLACE = re.compile(r"(?:^|[\s`(\"'：:])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.-]*")
_UNIT = re.compile(
    r"\d\s?(?:%|ms|s\b|sec|min|h\b|kb|mb|gb|tb|px|x\b|×|件|個|次|行|秒|分)|[$¥€£]\s?\d", re.IGNORECASE
)
_REFERENCE = re.compile(r"#\d+|\b[0-9a-f]{7,40}\b|\b\d{9,}\b", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*(?:user|human|assistant|system|agent|bot)\s?[:：]", re.IGNORECASE | re.MULTILINE)
_NESTED = re.compile(r"^\s{2,}\S", re.MULTILINE)
_ITEM = re.compile(r"^\s*[-*+•]\s")
_NUMBERED = re.compile(r"^\s*\d{1,3}[.)]\s")
_STOP = re.compile(r"[.!。！．]\W*$")
_QUESTION = re.compile(r"[?？]\W*$")
_COLON_END = re.compile(r"[:：]\W*$")
_QUOTED = re.compile(r"[\"“”「『«»]")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zà-öø-ÿа-я][\w’'-]+")

NAMES = (
    "its length",
    "how usual its length is",
    "several lines",
    "digits",
    "a done mark",
    "an open box",
    "a “key: value” form",
    "a bold lead-in",
    "an arrow",
    "a clock time",
    "a date",
    "a link",
    "code spans",
    "a file path",
    "measured values",
    "an issue number or hash",
    "a speaker's name before it",
    "a list item",
    "a numbered item",
    "a nested item",
    "a full stop at its end",
    "a question",
    "a colon at its end",
    "quotation marks",
    "brackets",
    "emoji",
    "capitalised names",
    "a heading with a clock time",
    "a heading with a done mark",
    "no heading",
    "the length of its heading",
    "a log of one session",
    "a file other than a log",
    "code fences",
    "upper case",
    "few letters",
)
"""The plain counts, in their order, as "why" names them."""


def counts_of(lines: Sequence[Line]) -> NDArray[np.float32]:
    """(n, 36) float32: the plain counts of each line, by ``NAMES``; none depends on a language."""
    return np.array([_counts(line) for line in lines], np.float32).reshape(len(lines), len(NAMES))


_LOG = re.compile(r"(?:^|/)\d{4}-\d\d-\d\d(?P<title>[^/]*)\.md$")


def _counts(line: Line) -> tuple[float, ...]:
    raw, heading = line.text[:_MOST], line.heading
    plain = plain_words(raw)
    cjk = len(_CJK.findall(plain))
    size = len(plain) + 1.5 * cjk
    length = math.log1p(size)
    letters = sum(map(str.isalpha, plain))
    some = max(1, len(plain))
    log = _LOG.search(line.path)
    return (
        length,
        (length - 4.5) ** 2,
        min(3.0, math.log1p(plain.count("\n"))),
        min(0.4, sum(map(str.isdigit, plain)) / some),
        _found(_DONE, raw),
        _found(_OPEN, raw),
        _found(_PAIR, raw),
        _found(_BOLD, raw),
        _found(_ARROW, raw),
        _found(_CLOCK, raw),
        _found(_DATE, raw),
        _found(_LINK, raw),
        min(3.0, len(_CODE.findall(raw))),
        _found(_PLACE, raw),
        min(3.0, len(_UNIT.findall(raw))),
        min(3.0, len(_REFERENCE.findall(raw))),
        _found(_SPEAKER, raw),
        _found(_ITEM, raw),
        _found(_NUMBERED, raw),
        _found(_NESTED, raw),
        _found(_STOP, raw),
        _found(_QUESTION, raw),
        _found(_COLON_END, raw),
        _found(_QUOTED, raw),
        float(any(mark in plain for mark in "()（）")),
        min(3.0, len(_EMOJI.findall(raw))),
        min(4.0, len(_CAPITAL.findall(plain))),
        _found(_CLOCK, heading),
        _found(_DONE, heading),
        float(not heading),
        math.log1p(len(heading)) if heading else 3.0,
        float(log is not None and bool(log["title"])),
        float(log is None),
        float("```" in raw or "~~~" in raw),
        sum(map(str.isupper, plain)) / max(1, letters),
        float(letters < 0.5 * some),
    )


def _found(pattern: re.Pattern[str], text: str) -> float:
    return float(pattern.search(text) is not None)
