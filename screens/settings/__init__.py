"""Every setting with its value and where it comes from, and the keys."""
