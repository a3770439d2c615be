"""Words: the tantivy index. Imports tantivy and nothing heavier."""
