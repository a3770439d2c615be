"""Whether all is well, and what to do where it is not: one list of checks, from which all is told."""
