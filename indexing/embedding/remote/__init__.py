"""Models behind an HTTP API: what is asked of them, how often, and what of their answers is believed."""
