"""A text cut into sentences, each at its place.

Made for logs and talk: a list item, a heading or a short line ends a sentence even without a full stop, a
paragraph that was wrapped does not. Full stops in versions, paths, addresses, decimals and abbreviations
end nothing. Every step looks at a character a fixed number of times: the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from workbench.frozen import frozen

MOST_READ = 20_000
"""Characters of one text that are read for what it tells: more is a file that was pasted."""
_WRAPPED = 50
"""Characters of a line without a full stop from which on the next line is taken to continue it."""
_LOOK_BACK = 24
"""Characters before a full stop in which an abbreviation is looked for."""

_LINE = re.compile(r"[^\r\n\u2028\u2029]+")
# Of a list item, a task, or a quotation.
_MARK = re.compile(r"[ \t\u3000]*+(?:>[ \t]*+)*+(?:(?:[-*+•‣▪◦–]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?)?+")
_BLOCK = re.compile(r"[ \t]*+(?:#{1,6}[ \t]|\||```|~~~|<!--|[-*_=]{3,}+[ \t]*+$)")
"""How lines begin that stand alone."""
# A run of full stops is looked at from its first one only; what closes it belongs to it.
_END = re.compile(
    r"(?<![.!?…])(?P<stop>[.!?…]++)(?P<close>[\"'”’»)\]*_`]*+)(?P<gap>[ \t\u00a0\u3000]++|\Z)"
    r"|(?P<wide>[。！？｡]++[」』”’）)\"]*+)[ \t\u3000]*+"
    r"|(?P<emoji>[\u2600-\u27bf\U0001f000-\U0001faff][\u2600-\u27bf\ufe0f\u200d\U0001f000-\U0001faff \t]*+)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘/*_])(?:"
    r"(?i:e\.?g|i\.?e|vs|cf|al|approx|ca|resp|incl|excl|fig|figs|eq|sec|ch|vol|pp|ed|eds|mr|mrs|ms|dr"
    r"|prof|st|mt"
    r"|jr|sr|rev|gen|col|capt|sgt|lt|gov|sen|rep|hon|dept|univ|tel|ext|op|viz|ver|rel|est|max|min|nr|bzw|evtl"
    r"|usw|ggf|inkl|zzgl|bspw|sog|vgl|abs|str|bd|hr|fr|frl|sra|srta|sres|ud|uds|pág|mme|mlle|env|av|apt"
    r"|z\.?b|d\.?h"
    r"|u\.?a|o\.?ä|v\.?a|p\.?ej|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|mon|tues?|wed"
    r"|thurs?|fri"
    r"|sat|sun)|[^\W\d_](?:\.[^\W\d_])*)$"
)
_SOFT = re.compile(
    r"(?:^|[\s(\[])(?i:etc|inc|ltd|co|corp|no|p\.?m|a\.?m|usa|u\.?s|u\.?k|e\.?u|ph\.?d|phd|bros|plc|llc"
    r"|gmbh)$"
)
"""Abbreviations that often end a sentence, too: what follows decides."""
_MONTH = re.compile(
    r"(?i:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec|januar|stock|klasse|geburtstag"
    r"|platz"
    r"|quartal|woche|tag|etage|jahr|semester)"
)
_ORDINAL = re.compile(r"(?:^|[\s(])\d{1,2}$")


@frozen
class Sentence:
    """One sentence: ``text`` is ``source[start:end]``, without list marks and surrounding white space."""

    text: str
    start: int
    end: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of ``text`` in their order; they do not overlap and hold every word."""
    out: list[Sentence] = []
    for start, end in _stretches(text):
        for at, cut in pairwise((start, *_cuts(text, start, end), end)):
            begin = cut - len(text[at:cut].lstrip())
            if words := text[at:cut].strip():
                out.append(Sentence(words, begin, begin + len(words)))
    return tuple(out)


def beginning(text: str) -> str:
    """The whole sentences among the first ``MOST_READ`` characters; a text that is no longer as it stands."""
    if len(text) <= MOST_READ:
        return text
    read = sentences(text[:MOST_READ])
    return text[: read[-1].start] if read else ""


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Lines without their list marks; the lines of a wrapped paragraph are one stretch."""
    start, end = -1, -1
    for line in _LINE.finditer(text):
        begin = line.start()
        marked = _MARK.match(text, begin, line.end())
        inner = marked.end() if marked else begin
        item = bool(marked and marked[0].strip())
        if not text[inner : line.end()].strip():
            inner = begin if item else line.end()
        alone = _BLOCK.match(text, begin, line.end()) is not None
        joined = start >= 0 and not item and not alone and _continues(text, start, end, begin)
        if joined:
            end = line.end()
            continue
        if start >= 0:
            yield start, end
        if alone:
            yield begin, line.end()
            start = -1
        else:
            start, end = inner, line.end()
    if start >= 0:
        yield start, end


def _continues(text: str, start: int, end: int, begin: int) -> bool:
    """Whether the line that begins at ``begin`` goes on with the paragraph that ends at ``end``."""
    if begin - end > 2 or text.count("\n", end, begin) > 1:
        return False
    last = text.rfind("\n", start, end) + 1 or start
    # A line that nobody wrapped may be of any length; only its length counts here, never its words.
    return end - last >= _WRAPPED and text[end - 1] not in ".!?…。！？:;"


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    for mark in _END.finditer(text, start, end):
        if mark.end() >= end:
            return
        if mark["emoji"]:
            ends = mark[0][-1:].isspace() and text[mark.end()].isupper()
        else:
            ends = mark["stop"] is None or _ends(text, start, mark)
        if ends:
            yield mark.end()


def _ends(text: str, start: int, mark: re.Match[str]) -> bool:
    """Whether a sentence ends at this stop, which white space follows."""
    after = text[mark.end()]
    stop, closed = mark["stop"], bool(mark["close"].strip("*_`"))
    if stop != ".":
        said_on = after.islower() and (closed or stop == "…" or stop.startswith(".."))
        return not said_on
    if closed:
        return not after.islower()
    before = text[max(start, mark.start() - _LOOK_BACK) : mark.start()]
    if _ORDINAL.search(before) and (_MONTH.match(text, mark.end()) or after.islower()):
        return False
    if _SOFT.search(before):
        return not (after.islower() or after.isdigit() or after in ",;)")
    if before[-1:].isspace() or not before:
        return False
    return not (_ABBREVIATION.search(before) and before[-2:] not in (" I", " i"))
