"""Drawing: text that is safe for a terminal, and rows."""
