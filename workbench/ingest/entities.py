"""The named entities that memory bears out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from zoneinfo import available_timezones

from indexing.words import word_set
from workbench.frozen import frozen
from workbench.memory.entry import Kind, without_emphasis
from workbench.memory.sentences import beginning
from workbench.safety.secrets import looks_like_key
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace

# -- names -------------------------------------------------------------------------------------------

_CAPITAL = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽА-ЯЁΑ-Ω"
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# Longer ones are no names, and every repetition has a bound: the time is linear in the text.
_WORD = rf"[{_CAPITAL}][\w’'&+#-]{{0,60}}(?:\.[a-z]{{2,4}}\b)?"
_NUMBER = r"v?\d\w{0,20}(?:\.\w{1,20}){0,4}"
NAME = rf"{_WORD}(?:[ ](?:(?:of|de|van|von|der|la|del|di|bin|al)[ ])?(?:{_WORD}|{_NUMBER})){{0,5}}"
"""A capitalised phrase: `Sarah Chen`, `Atlas v2`, `NATS`, `Node.js`, `University of Leeds`."""
_NAME = re.compile(rf"(?<![\w/.@`#$~=\[-]){NAME}(?![/@`\]=(_])")
_QUOTED = re.compile(rf"[「『《“](?P<name>[{_UNSPACED}·\w]{{2,12}})[」』》”]")
_LINK = re.compile(r"\[\[(?P<name>[^\[\]|#^\n]{2,60})(?:[|#^][^\[\]\n]{0,60})?\]\]")
_NOISE = re.compile(r"`[^`\n]{0,400}`|https?://\S{1,400}|<!--.{0,400}?-->|(?<!\S)\S{0,100}[/\\_=]\S{0,200}")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_NO_PROSE = re.compile(r"\s{0,8}(?:[#|>]|<!--)")
_LOWER = re.compile(r"(?<![\w/.@`#-])[^\W\d_A-ZÀ-Þ][\w'’-]{0,60}")
_IN_SENTENCE = re.compile(rf"(?:[^\W\d_A-ZÀ-Þ]|\d),? [\"“(]?\Z|[{_UNSPACED}、，] ?\Z")
"""What stands before a name that does not begin a sentence, a label or a heading."""
_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")

_NO_NAMES = word_set("""
    i i'm i've i'll i'd it they this that these those the a an my our your his her their its there here
    what when where who why how which if and but or so because then also yes no not ok okay todo done
    note fixme hi hello hey thanks please let's today tomorrow yesterday tonight now monday tuesday
    wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays weekend weekends mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag
    samstag sonntag january february march april may june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober
    dezember user assistant agent human system english german spanish chinese japanese french portuguese
    russian saas oauth paas url urls api apis pdf pdfs id ids pr prs json html css phase step stage part
    option version sprint issue ticket session task plan section chapter item level error warning
    exception everyone everybody someone nobody customer customers client clients mr mrs ms prof
    production staging deployment backend frontend server database team people nothing everything dr herr frau
    mme sr sra""")
_SOFTWARE = word_set("""
    android angular ansible aws azure bitbucket chatgpt chrome claude cloudflare codex confluence cursor
    discord django docker dropbox elasticsearch excel fastapi figma firebase firefox flask gemini git
    github gitlab gmail grafana ios javascript jenkins jira kafka kubernetes linear linux macos mongodb
    mysql netlify nginx node.js next.js notion npm obsidian openclaw outlook postgres postgresql
    powershell prometheus pytest python pytorch react redis signal slack sqlite stripe supabase
    tailscale tailwind telegram tensorflow terraform todoist typescript ubuntu vercel vim vite vscode
    webpack whatsapp windows wordpress youtube zoom""")
"""Well known programs and services: that they are such is no guess."""
_KIND_WORDS = {
    "organization": """
        inc gmbh ltd llc corp ag se plc sarl ltda kg university college school institute bank hospital
        foundation ministry council association labs studios partners ventures holdings universität
        hochschule klinik stiftung verein universidad colegio fundación université école universidade""",
    "project": "project projekt",
}
"""What the last word of a longer name, or the first before `of`, tells that it is."""
_KIND_OF_WORD = {word: kind for kind, words in _KIND_WORDS.items() for word in words.split()}
KIN = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|brother|sister|mother|father|mom|mum|dad"
    "|uncle|aunt|cousin|niece|nephew|grandmother|grandfather|friend|colleague|coworker|co-worker|teammate"
    "|boss|manager|mentor|neighbou?r|roommate|flatmate|landlord|doctor|dentist|therapist|teacher|coach"
    "|co-founder|cofounder|lawyer|accountant|trainer|apprentice|trainee|intern|student|employee|tenant"
)
"""Whom somebody can call their own."""
_KIN_ELSEWHERE = (
    "frau|mann|freundin|freund|partnerin|sohn|tochter|bruder|schwester|mutter|vater|chefin|chef|kollegin|kollege"
    "|esposa|esposo|marido|novia|novio|hijo|hija|hermano|hermana|madre|padre|jefe|jefa|amigo|amiga|colega"
    "|femme|mari|compagne|compagnon|fils|fille|frère|sœur|mère|père|ami|amie|collègue"
    "|mulher|namorada|namorado|filho|filha|irmão|irmã|mãe|pai|chefe"
    "|жена|муж|сын|дочь|брат|сестра|начальник|друг|подруга|коллега"
)
_ANY_KIN = f"{KIN}|{_KIN_ELSEWHERE}"
_MINE = "my|our|meine?|unsere?|mi|nuestr[oa]|ma|mon|minha|meu|моя|мой"


_Cue = tuple[str, re.Pattern[str], bool]
"""A type, the words around a name that tell it, and whether they stand right before it, not right after."""


def _before(kind: str, pattern: str) -> _Cue:
    return kind, re.compile(rf"(?:{pattern})[\s\"“]{{0,2}}\Z", re.IGNORECASE), True


def _after(kind: str, pattern: str) -> _Cue:
    return kind, re.compile(rf"[\s\"”]{{0,2}}(?:{pattern})"), False


_OUTRIGHT = (
    _before("person", rf"\b(?:{_MINE})\s(?:\w{{1,20}}\s)?(?:{_ANY_KIN})(?:['’]s name)?(?:\sis)?,?"),
    _before("person", rf"(?:^|[-*+\s])(?:{_ANY_KIN}|妻子?|丈夫|儿子|女儿|朋友|同事|同僚|友人)\s?[:：]"),
    _before("person", r"(?<![\w.])(?-i:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Mme|Sra?|Señora?)\.?"),
    _before("person", r"\b(?:met|spoke|talked|lunch|dinner)\swith"),
    _before("person", r"(?:妻|夫|妻子|丈夫|朋友|同事|同僚|友人|上司)(?:の|是)?[「『《“]"),
    _before("organization", r"\b(?:work(?:s|ed|ing)?\sat|arbeite[tn]?\sbei|trabaj[oa]\sen|travaille\schez"
            r"|trabalh[oa]\sn[ao]|работа(?:ю|ет)\sв)"),
    _before("organization", r"\b(?:company|employer|startup|firma|empresa|entreprise|компания)"),
    _before("place", r"\b(?:live[sd]?\sin|living\sin|born\sin|grew\sup\sin|flight\sto|wohn(?:e|t)\sin"
            r"|viv[eo]\sen|habite\sà|mor[ao]\sem|жив(?:у|ёт|ет)\sв)"),
    _before("project", r"\b(?:project|projekt|proyecto|projet|projeto|проект)"),
    _before("technology", r"\b(?:written|programmed|coded)\sin"),
    _after("organization", r"[」』》]?(?:公司|株式会社)"),
    _after("project", r"(?:[」』》]?(?:项目|プロジェクト)|(?<=\s)(?:project|Projekt)\b)"),
)  # fmt: skip
"""What tells outright that a name is one, and what it is."""
_HINTS = (
    _before("person", rf"\b(?:{_ANY_KIN})"),
    _after("person", r"(?<=\s)(?:says?|said|wants|wanted|prefers|preferred|likes|loves|hates|thinks|thought"
           r"|believes|mentioned|approved|sagte?|meinte?|möchte|findet|mag|dijo|dice|quiere|prefiere|gusta"
           r"|a dit|veut|préfère|aime|disse|quer|prefere|gosta|сказала?|хочет|считает|любит)\b"),
    _after("person", rf"['’]s\s(?:{KIN}|birthday|approval|feedback|preferences?|calendar|house|phone)\b"),
    _after("person", r"(?<=\s)\([“\"„«][\w ]{1,20}[”\"“»]"),
    _after("person", r"(?:说|表示|认为|喜欢|さん|は言)"),
    _after("technology", r"v?\d+(?:\.\d+)+\b|-(?:compatible|format|basiert)"
           r"|(?<=\s)(?:APIs?|CLI|SDK|MCP|OAuth|UI|plugin|extension|library|package|containers?|endpoints?|webhooks?|config|database|server|model|bot"
           r"|integration|proxy|gateway|provider|key|accounts?|login|dashboard|workspace|Plugin|Server|Konto)\b"),
    _before("technology", r"\b(?:via|using|install(?:s|ed|ing)?|upgrad(?:es?|ed|ing)|powered\sby|built\swith"
            r"|integrat(?:es?|ed|ion)\swith|migrat(?:es?|ed|ing|ion)\s(?:to|from)|(?:runs?|running)\son"
            r"|sync(?:s|ed|ing)?\s(?:to|with)|logg?(?:ed|ing)?\sin(?:to)?(?:\sto)?|pointing\sto|mittels"
            r"|installier(?:e|t)|usando|instal(?:ar|ado)|install(?:er|é))|使用|通过|安装|部署|配置|升级|调用"),
    _after("technology", r"(?:を使|をインストール|を導入)"),
    _after("product", r"(?<=\s)(?:app|App|website|site|store)\b"),
    _before("project", r"\b(?:work(?:s|ed|ing)?\son|building|arbeite[nt]?\san)[:：]?"),
    _after("project", r"(?<=\s)(?:repo|codebase|roadmap|MVP|backlog|prototype|vision)\b"),
    _before("organization", r"\b(?:(?:CEO|CTO|CFO|VP|founder|director|engineer|consultant|manager|analyst"
            r"|developer|employee|president|Geschäftsführerin?|directora?|directeur|directrice)"
            r"\s(?:at|of|for|bei|von|de|chez)|retired\sfrom|subsidiary\sof)"),
    _after("organization", r"(?<=\s)(?:announce[sd]|launche[sd]|acquire[sd]|raise[sd]|unveil(?:s|ed)|hire[sd]"
           r"|(?:just\s)?released|employees)\b"),
    _after("place", r",\s?[A-Z]{2}\b"),
    _before("place", r"\(from|\b(?:weather|hotel|flight|trip|travel(?:l?ing|s)?|fly(?:ing)?|mov(?:e[sd]?|ing)"
            r"|flies|based|located|headquartered|reise|umzug|viaje|voyage)\s(?:in|to|nach|a|à|en)"),
)  # fmt: skip
"""What tells of a name that counts what it is, where several lines do so."""
_AROUND = 60
"""Characters around a name in which it is looked for what it is."""
_OF_SOFTWARE = re.compile(r" (?:v?\d+(?:\.\d+)+|APIs?|CLI|SDK|MCP|OAuth|UI|Server|Plugin|Bot)\Z")
"""What ends a phrase that begins with the name of a program: `Atlas API`, `Atlas 2.1`."""
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Mme|Sra?|Señora?)\.?\s")
_PROJECT = re.compile(r"(?i:project|projekt|proyecto|projet|projeto|проект)\s")
_FOLDERS = {
    "person": """
        people persons person contacts family friends team personen leute kontakte familie freunde gente
        contactos familia amigos pessoas contatos famille amis люди контакты семья 人物 联系人 連絡先""",
    "project": "projects project projekte proyectos projetos projets проекты 项目 項目 プロジェクト",
    "organization": "companies company orgs organizations firmen empresas entreprises компании 公司 会社",
    "place": "places orte lugares lieux места 地点 場所",
    "technology": "tools werkzeuge herramientas ferramentas outils инструменты 工具 ツール",
}
_TYPE_OF_FOLDER = {word: kind for kind, words in _FOLDERS.items() for word in words.split()}
"""What a folder tells that its pages are about."""
_SHARED_FOLDERS = frozenset({"family", "team", "familie", "familia", "famille"})
"""Folders of what people do together as often as of who they are."""
_NOBODY = word_set("""
    notes note list lists rules rule decisions decision meeting meetings plan plans idea ideas
    onboarding insurance birthday birthdays vacation holiday holidays shopping printers processes
    process goals tasks todo todos calendar schedule budget guidelines agenda roles rota contacts
    preferences history updates status retro standup travel recipes chores projects tools policies
    notizen liste regeln termine urlaub versicherung geburtstage einkaufsliste aufgaben notas lista
    reglas seguro cumpleaños tareas vacaciones règles réunions assurance""")
"""Words of titles that are nobody's name."""
_WHOLE_FOLDER = frozenset({"readme", "index", "summary", "overview", "profile", "about", "notes", "registry"})
"""Names of a page that is about its folder."""
_TITLE_END = re.compile(r"\s[—–|-]\s|[:(,|：（，、]")
_NUMBERED = re.compile(r"\A[\W\d_]+")
"""Signs, a number or a time before a title: `14:30 — Atlas`."""
_MOST_WORDS, _TITLE_WORDS = 4, 2
"""Words of a page's name, and first ones of a section's title that say what it holds: `Active Projects`."""
_PERSONAL = "USER.md"
"""What it says by name counts on one day."""
DAYS = 3
"""Different days on which a name must stand in name position."""
_CROWDED, _SAMPLE = 0.3, 12
"""Share of capitalised words within sentences, among so many, from which on a capital tells nothing."""
_ORDINARY = 0.15
"""A word that is written small so often, as a share of its capitals, is no name."""
_BEFORE = 40
"""Characters before a name in which it is looked for whether a sentence begins with it."""
_WORDS_IN_NAME = 6
_WORD_AFTER = re.compile(rf" ([{_CAPITAL}][^\W\d_{_CAPITAL}][\w’'-]*)")
_TOKEN = re.compile(r"[^\W_][\w'’&+#-]*(?:\.\w+)*")
THING = "thing"


@frozen
class NamedEntity:
    """A name that counts, as its page is or will be called; ``type`` is ``thing`` where nothing tells it."""

    name: str
    type: str = THING


class EntityNames:
    """The names that count, each spelling with the entity that it stands for."""

    def __init__(self, spelled: Mapping[str, NamedEntity] | None = None) -> None:
        self._spelled = dict(spelled or {})
        self._spelled |= _first_names(self._spelled)
        whole = sorted((name for name in self._spelled if _is_unspaced(name)), key=len, reverse=True)
        self._unspaced = re.compile("|".join(map(re.escape, whole)) or r"(?!)")

    def get(self, name: str) -> NamedEntity | None:
        """The entity of this spelling."""
        return self._spelled.get(name)

    def within(self, text: str) -> Iterator[tuple[int, NamedEntity]]:
        """The entities that ``text`` names, each with where: written as they are, the longest name first."""
        found = [(one.start(), self._spelled[one[0]]) for one in self._unspaced.finditer(text)]
        tokens = [one.span() for one in _TOKEN.finditer(text)]
        at = 0
        while at < len(tokens):
            for count in range(min(_WORDS_IN_NAME, len(tokens) - at), 0, -1):
                start, end = tokens[at][0], tokens[at + count - 1][1]
                said = text[start:end]
                one = self._spelled.get(said) or self._spelled.get(clean_name(said))
                if one is not None and not _is_unspaced(said):
                    after = _WORD_AFTER.match(text, end)
                    if after is None or after[1] in self._spelled:  # else it is `Claude` in `Claude Code`
                        found.append((start, one))
                        at += count - 1
                        break
            at += 1
        return iter(sorted(found, key=lambda item: item[0]))

    def along_with(self, more: Mapping[str, NamedEntity]) -> EntityNames:
        """These names and ``more``; where both have one, what it is here counts unless that is a thing."""
        typed = {name: one for name, one in self._spelled.items() if one.type != THING}
        return EntityNames({**self._spelled, **more, **typed}) if more else self


def clean_name(name: str) -> str:
    """A phrase without a possessive, and without `Project` before it."""
    bare = name.strip().removesuffix("'s").removesuffix("’s").rstrip("'’-&.")
    return _PROJECT.sub("", bare, count=1) if _PROJECT.match(bare) else bare


def is_name(name: str) -> bool:
    """Whether a page may be called so: no key, path, number, day, month, ordinal, code or common word."""
    words = name.split()
    return (
        2 <= len(name) <= 60
        and not any(word.casefold().partition("-")[0] in _NO_NAMES for word in (words[0], words[-1]))
        and len(words[-1]) > 1
        and sum(map(str.isalpha, name)) > sum(map(str.isdigit, name))
        and not re.search(
            r"[/\\_=<>{}()\[\]|*#:;!?\"]|--|\.(?:md|json|ya?ml|py|[jt]sx?|sh|txt|html|css)\b", name
        )
        and not re.search(r"-(?:compatible|based|style|like|format|basiert)\Z", name)
        and not re.match(r"\d|[a-z]+[A-Z]\w*\.|[A-Z]{1,4}-[a-z]", name)
        and not looks_like_key(name)
    )


def told_in(text: str, *, hints: bool = False) -> Iterator[NamedEntity]:
    """What a line says outright that a name is: `my wife Sarah`, `Acme GmbH`, `project Atlas`.

    With ``hints`` also what only supports it: `via Atlas`, `Sarah prefers`.
    """
    quoted = ((found["name"], found.start("name")) for found in _QUOTED.finditer(text))
    for phrase, start in (*_phrases(text), *quoted):
        if kind := _by_itself(phrase):
            yield NamedEntity(phrase, kind)
            continue
        after = text[start + len(phrase) :][:_AROUND]
        of_it = after[:2] in ("'s", "’s")
        for at in (0, *(blank.end() for blank in re.finditer(" ", phrase))):  # `Meine Frau Sarah` is Sarah
            name, before = phrase[at:], text[max(0, start + at - _AROUND) : start + at]
            cues = (() if of_it else _OUTRIGHT) + (_HINTS if hints and not at else ())
            for kind, pattern, is_before in cues:
                said = pattern.search(before) if is_before else not at and pattern.match(after)
                if said and is_name(name):
                    yield NamedEntity(name, kind)


def page_subject(
    path: str, text: str = "", known: Mapping[str, NamedEntity] = MappingProxyType({})
) -> NamedEntity | None:
    """Whom or what the page at ``path`` is about, where its folder says what its pages are.

    `memory/people/ana-ruiz.md` is about a person, `projects/atlas/README.md` about a project. The name is the
    title of ``text`` where the file is called like it, else the name of the file. The page must say it again,
    or it must be ``known`` as one: such folders also hold pages on any subject.
    """
    about, is_said = _titled(path, text)
    return about if about and (is_said or known.get(about.name) == about) else None


def _titled(path: str, text: str) -> tuple[NamedEntity | None, bool]:
    """The subject that folder and title tell, and whether the page itself bears it out."""
    *folders, stem = path.casefold().removesuffix(".md").split("/")
    if stem in _WHOLE_FOLDER and folders:
        stem = folders.pop()
    kind = _TYPE_OF_FOLDER.get(folders[-1]) if folders else None
    words = stem.replace("_", " ").replace("-", " ").split()
    if kind is None or stem in _TYPE_OF_FOLDER:
        return None, False
    headed = re.search(r"^# (.+)$", text, re.MULTILINE)
    title = _TITLE_END.split(headed[1].replace("_", " "))[0] if headed else ""
    said = " ".join(re.findall(r"[\w.'’&+-]*\w", title))
    if not {*said.casefold().replace("-", " ").split()} & {*words, "".join(words)}:
        said = " ".join(words).title() if kind == "person" else " ".join(words)
    if not is_name(said) or len(said.split()) > _MOST_WORDS or (kind == "person" and not _is_persons(said)):
        return None, False
    if kind == "person":  # who is called by the first name
        again = folders[-1] not in _SHARED_FOLDERS and text.count(said.split()[0]) > 1
    else:
        again = any(text.casefold().count(name) > 1 for name in (stem, said.casefold()))
    return NamedEntity(said, kind), not text or again


def _is_persons(name: str) -> bool:
    """Whether a name has the form of a person's: capitals, or a script without them, and no ordinary word."""
    words = name.casefold().replace("-", " ").split()
    is_written_so = re.fullmatch(NAME, name) or name.lower() == name.upper()
    return bool(is_written_so) and not re.search(r"\d", name) and _NOBODY.isdisjoint(words)


def title_of(heading: str) -> str:
    """The name that a heading may begin with: what stands before a dash, a colon, a bracket or a comma."""
    return clean_name(_TITLE_END.split(_NUMBERED.sub("", plain_words(heading)))[0])


def without_links(text: str) -> str:
    """``text`` with the words that its wiki links lead to in their place."""
    return _LINK.sub(lambda found: found["name"], text)


def plain_words(text: str) -> str:
    """``text`` without emphasis, code, addresses, paths and comments; links are the words they show."""
    return _NOISE.sub(" ` ", without_links(without_emphasis(text)))


@dataclass(slots=True, eq=False)
class _FileNames:
    """What one file, or all files together, tell of names."""

    days: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """On which a name stands within a sentence."""
    anywhere: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """On which it stands anywhere: it may begin a line, a label or a heading."""
    capitals: Counter[str] = field(default_factory=Counter)
    small: Counter[str] = field(default_factory=Counter)
    told: Counter[NamedEntity] = field(default_factory=Counter)
    known: set[str] = field(default_factory=set)
    titles: set[NamedEntity] = field(default_factory=set)
    """What pages are about that do not say it again."""


class NameEvidence:
    """What logs, episodes and MEMORY.md tell of names; a file that has not changed is read once.

    A wrong page is worse than a missing one. A name counts where it is known (it has a page or a part of
    MEMORY.md's projects or people, USER.md says it, somebody is linked or speaks by it), where the owner says
    what it is (`my wife Sarah`), or where it stands within sentences on three days, or on two, and on a third
    in a heading or at the beginning of a line. Names in German, and in scripts without capitals, count only
    where they are known or quoted. A name whose type no words tell is a ``thing``.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files: dict[MemoryFile, _FileNames] = {}
        self._names: dict[str, NamedEntity] = {}

    def names(self) -> Mapping[str, NamedEntity]:
        """The names that all files together bear out, each with the type that most lines tell."""
        kept: dict[MemoryFile, _FileNames] = {}
        for file in self._workspace.scan():
            if file in self._files:
                kept[file] = self._files[file]
            elif (
                file.kind in (Kind.LOG, Kind.EPISODE, Kind.MEMORY)
                or file.path == _PERSONAL
                or (file.kind is Kind.NOTE and page_subject(file.path))
            ):
                with suppress(OSError):
                    data = self._workspace.files.read_or_none(file.path) or b""
                    kept[file] = _read(file, data.decode("utf-8", "replace"))
        if kept.keys() != self._files.keys():
            self._files, self._names = kept, _borne_out(kept.values())
        return self._names


def _borne_out(files: Iterable[_FileNames]) -> dict[str, NamedEntity]:
    all_said = _FileNames()
    for file in files:
        all_said.known |= file.known
        all_said.titles |= file.titles
        all_said.capitals.update(file.capitals)
        all_said.small.update(file.small)
        all_said.told.update(file.told)
        for name, on in file.days.items():
            all_said.days[name] |= on
        for name, on in file.anywhere.items():
            all_said.anywhere[name] |= on
    for one in all_said.titles:
        if one.name in all_said.anywhere and not _is_ordinary(one.name, all_said, once=True):
            all_said.known.add(one.name)
            all_said.told[one] += 2
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for one, count in all_said.told.items():
        told[one.name][one.type] += count
    borne_out = all_said.known | {
        name
        for name, on in all_said.days.items()
        if (len(on) >= DAYS or (len(on) > 1 and len(all_said.anywhere[name]) >= DAYS) or _PERSONAL in on)
        and not _is_ordinary(name, all_said, once=len(on) < DAYS)
    }
    return {name: NamedEntity(name, _type_of(name, told[name])) for name in borne_out}


def _is_ordinary(name: str, among: _FileNames, *, once: bool) -> bool:
    """Whether a name is made of words that are none: written small as well, or abbreviations.

    Where it was said ``once``, one such word is enough: `Computer Engineering` is a subject.
    """
    if _is_unspaced(name) or name.casefold() in _SOFTWARE:
        return False
    words = [word for word in name.split() if not word.islower()]
    usual = [
        word.rstrip("s").isupper()
        or (word[1:].islower() and among.small[word.casefold()] > _ORDINARY * among.capitals[name])
        for word in words
    ]
    return not words or words[-1].isupper() or all(usual) or (once and any(usual))


def _dated_lines(file: MemoryFile, text: str) -> Iterator[tuple[str, str, bool]]:
    """The lines of a file outside of code, each with its day, and whether it is prose and no heading."""
    day = file.named.day.isoformat() if file.named else file.path
    fenced = False
    for line in map(beginning, text.splitlines()):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and _NO_PROSE.match(line):
            day = found[0] if (found := _DAY.search(line[:80])) and line.startswith("#") else day
            if line.startswith("#"):
                yield day, line, False
        elif not fenced and line.strip():
            yield day, line, True
            day = found[0] if (found := _DAY.fullmatch(line.removeprefix("created_at: ")[:10])) else day


def _sections(headings: Iterable[str]) -> Iterator[NamedEntity]:
    """The parts of sections whose titles say what they are: `### Atlas` below `## Projects`."""
    kind, level = None, 0
    for heading in headings:
        depth, name = len(heading) - len(heading.lstrip("#")), title_of(heading)
        if depth <= level or kind is None:
            kind, level = _kind_of(name.casefold()), depth
        elif depth == level + 1 and is_name(name):
            yield NamedEntity(name, kind)


def _kind_of(title: str) -> str | None:
    """What a title in small letters says that the parts below it are: `projects overview`, `项目里程碑`."""
    words = title.split()[:_TITLE_WORDS]
    for word, kind in _TYPE_OF_FOLDER.items():
        if word in (title if _is_unspaced(word) else words):
            return kind
    return None


def _read(file: MemoryFile, text: str) -> _FileNames:
    out = _FileNames()
    about, is_said = _titled(file.path, text) if file.kind is Kind.NOTE else (None, False)
    if about and not is_said:
        return _FileNames(titles={about})
    if about:
        return _FileNames(known={about.name}, told=Counter({about: 2}))
    lines = [*_dated_lines(file, text)]
    crowded = _is_crowded(line for _, line, is_prose in lines if is_prose)
    if file.kind is Kind.MEMORY:
        out.titles.update(_sections(line for _, line, is_prose in lines if not is_prose))
    for day, line, is_prose in lines:
        if not is_prose:
            if file.kind is not Kind.MEMORY:
                out.anywhere[title_of(line)].add(day)
            continue
        out.known.update(marked_in(line))
        words = plain_words(line)
        out.small.update(found[0] for found in _LOWER.finditer(words))
        told = [*told_in(words, hints=True)]
        out.told.update(told)
        named = [found["name"] for found in _QUOTED.finditer(words) if is_name(found["name"])]
        # `Ana wants to go` is said of nothing but a name.
        for name in (*named, *(one.name for one in told if one.type == "person")):
            out.days[name].add(day)
        for name, start in _phrases(words):
            out.anywhere[name].add(day)
            if not crowded and _IN_SENTENCE.search(words, max(0, start - _BEFORE), start):
                out.days[name].add(day)
                out.capitals[name] += 1
    if file.path == _PERSONAL:
        out.told += out.told  # what it says counts twice
    return out


def _phrases(text: str) -> Iterator[tuple[str, int]]:
    """The capitalised phrases of a text that can be names, each with where it begins."""
    for found in _NAME.finditer(text):
        title = _TITLE.match(found[0])
        name = clean_name(found[0][title.end() if title else 0 :])
        name = _OF_SOFTWARE.sub("", name)
        if is_name(name) and not re.search(r" v?\d", name):
            yield name, found.start() + max(0, found[0].find(name))


def marked_in(line: str) -> Iterator[str]:
    """The names in links; what is written all small is an id or a command."""
    for found in _LINK.finditer(line):
        name = " ".join(found["name"].split())
        if is_name(name) and (name != name.lower() or _is_unspaced(name)):
            yield name


def _is_crowded(lines: Iterable[str]) -> bool:
    words = [found[1][0] for line in lines for found in re.finditer(r"(?<=[a-zß-ÿ,] )([^\W\d_])\w*", line)]
    return len(words) >= _SAMPLE and sum(map(str.isupper, words)) > _CROWDED * len(words)


def _is_unspaced(name: str) -> bool:
    return re.search(rf"[{_UNSPACED}]", name) is not None


def _by_itself(name: str) -> str:
    """The type that a name tells without the words around it; empty for most."""
    if name.casefold() in _SOFTWARE:
        return "technology"
    words = name.casefold().split()
    telling = words[-1] if len(words) > 1 and words[1] != "of" else words[0]
    return _KIND_OF_WORD.get(telling, "") if len(words) > 1 else ""


def _type_of(name: str, told: Counter[str]) -> str:
    """What two lines or more tell of a name, or one of USER.md, where fewer tell something else."""
    if kind := _by_itself(name):
        return kind
    (kind, most), (_, second) = [*told.most_common(2), (THING, 0), (THING, 0)][:2]
    if most > max(1, second):
        return kind
    return "place" if name in _cities() else THING


@cache
def _cities() -> frozenset[str]:
    """Cities that a time zone is named after."""
    return frozenset(
        zone.rpartition("/")[2].replace("_", " ")
        for zone in available_timezones()
        if "/" in zone and zone.partition("/")[0] not in ("Antarctica", "Etc", "SystemV")
    )


def _first_names(spelled: Mapping[str, NamedEntity]) -> dict[str, NamedEntity]:
    """`Sarah` for `Sarah Chen`, where she is the only person of that name and nothing else is called so."""
    called: dict[str, set[NamedEntity]] = defaultdict(set)
    for name, one in spelled.items():
        if one.type == "person" and " " in name:
            called[name.split()[0]].add(one)
    return {first: next(iter(of)) for first, of in called.items() if len(of) == 1 and first not in spelled}
