"""The audit: how much of a store is junk, stale, secret and so on, as a table, JSON or a page to share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from html import escape
from pathlib import Path

import click

from workbench.cli.options import flag, named, word
from workbench.cli.output import Bar, answered, json_option, narrate, say, say_row
from workbench.cli.workspace_options import meant, tell_skipped
from workbench.errors import UsageError, disk_error
from workbench.health.audit import Audit
from workbench.plural import plural
from workbench.safety.secrets import masked
from workbench.safety.terminal import visible

_EVIDENCE = 20
"""Lines of evidence that are printed of each part; the JSON and the page have all."""
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Memory audit</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
td, th {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #8884; vertical-align: top; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
meter {{ width: 8rem; }}
</style>
<h1>Memory audit</h1>
<p>{entries} entries in {files} files.</p>
<table>
<tr><th>part</th><th class="number">entries</th><th class="number">share</th><th></th><th></th></tr>
{rows}
</table>
{evidence}
</html>
"""


@click.command()
@named("folder", "[DIR]", required=False)
@flag("--evidence", "Show the lines that were counted.")
@word("--html", "FILE", "Write a page to share, by itself and without any text of the memory.", default=None)
@flag("--with-text", "With --html: the lines that were counted, with their text.")
@flag("--quick", "Do not ask the model what is junk.")
@json_option
def audit(folder: str | None, evidence: bool, html: str | None, with_text: bool, quick: bool) -> None:
    """How much of a memory is junk, stale or secret.

    Of the memory in DIR, else of the workspace. Nothing is written into it. The shares are of all entries;
    those of junk of logs, episodes, notes and MEMORY.md, of what is unsourced of long-term memory, of what is
    over the limit of the files that an agent always loads.
    """
    from workbench.health.audit import audit as audited
    from workbench.health.subject import CheckSubject
    from workbench.workspace.workspace import Workspace

    if with_text and html is None:
        raise UsageError("--with-text goes with --html")
    asked = meant(folder) if folder else click.get_current_context().obj
    place = Workspace.open(asked, lenient=True) if asked else Workspace.nearest(".", lenient=True)
    tell_skipped(place)
    if html is not None and Path(html).resolve().is_relative_to(place.root):
        raise UsageError(
            f"{html} is inside of {place.root}, where an audit writes nothing",
            hint="name a file somewhere else",
        )
    gc.disable()  # what is read stays until the end, and looking for garbage in it takes a third of the time
    try:
        with Bar() as bar:
            found = audited(CheckSubject(place), model=not quick, tell=bar.show)
    finally:
        gc.enable()
        place.close()
    if html is not None:
        _write(html, _page(found, with_text=with_text))
    said = {
        "workspace": place.root,
        "entries": found.entries,
        "files": found.files,
        "per_second": round(found.per_second),
        "parts": [part.as_json(evidence=evidence) for part in found.parts],
    }
    if not answered(said):
        _say(found, evidence=evidence)


def _say(found: Audit, *, evidence: bool) -> None:
    say(f"{plural(found.entries, 'entry')} in {plural(found.files, 'file')}", bold=True)
    for part in found.parts:
        say(f"{part.name:<14}  {part.entries:>8,}  {part.share:>6.1%}  {part.meaning}")
        for one in part.evidence[:_EVIDENCE] if evidence else ():
            say_row(f"    {one.place}  {one.rule}: {masked(one.what)}", dim=True)
        if evidence and (more := len(part.evidence) - _EVIDENCE) > 0:
            say(f"    and {more:,} more; --json has all", dim=True)
    narrate(f"{found.per_second:,.0f} entries a second without the model")


def _write(path: str, page: str) -> None:
    try:
        with click.open_file(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(page)
    except OSError as error:
        raise disk_error(error) from error
    narrate(f"written: {path}")


def _page(found: Audit, *, with_text: bool) -> str:
    """A page that needs no other file. Without ``with_text`` it holds numbers only, no path and no word."""
    rows = (
        f'<tr><td>{part.name}</td><td class="number">{part.entries:,}</td>'
        f'<td class="number">{part.share:.1%}</td><td><meter value="{part.share:.4f}"></meter></td>'
        f"<td>{part.meaning}</td></tr>"
        for part in found.parts
    )
    return _PAGE.format(
        entries=f"{found.entries:,}",
        files=f"{found.files:,}",
        rows="\n".join(rows),
        evidence="\n".join(_evidence(found)) if with_text else "",
    )


def _evidence(found: Audit) -> Iterator[str]:
    for part in found.parts:
        if part.evidence:
            yield f"<h2>{part.name}</h2>\n<table>"
            for one in part.evidence:
                cells = (one.place, one.rule, masked(one.what))
                yield "<tr>" + "".join(f"<td>{escape(visible(cell, one_line=True))}</td>" for cell in cells)
            yield "</table>"
