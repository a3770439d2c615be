"""What is never kept, whatever a model says of it: few rules, each of them certain."""

from __future__ import annotations

import re

from workbench.dreaming.normalisation import plain_words
from workbench.memory.sentences import beginning
from workbench.safety.hidden_text import hidden_in
from workbench.safety.machine_output import machine_made
from workbench.safety.prompt_injection import steers
from workbench.safety.secrets import secrets_in

_PASSWORD = re.compile(
    r"\b(?:pass(?:wor[dt]|phrase|code)|kennwort|contraseña|mot de passe|senha|пароль|pin|secret|token"
    r"|api key|credentials?)\b(?: \w+){0,3}(?: is| ist| lautet| es| est|:|=)\s*[\"'`]?(?=\S*\d)"
    r"(?=\S*[^\W\d_])\S{6,}"
    r"|\bpin(?: \w+){0,3}(?: is| ist| es| est|:)\s*\d{4}"
    r"|(?:密码|口令|パスワード|暗証番号|비밀번호)\s*(?:[は是为：:=는은]\s*)\S{4,}",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~|\$\$)")
A_RECORD, NO_WORDS = "a heartbeat, cron or session record", "no words"
_REPLY = r"\b(?:HEARTBEAT_OK|NO_(?:REPLY|FLUSH))\b"
_ANSWER = re.compile(
    rf"^(?:[^\w\n]|\d)*{_REPLY}[\"'`*_)]*[^\S\n]*(?:$|[.:;,!(—–-])"
    rf"|^(?:[^\w\n]*\w+\b){{0,3}}[^\w\n]*{_REPLY}(?:[^\w\n]+\w+){{0,2}}[^\w\n]*$"
    rf"|\b(?:system|user|assistant)\s?:[^\n]*{_REPLY}|{_REPLY} if nothing|\bstart with {_REPLY}",
    re.IGNORECASE | re.MULTILINE,
)
_TURN = re.compile(
    r"\bRead HEARTBEAT\.md\b"
    r"|^\s*(?:system|user)\s?:\s*\[?(?:cron|heartbeat|scheduled)\b"
    r"|^\s*(?:user|assistant)\s?:\s*<[a-z][a-z-]*>\s*$"
    r"|^\s*\[cron[:\s]|^\s*(?:-\s*)?\**(?:session (?:id|key)|conversation_label|message_id)\**\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_HEARTBEAT_FILE = "HEARTBEAT.md"
_BLANK = re.compile(
    r"\{\{?[a-z][\w ]{1,30}\}?\}|<[a-z][a-z _-]{1,30}>|_{4,}|\[(?:your|insert|todo|tbd)\b[^\]]{0,30}\]", re.I
)
LEADS_IN = re.compile(r"[:：]\W*$")
"""A line that says nothing without what follows it."""
_BLOCK = re.compile(r"^(?P<mark>```|~~~)[^\n]*\n(?s:.*?)(?:^(?P=mark)[`~]*|\Z)|^\|[^\n]*", re.MULTILINE)
"""A fence, or a row of a table, in the words of an entry."""
_CELL = re.compile(r"[\n|]")
_COMMENT = "#/-* "
_QUESTION = re.compile(r"[?？]\W*$")
_STOP = re.compile(r"\S[.!](?:\s|$)|[。！]")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_NOTED = frozenset({"code", "metadata", "a shell command", "only a path"})
"""What may be a setting that somebody noted, where it is an item of a list."""
_WORDS = re.compile(r"[^\W\d_]")
_FULL_WORDS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters that say as much as two letters: two of them are a word."""
_DIGIT = re.compile(r"\d")
_LEAST_LETTERS = 4
_LEAST_NAME = 2
"""Letters of the name of a figure: `NPS: >40`."""
_MOST_BLANKS = 2


def is_record(text: str) -> bool:
    """Whether it is a turn of a heartbeat or a schedule, or the header of a session, as programs write them.

    A sentence that only names what a heartbeat answers may be a rule.
    """
    answers = "_" in text and _ANSWER.search(text)  # which most lines cannot
    return bool(answers or _TURN.search(text))


def secret_in(text: str) -> bool:
    """Whether a text holds a token, a key or a password."""
    return _PASSWORD.search(text) is not None or bool(secrets_in(text))


def veto(text: str) -> str | None:
    """Why a block of a log is never kept, in a few words for a person; None where it may be."""
    some = beginning(text)
    if secret_in(some):
        return "holds a secret"
    if hidden_in(some):
        return "holds hidden text"
    steering = filter(None, map(steers, some.split("\n")))
    return next(steering, None) or _says_nothing(some)


def _says_nothing(text: str) -> str | None:
    """Why the form of a block says that nothing in it is said by anybody."""
    if _FENCE.match(text):
        return "a code block"
    if is_record(text):
        return A_RECORD
    if _HEARTBEAT_FILE in text:
        return "about the heartbeat"
    if len(_BLANK.findall(_CODE_SPAN.sub("", text))) >= _MOST_BLANKS:
        return "a template with blanks"
    plain = plain_words(text)
    if asked := asks_or_leads_in(plain):
        return asked
    letters = len(_WORDS.findall(plain)) + len(_FULL_WORDS.findall(plain))
    is_figure = letters >= _LEAST_NAME and _DIGIT.search(plain) is not None
    is_empty = letters < _LEAST_LETTERS and len(plain) < 4 * _LEAST_LETTERS and not is_figure
    made = NO_WORDS if is_empty else machine_made(plain) if "\n" not in plain else None
    is_command = made == "a shell command" and _CODE_SPAN.fullmatch(plain)
    is_noted = made in _NOTED and _ITEM.match(text) and not is_command
    return None if is_noted else made


def _prose(plain: str) -> str:
    """The words without the code and tables among them, except those in which a sentence stands."""
    return _BLOCK.sub(lambda block: block[0] if any(map(_is_sentence, _CELL.split(block[0]))) else "", plain)


def _is_sentence(line: str) -> bool:
    said = line.lstrip(_COMMENT)
    return _STOP.search(said) is not None and machine_made(said) is None


def asks_or_leads_in(plain: str) -> str | None:
    """Why a line in plain words states nothing: it only asks, or announces what follows; None if it does."""
    prose = _prose(plain).strip()
    if LEADS_IN.search(prose) and "\n" not in prose:
        return "it only introduces what follows"
    return "a question" if _QUESTION.search(plain) and not _STOP.search(plain) else None
