"""The search index of a workspace: keywords, vectors, and the search over both.

The index is derived from the Markdown: it may be deleted at any time, and ``sync`` builds it again.
"""
