"""The search over the panes: as one types, why a hit ranks where it does, and what if."""
