"""The frame that an agent's program puts around the summary of a session it compacted.

The frame speaks to the agent: go on, ask nobody. It is no part of what was said or done, and memory that
holds it orders every later agent to do so.
"""

from __future__ import annotations

import re

_OPENING = "This session is being continued from a previous conversation"
_SENTENCES = re.compile(
    rf"{_OPENING}[^.:\n]{{0,200}}[.:]?"
    r"|The (?:conversation is summarized below|summary below covers[^.:\n]{0,120})[.:]",
    re.IGNORECASE,
)
_LINES = re.compile(
    r"(?:^|(?<=[.:!?\"”)] ))[ \t]*(?:(?:Please )?continue (?:with )?(?:the|our) conversation from where"
    r"|If you need specific details from before (?:the )?compaction"
    r"|Recent messages are preserved verbatim)[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
"""Each to the end of its line: what follows there goes on in the same voice."""
_LOOKED_AT = 400


def is_framed(text: str) -> bool:
    """Whether ``text`` is such a summary, though nothing else marks it as one."""
    return text[:_LOOKED_AT].lstrip().startswith(_OPENING)


def without_frame(text: str) -> str:
    """The summary alone."""
    return _LINES.sub("", _SENTENCES.sub("", text)).strip()
