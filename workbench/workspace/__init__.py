"""Where memory lives: files, history, layout, locks."""
