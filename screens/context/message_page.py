"""What is given with a message, entry by entry: score, threshold, why, why not, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.cells import cell_len

from screens.context.page import SCORE, ContextPage, facts, heading, note, title_of, tokens_part
from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import grouped, row_text, words
from screens.search.hits import bar
from screens.widgets.row_strip import clipped
from workbench.agent.context import ContextLine, Injection, LeftOut
from workbench.config.settings import Settings
from workbench.memory.entry import Entry

_INVITATION = (
    "/ type a message, as somebody would write it to the agent\n"
    "what is given with it is shown as you type: each entry with its score, the reason, and its cost\n"
    "nothing that is looked up here is recorded as a recall"
)
_BY_WORDS = "scores by keyword only: no embedding model takes part"
_WHY = 26
"""Cells that a reason may take in a row; behind the row it stands whole."""
Known = Mapping[str, Entry]


def invitation() -> ContextPage:
    """Nothing was typed yet."""
    return ContextPage(empty=words(_INVITATION))


def message_page(found: Injection, known: Known, settings: Settings, *, meaning: bool) -> ContextPage:
    """What ``found`` says; ``known`` are the entries that it names and that still stand."""
    if found.skipped_because:
        why = row_text(f"nothing is looked up: {found.skipped_because}")
        return ContextPage(empty=words(f"{why}\nwrite more of what it is about"), cost=_cost(found, settings))
    rows = list(_rows(found, known, settings))
    if not rows:
        best = f"best score {found.top_score:.2f}, threshold {settings.inject_threshold:.2f}"
        said = words(f"nothing is given: memory knows nothing that has to do with this ({best})")
        rows, empty = [], said
    else:
        empty = words("")
    notes = [] if meaning else [_BY_WORDS]
    notes += [one for one in found.notes if meaning or one != "keyword search only"]
    head = [note(number, text) for number, text in enumerate(notes)]
    if not rows:
        told = "\n".join([empty, *(row.text for row in head)])
        return ContextPage(empty=words(told), cost=_cost(found, settings), raw=found.text)
    return ContextPage(
        rows=[*head, *rows],
        behind=dict(_behind(found, known, settings)),
        raw=found.text,
        cost=_cost(found, settings),
    )


def _cost(found: Injection, settings: Settings) -> RowPart:
    tone: Tone = "good" if found.lines else "muted"
    return RowPart(words(f"{grouped(found.tokens)}/{grouped(settings.inject_tokens)} tokens"), tone)


def _rows(found: Injection, known: Known, settings: Settings) -> Iterator[Row]:
    if found.lines:
        most = f"{len(found.lines)} of at most {settings.inject_entries}"
        yield heading("given", f"given with the message: {most}, {grouped(found.tokens)} tokens")
        for line in found.lines:
            yield _given(line, known.get(line.entry))
    if found.left_out:
        yield heading("left", f"matches, and is not given: {len(found.left_out)}")
        for one in found.left_out:
            yield _not_given(one, known.get(one.entry), "–", "warn", _short(one.why))
    if found.below:
        yield heading("below", f"below the threshold of {settings.inject_threshold:.2f}: the nearest")
        for one in found.below:
            yield _not_given(one, known.get(one.entry), "·", "faint")


def _lead(sign: str, tone: Tone, score: float) -> tuple[RowPart, ...]:
    return (
        RowPart(words(sign), tone),
        RowPart(bar(score, SCORE), tone),
        RowPart(words(f"{score:.2f}"), "muted"),
    )


def _short(why: str) -> RowPart:
    """A reason in few cells: its first part, cut where it is long still."""
    text = row_text(why.partition(":")[0])
    return RowPart(text if cell_len(text) <= _WHY else words(clipped(text, _WHY).rstrip()), "warn")


def _given(line: ContextLine, entry: Entry | None) -> Row:
    own = not line.scope
    whose = (RowPart(row_text(f"{line.scope}'s"), "warn"),) if line.scope else ()
    trust: Tone = "warn" if line.trust in ("external", "unknown") else "muted"
    return Row(
        id=line.entry,
        text=row_text(f"{line.text} ({line.when})" if line.when else line.text),
        lead=_lead("✓", "good", line.score),
        tail=(*whose, RowPart(row_text(line.trust), trust), tokens_part(line.tokens)),
        path=line.path if own else None,
        line=line.line,
        address=line.entry if own else None,
        entry=entry,
    )


def _not_given(one: LeftOut, entry: Entry | None, sign: str, tone: Tone, *tail: RowPart) -> Row:
    return Row(
        id=one.entry,
        text=title_of(entry, one.entry),
        tone="text" if tone == "warn" else "muted",
        lead=_lead(sign, tone, one.score),
        tail=tail,
        path=entry.path if entry else None,
        line=entry.start_line if entry else 1,
        address=one.entry if entry else None,
        entry=entry,
    )


def _behind(found: Injection, known: Known, settings: Settings) -> Iterator[tuple[str, list[Row]]]:
    threshold = settings.inject_threshold
    for line in found.lines:
        yield line.entry, list(_reasons(line, known.get(line.entry), settings))
    for one in (*found.left_out, *found.below):
        entry = known.get(one.entry)
        yield (
            one.entry,
            [
                *facts([("not given: " + one.why, "warn")]),
                *_bars({}, one.score, threshold),
                *facts([(one.entry, "faint")]),
                Row("gap", words(""), inert=True),
                *_whole(entry),
            ],
        )


def _reasons(line: ContextLine, entry: Entry | None, settings: Settings) -> Iterator[Row]:
    budget = settings.inject_tokens
    yield from facts([(f"given: {line.score:.2f} reaches {settings.inject_threshold:.2f}", "good")])
    yield from _bars(line.parts, line.score, settings.inject_threshold)
    sources = f", from {', '.join(line.sources)}" if line.sources else ""
    yield from (
        Row(f"why:{n}", row_text(text), tone="muted")
        for n, text in enumerate(
            (
                f"words in common: {', '.join(line.words)}" if line.words else "no words in common",
                f"trust: {line.trust}{sources}",
                f"cost: {line.tokens} of {budget} tokens",
                line.when or (f"of {line.date}" if line.date else "without a date"),
            )
        )
    )
    yield Row("where", row_text(f"{line.path}:{line.line}"), tone="faint")
    yield Row("gap", words(""), inert=True)
    yield Row("as", words("as the agent reads it:"), tone="accent", inert=True)
    yield Row("rendered", row_text(line.rendered))
    if entry is not None:
        yield Row("gap:2", words(""), inert=True)
        yield Row("whole", words("the whole entry:"), tone="accent", inert=True)
        yield from _whole(entry)


def _bars(parts: Mapping[str, float], score: float, threshold: float) -> Iterator[Row]:
    """Score, its parts and the threshold under one another, on one scale."""
    named = {**parts, "score": score, "threshold": threshold}
    for name, value in named.items():
        tone: Tone = "accent" if name == "score" else "faint" if name == "threshold" else "muted"
        lead = (
            RowPart(row_text(name).ljust(10), "muted"),  # type: ignore[arg-type]
            RowPart(bar(value, 2 * SCORE), tone),
        )
        yield Row(f"bar:{name}", words(f"{value:.2f}"), tone=tone, lead=lead)


def _whole(entry: Entry | None) -> Iterator[Row]:
    for number, line in enumerate(entry.text.splitlines()[:40] if entry else ()):
        yield Row(f"line:{number}", row_text(line))
