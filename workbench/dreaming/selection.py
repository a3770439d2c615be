"""Choosing: of the claims that may be proposed the best that nothing was decided of yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime

from workbench.dreaming.clusters import Cluster, same_claim, session_name
from workbench.dreaming.line_judgement import fact_type, why_of
from workbench.dreaming.normalisation import UNPARTED, is_bare_value, plain_words, template_of
from workbench.dreaming.novelty import LongTermIndex, Novelty, adds_nothing, telling_words
from workbench.dreaming.proposals.inbox import Book, waiting
from workbench.dreaming.score import ScoredCluster
from workbench.dreaming.survey import Survey, line_of
from workbench.dreaming.vetoes import veto
from workbench.frozen import frozen
from workbench.memory.claims import claim_key
from workbench.memory.proposal import Action, Proposal
from workbench.operations.sections import heading_for
from workbench.plural import plural
from workbench.safety.hidden_text import unsafe_in
from workbench.workspace.decisions import family_of, near_key
from workbench.workspace.workspace import Workspace

MOST_SOURCES = 8
"""Sources that a proposal names; how many more there are is said."""
TOUCHED = 0.25
"""Share of the entries of MEMORY.md that one run may merge into or supersede; one it always may."""
_LOOKED_AT = 20
"""Times the limit of claims of which novelty is worked out, the best by the other factors first."""
_SAME_FILE = 0.85
"""What each further claim of one file is multiplied by in the order of proposals, so no file takes all."""
_SHARED = 0.6
"""Share of the telling words of the shorter text that the other has, if both say the same and part none."""
_ALIKE = 0.8
"""Share of words in common from which two claims are not proposed side by side, nor one that is like what was
rejected."""


@frozen
class SelectedClaim:
    """A proposal, the claim that it is made of, and what the entry says that it would change."""

    proposal: Proposal
    judged: ScoredCluster
    entry_text: str = ""


class Chooser:
    """Chooses among the claims of one survey. ``left_out`` tells of each that passed and was not chosen why
    not.
    """

    def __init__(self, workspace: Workspace, known: Survey, now: datetime, limit: int | None = None) -> None:
        """``limit`` is the most that are chosen; where it is None the settings say it."""
        self.known = known
        self._limit = workspace.settings.dream_limit if limit is None else limit
        self.left_out: dict[str, str] = {}
        self._document = workspace.memory_document()
        self._memory = LongTermIndex(self._document)
        self._decided = _Decided(workspace, known.book, now)
        self._taken: set[str] = set()
        """Addresses of the entries that are changed by what is chosen."""

    def is_remembered(self, text: str) -> bool:
        """Whether long-term memory says this in the same words: what a person keeps there is theirs."""
        return self._memory.says((claim_key(text),)) is not None

    def choose(self) -> tuple[SelectedClaim, ...]:
        """The proposals, the best first, at most as many as the limit; one of each template."""
        passed = self._ranked()
        templates: set[str] = set()
        of_template: Counter[str] = Counter()  # counted once one asks
        chosen: list[SelectedClaim] = []
        for judged in passed:
            best, standing = judged.best, None
            template, said = "", ""
            if len(chosen) >= self._limit:
                why = f"a run proposes at most {self._limit} (`dream_limit`): score {judged.score:.2f}"
            elif twin := next((one for one in chosen if _says_the_same(one.judged, judged)), None):
                why = f"this run proposes nearly the same: {twin.judged.key}"
            else:
                standing, template = self._memory.standing(best.text, best.day), template_of(best.text)
                why = self._why_not(judged, standing)
                if not why and standing is None and template in templates:
                    of_template = of_template or Counter(template_of(one.best.text) for one in passed)
                    why = f"repeats a template with other numbers: {of_template[template]}"
            if why:
                self.left_out[best.key] = why
                self.known.skips.add(why, best.text)
                continue
            if standing is not None:
                self._taken.add(standing.entry.address)
                said = standing.entry.text
            templates.add(template)
            chosen.append(SelectedClaim(self._proposal(judged, standing), judged, said))
        return tuple(sorted(chosen, key=lambda one: _rank(one.judged)))

    def _ranked(self) -> list[ScoredCluster]:
        """What may be proposed: claims from a trusted source first, then by score."""
        passed = sorted((judged for judged in self.known.judged if judged.passed), key=_rank)
        most = _LOOKED_AT * self._limit
        best = [replace(one, novelty=self._memory.novelty(one.best.text)) for one in passed[:most]]
        before: Counter[str] = Counter()
        order: dict[str, float] = {}
        for one in sorted(best, key=_rank):
            path = one.best.path
            order[one.key] = one.score * _SAME_FILE ** before[path]
            before[path] += 1
        best.sort(key=lambda one: (not one.trusted, -order[one.key], one.key))
        return [*best, *passed[most:]]

    def _why_not(self, judged: ScoredCluster, standing: Novelty | None) -> str:
        """Why a claim that passed is not proposed all the same; empty where it may be.

        An entry of long-term memory that it would change may have to stay as it is.
        """
        best = judged.best
        if findings := unsafe_in(f"{best.heading}\n{best.context}"):
            return f"flagged: {'; '.join(findings)}"
        if why := self._decided.why(judged):
            return why
        known = self._memory.says(judged.keys)
        if known or standing is None:
            return f"known: {known.address} says it" if known else ""
        entry = standing.entry
        if standing.relation == "known":
            why = f"known: {entry.address} says it"
        elif entry.address in self._taken:
            why = f"this run already changes its entry: {entry.address}"
        elif entry.pinned:
            why = f"it would change a pinned entry: {entry.address}"
        elif len(self._taken) >= max(1, int(TOUCHED * len(self._memory.entries))):
            why = f"a quarter of long-term memory is already changed by this run: {entry.address}"
        return why

    def _proposal(self, judged: ScoredCluster, standing: Novelty | None) -> Proposal:
        best = judged.best
        origins = [m for m in reversed(judged.mentions) if m.trusted == best.trusted and m is not best]
        named = (best, *origins[: MOST_SOURCES - 1])  # what corroborates a trusted origin is none itself
        sessions = {session_name(mention) for mention in judged.mentions}
        line = line_of(best, self.known.recurring)
        action: Action = "add"
        if standing is not None:
            action = "merge" if standing.relation == "merge" else "supersede"
        return Proposal(
            key=best.key,
            action=action,
            text=(text := self._with_subject(judged)),
            section=heading_for(text, self._document),
            target=standing.entry.address if standing else "",
            type=fact_type(best.text),
            sources=tuple(dict.fromkeys(mention.source for mention in named)),
            entries=tuple(dict.fromkeys(mention.entry for mention in named)),
            session=next(iter(sessions)) if len(sessions) == 1 else "",
            score=judged.score,
            parts=judged.parts,
            gates=judged.gates,
            trust=best.origin,
            why=f"{why_proposed(judged, standing)}; {why_of(self.known.model, line)}",
        )

    def _with_subject(self, cluster: Cluster) -> str:
        """The words of a proposal; those that only give a value behind the heading that says of what."""
        best = cluster.best
        subject = plain_words(best.heading).rstrip(" :：")
        is_name = subject and all(one.heading == best.heading for one in cluster.mentions)
        is_name = is_name and best.heading not in self.known.recurring and not veto(subject)
        if is_name and is_bare_value(best.text) and not telling_words(subject) <= telling_words(best.text):
            return f"{subject}: {best.text}"
        return best.text


def _rank(judged: ScoredCluster) -> tuple[bool, float, str]:
    return not judged.trusted, -judged.score, judged.key


def _says_the_same(one: ScoredCluster, other: ScoredCluster) -> bool:
    """Whether nobody would want to read both: the other adds nothing, or differs in nothing that counts."""
    text, another = one.best.text, other.best.text
    if adds_nothing(another, text):
        return True
    if UNPARTED.search(text) and UNPARTED.search(another):
        words, others = telling_words(text), telling_words(another)
        return len(words & others) >= _SHARED * max(1, min(len(words), len(others)))
    return same_claim(text, another, likeness=_ALIKE)


def why_proposed(judged: ScoredCluster, standing: Novelty | None) -> str:
    """In a sentence for a person: where it was said, how it was used, what it would do to an entry."""
    recalls = judged.recalls
    days = len({mention.day for mention in judged.mentions})
    text = f"said in {plural(len(judged.mentions), 'place')} on {plural(days, 'day')} "
    text += f"({plural(judged.sources, 'independent source')})"
    if recalls.count:
        asked = f"by {plural(len(recalls.queries), 'question')} on {plural(len(recalls.days), 'day')}"
        text = f"recalled {plural(recalls.count, 'time')} {asked}; {text}"
    if not judged.trusted:
        text = f"its source is external: {text}"
    if standing is None:
        return text
    verb = "adds to" if standing.relation == "merge" else "is newer than"
    return f"{text}; it {verb} “{standing.entry.plain_title[:80]}”"


class _Decided:
    """The decisions of the ledger, and the proposals that are deferred, by the words of their claims."""

    def __init__(self, workspace: Workspace, book: Book, now: datetime) -> None:
        self._decisions = book.decisions
        self._deferred = {
            word: one.until
            for one in waiting(workspace, now, book=book)
            if one.hidden(now) and family_of(one.proposal.action) != "let go"
            for word in (one.proposal.key, near_key(one.proposal.text))
        }
        self._rejected = [
            proposal.text
            for name, (proposal, _) in book.proposals.items()
            if name[0] == "keep" and (said := book.decisions.newest.get(name)) and said.decision == "rejected"
        ]

    def why(self, cluster: Cluster) -> str:
        """Why it is not asked again, in a few words; empty where it may be."""
        for word in (*cluster.keys, near_key(cluster.best.text)):
            if found := self._decisions.blocked.get(("keep", word)):
                return f"decided: {found.said}"
            if until := self._deferred.get(word):
                return f"deferred: until {until}"
        for rejected in self._rejected:
            if same_claim(rejected, cluster.best.text, likeness=_ALIKE):
                return "decided: nearly the same was rejected"
        return ""
