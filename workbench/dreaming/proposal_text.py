"""Wording: the words of a proposal are a source's own, or a model's where nothing is lost by that.

Without a model, or where it fails, the text is the best sentence of the cluster, verbatim. With one, a claim
that is worded in several ways (or merges into an entry) gets one wording, which is believed only if it names
sources that exist, keeps every number, name and negation of all of them, and brings none of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.dreaming.candidates import MOST_TOKENS
from workbench.dreaming.proposals.information_loss import lost
from workbench.dreaming.proposals.safety_flags import title
from workbench.dreaming.selection import MOST_SOURCES, SelectedClaim
from workbench.dreaming.vetoes import veto
from workbench.llm.language_model import LanguageModel, LanguageModelError, Passage, ask_json
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
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "maxItems": 100,
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "maxLength": 20},
                    "text": {"type": "string", "minLength": 1, "maxLength": 1_000},
                    "sources": {
                        "type": "array",
                        "items": {"type": "string", "maxLength": 20},
                        "minItems": 1,
                        "maxItems": 20,
                    },
                },
                "required": ["name", "text", "sources"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class _Group:
    """One claim in its wordings, by the names that a model knows them by."""

    name: str
    choice: SelectedClaim
    passages: Mapping[str, str]
    trusts: Mapping[str, str]


def worded(
    chosen: Sequence[SelectedClaim], model: LanguageModel | None, timeout: float
) -> tuple[tuple[SelectedClaim, ...], tuple[str, ...]]:
    """The choices in their final words, and what to tell of how these were found. ``timeout`` in seconds."""
    groups = {
        id(choice): group for number, choice in enumerate(chosen, 1) if (group := _group(number, choice))
    }
    if model is None or not groups:
        return tuple(chosen), ()
    try:
        answers = _asked(model, list(groups.values()), timeout)
    except LanguageModelError as error:
        return tuple(chosen), (f"without the model, in the words of the sources: {error.args[0]}",)
    out, refused = [], []
    for choice in chosen:
        group = groups.get(id(choice))
        answer = answers.get(group.name) if group else None
        why = _why_not(group, answer) if group and answer else "the model omitted it"
        if group is None or answer is None or why:
            out.append(choice)
            refused += [f"“{title(choice.proposal.text)}” keeps its original text: {why}"] if group else []
            continue
        out.append(_reworded(group, answer, model.name))
    said = f"{len(groups) - len(refused)} of {len(chosen)} proposals are in the words of {model.name}"
    return tuple(out), (said, *refused)


def _group(number: int, choice: SelectedClaim) -> _Group | None:
    """What a model could make one of; None where there is but one wording."""
    name = f"c{number}"
    best = choice.judged.cluster.best
    wordings = {best.text: best.trust}
    for mention in choice.judged.cluster.mentions:
        if len(wordings) < _MOST_PASSAGES:
            wordings.setdefault(mention.text, mention.trust)
    if choice.entry_text and choice.proposal.action == "merge":
        wordings.setdefault(choice.entry_text, choice.proposal.trust)
    if len(wordings) < 2:
        return None
    names = [f"{name}.{n}" for n in range(1, len(wordings) + 1)]
    return _Group(
        name,
        choice,
        dict(zip(names, wordings, strict=True)),
        dict(zip(names, wordings.values(), strict=True)),
    )


def _asked(model: LanguageModel, groups: Sequence[_Group], timeout: float) -> dict[str, Mapping[str, Any]]:
    """The model's answers by the names of the groups; the first of several for one."""
    data = [Passage(name, text) for group in groups for name, text in group.passages.items()]
    answer = ask_json(model, task=_TASK, data=data, schema=_SCHEMA, max_tokens=_MAX_TOKENS, timeout=timeout)
    answers: dict[str, Mapping[str, Any]] = {}
    for claim in answer["claims"]:
        answers.setdefault(claim["name"], claim)
    return answers


def _why_not(group: _Group, answer: Mapping[str, Any]) -> str | None:
    """Why an answer is not believed; None where it is."""
    text, sources = " ".join(answer["text"].split()), set(answer["sources"])
    if unknown := sorted(sources - group.passages.keys()):
        return f"the answer cites {unknown[0][:20]}, which is not one of its sources"
    if word_pieces(text) > MOST_TOKENS or hidden(text):
        return "the answer is too long, or holds hidden characters"
    if why := veto(text):
        return f"the answer is not a fact ({why})"
    return _lost(text, tuple(group.passages.values()))


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


def _reworded(group: _Group, answer: Mapping[str, Any], model: str) -> SelectedClaim:
    """The choice in the model's words, with the sources of these, as trusted as the least trusted of them."""
    proposal = group.choice.proposal
    used = {group.passages[name] for name in answer["sources"]}
    named = [m for m in group.choice.judged.cluster.mentions if m.text in used][:MOST_SOURCES]
    sources = tuple(dict.fromkeys(mention.source for mention in named)) or proposal.sources
    changed = replace(
        proposal,
        text=" ".join(answer["text"].split()),
        sources=sources,
        entries=tuple(dict.fromkeys(mention.entry for mention in named)) or proposal.entries,
        trust=least_trusted(*(group.trusts[name] for name in answer["sources"])),
        why=f"{proposal.why}; worded by {model}, from {', '.join(sources)}",
    )
    return replace(group.choice, proposal=changed)
