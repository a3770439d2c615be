"""The four panes, a module each: from a snapshot of the memory to rows."""
