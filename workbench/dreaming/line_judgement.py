"""What is thought of single lines: a score, whether it is enough, and why, in words.

What sort of memory a line is, where its words are certain of it; else it is a plain fact.

What is never kept, whatever a model says of it: few rules, each of them certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.dreaming.features import Line
from workbench.dreaming.normalisation import plain_words
from workbench.dreaming.owner_model import Example, OwnerModel, learned
from workbench.dreaming.salience import base_model, score_of
from workbench.errors import UsageError
from workbench.memory.sentences import beginning
from workbench.safety.hidden_text import hidden_in
from workbench.safety.machine_output import machine_made
from workbench.safety.prompt_injection import steers
from workbench.safety.secrets import clipped, secrets_in

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


_PASSWORD = re.compile(
    r"\b(?:pass(?:wor[dt]|phrase|code)|kennwort|contraseña|mot de passe|senha|пароль|pin|secret|token"
    r"|api key|credentials?)\b(?: \w+){0,3}(?: is| ist| lautet| es| est|:|=)\s*[\"'`]?(?=\S*\d)"
    r"(?=\S*[^\W\d_])\S{6,}"
    r"|\bpin(?: \w+){0,3}(?: is| ist| es| est|:)\s*\d{4}"
    r"|(?:密码|口令|パスワード|暗証番号|비밀번호)\s*(?:[は是为：:=는은]\s*)\S{4,}",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~|\$\$)")
RECORD = re.compile(
    r"\bHEARTBEAT(?:_OK|\.md)\b|\bNO_(?:REPLY|FLUSH)\b|^\s*(?:system|user)\s?:\s*\[?(?:cron|heartbeat|scheduled)\b"
    r"|^\s*(?:user|assistant)\s?:\s*<[a-z][a-z-]*>\s*$"
    r"|^\s*\[cron[:\s]|^\s*(?:-\s*)?\**(?:session (?:id|key)|conversation_label|message_id)\**\s*:",
    re.IGNORECASE | re.MULTILINE,
)
"""A turn of a heartbeat or a schedule, and the header of a session: what programs write each time."""
_BLANK = re.compile(
    r"\{\{?[a-z][\w ]{1,30}\}?\}|<[a-z][a-z _-]{1,30}>|_{4,}|\[(?:your|insert|todo|tbd)\b[^\]]{0,30}\]", re.I
)
LEADS_IN = re.compile(r"[:：]\W*$")
"""A line that says nothing without what follows it."""
_QUESTION = re.compile(r"[?？]\W*$")
_STOP = re.compile(r"[.!。！](?:\s|$)|[。！]")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_NOTED = frozenset({"code", "metadata", "a shell command", "only a path"})
"""What may be a setting that somebody noted, where it is an item of a list."""
_WORDS = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 4
_MOST_BLANKS = 2


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
    if reason := next((reason for line in some.split("\n") if (reason := steers(line))), None):
        return reason
    return _says_nothing(some)


def _says_nothing(text: str) -> str | None:
    """Why the form of a block says that nothing in it is said by anybody."""
    if _FENCE.match(text):
        return "a code block"
    if RECORD.search(text):
        return "a heartbeat, cron or session record"
    if len(_BLANK.findall(_CODE_SPAN.sub("", text))) >= _MOST_BLANKS:
        return "a template with blanks"
    plain = plain_words(text)
    if len(_WORDS.findall(plain)) < _LEAST_LETTERS and len(plain) < 4 * _LEAST_LETTERS:
        return "no words"
    made = machine_made(plain) if "\n" not in plain else None
    is_command = made == "a shell command" and _CODE_SPAN.fullmatch(plain)
    is_noted = made in _NOTED and _ITEM.match(text) and not is_command
    return _asks_or_leads_in(plain) or (None if is_noted else made)


def _asks_or_leads_in(plain: str) -> str | None:
    if LEADS_IN.search(plain) and "\n" not in plain:
        return "it only leads in what follows"
    return "a question" if _QUESTION.search(plain) and not _STOP.search(plain) else None


_SHOWN = 60
_NAMED, _LEAST_NAMED = 3, 0.05
"""Reasons that are named, and the log odds that each of them weighs at least."""
_LENIENT, _LENIENT_WITH_TALK = 0.72, 0.5
"""The share of the model's own floor, from which a line alone is worth keeping, that is enough for a rank.

Talk has been through a session's own choice before, which asks for this much.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJudgement:
    """``score`` in (0, 1): how likely a line is worth keeping for months. ``floor`` is enough."""

    score: float
    floor: float
    vetoed: str | None = None

    @property
    def kept(self) -> bool:
        """Whether it may be kept; what is vetoed never is."""
        return self.vetoed is None and self.score >= self.floor


def floor_of(model: OwnerModel, *, spoken: bool) -> float:
    """The score from which a line may be proposed: low, as its rank decides."""
    return (_LENIENT_WITH_TALK if spoken else _LENIENT) * model.base.floor


def judged(
    model: OwnerModel, lines: Sequence[Line], *, floor: float | None = None
) -> Iterator[LineJudgement]:
    """What is thought of each line: by the model, and before it by the rules of what is never kept.

    ``floor`` is another score than usual from which it is kept.
    """
    for line, logit in zip(lines, model.logits(lines).tolist(), strict=True):
        least = floor_of(model, spoken=line.spoken) if floor is None else floor
        yield LineJudgement(score=score_of(logit), floor=least, vetoed=veto(line.text))


def why_of(model: OwnerModel, line: Line) -> str:
    """What weighed most for and against a line, and the decision of its owner that moved it most."""
    told = model.base.reasons(line)
    for_it = [name for share, name in told if share >= _LEAST_NAMED][:_NAMED]
    against = [name for share, name in told if share <= -_LEAST_NAMED][:_NAMED]
    said = [f"for it: {', '.join(for_it)}"] if for_it else []
    said += [f"against it: {', '.join(against)}"] if against else []
    if moved := model.because(line):
        example, share = moved
        text = clipped(" ".join(example.line.text.split()), _SHOWN)
        said.append(f"{'higher' if share > 0 else 'lower'} because you {example.what} “{text}”")
    return "; ".join(said) or "nothing in it weighs much"


def judge_records(
    records: Sequence[Mapping[str, Any]], decided: Sequence[Mapping[str, Any]] = ()
) -> Iterator[dict[str, object]]:
    """For each ``{"id", "text", "heading", "path"}`` an ``{"id", "score", "kept", "type", "why"}``.

    ``"spoken": true`` says that the text is a sentence of a conversation. ``decided`` are ``{"text",
    "heading", "path", "accepted"}``, an owner's decisions, the oldest first.
    Raises UsageError for a record without a text.
    """
    examples = [
        Example(_line(one), bool(one.get("accepted")), what="accepted" if one.get("accepted") else "rejected")
        for one in decided
    ]
    model, lines = learned(base_model(), examples), [_line(record) for record in records]
    every = judged(model, lines, floor=model.base.floor)
    for record, line, found in zip(records, lines, every, strict=True):
        yield {
            "id": record.get("id"),
            "score": round(found.score, 6),
            "kept": found.kept,
            "type": fact_type(line.text),
            "why": f"never kept: {found.vetoed}" if found.vetoed else why_of(model, line),
        }


def _line(record: Mapping[str, Any]) -> Line:
    text = record.get("text")
    if not isinstance(text, str):
        raise UsageError(
            'a line to judge has no "text"', hint='give {"id", "text", "heading", "path"} a line'
        )
    heading, path = str(record.get("heading") or ""), str(record.get("path") or "")
    return Line(text, heading, path, spoken=record.get("spoken") is True)
