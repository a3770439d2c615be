"""Whether English words make a clause: a finite verb, found by its form and by the word before it.

No parser: the commonest verbs by their stems, the irregular ones by their forms, and the rest by their
endings. What comes before a word tells a verb from a noun ("the runs", "it runs").
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(words.split())


_AUXILIARY = word_set(
    """am is are was were be been has have had do does did will would shall should can could may might must
    cannot ain't isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't
    wouldn't shan't shouldn't can't couldn't mustn't mightn't needn't gonna gotta wanna dont doesnt
    didnt isnt arent wasnt cant wont i'm i've i'll i'd we're we've we'll we'd you're you've you'll
    you'd they're they've they'll they'd he's she's it's that's there's here's what's who's he'll
    she'll it'll he'd she'd let's lets im ive"""
)
_PAST = word_set(
    """went came got gave took made said told knew thought felt found kept left lost met paid read sold
    sent spent stood taught understood woke won wore wrote began broke brought built bought caught
    chose cut did drew drank drove ate fell fed fought flew forgot forgave froze grew heard held hid
    hit hurt knelt laid led lent lay lit meant quit rang ran rose sang sank sat saw set shook shone
    shot showed shut slept slid spoke spun spread stole stuck struck swam swore threw tore became
    bent bet bit bled blew bred burnt burst cost crept dealt dug dreamt forbade leapt learnt rode
    sought shrank sprang stank stung strove swept swung undid wept withdrew overtook underwent
    undertook withheld put let"""
)
_STEMS = word_set(
    """accept assume act add adopt affect agree aim allow announce answer appear apply approve arrange
    arrive ask assign attend avoid base be beat become begin believe belong bet block book borrow
    bother bounce break bring build burn buy call cancel care carry cause celebrate change charge
    check choose claim clean clear climb close collect come commute compete complain complete
    consider consist contain continue control convert cook cope cost cover crash create cry cut
    cycle dance deal decide decline default delay delete deliver depend deploy deserve design detest
    die differ disable dislike do double draw drink drive drop earn eat employ enable encrypt end
    enjoy expect expire explain export fail fall fear feature feed feel fetch fight fill find finish
    fire fit fix fly focus follow forbid forget form forward gain get give go graduate grow handle
    hang happen hate have hear help hide hire hit hold hope host hurt ignore imply import improve
    include increase indicate inherit insist install intend introduce invest invite involve join
    judge jump keep kill knit know lack lag land last launch lead leak learn leave let lie like
    limit listen live load lock log look lose love maintain make manage map mark marry matter mean
    measure meet mention merge migrate mind miss mount move name need notice object occur offer open
    oppose order organise organize owe own paint park participate pass pay peak perform pick plan
    play practise practice prefer prepare prevent produce promise propose protect prove provide
    publish pull push put quit race raise reach react read realise realize rebuild receive recommend
    record reduce refer refuse register regret reject rely remain remember remind remove renew rent
    repair replace reply report represent request require reserve reset resign resolve respond rest
    restore result retain retire return review ride ring rise rotate run save say schedule see seem
    sell send serve set settle share ship show shut sign sing sit sleep smell smoke snow sound speak
    specialise spend split stand start state stay stem stop store struggle study suffer suggest suit
    supply support suppose swim switch take talk taste teach tell tend test thank think throw time
    total touch track trade train transfer translate travel treat trigger trust try turn understand
    update upgrade use validate value visit volunteer vote wait wake walk want warn wash watch wear
    weigh win wish wonder work worry write yield drink bake sew garden babysit coach mentor tutor
    foster crave adore admire loathe miss own rescue commit deny dwell reside originate stem derive
    rank score sync cache expose listen bind point route serve redirect reject throttle retry poll
    emit parse render compile hash sign wrap contact email phone text ping skip avoid format indent
    prefix quote escape wrap squash rebase pin bump"""
)
_NOUNS_IN_S = word_set(
    """news lens bus gas always perhaps besides sometimes series species business process access address
    this its his us yes is was as has does plus thus less unless across focus status basis mass
    class glass pass boss loss cross press express towards afterwards indoors outdoors downstairs
    upstairs nowadays hers ours yours theirs pants glasses"""
)
_NO_PAST = word_set(
    """need seed speed feed weed bed red shed sled bred indeed hundred hatred naked sacred wicked embed
    exceed proceed succeed based biped med used-to"""
)
_PLURAL_SUBJECT = word_set(
    "please staff team police i you we they who people folks kids children both all most some these those"
)
_SUBJECT = word_set("i you we they he she it who that which this there everyone somebody nobody one")
_BEFORE_NOUN = word_set(
    """a an the my your his her its our their this that these those of in on at by for with from to into
    onto about over under between through during without within no some any each every another other
    two three four five six seven eight nine ten first last next new old many few several own and or"""
)
_DETERMINER = word_set(
    """the a an my your his her its our their this that these those no every each all both"""
)
_ADVERB = word_set(
    """always never usually often sometimes rarely also really just only already still now then generally
    normally actually finally recently currently once currently mostly mainly typically
    automatically now never ever not both all each then probably definitely"""
)
_IN_LY = re.compile(r"[^\W\d_]*ly$")
_SHORTENED = ("'s", "'re", "'ve", "'ll", "'d")
_SPEAKERS = frozenset(("i", "we", "they"))


def _s_forms(stem: str) -> str:
    if stem.endswith(("s", "x", "z", "ch", "sh", "o")):
        return stem + "es"
    if stem.endswith("y") and stem[-2] not in "aeiou":
        return stem[:-1] + "ies"
    return stem + "s"


def _ing_form(stem: str) -> tuple[str, ...]:
    short = stem[:-1] if stem.endswith("e") and not stem.endswith("ee") else stem
    return (short + "ing", stem + stem[-1] + "ing")


_THIRD = frozenset(map(_s_forms, _STEMS)) | {"has", "does", "goes"}
_ING = frozenset(form for stem in _STEMS for form in _ing_form(stem)) | {"being", "lying", "dying", "tying"}


def is_base(word: str) -> bool:
    """Whether ``word`` (lower case) is a known verb in its plain form."""
    return word in _STEMS


def is_third(word: str) -> bool:
    """Whether ``word`` is a known verb in the third person."""
    return word in _THIRD and word not in _NOUNS_IN_S


def is_past(word: str) -> bool:
    """Whether ``word`` has the form of a past tense."""
    return word in _PAST or (len(word) > 4 and word.endswith("ed") and word not in _NO_PAST)


def is_ing(word: str) -> bool:
    """Whether ``word`` is the -ing form of a known verb."""
    return word in _ING


def finite_verb(words: Sequence[str]) -> int | None:
    """The place of the first finite verb among ``words`` (lower case, straight apostrophes); None without.

    A sentence whose subject is left out ("Lost my keys", "Prefers tea") and one that asks for something
    ("Use tabs") have one, too: their first word.
    """
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if word in _AUXILIARY:
            return place
        if place == 0:
            if is_past(word) or is_third(word) or (word in _STEMS and len(words) > 1):
                return place
        elif _is_verb_after(words, place, before):
            return place
    return None


def _is_verb_after(words: Sequence[str], place: int, before: str) -> bool:
    """Whether the word at ``place`` is a verb there."""
    word = words[place]
    if before in _ADVERB or _IN_LY.match(before):
        return is_past(word) or is_third(word) or (word in _STEMS and _may_be_many(words, place - 1))
    if word.endswith(_SHORTENED) and not word.endswith("s's"):
        return word.split("'")[0] in _SUBJECT
    if before in _SPEAKERS:
        return word not in _ADVERB and not _IN_LY.match(word) and word != "and"
    if before in _BEFORE_NOUN and before not in _SUBJECT and before != "and":
        return word in _STEMS and words[place - 2 : place - 1] == ["and"] and place > 2
    return (
        is_past(word) or _is_of_one(words, place, before) or (word in _STEMS and _may_be_many(words, place))
    )


def _is_of_one(words: Sequence[str], place: int, before: str) -> bool:
    """Whether a word in -s is a verb and no plural: "the importer assumes a", not "the open points"."""
    word = words[place]
    if is_third(word):
        last = place == len(words) - 1 and before not in _SUBJECT and words[0] in _BEFORE_NOUN
        return not last and before not in ("and", "or")
    unknown = word.endswith("s") and not word.endswith(("ss", "us", "'s")) and word not in _NOUNS_IN_S
    return unknown and words[place + 1 : place + 2] != [] and words[place + 1] in _DETERMINER


def _may_be_many(words: Sequence[str], place: int) -> bool:
    """Whether what stands before ``place`` may be a subject that takes a verb in its plain form."""
    if place == 0:
        return True
    before = words[place - 1]
    plural = before.endswith("s") and before not in _NOUNS_IN_S and len(before) > 3
    return before in _PLURAL_SUBJECT or plural or (place > 2 and words[place - 2] == "and")
