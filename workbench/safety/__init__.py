"""Untrusted text: secrets, hidden text, what looks like a key, text made safe for a terminal."""
