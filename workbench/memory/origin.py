"""The origin of a line of memory: who it is from, and what may therefore be done with it without asking.

This is the one place that decides: the graph, dreaming, bulletins, injection and policy all ask here. The
speaker mark is looked at before anything strips it. Nothing raises an origin: a heading, a mark or a comment
can only lower what the file's own place says.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Entry, Form, Kind, is_outside
from workbench.memory.episode import is_session_file
from workbench.memory.markdown import Document
from workbench.memory.provenance import least_trusted
from workbench.memory.transcript_text import among_many, lines_put_in, program_spans


class Origin(StrEnum):
    """Who a line is from. The values are the levels of trust that provenance writes."""

    OWNER = "owner"
    AGENT = "agent"
    OUTSIDE = "external"
    UNKNOWN = "unknown"


@frozen_kw_only
class Permissions:
    """What automation may do with a line: each is denied unless it is said.

    ``owner_fact``: stand on the owner's own page. ``told``: be in a bulletin as a fact; ``dated``: as a dated
    todo or event, named as the agent's. ``given``: reach an agent with a message. ``proposed``: wait for a
    person. ``in_bulk``: be accepted with others, or by a policy, without a look at this very text.
    """

    owner_fact: bool = False
    told: bool = False
    dated: bool = False
    given: bool = False
    proposed: bool = False
    in_bulk: bool = False


ALLOWED: Mapping[Origin, Permissions] = MappingProxyType(
    {
        Origin.OWNER: Permissions(
            owner_fact=True, told=True, dated=True, given=True, proposed=True, in_bulk=True
        ),
        Origin.AGENT: Permissions(dated=True, given=True, proposed=True, in_bulk=True),
        Origin.OUTSIDE: Permissions(proposed=True),
        Origin.UNKNOWN: Permissions(),
    }
)
"""The table of rights, by origin."""

_BY_KIND: Mapping[Kind, Origin] = MappingProxyType(
    {
        Kind.MEMORY: Origin.OWNER,
        Kind.DREAM: Origin.AGENT,
        Kind.LOG: Origin.AGENT,
        Kind.EPISODE: Origin.AGENT,
        Kind.NOTE: Origin.AGENT,
    }
)
_OWN_NOTES = "memory/"
"""The folder of notes that the workspace's own agent keeps; notes elsewhere are anybody's."""
_OWNER_FILES = frozenset({"USER.md", "MEMORY.md", "memory.md"})
_SAID_UNDER = frozenset({"facts", "decisions", "open"})
"""Headings of an episode whose lines are quotations, each with the turn that it is from."""

_NAME = r"[^\W\d_][^:：\n<>\[\]|]{0,60}?"
_MARK = re.compile(
    rf"[\W_]{{0,20}}(?:\[[^\]\n]{{0,40}}\d[^\]\n]{{0,20}}\]|\d\d?:\d\d(?::\d\d)?)?[^\w\n]{{0,6}}(?P<name>{_NAME})"
    r"(?P<end>[*_\s\])]{0,6}(?:[:：]|>|\s[-–—](?=\s))[*_]{0,3}\s{0,80})(?P<words>\S.*)",
    re.DOTALL,
)
_MARK_END = re.compile(r"[:：>)\]]|\s[-–—]")
"""What one of the two ends with."""
_MOST_MARK = 200
_IN_BRACKETS = re.compile(rf"\s{{0,20}}[\[<(](?P<name>{_NAME})[\])>]\s{{0,80}}(?P<words>\S.*)", re.DOTALL)
_WROTE = re.compile(
    r"(?P<name>[^\W\d_][\w .’'-]{0,40}?) (?:wrote|writes|said|says|schrieb|schreibt|sagt|a écrit|écrit|dit"
    r"|escribió|escribe|dijo|написала?|пишет|сказала?)(?: on [^:\n]{1,40})?"
)
_SPOKEN_BY = re.compile(r"\s*(?:user|human|assistant|system|tool)\s?:\s+", re.IGNORECASE)
_ENVELOPE = re.compile(r"\[[^\]\n]{0,200}?(?:\b(?:guild|group|channel)\b|#\w)", re.IGNORECASE)
"""`[Discord Guild #general ...]`: a message of a room, in which anybody writes as the user."""

_OWNER_ROLES = """
    user|human|me|owner|benutzer|nutzer|besitzer|ich|utilisateur|moi|usuario|yo|пользователь|владелец|я|用户
    |主人|我|ユーザー|私"""
_AGENT_ROLES = """
    assistant|agent|ai|bot|assistent|agente|asistente|ассистент|помощник|助手|助理|アシスタント"""
_OUTSIDE_ROLES = """
    system|tool|function|developer|web|website|web page|page|email|e-mail|mail|inbox|newsletter|stranger|guest
    |visitor|customer|sender|subagent|sub-agent|other agent|another agent|external|outside|from|subject
    |systemnachricht|werkzeug|fremder|kunde|absender|webseite|betreff|von
    |système|systeme|outil|courriel|expéditeur|site web|objet
    |sistema|herramienta|correo|remitente|página web|asunto
    |система|инструмент|письмо|почта|отправитель|сайт|тема
    |系统|系統|工具|邮件|郵件|发件人|网页|外部
    |システム|ツール|メール|送信者|ウェブ"""
_NOTICE = re.compile(
    r" (?:message|note|notice|prompt|output|result|results|update|override|alert|reminder|instruction)s?"
)
_OTHER_AGENT = re.compile(
    r"\S.* (?:agent|assistant|bot)|(?:agent|assistant|bot|subagent)[ #-]?(?:\d+|[a-z]\w*)"
)


def _roles(words: str) -> frozenset[str]:
    return frozenset(word.strip() for word in words.split("|"))


_OWNER = _roles(_OWNER_ROLES)
_AGENT = _roles(_AGENT_ROLES)
_OUTSIDE = _roles(_OUTSIDE_ROLES)

_LETTER = (
    r"e-?mails?|mails?|messages?|letters?|newsletters?|posts?|articles?|quotes?|quotations?|comments?|repl(?:y|ies)"
    r"|texts?|sms|dms?|tickets?|pages?|output|nachrichten?|artikel|seiten?|messages?|courriels?|articles?|correos?"
    r"|mensajes?|письм\w*|сообщени\w*|стать\w*"
)
_FOREIGN = r"outside|external|third[- ]party|untrusted|foreign|fremd\w*|extern\w*|externes?|extern[oa]s?|внешн\w*|чуж\w*"
_FAR = (
    r"(?:the )?(?:web|internet|outside|net|inbox|e-?mails?|mail(?:box)?|newsletters?|(?:web)?(?:site|page)s?)"
)
_HEADINGS = re.compile(
    rf"\b(?:{_LETTER}) (?:from|by|of|von|vom|de|du|d['’]|des|del|от|из|с)\b"
    rf"|\b(?:from|off|out of) {_FAR}\b|\bfrom (?:strangers?|others?|elsewhere|customers?|third parties)\b"
    rf"|\b(?:{_FOREIGN}) (?:{_LETTER}|sources?|content|input|material|quellen?|inhalte?|contenus?|contenidos?"
    r"|источник\w*|текст\w*)\b"
    r"|^(?:(?:incoming|new|unread) )?(?:e-?mails?|mails?|inbox|newsletters?|outside|external|web|from outside"
    r"|forwarded|fwd?|quoted|quotes?|tool (?:output|call|result)s?|search results?|web (?:pages?|search|results?)"
    r"|fetched(?: (?:page|text|content))?|scraped|clippings?|system(?: messages?)?)\s*(?:$|[:：(—–-])"
    r"|\b(?:forwarded|original) message\b|\btool (?:output|result)s?\b|\bother agents?\b"
    r"|\b(?:aus dem (?:netz|web|internet)|von (?:au(?:ß|ss)en|extern)|weitergeleitet\w*|werkzeugausgabe|posteingang)\b"
    r"|\b(?:du web|d[e'’] ?(?:l['’])?(?:internet|extérieur|exterieur)|transféré\w*|reçu par (?:mail|courriel))\b"
    r"|\b(?:de la web|de internet|de fuera|del exterior|reenviad\w*|correo (?:recibido|externo|entrante))\b"
    r"|\b(?:из (?:сети|интернета|почты|веба)|извне|снаружи|переслан\w*|входящ\w*)\b"
    r"|来自|外部|转发|轉發|网上|網上|收件|邮件内容|引用|外から|からのメール|より転送|転送|ウェブから|受信|工具输出|ツール出力",
)
"""How a heading, or a line that leads others in, says that what follows was written elsewhere."""
_LEADS = 160
"""Characters of the longest line that can lead in what follows."""
_MAIL_HEAD = re.compile(
    r"(?:from|von|de|от|发件人|差出人)\s?[:：][^\n]{0,80}?@|-{2,}\s?(?:original|forwarded)", re.I
)
_CALLED = re.compile(
    r"^(?![^\n]{0,300}\n[ \t]{0,20}\|[ \t]{0,20}:?-)"  # the head of a table names its columns
    r"[ \t]{0,20}[-*+|]?[ \t]{0,20}[*_]{0,2}(?:(?:Full )?Name|(?:What to )?Call(?:ed| them| me)|名前|姓名|Имя"
    r"|Nombre|Nome|Nom)(?:[*_]{0,2}[ \t]{0,3}[:：|][*_]{0,2}|[*_]{2}(?=[ \t]))"
    r"(?:[ \t]{0,20}|\n[ \t]{1,20}(?![-*+]))(?P<name>[^\s,;:(（/|<\[*_][^,;(（/|\n]{0,99})",
    re.MULTILINE | re.IGNORECASE,
)
"""How USER.md says whose memory it is: `- **Name:** Ana Ruiz, she/her`, the name in the next line, or in a table."""


@frozen
class AttributedLine:
    """Who a line is from, and its words without the mark of whoever speaks.

    ``speaker`` is the name of somebody who speaks and is not the owner, the agent or a program.
    """

    origin: Origin
    speaker: str
    words: str


def owner_name(user_page: str) -> str:
    """The name that USER.md gives the owner; empty where it gives none."""
    found = _CALLED.search(user_page)
    return found["name"].strip(" *_\t") if found else ""


def names_of(name: str) -> frozenset[str]:
    """What somebody of this name is called before a colon: the whole name, and the first one."""
    whole = " ".join(name.casefold().split())
    return frozenset(filter(None, (whole, whole.split(" ")[0])))


@functools.lru_cache(maxsize=4_096)
def is_outside_heading(heading: str) -> bool:
    """Whether a heading says that what stands below it was written elsewhere (`Mail from a supplier`)."""
    return _HEADINGS.search(_folded(heading[:400])) is not None


def of_page_line(entry: Entry, trust: str) -> Origin:
    """Who a line of a graph page is from, whose comment and page say this ``trust``.

    What has no comment was written into the page by hand, by the owner or by the agent. What the workbench wrote
    there says whom it is from, or nobody knew.
    """
    by_hand = entry.provenance is None and trust == Origin.UNKNOWN
    return Origin.AGENT if by_hand else Origin(least_trusted(trust))


def log_trust(reader: OriginReader, entry: Entry) -> str:
    """The trust of a line of a daily log: the agent writes it, and may quote the owner or anybody else."""
    return least_trusted(Origin.AGENT, reader.of(entry))


def said_in_room(text: str) -> bool:
    """Whether the program says of a message, or of a turn, that it was said where several people speak."""
    marked = _SPOKEN_BY.match(text)
    return bool(_ENVELOPE.match(text, marked.end() if marked else 0)) or among_many(text)


class OriginReader:
    """Decides the origin of each entry of one document, read in order.

    ``owner`` are the names by which the owner is called, in lower case; ``speakers`` names in bold that are
    known to be people who speak. Both count before a colon only.
    """

    def __init__(
        self, document: Document, *, owner: Collection[str] = (), speakers: Collection[str] = ()
    ) -> None:
        self._owner = _OWNER.union(owner)
        self._speakers = frozenset(name.casefold() for name in speakers)
        self._document = document
        self._in_file = document.header.text("trust")
        self._is_log = document.kind is Kind.LOG or is_session_file(document)
        self._led_in = (
            _led_in(document) | lines_put_in(document.data)
            if self._is_log or document.kind is Kind.NOTE
            else frozenset()
        )

    def of(self, entry: Entry) -> Origin:
        """Who ``entry`` is from."""
        return self.said(entry).origin

    def said(self, entry: Entry, text: str | None = None) -> AttributedLine:
        """Who ``entry`` is from and what it says; ``text`` in the place of its own."""
        text = entry.text if text is None else text
        place = self._by_place(entry)
        speaker, words, role = self._marked(text)
        if place is Origin.OWNER and entry.kind is not Kind.EPISODE:
            return AttributedLine(
                place, "", text
            )  # curated by the person: who is quoted there does not matter
        if (
            entry.form is Form.QUOTE
            or entry.start_line in self._led_in
            or text.lstrip()[:1] in (">", "＞")
            or any(map(is_outside_heading, entry.heading))
        ):
            place = _lower(place, Origin.OUTSIDE)
        if role is None:
            outside = self._is_log and among_many(text)
            return AttributedLine(_lower(place, Origin.OUTSIDE) if outside else place, "", text)
        if role is Origin.OWNER and place is Origin.AGENT and self._is_log:
            # The agent's own log quotes a turn of the owner; a comment or a heading has not lowered it.
            mark = text[: text.rfind(words)]
            in_room = _ENVELOPE.search(mark) or "@g.us" in mark or said_in_room(words)
            return AttributedLine(Origin.OUTSIDE if in_room else Origin.OWNER, speaker, words)
        return AttributedLine(_lower(place, role), speaker, words)

    def _by_place(self, entry: Entry) -> Origin:
        """By the file, its header and the line's own comment: the least of them."""
        own = entry.field("trust")
        if is_outside(entry.path):
            return Origin.UNKNOWN
        if entry.kind is Kind.MEMORY or entry.path in _OWNER_FILES:
            return Origin.OWNER
        if entry.kind is Kind.EPISODE and not self._is_log:
            return self._of_episode(entry, own)
        if entry.kind is Kind.ENTITY:
            return of_page_line(entry, least_trusted(self._in_file or own, own or self._in_file))
        place = _BY_KIND.get(entry.kind, Origin.UNKNOWN)
        is_own = self._document.is_own_note or entry.path.startswith(_OWN_NOTES)
        if entry.kind is Kind.NOTE and not is_own:
            place = Origin.UNKNOWN
        return Origin(least_trusted(place, *filter(None, (own, self._in_file))))

    def _of_episode(self, entry: Entry, own: str | None) -> Origin:
        """A session's trust is that of all of it; a line that names its turn is the owner's, or says not."""
        quoted = bool(entry.field("src")) and bool(
            entry.heading and entry.heading[-1].casefold() in _SAID_UNDER
        )
        if self._in_file == Origin.AGENT and own is None and quoted:
            return Origin.OWNER
        return Origin(least_trusted(self._in_file, own or self._in_file))

    def _marked(self, text: str) -> tuple[str, str, Origin | None]:
        """The name before a colon if it is somebody's, the words after it, and who that is; a label is nobody."""
        for pattern in (_MARK, _IN_BRACKETS) if _MARK_END.search(text, 0, _MOST_MARK) else ():
            found = pattern.match(text[:20_000])
            if found is None:
                continue
            name = " ".join(found["name"].strip("*_ \t").split())
            if (role := self._role(name, found.groupdict().get("end", ":"))) is not None:
                named = name if name.casefold() in self._speakers and role is Origin.OUTSIDE else ""
                return named, text[found.start("words") :].strip("*_ "), role
        return "", text, None

    def _role(self, name: str, end: str) -> Origin | None:
        folded = re.sub(r"\s*\([^)]{0,60}\)?$", "", _folded(name))
        if folded in self._owner:
            return Origin.OWNER
        if folded in _AGENT:
            return Origin.AGENT
        bare = _NOTICE.sub("", folded)
        if bare in _OUTSIDE or (bare in _AGENT and bare != folded) or _OTHER_AGENT.fullmatch(folded):
            return Origin.OUTSIDE
        if ":" not in end and "：" not in end:
            return None  # a dash or an arrow stands behind anything
        if wrote := _WROTE.fullmatch(folded):
            return Origin.OWNER if wrote["name"] in self._owner else Origin.OUTSIDE
        return Origin.OUTSIDE if folded in self._speakers or is_outside_heading(folded) else None


def _led_in(document: Document) -> frozenset[int]:
    """The lines of entries that stand below a line of their heading which says they are from elsewhere."""
    # Only what may lead is read as an entry: of a long log that is little.
    may_lead = {
        number
        for number, row in enumerate(document.text.split("\n"))
        if row.rstrip().endswith((":", "：", "-->")) or "@" in row or "--" in row
    }
    below: set[int] = set()
    heading: tuple[str, ...] | None = None
    for block in document.blocks if may_lead else ():
        if heading is None and may_lead.isdisjoint(range(block.first, block.last)):
            continue
        for entry in document.entries_of(block):
            if heading is not None and entry.heading == heading:
                below.add(entry.start_line)
                continue
            heading = None
            line = entry.text.strip()
            leads = len(line) <= _LEADS and line.endswith((":", "："))
            if _MAIL_HEAD.match(line) or (leads and is_outside_heading(line.rstrip(":： "))):
                heading = entry.heading
    return frozenset(below)


def _lower(one: Origin, other: Origin) -> Origin:
    return Origin(least_trusted(one, other))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().strip("*_# \t").split())


# -- the turns of a conversation that a program wrote down in one paragraph, one below the other -----

_TURN = re.compile(r"^(?P<who>user|human|assistant|system|tool)\s?:\s", re.MULTILINE | re.IGNORECASE)


def turns_in(text: str) -> Iterator[tuple[int, str]]:
    """The turns of a paragraph, each with where it begins; a text without any is one by itself."""
    if "\n" not in text:
        yield 0, text
        return
    starts, looked, is_room = [0], 0, False
    inside, spans = 0, iter((*program_spans(text), (len(text) + 1, len(text) + 1)))
    span = next(spans)
    for found in _TURN.finditer(text):
        while span[0] <= found.start():
            inside, span = max(inside, span[1]), next(spans)
        if not found.start() or found.start() < inside:
            continue  # a program put it in, and nobody says it here
        is_room = is_room or said_in_room(text[looked : found.start()])
        looked = found.start()
        if is_room and found["who"].casefold() in ("user", "human"):
            continue  # whoever writes in a room may write so
        starts.append(looked)
        is_room = False
    for start, end in pairwise((*starts, len(text))):
        yield start, text[start:end].rstrip("\n")
