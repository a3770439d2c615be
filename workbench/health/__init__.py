"""Whether all is well, and what to do where it is not: doctor, check and bench."""
