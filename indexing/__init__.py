"""The derived index over a workspace: words, vectors, and the search over both.

Everything here can be deleted at any time; ``sync`` makes it again from the Markdown.
"""
