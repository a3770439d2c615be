"""The bulletins, what is always loaded, and which memories dominate: as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from screens.context.page import SCORE, ContextPage, facts, heading, note, title_of, tokens_part
from screens.drawing.clock import today
from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import Shown, age, grouped, plural, row_text, words
from screens.search.hits import bar
from workbench.agent.bulletin import Bulletin, BulletinLine, Loaded
from workbench.agent.usage import Dominance, Share
from workbench.memory.entry import Entry, Kind

SHARES = 200
"""Memories of which it is shown how often they were given."""
_NOTHING_LOADED = (
    "nothing is loaded: there is no MEMORY.md, no bootstrap file and no log of today or yesterday\n"
    "`workbench init` makes them"
)
_NOTHING_TO_SAY = {
    "memory": "nothing is known of identity, goals, preferences, events or decisions\n"
    "typed lines of graph pages and of MEMORY.md make this bulletin",
    "context": "nothing is due\ntodos and events of the graph with a day make this bulletin",
}


def bulletin_page(found: Bulletin) -> ContextPage:
    """One bulletin: its lines under their sections, and how many are not in it."""
    rows: list[Row] = []
    for section in found.sections:
        if section.lines:
            rows.append(heading(section.title, f"{section.title}: {len(section.lines)}"))
            rows += [_bulletin_row(section.title, line) for line in section.lines]
        if section.more:
            text = f"{section.title}: {grouped(section.more)} more, for which there is no room"
            rows.append(Row(f"more:{section.title}", words(text), tone="warn", inert=True))
    rows += [note(number, f"{count} not given: {why}") for number, (why, count) in enumerate(found.withheld)]
    behind = {
        _line_id(section.title, line): list(_behind_line(line))
        for section in found.sections
        for line in section.lines
    }
    return ContextPage(
        rows=rows,
        behind=behind,
        raw=found.text,
        cost=RowPart(words(f"{grouped(found.tokens)} tokens"), "good" if found.text else "muted"),
        empty=words(_NOTHING_TO_SAY[found.which]),
    )


def _line_id(section: str, line: BulletinLine) -> str:
    return f"{section}:{line.entry}"


def _bulletin_row(section: str, line: BulletinLine) -> Row:
    late = line.why.startswith("OVERDUE")
    tail = [RowPart(row_text(line.why), "bad" if late else "muted")] if line.why else []
    return Row(
        id=_line_id(section, line),
        text=row_text(f"{line.entity}: {line.text}" if line.entity else line.text),
        tail=(*tail, tokens_part(line.tokens)),
        path=line.entry.rpartition("#")[0],
        address=line.entry,
    )


def _behind_line(line: BulletinLine) -> Iterator[Row]:
    yield from facts(
        [
            (line.text, "head"),
            (f"{line.type}{' of ' + line.entity if line.entity else ''}", "muted"),
            (
                f"why it is here: {line.why}" if line.why else "without a day: after the others",
                "muted",
            ),
            (f"trust: {line.trust}" + (f", from {', '.join(line.sources)}" if line.sources else ""), "muted"),
            (f"cost: {line.tokens} tokens", "muted"),
            (line.entry, "faint"),
            ("as the agent reads it:", "accent"),
            (line.rendered, "text"),
        ]
    )


def loaded_page(found: Sequence[Loaded], budget: int) -> ContextPage:
    """The files that an agent has before it, the costliest bars the longest."""
    total = sum(one.tokens for one in found)
    most = max((one.tokens for one in found), default=0) or 1
    rows = [
        Row(
            id=one.path,
            text=row_text(one.path),
            tone="text" if one.state == "loaded" else "muted",
            lead=(
                RowPart(bar(one.tokens / most, SCORE), "accent"),
                RowPart(grouped(one.tokens).rjust(7), "muted"),  # type: ignore[arg-type]
            ),
            tail=(RowPart(words(one.why if one.state == "loaded" else one.state), _tone(one)),),
            path=one.path,
        )
        for one in found
    ]
    behind = {
        one.path: facts(
            [
                (one.path, "head"),
                (one.why, "muted"),
                (f"about {grouped(one.tokens)} of {grouped(total)} tokens", "muted"),
                (f"budget: {grouped(budget)} characters" if one.kind is Kind.MEMORY else "", "muted"),
                ("it is empty" if one.state == "empty" else "", "warn"),
                ("it cannot be read" if one.state == "unreadable" else "", "bad"),
            ]
        )
        for one in found
    }  # fmt: skip
    return ContextPage(
        rows=rows,
        behind=behind,
        cost=RowPart(words(f"{grouped(total)} tokens"), "muted"),
        empty=words(_NOTHING_LOADED),
    )


def _tone(one: Loaded) -> Tone:
    return {"loaded": "faint", "empty": "warn", "unreadable": "bad"}[one.state]  # type: ignore[return-value]


def dominance_page(
    found: Dominance,
    known: Mapping[str, Entry],
    never: Sequence[Entry],
    count: int,
    *,
    progress: str = "",
) -> ContextPage:
    """What was given most, and beneath it what never was; ``progress`` says how far that was looked for."""
    rows: list[Row] = []
    if found.shares:
        given = f"{plural(len(found.shares), 'entry', 'entries')} in {plural(found.answers, 'answer')}"
        rows.append(heading("most", f"given most in the last {found.days} days: {given}"))
        rows += [_share_row(share, known.get(share.entry)) for share in found.shares[:SHARES]]
    else:
        text = f"nothing was given to an agent in the last {found.days} days, by the ledger of recalls"
        rows.append(Row("none", words(text), tone="muted", inert=True))
        rows.append(
            Row("none:2", words("`workbench connect` says how to connect one"), tone="faint", inert=True)
        )
    if progress:
        rows.append(Row("never:progress", words(progress), tone="faint", inert=True))
    elif count:
        rows.append(heading("never", f"never given in the last {found.days} days: {grouped(count)}"))
        rows += [_never_row(entry) for entry in never]
        if count > len(never):
            more = f"… and {grouped(count - len(never))} more: `workbench context --usage --never`"
            rows.append(Row("never:more", words(more), tone="faint", inert=True))
    else:
        rows.append(
            Row("never:none", words("everything else was given at least once"), tone="muted", inert=True)
        )
    behind = {
        share.entry: list(_behind_share(share, known.get(share.entry))) for share in found.shares[:SHARES]
    }
    behind |= {f"never:{entry.address}": _behind_never(entry, found.days) for entry in never}
    return ContextPage(
        rows=rows, behind=behind, cost=RowPart(plural(found.answers, "answer"), "muted"), empty=words("")
    )


def _share_row(share: Share, entry: Entry | None) -> Row:
    tone: Tone = "warn" if share.share >= 0.5 and share.count > 2 else "accent"
    last = [RowPart(_ago(share), "faint")] if share.last else []
    told = [RowPart(plural(share.questions, "question"), "muted"), *last]
    if entry is None:
        told = [RowPart(words("not there any more"), "warn")]
    return Row(
        id=share.entry,
        text=title_of(entry, share.entry),
        lead=(
            RowPart(bar(share.share, SCORE), tone),
            RowPart(words(f"{share.share:>4.0%}"), "muted"),
            RowPart(words(f"{grouped(share.count)}×".rjust(4)), "muted"),
        ),
        tail=tuple(told),
        path=entry.path if entry else None,
        line=entry.start_line if entry else 1,
        address=share.entry if entry else None,
        entry=entry,
        pinned=entry.pinned if entry else False,
    )


def _ago(share: Share) -> Shown:
    day: date = share.last.astimezone().date() if share.last else today()
    return age(day, today())


def _behind_share(share: Share, entry: Entry | None) -> Iterable[Row]:
    last = f"{share.last.astimezone():%a %d %b %Y %H:%M}" if share.last else "unknown"
    yield from facts(
        [
            (f"in {share.count} answers, {share.share:.0%} of all", "head"),
            (f"to {plural(share.questions, 'different question')}", "muted"),
            (f"last: {last}", "muted"),
            (f"by: {', '.join(share.by)}" if share.by else "", "muted"),
            (share.entry, "faint"),
            ("" if entry else "these words stand nowhere any more: they were edited or forgotten", "warn"),
        ]
    )
    for number, line in enumerate(entry.text.splitlines()[:40] if entry else ()):
        yield Row(f"line:{number}", row_text(line))


def _never_row(entry: Entry) -> Row:
    return Row(
        id=f"never:{entry.address}",
        text=row_text(entry.plain_title),
        tone="muted",
        lead=(RowPart(words("∅"), "faint"),),
        tail=(RowPart(row_text(entry.kind), "faint"),),
        path=entry.path,
        line=entry.start_line,
        address=entry.address,
        entry=entry,
        pinned=entry.pinned,
    )


def _behind_never(entry: Entry, days: int) -> list[Row]:
    rows = facts(
        [
            (f"it was in no answer of the last {days} days", "head"),
            ("words that questions would have may be missing from it; or nobody needs it", "muted"),
            (entry.address, "faint"),
        ]
    )
    lines = enumerate(entry.text.splitlines()[:40])
    return [*rows, *(Row(f"line:{number}", row_text(line)) for number, line in lines)]
