"""The interface in a browser: on this machine only, for whoever has the token, one process a window."""
