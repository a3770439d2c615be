"""Whether all is well, and what to do where it is not: doctor and check."""
