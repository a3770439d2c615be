"""Proposals to archive entries of long-term memory that are of no use, where it would outgrow its budget.

Nothing is deleted: the archive is searched like anything else. An entry that the owner has said or kept makes
no room for what nobody has asked for yet: only what automation kept goes, and what is over, or not worth
keeping by the model that judges the proposals. What does not fit is proposed all the same, with a note.
"""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime

from workbench.dreaming.features import Line
from workbench.dreaming.line_judgement import judged
from workbench.dreaming.owner_model import OwnerModel
from workbench.dreaming.proposals.budget import budget_of
from workbench.dreaming.salience import score_of
from workbench.errors import NotCuratableError, WorkbenchError
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry, place_of
from workbench.memory.episode import FOLDER
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document
from workbench.memory.proposal import Proposal
from workbench.operations.archive import characters, last_recalls, least_valuable, why_over
from workbench.workspace.workspace import Workspace

_SAME_TURN = 0.25
"""What each further line of one turn of a session is multiplied by: the first one leads back to the turn."""
_MOST_STEPS = 3
"""From long-term memory to a log, to an episode, to a session."""
_BESIDE = 30
"""Characters that an entry takes beside its words: its mark, list marker and line end."""

TurnFinder = Callable[[str], str]


def make_room(
    workspace: Workspace, model: OwnerModel, proposals: Sequence[Proposal], now: datetime
) -> tuple[tuple[Proposal, ...], str]:
    """What would have to go for ``proposals`` to fit, as far as anything may, and what to tell of that."""
    coming = sum(len(one.text) + _BESIDE for one in proposals if one.action in ("add", "merge"))
    budget = budget_of(workspace)
    if not coming or budget.used + coming <= budget.limit:
        return (), ""
    idle, staying = _idle(workspace, model, now.date())
    leaving: tuple[Proposal, ...] = ()
    if idle:
        limit = max(budget.limit - coming, budget.used - idle)
        with contextlib.suppress(NotCuratableError):  # where headings alone are more than there is room
            leaving = archive_proposals(workspace, model, now, limit=limit, spared=staying)
    touched = {proposal.target for proposal in proposals}
    leaving = tuple(one for one in leaving if one.target not in touched)
    if budget.used - idle + coming <= budget.limit:
        said = f"long-term memory has {budget}, and about {coming:,} would come: removals are proposed too"
        return leaving, said
    return leaving, (
        f"accepting all of these would put long-term memory over its budget: {budget.used:,} + about "
        f"{coming:,} of {budget.limit:,} characters; `workbench archive ENTRY` or `forget ENTRY` makes room"
    )


def archive_proposals(
    workspace: Workspace,
    model: OwnerModel,
    now: datetime,
    *,
    limit: int | None = None,
    run: str = "",
    spared: Collection[str] = (),
    turn_of: TurnFinder | None = None,
) -> tuple[Proposal, ...]:
    """What to archive so that long-term memory is within its budget, the least valuable first.

    None where it is within it already. ``limit`` is another number of characters to come down to; ``spared``
    are addresses of entries that stay, and so does what a person wrote. ``turn_of`` is for who asks often.
    Raises NotCuratableError where all of it together does not make room enough.

    What entries are worth is judged anew by ``model``: scores of other days come from a model that knew other
    decisions.
    """
    memory = workspace.memory_document()
    limit = workspace.memory_budget if limit is None else limit
    if characters(memory.data) <= limit:
        return ()
    recalled = last_recalls(workspace.ledger.read("recalls"))
    over = "is" if characters(memory.data) > workspace.memory_budget else "would be"
    worth = _worth(memory, model, turn_of or turn_finder(workspace))
    chosen = least_valuable(memory, limit, now.date(), recalled, spared=spared, scores=worth)
    return tuple(
        Proposal(
            key=claim_key(text),
            action="archive",
            text=text,
            target=block[0].address,
            entries=tuple(entry.address for entry in block),
            sources=(f"{memory.path}#L{block[0].start_line}",),
            trust=block[0].origin.trust,
            score=worth[block[0].address],
            why=f"{memory.path} {over} over its budget; {why}",
            run=run,
            made_at=now,
        )
        for block, why in chosen
        for text in (memory.text_of(block[0]),)
    )


def _worth(memory: Document, model: OwnerModel, turn_of: TurnFinder) -> dict[str, float]:
    """How likely each entry is worth keeping, by address; a second line of one turn adds little."""
    scores = map(score_of, model.logits([_line(entry, turn_of) for entry in memory.entries]).tolist())
    seen: Counter[str] = Counter()
    worth = {}
    for score, entry in sorted(zip(scores, memory.entries, strict=True), key=lambda one: -one[0]):
        turn = turn_of(entry.field("src") or entry.address)
        worth[entry.address] = score * _SAME_TURN ** seen[turn]
        seen[turn] += 1
    return worth


def _line(entry: Entry, turn_of: TurnFinder) -> Line:
    """An entry as it was judged when it was proposed: as talk where it quotes what a session said."""
    source = entry.field("src") or ""
    if source.startswith(FOLDER) or turn_of(source) != source:
        return Line(entry.text, spoken=True)
    return Line(entry.text, path=source.partition("#")[0])


def turn_finder(workspace: Workspace) -> TurnFinder:
    """Finds the turn of a session that a source quotes, through the log and the episode that quote it.

    A source that quotes none is its own. Each file is read once.
    """

    @functools.cache
    def read(path: str) -> Document | None:
        with contextlib.suppress(OSError, WorkbenchError):
            return workspace.document(path)
        return None

    def turn_of(source: str) -> str:
        for _ in range(_MOST_STEPS):
            path, line = place_of(source) or ("", 0)
            document = read(path) if path else None
            entry = document.at_line(line) if document else None
            quoted = entry.field("src") if entry else None
            if not quoted:
                break
            source = quoted
        return source

    return turn_of


def _idle(workspace: Workspace, model: OwnerModel, today: date) -> tuple[int, frozenset[str]]:
    """How many characters of long-term memory may go unasked, and the addresses of all that stays."""
    memory = workspace.memory_document()
    blocks_of_ours = [block for block in blocks(memory) if block[0].provenance]
    turn_of = turn_finder(workspace)
    judgements = judged(model, [_line(block[0], turn_of) for block in blocks_of_ours])
    size, staying = 0, set[str]()
    for block, judgement in zip(blocks_of_ours, judgements, strict=True):
        entry = block[0]
        is_idle = why_over(entry, today) or not judgement.kept
        if is_idle and entry.origin.trust != "owner" and not entry.pinned:
            size += sum(characters(memory.data[each.span.start : each.span.end]) for each in block)
        else:
            staying.add(entry.address)
    return size, frozenset(staying)
