"""Bringing the index up to date with the files: what is indexed, what changed, words, vectors, the books."""
