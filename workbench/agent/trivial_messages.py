"""Whether a message says enough to look anything up for: greetings, thanks and nods do not."""

from __future__ import annotations

import re

from indexing.words import STOP_WORDS, WORD, blankless_runs, normal
from workbench.plural import plural

MEANINGFUL = 3
"""Meaningful words that a message must have."""
READ = 20_000
"""Characters of a message that are looked at."""

# What people say to open, close, confirm and be polite, and function words, in languages that set blanks.
# Compared after accents are gone and case is folded; a word that means something in one language and nothing
# in another is missing here where it is a common one: "war", "die", "son", "van".
_GREETINGS = """
    hi hello hey heya yo hiya greetings good morning evening night afternoon bye goodbye cheers thanks thank
    thx ty please pls ok okay k yes yep yeah yup no nope sure fine great nice cool perfect awesome right
    alright welcome sorry continue proceed go ahead done got it understood lgtm sounds well now just also
    again really very too up am any get let lets
    hallo guten tag morgen abend danke dankeschon bitte ja nein super genau weiter tschuss servus moin
    bonjour bonsoir salut merci oui non bien continue parfait sil plait
    hola buenos buenas dias tardes noches gracias si claro vale bien perfecto adios favor
    ola obrigado obrigada sim nao tudo bem bom boa dia noite tarde
    ciao buongiorno buonasera grazie prego va bene certo
    hoi goedemorgen dank bedankt ja nee goed
    privet spasibo da net khorosho привет здравствуйте спасибо пожалуйста да нет хорошо ладно пока
"""
_FUNCTION = """
    der das den dem des ein eine einen einem einer und oder ist sind wie was wer wo ich du er sie es wir ihr
    mir mich dir dich mit von zu zum zur im auf nicht auch noch nur mal kannst kann
    le la les un une des de du et ou est sont je tu il elle nous vous ils que qui quoi dans pour sur avec pas
    ce cette mon ma mes ton ta
    el los las una unos y o es yo tu ella nosotros que quien en por para con no mi su se lo
    os um uma e do da das em por com eu voce ele ela nos que quem meu minha
    il lo gli uno ed sono io lui lei noi che di per con mio mia
    het een en ik jij hij zij wij wat wie op voor met niet
    и в на не что это как я ты он она мы вы они с по за из у к о а но же ли
"""
_SAID_OFTEN = frozenset((_GREETINGS + _FUNCTION).split()) | STOP_WORDS
_POLITE = re.compile(
    "你好|您好|谢谢|謝謝|好的|是的|不是|可以|请|請|再见|早上好|晚上好|早安|晚安|继续|嗯+|哦+"
    "|こんにちは|こんばんは|おはよう(?:ございます)?|ありがとう(?:ございます)?|お願いします|はい|いいえ"
    "|すみません|了解(?:です)?|わかりました"
    "|안녕(?:하세요|하십니까)?|감사합니다|고마워요?|네|아니요|좋아요|부탁합니다"
    "|สวัสดี|ขอบคุณ|ครับ|ค่ะ"
)
_CHARACTERS_A_WORD = 2
"""Characters of a script without blanks that make one word, as a rule."""


def meaningful_words(message: str) -> tuple[str, ...]:
    """The words of ``message`` that say what it is about, each once; names of code count by their parts.

    Chinese, Japanese, Korean, Thai, … count one word for every two characters, less what is politeness.
    """
    plain = normal(_POLITE.sub(" ", message[:READ])).casefold()
    found = [word for word in (match[0] for match in WORD.finditer(plain)) if word not in _SAID_OFTEN]
    words = [word for word in found if len(word) > 1 or word.isdigit()]
    for run in blankless_runs(plain):
        words += (run[at : at + _CHARACTERS_A_WORD] for at in range(0, len(run), _CHARACTERS_A_WORD))
    return tuple(dict.fromkeys(words))


def why_trivial(message: str) -> str | None:
    """Why nothing is looked up for ``message``; None where something is."""
    words = meaningful_words(message)
    if len(words) >= MEANINGFUL:
        return None
    if not message.strip():
        return "the message is empty"
    count = plural(len(words), "meaningful word") if words else "no meaningful word"
    return f"the message has {count}; {MEANINGFUL} are needed"
