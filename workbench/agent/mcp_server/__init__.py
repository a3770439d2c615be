"""The door for agents: a Model Context Protocol server."""
