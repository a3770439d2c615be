"""What sort of memory a line is, where its words are certain of it; else it is a plain fact."""

from __future__ import annotations

import re

_TYPES = {
    "decision": re.compile(
        r"\b(?:decided|decision|agreed (?:on|to)|chose|settled on|we(?:'ll| will) use|going with|entschieden"
        r"|beschlossen|vereinbart|decidimos|hemos decidido|avons décidé|décidé de|decidiu|decidimos|решили)\b"
        r"|决定|決定|決めた|決まった",
        re.IGNORECASE,
    ),
    "preference": re.compile(
        r"\b(?:prefers?|favou?rite|dislikes?|(?:i|user|he|she|they) (?:really )?(?:likes?|loves?|hates?)"
        r"|bevorzugt?|am liebsten|prefiere|le gusta|préfère|prefere|предпочита\w+)\b|^(?:always|never)\b"
        r"|喜欢|偏好|好き|嫌い",
        re.IGNORECASE,
    ),
    "identity": re.compile(
        r"\b(?:born (?:in|on)|birthday|pronouns|lives in|works (?:at|as|for)|is married|my name is|geboren"
        r"|wohnt in|arbeitet (?:bei|als)|vive en|trabaja en)\b|生日|誕生日|住在|住んで",
        re.IGNORECASE,
    ),
}


def fact_type(text: str) -> str:
    """The type of typed memory that ``text`` would be: the first whose words stand in it, else ``fact``."""
    return next((name for name, words in _TYPES.items() if words.search(text)), "fact")
