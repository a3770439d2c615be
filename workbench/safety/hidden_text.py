"""Text that an agent reads and a person does not see: each rule says where it is, and makes it visible.

These are hints. Scripts that need joiners and marks of direction, emoji made of several characters, and
variants of CJK characters are read as what they are. Every pattern takes time linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator

from workbench.safety.secrets import TextFinding, by_rule, masked_line, secrets_in
from workbench.safety.terminal import visible_line

_SHOWN = 80
"""Characters of hidden text that are shown."""
_AROUND = 12
_JUDGED = 400
"""Characters by which it is told whether something is prose."""

# Code shows what is in it, so it is read first; a comment that is not closed hides all that follows.
_CODE_OR_COMMENT = re.compile(
    r"(?P<fence>^ {0,3}(?P<mark>```|~~~)[^\n]*\n.*?(?:^ {0,3}(?P=mark)|\Z))|(?P<code>`[^`\n]{1,400}`)"
    r"|(?P<comment><!--(?P<words>.*?)(?:-->|\Z))",
    re.DOTALL | re.MULTILINE,
)
_OURS = re.compile(r"\s*wb:(?:[a-z2-7]{8})?(?:\s+\w+=\S+)*\s*")
_NAME = "[a-z0-9]{2,16}"
_OF_DAY = r"(?:(?:daily|journal|logs|memory|notes)/)?\d{4}-\d\d-\d\d(?:\.md)?(?:[:#]L?\d+(?:[:-]L?\d+)?)?"
_MARKER = re.compile(
    rf"\s*/?{_NAME}(?:[:.-]{_NAME}|(?:[:.-]{_NAME}){{0,2}}[ :-](?:begin|start|end|stop)"
    rf"|(?:[:-]{_NAME}){{1,2}}(?::{_OF_DAY}|(?: (?:date|day|log|source|src)={_OF_DAY}){{1,3}}))\s*"
)
"""What programs put around a part of a file (``openclaw:skills:start``): names that tell nobody anything.

Two of them, and more only beside ``start`` and the like, or before the day or the log that they are about
(``openclaw:dreaming:entry day=2026-03-01``): three joined words may be an order, and so may any word there.
"""
_TAG = re.compile(r"<(?P<name>[A-Za-z][A-Za-z0-9-]{0,30})(?P<attributes>[^<>]{0,2000})>")
_HIDING = re.compile(
    r"(?i)(?:^|\s)hidden(?:[\s=/]|$)|display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)"
    r"|(?:font-size|opacity|max-height|max-width|height|width)\s{0,9}:\s{0,9}0(?:\.0{1,9})?(?:[^.0-9]|$)"
    r"|(?:^|[\s;\"'])color\s{0,9}:\s{0,9}(?:white|transparent|#fff(?:fff)?\b|rgba\([^)]{0,40},\s{0,9}0\))"
    r"|(?:left|top|text-indent)\s{0,9}:\s{0,9}-\d{3,}"
)
_NEVER_SHOWN = frozenset({"script", "style", "template", "noscript", "noframes"})
_DEFINITION = re.compile(r"^ {0,3}\[(?P<label>[^\]\n^][^\]\n]{0,400})\]:", re.MULTILINE)
_DESTINATION = re.compile(
    r"[ \t]*(?:\r?\n[ \t]*)?(?:<[^<>\n]*>|\S+)"
    r"(?:(?:[ \t]+|[ \t]*\r?\n[ \t]*)(?P<title>[\"'(])|[ \t]*\r?$)",
    re.MULTILINE,
)
"""What a definition leads to, on the same line or the next one, and the first character of its title."""
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_LINK = re.compile(
    r"\]\([^\s()]{0,1000}[ \t]{1,9}(?P<title>\"[^\"\n]{1,2000}\"|'[^'\n]{1,2000}')[ \t]{0,9}\)"
)
_ENCODED = 40
_BASE64 = re.compile(rf"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{{{_ENCODED},}}+={{0,2}}")

_INVISIBLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_VARIATION = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_RUNS = re.compile(
    rf"(?P<zero>[{_INVISIBLE}]+)|(?P<bidi>[{_DIRECTION}]+)|(?P<tags>[\U000e0000-\U000e007f]+)"
    rf"|(?P<selectors>[{_VARIATION}]+)|(?P<soft>(?<=\w)\xad+(?=\w))"
)
_ANY_RUN = re.compile(rf"[{_INVISIBLE}{_DIRECTION}\U000e0000-\U000e007f{_VARIATION}\xad]")
"""Whether there is any run at all: one set of characters is looked for much faster than five in turn."""
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_NO_BLANKS = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"  # Thai, Lao, Burmese, Khmer: a break goes here
_JOINING = re.compile(
    r"[\u0600-\u07ff\u08a0-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u18af\u1b00-\u1b7f\ua800-\ua9ff"
    r"\ufb50-\ufdff\ufe70-\ufefc]"
)
_EMOJI = re.compile(r"[#*0-9\xa9\xae\u203c-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff]")
_HAN = re.compile(r"[\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_VARIED = re.compile(r"[\u1000-\u109f\u1820-\u18aa\u2010-\u2bff\u3000-\u303f\uff01-\uff65]")
_REGION = re.compile(r"[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")


def unsafe_in(text: str) -> tuple[str, ...]:
    """The secrets and the hidden text in ``text``, one line a rule, as they may be shown."""
    return by_rule((*secrets_in(text), *hidden_in(text)))


def hidden_in(text: str) -> tuple[TextFinding, ...]:
    """What ``text`` holds that its rendering does not show, in the order of the text."""
    shown_as_code: list[tuple[int, int]] = []
    found: list[TextFinding] = []
    unless_code = [finding for rule in (_elements, _definitions, _titles) for finding in rule(text)]
    for match in _CODE_OR_COMMENT.finditer(text) if unless_code or "<!--" in text else ():
        if match["comment"] is None:
            shown_as_code.append(match.span())
        elif match["words"].strip() and not any(
            known.fullmatch(match["words"]) for known in (_OURS, _MARKER)
        ):
            found.append(TextFinding("comment", *match.span(), _quoted(match["words"])))
    comments = [(finding.start, finding.end) for finding in found]
    ends = sorted((end, start) for start, end in shown_as_code + comments)  # none overlaps another
    for finding in unless_code:
        at = bisect_right(ends, (finding.start, len(text)))
        if at == len(ends) or finding.start < ends[at][1]:
            found.append(finding)
    found += (*_characters(text), *_encoded(text))
    return tuple(sorted(found, key=lambda finding: (finding.start, finding.end)))


def _elements(text: str) -> Iterator[TextFinding]:
    for match in _TAG.finditer(text):
        if match["name"].lower() in _NEVER_SHOWN or _HIDING.search(match["attributes"]):
            words = text[match.end() : match.end() + 400].partition("</")[0]
            yield TextFinding(
                "hidden HTML", match.start(), match.end() + len(words), _quoted(match[0] + words)
            )


def _definitions(text: str) -> Iterator[TextFinding]:
    """Reference definitions: no renderer shows them, and their title and label may say anything."""
    for match in _DEFINITION.finditer(text) if "]:" in text else ():
        found = _DESTINATION.match(text, match.end())
        if found is None:
            continue  # what is neither a destination nor a title makes it a paragraph, which is shown
        # A title may run over several lines, with quotes in it, so that nothing but a blank line surely
        # ends it; to judge it takes no more than its beginning.
        at = found.start("title") if found["title"] else found.end()
        title = _BLANK_LINE.split(text[at : at + _JUDGED], maxsplit=1)[0] if found["title"] else ""
        said = " ".join(words for words in (match["label"], title) if _is_prose(words))
        if said:
            yield TextFinding("link definition", match.start(), at + len(title), _quoted(said))


def _titles(text: str) -> Iterator[TextFinding]:
    for match in _LINK.finditer(text):
        if len(match["title"].split()) > 6:
            yield TextFinding("link title", *match.span("title"), _quoted(match["title"].strip("\"'")))


def _encoded(text: str) -> Iterator[TextFinding]:
    # To cut a text into its words is faster than to look for long ones.
    has_long = max(map(len, text.split()), default=0) >= _ENCODED
    for match in _BASE64.finditer(text) if has_long else ():
        start = match[0].rstrip("=")[:4000].replace("-", "+").replace("_", "/")
        try:
            words = base64.b64decode(start[: len(start) // 4 * 4], validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            continue
        # What is no text decodes to a heap of bytes that mean nothing.
        if 20 * words.count("\ufffd") <= len(words) and _is_prose(words) and words.isprintable():
            yield TextFinding("text in base64", *match.span(), _quoted(words))


def _characters(text: str) -> Iterator[TextFinding]:
    if text.isascii() or not _ANY_RUN.search(text):
        return
    at = line_end = 0
    is_right_to_left = False
    while found := _ANY_RUN.search(text, at):
        match = _RUNS.match(text, found.start())
        at = match.end() if match else found.end()
        if match is None:
            continue
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        after = text[match.end() : match.end() + 1]
        run, kind = match[0], match.lastgroup
        rule = shown = ""
        if kind == "zero" and not _joins(run, before, after, at_start=match.start() == 0):
            rule = "zero-width characters"
        elif kind == "bidi":
            if match.start() >= line_end:  # whether its line is written from the right is looked at once
                line_start = text.rfind("\n", 0, match.start()) + 1
                line_end = end if (end := text.find("\n", match.start())) >= 0 else len(text)
                is_right_to_left = bool(_RIGHT_TO_LEFT.search(text, line_start, line_end))
            if not is_right_to_left or re.search("[\u202d\u202e]", run):
                rule = "bidirectional controls"
        elif kind == "tags" and not (before == "\U0001f3f4" and _REGION.fullmatch(run)):
            rule = "tag characters"
            words = "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) < 0xE007F)
            shown = _quoted(words) if words else ""
        elif kind == "selectors" and not _selects(run, before):
            rule, shown = "variation selectors", _carried(run)
        elif kind == "soft":
            rule = "soft hyphens"
        if rule:
            yield TextFinding(rule, *match.span(), shown or _around(text, match))


def _joins(run: str, before: str, after: str, *, at_start: bool) -> bool:
    """Whether a single invisible character stands where a script or an emoji needs it."""
    if run == "\ufeff":
        return at_start  # a byte order mark
    if run == "\u200b":
        return bool(re.match(_NO_BLANKS, before) or re.match(_NO_BLANKS, after))
    if run in ("\u200c", "\u200d"):
        emoji = run == "\u200d" and _EMOJI.match(before) and _EMOJI.match(after)
        return bool(emoji or _JOINING.match(before))
    return False


def _selects(run: str, before: str) -> bool:
    """Whether a single selector follows a character that comes in variants."""
    if len(run) > 1:
        return False
    if run >= "\U000e0100":
        return bool(_HAN.match(before))
    if run in ("\ufe0e", "\ufe0f"):
        return bool(_EMOJI.match(before) or _HAN.match(before) or _VARIED.match(before))
    return bool(_HAN.match(before) or _VARIED.match(before))


def _carried(run: str) -> str:
    """The bytes that a run of selectors carries, one each, where they are text."""
    values = [ord(c) - 0xFE00 if ord(c) < 0xE0100 else ord(c) - 0xE0100 + 16 for c in run]
    words = bytes(value for value in values if 0 <= value < 256).decode("utf-8", "replace")
    return _quoted(words) if words.isprintable() and len(words) > 3 and "\ufffd" not in words else ""


def _is_prose(words: str) -> bool:
    return len(words) >= 16 and len(re.findall(r"\w{2,}", words[:_JUDGED])) >= 3 and " " in words.strip()


def _around(text: str, match: re.Match[str]) -> str:
    """A run of characters in its surroundings, each with a name to be seen by."""
    run = match[0]
    names = "".join(f"<U+{ord(character):04X}>" for character in run[:4]) + ("…" if len(run) > 4 else "")
    before = text[max(0, match.start() - _AROUND) : match.start()]
    after = text[match.end() : match.end() + _AROUND]
    return " ".join((visible_line(before) + names + visible_line(after)).split())


def _quoted(words: str) -> str:
    line = masked_line(words[: 4 * _SHOWN])
    return f"“{line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + '…'}”"
