"""What somebody wishes, in so many words, to be remembered: `Please remember that the gate code is 4411`.

Such a sentence is no note of a moment, whatever its words look like: who asks for it wants it to last. What
follows the wish is judged by itself, as any other sentence is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ASKED = r"(?:can|could|would|will) you"
_WISH = re.compile(
    r"(?:(?:please|also|and|oh|ok(?:ay)?|yes|yes please|so|then|just|but|one more thing|you should"
    rf"|i(?:['’]d| would) like you to|i want you to|(?P<asked>{_ASKED}))[,:.!]?\s+){{0,4}}"
    r"(?:(?:remember|keep in mind|bear in mind|(?:do not|don['’]t|never) forget|make a note|take a note"
    r"|write (?:it |this )?down)(?: (?:this|please|too|as well|for me|for later|for the future))?"
    r"(?:,? that\s+|:\s+)"
    r"|(?P<foreign>(?:bitte )?(?:merke? dir|vergiss nicht|denke? daran|notiere?(?: dir)?)(?: bitte)?"
    r"(?:,? dass\s+|:\s+)"
    r"|(?:por favor,? )?(?:recuerda|no olvides|anota|ten en cuenta)(?: que\s+|:\s+)"
    r"|(?:souviens-toi|n['’]oublie pas|note bien)(?: (?:que\s+|qu['’])|\s?:\s+)))"
    r"(?P<words>\S.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Wish:
    """The words that are wished to be remembered. ``led_in``: after a colon, need not be a sentence.

    ``foreign``: in another language than English.
    """

    words: str
    led_in: bool
    foreign: bool


def wish_in(text: str) -> Wish | None:
    """What ``text`` wishes to be remembered; None where nothing is.

    A question is a wish only where somebody is asked to do it: `Could you remember that I eat no meat?`
    """
    found = _WISH.match(text)
    if found is None or (found["words"].rstrip().endswith("?") and found["asked"] is None):
        return None
    led_in = text[: found.start("words")].rstrip().endswith(":")
    return Wish(found["words"].rstrip("? "), led_in, found["foreign"] is not None)
