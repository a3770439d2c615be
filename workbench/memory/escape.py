"""Any text as the words of one line of Markdown, which begins nothing and ends nothing.

What was said anywhere may hold list marks, headings, fences, comments and line ends. As the words of an item
or of a line of a paragraph it must stay inside of it, and must not speak in the place of the workbench's own
``wb:`` comment.
"""

from __future__ import annotations

import re

from workbench.safety.secrets import clipped

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"(?:(?:[-+*•]|#{1,6}|\d{1,3}[.)]|\[[ xX]\])(?= |\Z)|>|`{3,}\w*|~{3,}\w*) ?")
"""What begins a list item, a heading, a quotation or a fence: form, not words."""
_NUMBER = re.compile(r"(\d{1,9})([.)])(?= |\Z)")
_LOOKED_AT = 4
"""Characters that are read for each that is kept: what marks and comments take up."""
_OPENS = re.compile(r"<|\[[^\]]*\]:")
"""What begins HTML or a definition of a link, which nobody sees; behind a backslash it is itself."""


def plain_line(text: str, most: int) -> str:
    """The words of ``text`` on one line of at most ``most`` characters, cut at a word; "" where it has none.

    Comments are left out. Doing it twice changes nothing more. No more than the beginning of a long text is
    looked at.
    """
    text = clipped(text, _LOOKED_AT * most)
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    text = _COMMENT.sub(" ", text).replace("<!--", "<! --").replace("-->", "-- >")
    text = " ".join(_CONTROL.sub(" ", text).split())
    while mark := _MARKS.match(text):
        text = text[mark.end() :].lstrip()
    if not any(map(str.isalnum, text)):
        return ""
    if _OPENS.match(text):
        text = f"\\{text}"
    return shortened(_NUMBER.sub(r"\1\\\2", text, count=1) if _NUMBER.match(text) else text, most)


def shortened(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters, cut after a word, with an ellipsis where it is."""
    if len(text) <= most:
        return text
    words = clipped(text, most - 1)
    if len(words) < most - 1:  # a secret begins here, and the beginning of one tells of it
        return words.rstrip() + "…"
    whole = words.rpartition(" ")[0] if not text[most - 1].isspace() else words
    # One word that fills the line, as in writing without blanks, is cut in its middle.
    return (whole.rstrip() if len(whole) > most // 2 else words.rstrip()) + "…"
