"""What holds a proposal back: hidden text, a secret, an order to the agent, or words that are no memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from workbench.errors import FlaggedError
from workbench.graph.drafts import excerpt
from workbench.memory.origin import Origin
from workbench.memory.proposal import QUEUE, Proposal
from workbench.safety.hidden_text import unsafe_in
from workbench.safety.prompt_injection import suspicion
from workbench.safety.secrets import secrets_in

SUSPECTED_BY = "workbench"
"""Who proposes suspicious lines: not `dreaming`, whose next run would take their place."""


@lru_cache(maxsize=2_048)
def flags(text: str, origin: Origin = Origin.AGENT) -> tuple[str, ...]:
    """Secrets, hidden text and orders to an agent in ``text`` of this origin, one line each, fit to be shown.

    Automation never accepts these, and a person only knowingly.
    """
    order = suspicion(text, origin)
    return (
        *unsafe_in(text),
        *([f"suspicious, {order}"] if order else []),
    )


def said_by(proposal: Proposal, text: str | None = None) -> tuple[str, ...]:
    """All words that accepting a proposal may write: its own or these, its heading or page, its marks."""
    words = proposal.text if text is None else text
    marks = (value for name, value in proposal.marks.items() if name != "text" or words == proposal.text)
    return tuple(filter(None, (words, proposal.section, *marks)))


def flags_of(proposal: Proposal, text: str | None = None) -> tuple[str, ...]:
    """The ``flags`` of everything that accepting it may write, ``text`` in the place of its own words."""
    # A proposal that says no origin is read as an agent's words are; one that is there as a suspect is not.
    told = {*Origin} - (set() if proposal.by == SUSPECTED_BY else {Origin.UNKNOWN})
    origin = Origin(proposal.trust) if proposal.trust in told else Origin.AGENT
    return tuple(dict.fromkeys(flag for words in said_by(proposal, text) for flag in flags(words, origin)))


def is_from_outside(proposal: Proposal) -> bool:
    """Whether its words are somebody else's, or wait in the queue of another agent.

    Then it is accepted by itself, and never unseen.
    """
    return proposal.trust == Origin.OUTSIDE or QUEUE in proposal.marks


def held_back(proposals: Sequence[Proposal], texts: Mapping[str, str], among: int) -> dict[str, str]:
    """The flagged ones, by key, each with why; ``texts`` are their wordings by now.

    Raises FlaggedError when they are as many as ``among``, so that nothing is left to be done.
    """
    held = {one.key: "; ".join(found) for one in proposals if (found := flags_of(one, texts[one.key]))}
    if held and len(held) == among:
        said = (words for one in proposals for words in said_by(one, texts[one.key]))
        secret = any(secrets_in(words) for words in said)
        # Of several a key tells which is which; one is the one that was asked for.
        titles = {key: f"{key} " * (among > 1) + excerpt(texts[key]) for key in held}
        error = FlaggedError({titles[key]: why for key, why in held.items()}, secret=secret)
        options = "--allow-flagged --allow-secret" if secret else "--allow-flagged"
        error.hint = f"review it first; `workbench inbox accept KEY {options}` accepts it anyway"
        raise error
    return held
