"""The history of the memory: operations, lines, conflicts, and time travel."""
