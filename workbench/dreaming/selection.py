"""Choosing: of the claims that pass their gates the best that nothing was decided of yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from workbench.dreaming.clusters import same_claim, session_name
from workbench.dreaming.inputs import Survey
from workbench.dreaming.judge import Judged
from workbench.dreaming.novelty import LongTerm, Novelty, adds_nothing
from workbench.dreaming.past_decisions import Decided
from workbench.dreaming.phases import RECURRING, pattern_strength
from workbench.memory.proposal import Action, Proposal
from workbench.operations.sections import section_for
from workbench.safety.findings import by_rule
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import secrets_in
from workbench.salience.facts import Family
from workbench.workspace.workspace import Workspace

MOST_SOURCES = 8
"""Sources that a proposal names; how many more there are is said."""
TOUCHED = 0.25
"""Share of the entries of MEMORY.md that one run may merge into or supersede."""
RECURRING_PATTERNS = "Recurring Patterns"
_FACTS = "Project Facts"
_ALIKE = 0.8
"""Share of words in common from which two claims are not proposed side by side."""


@dataclass(frozen=True, slots=True)
class SelectedClaim:
    """A proposal, the claim that it is made of, and what the entry says that it would change."""

    proposal: Proposal
    judged: Judged
    entry_text: str = ""


class Chooser:
    """Chooses among the claims of one survey. ``notes`` tell what did not find room, ``left_out`` of each
    claim that passed its gates and was not chosen why not.
    """

    def __init__(self, workspace: Workspace, known: Survey, now: datetime) -> None:
        self.known = known
        self.notes: list[str] = []
        self.left_out: dict[str, str] = {}
        self._document = workspace.memory_document()
        self._memory = LongTerm(self._document)
        self._decided = Decided(workspace, known.book, now)
        self._taken: set[str] = set()

    def choose(self) -> tuple[SelectedClaim, ...]:
        """The proposals, the best first, at most as many as the limit."""
        passed = sorted(
            (judged for judged in self.known.judged if judged.passed),
            key=lambda judged: (not judged.cluster.trusted, -judged.score.total, judged.cluster.key),
        )
        chosen: list[SelectedClaim] = []
        for number, judged in enumerate(passed):
            if len(chosen) >= self.known.gates.limit:
                self._beyond(passed[number:])
                break
            if twin := next(
                (c.judged.cluster.best for c in chosen if _says_the_same(c.judged, judged)), None
            ):
                self._leave_out(judged, f"nearly the same is proposed by this run: {twin.key}")
            elif choice := self._choice(judged):
                chosen.append(choice)
        return tuple(chosen)

    def why_not(self, judged: Judged) -> str | None:
        """Why a claim that passed its gates is not proposed all the same; None where it may be."""
        best = judged.cluster.best
        if findings := (*secrets_in(best.context), *hidden_in(best.context)):
            return f"flagged: {'; '.join(by_rule(findings))}"
        if why := self._decided.why(judged.cluster):
            return why
        if entry := self._memory.says(judged.cluster.keys):
            return f"known: {entry.address} says it"
        standing = self._memory.standing(best.text, best.day)
        return self._keeps(standing) if standing is not None else None

    def _keeps(self, standing: Novelty) -> str | None:
        """Why an entry of long-term memory stays as it is; None where it may be changed."""
        entry = standing.entry
        if standing.relation == "known":
            return f"known: {entry.address} says it"
        if entry.address in self._taken:
            return f"its entry is changed by this run already: {entry.address}"
        if entry.pinned:
            return f"it would change a pinned entry: {entry.address}"
        if len(self._taken) >= self.touchable:
            return f"a quarter of long-term memory is changed by this run already: {entry.address}"
        return None

    @property
    def touchable(self) -> int:
        """Entries of long-term memory that one run may change: a quarter of them, one at least."""
        return max(1, int(TOUCHED * len(self._memory.entries)))

    def _choice(self, judged: Judged) -> SelectedClaim | None:
        best = judged.cluster.best
        if why := self.why_not(judged):
            self._leave_out(judged, why)
            return None
        standing = self._memory.standing(best.text, best.day)
        if standing is not None:
            self._taken.add(standing.entry.address)
        return SelectedClaim(
            self._proposal(judged, standing), judged, standing.entry.text if standing else ""
        )

    def _proposal(self, judged: Judged, standing: Novelty | None) -> Proposal:
        cluster, best = judged.cluster, judged.cluster.best
        origins = [m for m in reversed(cluster.mentions) if m.trusted == best.trusted and m is not best]
        named = (best, *origins[: MOST_SOURCES - 1])  # what corroborates a trusted origin is none itself
        sessions = {session_name(mention) for mention in cluster.mentions}
        action: Action = "add"
        if standing is not None:
            action = "merge" if standing.relation == "merge" else "supersede"
        return Proposal(
            key=best.key,
            action=action,
            text=best.text,
            section=self._section(judged),
            target=standing.entry.address if standing else "",
            type=best.fact.type,
            sources=tuple(dict.fromkeys(mention.source for mention in named)),
            entries=tuple(dict.fromkeys(mention.entry for mention in named)),
            session=next(iter(sessions)) if len(sessions) == 1 else "",
            score=judged.score.total,
            parts=judged.score.parts,
            gates=judged.gates,
            trust=best.trust,
            why=why_proposed(judged, standing),
            by="dreaming",
        )

    def _section(self, judged: Judged) -> str:
        """Where it belongs by its words; what recurs and is no matter of fact is a pattern."""
        best = judged.cluster.best
        section = section_for(best.text, self._document)
        recurs = pattern_strength(judged.active, self.known.today) >= RECURRING
        plain = section == _FACTS and best.fact.family in (Family.EVENT, Family.ACTION, Family.OTHER)
        return RECURRING_PATTERNS if recurs and plain else section

    def _beyond(self, rest: list[Judged]) -> None:
        self.notes.append(
            f"{len(rest):,} more passed their gates; the limit is {self.known.gates.limit} to keep a run"
        )
        for judged in rest:
            self._leave_out(judged, f"beyond the limit: score {judged.score.total:.2f}")

    def _leave_out(self, judged: Judged, why: str) -> None:
        best = judged.cluster.best
        self.left_out[best.key] = why
        self.known.skips.add(best.key, why, best.text)


def _says_the_same(one: Judged, other: Judged) -> bool:
    """Whether nobody would want to read both: the other adds nothing, or differs in nothing that counts."""
    text, another = one.cluster.best.text, other.cluster.best.text
    if adds_nothing(another, text):
        return True
    return same_claim(text, another, likeness=_ALIKE)


def why_proposed(judged: Judged, standing: Novelty | None) -> str:
    """In a sentence for a person: by which rule, and what it would do to an entry that is there."""
    signals, cluster = judged.signals, judged.cluster
    days = len({mention.day for mention in cluster.mentions})
    said = f"said in {_some(len(cluster.mentions), 'place')} on {_some(days, 'day')} "
    said += f"({_some(judged.sources, 'independent source')})"
    if judged.grounded:
        text = f"{said}; judged by its ground, as nothing tells yet what is recalled"
    else:
        asked = f"by {_some(signals.queries, 'question')} on {_some(len(signals.days), 'day')}"
        text = f"recalled {_some(signals.recalls, 'time')} {asked}; {said}"
    if not cluster.trusted:
        text = f"its words are from outside: {text}"
    if standing is None:
        return text
    verb = "adds to" if standing.relation == "merge" else "is newer than"
    return f"{text}; it {verb} “{standing.entry.plain_title[:80]}”"


def _some(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
