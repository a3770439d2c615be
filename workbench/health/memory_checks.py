"""The rules of `workbench check`: each yields findings over memory that is read once."""

from __future__ import annotations

import bisect
import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from itertools import combinations, pairwise
from urllib.parse import unquote

from workbench.agent.usage import UsageIndex
from workbench.dreaming.proposals.budget import budget_of
from workbench.graph.contradictions import SINGLE, Answer, Contradiction, Statement, statement_in
from workbench.graph.contradictions import contradictions as claims_that_contradict
from workbench.graph.decay import FORGET_BELOW, read_recalls, will_fade
from workbench.graph.read import read_graph
from workbench.health.finding import Finding, Fix, Look
from workbench.health.subject import NAMED, CheckSubject, Corpus, about, fix_of, place_of, shown
from workbench.memory.entry import Entry, Form, Kind, without_emphasis
from workbench.memory.episode import countdown, read_episode
from workbench.memory.markdown import Document
from workbench.operations.archive import why_over
from workbench.operations.references import CODE, names_of, page_name
from workbench.plural import plural
from workbench.safety.hidden_text import hidden_in
from workbench.safety.prompt_injection import suspicion
from workbench.safety.secrets import TextFinding, secrets_in
from workbench.workspace.agent_load import load_states
from workbench.workspace.decisions import settled_keys
from workbench.workspace.layout import ARCHIVE, Layout, is_template, scan
from workbench.workspace.workspace import Workspace

Find = Callable[[str], tuple[TextFinding, ...]]
SOON = 14
"""Days before it expires from which an episode is a warning; from ``LATER`` on it is reported at all."""
LATER = 30
_NEAR = 0.9
"""Share of the budget from which it is said that it is nearly used up."""
_LABEL = 50
"""Characters of an entry that the label of a fix shows."""
_TYPE = re.compile(r"^\[[a-z_]+\]\s+")
_ANSWERS: tuple[tuple[Answer, str], ...] = (
    ("keep", "keep what was there; the new claim is forgotten"),
    ("replace", "the new claim replaces the old one"),
    ("both", "both are right; it is not listed again"),
    ("reject", "neither is valid any longer"),
)


# -- files and budget ------------------------------------------------------------------------------


def files(subject: CheckSubject) -> Look:
    """Files that cannot be read, and two of long-term memory of one name, of which an agent reads one."""
    for path, error in subject.corpus.unreadable:
        yield Finding(
            f"it cannot be read: {error}",
            "it is not shown, searched or given to agents",
            "correct its permissions, or remove it",
            rule="unreadable",
            path=path,
            line=1,
        )
    names = dict.fromkeys(subject.workspace.layout.memory_files)
    for first, second in combinations(names, 2):
        one, other = subject.root / first, subject.root / second
        alike = first.casefold() == second.casefold() and one.is_file() and other.is_file()
        if alike and not os.path.samefile(one, other):
            yield Finding(
                f"both {first} and {second} are there; {first} is used here",
                "an agent reads one of them, and it is unclear which; on a file system that ignores case "
                "(macOS, Windows) they are one file",
                f"`workbench move` what you want to keep to {first}, then remove the other file",
                rule="two memories",
                path=second,
                line=1,
            )


def budget(subject: CheckSubject) -> Look:
    """How full curated memory is, and which files an agent is not given in full."""
    path, full = subject.workspace.memory_path(), budget_of(subject.workspace)
    archive = Fix("archive", "archive finished, repeated or unused entries")
    yield f"{full}, {full.share:.0%}"
    for state in load_states(subject.workspace):
        if state.lost:
            yield Finding(
                state.sentence,
                "it is the agent's own limit, independent of the budget",
                "`workbench archive`, `workbench forget` or `workbench merge` what is not needed",
                "warning",
                "over the load limit",
                state.path,
                1,
                fixes=(archive,) if state.path == path else (),
            )
    less = "dreaming proposes fewer entries, or replacements"
    if full.over and not subject.workspace.budget_is_agents:
        yield Finding(
            f"{full}",
            less,
            "raise memory_budget to what your agent loads, or `workbench archive` what is not needed",
            "warning",
            "over budget",
            path,
            1,
            fixes=(Fix("open", "raise memory_budget in the settings", of="settings"), archive),
        )
    elif _NEAR <= full.share <= 1:
        yield Finding(
            f"it is nearly full: {full.share:.0%} of its budget",
            less,
            "`workbench forget` or `workbench merge` what is not needed",
            "info",
            "over budget",
            path,
            1,
        )


# -- secrets and hidden text -----------------------------------------------------------------------


def secrets(subject: CheckSubject) -> Look:
    """Keys, tokens and passwords in any memory file."""
    for path, line, found, _ in _in_texts(subject, secrets_in):
        finding = Finding(
            str(found),
            "everybody who reads memory, and every agent, can see it",
            "revoke it, then `workbench forget` it; docs/purge.md removes it from the history",
            "error",
            "secret",
            path,
            line,
        )
        yield subject.corpus.placed(finding, "forget", "edit", "quarantine")


def hidden_text(subject: CheckSubject) -> Iterator[Finding]:
    """Text that an agent reads and a person does not see. Most comments only tell how a page is filled in."""
    for path, line, found, words in _in_texts(subject, hidden_in):
        if is_template(path, subject.corpus.by_path[path].kind):
            continue  # its comments say how to fill it in, and no agent is given it
        entry = subject.corpus.entry_at(path, line)
        if entry and entry.form is Form.CODE and found.rule in _SHOWN_AS_CODE:
            continue
        lines = [line.strip() for line in words.removeprefix("<!--").removesuffix("-->").split("\n")]
        is_note = (
            found.rule == "comment"
            and not _PAYLOAD.search(words)
            and not any(suspicion(one, "external") for one in (*lines, " ".join(lines)))
        )
        finding = Finding(
            str(found),
            "agents read it and people do not see it: it may instruct the agent",
            "`workbench quarantine` sets its entry aside",
            "info" if is_note else "warning",
            "hidden text",
            path,
            line,
        )
        yield subject.corpus.placed(finding, "quarantine", "edit", "forget")


_PAYLOAD = re.compile(
    r"://|\bwww\.\w|\w@\w|\d{9}|(?:\d{3,4}[ -]){3}\d{2}|\b[a-z]{2}\d{2}(?: ?[\da-z]{4}){3}", re.IGNORECASE
)
"""Where something could be sent to: a link, the address of a mail, the number of an account."""
_SHOWN_AS_CODE = ("comment", "hidden HTML", "link definition", "link title")
"""What only rendering hides, and so nothing where it is code: its fences are known, its indent is not."""


def _in_texts(subject: CheckSubject, find: Find) -> Iterator[tuple[str, int, TextFinding, str]]:
    """What is found in the memory files, with the file, the line, and the text itself."""
    for document in subject.corpus.documents:
        # Bytes that are no UTF-8 stay what they are.
        text = document.data.decode("utf-8", "surrogateescape")
        for found, line in _with_lines(text, find):
            yield document.path, line, found, text[found.start : found.end]


def secrets_in_history(place: Workspace, path: str | None, looked: dict[str, int]) -> Iterator[Finding]:
    """Secrets in the messages and the memory files (or in one) of all commits, each text once.

    ``looked`` is filled with how many commits and versions that were.
    """
    seen: set[str] = set()
    looked |= {"commits": 0, "versions": 0}

    def is_new(folder: str, tree: str) -> bool:
        known = f"{tree} {folder}" in seen  # the same folder elsewhere holds files of other names
        seen.add(f"{tree} {folder}")
        return not known

    wanted = place.layout.may_curate if path is None else path.__eq__
    for commit in map(place.history.commit, place.history.everything()):
        looked["commits"] += 1
        texts = [("(message)", commit.message)]
        for name, blob in place.history.files_in(commit.id, is_new):
            if blob not in seen and wanted(name):
                seen.add(blob)
                looked["versions"] += 1
                texts.append((name, place.history.stored(blob).decode("utf-8", "surrogateescape")))
        for where, text in texts:
            for found, line in _with_lines(text, secrets_in):
                yield Finding(
                    str(found),
                    do="docs/purge.md removes it from the history",
                    rule="secret",
                    path=where,
                    line=line,
                    commit=commit.id,
                )


def _with_lines(text: str, find: Find) -> Iterator[tuple[TextFinding, int]]:
    """What is found, in the order of the text, with the lines that each begins on."""
    findings = find(text)
    line, starts = 1, (0, *(found.start for found in findings))
    for (before, at), found in zip(pairwise(starts), findings, strict=True):
        line += text.count("\n", before, at)
        yield found, line


# -- what is over, fades, contradicts, or does not say where it is from ----------------------------


def expiry(subject: CheckSubject) -> Iterator[Finding]:
    """Episodes whose time is over, or is soon, and curated entries whose own date of expiry has passed."""
    usage = UsageIndex(subject.workspace)
    for document in subject.corpus.documents:
        if document.kind is Kind.EPISODE:
            yield from _expiring_episode(document, subject.today, usage.of(document.path).times)
    for entry in subject.corpus.curated:
        day = entry.origin.day("valid_until")
        if day and day < subject.today and not entry.pinned:
            yield about(
                entry,
                "expired",
                f"valid until {day}: {shown(entry.title)}",
                "it is about a time that has passed",
                "`workbench edit`, `workbench archive` or `workbench forget` it",
                "info" if entry.kind is Kind.ENTITY else "warning",  # a page keeps its history
                fixes=(fix_of(entry, "forget"), fix_of(entry, "edit")),
            )


def _expiring_episode(document: Document, today: date, times: int) -> Iterator[Finding]:
    episode = read_episode(document)
    left = episode.days_left(today)
    if left is None or left > LATER:
        return
    kept = "it was promoted" if episode.promoted_at else "nothing was promoted from it"
    times = max(episode.recall_count, times)
    recalled = f"recalled {plural(times, 'time')}" if times else "never recalled"
    fixes = [
        Fix("extend", "keep it 30 days longer", (document.path,)),
        Fix("pin", "pin it: it never expires", (document.path,)),
    ]
    if left < 0:
        fixes.append(Fix("expire", "remove all expired episodes"))
    yield Finding(
        f"{countdown(episode, today)}: {shown(episode.abstract)}",
        f"{kept}; {recalled}. The nightly job removes it when it expires; git keeps it",
        "`workbench promote` what should last; `workbench episodes extend` or `pin` keeps the episode",
        "warning" if left <= SOON and not episode.promoted_at else "info",
        "expired" if left < 0 else "expiry",
        document.path,
        1,
        fixes=tuple(fixes),
    )


def origin(subject: CheckSubject) -> Look:
    """Long-term memory that does not say where it comes from, and logs without a date: one remark a file."""
    for document in subject.corpus.documents:
        whole = [entry for entry in document.entries if entry.part == 1]
        bare: list[Entry] = []
        if document.kind in (Kind.MEMORY, Kind.ENTITY):
            bare = [entry for entry in whole if entry.provenance is None]
            what = "have no source"
        elif document.kind in (Kind.LOG, Kind.EPISODE):
            bare = [entry for entry in whole if entry.date is None]
            what = "have no date"
        if bare:
            meaning = "age or trust unknown"
            yield about(bare[0], "unsaid", f"{len(bare)} of {len(whole)} entries {what}", meaning, "", "info")


def without_origin(subject: CheckSubject) -> Iterator[Finding]:
    """The same, entry by entry: long-term memory of which nobody can say where it comes from."""
    for entry in subject.corpus.entries:
        if is_long_term(entry) and entry.provenance is None and is_whole(entry):
            yield about(entry, "no source", shown(entry.title), "", "", "info")


def is_whole(entry: Entry) -> bool:
    """Whether it counts as one entry: no bare heading, and no further part of a long one."""
    return entry.part == 1 and entry.form is not Form.HEADING


def is_long_term(entry: Entry) -> bool:
    """Whether it was chosen to be kept, so that one may ask where it is from."""
    return entry.kind in (Kind.MEMORY, Kind.ENTITY) or entry.path.startswith(ARCHIVE)


def fading(subject: CheckSubject) -> Look:
    """Memories of the graph whose importance is running out, before decay proposes to forget them."""
    workspace, today = subject.workspace, subject.today
    recalls = read_recalls(workspace.ledger.read("recalls"))
    decided = settled_keys(workspace, "let go")
    for one in will_fade(read_graph(workspace), recalls, today=today, within=LATER, decided=decided):
        memory, days = one.held.memory, (one.on - today).days
        when = "has faded" if days <= 0 else f"fades in {plural(days, 'day')}, on {one.on}"
        yield about(
            memory.entry,
            "fading",
            f"{when}: {shown(memory.text)}",
            f"its importance was {memory.importance:.2f} and is {one.value:.2f}; below "
            f"{FORGET_BELOW} it is proposed for forgetting, and a person decides. A recall resets this",
            "`workbench pin` keeps it; `workbench forget` removes it now",
            "info",
            fixes=(
                fix_of(memory.entry, "pin", "pin it: it never fades"),
                fix_of(memory.entry, "forget", "forget it now"),
            ),
        )


def contradictions(subject: CheckSubject) -> Iterator[Finding]:
    """Pairs of curated entries that give one thing two values, where a rule can tell.

    What is read as a statement, ``workbench.graph.contradictions`` says. Pages of the graph know more of
    what a line is about: their contradictions are those that nobody has answered yet.
    """
    said: dict[tuple[str, ...], list[tuple[Entry, Statement]]] = defaultdict(list)
    labels: dict[tuple[str, ...], str] = {}
    curated = subject.corpus.curated
    for entry, below in zip(curated, (*curated[1:], None), strict=False):
        section = (entry.path, *entry.heading)
        found = statement(entry)
        if found is None and _is_label(entry, below):
            labels[section] = entry.text
        elif found and not why_over(entry, subject.today):
            said[_topic(found, (*section, labels.get(section, "")))].append((entry, found))
    known = set()
    for (first, one), *rest in said.values():
        others = [(entry, other) for entry, other in rest if other.value != one.value]
        if not others:
            continue
        pair = [first, *(entry for entry, _ in others)]
        known.add(frozenset(entry.address for entry in pair))
        yield about(
            first,
            "contradiction",
            f"{one.subject} is {one.shown} here and {others[0][1].shown} at {place_of(pair[1])}",
            "an agent may receive either",
            "keep the valid one: `workbench edit`, `workbench merge` or `workbench forget`",
            others=pair[1:],
            fixes=(
                *(fix_of(entry, "forget", f"forget: {shown(entry.title, _LABEL)}") for entry in pair[:NAMED]),
                *(fix_of(entry, "edit", f"edit: {shown(entry.title, _LABEL)}") for entry in pair[:2]),
            ),
        )
    graph, decided = read_graph(subject.workspace), settled_keys(subject.workspace)
    for claim in claims_that_contradict(graph, day=subject.today, decided=decided):
        entries = [claim.old.entries[0], claim.new.entries[0]]
        if frozenset(entry.address for entry in entries) not in known:
            yield about(
                entries[0],
                "contradiction",
                claim.question,
                "an agent may receive either; the second is newer",
                f"decide which is valid: `workbench graph settle {claim.key[:8]} keep|replace|both|reject`",
                others=entries[1:],
                fixes=tuple(_answers(claim)),
            )


def _answers(claim: Contradiction) -> Iterator[Fix]:
    """What can be answered to a contradiction of the graph."""
    for word, label in _ANSWERS:
        yield Fix("settle", label, (claim.key,), of=word)
    yield Fix("open", "see both beside each other, with where they come from", of="contradictions")
    for one in (claim.old, claim.new):
        yield Fix("forget-memory", f"forget: {shown(one.text, _LABEL)}", one.addresses)


def statement(entry: Entry) -> Statement | None:
    """The statement that an entry is, or None for all the others."""
    if entry.form not in (Form.ITEM, Form.PARAGRAPH) or len(entry.text.strip().splitlines()) > 1:
        return None
    return statement_in(without_emphasis(_TYPE.sub("", entry.title)))


_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)[^*_\n]{1,200}(?:\*\*|__)\s*[:：]?\s*")


def _is_label(entry: Entry, below: Entry | None) -> bool:
    """Whether it names what stands below it: alone on its line, with a colon or above a list."""
    if entry.form is not Form.PARAGRAPH or not _BOLD_LINE.fullmatch(entry.text):
        return False
    return entry.text.rstrip("*_ \n").endswith((":", "：")) or (below is not None and below.form is Form.ITEM)


def _topic(found: Statement, section: tuple[str, ...]) -> tuple[str, ...]:
    """Of whom it is said: a subject that names nobody (`Phone number: 1`) counts under its label only."""
    return (found.subject, *section) if SINGLE.issuperset(found.subject.split()) else (found.subject,)


# -- links that lead nowhere: relative ones, ``[[wiki]]`` links, sources of provenance ---------------

_LINK = re.compile(r"(?<!\\)\]\(\s{0,3}(?:<(?P<angle>[^<>\n]{1,1000})>|(?P<bare>[^\s()<>]{1,1000}))")
_WIKI = re.compile(
    r"(?<!\\)\[\[(?P<target>[^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]"
)
_DIRECTIVE = re.compile(r"(?:reply_?to(?:_?current)?|audio_?as(?:_?voice)?|tts)(?::.*)?")
"""What an agent writes for the program that sends its answers, in the same brackets."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SOURCE = re.compile(r"(?P<path>[^\s:#]+\.md)(?:#L(?P<first>[1-9]\d{0,8})(?:-L?\d{1,9})?)?")
_ANY_FILE = ("**/*",)
_NO_FILES = ("**/.*", "**/.*/**", "**/node_modules/**")
"""Files outside of memory (pages, pictures) can be linked to as well, but for these."""


def links(subject: CheckSubject) -> Look:
    """Relative links, wiki links and sources of entries that are not there. What is in code is no link.

    Those of one page into a folder that is not there are one finding. Where no wiki link leads anywhere, they
    speak of pages that are kept elsewhere; and a log says what was so on its day.
    """
    corpus, names = subject.corpus, _Names(subject)
    dead: dict[tuple[str, str], list[tuple[int, str, str]]] = defaultdict(list)
    is_wiki = False
    for document in corpus.documents:
        text = document.text
        if document.kind is Kind.DREAM or ("](" not in text and "[[" not in text):
            continue
        bare = CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        ends = [found.start() for found in re.finditer("\n", bare)]
        for found in _LINK.finditer(bare):
            target = found["angle"] or found["bare"]
            if (path := _relative(document.path, target)) is not None and not names.is_there(path):
                folder = posixpath.dirname(path)
                into = str(found.start()) if names.is_there(folder) else f"{folder}/"
                at = bisect.bisect_left(ends, found.start()) + 1
                dead[document.path, into].append((at, "link", target))
        for found in _WIKI.finditer(bare):
            if names.is_known(found["target"]):
                is_wiki = True
            elif not _DIRECTIVE.fullmatch(found["target"]):
                at = bisect.bisect_left(ends, found.start()) + 1
                dead[document.path, str(found.start())].append((at, "wiki link", found["target"].strip()))
    for (path, into), group in dead.items():
        line, sort, target = group[0]
        agent = subject.workspace.layout.agent_of(path)
        is_planned = sort == "wiki link" and (not is_wiki or (agent is not None and agent.plans_pages))
        is_log = corpus.by_path[path].kind in (Kind.LOG, Kind.EPISODE)
        what = f"the {sort} to {target} has no target"
        finding = Finding(
            what if len(group) == 1 else f"{len(group)} links point into {into}, which does not exist",
            "the target was moved, renamed or removed, or never existed",
            "correct it, or create the page",
            "info" if is_planned or is_log else "warning",
            f"dead {sort}",
            path,
            line,
        )
        yield corpus.placed(finding, "edit")
    for entry in corpus.entries:
        for source in entry.provenance.all("src") if entry.provenance and entry.part == 1 else ():
            yield from _dead_source(corpus, names, entry, source)


def _dead_source(corpus: Corpus, names: _Names, entry: Entry, source: str) -> Iterator[Finding]:
    """An entry that says it comes from a file, or a line of it, which is not there."""
    said = _SOURCE.fullmatch(source)
    if said is None or said["path"].startswith("/"):
        return
    path = posixpath.normpath(said["path"])
    document = corpus.by_path.get(path)
    if not names.is_there(path):
        what, do = "is not there", "`workbench show ENTRY` looks for it in the history"
    elif document is not None and int(said["first"] or 1) >= len(document.line_starts):
        what, do = "has fewer lines", "`workbench show ENTRY` finds where it was"
    else:
        return
    yield about(
        entry,
        "dead source",
        f"its source is {source}, which {what}",
        "its origin can only be found in the history",
        do,
        fixes=(fix_of(entry, "edit"),),
    )


class _Names:
    """What links can lead to: files, the names of pages, and what pages call themselves."""

    def __init__(self, subject: CheckSubject) -> None:
        self._root = subject.root
        self._elsewhere: frozenset[str] | None = None
        self._paths = set(subject.corpus.by_path)
        self._known: set[str] = set()
        for document in subject.corpus.documents:
            self._known |= names_of(document.path, document.front_matter)
            if document.headings and document.headings[0].level == 1:
                self._known.add(page_name(document.headings[0].path[-1]))

    def is_there(self, path: str) -> bool:
        """Whether a file or folder of the workspace has this path; nothing outside of it is looked at."""
        if path.startswith(("../", "/")) or path == "..":
            return True
        return path in self._paths or os.path.lexists(os.path.join(self._root, path))

    def is_known(self, target: str) -> bool:
        """Whether a wiki link's target is the name of a page, or a file."""
        name = target.strip()
        tail = posixpath.basename(name.rstrip("/"))
        if page_name(name) in self._known or page_name(tail) in self._known or self.is_there(name):
            return True
        if self._elsewhere is None:
            files = (file.path for file in scan(self._root, Layout(_ANY_FILE, _NO_FILES)))
            self._elsewhere = frozenset(page_name(end) for path in files for end in _ends(path))
        return page_name(name) in self._elsewhere


def _ends(path: str) -> Iterator[str]:
    """``a/b/c.md``, ``b/c.md``, ``c.md``: by any of them a wiki link may name a page."""
    parts = path.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)))


def _relative(page: str, target: str) -> str | None:
    """The path within the workspace that a link leads to; None for what is elsewhere or on the same page."""
    path = unquote(target.partition("#")[0].partition("?")[0])
    if not path or path.startswith(("/", "~")) or _SCHEME.match(path) or "\0" in path:
        return None
    if "/" not in path and "." not in path:
        return None  # `f(x)` after a bracket is no link to a file
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
