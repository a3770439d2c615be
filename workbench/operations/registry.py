"""The operations on entries, each declared once.

A new operation is a plan function and one declaration here: it then has its command with ``--help``,
``--dry-run`` and ``--json``, its key and palette entry where it names a ``key``, and
``tests/cli/test_operations.py`` asks for an example to try it out with. ``agents`` only permits: the tool by
which an agent asks for it is declared in ``workbench/agent/tools``.
"""

from __future__ import annotations

from workbench.operations.operation_spec import (
    ALLOW_FLAGGED,
    ENTRIES,
    REASON,
    SOME_ENTRIES,
    Kind,
    OperationSpec,
    Parameter,
)

_DECLARED = (
    OperationSpec(
        "promote",
        "workbench.operations.promote:plan_promote",
        "Copy entries into MEMORY.md and record their source.",
        ENTRIES,
        parameters=(
            Parameter("section", "Section of MEMORY.md. Default: the best matching one.", option="heading"),
            Parameter("into", "Merge the entries into this entry of MEMORY.md.", Kind.ENTRY, metavar="ENTRY"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="p",
    ),
    OperationSpec(
        "forget",
        "workbench.operations.forget:plan_forget",
        "Remove entries, episodes or graph pages; git keeps them.",
        SOME_ENTRIES,
        details=(
            "--session and --query select many entries at once: the list is shown first, and you "
            "confirm it. Removed text stays in the git history, so that it can be undone; "
            "docs/purge.md explains how to remove a secret from the history too."
        ),
        key="d",
    ),
    OperationSpec(
        "edit",
        "workbench.operations.edit:plan_reword",
        "Edit the text of one entry, in your editor.",
        Parameter("entry", kind=Kind.ENTRY, metavar="ENTRY", required=True),
        details=(
            "New text without a list marker (--text, --from-stdin) keeps the entry's marker and its "
            "source. If the entry was changed on disk in the meantime, nothing is overwritten, and your "
            "text is saved in a file whose path is printed."
        ),
        parameters=(
            Parameter("text", "The new text, with or without the list marker.", metavar="MARKDOWN"),
            REASON,
        ),
        draft="workbench.operations.edit:source_at",
        key="i",
    ),
    OperationSpec(
        "merge",
        "workbench.operations.merge:plan_merge",
        "Merge several entries into one.",
        ENTRIES,
        details="Entries of logs and episodes are copied and stay where they are.",
        parameters=(
            Parameter("text", "Text of the merged entry.", metavar="WORDS"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="m",
    ),
    OperationSpec(
        "move",
        "workbench.operations.move:plan_move",
        "Move entries under another heading, or to another file.",
        ENTRIES,
        details="They are added at the end of the section or file, with their nested items.",
        parameters=(
            Parameter("to", "The file to move to. Default: the entry's own file.", Kind.FILE, metavar="PATH"),
            Parameter("section", "Section to move to; created if it is missing.", option="heading"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="M",
    ),
    OperationSpec(
        "pin",
        "workbench.operations.pin:plan_pin",
        "Pin entries or episodes, so that nothing automatic removes them.",
        ENTRIES,
        details="Pinned entries are neither archived nor expired nor forgotten by automation.",
        parameters=(
            Parameter("on", "Unpin them.", Kind.FLAG, option="off", default=True),
            REASON,
        ),
        key="P",
    ),
    OperationSpec(
        "unpin",
        "workbench.operations.pin:plan_pin",
        "Unpin entries or episodes.",
        ENTRIES,
        fixed={"on": False},
        group="",
    ),
    OperationSpec(
        "quarantine",
        "workbench.operations.quarantine:plan_quarantine",
        "Quarantine suspicious entries or pages: no agent loads them.",
        SOME_ENTRIES,
        key="x",
    ),
    OperationSpec(
        "release",
        "workbench.operations.quarantine:plan_release",
        "Release entries and pages from quarantine.",
        ENTRIES,
        group="",
    ),
    OperationSpec(
        "archive",
        "workbench.operations.archive:plan_archive",
        "Move entries from MEMORY.md into the archive.",
        SOME_ENTRIES,
        details=(
            "Without ENTRY, entries that are outdated, duplicated or unused for months are selected "
            "until MEMORY.md is within its budget, at most 20 at a time. Entries that you wrote by "
            "hand are selected only if they are outdated or duplicated.\n\n"
            "Archived entries can still be searched, and are never loaded by an agent."
        ),
        parameters=(
            Parameter(
                "budget", "Maximum characters of MEMORY.md. Default: the setting memory_budget.", Kind.COUNT
            ),
            REASON,
        ),
        key="A",
    ),
    OperationSpec(
        "restore",
        "workbench.operations.restore:plan_restore",
        "Restore a file or an entry as it was at a moment.",
        Parameter("target", kind=Kind.ENTRY, metavar="TARGET", required=True),
        parameters=(
            Parameter("at", "An operation, a commit or a day.", metavar="WHEN", required=True),
            REASON,
        ),
        group="",
    ),
    OperationSpec(
        "undo",
        "workbench.operations.undo:plan_undo",
        "Undo the newest operation not undone yet, or any OPERATION.",
        Parameter("operation", metavar="[OPERATION]"),
        parameters=(),
        key="u",
    ),
    OperationSpec(
        "redo",
        "workbench.operations.undo:plan_redo",
        "Redo the operation that was undone last, or any OPERATION.",
        Parameter("operation", metavar="[OPERATION]"),
        parameters=(),
        key="U",
    ),
)

OPERATIONS: dict[str, OperationSpec] = {operation.name: operation for operation in _DECLARED}
"""By name, in the order of ``workbench --help``."""
