"""The Settings screen: every setting with its value and origin, and the keys."""
