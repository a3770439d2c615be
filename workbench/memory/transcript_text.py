"""The words that somebody said, out of the text of a transcript's line.

Agents' programs put more into a person's message than the person wrote: who sent it, what others said before,
memories that were looked up, words from outside, the orders of the program itself. Nothing of it was said by
the person, and what was looked up in memory must never come back into it as news.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

MAX_TURN = 200_000
"""Characters of one turn that are kept: more is a file that was pasted, and not what anybody said."""
_CARELESS = re.compile("[\0\ud800-\udfff]")
_TAG = re.compile(
    r"<(?P<end>/)?(?P<tag>system-reminder|local-command-\w{1,40}|command-\w{1,40}|bash-\w{1,40}|task-notification"
    r"|ide_\w{1,40}|[\w-]{1,40}-hook|relevant[-_]memories|injected[-_]memories"
    r"|(?:antml:)?think(?:ing)?)(?:[ \t][^<>\n]{0,200})?>"
)
_DATA = re.compile(r"(?:data:[\w/+.-]{1,80};base64,)?(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{256,}={0,2}")
_METADATA = re.compile(
    r"^[^\n]{0,80}\(untrusted[^)\n]{0,60}\):[ \t]*\n```[^\n]*\n.*?(?:^```[ \t]*$|\Z)\n?",
    re.MULTILINE | re.DOTALL,
)
_OUTSIDE = re.compile(
    r"<<<EXTERNAL_UNTRUSTED_CONTENT(?P<id>[^>\n]{0,80})>>>.*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT(?P=id)>>>|\Z)",
    re.DOTALL,
)
_NOTES = re.compile(r"^BEGIN_QUOTED_NOTES[ \t]*$.*?(?:^END_QUOTED_NOTES[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKS = (b"<<<EXTERNAL_UNTRUSTED_CONTENT", b"BEGIN_QUOTED_NOTES")
_CLOSED = re.compile(
    r"(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT[^>\n]*>>>|^END_QUOTED_NOTES[ \t]*)\Z", re.MULTILINE
)
_PARAGRAPH = re.compile(  # until the next blank line
    r"^(?:\[[^\]\n]{1,60}\][ \t]*)?(?:Untrusted context \(metadata|Conversation context \(untrusted"
    r"|\[Startup context loaded by|\[Untrusted daily memory:"
    r"|A new session was started via /new or /reset|Pre-compaction memory flush\.)[^\n]*(?:\n[^\n]+)*",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(
    r"\[\[(?:reply_to|audio_as)[^\]\n]{0,80}\]\]|\[message_id: [^\]\n]{0,80}\][ \t]*$", re.MULTILINE
)
_EVENT = re.compile(
    r"^(?:System: \[|\[media attached\b[^\n]*\]|To send an image back, |\[Queued messages )[^\n]*(?:\n|\Z)",
    re.MULTILINE,
)
"""Lines that a program puts before what was said: an event, what was attached and how to answer it."""
_NOISE = (_METADATA, _OUTSIDE, _NOTES, _PARAGRAPH, _DIRECTIVE, _EVENT)
_ENVELOPE = re.compile(
    r"^[ \t]*\[(?!cron:)[^\]\n]{0,200}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,40}\][ \t]*", re.MULTILINE
)
"""``[Thu 2026-04-09 14:48 GMT+8]``: when it was sent, and perhaps from where."""
_MANY = re.compile(
    r'"is_group_chat":\s*true|"group_(?:subject|channel|space)":|"chat_type":\s*"(?!direct|dm)'
)
_MANY_SENT = re.compile(r"\b(?:group|guild|channel)\b|@g\.us", re.IGNORECASE)


def clean(text: str) -> str:
    """What was said in ``text``: no notes that programs put between the words, and no encoded data."""
    text = _without_tagged(careful(text.replace("\r\n", "\n")))
    for noise in _NOISE:
        text = noise.sub("", text)
    text = text.strip()
    if sent := _ENVELOPE.match(text):
        text = text[sent.end() :]
    text = _DATA.sub("[data]", text).strip()
    return text if len(text) <= MAX_TURN else text[:MAX_TURN] + "\n…"


def careful(text: str) -> str:
    """``text`` with a mark for what no text may hold: NUL and halves of characters."""
    return _CARELESS.sub("\N{REPLACEMENT CHARACTER}", text)


def among_many(text: str) -> bool:
    """Whether the program says of a message that it was said where several people speak."""
    if "[" not in text and "(untrusted" not in text:
        return False
    if any(_MANY.search(block[0]) for block in _METADATA.finditer(text)):
        return True
    return any(_MANY_SENT.search(sent[0]) for sent in _ENVELOPE.finditer(text))


def program_spans(text: str) -> list[tuple[int, int]]:
    """Where programs put in what the speaker did not say, in order."""
    spans = [found.span() for noise in (_METADATA, _OUTSIDE, _NOTES) for found in noise.finditer(text)]
    return sorted((*spans, *_tagged(text)))


def lines_put_in(data: bytes) -> frozenset[int]:
    """The lines (from 1) that stand in a marked block of a mail, a page or notes, below its first line.

    Only blocks that are closed: a mark that somebody merely names hides nothing.
    """
    if not any(mark in data for mark in _MARKS):
        return frozenset()
    text = data.decode("utf-8", "replace")
    lines: set[int] = set()
    for pattern in (_OUTSIDE, _NOTES):
        at, line = 0, 1
        for block in pattern.finditer(text):
            line += text.count("\n", at, block.start())
            at = block.start()
            if _CLOSED.search(block[0]):
                lines.update(range(line + 1, line + 1 + block[0].count("\n")))
    return frozenset(lines)


def _without_tagged(text: str) -> str:
    """``text`` without what stands between tags of programs."""
    out: list[str] = []
    at = 0
    for start, end in _tagged(text):
        out.append(text[at:start])
        at = end
    return "".join((*out, text[at:]))


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """What stands between tags of programs; a tag that nothing closes is somebody's word."""
    tags = list(_TAG.finditer(text))
    ends: dict[str, list[int]] = defaultdict(list)
    for number, tag in enumerate(tags):
        if tag["end"]:
            ends[tag["tag"]].append(number)
    at = 0
    for number, tag in enumerate(tags):
        if tag["end"] or tag.start() < at:
            continue
        closing = ends.get(tag["tag"], [])
        after = bisect_left(closing, number)
        if after < len(closing):
            at = tags[closing[after]].end()
            yield tag.start(), at
