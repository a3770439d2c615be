"""Notes that are out of date in an hour: what somebody is doing now, and how things stand at this moment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.memory.verbs import is_ing, word_set

_NOW = re.compile(
    r"\b(?:right now|at the moment|at this moment|just now|for the moment|as we speak|brb|bbl|afk|ttyl"
    r"|gtg|hold on|one (?:sec|second|moment|minute)|"
    r"(?:give|gimme) me (?:a|one) (?:sec|second|moment|minute)|in (?:a|one|\d+|two|three|five|ten|fifteen"
    r"|twenty|thirty|a few|a couple of) (?:sec|second|min|minute|moment|bit)s?\b|in an? (?:hour|while)\b"
    r"|(?:there|back|home|ready|done) in \d+$|for an? (?:sec|second|minute|moment|bit)\b|^(?:i "
    r"|we )?will (?:look|check|try|do|see|continue|finish|get)\b|^it's (?:only |already |almost )?(?:\d"
    r"|late|early|midnight|noon)|\bran out of\b|^my \w+ (?:hurts?|aches?|itch(?:es)?|is (?:sore"
    r"|killing me))\b|\b(?:is|are) (?:finally |already |still |fast )?(?:asleep|awake)$|\b(?:hasn't"
    r"|haven't|didn't|isn't|aren't)\b.{0,30}\byet$|\bjust (?:fell asleep|woke up|left|arrived|ended"
    r"|started|finished|crashed|stopped)$|^give (?:it|us|them) (?:a|one) \w+$|^(?:seems|looks"
    r"|appears) (?:to|like|fine|good|ok)\b|on hold\b"
    r"|asleep (?:on|in)\b|hang on\b|"
    r"\w+ (?:minutes?|mins?|seconds?) (?:late|left|to go)"
    r"|(?:^|\b(?:be|is|am|are|'m|'s|'re|'ll) )back (?:at|in|by) |almost (?:done|there"
    r"|finished)|so far so good|"
    r"(?:on my|on the|on our) way (?:home|there|back|now|to the)|(?:this|the) (?:one|part) (?:is )?done"
    r"|as requested|nothing (?:new |else |left )?to (?:do|report|see)|looks (?:fine|good|ok|okay|clean) now"
    r"|be right (?:back|there|with)|off to (?:bed|sleep|work|lunch|the))\b",
)
_NOW_WORD = re.compile(r"(?<!from )(?<!by )(?<!until )(?<!till )\bnow\b(?! on\b| that\b| and then\b)")
_TODAY = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening)|(?:an|two|a few|three) (?:hour"
    r"|minute)s? ago)\b|\bagain$|^still\b",
)
_LASTING = re.compile(
    r"\b(?:because|since|every|each|always|never|until|till|from now on|so that|due to|caused|root cause"
    r"|permanent\w*|"
    r"(?:next|last) (?:week|month|year|spring|summer|autumn|fall|winter|january|february|march|april|may"
    r"|june|july|august|"
    r"september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|semester|term|quarter)|"
    r"\d{4}|years?|months?|weeks?|anymore|any more|no longer|instead of|rather than|decided|agreed|for good|"
    r"(?:in|on|by|since|of) (?:january|february|march|april|june|july|august|september|october|november"
    r"|december)|on \d|by \d|\d(?:st|nd|rd|th))\b",
)
_WORK = word_set(
    """check look try run rerun restart test retest retry open read search scan grep fetch pull push
    merge rebase commit build rebuild compile install reinstall update add remove fix refactor rename
    edit write rewrite implement debug investigate inspect analyze analyse review verify continue start
    proceed move wait load reload upload download deploy redeploy format lint clean import dig figure
    double-check create delete replace patch bump squash cherry-pick regenerate generate apply revert
    undo save adjust tweak correct extract begin stop kill print log examine confirm identify locate
    find list finish reproduce bisect trace profile tidy head grab tackle handle ping redo cleaned reran
    wired wire hook stub mock address resolve finalize finalise complete push force-pushed skim parse
    pin"""
)
_FORMS = frozenset(
    form
    for verb in _WORK
    for form in (
        verb,
        verb + "ed",
        verb + "d",
        verb + verb[-1] + "ed",
        verb + "ing",
        verb[:-1] + "ing",
        verb[:-1] + "ied",
        verb + verb[-1] + "ing",
    )
) | word_set("ran reran wrote rewrote found built rebuilt reset undid redid")
_PIECE = word_set(
    """file files test tests import imports function functions method class line lines config configuration
    script fix fixes error errors branch branches log logs linter container containers dependency
    dependencies code change changes module variable variables usages usage patch commit commits
    output typo typos helper part step next endpoint suite request requests console logs debugger
    stack main master pr mr diff conflict conflicts formatter docs documentation readme comment
    comments command commands loop parameter argument query queries page repo repository terminal
    window tab cache traceback pipeline ci build job issue bug bugs exception assertion fixture
    fixtures signature return type types route handler again lint tracker ticket imports download
    upload"""
)
_IT = frozenset(("it", "this", "that", "them", "everything"))
_AFTER_A_SUBJECT = word_set("is was are has helps help makes make keeps keep gives give takes costs")
_ABOUT_NOW = word_set("i i'm we we're it it's the my our there there's so and but this")
_IDENTIFIER = re.compile(r"\w[/_]\w|\w\.[a-z]|`")
_THING = (
    r"(?:the|my|our|this|that|all|all the|both|its|ci|\w+'s)? ?(?:\w+ ){0,2}?(?:ci|cd|build|builds"
    r"|pipeline|tests?|checks?|suite|deploy(?:ment)?|server|site|website|prod(?:uction)?|staging"
    r"|vpn|wi-?fi|internet|network|connection|printer|meeting|call|download|upload|install(?:ation)?"
    r"|migration|job|page|app|linter|type ?checker"
    r"|query|machine|laptop|battery|phone|train|bus|traffic|weather|line|queue|container|cluster|database"
    r"|db|api|service|branch|pr|coffee|lunch|dinner|food|error|bug|script|export|import|sync|screen|pod"
    r"|node|run|progress|everything|things|it|this|that|nothing)"
)
_STATE = (
    r"(?:red|green|yellow|down|up|back|back up|broken|fixed|failing|passing|stuck|done|finished|complete"
    r"|completed|running|slow|loading|queued|pending|ready|late|"
    r"out of|over|online|offline|working|gone|good|clean|fine|ok|okay|at \d+|\d+ ?%|hanging|blocked"
    r"|merged|deployed|in progress|live|unreachable|flaky|dead|"
    r"building|starting|compiling|cold|hot|dropping|crashing|pass|fail|passed|failed|works?|worked"
    r"|succeeded|hangs?|crashed|bad|here|delayed|empty|full|free|boring|raining|snowing|sunny)"
)
_STATUS = re.compile(
    r"^(?:ok(?:ay)?,? |good,? |hmm,? |great,? |still,? |and |but |yay,? |ugh,? |(?:looks"
    rf"|seems) like )*{_THING}"
    r"(?: (?:is|are|was|were|seems?|looks?|has|have|still|now|just|already|almost|all|keeps?|finally|'s"
    rf"|to be|been|again|currently|not|isn't|aren't|got|went|didn't|did))+ {_STATE}\b[^,;]{{0,25}}$"
    rf"|^(?:still |now |all |almost |nearly |not yet |already )+{_STATE}\b"
    rf"|^{_STATE} (?:again|now|already|at last|finally)\b"
    rf"|^{_THING} {_STATE}(?: now| again| already| on my \w+| as well| locally)*$",
)
_SELF = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|right|now|next|then|so|good|great|hmm|first|and|well|hm|cool|perfect|also"
    r"|done|finally|sorry|great news|interesting),? )*"
    r"(?:(?:i|we)(?:'m|'re|'ll|'ve| am| are| will| have| can| need to| should| had to|'d)?(?: (?:just|now"
    r"|also|already|still|then|first|quickly|currently|going|gonna|about|to|be|been|have|need|want|try"
    r"|start|go|and|finally|successfully|able))*"
    r"|(?:let me|let's|lemme|let us|time to|about to|going to|gonna|need to|trying to)(?: (?:just|now"
    r"|also|first|quickly|go|and|try|start|to))*"
    r"|(?:just|now|next|first|also|then|still|back to"
    r"|currently))? ?(?P<verb>[a-z]+(?:-[a-z]+)?)\b(?P<rest>.*)$"
)
_LET = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|right|now|next|then|so|good|great|hmm|first|and|well),? )*"
    r"(?:let me|lemme|let's see|let us see|here's (?:what|the|a)|here is (?:the|what|a)|i'll (?:be back"
    r"|be there|take a look|have a look|let you know|get back|do that|get to it|handle|look|check|see"
    r"|try)"
    r"|(?:that|this|it) (?:did|didn't|does|doesn't|also|still|now|just|finally)? ?(?:help|helped|work"
    r"|works|worked|fail|fails|failed|fixed|broke|crashed|pass|passes|passed)\b(?!.{0,40}(?:because|when"
    r"|on|only|with|for))"
    r"|so now (?:the|it|all|this|that|everything)\b|now (?:the|it|all|this|that|everything|we"
    r"|both)\b.{0,50}$|(?:that|this) test|same (?:error|result|problem|issue)|no (?:luck|output|errors?"
    r"|change|changes|difference)\b|nope|not (?:yet|sure|working)|(?:heading|going|off|stepping"
    r"|popping) (?:out|to|off|back|home|for))\b"
)
_WHERE = re.compile(
    r"^(?:i'm|i am|we're|we are|he's|she's|they're)(?: still| just| already| currently)? (?:(?:stuck"
    r"|sitting|standing|waiting|caught) )?(?:in|at|on|near|by|outside)"
    r"(?: (?:a|an|the|my|another|our))? (?:\w+ )?(?:meetings?|calls?|queue|line|airport|train|bus|plane"
    r"|car|cab|taxi|store|shop|supermarket|phone|way|bed|bath|shower|kitchen|lobby|traffic"
    r"|station|gate|platform|doctor's|dentist's|dentist|bakery|checkout|toilet|loo|break|lunch)\b.{0,30}$"
    r"|^(?:i|we) (?:really |just |could )?(?:need|want|could use) (?:a |an |some |another "
    r"|more )?(?:coffee|break|nap|drink|minute|moment|hand|snack|sec|sleep|shower|tea|beer|water|food"
    r"|rest)\b.{0,20}$"
    r"|^(?:we're|i'm) (?:boarding|landing|leaving|parking|driving|eating|cooking|off|out|home|back|done"
    r"|ready|late|in)\b.{0,20}$"
)
_AFTERWARDS = re.compile(
    r"^(?:i |we |he |she |i've |we've )?just (?:woke|sent|landed|arrived|left|ate|got (?:home|back|here"
    r"|in|off|out|up|to)|came|walked|finished (?:eating|lunch|dinner|work|cooking|cleaning)|emailed"
    r"|texted|called|messaged|pinged|shared|had|saw your|read your|noticed|realized|replied|checked|woken"
    r"|parked|ordered|made (?:some|a) (?:coffee|tea))\b"
    r"|^(?:gonna|going to|off to|about to|time for) (?:\w+ ?){1,7}$|^(?:i )?ate (?:too|so) much"
)
_TAIL = re.compile(r"[,;–-] (?:so )?(?:now )?(?:i'm |i am |we're )?(?P<verb>\w+ing)\b[^,;]{0,30}$")
_HAPPENED = re.compile(
    r"\b(?:got (?!up|home|back|here|stuck|lost)|adopted|bought|signed|accepted|passed|won|born|gave birth"
    r"|started|quit|decided|moved|met|joined|found out|learned|learnt|went|took|visited|"
    r"married|engaged|celebrat\w+|died|hired|fired|promoted|graduated|launched|opened|sold|published"
    r"|diagnosed|announced|agreed|chose|approved|turned \d+|finished (?:my|the|our|her|his)|became|booked"
    r"|registered|submitted|proposed|released|shipped|"
    r"had (?:a|an|our|her|his|my|the) (?!cheese|sandwich|nap|coffee|snack|headache|bad|long|busy|slow"
    r"|quick)\w+|made|painted|planted|baked|cooked|hiked|ran|swam|performed|attended|hosted|volunteered"
    r"|saw|spent|told me|said)\b"
)
_INTENDS = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|right|then|so|great|sure|yes|yeah|first|next|and|well),? )*(?:i'll|i will"
    r"|i'm (?:just )?about to|i am about to|i'm going to (?:go|check|run|look|try|grab))\b"
)
_BOUND = re.compile(
    r"\d|tomorrow|\b(?:be (?:\w+ing|at|in)|start(?:ing)? (?:my|a)|moving|marry|retire|study|quit)\b"
)
_MOOD = re.compile(
    r"\b(?:tired|sleepy|hungry|thirsty|bored|exhausted|freezing|awake|grumpy|hangry|swamped|lunch"
    r"|breakfast|sandwich|coffee|nap|snack|weather|rain(?:ing|s|y)?|snowing|"
    r"sunny|traffic|queue|in line|battery|headache|bus|shower|bed|laundry|dishes|groceries|umbrella"
    r"|takeaway|leftovers)\b"
)
_PRESENT = re.compile(
    r"\b(?:am|is|are|'m|'s|'re|feels?|feeling|seems?|looks?|keeps?|can't|cannot|won't|doesn't|don't|isn't"
    r"|aren't)\b"
)
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d"
_TIMELINE = re.compile(rf"^{_CLOCK}(?::\d\d)?[ ,:–-]|\b{_CLOCK}:\d\d\b")
"""A line of a timeline, or a time to the second: what happened, as it happened."""
_READING = re.compile(rf"\d (?:mm|cm|m|km|g|kg|%|°c|°f|v|ms|s|mb|gb)\b.{{0,40}}\bat {_CLOCK}\b")
"""A figure with its unit and the time of the day when it was or will be read."""
_SOON = re.compile(r"^(?:see|talk|call|text|ping|write|back|later|soon|tomorrow|tonight)\b.{0,30}$")
_ASIDE = re.compile(r"^(?:someone|somebody|the (?:doorbell|phone)) (?:is|'s|just|rang|keeps)\b.{0,40}$")


def is_passing(plain: str, words: Sequence[str]) -> bool:
    """Whether one sentence, in English and without marks, speaks of this moment only.

    What also gives a reason, a day further away or a rule is about more than this moment.
    """
    low = plain.lower().replace("’", "'").rstrip(" .!…")
    if _LASTING.search(low) is not None:
        return _LET.match(low) is not None and len(words) <= 6
    return (
        any(
            found is not None
            for found in (
                _NOW.search(low),
                _LET.match(low),
                _ASIDE.match(low),
                _SOON.match(low),
                _TIMELINE.search(low),
                _READING.search(low),
            )
        )
        or _tells_state(low, words)
        or _tells_step(low, words)
        or _is_of_today(low, words)
    )


def _tells_state(low: str, words: Sequence[str]) -> bool:
    """ "CI is red", "the page is slow now", "I'm in the queue"."""
    status = len(words) <= 14 and _STATUS.match(low) is not None
    now = _NOW_WORD.search(low) is not None and _is_now(words)
    return status or now or _WHERE.match(low) is not None


def _tells_step(low: str, words: Sequence[str]) -> bool:
    """ "Rebased on main", "I'll open the file", "it failed, retrying", "just woke up"."""
    tail = _TAIL.search(low)
    aside = tail is not None and tail["verb"] in _FORMS and len(words) <= 10
    return aside or _works(low, words) or _only_intends(low, words) or _AFTERWARDS.match(low) is not None


def _is_of_today(low: str, words: Sequence[str]) -> bool:
    """Weather, moods and meals, and what is so today; not what happened today and changes something."""
    trivial = _MOOD.search(low) is not None
    if _TODAY.search(low):
        return trivial or _HAPPENED.search(low) is None
    return trivial and len(words) <= 7 and words[0] in _ABOUT_NOW and _PRESENT.search(low) is not None


def _is_now(words: Sequence[str]) -> bool:
    """Whether "now" means this moment: at the start or the end of a short sentence, or with an -ing form."""
    if len(words) > 12:
        return False
    return (
        words[-1] == "now"
        or (words[0] == "now" and is_ing(words[1] if len(words) > 1 else ""))
        or (any(map(is_ing, words)) and len(words) <= 6)
    )


def _works(low: str, words: Sequence[str]) -> bool:
    """Whether somebody says which step of the work is being done: a verb of work and what it is done to."""
    found = _SELF.match(low)
    if not found or found["verb"] not in _FORMS:
        return False
    verb, rest = found["verb"], found["rest"].split()
    going = verb.endswith("ing")
    if going and rest and rest[0] in _AFTER_A_SUBJECT:
        return False  # "Running is how I clear my head"
    opening = low[: found.start("verb")].strip()
    if not (opening or going or verb.endswith("ed")):
        return False
    soon = going or "will" in opening or "'ll" in opening or opening.startswith(("let", "next", "now"))
    if soon and len(words) <= 9 and any(word in _IT for word in rest[:3]):
        return True
    piece = any(word.strip(",.;:`'\"()") in _PIECE or _IDENTIFIER.search(word) for word in rest[:8])
    return piece or not rest or (going and len(words) <= 7 and not opening)


def _only_intends(low: str, words: Sequence[str]) -> bool:
    """Whether somebody only says what comes next: "I'll …" without a day, a name or a number."""
    said = _INTENDS.match(low)
    return said is not None and len(words) <= 14 and not _BOUND.search(low)
