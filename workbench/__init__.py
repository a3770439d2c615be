"""Memory Workbench: curate the memory of an AI agent, plain Markdown in git."""

__version__ = "0.2.0"
