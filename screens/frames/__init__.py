"""The base of the screens over the panes: keys, hints, a list with details, and the services."""
