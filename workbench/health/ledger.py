"""The ledger: lines that are no records, which nobody reads and which would be missed in silence."""

from __future__ import annotations

from workbench.errors import WorkbenchError
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.plural import plural
from workbench.workspace.ledger import BOOKS, pages

_NAMED = 3


def ledger(place: CheckSubject) -> Look:
    """Every line of every page is a record."""
    records, torn, findings = 0, [], []
    for book in BOOKS:
        try:
            for page in pages(place.workspace, book):
                records += len(page.records)
                torn += [f"{page.path} ({page.bad})"] if page.bad else []
        except (WorkbenchError, OSError) as error:
            findings.append(
                Finding(
                    what=f"the book of {book} cannot be read: {error}",
                    meaning="what stands in it does not count",
                    do="put a plain file there, as git has it: `git log -- _system/ledger`",
                )
            )
    if torn:
        more = f" and {len(torn) - _NAMED} more files" if len(torn) > _NAMED else ""
        findings.append(
            Finding(
                what=f"lines of the ledger are no records: {', '.join(torn[:_NAMED])}{more}",
                meaning="they are passed over: a decision in one of them does not count",
                do="correct them with an editor, or delete them; git has what stood there before",
            )
        )
    return Look(f"{plural(records, 'record')}" if records else "no records yet", tuple(findings))
