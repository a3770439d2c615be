"""The search over the panes: as one types, and why a hit ranks where it does."""
