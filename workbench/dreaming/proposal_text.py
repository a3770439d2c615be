"""Wording: the words of a proposal are a source's own, or a model's where nothing is lost by that.

Without a model, or where it fails, the text is the best sentence of the cluster, verbatim. With one, a claim
that is worded in several ways (or merges into an entry) gets one wording, which is believed only if it names
sources that exist, keeps every number, name and negation of all of them, and brings none of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from workbench.dreaming.candidates import MOST_TOKENS
from workbench.dreaming.proposals.information_loss import lost
from workbench.dreaming.selection import MOST_SOURCES, SelectedClaim
from workbench.dreaming.vetoes import veto
from workbench.graph.drafts import excerpt
from workbench.llm.language_model import Answer, LanguageModel, LanguageModelError, PromptPassage, ask_json
from workbench.memory.claims import distinction
from workbench.memory.model_window import word_pieces
from workbench.memory.provenance import least_trusted
from workbench.safety.terminal import hidden

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
    """The choices in their final words, and what to tell of how these were found. ``timeout`` in seconds."""
    groups = {f"c{number}": _passages(f"c{number}", choice) for number, choice in enumerate(chosen, 1)}
    data = [PromptPassage(name, text) for passages in groups.values() for name, (text, _) in passages.items()]
    if model is None or not data:
        return tuple(chosen), ()
    try:
        answered = ask_json(model, _Wordings, task=_TASK, data=data, max_tokens=_MAX_TOKENS, timeout=timeout)
    except LanguageModelError as error:
        return tuple(chosen), (f"without the model, in the words of the sources: {error.args[0]}",)
    answers = {claim.name: claim for claim in reversed(answered.claims)}  # of several for one the first
    out, refused = [], []
    for choice, (name, passages) in zip(chosen, groups.items(), strict=True):
        answer = answers.get(name)
        why = _why_not(passages, answer) if answer else "the model omitted it"
        if passages and answer and not why:
            out.append(_reworded(choice, passages, answer, model.name))
            continue
        out.append(choice)
        refused += [f"“{excerpt(choice.proposal.text)}” keeps its original text: {why}"] if passages else []
    asked = sum(map(bool, groups.values()))
    said = f"{asked - len(refused)} of {len(chosen)} proposals are in the words of {model.name}"
    return tuple(out), (said, *refused)


def _passages(name: str, choice: SelectedClaim) -> _Passages:
    """What a model could make one of; empty where there is but one wording."""
    best = choice.judged.cluster.best
    wordings = {best.text: best.trust}
    for mention in choice.judged.cluster.mentions:
        if len(wordings) < _MOST_PASSAGES:
            wordings.setdefault(mention.text, mention.trust)
    if choice.entry_text and choice.proposal.action == "merge":
        wordings.setdefault(choice.entry_text, choice.proposal.trust)
    if len(wordings) < 2:
        return {}
    return {f"{name}.{number}": wording for number, wording in enumerate(wordings.items(), 1)}


def _why_not(passages: _Passages, answer: _Wording) -> str | None:
    """Why an answer is not believed; None where it is."""
    text, sources = " ".join(answer.text.split()), set(answer.sources)
    if unknown := sorted(sources - passages.keys()):
        return f"the answer cites {unknown[0][:20]}, which is not one of its sources"
    if word_pieces(text) > MOST_TOKENS or hidden(text):
        return "the answer is too long, or holds hidden characters"
    if why := veto(text):
        return f"the answer is not a fact ({why})"
    return _lost(text, [words for words, _ in passages.values()])


def _lost(text: str, passages: Sequence[str]) -> str | None:
    """What a wording drops of its sources, or invents beside them; None where it does neither."""
    for passage in passages:
        if gone := lost(passage, text):
            return f"the answer drops {gone[0][:40]}"
    if invented := lost(text, " ".join(passages)):
        return f"the answer invents {invented[0][:40]}"
    turns = set(distinction(text).turns)
    if any(set(distinction(passage).turns) != turns for passage in passages):
        return "the answer drops or adds a negation"
    return None


def _reworded(choice: SelectedClaim, passages: _Passages, answer: _Wording, model: str) -> SelectedClaim:
    """The choice in the model's words, with the sources of these, as trusted as the least trusted of them."""
    proposal = choice.proposal
    used = {passages[name] for name in answer.sources}
    words = {text for text, _ in used}
    named = [m for m in choice.judged.cluster.mentions if m.text in words][:MOST_SOURCES]
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
