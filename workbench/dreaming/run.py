"""A dream: memory is read, every claim is judged, and the best are proposed; or why one is, or is not."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from workbench.dreaming.candidates import MOST_TOKENS, why_no_sources
from workbench.dreaming.clusters import Cluster
from workbench.dreaming.eviction import make_room
from workbench.dreaming.line_judgement import fact_type, judged, why_of
from workbench.dreaming.proposals.inbox import propose
from workbench.dreaming.proposals.information_loss import lost
from workbench.dreaming.proposals.suspicious import suspicious_proposals
from workbench.dreaming.result import (
    Dream,
    Explanation,
    OnProgress,
    SkippedClaims,
    telling,
    unheard,
)
from workbench.dreaming.score import ScoredCluster
from workbench.dreaming.selection import MOST_SOURCES, Chooser, SelectedClaim, why_proposed
from workbench.dreaming.survey import line_of, survey
from workbench.dreaming.vetoes import veto
from workbench.errors import WorkbenchError
from workbench.graph.drafts import excerpt
from workbench.llm.language_model import (
    WITHOUT_MODEL,
    Answer,
    LanguageModel,
    LanguageModelError,
    PromptPassage,
    ask_json,
    language_model_or_why,
)
from workbench.memory.claims import claim_key, claim_words, distinction
from workbench.memory.model_window import word_pieces
from workbench.memory.provenance import least_trusted
from workbench.safety.terminal import hidden
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace

_SUSPICIOUS = 5
"""Suspicious lines of one run that are listed."""


# -- a dream -----------------------------------------------------------------------------------------


def dream(
    workspace: Workspace,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    limit: int | None = None,
    tell: OnProgress = unheard,
) -> Dream:
    """Dream once, as of ``now``. Nothing is written.

    ``limit`` is the most proposals of this run; where it is None the settings say it. A ``model`` words
    proposals that have several sources; without one, and where it fails, the words are a source's own.
    ``tell`` hears how far it is, and may stop it. Raises whatever ``tell`` raises.
    """
    began = time.perf_counter()
    now = now if now.tzinfo else now.astimezone()
    known = survey(workspace, now, SkippedClaims(), tell)
    tell("choosing", 0, 0)
    chooser = Chooser(workspace, known, now, limit)
    chosen = chooser.choose()
    tell("wording", 0, len(chosen))
    final, wording_notes = worded(chosen, model, workspace.settings.language_timeout)
    proposals = [choice.proposal for choice in final]
    leaving, room = make_room(workspace, known.model, proposals, now)
    for claim in telling(known.judged, tell, "wording", len(chosen)):
        if not claim.passed:
            known.skips.add(claim.left_out, claim.best.text)
    suspects = [one for one in known.found.suspicious if not chooser.is_remembered(one.text)]
    marked = suspicious_proposals(workspace, suspects, now)
    made = (*proposals, *leaving, *marked[:_SUSPICIOUS])
    more = len(marked) - _SUSPICIOUS
    unlisted = f"{more} more suspicious lines are not listed and were not learned" if more > 0 else ""
    run = f"{now:%Y%m%d-%H%M%S}"
    return Dream(
        run=run,
        considered=len(known.judged),
        gated=sum(judged.passed for judged in known.judged),
        proposals=tuple(replace(proposal, run=run, made_at=now) for proposal in made),
        skipped=tuple(known.skips.named),
        reasons=dict(known.skips.reasons.most_common()),
        notes=(*known.notes, *wording_notes, *filter(None, [room, unlisted])),
        took=time.perf_counter() - began,
    )


# -- why a claim is proposed, or is not --------------------------------------------------------------

_KEY = re.compile(r"[0-9a-f]{4,16}")


def explain(
    workspace: Workspace, key_or_text: str, now: datetime, *, tell: OnProgress = unheard
) -> Explanation:
    """Why the claim that ``key_or_text`` names is, or is not, proposed at ``now``.

    That is its score and how far each gate is, or where it was left out. The claim is named by (the beginning
    of) its key, by the address of an entry, by its words, or by a part of them. Nothing is written.
    """
    now = now if now.tzinfo else now.astimezone()
    wanted = _Wanted(workspace, key_or_text)
    skips = SkippedClaims(lambda text: wanted.holds(text) or wanted.names(claim_key(text)))
    known = survey(workspace, now, skips, tell)
    found = wanted.among(known.judged)
    if found is None:
        seen = skips.seen
        verdict = f"it is not a candidate: {seen.why}" if seen else _why_unread(workspace, wanted)
        named = seen or wanted
        return Explanation(key=named.key, text=named.text, proposed=False, verdict=verdict)
    chooser = Chooser(workspace, known, now)
    recalls = found.recalls
    line = line_of(found.best, known.recurring)
    choice = next((one for one in chooser.choose() if one.proposal.key == found.key), None)
    if choice is not None:
        found = choice.judged
        verdict = f"it is proposed ({choice.proposal.action})"
    elif found.passed:
        verdict = f"it qualifies but is left out: {chooser.left_out[found.key]}"
    else:
        verdict = f"it is not proposed: {found.left_out}"
        if not found.salience:  # a run that has a great many to judge did not look at it
            (judgement,) = judged(known.model, [line])
            found = replace(found, salience=judgement.score)
    return Explanation(
        key=found.key,
        text=found.best.text,
        proposed=choice is not None,
        verdict=verdict,
        score=found.score,
        parts=found.parts,
        gates=found.gates,
        sources=tuple(dict.fromkeys(mention.source for mention in found.mentions))[:MOST_SOURCES],
        facts={
            "recalls": recalls.count,
            "questions": len(recalls.queries),
            "recall_days": len(recalls.days),
            "daily": found.days,
            "grounded": found.sources,
            "mentions": len(found.mentions),
            "trust": found.best.origin,
            "type": fact_type(found.best.text),
            "why": why_proposed(found, None),
            "words": why_of(known.model, line),
        },
    )


def _why_unread(workspace: Workspace, wanted: _Wanted) -> str:
    """Why what was asked about is no claim, where it stands in a file that is no source, or nowhere."""
    files = workspace.scan()
    why_not = why_no_sources(files)
    for file in files:
        with contextlib.suppress(OSError, WorkbenchError):
            for entry in workspace.document(file.path).entries:
                if wanted.holds(entry.text):
                    why = why_not.get(file.path) or "it is a part of no claim there"
                    return f"it is not a candidate: it is in {file.path}:{entry.start_line}; {why}"
    return "no memory file contains it: `workbench search` finds similar words"


class _Wanted:
    """What was asked about, by key, address or words."""

    def __init__(self, workspace: Workspace, said: str) -> None:
        self.said = self.text = said.strip()
        if "#" in said:
            with contextlib.suppress(WorkbenchError, OSError):
                entry = workspace.find(self.said)
                self.said, self.text = entry.address, entry.text
        self.key = claim_key(self.text)
        self._prefix = self.said.casefold() if _KEY.fullmatch(self.said.casefold()) else ""
        self._words = " ".join(claim_words(self.text))

    def among(self, judged: Sequence[ScoredCluster]) -> ScoredCluster | None:
        """The claim that is meant most surely; None where none is."""
        ways: tuple[Callable[[Cluster], bool], ...] = (
            lambda cluster: self.key in cluster.keys,
            lambda cluster: any(map(self.names, cluster.keys)),
            lambda cluster: "#" in self.said and any(m.entry.startswith(self.said) for m in cluster.mentions),
            lambda cluster: any(self.holds(mention.text) for mention in cluster.mentions),
        )
        return next((one for way in ways for one in judged if way(one)), None)

    def names(self, key: str) -> bool:
        """Whether a claim's key is the one that was given, or begins so."""
        return key == self.key or (bool(self._prefix) and key.startswith(self._prefix))

    def holds(self, text: str) -> bool:
        """Whether the words stand in ``text``."""
        return bool(self._words) and self._words in " ".join(claim_words(text))


# -- a task of the worker ----------------------------------------------------------------------------


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Dream, or explain; see ``workbench.worker``. Raises what these raise.

    ``{}`` dreams, and the proposals then wait as those of `workbench dream` do; ``{"explain": "KEY or
    words"}`` writes nothing. ``now`` names the moment as of which. It can be stopped at any time: until its
    proposals are written down nothing is, and they are in one write.
    """
    now = moment(parameters.get("now"))
    with closing(Workspace.open(root)) as workspace:
        if what := parameters.get("explain"):
            return {
                "explanation": msgspec.to_builtins(explain(workspace, str(what), now, tell=context.progress))
            }
        model, why_none = language_model_or_why(workspace.settings)
        dreamt = dream(workspace, now=now, model=model, tell=context.progress)
        if why_none:
            dreamt = replace(dreamt, notes=(f"{WITHOUT_MODEL}: {why_none}", *dreamt.notes))
        context.require_not_stopped()
        dreamt = dreamt.put_forward(propose(workspace, dreamt.proposals, now, replaces=True))
        return {"outcome": msgspec.to_builtins(dreamt)}


# -- the words of a proposal -------------------------------------------------------------------------

_MAX_TOKENS = 2_048
_MOST_PASSAGES = 6
"""Wordings of one claim that a model is shown."""
_TASK = """\
Each group of passages (c1.1, c1.2, … are one group) says the same in several ways. Write for each group one
sentence that says all that its passages say and nothing else, in their language and with their own words
where that is possible. Keep every number, name, date, identifier and negation. Name under `sources` the
passages that the sentence is made of. Leave out a group that cannot be said in one sentence."""


class _Wording(Answer):
    """One sentence for the group ``name``, made of the passages ``sources``."""

    name: str
    text: Annotated[str, Meta(min_length=1, max_length=1_000)]
    sources: Annotated[tuple[str, ...], Meta(min_length=1, max_length=20)]


class _Wordings(Answer):
    claims: Annotated[tuple[_Wording, ...], Meta(max_length=100)]


_Passages = Mapping[str, tuple[str, str]]
"""The wordings of one claim by the names that a model knows them by, each with its trust."""


def worded(
    chosen: Sequence[SelectedClaim], model: LanguageModel | None, timeout: float
) -> tuple[tuple[SelectedClaim, ...], tuple[str, ...]]:
    """The choices in their final words, and what to tell of how these were found. ``timeout`` in seconds.

    The words are a source's own, or a model's where nothing is lost by that. Without a model, or where it
    fails, they are the best sentence of the cluster, verbatim. With one, a claim that is worded in several
    ways (or merges into an entry) gets one wording, which is believed only if it names sources that exist,
    keeps every number, name and negation of all of them, and brings none of its own.
    """
    groups = {f"c{number}": _passages(f"c{number}", choice) for number, choice in enumerate(chosen, 1)}
    data = [PromptPassage(name, text) for passages in groups.values() for name, (text, _) in passages.items()]
    if model is None or not data:
        return tuple(chosen), ()
    try:
        answered = ask_json(model, _Wordings, task=_TASK, data=data, max_tokens=_MAX_TOKENS, timeout=timeout)
    except LanguageModelError as error:
        return tuple(chosen), (f"without the model, in the words of the sources: {error.args[0]}",)
    answers = {claim.name: claim for claim in reversed(answered.claims)}  # of several for one the first
    out, refused = list(chosen), []
    for place, (name, passages) in enumerate(groups.items()):
        answer = answers.get(name)
        why = _why_not(passages, answer) if answer else "the model omitted it"
        if passages and answer and not why:
            out[place] = _reworded(chosen[place], passages, answer, model.name)
        elif passages:
            refused.append(f"“{excerpt(chosen[place].proposal.text)}” keeps its original text: {why}")
    asked = sum(map(bool, groups.values()))
    said = f"{asked - len(refused)} of {len(chosen)} proposals are in the words of {model.name}"
    return tuple(out), (said, *refused)


def _passages(name: str, choice: SelectedClaim) -> _Passages:
    """What a model could make one of; empty where there is but one wording."""
    best = choice.judged.best
    wordings: dict[str, str] = {best.text: best.origin}
    for mention in choice.judged.mentions:
        if len(wordings) < _MOST_PASSAGES:
            wordings.setdefault(mention.text, mention.origin)
    if choice.entry_text and choice.proposal.action == "merge":
        wordings.setdefault(choice.entry_text, choice.proposal.trust)
    if len(wordings) < 2:
        return {}
    return {f"{name}.{number}": wording for number, wording in enumerate(wordings.items(), 1)}


def _why_not(passages: _Passages, answer: _Wording) -> str:
    """Why an answer is not believed; empty where it is."""
    text, unknown = " ".join(answer.text.split()), sorted(set(answer.sources) - passages.keys())
    words = [words for words, _ in passages.values()]
    turns = set(distinction(text).turns)
    why = ""
    if unknown:
        why = f"the answer cites {unknown[0][:20]}, which is not one of its sources"
    elif word_pieces(text) > MOST_TOKENS or hidden(text):
        why = "the answer is too long, or holds hidden characters"
    elif reason := veto(text):
        why = f"the answer is not a fact ({reason})"
    elif gone := [token for passage in words for token in lost(passage, text)]:
        why = f"the answer drops {gone[0][:40]}"
    elif invented := lost(text, " ".join(words)):
        why = f"the answer invents {invented[0][:40]}"
    elif any(set(distinction(passage).turns) != turns for passage in words):
        why = "the answer drops or adds a negation"
    return why


def _reworded(choice: SelectedClaim, passages: _Passages, answer: _Wording, model: str) -> SelectedClaim:
    """The choice in the model's words, with the sources of these, as trusted as the least trusted of them."""
    proposal = choice.proposal
    used = {passages[name] for name in answer.sources}
    words = {text for text, _ in used}
    named = [m for m in choice.judged.mentions if m.text in words][:MOST_SOURCES]
    sources = tuple(dict.fromkeys(mention.source for mention in named)) or proposal.sources
    changed = replace(
        proposal,
        text=" ".join(answer.text.split()),
        sources=sources,
        entries=tuple(dict.fromkeys(mention.entry for mention in named)) or proposal.entries,
        trust=least_trusted(*(trust for _, trust in used)),
        why=f"{proposal.why}; worded by {model}, from {', '.join(sources)}",
    )
    return replace(choice, proposal=changed)
