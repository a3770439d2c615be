"""For agents: a Model Context Protocol server."""
