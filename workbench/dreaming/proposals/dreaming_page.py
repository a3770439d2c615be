"""What a dreaming run kept, on the page of its day: added at the end, never written over.

``_system/dreaming/20260320-consolidated.md`` is for people: no dream ever reads it as a source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workbench.dreaming.proposals.apply import Carried
from workbench.memory.entry import Form, Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath
from workbench.safety.secrets import masked
from workbench.safety.terminal import cut, visible

_FOLDER = "_system/dreaming/"
_MARKS = re.compile(r"([\\`*_{}\[\]()#+!<>|~-])")
_LONGEST = 300
_MOST_SOURCES = 4
_DID = {"add": "", "merge": "merged, ", "supersede": "in the place of an older one, ", "store": "stored, "}


def page_path(now: datetime) -> RelPath:
    """The page of the day."""
    return RelPath(f"{_FOLDER}{now:%Y%m%d}-consolidated.md")


def with_run(
    before: bytes | None,
    *,
    now: datetime,
    by: str,
    kept: Sequence[Carried],
    left: Sequence[tuple[str, str]] = (),
    considered: int | None = None,
) -> bytes:
    """The page with one more section: what was ``kept``, and what was ``left`` behind, each with its reason.

    ``now`` gives the time in its own zone. Line ends follow those of the page.
    """
    lines = [] if before and before.strip() else [f"# Consolidated {now:%Y-%m-%d}", ""]
    lines += [
        f"## {now:%H:%M}, {_run_name([one.proposal.run for one in kept])}",
        "",
        _summary(by, len(kept), len(left), considered),
        "",
    ]
    sections: dict[str, list[Carried]] = {}
    for one in kept:
        sections.setdefault(one.section or "Elsewhere", []).append(one)
    for name, group in sections.items():
        lines += [f"### {_one_line(name)}", "", *(_item(one.text, _why(one)) for one in group), ""]
    if left:
        lines += ["### Left behind", "", *(_item(text, why) for text, why in left), ""]
    text = "\n".join(lines).rstrip("\n") + "\n"
    newline = "\r\n" if before and b"\r\n" in before else "\n"
    gap = "" if not before or not before.strip() else ("\n" if before.endswith(b"\n") else "\n\n")
    return (before or b"") + (gap + text).replace("\n", newline).encode("utf-8", "surrogateescape")


def _run_name(runs: Sequence[str]) -> str:
    named = [_one_line(run) for run in dict.fromkeys(runs) if run]
    if not named:
        return "proposals"
    return f"run {named[0]}" if len(named) == 1 else f"runs {', '.join(named)}"


def _summary(by: str, kept: int, left: int, considered: int | None) -> str:
    who = "accepted by you" if by == "human" else "accepted by policy (`dream --apply`)"
    counts = [f"{kept} kept", *([f"{left} left behind"] if left else [])]
    counts += [f"{considered:,} considered"] if considered is not None else []
    return f"{', '.join(counts)}; {who}."


def _why(one: Carried) -> str:
    parts = [f"score {one.proposal.score:.2f}"] if one.proposal.score else []
    shown = ", ".join(
        f"`{_one_line(source).replace('`', chr(39))}`" for source in one.sources[:_MOST_SOURCES]
    )
    more = len(one.sources) - _MOST_SOURCES
    parts += [shown + (f" and {more} more" if more > 0 else "")] if shown else []
    return _DID.get(one.proposal.action, "") + ", ".join(parts)


def _item(text: str, why: str) -> str:
    """A list item that is read back as one, whatever the text and the reason hold."""
    words, because = cut(_one_line(text), _LONGEST), f" ({_one_line(why)})" if why else ""
    for line in (words + because, _MARKS.sub(r"\\\1", words) + because, _MARKS.sub(r"\\\1", words + because)):
        if _is_item(f"- {line}"):
            return f"- {line}"
    return "- (words that cannot be shown here)"


def _is_item(line: str) -> bool:
    """Whether a line is one list item, and what follows is not drawn into it."""
    found = parse_document(RelPath("page.md"), f"{line}\n\n# probe\n".encode(), Kind.NOTE)
    forms = [entry.form for entry in found.entries]
    names = [heading.path for heading in found.headings]
    return forms[:1] == [Form.ITEM] and names == [("probe",)] and "<!--" not in line


def _one_line(text: str) -> str:
    return visible(" ".join(masked(text).split()), one_line=True)
