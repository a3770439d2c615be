"""What was done to the memory: operations, lines, conflicts."""
