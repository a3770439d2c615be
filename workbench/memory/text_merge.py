"""One text out of several: the first as it is, and of the others what it does not say yet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from workbench.memory.markdown import opening_paragraph
from workbench.memory.sentences import sentences

_LIST_LINE = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_NUMBER = re.compile(r"\d\.\s")
_MARKER = re.compile(r"\A(?:[-*+]|\d{1,9}[.)])[ \t]+")
_WIDE_ENDS = ("。", "！", "？", "；")


def united(first: str, others: Sequence[str]) -> str:
    """``first``, followed by the sentences and list lines of ``others`` that it does not hold.

    Two are the same when they are equal but for white space, case, list marker and a full stop. New sentences
    end the paragraph that ``first`` begins with, new list lines follow its own; a text of another shape
    (code, tables, several paragraphs) is added whole, after a blank line.
    """
    divided = _divided(first)
    opening, rest = divided or ("", first.split("\n"))
    blocks: list[str] = []
    held = {_key(first), *map(_key, rest), *map(_key, _sentences(opening))}
    for other in others:
        parts = None if _key(other) in held else _divided(other)
        if parts is None:
            blocks += _new([other], held)
            continue
        said = list(_new(_sentences(parts[0]), held))
        lines = list(_new(parts[1], held))
        held.add(_key(other))
        if divided is None:
            blocks += [*said, *(["\n".join(lines)] if lines else [])]
            continue
        for sentence in said:
            opening = _followed(opening, sentence)
        rest += lines
    whole = "\n".join([opening, *rest]) if divided else first
    return "\n\n".join([whole, *blocks])


def _divided(text: str) -> tuple[str, list[str]] | None:
    """The paragraph that ``text`` begins with and the list lines after it; None for any other shape."""
    prose = opening_paragraph(text)
    lines = text.split("\n")
    if not prose or not all(_LIST_LINE.match(line) for line in lines[prose:]):
        return None
    return "\n".join(lines[:prose]), lines[prose:]


def _sentences(paragraph: str) -> Iterator[str]:
    """As they are written, line ends included; behind a number a sentence may go on: it is not cut there."""
    paragraph, begin = paragraph.strip(), 0
    for one in sentences(paragraph.replace("\n", " ")):
        if not _NUMBER.match(paragraph, one.end - 2):
            yield paragraph[begin : one.end].lstrip()
            begin = one.end


def _new(texts: Iterable[str], held: set[str]) -> Iterator[str]:
    """Those that are not held yet; from now on they are."""
    for text in texts:
        if (key := _key(text)) not in held:
            held.add(key)
            yield text


def _followed(text: str, sentence: str) -> str:
    if text.endswith(_WIDE_ENDS):
        return text + sentence
    return f"{text} {sentence}" if not text[-1:].isalnum() else f"{text}. {sentence}"


def _key(text: str) -> str:
    words = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return _MARKER.sub("", words).rstrip(" .!…。！；")
