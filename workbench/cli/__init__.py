"""The command line: parse, call, print. No rules of its own.

Data goes to stdout, narration to stderr. Modules here import nothing heavy at their top, so that
``workbench --help`` stays instant; a command imports what it needs when it runs.
"""

from workbench.cli.program import main

__all__ = ["main"]
