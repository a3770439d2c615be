"""From a source to drafts for the graph: typed memories and relations, each with its line."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from indexing.query.dates import MAX_CHARACTERS, NUMBERS, Period, moved, named_days, periods_in
from indexing.words import word_set
from workbench.dreaming.features import Line
from workbench.errors import UsageError
from workbench.frozen import frozen
from workbench.graph.drafts import USER, MemoryDraft, RelationDraft
from workbench.ingest.entities import (
    THING,
    EntityNames,
    NamedEntity,
    clean_name,
    is_name,
    marked_in,
    plain_words,
    title_of,
    told_in,
    without_links,
)
from workbench.ingest.llm_session import ExtractionAnswer, asked, is_me
from workbench.ingest.outcomes import ABOUT_NOTHING, LEFT_OUT
from workbench.ingest.passages import PassageLine, PassageSource
from workbench.ingest.relations import ME, relations_in
from workbench.ingest.statements import OF_AN_AGENT, Statement, statements_in, why_not
from workbench.llm.language_model import LanguageModel
from workbench.memory.claims import HEDGES
from workbench.memory.moment import Moment
from workbench.memory.origin import ALLOWED
from workbench.memory.sentences import sentences

# -- the day that a sentence speaks of, seen from the day on which it was said -----------------------

_PAST = re.compile(
    r"\b(?:yesterday|last (?:time|night|weekend|week|month|year|\w+day)|ago|past|was|were|went|had|did"
    r"|gestern|(?:letzte|vergangene)[nrms]?|war(?:en|st)?|wurden?|hatten?|ging(?:en)?"
    r"|(?:habe?|hat|haben|bin|ist|sind) .{0,80}\bge(?!plant|bucht)\w{3,}(?:t|en)"
    r"|hier soir|avant-hier|derni(?:er|ère)s?|passée?|était|étaient|avait"
    r"|ayer|pasad[oa](?! mañana)|fue(?:ron)?|hi[zc]\w+"
    r"|estuv\w+|ontem|foi|foram|passad[oa]|вчера|прошл\w+|был[аио]?)\b"
    r"|昨[天日]|上[周週个個]|先[週月]|어제|지난",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|must|(?:needs?|have|has|plan(?:s|ned)?) to|due|deadline|remind\w*|upcoming"
    r"|expires?|renews?|schedule[ds]?|appointment|meetings?|book(?:ed|ing)|(?:I|we)(?:['’](?:m|re)| am| are)?"
    r" (?:mov|leav|fly|travel|meet|start|go|see|return|visit)\w*"
    r"|w(?:erden?|ird|irst)|m(?:uss|üssen)|soll(?:en)?|termin|fällig\w*|frist|treffen|meeting|geplant|erinner\w*"
    r"|(?:flieg|fahr|reis|zieh|treff|geh|start)en?"
    r"|va(?:is|s)?|allons|vont|doi(?:s|t|vent)|rendez-vous|réunion|échéance|prévue?s?|rappel\w*|pars|partons"
    r"|voy|vamos|debe(?:mos|n)?|t(?:engo|enemos|iene) que|cita|reunión|vence|previst[oa]|recuerd\w+|viaj\w+"
    r"|vou|vai|vão|reunião|consulta|prazo|lembr\w+|буд[еу]\w+|нужно|надо|встреч\w+|срок|напомн\w+)\b|['’]ll\b"
    r"|[将將]|计划|計劃|預[约約定]|预[约定]|截止|会议|會議|予[定約]|会議|ミーティング|締切|예정|예약|회의|마감",
    re.IGNORECASE,
)
"""Words of a sentence that speaks of what is still to come."""
_START = (
    r"[\W_]{0,10}(?:(?:\w{1,30}['’]?s|the|an?|my|our|der|die|mein\w*|unser\w*|el|la|mi|una?|le|ma|mon"
    r"|notre) )?"
)
_APPOINTMENT = re.compile(
    _START + r"(?:exam|trip|flight|conference|wedding|vacation|holiday|interview|presentation|party|concert"
    r"|dentist|doctor|deliver|send|submit|file|pay|call|finish|prepare|buy|renew|return|bring|visit|register"
    r"|abgabe|prüfung|klausur|reise|flug|hochzeit|urlaub|(?:zahn)?arzt|examen|viaje|vuelo|boda|entrega"
    r"|vacaciones|voyage|vol|mariage|vacances)\b",
    re.IGNORECASE,
)
"""How a sentence begins that orders something, or tells of what is agreed on for a day."""
_REMINDER = re.compile(
    _START + r"(?:remind\w*|remember|don['’]t forget|erinner\w*|rappel\w*|recuerd\w+|recordatorio"
    r"|birthday|geburtstag|cumpleaños|anniversaire)\b",
    re.IGNORECASE,
)
"""How a sentence begins whose day, without a year, is never the last one."""
_RECENT, _HALF_A_YEAR = timedelta(60), timedelta(183)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LIMIT = re.compile(
    r"\b(?:by|until|till|before|after(?! tomorrow)|since|from(?! now| today)|due|every|each|bis|vor|seit|ab"
    r"|jeden|jede|jusqu\w*|avant|depuis|chaque|hasta|antes|desde|cada)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:\b(?:at|um|à|a las?|alle|às|в)|@) ?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"
    r"(?![\d:])(?: ?(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)
_NOON = 12
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day\b", re.IGNORECASE)
_ONE_TO_TEN = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn",
    "un deux trois quatre cinq six sept huit neuf dix",
    "un dos tres cuatro cinco seis siete ocho nueve diez",
)
_COUNTS = {
    **NUMBERS,
    **{name: at for names in _ONE_TO_TEN for at, name in enumerate(names.split(), 1)},
    **dict.fromkeys(("eine", "einem", "einer", "une", "una"), 1),
}
_DAY_NAMES = {
    name: at
    for names in (
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for at, name in enumerate(names.split())
} | {"sonnabend": 5, "miercoles": 2, "sabado": 5}
_N = rf"(?P<n>\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNITS = {
    "d": "days?|tag(?:en?)?|jours?|d[ií]as?",
    "w": "weeks?|wochen?|semaines?|semanas?",
    "m": "months?|monat(?:en?)?|mois|mes(?:es)?",
}
_UNIT = "(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _UNITS.items()) + ")"
_D = "|".join(_DAY_NAMES)
# Beside ``indexing.query.dates``, which is for questions too: there a weekday is the last one, and what is
# asked of `in 3 days` is mostly how long something took.
_AHEAD = re.compile(
    rf"\b(?:(?P<span>in|en)|dans|dentro de) {_N} {_UNIT}\b"
    rf"|\b(?P<week>(?:nächste|kommende)[nr]? woche|semaine prochaine"
    r"|pr[óo]xima semana|semana (?:que viene|pr[óo]xima))\b"
    rf"|\b(?:am|(?:nächste|kommende|diese)[nrm]?|ce|el(?: pr[óo]ximo)?) (?P<day>{_D})\b"
    rf"|\b(?P<day_next>{_D}) (?:prochain|que viene)\b"
    r"|\b(?P<two>übermorgen|après-demain|pasado mañana)\b"
    r"|(?<!guten )(?<!jeden )(?<!heute )(?<!diesen )(?<!am )(?<!der )(?<!den )\b(?P<morgen>morgen)\b(?!-)"
    r"|\b(?P<demain>demain)\b|(?<!la )(?<!esta )(?<!cada )(?<!de )\b(?P<manana>mañana)\b",
    re.IGNORECASE,
)
"""Days to come that only a sentence of a log names."""


def day_in(text: str, said_on: date | None) -> date | None:
    """The one day that ``text`` names; None where it names none, several, or a longer time than a week.

    A day without a year (`on April 1`) is the nearest one, and the next one where the sentence speaks of what
    is to come and the last one is not of the last weeks, or reminds of it; a weekday is the next one. Both
    are past ones where it tells of the past. `In 3 days` is a day only of what is to come. Of a week to come
    it is the first day.
    """
    if named := named_days(text):
        return named[0] if len(named) == 1 else None
    if said_on is None or len({one[0].casefold() for one in _WEEKDAY.finditer(text)}) > 1:
        return None
    past = _PAST.search(text) is not None
    ahead = not past and bool(_FUTURE.search(text) or _APPOINTMENT.match(text))
    recent = timedelta(0) if _REMINDER.match(text) else _RECENT if ahead else _HALF_A_YEAR
    found = [] if past else list(coming(text, said_on, ahead=ahead))
    for one in periods_in(text, said_on):  # one day, or a week that begins after that on which it was said
        if one.first == one.last or (one.first > said_on and one.last - one.first < timedelta(7)):
            found.append(one)
    if len({one.first for one in found}) != 1:
        return None
    day, words = found[0].first, found[0].words
    if day >= said_on or past or _YEAR.search(words):
        return day
    if not _WEEKDAY.search(words) and said_on - day < recent:
        return day
    return _next(day, words, said_on)


def with_clock(day: date, text: str) -> date:
    """``day`` with the one time that ``text`` says of it (`at 14:30`, `at 2:30 pm`, `um 9:05`), if any."""
    found = [*_CLOCK.finditer(text)]
    if len(found) != 1:
        return day
    hour, half = int(found[0]["hour"]), (found[0]["half"] or "").lower()
    if half and not 1 <= hour <= _NOON:
        return day
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return Moment(day.year, day.month, day.day, f"{hour:02}:{found[0]['minute']}")


def is_to_come(text: str, said_on: date | None) -> bool:
    """Whether a sentence tells of a day to come that it names by the day on which it was said.

    `I see the dentist next Friday` does; a day that is written out, or is only a limit (`by Friday`), is
    no such day.
    """
    if said_on is None or named_days(text) or _LIMIT.search(text):
        return False
    day = day_in(text, said_on)
    return day is not None and day > said_on


def _next(day: date, words: str, said_on: date) -> date | None:
    """The first such day from ``said_on`` on."""
    if _WEEKDAY.search(words):
        return day + timedelta(7 * -((day - said_on).days // 7))
    try:
        return day.replace(year=day.year + 1)
    except ValueError:  # the 29th of February
        return None


def coming(text: str, today: date, *, ahead: bool) -> Iterator[Period]:
    """The days to come that a sentence names, counted from ``today``, in its order.

    ``ahead``: it speaks of what is to come, so that `in 3 days` is a day, not how long something took.
    """
    text = text[:MAX_CHARACTERS]
    for said in _AHEAD.finditer(text):
        if said["span"] and not ahead:
            continue
        try:
            if said["n"]:
                count = int(said["n"]) if said["n"].isdecimal() else _COUNTS[said["n"].lower()]
                day = moved(today, count, next(unit for unit in _UNITS if said[unit]))
            elif said["week"]:
                day = today + timedelta(7 - today.weekday())
                yield Period(day, day + timedelta(6), said[0])
                continue
            elif name := said["day"] or said["day_next"]:
                day = today + timedelta((_DAY_NAMES[name.lower()] - today.weekday() - 1) % 7 + 1)
            else:
                day = today + timedelta(2 if said["two"] else 1)
        except (ValueError, OverflowError):  # behind the last day that there is
            continue
        yield Period(day, day, said[0])


# -- drafts ------------------------------------------------------------------------------------------

_FIRST = word_set("i my me we our us i'm i've i'd i'll mine myself ich mein meine wir unser")
_FIRST_SAID = 8
"""Words at the beginning of a sentence among which who speaks says `I`."""
_SOMEBODY = re.compile(
    r"(?:\W*(?:and|but|so|yeah|yes|well|also|then)\b)*\W*(?:he|she|they|his|her|their)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
"""How a sentence begins that is about somebody whom an earlier one names."""
_UNSURE = re.compile(rf"{HEDGES}|\bmust have\b", re.IGNORECASE)
_AGENTS = "said by an agent about itself"
_NOT_OWNERS = "not said by the owner, so no fact about them"
_LESS_SALIENT = "less salient than other facts about the same name in its log"
_MOST_NOTED = 5
"""Facts about one name that are kept of a log."""
_ABOUT_ME = frozenset({"preference", "identity", "todo", "goal", "event"})
_OPENS = r"[\s*_\"“‘'「『《【]*"
_SUBJECT = re.compile(rf"{_OPENS}(?:(?i:the|a|an|der|die|das|el|la|le|o)\s)?{_OPENS}\Z")
"""What may stand before the name that a sentence is about."""
_LABEL = re.compile(
    r"\W{0,4}(?:\*\*|__)(?P<words>[^*_\n]{1,200}?)\s?[:：]?(?:\*\*|__)"
    r"|(?P<cut>[^*_\n]{1,200}?)\s?[:：](?:\*\*|__)"  # whose mark went with that of who speaks
)
"""What a line is about that begins with a label: `**Atlas cache:** it was emptied` is not about Atlas."""
_OF_OWNER = re.compile(
    r"\W{0,8}(?:(?:about|über|sobre) )?(?:(?:the|my|der|die|el|la|le|l['’]) ?)?(?:user|owner|human|nutzer"
    r"|benutzer|besitzer|usuari[oa]|utilisateur|пользовател[ья]|владел[ье]ц|用户|用戶|主人|ユーザー|사용자)(?![\w-])",
    re.IGNORECASE,
)
"""How a line or a heading of MEMORY.md begins that is about whose memory it is, by no name."""
_VALUE = re.compile(r"\W{0,4}(?P<of>[^:：\n]{1,60}?)\s?(?:：|:\s)")
_LIST = re.compile(r"[^\s,+/&·]{1,40}(?: [^\s,+/&·]{1,20}){0,2} ?[,+/&·] ?[^\W\d_a-zß-ÿ]")
"""A name that others follow: `FastAPI + React + SQLite`."""
_COMMON = frozenset({"technology", "place", THING})
"""What a line can begin with and say something else of: `**Julia:** route by cost`, in the list of a plan."""
_OF_SECTION = 0.6
"""Confidence of what a section of an episode says."""
_LOOK_BACK = 2_000
"""Characters of a line before a sentence, or of a heading, in which it is looked for whom it is about."""
_SUREST = 0.95
"""Confidence of what rules find: they read words, they do not understand them."""
AGENT_PAGE = "Agent log"
"""The page of the todos and events that the agent notes and that are of no thing with a page."""
_DATED = frozenset({"todo", "event", "goal"})
_PLACES = ("place", "organization", "concept", THING)
"""What somebody can live in or move to."""
_PROFILED = frozenset({"person", "organization", "place"})
"""Whose pages list what is known of them; those of projects are mostly plans and work."""
_THINGS = frozenset({"project", "product"})
"""What somebody can say I of and still speak about: `I need to deploy Atlas`."""


@frozen
class Extraction:
    """The drafts of one source, and what to tell of how they were found."""

    memories: tuple[MemoryDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    notes: tuple[str, ...] = ()


def extract(
    source: PassageSource,
    *,
    names: EntityNames,
    model: LanguageModel | None = None,
    timeout: float = 30.0,
) -> Extraction:
    """What ``source`` teaches of the owner and of what ``names`` or the owner's own words bear out.

    With a model, its items take the place of what the rules find in the same lines; where it fails, the rules
    stand and a note says why. ``timeout`` is seconds for one answer. The last answers of a model are kept: a
    plan that is made anew asks it no more.
    """
    rules = _Rules(source, names)
    notes: list[str] = []
    memories: list[MemoryDraft] = []
    relations: list[RelationDraft] = []
    answers: tuple[ExtractionAnswer, ...] = (ExtractionAnswer(source.lines, failed="there is no model"),)
    if model is not None:
        # Two models are the same only where they are one object.
        answers = asked(source.lines, model, timeout)  # type: ignore[arg-type]
    for answer in answers:
        if answer.failed:
            memories += rules.memories(answer.lines)
            relations += rules.relations(answer.lines)
            continue
        drafts = [one for draft, line in answer.found if (one := rules.sourced(draft, line))]
        memories += [draft for draft in drafts if isinstance(draft, MemoryDraft)]
        relations += [draft for draft in drafts if isinstance(draft, RelationDraft)]
    if model is not None:
        dropped = sum(answer.dropped for answer in answers)
        notes += [f"read by rules instead of {model.name}: {one.failed}" for one in answers if one.failed]
        if dropped:
            notes.append(f"{dropped} items of {model.name} were left out: their lines do not contain them")
    notes += [f"{count}{LEFT_OUT}{why}" for why, count in rules.left_out.items() if count]
    if source.unread:
        notes.append(f"{source.unread} parts of very long lines were not read for it")
    return Extraction(tuple(memories), tuple(relations), tuple(notes))


class _Rules:
    """The extractive path over one source."""

    def __init__(self, source: PassageSource, names: EntityNames) -> None:
        self._lines = source.lines
        self._owner = NamedEntity(source.user or USER, "person")
        self._owner_names = {self._owner.name.casefold(), USER.casefold(), *source.owner}
        self.left_out: Counter[str] = Counter()
        self._about = source.subject
        self._names = names.along_with(_told(source))
        self._turns: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        """What the lines of one turn say together."""
        for line in source.lines:
            if line.origins:
                self._turns[line.origins].append(line.text)

    def memories(self, lines: Sequence[PassageLine]) -> Iterator[MemoryDraft]:
        """A typed memory for each fact of the lines that is about the owner or a name that counts.

        Of what an agent notes of one thing in a log, the most salient facts are kept, so that what it does
        with it each day does not fill its page. Lines that are added later are counted anew.
        """
        found = [*self._facts(lines)]
        noted: defaultdict[str, list[MemoryDraft]] = defaultdict(list)
        for draft, line in found:
            if draft.type == "fact" and self._is_noted(line):
                noted[draft.entity].append(draft)
        less: set[MemoryDraft] = set()
        for some in noted.values():
            some.sort(key=lambda draft: draft.confidence or 0.0, reverse=True)
            less.update(some[_MOST_NOTED:])
        self.left_out[_LESS_SALIENT] += len(less)
        return (draft for draft, _ in found if draft not in less)

    def _is_noted(self, line: PassageLine) -> bool:
        """Whether an agent noted the line in a log; pages about one thing and MEMORY.md count whole."""
        return not (self._about or line.is_note or line.of_owner or line.of_episode)

    def _facts(self, lines: Sequence[PassageLine]) -> Iterator[tuple[MemoryDraft, PassageLine]]:
        profile = self._about is not None and self._about.type in _PROFILED
        for line, stated in _stated(lines, profile=profile):
            for fact in stated:
                text, told = fact.text, fact.kind
                if _of_itself(text, line):
                    self.left_out[_AGENTS] += 1
                    continue
                if told != "todo" and _UNSURE.search(text):
                    self.left_out["uncertain by their own wording"] += 1
                    continue
                subject = self._subject(fact, line)
                # `Foghorn lives in the cloud`: only people have a life to tell of.
                kind = "fact" if told == "identity" and subject and subject.type != "person" else told
                if kind == "fact" and is_to_come(text, line.day):
                    kind = "event"
                if draft := self._memory(text, kind, subject, line):
                    yield replace(draft, confidence=round(min(_SUREST, max(0.1, fact.salience)), 2)), line

    def _memory(
        self, text: str, kind: str, subject: NamedEntity | None, line: PassageLine
    ) -> MemoryDraft | None:
        """A memory of ``subject`` on the page where it may stand; None, and counted, where it may on none."""
        days = _days(text, kind, line)
        page = self._page(subject, line, dated=days["happens_at"] is not None)
        if page is None:
            self.left_out[_NOT_OWNERS if subject else ABOUT_NOTHING] += 1
            return None
        try:
            return MemoryDraft(
                text=text, type=kind, entity=page.name, entity_type=page.type, **days, **_origin(line)
            )
        except UsageError:  # a quotation that no line of a page can hold
            self.left_out["too long or unsuitable for a line of a page"] += 1
            return None

    def relations(self, lines: Iterable[PassageLine]) -> Iterator[RelationDraft]:
        """A relation for each that a sentence of the lines states of two names that count."""
        for line in lines:
            for sentence in sentences(plain_words(line.text)):
                for said in relations_in(sentence.text):
                    if said.subject == ME and _of_itself(sentence.text, line):
                        continue
                    subject = self._speaker(line) if said.subject == ME else self._names.get(said.subject)
                    target = self._names.get(said.target)
                    if subject is None or target is None or target.name == subject.name:
                        continue
                    # Nobody lives in a technology (`we moved to Vim`).
                    if said.target_type == "place" and target.type not in _PLACES:
                        continue
                    if self._is_owner(subject.name) and not line.of_owner:
                        continue
                    with suppress(UsageError):  # no name that a page can have
                        yield RelationDraft(
                            entity=subject.name,
                            entity_type=subject.type,
                            kind=said.kind,
                            target=target.name,
                            target_type=target.type,
                            valid_from=line.day,
                            **_origin(line),
                        )

    def sourced(
        self, draft: MemoryDraft | RelationDraft, line: PassageLine
    ) -> MemoryDraft | RelationDraft | None:
        """A model's draft with what its line knows: source, session, trust, days, and who `I` is.

        None for what no page can hold, for names that are none, and for what an agent says of itself.
        """
        me = self._speaker(line)
        entity: NamedEntity | None = me
        if draft.entity and not is_me(draft.entity):
            told = NamedEntity(draft.entity, draft.entity_type or THING) if is_name(draft.entity) else None
            entity = self._names.get(draft.entity) or told
        if entity is me and _of_itself(line.text, line):
            self.left_out[_AGENTS] += 1
            return None
        if entity and isinstance(draft, MemoryDraft):
            return self._memory(draft.text, draft.type, entity, line)
        if entity is None or isinstance(draft, MemoryDraft) or not self._page(entity, line):
            self.left_out[_NOT_OWNERS] += 1
            return None
        with suppress(UsageError):
            if is_name(draft.target):
                draft = replace(draft, entity=entity.name, entity_type=entity.type)
                return replace(draft, valid_from=line.day, **_origin(line))
        return None

    def _subject(self, fact: Statement, line: PassageLine) -> NamedEntity | None:
        """Whom or what a fact is about: who speaks of themselves, else the name that it begins with.

        `She is allergic to nuts` is about the only person whom the line names before, or its turn names, else
        about nobody. What the owner says of a thing may name it anywhere, if it names no other. Of anything
        else it is what the page is about, or its heading.
        """
        about = self._about or self._of_heading(line)
        if _SOMEBODY.match(fact.text):
            at = max(0, without_links(line.text).find(fact.text))
            before = self._only_person(line.text[max(0, at - _LOOK_BACK) : at])
            said = self._only_person("\n".join(self._turns[line.origins])) if line.origins else None
            return before or said or (about if about and about.type == "person" else self._about)
        words = plain_words(fact.text)
        named = list(self._names.within(words))
        if not line.is_note and _says_i(words):
            thing = next((one for _, one in named if one.type in _THINGS), None)
            return thing if thing and fact.kind not in _ABOUT_ME else self._speaker(line)
        if line.is_note and _OF_OWNER.match(words):
            return self._owner
        label = _LABEL.match(fact.text)
        labelled = clean_name(label["words"] or label["cut"]) if label else ""
        value = _VALUE.match(words)
        of = self._names.get(clean_name(value["of"])) if value else None
        is_label = (labelled and self._names.get(labelled) is None) or (of and of.type in _COMMON)
        if is_label and not line.by_owner:
            return about
        first = named[0][1] if named and _SUBJECT.match(words[: named[0][0]]) else None
        if first and first.type in _COMMON and (about or _LIST.match(words, named[0][0])):
            first = about  # `Python package with a command line`, `FastAPI + React` say it of the project
        if not first and line.by_owner:
            first = self._meant(fact, line, [one for _, one in named])
        return first or about

    def _meant(self, fact: Statement, line: PassageLine, named: Sequence[NamedEntity]) -> NamedEntity | None:
        """Whom the owner's own words are about that begin with no name: themselves, or all that they name."""
        if fact.kind in _ABOUT_ME:
            return self._speaker(line)
        return named[0] if len({one.name for one in named}) == 1 else None

    def _of_heading(self, line: PassageLine) -> NamedEntity | None:
        """What the nearest heading below the title is about that begins with a name: `Atlas: cache`.

        Of people only the heading right above tells: what is below `Ana` and `Set-up` is mostly no fact about
        her. In a session a heading is part of one message, and says nothing of the next.
        """
        if line.session:
            return None
        for above, heading in enumerate(reversed(line.heading[1:] or line.heading)):
            plain = plain_words(heading[:_LOOK_BACK]).strip()
            if not above and line.is_note and _OF_OWNER.match(plain):
                return self._owner
            one = self._names.get(plain) or self._names.get(title_of(plain))
            if one and (one.type != "person" or not above):
                return one
        return None

    def _page(
        self, subject: NamedEntity | None, line: PassageLine, *, dated: bool = False
    ) -> NamedEntity | None:
        """The page that a memory of this line may stand on, None for none.

        The owner's page is the owner's. What the agent notes stays on pages of things; its todos and
        events with a day to come, of nothing that has a page, stand on one of its own.
        """
        if subject is not None and (line.of_owner or not self._is_owner(subject.name)):
            return subject
        told = dated and not line.of_owner and ALLOWED[line.origin].dated
        return NamedEntity(AGENT_PAGE, "document") if told else None

    def _is_owner(self, name: str) -> bool:
        return name.casefold() in self._owner_names

    def _only_person(self, text: str) -> NamedEntity | None:
        named = {one for _, one in self._names.within(plain_words(text)) if one.type == "person"}
        return named.pop() if len(named) == 1 else None

    def _speaker(self, line: PassageLine) -> NamedEntity:
        if line.speaker:
            return self._names.get(line.speaker) or NamedEntity(line.speaker, "person")
        return self._owner


def _told(source: PassageSource) -> dict[str, NamedEntity]:
    """The names in links, of who speaks, and those of which the owner, or they, say what they are."""
    found = {source.subject.name: source.subject} if source.subject else {}
    for line in source.lines:
        found |= {name: NamedEntity(name) for name in marked_in(line.text) if name not in found}
        if line.speaker and is_name(line.speaker):
            found.setdefault(line.speaker, NamedEntity(line.speaker, "person"))
        if not (line.of_owner or line.speaker):
            continue
        words = plain_words(line.text)
        for one in told_in(words):
            found.setdefault(one.name, one)
        for sentence in sentences(words):
            for said in relations_in(sentence.text):
                for name, kind in ((said.subject, said.subject_type), (said.target, said.target_type)):
                    if name != ME:
                        found.setdefault(name, NamedEntity(name, kind))
    return found


def _stated(
    lines: Sequence[PassageLine], *, profile: bool
) -> Iterator[tuple[PassageLine, Sequence[Statement]]]:
    """What each line states. A section's own lines always count, and the short ones of a ``profile``."""
    judged = statements_in([_as_judged(line) for line in lines])
    for line, found in zip(lines, judged, strict=True):
        stated = [one for one in found if _counts(one, line, profile=profile)]
        if line.section and not stated and not line.continues and why_not(line.text) is None:
            stated = [Statement(line.text, 0, line.section, _OF_SECTION)]
        yield line, stated


def _counts(one: Statement, line: PassageLine, *, profile: bool) -> bool:
    """Whether a sentence says enough; of itself a model must find so, but for what the owner says of `me`."""
    if line.continues and one.start == 0:
        return False
    if profile and _LABEL.match(one.text):
        return True
    if profile or (line.of_owner and (not line.session or _says_i(one.text))):
        return one.states_something
    return one.is_salient(by_user=line.of_owner)


def _says_i(text: str) -> bool:
    words = text.casefold().split()[:_FIRST_SAID]
    return any(word.strip(".,;:!?\"'()") in _FIRST for word in words)


def _as_judged(line: PassageLine) -> Line:
    """A note under its heading and in its file; what the owner says and what an episode holds, as it is."""
    text = without_links(line.text)
    if line.of_owner or line.of_episode:
        return Line(text, spoken=line.of_owner and bool(line.session))
    return Line(text, line.heading[-1] if line.heading else "", line.path)


def _of_itself(text: str, line: PassageLine) -> bool:
    """Whether these are words of an agent about itself, which are no memory of the person."""
    return not line.by_user and bool(OF_AN_AGENT.search(text))


def _days(text: str, kind: str, line: PassageLine) -> dict[str, Any]:
    """When it happens, or happened: the day that the words name, else that of the line."""
    day = day_in(text, line.day) if kind in _DATED else None
    ahead = day is not None and (line.day is None or day >= line.day)
    return {
        "happens_at": with_clock(day, text) if day and ahead else None,
        "occurred_at": line.day if ahead or day is None else day,
    }


def _origin(line: PassageLine) -> dict[str, Any]:
    return {
        "sources": tuple(dict.fromkeys((line.place, *line.origins))),
        "session": line.session,
        "trust": line.origin.value,
    }
