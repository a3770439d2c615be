"""Where a memory comes from, and what it was once.

Reads files and history, changes nothing::

    blame(workspace, path)            each line: which operation brought it, who, when, in which session
    lineage(workspace, address)       one entry: back to its first log line, and what became of it
    entries_of_session(workspace, s)  everything that one session left in memory
"""
