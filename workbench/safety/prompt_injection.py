"""Text that tries to steer an AI, and orders to an agent in a line of memory.

Memory is read by an agent, so a false alarm costs one line of memory, which stays in its log: these rules
rather say too much.
"""

from __future__ import annotations

import re
import unicodedata

from workbench.safety.machine_output import is_shell_command

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


_VALUE = r"[a-z0-9_.-]+(?:[/:][a-z0-9_.-]+)*"
_VALUES = (
    rf"\s{_VALUE}(?:\s?(?:→|->|=>|,)\s?{_VALUE})*(?:\s?\([a-z0-9_.-]+(?: [a-z0-9_.-]+)?\))?\s*[.;]?\s*$"
    r"|(?<=s:)\s\d"
)
"""What makes `Model: …` a label of settings: single words, or a count of several."""


def _rule(hints: str, *patterns: str) -> tuple[list[str], re.Pattern[str]]:
    """Hints, without one of which (in lower case) in the text none of the patterns can match, and these."""
    return hints.split("|"), re.compile("|".join(patterns))


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
        # `Model: claude-x → claude-y` addresses nobody.
        r"^(?P<called>(?:hey |dear |hello |note to |notes? for |message (?:to|for) |attention,? ?|important:? ?"
        rf"|to )+)?(?:the |all |any |every )?{_AI}(?: reading (?:this|the)[^,:]{{0,30}})?\s?"
        rf"(?:[,!]|:(?(called)|(?!{_VALUES})))\s",
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
        "|whitelist|allowlist|safety|permission|trusted|funds|phish|history|following"
        "|nobody|no one|anyone|from the ",
        r"^(?:please |now |and )*(?:secretly|covertly|silently) \w+|\b(?:do not|don't) (?:log|record"
        r"|notify|alert) (?:it|this|that|them|anyone|the)\b",
        r"^(?:please |now |and )*(?:tell (?:nobody|no one)\b|(?:do not|don't|never) (?:tell|mention|reveal)"
        r"[^.!?]{0,20} (?:anyone|anybody)\b|(?:keep|hide) (?:this|it|that) from the (?:user|person|owner)\b)",
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
    """Why ``text`` is taken for an instruction to an AI; None for what it is safe to remember.

    Such a text is told by whom it speaks to and of whom it speaks, not by a list of attacks. What a person
    says to an agent speaks of "me" and "I"; what was put in to steer it speaks of "the user", of the agent's
    rules, or to "the assistant".
    """
    if any(mark in text for mark in "<[:#|") and _MARKS.search(text):
        return "imitates the marks of a system prompt"
    if _COMMENT.search(text):
        return "hidden in a comment"
    low = text.lower().replace("’", "'")
    # "Give the user a wrong number": an order that speaks of "the user" was not given by the user.
    about_user = _ABOUT_USER.match(low)
    is_order = about_user is not None and about_user["verb"] in _ORDERS
    breaks_rule = any(
        any(hint in low for hint in hints) and pattern.search(low) for hints, pattern in _RULES_OF_STEERING
    )
    return "an instruction to an AI" if is_order or breaks_rule else None


def without_cautions(text: str) -> str:
    """``text`` in lower case, less its rules by which an agent must ask before it does something."""
    low = text.lower().replace("’", "'")
    return _CAUTION.sub(" ", low) if any(hint in low for hint in _CAUTION_HINTS) else low


# -- orders to an agent: run, fetch, follow, ignore, send, pay, in seven languages -------------------
# An order is a verb of a short table that meets an object of its kind: a command, an address, a secret, an
# account, the agent's own answer or its rules. Most objects look the same in any language. How little is
# enough depends on who speaks: what an agent notes for itself may well say `run make check`, a mail may not.

_READ = 4_000
"""Characters that are looked at: an order that stands later is of a text nobody takes for one line."""


_RUN = "run something"
_FETCH = "fetch something"
_FOLLOW = "follow what somebody else wrote"
_IGNORE = "leave its instructions"
_SEND = "send something away"
_PAY = "pay somebody"
_VERBS = {
    # English, German, French, Spanish, Russian; Chinese and Japanese together, as they part no words.
    _RUN: (
        "run running execute executing launch invoke install type paste enter call eval use",
        "führe führ führst führt führen ausführen auszuführen ausführst starte starten startest installiere"
        " installieren installierst rufe aufrufen gib eingeben verwende",
        "exécute exécutez exécuter lance lancez lancer installe installez installer tape tapez saisis saisissez"
        " utilise",
        "ejecuta ejecute ejecutar ejecutes ejecutas corre corra lanza lance lanzar instala instale instalar"
        " escribe pega usa",
        "запусти запустите запускай запускайте запускать запустить выполни выполните выполняй выполняйте"
        " выполнять выполнить установи установите установить введи введите вставь используй",
        "运行 執行 执行 启动 安装 输入 調用 调用 実行 起動 走らせ インストール 入力して",
    ),
    _FETCH: (
        "fetch download get open visit load read curl wget retrieve pull browse click",
        "lade lad laden herunterladen herunterzuladen hole hol holen abrufen abzurufen rufe öffne öffnen besuche"
        " besuchen lies lesen klicke klick",
        "récupère récupérez récupérer télécharge téléchargez télécharger ouvre ouvrez ouvrir visite visitez"
        " visiter consulte consultez charge chargez lis lisez clique cliquez va allez",
        "descarga descargue descargar abre abra abrir visita visite visitar obtén obtener consulta consulte"
        " lee lea carga haz",
        "скачай скачайте скачать скачивай загрузи загрузите загрузить загружай открой откройте открыть открывай"
        " перейди перейдите посети посетите прочитай прочитайте получи получите зайди зайдите",
        "下载 獲取 获取 抓取 打开 访问 訪問 读取 点击 取得 ダウンロード 開い 開く 開け アクセス 読み込",
    ),
    _FOLLOW: (
        "follow obey apply comply adopt do implement",
        "folge folgen befolge befolgen befolgst gehorche gehorchen tu tue tust mach",
        "suis suivez suivre obéis obéissez obéir applique appliquez appliquer respecte respectez fais faites",
        "sigue siga seguir sigas obedece obedezca obedecer aplica aplique cumple cumpla haz",
        "следуй следуйте следовать подчиняйся подчиняйтесь подчиняться соблюдай соблюдайте делай делайте"
        " выполни выполняй выполняйте выполните исполняй",
        "遵循 遵守 遵照 按照 服从 照做 照着 従っ 従い 従う 従え 守っ 遂行",
    ),
    _IGNORE: (
        "ignore disregard forget override bypass skip discard neglect drop",
        "ignoriere ignorier ignorieren ignorierst vergiss vergesst vergessen missachte umgehe übergehe verwirf",
        "ignore ignorez ignorer oublie oubliez oublier contourne contournez outrepasse",
        "ignora ignore ignorar ignores olvida olvide olvidar omite omita omitir descarta descarte",
        "игнорируй игнорируйте игнорировать проигнорируй забудь забудьте забыть отбрось обойди пренебреги",
        "忽略 无视 無視 忘记 忘掉 忘れ 绕过 不要理会 不要遵守",
    ),
    _SEND: (
        "send forward post upload mail email e-mail share transmit exfiltrate leak copy publish deliver reveal"
        " report",
        "sende senden sendest schicke schick schicken schickst leite weiterleiten weiterzuleiten poste lade"
        " hochladen hochzuladen übermittle teile verrate maile",
        "envoie envoyez envoyer transmets transmettez transmettre transfère transférez publie publiez partage"
        " partagez téléverse révèle révélez communique communiquez poste",
        "envía envíe enviar envíes manda mande mandar reenvía reenvíe reenviar sube suba comparte comparta publica"
        " revela revele transmite",
        "отправь отправьте отправлять отправить отправляй отправляйте перешли перешлите пересылай переслать"
        " вышли вышлите пошли пришли загрузи передай передайте поделись выложи раскрой сообщи",
        "发送 發送 发给 发到 转发 上传 提交到 泄露 寄给 分享 送っ 送信 送れ 送る 転送 アップロード 共有 教え",
    ),
    _PAY: (
        "pay transfer wire send buy purchase donate remit settle top",
        "zahle zahl zahlen bezahle bezahlen überweise überweisen überweist kaufe kaufen spende begleiche",
        "paie paye payez payer verse versez verser vire virez virer achète achetez transfère transférez règle"
        " réglez",
        "paga pague pagar transfiere transfiera transferir abona abone compra compre comprar dona ingresa gira",
        "оплати оплатите оплатить оплачивай заплати заплатите плати переведи переведите перевести переводи купи"
        " купите перечисли перечислите",
        "支付 付款 转账 轉帳 汇款 匯款 购买 打款 支払 振り込 振込 送金 購入",
    ),
}

_WORDS = re.compile(r"(?<![\w-])(?:e-mail(?!\w)|\w+)")
_VERBS_OF: dict[str, set[str]] = {}
"""The verbs of each word, in scripts that part them."""
for _verb, _languages in _VERBS.items():
    for _word in " ".join(_languages[:-1]).split():
        _VERBS_OF.setdefault(_word, set()).add(_verb)
_UNPARTED = {verb: re.compile("|".join(languages[-1].split())) for verb, languages in _VERBS.items()}
"""In scripts that part no words any place will do."""


_ADDRESS = re.compile(
    r"(?:https?|hxxps?|ftp)://\S|\bwww\.\w|(?<![\w@./-])[\w-]{1,60}\.(?:com|net|org|io|ru|cn|jp|xyz|site|top|zip|info|biz"
    r"|example|invalid|test|sh|dev|app|co)(?:/\S|(?![\w.@-]))"
)
_LINK = re.compile(r"\b(?:link|url|enlace|lien|ссылк\w*|адрес\w*)\b|链接|リンク|网址")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.\w")
_CODE = re.compile(r"`([^`\n]{2,300})`")
_RUN_CODE = re.compile(
    r"(?:\b(?:run|execut\w*|launch|invoke|install|führe|starte|lance[rz]?|exécute[rz]?|ejecut\w+|corre|запус\w+"
    r"|выполни\w*)|运行|執行|执行|実行)[:：]?\s*`(?:[\w./-]+\.(?:py|js|rb|pl)|[\w./:-]+\s[^`(){}=;]+)`"
)
"""Code of some words directly behind the verb is what to run, whatever program it names."""
_PROGRAM = re.compile(
    r"(?<![\w.-])(?:curl|wget|bash|zsh|powershell|iex|sudo|chmod|chown|rm -\w+|eval|base64|npx|npm|pip3?"
    r"|python3?|node|perl|nc|netcat|ssh|scp|crontab|docker|git push)(?![\w-])(?=\s+[\w\"'$./~-]|\s*$)"
    r"|\|\s*(?:sudo )?(?:ba|z|da)?sh\b"
)
_COMMAND = re.compile(
    r"\b(?:command|script|shell|terminal|program|binary|code|befehl\w*|skript\w*|programm\w*|commande\w*|script\w*"
    r"|comandos?|programas?|команд\w*|скрипт\w*|программ\w*|код)\b"
    r"|命令|脚本|程序|终端|コマンド|スクリプト|プログラム|シェル"
)
_PIPED = re.compile(
    r"(?:curl|wget|iwr|fetch)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|perl|node|iex)\b"
    r"|(?:ba|z|da)?sh\s+(?:-c\s+[\"']?\$\(|<\()\s*(?:curl|wget)\b"
)
_SECRET = re.compile(
    r"\b(?:passwords?|passphrases?|credentials?|tokens?|(?:api|ssh|private|secret|access)[ -]?keys?|seed phrase|secrets?|cookies"
    r"|passw[oö]rt\w*|kennw[oö]rt\w*|zugangsdaten|schlüssel\w*|anmeldedaten"
    r"|mots? de passe|identifiants?|clés?(?: \w+)?|jetons?"
    r"|contraseñas?|credenciales|claves?|парол\w*|токен\w*|ключ\w*|учётны\w*|учетны\w*)\b"
    r"|(?<!\w)\.env\b|id_rsa|id_ed25519|\.ssh\b|密码|密碼|密钥|密鑰|令牌|凭证|凭据|私钥"
    r"|パスワード|秘密鍵|認証情報|トークン|鍵"
)
_NO_VERB = re.compile(
    r"(?:(?:https?|hxxps?|ftp)://|www\.)[^\s`\"'<>(),;\u3000-\U0010ffff]*"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})*"
    r"|\bPOST (?=`?(?:/|https?:))"
    r"|(?i:\.e?mail\b|\be?-?mails?(?=\s?[:=→|]|/)|\bcopy(?= of\b)|(?:"
    r"\b(?:per|via|by|an?|the|my|your|our|their|his|der|die|das|einer?|daily|weekly|monthly) (?:e-?mail|mail|copy|post)\b"
    r"|\be-?mail (?:digest|address(?:es)?|account|adresse|konto)s?\b)"
    rf"(?! (?:\w+ ){{0,2}}(?:{_SECRET.pattern})| (?:all|any|every|each|the|my|your|our|their|his|alle|die|das)\b))"
)
"""Words that look like orders: of addresses, and `Email: …`, `daily email digest`, `POST /keys`."""
_STORE = re.compile(
    r"\b(?:memory\.md|memory files?|(?:chat|conversation|message) (?:history|log)s?|conversations?|inbox|mailbox|address book"
    r"|contacts|customer (?:list|data)|(?:all|every|the|any) (?:files?|notes?|e-?mails?|memor\w+|documents?|logs?|data)"
    r"|alle (?:dateien|notizen|mails|daten|unterhaltungen)|gespräch\w*|unterhaltung\w*|gedächtnis\w*|speicher\w*"
    r"|tous les (?:fichiers|messages|courriels)|toutes les \w+|mémoire|conversation\w*|historique"
    r"|todos los (?:archivos|mensajes|correos)|todas las \w+|memoria|conversaci\w+|historial"
    r"|все (?:файлы|письма|заметки|данные|сообщения)|всю \w+|память|памяти|переписк\w*|истори\w+)\b"
    r"|所有(?:文件|邮件|笔记|数据)|全部\w|记忆|对话|聊天记录|通讯录|すべての|全ての|全部の|記憶|会話|履歴|メモリ"
)
_ACCOUNT = re.compile(
    r"\b[a-z]{2}\d{2}(?: ?[\da-z]{4}){3,8}|\b0x[\da-f]{12,}|\bbc1[\da-z]{10,}"
    r"|\b(?:iban|bitcoins?|btc|eth(?:ereum)?|usdt|crypto|wallets?|gift cards?|account (?:number|no)|bank account"
    r"|paypal|wallet-?adresse|konto\w*|rechnung\w*|gutschein\w*|compte|facture\w*|portefeuille\w*|virement"
    r"|cuentas?|factura\w*|cartera|billetera|счёт\w*|счет\w*|кошел\w*|карт[уы])\b"
    r"|\b(?:the|this|an?|our) (?:\w+ )?(?:invoice|fee|fine|bill|account)\b"
    r"|[€$£¥₽]\s?\d|\d[\d.,]*\s?(?:€|\$|£|¥|₽|euros?|dollars?|usd|eur|руб\w*|元|円|人民币|ドル)"
    r"|账户|账号|帐户|钱包|比特币|发票|口座|ウォレット|ビットコイン|請求書|礼品卡|ギフト"
)
_ANSWER = re.compile(
    r"\b(?:before|prior to|after|when|whenever|while|with|in|to) (?:you |your |each |every |any |all |the |giving )*(?:answer|repl|respon)\w*"
    r"|\bbefore you (?:do|say|continue|start)\b|\bwithout (?:asking|telling)\b"
    r"|\b(?:bevor|ehe|vor|nach|wenn|in) (?:du |sie |ihr |der |jeder |deiner |einer |jede |dem )*(?:\w+ )?(?:antwort\w*|beantwort\w*)"
    r"|\b(?:avant|après) (?:de |d['’]|chaque |toute |ta |votre |que )*(?:tu |vous )?(?:répon\w+|réponse)"
    r"|\b(?:antes|después) de (?:cada |tu |su |la )?(?:respond\w+|contest\w+|respuesta)"
    r"|\b(?:перед|до|после|прежде) (?:чем |каждым |каждого |тем,? как |своим |своего |любым )*(?:ответ\w*|отвеча\w*)"
    r"|(?:回答|回复|答复|答覆|回覆)(?:任何|所有|用户|用戶|问题)*(?:之前|前|之后|后)|在(?:回答|回复|答复)|(?:回答|返答|返信|応答)\w{0,6}(?:前|後)|答える前"
)
_OWN_RULES = re.compile(
    r"\b(?:previous|prior|earlier|above|preceding|existing|all|any|your|my|system|the)\b[^.!?\n]{0,30}?"
    r"\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders?|restrictions?|safeguards?|training)\b"
    r"|\b(?:anweisung\w*|instruktion\w*|regeln?|vorgaben?|befehle?|richtlinien?|systemprompt)\b"
    r"|\b(?:instructions?|consignes?|règles?|directives?|ordres?)\b"
    r"|\b(?:instrucci\w+|reglas?|órdenes|directrices|indicaciones)\b"
    r"|\b(?:инструкци\w+|правил\w*|указани\w+|команд\w*|приказ\w*|предписани\w+)\b"
    r"|指令|指示|规则|規則|ルール|命令|提示词|プロンプト|说明|手順"
)
_EARLIER = re.compile(
    r"\b(?:previous|prior|earlier|above|preceding|all|any|your|system|bisherig\w*|vorherig\w*|früher\w*|alle\w*|deine\w*"
    r"|obig\w*|précédent\w*|antérieur\w*|toutes|tous|tes|vos|anterior\w*|previas?|previos?|todas|todos|tus|sus"
    r"|предыдущ\w*|прежн\w*|все|всех|свои|твои|прошл\w*|ранее)\b"
    r"|之前|以前|先前|上述|所有|一切|全部|此前|これまで|すべて|全て|上記|前の"
)
_THERE = re.compile(
    r"\b(?:them|it|that|there|page|link|file|site|whatever|what it says|darin|dort|ihnen|seite|datei|diesen|y|les|page|fichier"
    r"|ellas|ellos|allí|página|archivo|las|там|ним|ему|страниц\w*|файл\w*|написан\w*|указан\w*)\b|其中|里面|上面|页面|そこ|それ|ページ|内容|记载"
)
_MUST = re.compile(
    r"\b(?:you|du|sie|tu|vous|usted|ты|вы)\b|\b(?:always|never|must|should|please|now|immediately|first|then|immer|musst|müssen"
    r"|bitte|sofort|soll\w*|toujours|devez|dois|doit|svp|veuillez|immédiatement|siempre|debes?|debe|tiene\w*|por favor"
    r"|всегда|должен|должны|обязан\w*|нужно|надо|пожалуйста|немедленно|сначала)\b"
    r"|必须|必須|务必|一定|请|总是|始终|应该|立即|必ず|常に|ください|下さい|なさい|しろ|せよ|べき|ねば|こと$"
)
_FAR = re.compile(
    r"(?:https?|hxxps?|ftp)://(?!(?:localhost|127\.|10\.|192\.168\.|\[::1))[^\s`\"']{1,300}\.(?:sh|py|ps1|exe|bin|bat|js|pl|rb)\b"
)
"""A script that lies on somebody else's machine."""
_FIRST_PERSON = re.compile(
    r"\W{0,6}(?:i|we|i['’](?:ve|ll|m|d)|ich|wir|je|j['’]\w+|nous|yo|nosotros|я|мы|我们?|私)(?![\w-])"
)
"""Who says `I` tells what was done, and orders nobody."""


def suspicion(text: str, origin: str) -> str | None:
    """Why ``text`` of this ``origin`` waits for a person, marked and without effect; None where it need not.

    ``origin`` is ``owner``, ``agent``, ``external`` or ``unknown``. The text gives an agent an order, or
    imitates what only a program says to it. An agent's own log may hold what the owner wants it to ask about.
    """
    return order_in(text, origin) or steers(without_cautions(text) if origin == "agent" else text)


def order_in(text: str, origin: str) -> str | None:
    """What ``text`` orders an agent to do, for a person to read; None where it orders nothing suspicious.

    The owner gives orders as they like. An agent's own notes are suspected only where the object is a danger
    by itself. Of everybody else an order that an agent could carry out is enough.
    """
    if origin == "owner":
        return None
    text = unicodedata.normalize("NFKC", text[:_READ])
    low = text.casefold()
    if ("|" in low or "(" in low) and _PIPED.search(low):
        return "orders an agent to run what it fetches"
    verbs = _verbs_in(text)
    if not verbs:
        return None
    if origin == "agent":
        low = without_cautions(low)
    found = _dangerous(low, verbs)
    if found is None and origin != "agent" and not _FIRST_PERSON.match(low):
        found = _doubtful(low, verbs)
    return f"orders an agent to {found}" if found else None


def _verbs_in(text: str) -> set[str]:
    """The verbs of ``text``, but for what only looks like one: most lines have none at all."""
    return _words_like_verbs(text) and _words_like_verbs(_NO_VERB.sub(" ", text))


def _words_like_verbs(text: str) -> set[str]:
    low = text.casefold()
    found = set().union(*(_VERBS_OF[word] for word in _VERBS_OF.keys() & set(_WORDS.findall(low))))
    if not low.isascii():
        found |= {verb for verb, pattern in _UNPARTED.items() if pattern.search(low)}
    return found


def _dangerous(low: str, verbs: set[str]) -> str | None:
    """Orders that no agent notes for itself."""
    if _IGNORE in verbs and _OWN_RULES.search(low) and _EARLIER.search(low):
        return _IGNORE
    if _FOLLOW in verbs and _ADDRESS.search(low) and _OWN_RULES.search(low):
        return _FOLLOW
    if {_FETCH, _FOLLOW} <= verbs and _away(low) and (_THERE.search(low) or _OWN_RULES.search(low)):
        return _FOLLOW
    if _ANSWER.search(low) and (_ADDRESS.search(low) or _SECRET.search(low)):
        return next(verb for verb in _VERBS if verb in verbs)
    is_sent = _SEND in verbs and _away(low)
    if is_sent and (_SECRET.search(low) or (_MUST.search(low) and _STORE.search(low))):
        return _SEND
    if _RUN in verbs and _FAR.search(low):
        return _RUN
    return None


def _away(low: str) -> re.Match[str] | None:
    return _ADDRESS.search(low) or _MAIL.search(low)


def _doubtful(low: str, verbs: set[str]) -> str | None:
    """Orders that are suspicious for who gives them."""
    away = bool(_ADDRESS.search(low) or _LINK.search(low))
    secret, answer, rules = _SECRET.search(low), _ANSWER.search(low), _OWN_RULES.search(low)
    meets = {
        _IGNORE: rules,
        _RUN: _orders_a_command(low) or away or answer,
        _FOLLOW: rules or away,
        _SEND: _MAIL.search(low) or away or secret or _STORE.search(low),
        _PAY: _ACCOUNT.search(low),
        _FETCH: away or answer or secret,
    }
    return next((verb for verb, met in meets.items() if verb in verbs and met), None)


def _orders_a_command(low: str) -> bool:
    """Whether a command is named or written out; code that no shell would run is only quoted."""
    return (
        _PROGRAM.search(low) is not None
        or _RUN_CODE.search(low) is not None
        or _COMMAND.search(_CODE.sub(" ", low)) is not None
        or any(map(is_shell_command, _CODE.findall(low)))
    )
