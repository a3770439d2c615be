"""What sort of fact a sentence states: cue words in the order in which they decide.

The families are those of consolidation: decisions, preferences, personal facts, relationships, events and
plans, action items, technical facts. A rule names the type of memory that comes of it and how sure it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from workbench.memory.prose import words_of
from workbench.memory.verbs import is_past
from workbench.salience.event_time import is_event
from workbench.salience.subjects import KIN, is_open, is_person_before, is_somebodys_like, somebody_must


class Family(StrEnum):
    """What sort of fact a sentence states."""

    DECISION = "decision"
    PREFERENCE = "preference"
    PERSONAL = "personal"
    RELATIONSHIP = "relationship"
    EVENT = "event"
    ACTION = "action"
    TECHNICAL = "technical"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Rule:
    """``type`` is that of a typed memory; ``strength`` in [0, 1] how sure it is that this is durable.

    ``fits`` looks at the sentence around a cue word that ``pattern`` found, and says whether it counts there.
    """

    family: Family
    type: str
    strength: float
    pattern: re.Pattern[str]
    fits: Callable[[str, re.Match[str]], bool] | None = None


Fits = Callable[[str, re.Match[str]], bool]


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember)"
)
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?)"
_SEASON = r"(?:spring|summer|autumn|fall|winter|easter|christmas|thanksgiving|new year)"
_WHEN = (
    rf"(?:\b\d{{4}}-\d\d(?:-\d\d)?\b|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}\.? (?:of )?{_MONTH}\b"
    rf"|\b{_MONTH} \d{{1,4}}\b|\b(?:in|by|since|until|till|from|on|of|last|next|this|mid|early|late"
    rf"|end of) {_MONTH}\b"
    r"|\b(?:last|next|this|every other|the following|one|that|previous|coming) (?:\w+ )?(?:week|month"
    rf"|year|night|{_DAY}|{_SEASON}|quarter|semester|time)\b|\b(?:yesterday|tomorrow|tonight|today"
    r"|recently|the other day|lately)\b"
    r"|\b(?:\d+|a|an|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several|many"
    r"|some) (?:days?|weeks?|months?|years?|yrs) (?:ago|from now|later|before|back)\b|\bin (?:19"
    rf"|20)\d\d\b|\bwhen i was\b|\b(?:in|during|since|by) (?:the )?{_SEASON}\b"
    rf"|\b(?:on|by|until|this) (?:{_DAY})\b|\bin (?:a|two|three|four|five|six|\d+) (?:days?|weeks?"
    r"|months?|years?)\b|\bas a (?:kid|child|teen\w*|student|boy|girl)\b|\bat (?:the )?age\b"
    r"|\bover the (?:weekend|summer|holidays)\b)"
)
_ROUTINE = (
    r"\b(?:every|each) (?:\w+ )?(?:day|week|month|year|quarter|morning|evening|night|hour|sprint|release"
    rf"|{_DAY}|{_SEASON}|time)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
    r"|(?<!\bthe )(?<!\bour )(?<!\ba )(?<!\bits )\b(?:daily|weekly|monthly|nightly|yearly|annually"
    r"|quarterly|biweekly)\b"
    r"(?! (?:fee|price|cost|budget|rate|limit|rent|salary|total|average|invoice|revenue)s?\b)"
    r"|\b(?:once|twice|\d+ times"
    r"|three times) (?:a|per|every) (?:day|week|month|year)\b|\bas a rule\b"
    rf"|\bfrom {_DAY} to {_DAY}\b|\bon {_DAY}(?: mornings| evenings)? and {_DAY}\b"
    rf"|\b{_DAY} (?:mornings|evenings)\b"
)
_ME = r"\b(?:i|we)\b"
_I = (
    r"(?:i|we)(?:'m|'re|'ve|'d|'ll| am| are| have| had| was| were| will)?(?: (?:really|also|just|both"
    r"|only|always|still|absolutely|totally|actually|finally|already|recently|kinda|usually|currently"
    r"|even|once|never|not|been))*"
)


_DATED = re.compile(rf"{_WHEN}|\b(?:today|tonight|this (?:morning|afternoon|evening))\b")
_ORDER = re.compile(
    r"(?:use|keep|write|call|ask|tell|send|put|give|answer(?! given)|show|speak|explain|round|address)\b"
)
_NO_SUBJECT = re.compile(r"no [\w -]{2,40}? (?:is|are|was|were|has|have|had|can|could|did|does|will)\b")


_ASSIGNED = (
    rf"\b(?:will|'ll|must|has to|have to|is to|to be|wants|promised)\b.{{2,80}}\b(?:by|before) (?:the )?"
    rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?\b|{_DAY}|(?:end|start) of|{_MONTH}|next week|tomorrow)"
)
"""What somebody is to do by a day: `Ana will send it by Friday`."""


def _is_preference(text: str, found: re.Match[str]) -> bool:
    """Whether a preference cue is somebody's wish: an order for always, or what a person likes or never does.

    `Send the runbook today` is to be done once, and `No warning is good news` says how things are.
    """
    low = found.string
    if found.start() == 0 and _ORDER.match(low):
        return _DATED.search(low) is None
    if found.start() == 0 and low.startswith("no "):
        return _NO_SUBJECT.match(low) is None and not any(map(is_past, words_of(low)))
    return is_somebodys_like(text, found)


def _rule(family: Family, kind: str, strength: float, pattern: str, fits: Fits | None = None) -> Rule:
    return Rule(family, kind, strength, re.compile(pattern), fits)


RULES = (
    _rule(
        Family.DECISION,
        "decision",
        0.9,
        r"^decision\b|\b(?:decided|decide to|agreed (?:on|to|with|that|not)|(?:team|we|they|everyone"
        r"|all) agreed|settled on|opted (?:for|to)|let's (?:go with|use|stick|keep)|we(?:'ll"
        r"| will) (?:use|go with|keep|stick|drop|switch|move|stop)"
        r"|(?:we|they|team|i|and) (?:chose|picked|went with|selected|adopted)\b|chose \w+ (?:over|as|for"
        r"|because)|going with|stick(?:ing)? with|was (?:approved|rejected|chosen|selected|ruled out)"
        r"|signed off|ruled out|resolved to|made up (?:my|our) mind"
        r"|from now on|as of now|switched (?:from|to|over)|migrated (?:from|to|the|our)"
        r"|standardi[sz]ed on|voted (?:to|for)|will not be|won't be supported)\b"
        r"|\bbeschlossen\b|\bentschieden\b|\bvereinbart\b|\bdecidimos\b|\bhemos decidido\b|\bacord\w+\b"
        r"|\bavons (?:décidé|convenu|choisi)\b|决定|決定|決め|決まり|同意",
        is_open,
    ),
    _rule(
        Family.ACTION,
        "todo",
        0.85,
        r"^\[ \]|\b(?:to-?do\b|remind (?:me|us|him|her)|don't forget|do not forget|action items?"
        r"|follow[- ]up (?:with|on)|deadline\b|is due\b|are due\b|due (?:on|by|date)|i owe|owes? (?:me"
        r"|us)|must not forget"
        r"|(?:i|we|you|he|she|they|[a-z]+) (?:still )?(?:need|needs|have|has|'ve got|got|ought) to (?!say"
        r"|admit|be honest|agree)\w+|(?:needs|requires) (?:a|an|new|to be|\w+ing)\b|gotta\b)"
        r"|\bmuss noch\b|\bnicht vergessen\b|\berinner[en]?\b|\bhay que\b|\btengo que\b|\bil faut\b"
        r"|\bje dois\b|忘れ|しなければ|なきゃ|记得|必须|提醒",
        somebody_must,
    ),
    _rule(Family.ACTION, "todo", 0.85, _ASSIGNED),
    _rule(
        Family.PREFERENCE,
        "preference",
        0.85,
        r"\b(?:prefers?|preferred|favou?rites?|fave?s?|go-to|(?:would|'d) rather|rather (?:get|have|not"
        r"|use|be|do|see|go|eat)|can't stand|cannot stand|obsessed with|passionate about|big fan"
        r"|huge fan|fan of"
        r"|allergic to the idea|please (?:remember|always|never|don't|do not|use|call|no)|doesn't like"
        r"|don't like|does not like|dislikes?(?! (?:one|two|three|four|five|some|\d))"
        r"|hate[sd]?|love[sd]?|enjoy(?:s|ed)?|adore[sd]?|detest(?:s|ed)?|loathes?|crazy about"
        r"|into (?:\w+ing|dancing|music)|fond of|likes? (?!this|that|it)|likes?$|insists? on|(?:user|he"
        rf"|she|they|{_I}) wants?(?! to\b)|wants (?!to\b|(?:an? )?update)|keen on|would like)\b"
        rf"|{_ME}.{{0,12}}\blike\b"
        r"|^(?:always|never|don't|do not|avoid|use|no|only (?:use|write|call|send|ask|give|show|accept)"
        r"|keep|write|call|prefer|ask|tell|send|put"
        r"|give|answer(?! given)|show|speak|explain|round|address) |\b(?:always|never)\b"
        r"|\bam liebsten\b|\blieber\b|\bbevorzug\w+\b|\bmag (?:ich|keine?n?|kein|gern)\b|\bich mag\b"
        r"|\bimmer\b|\bniemals?\b|\bprefier[oe]\b|\bme gusta\w*\b|\bme encanta\w*\b|\bsiempre\b|\bnunca\b"
        r"|\bpréfère\b|\bj'(?:aime|adore)\b|\btoujours\b|\bjamais\b|好き|嫌い|喜欢|讨厌|总是|从不|偏好",
        _is_preference,
    ),
    _rule(
        Family.RELATIONSHIP,
        "fact",
        0.85,
        r"\b(?:my|his|her|our|their|your|\w+'s)(?: (?:own|new|old|older|younger|little|big|best|late"
        rf"|former|eldest|youngest|twin|ex|current|two|three|\w+)){{0,2}} {KIN}\b|\b(?:wife|husband"
        r"|married|engaged|divorced|dating|broke up|proposed to|reports? to|used to date|widow\w*"
        r"|pregnant|expecting|twins)\b|\b(?:i|we|she|he|they) (?:have|has|had|got) (?:a|an|two|three"
        rf"|four|\d|no) (?:\w+ )?{KIN}\b"
        r"|\bis (?:the|my|our|her|his|a|an) (?:new |old |head |lead |project |product |\w+ )?(?:manager"
        r"|boss|director|maintainer|owner|lead|ceo|cto|contact|paediatrician|doctor|accountant|lawyer"
        r"|landlord)\b|\b(?:named|called) (?:after|our|my)\b|\bname(?:'s| is)\b|\b(?:named|call(?:ed"
        r"|s)?) (?:him|her|it|them)\b"
        r"|\bmein[e]? (?:frau|mann|schwester|bruder|mutter|vater|sohn|tochter|chef\w*|kolleg\w+|freund\w*"
        r"|oma|opa)\b|\bmi (?:hermano|hermana|esposa|esposo|marido|mujer|madre|padre|hijo|hija|novi[oa]"
        r"|jef[ea]|amig[oa])\b|\b(?:mon|ma|mes|notre|nos) (?:mari|femme|sœur|soeur|frère|mère|père|fils"
        r"|fille|enfants?|chats?|chien|ami[es]?|chef|collègue)\b|妹|姉|兄|弟|父|母|妻|夫|娘|息子|哥哥|姐姐|弟弟|妈妈|爸爸|丈夫"
        r"|妻子|女儿|儿子|朋友|同事",
    ),
    _rule(
        Family.PERSONAL,
        "identity",
        0.85,
        rf"\b{_I} (?:work|works|working|worked|live|lived|living|grew up|was born|come from|came from"
        r"|study|studied|studying|moved|speak|am from|from|used to|retired|graduated|teach|taught"
        r"|volunteer\w*|play|played|collect|suffer|wear|own|quit|started (?:learning|my|a|going|doing"
        r"|to)|been (?:\w+ )?(?:vegan|vegetarian|\w+ing|into|married|sober|a|an)|get (?:migraines"
        r"|seasick|carsick)|can't (?:eat|drink|swim|drive|sing)|don't (?:eat|drink|smoke|drive|drink))\b"
        r"|\b(?:i'm|i am) (?:an?|the|from|allergic|\d+|vegan|vegetarian|left-handed|colou?r|deaf|blind"
        r"|diabetic|married|single|jewish|muslim|christian|catholic|gay|trans|bi|pregnant|originally"
        r"|afraid|scared|terrified|bad at|good at|terrible at|studying|working (?:as|at|for)|living"
        r"|named|called"
        r"|passionate|into)\b"
        r"|\bmy (?:\w+ )?(?:birthday|name|job|hobby|hobbies|passion|hometown|blood|degree|major|career)\b"
        r"|\b(?:allerg(?:ic|y|ies)|intolerant|vegetarian|vegan|diabetic|colou?r-?blind|deaf|lactose|asthma\w*"
        r"|dyslexi\w+|diagnosed|autistic|left-handed|pronouns|speaks \w+|born in|grew up|lives? (?:in"
        r"|with|near|at|on|alone)|works? (?:at|as|for|in)|middle name|(?:years"
        r"|months) old|collects|birthday|retired)\b"
        r"|\bich (?:wohne|arbeite|bin|heiße|komme|habe|lebe|studiere)\b|\b(?:arbeitet|wohnt|lebt|heißt)\b"
        r"|\b(?:vivo|trabajo|soy|tengo|me llamo|nací|vive|trabaja)\b|\bj'(?:habite|ai|étudie)\b"
        r"|\bje (?:suis|travaille|m'appelle|vis)\b|住んで|働"
        r"|と申します|誕生日|アレルギー|过敏|住在|工作|生日|我是|我叫|出身",
        is_person_before,
    ),
    _rule(
        Family.PERSONAL,
        "fact",
        0.85,
        r"\bmy (?:\w+ )?(?:passport|phone|address|email|home|house|flat|apartment|car|bike|knee|back"
        r"|health|school"
        r"|shop|store|business|studio|company|salary|surgery|anniversary|accident|team|band|garden"
        r"|tattoo|first|last)\b"
        rf"|\b{_I} (?:tired of|proud of)\b|\bworks? (?:from|on|nights|part)\b",
        is_person_before,
    ),
    _rule(
        Family.EVENT,
        "goal",
        0.75,
        r"^goal\b|\b(?:the|our|a) (?:goal|aim) is\b|\b(?:i'm|i am|we're|we are) (?:training|learning"
        r"|moving|starting"
        r"|building|writing|planning|saving|working)\b"
        rf"|\b{_I} (?:wanna|want to|wanted to|hope to|hoping to|dream(?:ed|ing|t)? of|aim to|plan to"
        r"|planning (?:to|on|a)|intend to|would love to|'d love to|love to|looking to|thinking (?:of"
        r"|about)|considering|gonna|going to|trying to|working (?:on|towards|toward)|saving (?:up )?for"
        r"|applied|applying|aiming)\b|\b(?:my|our|her|his|their) (?:\w+ )?(?:goal|dream|plan|ambition"
        r"|aim|resolution|focus)s?\b|\b(?:wants to(?! know\b)|hopes to|plans to|is planning|is applying"
        r"|dreams of|intends to)\b",
    ),
    _rule(Family.EVENT, "routine", 0.7, _ROUTINE),
    _rule(Family.EVENT, "event", 0.7, _WHEN, is_event),
    _rule(
        Family.EVENT,
        "event",
        0.65,
        rf"\b{_I} (?:got|bought|adopted|moved|went|met|joined|won|lost|started|finished|launched|opened"
        r"|sold|visited|ran|made|took|signed|passed|attended|hosted|organi[sz]ed|hiked|built|wrote"
        r"|painted|cooked|baked|planted|quit|left|found|saw|celebrated|received|began|created|applied"
        r"|volunteered|donated|booked|learned|learnt|gave|tried|spent|had (?:a|an|the|our|my)|drew"
        r"|sang|grew|raised|retired"
        r"|returned|bonded|discussed|watched|listened|rode|drove|flew|caught|lost|wore|brought|reached"
        r"|entered|earned|landed|interviewed|auditioned|practiced|practised|rehearsed|recorded|filmed"
        r"|rescued|fostered|named|chose|decorated|renovated|rented|discovered|performed|competed"
        r"|published|camped|swam|climbed|helped|designed|broke|hurt|fell)\b"
        r"|^(?:got|bought|adopted|moved|went|met|joined|won|lost|started|launched|opened|sold|visited"
        r"|signed|quit|dropped out|graduated|broke|became|passed|took up)\b"
        r"|\b(?:left the company|passed away|died|resigned|was born|burned down|broke (?:his|her"
        r"|my|their)|won the|got (?:married|engaged|promoted|fired|a job|the job|accepted"
        r"|divorced))\b",
    ),
    _rule(Family.EVENT, "fact", 0.6, _WHEN),  # since when, until when or how often: a time, and no event
    _rule(
        Family.TECHNICAL,
        "fact",
        0.7,
        r"\bport \d+|\bv?\d+\.\d+(?:\.\d+)*\b|https?://|\bs3://|`[^`]+`|\b[a-z]\w*_\w+\b|\b\w+\.(?:py|js"
        r"|ts|toml|ya?ml|json|md|sh|lock|conf|cfg|ini|go|rs|sql|csv|txt|env)\b|(?:^"
        r"|\s)[~.]?/[\w.-]+/[\w./-]+|\b[a-z]+ \d+(?:\.\d+)?\b(?= (?:is the|breaks|support))"
        r"|\b(?:database|postgres\w*|mysql|redis|mongo\w*|kafka|server|cluster|staging|production|prod"
        r"|api|endpoint|deploy\w*|docker|kubernetes|k8s|cron|cache[sd]?|index|schema|query|queries"
        r"|replica|backup|backups|repo(?:sitory)?|branch|merge|release|runner|build|ci|linux|windows"
        r"|macos|python|node|rust|golang|java|typescript|react|django|rails|elixir|token|tokens|oauth|ssh"
        r"|tls|ssl|certificate|vpn|dns|http\w*|json|csv|parquet|utc|timestamp|timestamps|log(?:s|ging)?"
        r"|feature flags?|config\w*|timeout|retry|retries|rate limit|memory leak|latency|bug|library"
        r"|package|dependency|framework|frontend|backend|parser|migration|webhook|queue|worker|sandbox"
        r"|firmware|sensor|sensors|export|nas|root cause|wifi|password manager)\b",
    ),
)


def classify(plain: str) -> Rule | None:
    """The first rule that fits a sentence without marks; None where no cue word says anything."""
    text = plain.replace("’", "'")
    low = text.lower()
    if len(low) != len(text):  # a letter that is two in lower case: places would not be the same
        text = low
    for rule in RULES:
        fits = rule.fits
        if any(fits is None or fits(text, found) for found in rule.pattern.finditer(low)):
            return rule
    return None
