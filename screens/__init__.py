"""The terminal interface: screens, panes, widgets, and the one registry of actions."""
