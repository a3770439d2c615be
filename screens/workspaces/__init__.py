"""Several workspaces: choosing another one, and showing it in the place of the one that is shown."""
