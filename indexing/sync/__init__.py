"""Updates of the index: sources, changed files, keyword data, vectors, and the manifest."""
