"""What screens over the panes are built of: keys, hints, a list with what is behind its row, the services."""
