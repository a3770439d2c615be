"""Everything that `check` remarks on: the rules as a list, over memory that is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from workbench.errors import WorkbenchError
from workbench.health import contradictions, duplicates, links, maintenance
from workbench.health.lint_finding import Corpus, Remark
from workbench.workspace.workspace import Workspace

RULES: tuple[Callable[[Corpus], Iterator[Remark]], ...] = (
    maintenance.secrets,
    maintenance.hidden,
    maintenance.both_memories,
    maintenance.over_budget,
    links.dead_links,
    links.dead_sources,
    contradictions.contradictions,
    duplicates.duplicates,
    maintenance.expired,
    maintenance.unsaid,
)
_GRAVEST_FIRST = ("error", "warning", "info")


def lint(workspace: Workspace, today: date) -> tuple[list[Remark], int]:
    """All remarks, the gravest first, and how many files were looked at. Writes nothing to memory."""
    corpus, remarks = _read(workspace, today)
    for rule in RULES:
        remarks += rule(corpus)
    remarks.sort(key=lambda one: (_GRAVEST_FIRST.index(one.severity), one.rule, one.path, one.line))
    return remarks, len(corpus.documents)


def _read(workspace: Workspace, today: date) -> tuple[Corpus, list[Remark]]:
    documents, remarks = [], []
    for file in workspace.scan():
        try:
            documents.append(workspace.document(file.path))
        except FileNotFoundError:  # removed meanwhile
            continue
        except (OSError, WorkbenchError) as error:
            remarks.append(
                Remark(
                    rule="unreadable",
                    severity="error",
                    path=file.path,
                    line=1,
                    what=f"it cannot be read: {error}",
                    do="correct its permissions, or remove it",
                )
            )
    return Corpus(workspace, documents, today), remarks
