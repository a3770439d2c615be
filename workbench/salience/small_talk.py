"""Greetings, thanks, praise, sympathy, pep talk: what is said for the other's sake, nothing to remember."""

from __future__ import annotations

import re

from workbench.memory.verbs import word_set

_INTERJECTION = re.compile(
    r"(?:(?:oh|ah|aw+|wow+|whoa|hey+|hi+|hello|hiya|yo|yes|yeah+|yep|yup|no|nope|nah|ok|okay|okey|sure"
    r"|right|well|so|"
    r"haha+|hehe+|lol|lmao|omg|hmm+|mm+|ugh|phew|yay+|woo+hoo+|cool|nice|great|awesome|perfect|exactly"
    r"|totally|definitely|absolutely"
    r"|indeed|true|thanks|thank you|thx|cheers|please|sorry|congrats|congratulations|good (?:morning"
    r"|evening|afternoon|night)"
    r"|guess what|you know|btw|by the way|honestly|actually|anyway|unfortunately|fyi|oops|welcome|bye"
    r"|gosh|man|dude"
    r"|thanks (?:so much|a lot|a bunch|a million|again|everyone|for \w+)|thank you (?:so much|very much"
    r"|again))"
    r"(?:[\s,]+(?:[A-Z][a-z]+|there|guys|everyone|everybody|all|team|folks|buddy|friend|so much|a lot"
    r"|again|then|too))?"
    r"(?:\s*[,.!…:;–—-]+\s*|\s+(?=\S)|\s*$))",
)
_OPENINGS = word_set(
    "oh ah hey hi yeah so well ok okay haha lol omg btw fyi wow yes anyway honestly actually"
    " unfortunately sure"
) | {"by the way", "guess what"}
_PLAIN = word_set(
    """hi hey hello yo hiya thanks thank thx you your you're welcome ok okay k sure yes yeah yep yup no
    nope nah lol haha hehe cool nice great awesome perfect exactly totally definitely absolutely indeed
    true right good fine well sounds bye goodbye later see soon night morning evening afternoon day week
    weekend there everyone everybody all team guys folks so very much really a an the lot bunch to me
    for that this it it's that's is was one got gotcha done job please sorry worries problem not at
    welcome cheers congrats congratulations amazing wonderful fantastic brilliant excellent super best
    luck have happy wow oh ah yay understood noted agreed deal works as always same here too again and
    how are doing today what's up going i i'm am glad take care enjoy rest safe of course my pleasure
    love lovely beautiful sweet dear friend buddy man dude talk hear know idea plan point question
    thinking anytime appreciate appreciated helpful very help word words kind keep work up"""
)
_RESOLVE = word_set(
    """keep keeps going gonna never quit give gives giving won't make making happen tough hard rough bumpy
    wild ride road bumps journey determined stay staying focused resilient positive hopeful believe
    believing yourself ourselves myself dream dreams goals passion passions chase chasing pursue pursuing
    reach reaching matter whatever comes way worth pay pays off success successes failures motivated
    motivate strong strength down true self easy tackle tackling challenge challenges remember hope
    hoping inspired inspire gotta crazy hanging closer together"""
)
_SMALL = word_set(
    """i i'm i've we we'll we're we've us our my they in and but of on be been being do don't let let's
    just with at more no not has had if from when by can can't could will it'll isn't wasn't the other
    others who what whatever some any through out into or now things thing lead it's gets get"""
)
_NAMED_LAST = re.compile(r",\s*[A-Z]\w+\W*$")
_NICE = (
    r"(?:good|great|nice|lovely|awesome|amazing|cool|wonderful|fantastic|incredible|inspiring|beautiful"
    r"|perfect|fun|tough|hard|"
    r"rough|sad|awful|terrible|sweet|adorable|cute|gorgeous|stunning|impressive|brilliant|excellent"
    r"|exciting|interesting|helpful|"
    r"fair|true|right|hilarious|funny|crazy|wild|insane|neat|so|really|very|super|such|quite|pretty"
    r"|absolutely|truly|just|definitely|"
    r"a|an|the|like|to hear|understandable|reasonable|delicious|yummy|fine|ok|okay|important|key|special"
    r"|touching|powerful|worth|"
    r"thoughtful|kind|generous|heartwarming|uplifting|rewarding|admirable|relaxing|peaceful|priceless"
    r"|magical|cozy|lucky|frustrating|"
    r"annoying|stressful|scary|tiring|valuable|meaningful|huge|big|what|how|why|all|no|not|my pleasure"
    r"|always|one of)"
)
_EMPTY = re.compile(
    # It / that is ...: a judgement of what the other said.
    r"(?:(?:that|this|it|those|these|they|everything|which|what (?:a|an)|how)(?:['’](?:s|ll|d|re)| is"
    r"| was| are| were| must| sounds?| looks?| seems?| feels?| would| will| has| makes?| means?| really"
    r"| totally)?)"
    r"(?: (?:be|been|have been|feel|sound|look|really|so|such|a|an|all|just|truly|always|sense|total"
    r"|totally|definitely|definetly|pretty))*"
    rf" {_NICE}\b[^.!?]*$"
    r"|(?:sounds?|looks?|seems?|feels?) (?:like (?:a|an|you|it|fun)|good|great|nice|fun|amazing|awesome"
    r"|perfect|right|fair|so|really|wonderful|incredible|lovely|cool|interesting|delicious)\b[^.!?]*$"
    # You are ...: praise, comfort, wishes.
    r"|(?:and |but |so |i(?: think| know| believe| hope| bet|['’]m sure"
    r"| am sure) (?:that )?)?you(?:['’]re|['’]ll|['’]ve| are| have| look| looked| deserve| can| got| will"
    r"|['’]ll| should| must| always| really| did| do| know| inspire| make| made| seem| sound| both| guys)"
    r"(?! (?:told|said|mentioned|asked|promised|owe|live|work|moved|need to|have to|has to|agreed|sent"
    r"|gave|lent|use|prefer))\b[^.!?]*$"
    rf"|(?:your|ur) (?:\w+ ){{1,6}}(?:is|are) (?:so |really |very |truly )+{_NICE}\b[^.!?]*$"
    rf"|(?:the|those|these) \w+ looks? (?:so |really |very |just )+{_NICE}\b[^.!?]*$"
    r"|(?:your|ur) (?:\w+ ){1,3}(?:is|are|was|were|means?|look(?:s|ed)?|sound(?:s|ed)?|must|will|has|have"
    r"|really|seems?|inspires?|makes?)\b[^.!?]*$"
    r"|i(?:['’]m| am|['’]ll|['’]d| will|['’]ve| have| was)? ?(?:so |really |very |totally |truly |just "
    r"|always |also |completely |definitely |absolutely |100 ?% |here |be )*"
    r"(?:happy for|happy to (?:help|hear|see)|glad|proud of you|excited for you|sorry|here (?:for you|if)"
    r"|there for you|can (?:imagine|totally|see (?:why|how|that)|relate)|had no idea|doing (?:good|great"
    r"|well|fine"
    r"|ok)|(?:good|great|fine|well|ok)$|rooting|grateful for your|thankful for your|appreciate|agree|bet"
    r"|hope (?:you|it|that|your|all|everything|we|so|this)"
    r"|wish you|thank you|thanks|looking forward to (?:it|hearing|seeing|that)|can['’]?t wait to (?:hear"
    r"|see|know|try|check)|understand|see what you|get it|hear you|feel you|know what you|know how you"
    r"|feel the same|think so|guess so|with you|impressed|admire|love (?:that|it|how|hearing|your"
    r"|the (?:idea|thought)|this)|like (?:that|your|the (?:idea|sound))|support you"
    r"|think (?:that|it)(?:['’]s| is| was| would))\b[^.!?]*$"
    r"|(?:so |really |very |totally |completely |absolutely )*(?:happy to (?:help|hear|see|be)"
    r"|glad (?:to|you|your|i|that|it|we|he|she|they|things)"
    r"|agree(?:,| with (?:you|that)| completely)?(?: \w+)?$|(?:could|can)(?:n['’]?t|['’]t|not) agree more"
    r"|proud of you|sorry (?:to|for|about|i|that|you)|excited (?:for you|to (?:hear|see))|good luck"
    r"|best (?:of luck|wishes)|all the best|have (?:a|an|fun|some fun)|take care|take it easy"
    r"|take your time|enjoy|keep (?:it|up|going|me|in|on|us|pushing|doing|being|your|that|smiling)"
    r"|stay (?:safe|strong|positive|in)|hang in|wish(?:ing)? (?:you|me)|hope (?:you|it|that|your|all"
    r"|everything|to|this|we)|hoping|let me know|looking forward|can['’]?t wait|don['’]t (?:worry|mention"
    r"|give up|hesitate|forget to (?:have|enjoy|take care|stay))|no (?:worries|problem|rush|way|doubt"
    r"|need)|never mind|my pleasure|see (?:you|ya)|talk (?:to you )?(?:soon|later)|catch (?:you|up)"
    r"|speak soon|way to go|well done|nice (?:one|work|to|meeting|seeing|job|talking)|good (?:to|job|work"
    r"|point|idea|thinking|for|question|call|on)|awesome to"
    r"|great (?:to|job|work|point|idea|question|call|catching|seeing)"
    r"|love (?:that|it|this|your|to (?:hear|see)|the (?:idea|sound|thought|enthusiasm))"
    r"|count (?:me|on)|you too|same (?:here|to)|me (?:too|neither)|of course|go for it|keep me"
    r"|congrat\w*|thanks?|thank you|thx|much appreciated|appreciate|cheers|welcome|safe travels"
    r"|sweet dreams|big hug|sending)\b[^.!?]*$"
    r"|(?:what|how) (?:a|an|\w+ing|\w+ful|great|nice|cool|lovely|awesome|sweet|beautiful|cute)\b[^.!?]*$"
    r"|(?:that|this|it)(?: all| totally| really)? makes (?:perfect |total |a lot of )?sense\b[^.!?]*$"
    r"|fingers crossed\b[^.!?]*$|feel free\b[^.!?]*$|will do\b.{0,20}$|all good\b.{0,25}$|(?:it|that"
    r"|this)(?: really| truly| always)? (?:means|meant) (?:a lot|so much|the world|everything)\b[^.!?]*$"
    r"|(?:as (?:always|ever)|any ?time|whenever you|if you (?:need|want|ever|have any))\b[^.!?]*$"
    r"|(?:check|look at|here(?:['’]s| is| are)|take a look|have a look) (?:it|this|that|them|a|the|some"
    r"|my|at)\b[^.!?]{0,80}$"
    r"|there(?:['’]s| is) (?:nothing|no better|something) (?:like|better|than|so|about)\b[^.!?]*$",
)
_TELLS_TOO = re.compile(
    r"(?:[,;:–—-] |\b(?:but|and|because|since|so|when|while|after|that|cause) )(?:I|I[’']\w+|[Mm]y|[Ww]e"
    r"|[Oo]ur|[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b"
    r"(?! (?:think|know|hope|agree|love (?:it|that)|feel|bet|guess|appreciate|can['’]?t wait|am sure"
    r"|get it|see))"
)
"""What a judgement goes on with where it tells something as well."""
_FOREIGN = re.compile(
    r"(?:hallo|hi|hey|moin|servus|guten (?:morgen|tag|abend)|gute nacht|(?:vielen |herzlichen "
    r"|besten )?dank(?:e|eschön)?|bitte(?: schön)?|gern geschehen"
    r"|tschüss?|bis (?:bald|morgen|später|dann)|alles (?:klar|gut|gute)|super|genau|hola"
    r"|buen[oa]s (?:días|tardes|noches)|(?:muchas )?gracias|de nada"
    r"|adiós|hasta (?:luego|mañana|pronto)|vale|perfecto|claro|bonjour|salut|bonsoir|bonne (?:nuit"
    r"|journée|soirée)|merci|de rien|à (?:bientôt|demain|plus)"
    r"|d['’]accord|parfait|au revoir|ciao|grazie|prego|buongiorno|obrigad[oa]|bom dia|olá|dank je|bedankt"
    r"|tack|dziękuję|dzień dobry)\b",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"(?:お疲れ|ありがと|おはよう|こんにちは|こんばんは|よろしく|すみません|ごめん|了解|はい|いいえ|おやすみ|お願いします|谢谢|謝謝|你好|您好|早上好|晚安|再见|不客气|好的|没问题"
    r"|辛苦了|恭喜|감사|안녕|네$)"
)


def without_interjections(text: str) -> str:
    """``text`` less the exclamations and greetings that it begins with."""
    for _ in range(4):
        found = _INTERJECTION.match(text[:1].lower() + text[1:])
        if not found or found.end() >= len(text):
            break
        if found[0].rstrip()[-1:].isalnum() and not _bare_opening(found[0]):
            break
        text = text[found.end() :]
    return text


def _bare_opening(opening: str) -> bool:
    """Whether an opening without a comma after it is no part of the sentence ("oh I moved", "so I moved")."""
    return opening.strip().lower() in _OPENINGS


def is_small_talk(plain: str, words: list[str]) -> bool:
    """Whether one sentence, without marks, is only politeness."""
    if words and len(words) <= 8 and all(word in _PLAIN for word in words):
        return True
    if _is_resolve(words[:-1] if _NAMED_LAST.search(plain) else words):
        return True
    rest = without_interjections(plain).rstrip(" .!…\"'”’)🎉😊❤")
    if not any(map(str.isalnum, rest)):
        return True
    return _EMPTY.match(rest.lower()) is not None and _TELLS_TOO.search(rest) is None


def _is_resolve(words: list[str]) -> bool:
    """Whether somebody is only urged on, themselves or another ("I won't quit", "keep chasing dreams")."""
    urging = sum(word in _RESOLVE for word in words)
    return urging >= 2 and all(word in _RESOLVE or word in _SMALL or word in _PLAIN for word in words)


def is_foreign_small_talk(plain: str) -> bool:
    """The same in some other languages, for short sentences that begin with a word of politeness."""
    if _WIDE.match(plain):
        return len(plain) <= 14
    return len(plain.split()) <= 4 and _FOREIGN.match(plain.lstrip("¡¿ ")) is not None
