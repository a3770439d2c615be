"""Text that tries to steer an AI: told by whom it speaks to and of whom it speaks, not by a list of attacks.

Memory is read by an agent. What a person says to it speaks of "me" and "I"; what was put in to steer it
speaks of "the user", of the agent's rules, or to "the assistant". A false alarm costs one line of memory,
which stays in its log; so these rules rather say too much.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

_AI = (
    r"(?:ai|a\.i\.|llms?|(?:large )?language models?|assistants?|chat ?bots?|(?:ai|autonomous"
    r"|coding) agents?|agents?|models?|bots?"
    r"|chatgpt|gpt-?\d?\w*|claude|gemini|copilot)"
)
_PERSON = r"(?:the|this|your|any|every) (?:users?|human|operator|owner|customer|reader)"
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|orders?|messages?|context|polic(?:y|ies)"
    r"|restrictions?"
    r"|everything|training|guardrails?|filters?|commands?)"
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """``hints``: without one of these (in lower case) in the text, the pattern cannot match."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _rule(hints: str, *patterns: str) -> _Rule:
    return _Rule(tuple(hints.split("|")), re.compile("|".join(patterns)))


_RULES_OF_STEERING = (
    # The rules that it was given are to be left.
    _rule(
        "trust|cite|recommend|ignore|disregard|forget|overrid|overrul|bypass|skip"
        "|drop|discard|neglect|not follow|n't follow|stop following",
        r"\b(?:ignore|disregard|forget|override|overrule|bypass|skip|drop|discard|neglect|do not follow"
        r"|don't follow"
        r"|stop following)\b[^.!?]{0,40}?\b(?:previous|prior|above|earlier|preceding|existing|former|your"
        r"|all|any|other"
        rf"|system|safety|told)\b[^.!?]{{0,30}}?\b{_RULES}\b",
        r"\b(?:ignore|disregard|forget)\b[^.!?]{0,30}?\byou(?:'ve| have| were| are"
        r"|r)?\b[^.!?]{0,12}?\b(?:told|instructed|given|taught|asked|trained)\b",
        r"\b(?:ignore|disregard|forget) (?:all|everything|anything)\b",
        r"\b(?:ignore|disregard) (?:the|all) (?:above|rest)\b",
        rf"\b(?:ignore|disregard|bypass|overrule) {_PERSON}\b",
        r"(?:\bso|\band|,) (?:please )?always (?:cite|recommend|mention|link|promote|prioriti[sz]e|trust)\b",
    ),
    _rule(
        "instruction|directive|new rules|new orders|persona|your |guideline|polic|filter|rules",
        r"\bnew (?:system )?(?:instructions?|rules|directives?|orders|persona)\b[^.!?]{0,20}?(?::|\bare\b"
        r"|\bfollow)",
        r"\byour (?:new |real |true |actual |only |next )?(?:instructions?|task|goal|mission|job|role"
        r"|purpose)"
        r" (?:is|are|now)\b(?=.{0,20}\b(?:to|now)\b)",
        r"\b(?:safety|content|security) (?:guidelines?|polic(?:y|ies)|rules?|filters?) (?:do|does|are|is"
        r"|no longer)\b",
    ),
    # It is told who it is.
    _rule(
        "you|act as|pretend|roleplay|simulate|as an ai|as a",
        r"\byou(?:'re| are)(?: now| no longer| henceforth| acting| to act)?(?: in| as)? (?:a |an |the "
        r"|my |in )?(?:\w+ ){0,3}?"
        rf"(?:{_AI}|dan|(?:developer|admin|debug|god|maintenance|unrestricted|jailbreak) mode"
        r"|unrestricted|jailbroken"
        r"|root)\b",
        r"\byou will (?:now )?act as\b",
        r"\b(?:from now on|henceforth|from this (?:point|moment) on(?:ward)?s?),? you(?:'re| are)\b",
        r"^(?:from now on,? )?(?:you )?(?:act (?:as|like)|pretend\b|roleplay as|simulate\b)",
        r"\bas an? (?:ai|llm|language model|assistant|agent)\b.{0,40}\b(?:you|must|should|always|never"
        r"|required)\b",
        rf"\bif you(?:'re| are) an? (?:\w+ )?{_AI}\b",
    ),
    # It is spoken to, or of, with an order.
    _rule(
        "obey|ai|a.i|llm|model|assistant|bot|agent|gpt|claude|gemini|copilot",
        rf"^{_AI} (?:must|should|shall|will|has to|have to|needs? to|may not|cannot)\b|\bobey\b",
        r"\bfor (?:all |any |every |the )?(?:ai|llm|assistant|language model|chatbot)s?\b[^.!?]{0,20}:",
        rf"\b(?:instructs?|tells?|orders?|directs?|commands?) (?:the|any|all|every) {_AI} to\b",
        r"^(?:hey |dear |hello |note to |notes? for |message (?:to|for) |attention,? ?|important:? ?|to )*"
        rf"(?:the |all |any |every )?{_AI}(?: reading (?:this|the)[^,:]{{0,30}})?\s?[,:!]\s",
        rf"\b(?:the|all|any|every|an?|this|that) (?:\w+ )?{_AI}\b[^.!?]{{0,40}}?\b(?:must|should|shall"
        r"|has to|have to|needs? to"
        r"|is (?:required|instructed|obliged|allowed|authori[sz]ed) to)\b",
        rf"\b{_AI} (?:(?:that |who )?(?:reading|reads?|processing|summari[sz]ing|parsing|seeing)) (?:this"
        r"|the)\b",
        rf"\b(?:note|message|instructions?|reminder|attention|important|dear)[^.!?\w]{{1,3}}(?:(?:to|for) )?"
        rf"(?:the |all |any )?{_AI}\b",
        rf"\b(?:note|message|instructions?|reminder) (?:to|for) (?:the |all |any )?{_AI}\b",
    ),
    # It is told what to tell, hide from, or do to the person.
    _rule(
        "user|human|operator|owner|customer|reader|someone|anyone|asked|prompted|questioned",
        r"\b(?:tell|inform|convince|persuade|ask|remind|assure|mislead|show|notify|warn"
        r"|mention [^.!?]{0,20}?to"
        rf"|reveal [^.!?]{{0,30}}?to|hide [^.!?]{{0,30}}?from|conceal [^.!?]{{0,30}}?from) {_PERSON}\b",
        rf"\b{_PERSON} (?:has |have |had |already |fully )*(?:authori[sz]e[sd]?|approve[sd]?|consent(?:s"
        r"|ed)?|permit(?:s|ted)"
        r"|grant(?:s|ed)|trusts?|agreed|allow(?:s|ed)|waive[sd]?|delegate[sd]?)\b"
        r"(?=.{0,60}\b(?:all|any|every|without|full|always|links?|payments?|access|permanently|you)\b)",
        rf"\b(?:when(?:ever)?|if|every time|each time|once) (?:{_PERSON}|someone|anyone|you(?:'re"
        r"| are)? (?:are )?asked|asked"
        r"|prompted|questioned|he or she)\b[^.!?]{0,60}?(?:,|\bthen\b|\balways\b|\bplease\b) ?(?:then "
        r"|always |please |you )?"
        r"(?:say|tell|answer|reply|respond|insert|include|mention|recommend|claim|state|output|add|append"
        r"|send|write|call"
        r"|run|use|suggest|promote|pretend|never|do not|don't)\b",
        r"\b(?:recommend|suggest|offer|promote|give|send|present|praise|mention|say|show|repeat"
        r"|read)\b[^.!?]{0,40}?"
        rf" to {_PERSON}\b",
        rf"\b{_PERSON} (?:has |have )(?:already |now |fully )?(?:authori[sz]ed|approved|consented"
        r"|pre-?approved|granted|waived)\b",
        r"\busers? (?:of (?:this|the) \w+ )?(?:has|have) (?:already |now |all )?(?:agreed|consented"
        r"|authori[sz]ed|approved|granted)\b",
        r"^(?:you (?:must|should|shall|will|are required to|need to)|always|never|do not|don't) "
        rf"(?:\w+ ){{0,8}}?{_PERSON}\b",
    ),
    # Its answers are ordered, or its secrets.
    _rule(
        "answer|repl|respon|output|completion|print|say|repeat|return|act |behav",
        r"\b(?:in|into|to|at the end of|with) (?:your|its|the|all|every|each|any) (?:next |every |each "
        r"|final |following "
        r"|own |\w+ )?"
        r"(?:answers?|repl(?:y|ies)|responses?|outputs?|completions?)\b(?= |\."
        r"|$)(?<!the answer)(?<!the response)(?<!the output)",
        r"\bwhen(?:ever)? you (?:\w+ )?(?:reply|respond|answer|summari[sz]e|write|see|read"
        r"|process)\b[^.!?]{0,60}?\b(?:include|insert|add|append|mention)\b"
        r"[^.!?]{0,30}?\b(?:links?|phrase|url|image|text|code|words|http)\b",
        r"^(?:#+ ?\w+: ?)?(?:please )?(?:respond|reply|answer|output|return|print|say|repeat)"
        r" (?:only|exactly|just|nothing|verbatim|with nothing|solely)\b",
        r"\b(?:answer|respond|reply|act|behave)s? without (?:any )?(?:filters?|restrictions?|limits?"
        r"|rules)\b",
    ),
    # What to do with the very text in which it stands.
    _rule(
        "this |above|below|every instruction|when",
        r"^(?:please |now |first,? |then |do not |don't |never |always |instead,? |you (?:must|should) )*"
        r"(?:summari[sz]e|follow|click|reply|respond|repeat|print|output|obey|translate|treat|visit|quote"
        r"|echo|recite"
        r"|answer|read|execute)\b[^.!?]{0,40}?"
        r"(?:\b(?:this|the) (?:page|message|document|e-?mail|text|file|note|website|site|prompt|link"
        r"|conversation)\b"
        r"|\b(?:above|below)\b)",
        r"\bevery instruction\b",
        r"\b(?:never|must|make sure|ensure|always|do not|don't)\b.{0,60}?"
        r"\bthis (?:paragraph|sentence|passage|section|comment|instruction|text|prompt)\b",
        r"\bthis is your (?:developer|creator|maker|owner|admin\w*|operator|master|boss)\b",
        r"\bwhen(?:ever)? you (?:\w+ )?(?:see|read|encounter|find|receive|process"
        r"|open)\b[^.!?]{0,60}?, ?(?:please |always "
        r"|you must )?(?:send|call|run|include|reply|respond|say|forward|delete|add|open|visit|post"
        r"|insert|execute|output"
        r"|print)\b",
    ),
    _rule(
        "asks|says|orders|wants|anyone|anybody|reveal|disclose|prompt|instruction|hidden|secret"
        "|developer|message|have no|restrict|limited|anything now|mode",
        r"\b(?:system|hidden|secret|initial|original|developer) (?:prompt|instructions?|rules|message)s?\b",
        r"\b(?:developer|jailbreak|god|unrestricted) mode\b",
        r"\b(?:unlock|enable|enter|activate|switch to) (?:\w+ )?(?:debug|admin|maintenance|root|sudo) mode\b",
        r"^(?:never|do not|don't) (?:mention|reveal|disclose|tell|say) (?:this|it|any of this"
        r"|anything) to (?:anyone|anybody)\b",
        r"\b(?:anything|everything|whatever) (?:that )?\w+ (?:asks|says|orders|wants)\b",
        r"\bhave no (?:restrictions|rules|limits)\b|\bno longer (?:bound|restricted|limited) by\b"
        r"|\bdo anything now\b",
        r"^(?:never|do not|don't) (?:mention|reveal|disclose|say|admit) (?:that|how|what) (?:you|this"
        r"|these|it)\b",
        r"^(?:never|do not|don't) (?:mention|reveal|disclose|talk about|speak of) (?:this|these|the|your)"
        r" (?:instructions?|message|note|prompt|text|rules?)\b",
    ),
    # It is to go on by itself, as a program tells it after a compaction.
    _rule(
        "without |tasks you|task you|tasks that|task that|do not acknowledge|don't acknowledge",
        r"\bwithout (?:asking|consulting|telling|notifying|informing|involving) (?:the|your|any)"
        r" (?:users?|human|operator|owner)\b",
        r"^(?:please |now |then |just |immediately )*(?:continue|proceed|resume|carry on|go on|pick up)"
        r"\b[^.!?]{0,40}?\btasks? (?:that )?you (?:were|have been|had been|are)"
        r" (?:asked|told|given|working)\b",
        r"\b(?:do not|don't) acknowledge (?:the|this|any) (?:summary|compaction|break|interruption)\b",
    ),
    # It is to do something behind the person's back.
    _rule(
        "without |confirm|permission|approv|consent|command|request|payment|transfer"
        "|action|execute|run |.ssh|.aws|.gnupg|netrc"
        "|id_rsa|id_ed25519|/etc/|exfiltrate",
        r"\b(?:run|execut|perform|send|sent|transfer|approv|delet|install|open|merg|accept|grant|shar"
        r"|pa(?:y|id))\w*[^.!?]{0,60}?\bwithout"
        r" (?:asking|confirmation|confirming|permission|telling|approval)\b",
        r"\b(?:do not|don't|never|no need to|stop) (?:ask|wait|prompt"
        r"|request)\w* (?:\w+ ){0,3}?(?:confirm|permission|approv|consent)",
        r"\b(?:commands?|requests?|payments?|transfers?|actions?|tools?|links?)\b[^.!?]{0,40}?\b(?:are|is"
        r"|be) (?:always |now |all |already |automatically )*"
        r"(?:pre-?approved|pre-?authori[sz]ed|approved|authori[sz]ed|allowed|trusted)\b(?! (?:by|after"
        r"|when|if|on|only))",
        r"\b(?:execute|run) (?:the following|this) (?:command|code|script)",
        r"(?:~|/home/\w{1,40}|/root)/\.(?:ssh/\w|aws|gnupg|netrc|config/gh)",
        r"\bid_(?:rsa|ed25519)\b|/etc/(?:passwd|shadow)\b|\bexfiltrate\b",
    ),
    _rule(
        "secretly|covertly|silently|quietly|not log|n't log|not record"
        "|not notify|n't notify|not alert|admin|password|credential|recipient"
        "|whitelist|allowlist|safety|permission|trusted|funds|phish|history|following",
        r"^(?:please |now |and )*(?:secretly|covertly|silently) \w+|\b(?:do not|don't) (?:log|record"
        r"|notify|alert) (?:it|this|that|them|anyone|the)\b",
        r"^(?:please |now |kindly |then |immediately |also |always )*(?:add|send|forward|e-?mail|share"
        r"|grant|give|whitelist|allowlist|disable|turn off|transfer|wire"
        r"|approve|upload|post|make|set|register|enter|provide|reveal|show"
        r"|tell)\b[^.!?]{0,60}?\b(?:admins?|administrators?|passwords?|credentials?|recipients?|whitelist"
        r"|allowlist|safety|permissions?"
        r"|trusted|funds|security checks?|this domain|conversation history|chat history"
        r"|the following (?:address|url|number|account|link))\b",
    ),
    _rule(
        "forward|send|post|upload|mail|copy",
        r"\b(?:forward|send|post|upload|e-?mail|copy) (?:every|all|each|the|any|your|its|their|this"
        r"|these)\b[^.!?]{0,60}?"
        r"\b(?:to|at) (?:https?://|[\w.+-]{1,64}@|[\w-]{1,64}\.(?:com|net|org|io|ru|xyz|site)\b)",
    ),
    _rule(
        "memor|.md|permanently|forever|remember this|treat",
        r"\b(?:delete|overwrite|erase|wipe|modify|edit|rewrite|append to|write to|update) (?:the |your "
        r"|all )?(?:files? )?"
        r"(?:memory\.md|memories|memory|agents\.md|soul\.md|user\.md|claude\.md|heartbeat\.md)",
        r"\b(?:save|store|add|write|commit|persist|remember|record) (?:the following|this|that"
        r"|these)\b[^.!?]{0,40}?"
        r"\b(?:memory|memories|permanently|forever|long-term)\b",
        r"^remember this (?:permanently|forever|always)\b",
        r"\btreat (?:this|every|all|the|any)[^.!?]{0,60}? as (?:\w+ )?"
        r"(?:fact|facts|true|truth|trusted|authoritative|verified|instructions?)\b",
    ),
    # The same in other languages: leave your instructions.
    _rule(
        "ignor|vergiss|vergesst|missachte|olvida|oublie|omet|desconsider|dimentica|negeer",
        r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*)\b.{0,40}?\b(?:anweisung|instruktion|regel"
        r"|befehl|alles)",
        r"\b(?:ignora|ignore|ignorez|ignorar|olvida|oublie[zr]?|omet\w*|desconsidere|dimentica"
        r"|negeer)\b.{0,40}?"
        r"\b(?:instruc|instruç|istruzion|instructies|reglas|règles|consignes|regras|regole|anteriores"
        r"|précédent)",
    ),
    _rule(
        "忽略|无视|無視|忘|指示|命令|指令|提示|プロンプト",
        r"(?:忽略|无视|無視|忘记|忘掉|忘れ).{0,20}?(?:指令|指示|命令|提示|规则|規則|ルール)",
        r"(?:指示|命令|指令|ルール|規則).{0,10}?(?:無視|忽略|忘れ)",
        r"(?:system|系统|系統|システム) ?(?:prompt|提示|プロンプト)",
    ),
)
_ABOUT_USER = re.compile(
    r"(?:(?:please|always|never|also|then|now|and|but|do not|don't|remember to|just) )*(?P<verb>[a-z]+)"
    r" (?:to |with |for |at |from )?(?:the|every|any|each|this) (?:users?|human)\b"
)
_ORDERS_TEXT = """
    advise answer ask assure charge convince deceive deny direct encourage forward get give guide help
    hide inform instruct keep lead let lie link make mislead nudge offer persuade point praise promise
    push recommend redirect refer refuse remind reply respond route sell send serve show steer suggest
    talk teach tell trick urge warn withhold"""
_ORDERS = frozenset(_ORDERS_TEXT.split())
"""What somebody may be told to do to "the user"."""
_MARKS = re.compile(
    r"<\|?/?(?:im_start|im_end|system|assistant|user|human|instructions?|inst|endoftext|prompt|admin"
    r"|tool)\b[^>\n]{0,80}\|?>"
    r"|\[/?(?:INST|SYSTEM|SYS|ADMIN|ASSISTANT)\]|<</?SYS>>|^#{2,}\s?(?:instructions?|system|response"
    r"|prompt)\b"
    r"|^(?:system|developer|admin(?:istrator)?|override|assistant|ai|bot)\s?(?:prompt|message|note|notice"
    r"|override|instruction|update)?s?:\s"
    r"|^\W{0,3}(?:BEGIN|END) (?:SYSTEM|INSTRUCTIONS?|PROMPT)\b",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"<!--(?!\s*wb:)")
_DEEDS = (
    r"(?:run|execute|perform|send|transfer|approve|delete|install|open|merge|accept|grant|share|pay|post"
    r"|publish|forward|e-?mail|reply|answer|buy|order|book|commit|push|deploy|move|change|edit|write|call"
    r"|contact|create|remove|spend|use|make|schedule|invite|message|text|sign|reveal|upload|copy)"
)
_CONSENT = r"(?:permission|approval|confirmation|consent|an ok|a go)"
_DOING = (
    r"(?:runn|execut|perform|send|transferr|approv|delet|install|open|merg|accept|grant|shar|pay|post|publish"
    r"|forward|e-?mail|reply|answer|buy|order|book|committ|push|deploy|mov|chang|edit|writ|call|contact"
    r"|creat|remov|spend|us|mak|schedul|invit|messag|text|sign|reveal|upload|copy)ing"
)
_CAUTION_HINTS = ("ask", "confirm", "check", "telling", "permission", "approv", "consent", "an ok", "a go")
# A caution begins its line or sentence: `do not ask the user before sending` has one inside, and is none. Its
# verb is followed by what it is about alone: behind `and`, `but` or another deed an order could begin.
_BEGIN = r"(?:^|[.!?;:])[\W_]{0,6}(?:(?:you|always|please|but) )*"
_WHAT_ABOUT = (
    rf"(?: or {_DEEDS}\b"
    rf"| (?!(?:and|or|but|so|then|yet|plus|while|just|always|instead|rather|must|{_DEEDS})\b)"
    r"[^\s.!?,;:]+){0,6}?"
)
_CAUTION = re.compile(
    rf"{_BEGIN}(?:never|do not|don't|must not|mustn't|should not|shouldn't|may not|cannot|can't) (?:ever )?"
    rf"{_DEEDS}\b(?:(?:,| or| and|,? nor|/) ?{_DEEDS}\b){{0,5}}{_WHAT_ABOUT} (?:without|before|unless)"
    rf" (?:first )?(?:asking|confirming|telling|checking|you (?:ask|asked)|{_CONSENT})\b"
    rf"(?: (?:first|me|(?:with|from) me)|(?: (?:with|from|by))? {_PERSON})?"
    rf"|{_BEGIN}(?:ask|check with|confirm with|get {_CONSENT} from) (?:me|{_PERSON})(?: first)?"
    rf"(?: for {_CONSENT})? before (?:you )?(?:{_DEEDS}|{_DOING})\b",
    re.MULTILINE,
)
"""`Never send emails without asking the user`: who says so holds an agent back, and steers nobody."""


def steers(text: str) -> str | None:
    """Why ``text`` is taken for an instruction to an AI; None for what it is safe to remember."""
    if any(mark in text for mark in "<[:#|") and _MARKS.search(text):
        return "imitates the marks of a system prompt"
    if _COMMENT.search(text):
        return "hidden in a comment"
    low = text.lower().replace("’", "'")
    return "an instruction to an AI" if _breaks_a_rule(low) or _orders_about_the_user(low) else None


def without_cautions(text: str) -> str:
    """``text`` in lower case, less its rules by which an agent must ask before it does something."""
    low = text.lower().replace("’", "'")
    return _CAUTION.sub(" ", low) if any(hint in low for hint in _CAUTION_HINTS) else low


_LETTERS = re.compile(r"[^\s\d]+")


def _breaks_a_rule(low: str) -> bool:
    # Most words are seen again and again, and belong to no hint: each is compared with the hints once.
    numbers = {number for word in _LETTERS.findall(low) for number in _rules_hinted_by(word)}
    rules = (_RULES_OF_STEERING[number] for number in numbers)
    return any(any(hint in low for hint in rule.hints) and rule.pattern.search(low) for rule in rules)


@functools.lru_cache(maxsize=50_000)
def _rules_hinted_by(word: str) -> Sequence[int]:
    """The rules one of whose hints has its first run of such characters in ``word``."""
    rules = enumerate(_RULES_OF_STEERING)
    return [n for n, rule in rules if any(_LETTERS.findall(hint)[0] in word for hint in rule.hints)]


def _orders_about_the_user(low: str) -> bool:
    """ "Give the user a wrong number": an order that speaks of "the user" was not given by the user."""
    found = _ABOUT_USER.match(low)
    return found is not None and found["verb"] in _ORDERS
