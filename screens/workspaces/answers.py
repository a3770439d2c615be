"""What the rows of the chooser stand for, as their ids say it: known without looking at any workspace."""

HERE, ADD = "here", "add"
OPEN, KEEP = "open:", "keep:"
"""How the ids of rows begin that open a folder, and of those that put it on the list too."""
