"""The tabs of the Context screen as rows: each part that an agent gets, its cost, and the reason for it.

Reading them records no usage.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from screens.drawing.clock import now, today
from screens.drawing.safe_text import (
    EMPTY,
    GAP,
    Lines,
    Row,
    RowPart,
    Shown,
    Tone,
    age,
    grouped,
    line_rows,
    line_text,
    piece,
    plural,
    row_text,
    safe_piece,
    text_lines,
    words,
)
from screens.history.history_reader import HistoryReader
from screens.search.engine import Engine
from screens.search.hits import bar
from screens.widgets.entry_list import clipped
from workbench.agent.bulletin import BulletinLine, LoadedFile, Which, bulletin, loaded, owner_page
from workbench.agent.context import ContextLine, Injection, LeftOut, injection_from_json
from workbench.agent.search_service import SearchService
from workbench.agent.search_task import InjectRequest
from workbench.agent.usage import UsageReport, UsageShare, dominance, never_given
from workbench.config.settings import Settings
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_kw_only
from workbench.graph.read import read_graph
from workbench.memory.entry import Entry, Kind
from workbench.workspace.workspace import Workspace

SHARES = 200
"""Memories of which it is shown how often they were given."""
_SCORE = 8
"""Cells of the bar of a score."""
_WHY = 26
"""Cells that a reason may take in a row; behind the row it stands whole."""
_ENTRY_LINES = 40
_BY_WORDS = "scores by keyword only: no embedding model takes part"
_NOTHING_LOADED = (
    "nothing is loaded: there is no MEMORY.md, no bootstrap file and no log of today or yesterday\n"
    "`workbench init` makes them"
)
_NOTHING_TO_SAY = {
    "memory": "nothing is known about identity, goals, preferences, events or decisions\n"
    "typed lines of graph pages and of MEMORY.md make this bulletin",
    "context": "nothing is due\ntodos and events of the graph with a day make this bulletin",
}
Known = Mapping[str, Entry]


@frozen_kw_only
class ContextPage:
    """``cost`` says in few words what all of it costs, ``raw`` is what the agent reads, as it reads it.

    ``of`` each row are the rows behind it.
    """

    rows: Sequence[Row] = ()
    raw: str = ""
    cost: RowPart = RowPart(EMPTY)
    empty: str = ""


INVITATION = ContextPage(
    empty="/ type a message as you would send it to the agent\n"
    "what is given with it is shown as you type: each entry with its score, the reason, and its cost\n"
    "lookups here are not recorded as recalls"
)
"""Nothing was typed yet."""


def raw_rows(text: str) -> list[Row]:
    """The very lines that an agent reads."""
    return [Row(f"raw:{n}", line_text(line)) for n, line in enumerate(text.split("\n") if text else ())]


def copied(page: ContextPage, row: Row | None) -> str:
    """What is copied: the text that the agent gets, or the row where the page is a list for a person."""
    if page.raw or row is None:
        return page.raw
    return row.entry.text if row.entry else row.text


def _heading(text: str) -> Row:
    """What the rows under it have in common."""
    return _note(text, "accent")


def _note(text: str, tone: Tone = "warn") -> Row:
    """Something to know about all of it, which may hold words of the workspace."""
    return Row(f"note:{text}", row_text(text), tone=tone, inert=True)


def _tokens(count: int) -> RowPart:
    return piece(f"{grouped(count)} tok", "faint")


def _title(entry: Entry | None, address: str) -> Shown:
    return row_text(entry.plain_title if entry else address)


def _whole(entry: Entry | None) -> list[Row]:
    return line_rows(text_lines(entry.text, _ENTRY_LINES), "line") if entry else []


# -- with a message ------------------------------------------------------------------------------


def message_page(workspace: Workspace, injection: Mapping[str, Any], *, meaning: bool) -> ContextPage:
    """The page of an injection that was answered as JSON; ``meaning``: by the process that has the model.

    Raises KeyError, TypeError or ValueError.
    """
    found, settings = injection_from_json(injection), workspace.settings
    meaning = meaning and not any(note.endswith(_WORDS_ONLY) for note in found.notes)
    named = [line.entry for line in found.lines if not line.scope]
    named += [one.entry for one in (*found.left_out, *found.below)]
    known = entries_at(workspace, named)
    tone: Tone = "good" if found.lines else "muted"
    cost = piece(f"{grouped(found.tokens)}/{grouped(settings.inject_tokens)} tokens", tone)
    if found.skipped_because:
        why = row_text(f"nothing was searched: {found.skipped_because}")
        return ContextPage(empty=f"{why}\nwrite more about the subject", cost=cost)
    notes = [] if meaning else [_BY_WORDS]
    notes += [one for one in found.notes if meaning or one != "keyword search only"]
    head = [_note(text) for text in notes]
    rows = list(_message_rows(found, known, settings))
    if rows:
        return ContextPage(rows=[*head, *rows], raw=found.text, cost=cost)
    best = f"best score {found.top_score:.2f}, threshold {settings.inject_threshold:.2f}"
    said = f"nothing is given: memory has nothing relevant ({best})"
    return ContextPage(empty="\n".join([said, *(row.text for row in head)]), cost=cost, raw=found.text)


def _message_rows(found: Injection, known: Known, settings: Settings) -> Iterator[Row]:
    threshold = settings.inject_threshold
    if found.lines:
        most = f"{len(found.lines)} of at most {settings.inject_entries}"
        yield _heading(f"given with the message: {most}, {grouped(found.tokens)} tokens")
        for line in found.lines:
            yield _given(line, known.get(line.entry), settings)
    if found.left_out:
        yield _heading(f"matches that are not given: {len(found.left_out)}")
        for one in found.left_out:
            why = clipped(row_text(one.why.partition(":")[0]), _WHY).rstrip()  # its first part, cut if long
            yield _not_given(one, known.get(one.entry), threshold, "–", "warn", piece(why, "warn"))
    if found.below:
        yield _heading(f"below the threshold of {threshold:.2f}: the nearest")
        for one in found.below:
            yield _not_given(one, known.get(one.entry), threshold, "·", "faint")


def _lead(sign: str, tone: Tone, score: float) -> tuple[RowPart, ...]:
    return piece(sign, tone), RowPart(bar(score, _SCORE), tone), piece(f"{score:.2f}")


def _given(line: ContextLine, entry: Entry | None, settings: Settings) -> Row:
    own = not line.scope
    whose = (safe_piece(f"{line.scope}'s", "warn"),) if line.scope else ()
    trust: Tone = "warn" if line.trust in ("external", "unknown") else "muted"
    return Row(
        id=line.entry,
        text=row_text(f"{line.text} ({line.when})" if line.when else line.text),
        lead=_lead("✓", "good", line.score),
        tail=(*whose, safe_piece(line.trust, trust), _tokens(line.tokens)),
        path=line.path if own else None,
        line=line.line,
        address=line.entry if own else None,
        entry=entry,
        of=_judged(
            (f"given: {line.score:.2f} reaches {settings.inject_threshold:.2f}", "good"),
            {**line.parts, "score": line.score, "threshold": settings.inject_threshold},
            _reasons(line, entry, settings),
            entry,
        ),
    )


def _not_given(
    one: LeftOut, entry: Entry | None, threshold: float, sign: str, tone: Tone, *tail: RowPart
) -> Row:
    row = Row(
        id=one.entry,
        text=_title(entry, one.entry),
        tone="text" if tone == "warn" else "muted",
        lead=_lead(sign, tone, one.score),
        tail=tail,
        of=_judged(
            ("not given: " + one.why, "warn"),
            {"score": one.score, "threshold": threshold},
            [(one.entry, "faint"), GAP],
            entry,
        ),
    )
    return row.at(entry) if entry else row


def _judged(
    said: tuple[str, Tone], scores: Mapping[str, float], why: Iterable[tuple[str, Tone]], entry: Entry | None
) -> list[Row]:
    """What became of an entry, its scores under one another on one scale, the reasons, and all of it."""
    rows = line_rows([said])
    for name, value in scores.items():
        tone: Tone = "accent" if name == "score" else "faint" if name == "threshold" else "muted"
        lead = (piece(row_text(name).ljust(10)), RowPart(bar(value, 2 * _SCORE), tone))
        rows.append(Row(f"bar:{name}", words(f"{value:.2f}"), tone=tone, lead=lead))
    return [*rows, *line_rows(why, "why"), *_whole(entry)]


def _reasons(line: ContextLine, entry: Entry | None, settings: Settings) -> Lines:
    """Why an entry is given, and the words that the agent reads."""
    sources = f", from {', '.join(line.sources)}" if line.sources else ""
    yield f"words in common: {', '.join(line.words)}" if line.words else "no words in common", "muted"
    yield f"trust: {line.trust}{sources}", "muted"
    yield f"cost: {line.tokens} of {settings.inject_tokens} tokens", "muted"
    yield line.when or (f"of {line.date}" if line.date else "without a date"), "muted"
    yield f"{line.path}:{line.line}", "faint"
    yield GAP
    yield "as the agent reads it:", "accent"
    yield line.rendered, "text"
    if entry:
        yield GAP
        yield "the whole entry:", "accent"


# -- bulletins -----------------------------------------------------------------------------------


def bulletin_page(place: Workspace, which: Which, *, memory_loaded: bool) -> ContextPage:
    """One bulletin: its lines under their sections, and how many are not in it."""
    graph = read_graph(place)
    found = bulletin(graph, which, today(), memory_loaded=memory_loaded, owner=owner_page(place, graph))
    rows: list[Row] = []
    for section in found.sections:
        if section.lines:
            rows.append(_heading(f"{section.title}: {len(section.lines)}"))
            rows += [_bulletin_row(section.title, line) for line in section.lines]
        if section.more:
            rows.append(_note(f"{section.title}: {grouped(section.more)} more, which did not fit"))
    rows += [_note(f"{count} not given: {why}") for why, count in found.withheld]
    return ContextPage(
        rows=rows,
        raw=found.text,
        cost=piece(f"{grouped(found.tokens)} tokens", "good" if found.text else "muted"),
        empty=_NOTHING_TO_SAY[which],
    )


def _bulletin_row(section: str, line: BulletinLine) -> Row:
    late = line.why.startswith("OVERDUE")
    tail = [safe_piece(line.why, "bad" if late else "muted")] if line.why else []
    return Row(
        id=f"{section}:{line.entry}",
        text=row_text(f"{line.entity}: {line.text}" if line.entity else line.text),
        tail=(*tail, _tokens(line.tokens)),
        path=line.entry.rpartition("#")[0],
        address=line.entry,
        of=line_rows(_bulletin_lines(line)),
    )


def _bulletin_lines(line: BulletinLine) -> Lines:
    yield line.text, "head"
    yield f"{line.type}{' of ' + line.entity if line.entity else ''}", "muted"
    yield f"why it is here: {line.why}" if line.why else "without a day: after the others", "muted"
    yield f"trust: {line.trust}" + (f", from {', '.join(line.sources)}" if line.sources else ""), "muted"
    yield f"cost: {line.tokens} tokens", "muted"
    yield line.entry, "faint"
    yield "as the agent reads it:", "accent"
    yield line.rendered, "text"


# -- what is always loaded -----------------------------------------------------------------------


def loaded_page(place: Workspace, *, memory_loaded: bool) -> ContextPage:
    """The files that an agent has before it, the costliest bars the longest."""
    found = loaded(place, today(), memory_loaded=memory_loaded)
    total = sum(one.tokens for one in found)
    most = max((one.tokens for one in found), default=0) or 1
    return ContextPage(
        rows=[_loaded_row(one, most, total, place.memory_budget) for one in found],
        cost=piece(f"{grouped(total)} tokens"),
        empty=_NOTHING_LOADED,
    )


_STATES: Mapping[str, tuple[str, Tone]] = {
    "loaded": ("", "faint"),
    "empty": ("it is empty", "warn"),
    "unreadable": ("it cannot be read", "bad"),
}
"""What is said of a file in each state, and its tone."""


def _loaded_row(one: LoadedFile, most: int, total: int, budget: int) -> Row:
    said, tone = _STATES[one.state]
    return Row(
        id=one.path,
        text=row_text(one.path),
        tone="muted" if said else "text",
        lead=(RowPart(bar(one.tokens / most, _SCORE), "accent"), piece(grouped(one.tokens).rjust(7))),
        tail=(piece(one.state if said else one.why, tone),),
        path=one.path,
        of=line_rows(
            [
                (one.path, "head"),
                (one.why, "muted"),
                (f"about {grouped(one.tokens)} of {grouped(total)} tokens", "muted"),
                (f"budget: {grouped(budget)} characters" if one.kind is Kind.MEMORY else "", "muted"),
                (said, tone),
            ]
        ),
    )


# -- what was given most -------------------------------------------------------------------------


def dominance_page(
    found: UsageReport, known: Known, never: Sequence[Entry], count: int, *, progress: str = ""
) -> ContextPage:
    """What was given most, and beneath it what never was; ``progress`` says how far that was looked for."""
    rows: list[Row] = []
    if found.shares:
        given = f"{plural(len(found.shares), 'entry')} in {plural(found.answers, 'answer')}"
        rows.append(_heading(f"given most in the last {found.days} days: {given}"))
        rows += [_share_row(share, known.get(share.entry)) for share in found.shares[:SHARES]]
    else:
        text = f"nothing was given to an agent in the last {found.days} days, by the ledger of recalls"
        rows += [_note(text, "muted"), _note("`workbench connect` shows how to connect one", "faint")]
    if progress:
        rows.append(_note(progress, "faint"))
    elif count:
        rows.append(_heading(f"never given in the last {found.days} days: {grouped(count)}"))
        rows += [_never_row(entry, found.days) for entry in never]
        if count > len(never):
            more = f"… and {grouped(count - len(never))} more: `workbench context --usage --never`"
            rows.append(_note(more, "faint"))
    else:
        rows.append(_note("everything else was given at least once", "muted"))
    return ContextPage(rows=rows, cost=RowPart(plural(found.answers, "answer")))


def _share_row(share: UsageShare, entry: Entry | None) -> Row:
    tone: Tone = "warn" if share.share >= 0.5 and share.count > 2 else "accent"
    told = [piece("no longer exists", "warn")]
    if entry:
        told = [RowPart(plural(share.questions, "question"))]
        if share.last:
            told.append(RowPart(age(share.last.astimezone().date(), today()), "faint"))
    row = Row(
        id=share.entry,
        text=_title(entry, share.entry),
        lead=(
            RowPart(bar(share.share, _SCORE), tone),
            piece(f"{share.share:>4.0%}"),
            piece(f"{grouped(share.count)}×".rjust(4)),
        ),
        tail=tuple(told),
        of=[*line_rows(_share_lines(share, gone=entry is None)), *_whole(entry)],
    )
    return row.at(entry) if entry else row


def _share_lines(share: UsageShare, *, gone: bool) -> Lines:
    yield f"in {share.count} answers, {share.share:.0%} of all", "head"
    yield f"to {plural(share.questions, 'different question')}", "muted"
    yield f"last: {share.last.astimezone():%a %d %b %Y %H:%M}" if share.last else "last: unknown", "muted"
    yield f"by: {', '.join(share.by)}" if share.by else "", "muted"
    yield share.entry, "faint"
    yield "this text no longer exists: it was edited or forgotten" if gone else "", "warn"


def _never_row(entry: Entry, days: int) -> Row:
    return Row(
        id=f"never:{entry.address}",
        text=row_text(entry.plain_title),
        tone="muted",
        lead=(piece("∅", "faint"),),
        tail=(safe_piece(entry.kind, "faint"),),
        of=[
            *line_rows(
                [
                    (f"it was in no answer of the last {days} days", "head"),
                    ("it may lack the words that questions use, or it is not needed", "muted"),
                    (entry.address, "faint"),
                ]
            ),
            *_whole(entry),
        ],
    ).at(entry)


# -- reading -------------------------------------------------------------------------------------

_NEVER = 300
"""Entries that are listed of those that were never given."""
_WORDS_ONLY = "keyword search only"
_EACH = 25
"""Files between two words about how far a reading is."""


class ContextReader:
    """Reads the parts off the event loop.

    A message is answered by the process that has the model, else by keyword search in a thread of this
    process. A second thread does the long readings, so that a message does not wait for them.
    """

    def __init__(self, root: Path, engine: Engine) -> None:
        self.engine = engine
        self.reader = HistoryReader(root)
        self._counter = HistoryReader(root)
        self._by_keyword: SearchService | None = None
        """What is searched, where the process with the model does not answer."""
        self._counting = 0

    async def close(self) -> None:
        """Stop reading, and end the threads."""
        self.stop()
        await asyncio.gather(asyncio.to_thread(self.reader.close), asyncio.to_thread(self._counter.close))

    def stop(self) -> None:
        """Nobody waits for a long reading any more."""
        self._counting += 1

    async def message(self, text: str, *, memory_loaded: bool) -> tuple[ContextPage, bool]:
        """What is given with a message, and whether that rests on keywords for want of the model.

        Raises what ``inject`` raises.
        """
        asked = InjectRequest(text, today(), memory_loaded)
        said = await self.engine.consult(msgspec.to_builtins(asked))
        injection = (said or {}).get("injection")

        def read(place: Workspace) -> ContextPage:
            if injection is not None:
                return message_page(place, injection, meaning=True)
            if self._by_keyword is None:
                self._by_keyword = SearchService(place, vectors=False, today=today)
            return message_page(place, asked.answer(self._by_keyword), meaning=False)

        return await self.reader.run(read), injection is None

    async def most(self, days: int, so_far: Callable[[ContextPage], object]) -> ContextPage:
        """What was given most, and what never was; ``so_far`` gets the page while files are read."""
        self.stop()
        mine = self._counting
        found = await self.reader.run(dominance, now(), days)
        named = [share.entry for share in found.shares[:SHARES]]
        known = await self.reader.run(entries_at, named)
        so_far(dominance_page(found, known, (), 0, progress="looking …"))

        def going(done: int, total: int) -> bool:
            """In the counter's thread: whether anybody still waits for it."""
            if done and done % _EACH == 0:
                text = f"searching for entries that were never given … {done} of {total} files"
                so_far(dominance_page(found, known, (), 0, progress=text))
            return self._counting == mine

        def read(place: Workspace) -> ContextPage:
            never, count = never_given(place, found, most=_NEVER, going=going)
            return dominance_page(found, known, never, count)

        return await self._counter.run(read)


def entries_at(workspace: Workspace, addresses: Iterable[str]) -> dict[str, Entry]:
    """The entries that still stand at these addresses, by address."""
    found: dict[str, Entry] = {}
    for address in addresses:
        with suppress(WorkbenchError, OSError):  # it was edited or taken out since, or is of another memory
            found[address] = workspace.find(address)
    return found
