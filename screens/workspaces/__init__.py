"""Several workspaces: the choice of another one, and the switch to it."""
