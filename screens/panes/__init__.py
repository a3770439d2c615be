"""The four panes, one module each: from a snapshot of the memory to rows."""
