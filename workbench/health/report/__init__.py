"""How a memory is doing as a whole: sections with figures and findings, each with its entry and its fix."""
