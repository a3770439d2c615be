"""What a person sees: screens, panes, widgets, and the one registry of what can be done."""
